"""Mixing: laws of lambda, ordered pairs of classes, and graphs drawn by class."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Beta:
    """The Beta law with both parameters above 0; Beta(1, 1) is uniform on [0, 1]."""

    a: float
    b: float

    def __post_init__(self) -> None:
        for name, value in (("a", self.a), ("b", self.b)):
            if not 0 < value < math.inf:
                raise ValueError(f"`{name}` is {value}; both parameters of Beta must be above 0")


Lambda = float | tuple[float, float] | Beta  # fixed, uniform between two ends, or Beta


@dataclass(frozen=True)
class Origin:
    """Where a synthetic graph comes from: lam of classes[0] and 1 - lam of classes[1]."""

    lam: float
    classes: tuple[int, int]


def check_lambda(lam: Lambda) -> None:
    """Raises unless `lam` is a law on [0, 1]."""
    if isinstance(lam, Beta):
        return
    ends = lam if isinstance(lam, tuple) else (lam, lam)
    number = all(isinstance(end, int | float) for end in ends)
    if not number or len(ends) != 2 or not 0 <= ends[0] <= ends[1] <= 1:
        raise ValueError(
            f"`lam` is {lam}; it must be a number in [0, 1], a pair (low, high) with "
            "0 <= low <= high <= 1, or Beta(a, b)"
        )


def mean_lambda(lam: Lambda) -> float:
    """The expectation of the law."""
    if isinstance(lam, Beta):
        return lam.a / (lam.a + lam.b)
    return sum(lam) / 2 if isinstance(lam, tuple) else float(lam)


def draw_lambda(
    lam: Lambda,
    count: int,
    generator: torch.Generator | None = None,
    device: torch.device | str = "cpu",
) -> Tensor:
    """(count,) float64 independent draws; `generator` is of `device`, None is torch's own."""
    check_lambda(lam)
    if isinstance(lam, Beta):
        # What torch.distributions.Beta calls; that class takes no generator. Filled on the device:
        # a copy from the host would stop an accelerator, and cannot be part of a CUDA graph.
        like: dict[str, Any] = {"dtype": torch.float64, "device": device}
        parameters = [torch.full((count,), float(value), **like) for value in (lam.a, lam.b)]
        draw: Any = torch._sample_dirichlet  # pyright: ignore[reportPrivateImportUsage]
        return draw(torch.stack(parameters, 1), generator)[:, 0]
    low, high = lam if isinstance(lam, tuple) else (lam, lam)
    chance = torch.rand(count, generator=generator, dtype=torch.float64, device=device)
    return (low + (high - low) * chance).clamp(low, high)


def draw_pairs(
    num_classes: int,
    count: int,
    generator: torch.Generator,
    weights: Tensor | None = None,  # (C,)
) -> Tensor:
    """(count, 2) int64 ordered pairs of different classes, of labels lambda and 1 - lambda.

    The second class comes with chances in proportion to `weights` (None: all alike), the first is
    any of the others. Both orders appear, so that at lambda 0 and at 1 every class is drawn. Where
    there is one class only, it is paired with itself.
    """
    if num_classes == 1:
        return torch.zeros(count, 2, dtype=torch.long)
    weights = torch.ones(num_classes) if weights is None else weights
    if len(weights) != num_classes or not bool((weights >= 0).all() & (weights.sum() > 0)):
        raise ValueError(
            f"`weights` is {weights.tolist()}; it must be {num_classes} numbers that are not "
            "negative, nor all 0"
        )
    heights = weights.double().cumsum(0)
    chance = torch.rand(count, generator=generator, dtype=torch.float64) * heights[-1]
    second = torch.searchsorted(heights, chance, right=True).clamp(max=num_classes - 1)
    step = torch.randint(1, num_classes, (count,), generator=generator)
    return torch.stack([(second + step) % num_classes, second], 1)


def balancing_weights(mass: Tensor, count: int, share: float) -> Tensor:
    """(C,) weights for `draw_pairs` that even out the classes as far as `count` graphs can.

    `mass` (C,) is the summed label weight of the graphs there are, `share` = E[1 - lambda] the
    label weight that a new graph gives to the second class of its pair. Where it is below a half,
    flip the pairs and pass E[lambda].
    """
    classes = len(mass)
    others = (1 - share) / max(classes - 1, 1)  # what a pair gives to a class that is not second
    if classes == 1 or count == 0 or math.isclose(share, others):
        return torch.ones(classes, dtype=torch.float64)
    ascending = mass.double().sort().values
    filled = torch.arange(1, classes + 1)
    # The level to which `count` fills up the lightest classes, for each number of them.
    levels = (ascending.cumsum(0) + count) / filled
    level = levels[(levels > ascending).nonzero()[-1]]
    needed = (level - mass.double()).clamp(min=0) / count
    return ((needed - others) / (share - others)).clamp(min=0)


def draw_members(labels: Tensor, wanted: Tensor, generator: torch.Generator) -> Tensor:
    """(M,) for each entry of `wanted` the place of a graph of that class, all alike likely."""
    known = max(int(labels.max()), int(wanted.max()) if len(wanted) else 0) + 1
    counts = torch.bincount(labels, minlength=known)
    if bool((counts[wanted] == 0).any()):
        empty = sorted(set(wanted[counts[wanted] == 0].tolist()))
        raise ValueError(
            f"no graph has class {', '.join(map(str, empty))} of {known}; give at least one graph "
            "of each class, or number the classes 0, 1, ... without gaps"
        )
    chance = torch.rand(len(wanted), generator=generator, dtype=torch.float64)
    place = (chance * counts[wanted]).long().clamp(max=counts[wanted] - 1)
    return labels.argsort(stable=True)[(counts.cumsum(0) - counts)[wanted] + place]
