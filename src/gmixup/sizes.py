"""SizeLaw: how many nodes and edges the graphs of a class have, and sizes drawn alike."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class SizeLaw:
    """The empirical law of (nodes, undirected edges), kept as distinct pairs with weights."""

    pairs: Tensor  # (S, 2) int64
    weights: Tensor  # (S,) float64, summing to the number of graphs behind them

    @classmethod
    def of(cls, sizes: Tensor) -> "SizeLaw":
        """The law of observed sizes (G, 2)."""
        return cls._gathered(sizes.long(), torch.ones(len(sizes), dtype=torch.float64))

    @classmethod
    def _gathered(cls, pairs: Tensor, weights: Tensor) -> "SizeLaw":
        distinct, place = pairs.unique(dim=0, return_inverse=True)
        total = torch.zeros(len(distinct), dtype=torch.float64)
        return cls(distinct, total.index_add_(0, place, weights))

    def __add__(self, other: "SizeLaw") -> "SizeLaw":
        pairs = torch.cat([self.pairs, other.pairs])
        return self._gathered(pairs, torch.cat([self.weights, other.weights]))

    def mix(self, other: "SizeLaw", lam: float) -> "SizeLaw":
        """A size of this law with chance `lam`, else of the other: the same odds as the labels'."""
        parts = [
            SizeLaw(law.pairs, law.weights * (share / law.weights.sum()))
            for law, share in ((self, lam), (other, 1 - lam))
            if share > 0
        ]
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """(count, 2) int64 nodes and undirected edges, drawn together."""
        height = self.weights.cumsum(0)
        chance = torch.rand(count, generator=generator, dtype=torch.float64) * height[-1]
        return self.pairs[torch.searchsorted(height, chance, right=True).clamp(max=len(height) - 1)]

    def mean(self) -> Tensor:
        """(2,) float64 mean nodes and edges."""
        return (self.pairs * self.weights[:, None]).sum(0) / self.weights.sum()
