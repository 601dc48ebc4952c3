"""Outcome: the record of a finished run, or of one that failed."""

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

import torch

from gmixup import __version__
from gmixup.mixing import Origin
from gmixup.record_format import DONE, FAILED, FORMAT
from gmixup.records import Record
from gmixup.training.cell import Cell
from gmixup.training.curve import Curve
from gmixup.training.run import Run


def record_of(run: Run, curve: Curve, seconds: float, device: str, loop: str) -> Record:
    """Everything that a reader may ask of a run."""
    larger, origins = run.training_graphs()
    sizes = {"train": len(run.train), "validation": len(run.validation), "test": len(run.test)}
    return {
        **_frame(run.cell, DONE),
        "metric": run.cell.recipe.metric,
        "scores": curve.scores(),
        "curve": curve.as_json(),
        "graphs": sizes | {"added": len(larger) - len(run.train)},
        "mixing": mixing(origins or ()),
        "seconds": round(seconds, 3),
        "device": device_name(device),
        "loop": loop,
        "versions": versions(),
    }


def failure(cell: Cell, error: BaseException) -> Record:
    """The record of a run that ended in an error."""
    words = " ".join(str(error).split())[:500]
    return {**_frame(cell, FAILED), "error": f"{type(error).__name__}: {words}"}


def mixing(origins: Sequence[Origin]) -> dict[str, Any] | None:
    """What was drawn of lambda, and how often each pair of classes was mixed."""
    if not origins:
        return None
    lams = [origin.lam for origin in origins]
    pairs = [f"{first}-{second}" for first, second in (origin.classes for origin in origins)]
    return {
        "lambda": {"mean": fmean(lams), "least": min(lams), "most": max(lams)},
        "pairs": {pair: pairs.count(pair) for pair in sorted(set(pairs))},
    }


def versions() -> dict[str, str]:
    """What a number may depend on."""
    import torch_geometric

    return {
        "gmixup": __version__,
        "torch": torch.__version__,
        "torch_geometric": torch_geometric.__version__,
        "python": platform.python_version(),
    }


def device_name(device: str) -> str:
    """`cpu`, or what the accelerator is called."""
    return torch.cuda.get_device_name() if device.startswith("cuda") else device


def _frame(cell: Cell, status: str) -> Record:
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return {"format": FORMAT, "key": cell.key, "cell": cell.config, "status": status, "date": date}
