"""Manifold Mixup: hidden vectors and their labels mixed (Verma et al. 2019).

As Wang et al. (2021) have it for graphs, it acts on one vector a graph, after the readout.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from gmixup.augmentations._base import AbstractAugmentation
from gmixup.mixing import Beta, Lambda, check_lambda, draw_lambda

PUBLISHED = Beta(4.0, 4.0)  # in the code that Wang et al. published


@dataclass(frozen=True)
class ManifoldMixup(AbstractAugmentation):
    """Mixes each graph of a batch with another one, by one lambda for the whole batch.

    A row without any label weight is padding, and is mixed with padding alone.
    """

    name: ClassVar[str] = "manifold-mixup"

    lam: Lambda = PUBLISHED

    def __post_init__(self) -> None:
        check_lambda(self.lam)

    def on_hidden(
        self,
        hidden: Tensor,  # (B, H)
        y: Tensor,  # (B, C)
        generator: torch.Generator | None = None,
    ) -> tuple[Tensor, Tensor]:
        """lam · row + (1 - lam) · row of a random permutation, in both."""
        if not y.is_floating_point() or len(y) != len(hidden):
            raise ValueError(
                f"`y` is {tuple(y.shape)} of {y.dtype}; manifold-mixup needs a row of label "
                f"weights for each of the {len(hidden)} graphs (gmixup.SoftLabels makes them)"
            )
        lam = draw_lambda(self.lam, 1, generator, hidden.device)
        other = _permutation((y != 0).any(1), generator)
        return _blend(hidden, other, lam), _blend(y, other, lam)

    @classmethod
    def examples(cls) -> Iterator["ManifoldMixup"]:
        """Small settings on which the common checks are run."""
        yield cls()
        yield cls(lam=(0.1, 0.2))


def _permutation(real: Tensor, generator: torch.Generator | None) -> Tensor:
    """(B,) a random permutation that leads from real rows (B,) to real ones, all alike likely.

    By sorting, with padding last: unlike randperm and masks it never looks at a value on the host.
    """
    chance = torch.rand(len(real), generator=generator, dtype=torch.float64, device=real.device)
    order = (chance + (~real).double()).argsort()
    place = torch.where(real, real.cumsum(0) - 1, real.sum() + (~real).cumsum(0) - 1)
    return order.index_select(0, place)


def _blend(rows: Tensor, other: Tensor, lam: Tensor) -> Tensor:
    return torch.lerp(rows[other], rows, lam.to(rows.dtype))
