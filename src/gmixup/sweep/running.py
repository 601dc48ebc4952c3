"""Running: the records of cells, read where they are there and made where they are missing."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from gmixup import datasets
from gmixup.datasets import Split
from gmixup.graphs import GraphSet
from gmixup.records import Record, Records
from gmixup.sweep.bundles import Bundle, Manner, bundled, train_bundle
from gmixup.sweep.workers import spread
from gmixup.training import Cell, Loop, device_of


def run(
    cells: Sequence[Cell],
    records: Records,
    graphs: Mapping[str, GraphSet] | None = None,
    *,
    own_splits: Mapping[str, Split] | None = None,
    root: str | Path | None = None,
    device: str = "auto",
    loop: Loop = "auto",
    jobs: int = 1,
    backend: str | None = None,
    retries: int = 2,
    in_flight: int = 10,
    progress: bool | None = None,
    on_record: Callable[[Record], None] | None = None,
    callbacks: Sequence[Any] = (),
) -> list[Record]:
    """One record for each cell, in their order; a cell whose record exists is not run again.

    `graphs` and `own_splits` go by fingerprint; what is not among them is loaded by the cell's
    `data` from `root`. Cells that differ by seeds only train side by side on an accelerator,
    `in_flight` at most. With `jobs` above 1, or a `backend` of joblib (loky, dask, ray), bundles
    spread over processes. A run that raises is tried `retries` times more, then recorded as failed.
    `progress` None shows a bar where standard error is a terminal.
    """
    _check(jobs=(jobs, 1), retries=(retries, 0), in_flight=(in_flight, 1))
    cells = list({cell.key: cell for cell in cells}.values())
    found = there(cells, records)
    missing = [cell for cell in cells if cell.key not in found]
    manner = Manner(records, device_of(device), loop, retries, tuple(callbacks))
    size = in_flight if manner.device.startswith("cuda") else 1
    fetch = _fetching(graphs or {}, own_splits or {}, root)
    calls = [partial(fetch, chunk) for chunk in bundled(missing, size)]
    here = (jobs == 1 and backend is None) or not calls
    trained = _in_turn(calls, manner) if here else spread(calls, manner, jobs, backend)
    hidden = None if progress is None else not progress
    bar = tqdm(
        total=len(cells), initial=len(found), unit="run", leave=False, disable=hidden, mininterval=0
    )
    with bar, closing(trained):
        for record in trained:
            found[record["key"]] = record
            bar.update()
            if on_record is not None:
                on_record(record)
    return [found[cell.key] for cell in cells]


def there(cells: Sequence[Cell], records: Records) -> dict[str, Record]:
    """The finished runs among the cells, by key."""
    found = {cell.key: record for cell in cells if (record := records.wrote(cell.key))}
    wanted = {cell.key for cell in cells} - found.keys()
    if wanted:  # those that lie in compact files and in folders below
        every = {one["key"]: one for one in records.all() if one["status"] == "done"}
        found |= {key: every[key] for key in wanted & every.keys()}
    return found


def _in_turn(
    calls: Sequence[Callable[[], Bundle]], manner: Manner
) -> Generator[Record, None, None]:
    for call in calls:
        yield from train_bundle(call(), manner)


def _fetching(
    graphs: Mapping[str, GraphSet], own_splits: Mapping[str, Split], root: str | Path | None
) -> Callable[[tuple[Cell, ...]], Bundle]:
    """Makes a bundle of cells: finds their graphs, keeping the last sets that were loaded."""

    @lru_cache(maxsize=2)
    def loaded(data: str, fingerprint: str) -> GraphSet:
        found = graphs[fingerprint] if fingerprint in graphs else datasets.load(data, root)
        if fingerprint not in graphs and datasets.fingerprint(found) != fingerprint:
            raise ValueError(
                f"`data` {data!r} is not the set that the cell was made of: its fingerprint is "
                f"not {fingerprint[:8]}...; pass the graphs, or make the cell of what is there"
            )
        return found

    def fetch(cells: tuple[Cell, ...]) -> Bundle:
        first, split = cells[0], None
        if first.split.kind == "own":
            split = own_splits.get(first.fingerprint) or datasets.own_split(first.data, root)
        return Bundle(cells, loaded(first.data, first.fingerprint), split)

    return fetch


def _check(**numbers: tuple[int, int]) -> None:
    for name, (value, least) in numbers.items():
        if value < least:
            raise ValueError(f"`{name}` is {value}; it must be at least {least}")
