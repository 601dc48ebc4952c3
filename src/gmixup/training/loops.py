"""Loops: which one trains a cell, on which device, and how many cells go side by side."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import torch

from gmixup.backbones._foreign import Foreign
from gmixup.choices import check_choice
from gmixup.datasets import Split
from gmixup.graphs import GraphSet
from gmixup.records import Record
from gmixup.training import plain
from gmixup.training.cell import Cell
from gmixup.training.outcome import record_of
from gmixup.training.run import Run
from gmixup.training.state import Watch

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
    for cell in cells:
        if cell.fingerprint != cells[0].fingerprint:
            raise ValueError("`cells` are of several data sets; train those of one at a time")
        run = Run.of(cell, graphs, own_split)
        begin = time.monotonic()
        curve = plain.train(run, device, watch)
        record = record_of(run, curve, time.monotonic() - begin, device, "plain")
        watch.end(run, curve)
        yield record
        watch.forget(run)


def device_of(device: str) -> str:
    """The device by name; `auto` is an accelerator where there is one."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(
            f"`device` is {device!r}, but torch {torch.__version__} finds no CUDA device here; use "
            "'cpu' or 'auto'"
        )
    return device


def is_plain(cell: Cell, loop: Loop) -> bool:
    """Whether a cell is for the plain loop."""
    return loop == "plain" or (loop == "auto" and isinstance(cell.backbone, Foreign))
