"""Plan: which runs of each table are there, which are missing, and how long these would take."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gmixup.evidence.naming import UNTOLD
from gmixup.evidence.tables import Table
from gmixup.experiments._archive import Archive, Record, Results, total
from gmixup.experiments._cells import SMALL_FIRST
from gmixup.training import Cell

# What each is in the paper, counted as its captions come; all others are of ours.
IN_THE_PAPER = {
    "claims": "observations 1 to 10",
    "class-graphons": "figures 2 and 7",
    "complexity": "table 1",
    "depth": "figure 6",
    "estimators": "table 6",
    "gmt": "table 7",
    "label-corruption": "table 4",
    "lambda-molbace": "table 10",
    "lambda-molbbbp": "table 9",
    "ogb": "table 8",
    "performance": "table 2",
    "pooling": "table 3",
    "resolution": "figure 5",
    "synthetic-graphs": "figure 3",
    "theorems": "both theorems",
    "topology-corruption": "table 5",
    "training-curves": "figure 4",
}
HEADER = (
    "table or figure",
    "in the paper",
    "cells",
    "runs",
    "done",
    "failed",
    "missing",
    "spent",
    "time",
    "data not found",
)
NOTES = (
    "Spent is what the runs that are done took, one after the other, by device.",
    "Time is that of the missing runs, one after the other: as long an epoch as in records of the "
    "same data, network and method, or else of any method. `≥`: of some there is no such record.",
    "Runs that several tables share are counted in each, and once in the last line.",
)


@dataclass(frozen=True)
class Plan:
    """What is there of the tables that are trained, and of those that are computed."""

    archive: Archive
    trained: Mapping[str, Results]
    computed: Mapping[str, bool]  # whether its tables are kept
    at_hand: Mapping[str, bool]  # by data set
    onlookers: Sequence[str] = ()  # tables of which nothing is run, for they look at others' runs

    def table(self) -> Table:
        """A row for each table and figure, and one for all runs together."""
        rows = [self._row(name, [results]) for name, results in self.trained.items()]
        for name, there in self.computed.items():
            state = ("1", "0") if there else ("0", "1")
            counts = ("computed", "1", state[0], "0", state[1])
            rows.append((name, _paper(name), *counts, "", "not known", ""))
        if len(self.trained) > 1:
            rows.append(self._row("all runs, each once", list(self.trained.values())))
        return Table("What is there and what is missing", HEADER, rows, NOTES)

    def places(self, name: str) -> Table:
        """Of one table: done and wanted runs of each place."""
        results = self.trained[name]
        columns = list(dict.fromkeys(place.column for place in results))
        lines: dict[tuple[str, str], dict[str, str]] = {}
        for place, found in results.items():
            line = lines.setdefault((place.group, place.method), {})
            line[place.column] = f"{len(found.done)} of {found.wanted}"
        rows = [(*key, *(line.get(c, "–") for c in columns)) for key, line in lines.items()]
        return Table(f"{name}: runs that are done", ("", "method", *columns), rows)

    def missing(self, *, at_hand: bool = True) -> list[Cell]:
        """Every run to be run once, set after set, of those that are at hand or of all."""
        several = [own for name, own in self.trained.items() if name not in self.onlookers]
        found = {cell.key: cell for results in several for cell in _missing(results)}
        kept = [cell for cell in found.values() if not at_hand or self.at_hand[cell.data]]
        return sorted(kept, key=lambda cell: _place(cell.data))

    def _row(self, name: str, several: Sequence[Results]) -> tuple[str, ...]:
        places = sum(map(len, several))
        found = [one for results in several for one in results.values()]
        missing = {c.key: c for results in several for c in _missing(results)}
        done = {record["key"]: record for one in found for record in one.done}
        failed = {record["key"] for one in found for record in one.failed}
        absent = sorted({cell.data for cell in missing.values() if not self.at_hand[cell.data]})
        counts = (places, len(done) + len(missing), len(done), len(failed), len(missing))
        times = spent(done.values()), self._time(list(missing.values()))
        return (name, _paper(name), *map(str, counts), *times, ", ".join(absent))

    def _time(self, cells: Sequence[Cell]) -> str:
        told = [self.archive.seconds(cell) for cell in cells]
        known = [seconds for seconds in told if seconds is not None]
        if not cells:
            return "0 s"
        if not known:
            return "unknown"
        return ("" if len(known) == len(cells) else "≥ ") + in_words(sum(known))


def _paper(name: str) -> str:
    return IN_THE_PAPER.get(name, "–")


def spent(records: Iterable[Record]) -> str:
    """How long runs took, by the device that they ran on."""
    times: defaultdict[str, float] = defaultdict(float)
    for record in records:
        times[record.get("device", UNTOLD)] += total(record.get("seconds"))
    return ", ".join(f"{in_words(seconds)} ({device})" for device, seconds in times.items())


def in_words(seconds: float) -> str:
    """A span of time in the unit that fits."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _place(data: str) -> int:
    return SMALL_FIRST.index(data) if data in SMALL_FIRST else len(SMALL_FIRST)


def _missing(results: Results) -> Iterable[Cell]:
    return (cell for found in results.values() for cell in found.missing)
