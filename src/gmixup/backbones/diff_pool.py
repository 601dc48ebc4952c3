"""DiffPool: clusters of nodes, then clusters of clusters, learned with the task (Ying et al. 2018).

Exact on graphs of any size. Link loss and entropy are taken for each graph by itself and averaged,
as PyG's `dense_diff_pool` gives them for a single graph: its mean over a batch counts padding.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from gmixup.backbones._base import AbstractBackbone, AbstractNetwork, Features, Inputs
from gmixup.backbones._layers import Dropout, GraphConvolution, MaskedBatchNorm
from gmixup.backbones._levels import (
    AbstractLevel,
    ClusterLevel,
    NodeLevel,
    Pooled,
    mean_over_graphs,
    pooled,
    trace,
)
from gmixup.batch import Batch


@dataclass(frozen=True)
class DiffPool(AbstractBackbone):
    """Blocks of convolutions before, between and after two poolings, the mean, two linear layers.

    `depth` counts the convolutions of a block. The clusters are those of PyG's example.
    """

    name: ClassVar[str] = "diff-pool"

    clusters: tuple[int, ...] = (38, 10)  # how many there are after each pooling

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.clusters or min(self.clusters) < 1:
            raise ValueError(
                f"`clusters` is {self.clusters}; give how many there are after each pooling, 1 or "
                "more, e.g. (38, 10)"
            )

    def build(
        self,
        inputs: Inputs,
        outputs: int,
        edge_inputs: Inputs | None = None,  # noqa: ARG002
    ) -> AbstractNetwork:
        """A new network; edge features are not looked at."""
        return _DiffPool(self, inputs, outputs)


class _DiffPool(AbstractNetwork):
    def __init__(self, settings: DiffPool, inputs: Inputs, outputs: int) -> None:
        super().__init__()
        self.features, depth, width = Features(inputs), settings.depth, settings.width
        joined = depth * width
        widths = [self.features.width, *[joined] * len(settings.clusters)]
        self.embeddings = nn.ModuleList(_Block(given, width, depth) for given in widths)
        self.assignments = nn.ModuleList(
            _Assignment(given, width, depth, clusters)
            for given, clusters in zip(widths, settings.clusters, strict=False)
        )
        self.head = nn.Sequential(
            nn.Linear(joined, width),
            nn.ReLU(),
            Dropout(settings.dropout),
            nn.Linear(width, outputs),
        )

    def encode_with_losses(self, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        x = self.features(batch.x)
        level: AbstractLevel = NodeLevel(batch, x.dtype)
        links, entropies = [], []
        for embedding, assignment in zip(self.embeddings, self.assignments, strict=False):
            pool = pooled(level, embedding(x, level), assignment(x, level))
            links.append(mean_over_graphs(link_losses(level, pool), batch))
            entropies.append(mean_over_graphs(entropy_losses(level, pool), batch))
            x, level = pool.x, ClusterLevel(pool.weights, batch.graph_mask)
        hidden = self.embeddings[-1](x, level).mean(1)
        return hidden, {"link": torch.stack(links).sum(), "entropy": torch.stack(entropies).sum()}


class _Block(nn.Module):
    """Means over neighbours with ReLU and batch normalisation, all layers side by side."""

    def __init__(self, inputs: int, width: int, depth: int) -> None:
        super().__init__()
        widths = [inputs, *[width] * (depth - 1)]
        self.convolutions = nn.ModuleList(GraphConvolution(given, width) for given in widths)
        self.norms = nn.ModuleList(MaskedBatchNorm(width) for _ in widths)

    def forward(self, x: Tensor, level: AbstractLevel) -> Tensor:
        """(..., depth · width)."""
        layers = []
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = level.normalised(norm, convolution(x, level.neighbour_mean).relu())
            layers.append(x)
        return torch.cat(layers, -1)


class _Assignment(nn.Module):
    def __init__(self, inputs: int, width: int, depth: int, clusters: int) -> None:
        super().__init__()
        self.block = _Block(inputs, width, depth)
        self.linear = nn.Linear(depth * width, clusters)

    def forward(self, x: Tensor, level: AbstractLevel) -> Tensor:
        return self.linear(self.block(x, level)).relu()


def link_losses(level: AbstractLevel, pool: Pooled) -> Tensor:
    """(B,) ‖A - SSᵀ‖ / n² of each graph, by ‖A‖² - 2 tr(SᵀAS) + ‖SᵀS‖² for symmetric A."""
    crossed = pool.overlap.square().sum((1, 2)) - 2 * trace(pool.weights)
    # Rounding may take a perfect fit below 0, and the root has no slope at 0.
    squared = (level.squared_weights + crossed).clamp(min=1e-12)
    return squared.sqrt() / level.sizes.clamp(min=1).square()


def entropy_losses(level: AbstractLevel, pool: Pooled) -> Tensor:
    """(B,) the mean entropy of the assignments of each graph's nodes."""
    s = pool.assignment
    entropy = -(s * (s + 1e-15).log()).sum(-1, keepdim=True)
    return level.graph_sum(entropy)[:, 0] / level.sizes.clamp(min=1)
