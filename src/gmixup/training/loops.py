"""Loops: which one trains a cell, on which device, and how many cells go side by side."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import torch

from gmixup.backbones._foreign import Foreign
from gmixup.choices import check_choice
from gmixup.datasets import Split
from gmixup.graphs import GraphSet
from gmixup.records import Record
from gmixup.training import fast, plain
from gmixup.training.cell import Cell
from gmixup.training.outcome import record_of
from gmixup.training.run import Run
from gmixup.training.state import Watch
from gmixup.training.stores import Stores

Loop = Literal["auto", "plain", "fast"]


def train_cells(
    cells: Sequence[Cell],
    graphs: GraphSet,
    *,
    device: str = "auto",
    loop: Loop = "auto",
    own_split: Split | None = None,
    callbacks: Sequence[Any] = (),
    checkpoints: str | Path | None = None,
) -> Iterator[Record]:
    """The records of cells on one data set, each as soon as it is there.

    The fast loop trains networks of the house, several at once on an accelerator; the plain one
    anything. With a folder for `checkpoints` a run that is killed goes on where it was.
    """
    check_choice("loop", loop, Loop)
    device, watch = device_of(device), Watch(callbacks, Path(checkpoints) if checkpoints else None)
    if len({cell.fingerprint for cell in cells}) > 1:
        raise ValueError("`cells` are of several data sets; train those of one at a time")
    stores: Stores | None = None
    for group in alike(cells):
        runs = [Run.of(cell, graphs, own_split) for cell in group]
        stores = stores or Stores(runs[0].graphs)
        for some in _together(runs, device, loop, watch):
            # On a CPU a run has one thread, whose own time does not depend on what else is there.
            clock = time.process_time if device == "cpu" else time.monotonic
            begin = clock()
            used = "plain" if is_plain(some[0].cell, loop) else "fast"
            if used == "plain":
                with torch.random.fork_rng(devices=[]):  # it seeds what other people's layers draw
                    curves = [plain.train(some[0], device, watch)]
            else:
                curves = fast.train(some, stores, device, watch)
            seconds = (clock() - begin) / len(some)
            for run, curve in zip(some, curves, strict=True):
                watch.end(run, curve)
                yield record_of(run, curve, seconds, device, used) | {"in_flight": len(some)}
                watch.forget(run)


def alike(cells: Sequence[Cell]) -> list[list[Cell]]:
    """The cells in groups that differ in nothing but seeds and splits."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(group_key(cell.config), []).append(cell)
    return list(groups.values())


def group_key(config: Mapping[str, Any]) -> str:
    """What cells share that differ in nothing but seeds and splits."""
    split = {k: v for k, v in config["split"].items() if k not in ("seed", "fold")}
    rest = {name: value for name, value in config.items() if name != "seed"}
    return json.dumps(rest | {"split": split}, sort_keys=True)


def _together(runs: list[Run], device: str, loop: Loop, watch: Watch) -> list[list[Run]]:
    """Which of these runs go side by side: all on an accelerator, if their networks can."""
    if device == "cpu" or is_plain(runs[0].cell, loop) or not runs[0].network().side_by_side:
        return [[run] for run in runs]
    parts: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        # They go in step: as many steps in an epoch, and from the same epoch on.
        steps = len(run.batches(0, len(run.training_graphs()[0])))
        parts.setdefault((steps, len(watch.kept(run, "parameters")[0])), []).append(run)
    return list(parts.values())


def device_of(device: str) -> str:
    """The device by name; `auto` is an accelerator where there is one."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(
            f"`device` is {device!r}, but torch {torch.__version__} finds no CUDA device here; use "
            "'cpu' or 'auto'"
        )
    if device.partition(":")[0] not in ("cpu", "cuda"):
        raise ValueError(f"`device` is {device!r}; it is auto, cpu or cuda, or one such as cuda:1")
    return device


def is_plain(cell: Cell, loop: Loop) -> bool:
    """Whether a cell is for the plain loop."""
    return loop == "plain" or (loop == "auto" and isinstance(cell.backbone, Foreign))
