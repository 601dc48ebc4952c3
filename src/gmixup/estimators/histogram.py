"""Histogram: shares of edges by cell in the pooled order of degrees, smoothed.

Nodes are ranked by d / (n - 1) over all graphs together, so that a node of a small graph lies
beside its like in a large one. How much to smooth, or whether to keep sharp blocks, the data say.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from gmixup.alignment import Aligned
from gmixup.estimators._base import AbstractEstimator
from gmixup.graphs import GraphSet
from gmixup.placement import Alignment
from gmixup.smoothing import best_surface, check_bandwidth, fitting_resolution, with_density


@dataclass(frozen=True)
class Histogram(AbstractEstimator):
    """The aligned mean in K steps, smoothed by a local polynomial or made of blocks."""

    name: ClassVar[str] = "histogram"

    alignment: Alignment = "pooled"
    bandwidth: float | None = None  # share of [0, 1]; None: what the data say; 0: no smoothing

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bandwidth(self.bandwidth)

    def fit(self, graphs: GraphSet, resolution: int) -> tuple[Tensor, Aligned]:
        """The smoothed (K, K) matrix, and the aligned sums as they are."""
        aligned = self.align(graphs, resolution)
        edges, pairs = aligned.edges.numpy(), aligned.pairs.numpy()
        surface = best_surface(edges, pairs, graphs.node_count, self.bandwidth)
        density = edges.sum() / max(pairs.sum(), 1e-9)
        return torch.from_numpy(with_density(surface.edges, density)), aligned

    def default_resolution(self, graphs: GraphSet) -> int:
        """K where none is given, by the number of nodes in all graphs together."""
        return fitting_resolution(graphs.node_count)
