"""Bundles: cells that differ by seeds only and train side by side, and their bounded retries."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gmixup.datasets import Split
from gmixup.graphs import GraphSet
from gmixup.records import Record, Records
from gmixup.training import Cell, Loop, train_cells
from gmixup.training.loops import alike
from gmixup.training.outcome import failure
from gmixup.training.state import CHECKPOINTS

# A cluster may give a process several threads, and initial weights come from torch's one generator.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Bundle:
    """Cells that differ by seeds only, and what they are trained on."""

    cells: tuple[Cell, ...]
    graphs: GraphSet
    own_split: Split | None = None


@dataclass(frozen=True)
class Manner:
    """How bundles are trained, wherever that is."""

    records: Records
    device: str = "auto"
    loop: Loop = "auto"
    retries: int = 2
    callbacks: tuple[Any, ...] = ()


def bundled(cells: Iterable[Cell], size: int) -> list[tuple[Cell, ...]]:
    """Cells that may train side by side, `size` at most, in the order of their first ones."""
    cells = list(cells)
    places = {cell.key: place for place, cell in enumerate(cells)}
    chunks = [
        tuple(group[begin : begin + size])
        for group in alike(cells)
        for begin in range(0, len(group), size)
    ]
    # In the order of first cells all methods of a comparison advance together.
    return sorted(chunks, key=lambda chunk: places[chunk[0].key])


def train_bundle(bundle: Bundle, manner: Manner) -> Iterator[Record]:
    """The records of a bundle, each written before it is told; those that are there are read."""
    missing = []
    for cell in bundle.cells:
        if record := manner.records.wrote(cell.key):
            yield record
        else:
            missing.append(cell)
    if missing:
        with _ONE_AT_A_TIME:
            yield from _train(missing, bundle, manner, manner.retries)


def _train(cells: Sequence[Cell], bundle: Bundle, manner: Manner, retries: int) -> Iterator[Record]:
    """What raises is tried again: several cells in halves, one for `retries` times."""
    left, error = {cell.key: cell for cell in cells}, None
    try:
        for record in train_cells(
            list(cells),
            bundle.graphs,
            device=manner.device,
            loop=manner.loop,
            own_split=bundle.own_split,
            callbacks=manner.callbacks,
            checkpoints=manner.records.folder / CHECKPOINTS,
        ):
            manner.records.write(record)
            del left[record["key"]]
            # As whoever comes later will find it: rounded, and in plain JSON.
            yield manner.records.wrote(record["key"]) or record
    except Exception as raised:
        # Its frames would hold the memory that the next attempt may need.
        error = raised.with_traceback(None)
    rest = list(left.values())
    if len(rest) > 1:
        middle = len(rest) // 2
        yield from _train(rest[:middle], bundle, manner, retries)
        yield from _train(rest[middle:], bundle, manner, retries)
    elif rest and retries:
        yield from _train(rest, bundle, manner, retries - 1)
    elif rest:
        yield write_failure(rest[0], error or RuntimeError("no record came"), manner.records)


def write_failure(cell: Cell, error: BaseException, records: Records) -> Record:
    """Records that a run failed, and why."""
    record = failure(cell, error)
    records.write(record)
    return record
