"""Curve: loss and score of each part by epoch, and which epoch is the best one."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, NamedTuple

PARTS = ("train", "validation", "test")


class Point(NamedTuple):
    """What a part of the graphs reached in an epoch."""

    loss: float
    score: float


@dataclass(frozen=True)
class Curve:
    """Epochs in order, each with a point for training, validation and test."""

    points: tuple[Mapping[str, Point], ...] = ()

    def __len__(self) -> int:
        return len(self.points)

    def then(self, *points: Mapping[str, Point]) -> "Curve":
        """The curve with further epochs."""
        return Curve((*self.points, *points))

    @property
    def best(self) -> int:
        """The epoch that is best on validation; of equal scores the one of the lowest loss."""
        return max(range(len(self)), key=lambda epoch: (*self._merit(epoch), -epoch))

    def stopped(self, patience: int | None) -> "Curve | None":
        """What is left of it if there was no better epoch for so long, or None."""
        if patience is None:
            return None
        best = 0
        for epoch in range(1, len(self)):
            if self._merit(epoch) > self._merit(best):
                best = epoch
            elif epoch - best >= patience:
                return Curve(self.points[: epoch + 1])
        return None

    def scores(self) -> dict[str, float | int]:
        """What the best epoch reached, and which it was."""
        point = self.points[self.best]
        return {part: point[part].score for part in PARTS} | {"epoch": self.best}

    def as_json(self) -> dict[str, Any]:
        """Lists by epoch, for a record."""
        return {
            "epoch": list(range(len(self))),
            **{
                name: {
                    part: [_short(getattr(point[part], name)) for point in self.points]
                    for part in PARTS
                }
                for name in Point._fields
            },
        }

    def _merit(self, epoch: int) -> tuple[float, float]:
        loss, score = self.points[epoch]["validation"]
        return score, -loss if isfinite(loss) else -inf


def _short(value: float) -> float:
    """Seven digits: all that float32 has."""
    return float(f"{value:.7g}")
