"""TensorBoard: a callback that writes the curves of runs where TensorBoard shows them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gmixup.training.curve import Curve, Point
from gmixup.training.run import Run


@dataclass(frozen=True)
class TensorBoard:
    """Loss and score of every part by epoch, each run in a folder of its own below `folder`.

    Its writers are made where epochs are told: copied to another process it writes there.
    """

    folder: str | Path = "boards"
    _writers: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _writer_class()  # what is not installed is said now, and not by every run

    def on_epoch(self, run: Run, epoch: int, point: Mapping[str, Point]) -> None:
        """Writes the losses and scores of an epoch."""
        writer = self._writer(run)
        for part, told in point.items():
            writer.add_scalar(f"loss/{part}", told.loss, epoch + 1)
            writer.add_scalar(f"{run.cell.recipe.metric}/{part}", told.score, epoch + 1)

    def on_end(self, run: Run, curve: Curve) -> None:
        """Closes what was written of the run, with the epoch that was best on validation."""
        writer = self._writer(run)
        writer.add_text("best", f"epoch {curve.best + 1}: {dict(curve.scores())}")
        writer.close()
        del self._writers[run.cell.key]

    def _writer(self, run: Run) -> Any:
        key = run.cell.key
        if key not in self._writers:
            cell = run.cell
            words = (cell.data, cell.backbone.name, run.name, f"seed-{cell.seed}", key[:8])
            name = "-".join(word.replace("/", "-") for word in words)
            self._writers[key] = _writer_class()(str(Path(self.folder) / name))
        return self._writers[key]


def _writer_class() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise ImportError(
            "`TensorBoard` needs the package tensorboard, which is not installed; "
            "pip install gmixup[track]"
        ) from error
    return SummaryWriter
