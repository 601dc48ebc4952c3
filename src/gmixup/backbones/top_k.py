"""TopKPool: after each layer only the nodes that score highest stay (Gao and Ji 2019).

The others are masked rather than cut out, so shapes do not depend on scores: a node that is zero
and stays zero adds nothing to its neighbours, as if it were gone.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor, nn

from gmixup.backbones._base import AbstractBackbone, AbstractNetwork, Features, Inputs
from gmixup.backbones._layers import Dropout, GraphConvolution
from gmixup.batch import Batch


@dataclass(frozen=True)
class TopK(AbstractBackbone):
    """Max and mean over the nodes that stay, summed over the layers, then three linear layers."""

    name: ClassVar[str] = "top-k"

    ratio: float = 0.8  # the share of nodes that stays in each layer, as in PyG's example

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.ratio < 1:
            raise ValueError(
                f"`ratio` is {self.ratio}; it must lie in (0, 1): the share of nodes that stays"
            )

    def build(
        self,
        inputs: Inputs,
        outputs: int,
        edge_inputs: Inputs | None = None,  # noqa: ARG002
    ) -> AbstractNetwork:
        """A new network; edge features are not looked at."""
        return _TopK(self, inputs, outputs)


class _TopK(AbstractNetwork):
    def __init__(self, settings: TopK, inputs: Inputs, outputs: int) -> None:
        super().__init__()
        self.features, width = Features(inputs), settings.width
        widths = [self.features.width, *[width] * (settings.depth - 1)]
        self.convolutions = nn.ModuleList(GraphConvolution(given, width) for given in widths)
        self.pools = nn.ModuleList(TopKPooling(width, settings.ratio) for _ in widths)
        self.head = nn.Sequential(
            nn.Linear(2 * width, width),
            nn.ReLU(),
            Dropout(settings.dropout),
            nn.Linear(width, (width + 1) // 2),
            nn.ReLU(),
            nn.Linear((width + 1) // 2, outputs),
        )

    def encode(self, batch: Batch) -> Tensor:
        x = self.features(batch.x)
        readouts = []
        for convolution, pool in zip(self.convolutions, self.pools, strict=True):
            x, batch = pool(convolution(x, batch.neighbour_sum).relu(), batch)
            readouts.append(torch.cat([graph_max(x, batch), batch.graph_mean(x)], 1))
        return torch.stack(readouts).sum(0)


class TopKPooling(nn.Module):
    """Keeps ⌈ratio · n⌉ of the n nodes of each graph, those of the highest tanh(x · p / |p|)."""

    def __init__(self, width: int, ratio: float) -> None:
        super().__init__()
        self.ratio = ratio
        self.direction = nn.Parameter(torch.empty(width))
        nn.init.uniform_(self.direction, -(width**-0.5), width**-0.5)

    def forward(self, x: Tensor, batch: Batch) -> tuple[Tensor, Batch]:
        """(N, H), each row times its score, 0 where a node went; and the batch without these."""
        score = (x @ self.direction / self.direction.norm()).tanh()
        # Dropped nodes rank behind all that are counted here.
        most = (self.ratio * batch.sizes(x.dtype)).ceil().long()
        keep = ranks_within(score, batch) < most[batch.batch]
        return x * score[:, None] * keep[:, None], replace(batch, node_mask=keep)


def ranks_within(score: Tensor, batch: Batch) -> Tensor:
    """(N,) the place of each node in its graph, the highest score first and dropped nodes last."""
    if batch.node_mask is not None:
        score = score.masked_fill(~batch.node_mask, -torch.inf)
    order = score.argsort(descending=True, stable=True)
    order = order[batch.batch[order].argsort(stable=True)]
    graphs = torch.arange(batch.num_graphs, device=order.device)
    first = torch.searchsorted(batch.batch, graphs)
    places = torch.arange(len(order), device=order.device) - first[batch.batch]
    return torch.empty_like(order).scatter(0, order, places)


def graph_max(x: Tensor, batch: Batch) -> Tensor:
    """(B, H) the largest over the nodes of each graph; 0 where there is none."""
    if batch.node_mask is not None:
        x = x.masked_fill(~batch.node_mask[:, None], -torch.inf)
    out = x.new_full((batch.num_graphs, x.shape[1]), -torch.inf)
    out = out.scatter_reduce(0, batch.batch[:, None].expand_as(x), x, "amax")
    return out.masked_fill(out.isneginf(), 0)
