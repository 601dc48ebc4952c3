"""Job: runs that a JSON file tells, for machines on which nothing but the library is installed.

    {"out": "runs", "device": "cuda", "data": "IMDB-BINARY", "backbone": "gin", "seeds": 10,
     "runs": [{"augmentation": "none"}, {"augmentation": {"name": "g-mixup", "ratio": 0.2}}]}

What stands beside `runs` is so for all of them; without `runs` the object is one itself. A run is
told in the words of a record's `cell`, of which much may be left out.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from gmixup import datasets
from gmixup.choices import check_choice
from gmixup.graphs import GraphSet
from gmixup.records import Record, Records
from gmixup.training.cell import Cell
from gmixup.training.job_words import cells_of, mapping, number
from gmixup.training.loops import Loop, alike, device_of, train_cells
from gmixup.training.outcome import failure
from gmixup.training.state import CHECKPOINTS


@dataclass(frozen=True)
class Job:
    """Runs, and where and how they are trained."""

    cells: Mapping[str, Sequence[Cell]]  # by what is to be loaded, fingerprints yet to be found
    out: str = "runs"
    root: str | None = None
    device: str = "auto"
    loop: Loop = "auto"
    checkpoints: str | None = CHECKPOINTS  # a folder, seen from `out`; None: none are kept
    in_flight: int = 10  # how many runs that differ by seeds train together, at most

    def __post_init__(self) -> None:
        check_choice("loop", self.loop, Loop)
        number("in_flight", self.in_flight, 1)
        device_of(self.device)

    @classmethod
    def read(cls, file: str | Path) -> "Job":
        """The job of a JSON file."""
        try:
            told = json.loads(Path(file).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{file} is no JSON: {error}") from None
        return cls.of(told)

    @classmethod
    def of(cls, told: Any) -> "Job":
        """The job of what a JSON file holds: an object, or a list of runs."""
        whole = mapping("job", {"runs": told} if isinstance(told, list) else told)
        names = {item.name for item in fields(cls)} - {"cells"}
        settings = {name: value for name, value in whole.items() if name in names}
        shared = {k: v for k, v in whole.items() if k not in names and k != "runs"}
        runs = whole.get("runs", [{}])
        if not isinstance(runs, list) or not runs:
            raise ValueError(f"`runs` is {runs!r}; give a list of at least one run")
        cells: dict[str, list[Cell]] = {}
        for run in runs:
            if misplaced := names & mapping("run", run).keys():
                raise ValueError(f"`{min(misplaced)}` stands in a run; it belongs beside `runs`")
            made = cells_of(shared | run)
            cells.setdefault((shared | run)["data"], []).extend(made)
        return cls(cells, **{name: _text(name, value) for name, value in settings.items()})

    def train(self) -> Iterator[tuple[Record, bool]]:
        """A record for each run, and whether it was there; those that raise are recorded so."""
        records = Records(self.out)
        for data, cells in self.cells.items():
            graphs = datasets.load(data, self.root)
            found = _found(data, cells, datasets.fingerprint(graphs))
            done = {one["key"]: one for one in records.all() if one["status"] == "done"}
            yield from ((done[cell.key], True) for cell in found if cell.key in done)
            missing = [cell for cell in found if cell.key not in done]
            for group in alike(missing):
                for begin in range(0, len(group), self.in_flight):
                    together = group[begin : begin + self.in_flight]
                    for record in self._together(together, data, graphs, records):
                        yield record, False

    def _together(
        self, cells: Sequence[Cell], data: str, graphs: GraphSet, records: Records
    ) -> Iterator[Record]:
        """What raises in company is tried once more, each cell by itself."""
        own = datasets.own_split(data, self.root) if cells[0].split.kind == "own" else None
        left, raised = {cell.key: cell for cell in cells}, None
        try:
            for record in train_cells(
                cells,
                graphs,
                device=self.device,
                loop=self.loop,
                own_split=own,
                checkpoints=None if self.checkpoints is None else Path(self.out, self.checkpoints),
            ):
                records.write(record)
                del left[record["key"]]
                yield record
        except Exception as error:
            # Its frames would hold the memory that the next attempt may need.
            raised = error.with_traceback(None)
        if raised is None:
            return
        for cell in left.values():
            if len(cells) > 1:
                yield from self._together([cell], data, graphs, records)
            else:
                record = failure(cell, raised)
                records.write(record)
                yield record


def _text(name: str, value: Any) -> Any:
    if name == "in_flight" or isinstance(value, str):
        return value
    if value is None and name in ("root", "checkpoints"):
        return None
    raise ValueError(f"`{name}` is {value!r}; give a text")


def _found(data: str, cells: Sequence[Cell], mark: str) -> list[Cell]:
    """The cells with the fingerprint of the graphs that are there, each once."""
    for cell in cells:
        if cell.fingerprint not in ("", mark):
            raise ValueError(
                f"`fingerprint` is {cell.fingerprint[:8]!r}..., but that of {data!r} is "
                f"{mark[:8]!r}...: it is another set; leave `fingerprint` out to take what is there"
            )
    found = (replace(cell, fingerprint=mark) for cell in cells)
    return list({cell.key: cell for cell in found}.values())
