"""State: what is kept of a run while it goes on, so that it can be watched, killed and resumed.

Every draw of a run is a function of its seed and the epoch, so weights, optimiser and curve are all
that has to be kept; what is resumed equals what was never interrupted.
"""

import io
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from gmixup.atomic import whole_files
from gmixup.training.curve import Curve, Point
from gmixup.training.run import Run

State = dict[str, Any]

CHECKPOINTS = ".checkpoints"  # in the folder of the records; hidden, so that it holds none


class Callback(Protocol):
    """What may look on; either method may be missing."""

    def on_epoch(self, run: Run, epoch: int, point: Mapping[str, Point]) -> None:
        """An epoch has ended."""

    def on_end(self, run: Run, curve: Curve) -> None:
        """The run has ended."""


@dataclass
class Watch:
    """Tells callbacks, and keeps a checkpoint every so many seconds."""

    callbacks: Sequence[Any] = ()
    folder: Path | None = None  # of checkpoints; None: none are kept
    seconds: float = 20.0  # between two of them
    _last: float = field(default_factory=time.monotonic)

    def tell(self, run: Run, curve: Curve, since: int) -> None:
        """Passes the epochs from `since` on to the callbacks."""
        for epoch in range(since, len(curve)):
            for callback in self.callbacks:
                if hasattr(callback, "on_epoch"):
                    callback.on_epoch(run, epoch, curve.points[epoch])

    def end(self, run: Run, curve: Curve) -> None:
        """Tells the callbacks that the run has ended."""
        for callback in self.callbacks:
            if hasattr(callback, "on_end"):
                callback.on_end(run, curve)

    def due(self) -> bool:
        """Whether it is time for a checkpoint; then the clock begins anew."""
        if self.folder is None or time.monotonic() - self._last < self.seconds:
            return False
        self._last = time.monotonic()
        return True

    def saw(self, run: Run, curve: Curve, network: nn.Module, optimizer: Any) -> None:
        """An epoch of the plain loop has ended."""
        self.tell(run, curve, len(curve) - 1)
        if self.due():
            state = {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
            self.keep(run, curve, state)

    def resume(self, run: Run, network: nn.Module, optimizer: Any) -> Curve:
        """Brings a network and its optimiser to where the run was, and says how it went."""
        curve, state = self.kept(run, "network")
        if state:
            network.load_state_dict(state["network"])
            optimizer.load_state_dict(state["optimizer"])
        return curve

    def keep(self, run: Run, curve: Curve, state: State) -> None:
        """Writes the checkpoint of a run, whole or not at all."""
        assert self.folder is not None
        points = [{part: tuple(point) for part, point in p.items()} for p in curve.points]
        content = io.BytesIO()
        torch.save({"key": run.cell.key, "points": points, **state}, content)
        with whole_files(self.folder) as draft:
            (draft / self._file(run).name).write_bytes(content.getvalue())

    def kept(self, run: Run, part: str) -> tuple[Curve, State]:
        """The checkpoint of a run; nothing where there is none, or one that cannot be read.

        Nor where it lacks the `part` by which the loop that asks goes on: it is the other loop's.
        """
        if self.folder is None or not self._file(run).is_file():
            return Curve(), {}
        try:
            state = torch.load(self._file(run), map_location="cpu", weights_only=True)
        except Exception:  # whatever lies there is worth less than a fresh start
            return Curve(), {}
        points = state.pop("points", None)
        if state.pop("key", None) != run.cell.key or points is None or part not in state:
            return Curve(), {}
        found = tuple({part: Point(*told) for part, told in p.items()} for p in points)
        return Curve(found), state

    def forget(self, run: Run) -> None:
        """Takes the checkpoint of a finished run away."""
        if self.folder is not None:
            with suppress(OSError):
                self._file(run).unlink(missing_ok=True)
                self.folder.rmdir()  # of the last one, with its folder

    def _file(self, run: Run) -> Path:
        assert self.folder is not None
        return self.folder / f"{run.cell.key}.pt"
