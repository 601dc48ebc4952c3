"""MinCutPool: clusters of nodes by a relaxed minimal cut (Bianchi et al. 2020).

Exact on graphs of any size. A graph without an edge has nothing to cut: its loss is 0 here, where
PyG's `dense_mincut_pool` divides 0 by 0.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from gmixup.backbones._base import AbstractBackbone, AbstractNetwork, Features, Inputs
from gmixup.backbones._layers import Dropout, GCNConvolution, GraphConvolution, symmetric
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
class MinCut(AbstractBackbone):
    """A convolution before, between and after two poolings, the mean, and two linear layers.

    `depth` counts the convolutions before the first pooling. The clusters are those of PyG's
    example: a half of the mean number of nodes in PROTEINS, and a half of that.
    """

    name: ClassVar[str] = "min-cut"

    depth: int = 1
    clusters: tuple[int, ...] = (20, 10)  # how many there are after each pooling

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.clusters or min(self.clusters) < 2:
            raise ValueError(
                f"`clusters` is {self.clusters}; give how many there are after each pooling, 2 or "
                "more, e.g. (20, 10)"
            )

    def build(
        self,
        inputs: Inputs,
        outputs: int,
        edge_inputs: Inputs | None = None,  # noqa: ARG002
    ) -> AbstractNetwork:
        """A new network; edge features are not looked at."""
        return _MinCut(self, inputs, outputs)


class _MinCut(AbstractNetwork):
    def __init__(self, settings: MinCut, inputs: Inputs, outputs: int) -> None:
        super().__init__()
        self.features, width = Features(inputs), settings.width
        widths = [self.features.width, *[width] * (settings.depth - 1)]
        self.first = nn.ModuleList(GCNConvolution(given, width) for given in widths)
        self.assignments = nn.ModuleList(nn.Linear(width, k) for k in settings.clusters)
        self.convolutions = nn.ModuleList(GraphConvolution(width, width) for _ in settings.clusters)
        self.head = nn.Sequential(
            nn.Linear(width, width), nn.ReLU(), Dropout(settings.dropout), nn.Linear(width, outputs)
        )

    def encode_with_losses(self, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        x = self.features(batch.x)
        spread = symmetric(batch, x.dtype)
        for convolution in self.first:
            x = convolution(x, spread).relu()
        level: AbstractLevel = NodeLevel(batch, x.dtype)
        cuts, orthogonalities = [], []
        for assignment, convolution in zip(self.assignments, self.convolutions, strict=True):
            x = x.relu()
            pool = pooled(level, x, assignment(x))
            cuts.append(mean_over_graphs(cut_losses(level, pool), batch))
            orthogonalities.append(mean_over_graphs(orthogonality_losses(pool), batch))
            level = ClusterLevel(without_own(pool.weights), batch.graph_mask)
            x = convolution(pool.x, level.neighbour_sum)
        # The last convolution stays without ReLU, as in PyG's example.
        losses = {
            "cut": torch.stack(cuts).sum(),
            "orthogonality": torch.stack(orthogonalities).sum(),
        }
        return x.mean(1), losses


def cut_losses(level: AbstractLevel, pool: Pooled) -> Tensor:
    """(B,) -tr(SᵀAS) / tr(SᵀDS) of each graph."""
    weighted = level.degrees[..., None] * pool.assignment.square()
    whole = level.graph_sum(weighted).sum(1)
    return -trace(pool.weights) / whole.where(whole > 0, 1)


def orthogonality_losses(pool: Pooled) -> Tensor:
    """(B,) ‖SᵀS / ‖SᵀS‖ - I / √K‖ of each graph: 0 for clear clusters of equal size."""
    k = pool.overlap.shape[1]
    identity = torch.eye(k, dtype=pool.overlap.dtype, device=pool.overlap.device)
    norm = torch.linalg.matrix_norm(pool.overlap, keepdim=True)
    return torch.linalg.matrix_norm(pool.overlap / norm.clamp(min=1e-12) - identity / k**0.5)


def without_own(weights: Tensor) -> Tensor:
    """D^-1/2 A D^-1/2 of (B, K, K) without what lies inside each cluster."""
    k = weights.shape[1]
    between = weights * (1 - torch.eye(k, dtype=weights.dtype, device=weights.device))
    scale = between.sum(2).clamp(min=1e-12).rsqrt()
    return between * scale[:, :, None] * scale[:, None, :]
