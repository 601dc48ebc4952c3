"""ErdosRenyi: one probability for all pairs (Erdős and Rényi 1959); no structure but the density.

The control to an augmentation by graphons: sizes, labels and features by position are those of any
other estimator at this resolution, the shape of the graphon alone is gone.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from gmixup.alignment import Aligned
from gmixup.estimators._base import AbstractEstimator
from gmixup.graphs import GraphSet


@dataclass(frozen=True)
class ErdosRenyi(AbstractEstimator):
    """A constant matrix: the share of all pairs of nodes, over all graphs, that are edges."""

    name: ClassVar[str] = "erdos-renyi"

    def fit(self, graphs: GraphSet, resolution: int) -> tuple[Tensor, Aligned]:
        """The constant (K, K) matrix, with features by position as aligned."""
        aligned = self.align(graphs, resolution)
        density = aligned.edges.sum() / aligned.pairs.sum().clamp(min=1e-9)
        return torch.full_like(aligned.edges, float(density)), aligned
