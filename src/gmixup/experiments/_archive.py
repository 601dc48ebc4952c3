"""Archive: the records of runs as experiments look them up, and what they tell of time."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from gmixup.evidence.published import Cell as Place
from gmixup.evidence.published import Score
from gmixup.experiments._cells import Settings, cells
from gmixup.record_format import DONE
from gmixup.training import Cell

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Found:
    """The runs of one place: how many are wanted, and those that there are."""

    wanted: int
    done: tuple[Record, ...] = ()
    failed: tuple[Record, ...] = ()
    missing: tuple[Cell, ...] = ()  # those that failed among them

    @property
    def complete(self) -> bool:
        """Whether every run is there."""
        return len(self.done) == self.wanted

    def scores(self, part: str = "test") -> list[float]:
        """Of each run, in [0, 1]."""
        return [record["scores"][part] for record in self.done]

    @property
    def score(self) -> Score | None:
        """Mean and deviation on test, per cent; None before the first run."""
        return Score.of(self.scores()) if self.done else None


Results = Mapping[Place, Found]


@dataclass(frozen=True)
class Archive:
    """Records by key, and the content by which each data set is known.

    A data set that is not at hand is taken to be the one that most records of it are of: so tables
    can be shown where there are records alone.
    """

    records: dict[str, Record]
    fingerprints: dict[str, str]
    strangers: tuple[str, ...] = ()  # sets at hand that most records of their name are not of

    @classmethod
    def of(
        cls, records: Iterable[Record], fingerprints: Mapping[str, str] | None = None
    ) -> "Archive":
        """`fingerprints` are those of the data sets at hand."""
        by_key = {record["key"]: record for record in records}
        told: dict[str, Counter[str]] = defaultdict(Counter)
        for record in by_key.values():
            told[record["cell"]["data"]][record["cell"]["fingerprint"]] += 1
        known = {data: counts.most_common(1)[0][0] for data, counts in told.items()}
        here = dict(fingerprints or {})
        strangers = sorted(data for data in here if known.get(data, here[data]) != here[data])
        return cls(by_key, known | here, tuple(strangers))

    def results(self, settings: Settings, seeds: Sequence[int]) -> dict[Place, Found]:
        """The runs of every place."""
        done: dict[Place, list[Record]] = {place: [] for place in settings}
        failed: dict[Place, list[Record]] = {place: [] for place in settings}
        missing: dict[Place, list[Cell]] = {place: [] for place in settings}
        for place, cell in cells(settings, seeds, self.fingerprints):
            record = self.records.get(cell.key)
            if record is not None and record["status"] == DONE:
                done[place].append(record)
                continue
            missing[place].append(cell)
            if record is not None:
                failed[place].append(record)
        return {
            p: Found(len(seeds), tuple(done[p]), tuple(failed[p]), tuple(missing[p]))
            for p in settings
        }

    def seconds(self, cell: Cell) -> float | None:
        """How long a run like this one took: same data, network and method, else any method."""
        told = self._pace.get(_like(cell.config)) or self._pace.get(_like(cell.config)[:2])
        return None if told is None else told * cell.recipe.epochs

    @cached_property
    def _pace(self) -> dict[tuple[str, ...], float]:
        """Mean seconds of an epoch by data, network and method, and by data and network."""
        told: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for record in self.records.values():
            seconds = total(record.get("seconds"))
            if record["status"] == DONE and seconds:
                each = seconds / record["cell"]["recipe"]["epochs"]
                like = _like(record["cell"])
                told[like].append(each)
                told[like[:2]].append(each)
        return {like: fmean(several) for like, several in told.items()}


def _like(cell: Mapping[str, Any]) -> tuple[str, ...]:
    backbone = cell["backbone"]
    network = f"{backbone['name']} {backbone.get('depth')} {backbone.get('virtual_node')}"
    return cell["data"], network, cell["augmentation"]["name"]


def total(seconds: Any) -> float:
    """Seconds of a record, which may tell them by what took them."""
    if isinstance(seconds, Mapping):
        return sum(map(total, seconds.values()))
    return float(seconds) if isinstance(seconds, int | float) else 0.0
