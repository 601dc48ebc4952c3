"""GMT: the graph multiset transformer (Baek et al. 2021) over layers of GCN.

The pooling is PyG's GraphMultisetTransformer: seeds attend to the nodes of a graph, then to each
other, and one seed to these. It lacks what the paper puts first, keys and values by a convolution
over edges in that first attention (GMPool_G); edges act in the layers below it only. Nodes attend
here without being padded to the largest graph of a batch: the numbers are PyG's.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from torch_geometric.nn import GraphMultisetTransformer
from torch_geometric.nn.aggr.utils import PoolingByMultiheadAttention
from torch_geometric.utils import softmax

from gmixup.backbones._base import AbstractBackbone, AbstractNetwork, Features, Inputs
from gmixup.backbones._layers import Dropout, GCNConvolution, symmetric
from gmixup.backbones._levels import graph_products
from gmixup.batch import Batch


@dataclass(frozen=True)
class GMT(AbstractBackbone):
    """Convolutions with ReLU side by side, attention pooling, and two linear layers."""

    name: ClassVar[str] = "gmt"

    seeds: int = 10  # what the nodes of a graph are pooled to before they become one
    heads: int = 4  # of each attention; they divide depth · width
    layer_norm: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("seeds", "heads"):
            if getattr(self, name) < 1:
                raise ValueError(f"`{name}` is {getattr(self, name)}; it must be at least 1")
        if self.depth * self.width % self.heads:
            raise ValueError(
                f"`heads` is {self.heads}; it must divide depth · width, {self.depth * self.width}"
            )

    def build(
        self,
        inputs: Inputs,
        outputs: int,
        edge_inputs: Inputs | None = None,  # noqa: ARG002
    ) -> AbstractNetwork:
        """A new network; edge features are not looked at."""
        return _GMT(self, inputs, outputs)


class _GMT(AbstractNetwork):
    def __init__(self, settings: GMT, inputs: Inputs, outputs: int) -> None:
        super().__init__()
        self.features, width = Features(inputs), settings.width
        widths = [self.features.width, *[width] * (settings.depth - 1)]
        self.convolutions = nn.ModuleList(GCNConvolution(given, width) for given in widths)
        joined = settings.depth * width
        self.pool = GraphMultisetTransformer(
            joined, settings.seeds, heads=settings.heads, layer_norm=settings.layer_norm
        )
        self.head = nn.Sequential(
            nn.Linear(joined, width),
            nn.ReLU(),
            Dropout(settings.dropout),
            nn.Linear(width, outputs),
        )

    def encode(self, batch: Batch) -> Tensor:
        x, layers = self.features(batch.x), []
        spread = symmetric(batch, x.dtype)
        for convolution in self.convolutions:
            x = convolution(x, spread).relu()
            layers.append(x)
        return multiset_transformer(self.pool, torch.cat(layers, 1), batch)


def multiset_transformer(pool: GraphMultisetTransformer, x: Tensor, batch: Batch) -> Tensor:
    """(B, H) what PyG's module gives for nodes x (N, H), less those that were dropped."""
    x = seeds_attend(pool.pma1, x, batch)
    for encoder in pool.encoders:
        x = encoder(x)
    return pool.pma2(x).squeeze(1)


def seeds_attend(pooling: PoolingByMultiheadAttention, x: Tensor, batch: Batch) -> Tensor:
    """(B, seeds, H) PyG's PoolingByMultiheadAttention on nodes x (N, H)."""
    block, seeds = pooling.mab, pooling.seed[0]
    attention, heads = block.attn, block.attn.num_heads
    weights, biases = attention.in_proj_weight.chunk(3), attention.in_proj_bias.chunk(3)
    x = pooling.lin(x).relu()
    query, key, value = (
        linear(rows, weight, bias).chunk(heads, -1)
        for rows, weight, bias in zip((seeds, x, x), weights, biases, strict=True)
    )
    parts = []
    for q, k, v in zip(query, key, value, strict=True):
        score = k @ q.T * q.shape[1] ** -0.5  # (N, seeds)
        if batch.node_mask is not None:
            score = score.masked_fill(~batch.node_mask[:, None], torch.finfo(score.dtype).min)
        share = softmax(score, batch.batch, num_nodes=batch.num_graphs)
        parts.append(graph_products(share, v, batch))
    out = attention.out_proj(torch.cat(parts, -1)) + seeds
    out = out if block.layer_norm1 is None else block.layer_norm1(out)
    out = out + block.lin(out).relu()
    return out if block.layer_norm2 is None else block.layer_norm2(out)
