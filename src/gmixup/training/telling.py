"""Telling: from the logits of an epoch to losses and scores, on the device as far as can be."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gmixup.training.curve import Point
from gmixup.training.objective import score, soft_cross_entropy
from gmixup.training.plan import Plan
from gmixup.training.recipe import Metric


@dataclass(frozen=True, eq=False)
class Seen:
    """What the runs gave in an epoch, in training and of the rest: logits, labels, which count."""

    trained: tuple[Tensor, Tensor, Tensor]  # (R, n, C), (R, n, C), (R, n)
    rest: tuple[Tensor, Tensor]  # (R, m, C) each
    parts: Tensor  # (2, R, m) which of the rest are for validation, and which for test

    @classmethod
    def of(
        cls,
        trained: Sequence[tuple[Tensor, Tensor]],
        found: Sequence[tuple[Tensor, Tensor]],
        plan: Plan,
    ) -> "Seen":
        """Of each step's logits and labels."""
        logits, y = (torch.cat(parts, 1) for parts in zip(*trained, strict=True))
        ids = plan.train.transpose(0, 1).flatten(1)
        real = ids >= 0 if plan.padded else torch.ones_like(logits[..., 0], dtype=torch.bool)
        rest = tuple(torch.cat(parts, 1) for parts in zip(*found, strict=True))
        parts = plan.parts if plan.padded else plan.parts[:, :, : rest[0].shape[1]]
        return cls((logits, y, real), rest, parts)  # pyright: ignore[reportArgumentType]

    def cloned(self) -> "Seen":
        """A copy, for what will be written over by the next epoch."""
        trained, rest = ([part.clone() for part in parts] for parts in (self.trained, self.rest))
        return Seen(tuple(trained), tuple(rest), self.parts)  # pyright: ignore[reportArgumentType]

    @staticmethod
    def points(epochs: Sequence["Seen"], metric: Metric) -> list[list[dict[str, Point]]]:
        """Of each run, a point of every epoch."""
        found = {
            "train": _told(
                metric, *(torch.stack(p) for p in zip(*(e.trained for e in epochs), strict=True))
            ),
        }
        logits, y = (torch.stack(parts) for parts in zip(*(e.rest for e in epochs), strict=True))
        for place, name in enumerate(("validation", "test")):
            count = torch.stack([e.parts[place] for e in epochs])
            found[name] = _told(metric, logits, y, count)
        runs = epochs[0].parts.shape[1]
        return [
            [
                {name: Point(*table[:, at, run].tolist()) for name, table in found.items()}
                for at in range(len(epochs))
            ]
            for run in range(runs)
        ]


def _told(metric: Metric, logits: Tensor, y: Tensor, there: Tensor) -> Tensor:
    """(2, E, R) the mean loss and the score of logits and labels (E, R, n, C) that are there."""
    count = there.sum(2).clamp(min=1)
    losses = (soft_cross_entropy(logits, y.to(logits.dtype)).double() * there).sum(2) / count
    if metric == "accuracy":
        right = (logits.argmax(3) == y.argmax(3)) & there
        return torch.stack([losses, right.sum(2).double() / count]).cpu()
    parts = (logits.cpu(), y.cpu(), there.cpu())
    scores = [
        [score(metric, z[mask], t[mask]) for z, t, mask in zip(*rows, strict=True)]
        for rows in zip(*parts, strict=True)
    ]
    return torch.stack([losses.cpu(), torch.tensor(scores, dtype=torch.float64)])
