"""Levels: graphs as nodes and sparse edges, then as K clusters and what lies between them.

Pooling with soft assignments S (n, K) needs SᵀX, SᵀAS and SᵀS of each graph. On sparse edges A · S
comes first, so no n x n matrix arises, and cost and memory are linear in nodes and edges.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gmixup.batch import Batch

# Rows that are multiplied at a time: a graph takes whole blocks, so a half of one is idle on
# average. Graphs of the paper's sets have 20 to 500 nodes.
_BLOCK = 32


class AbstractLevel(ABC):
    """What pooling and convolutions ask of B graphs, whose nodes are rows of x (..., H)."""

    sizes: Tensor  # (B,) the number of nodes of each graph
    degrees: Tensor  # x's shape without H: each node's edge weights, summed
    squared_weights: Tensor  # (B,) ‖A‖² of each graph

    @abstractmethod
    def neighbour_sum(self, x: Tensor) -> Tensor:
        """A · x, of the shape of x."""

    @abstractmethod
    def products(self, left: Tensor, right: Tensor) -> Tensor:
        """(B, K, L) leftᵀ · right of each graph, for (..., K) and (..., L)."""

    @abstractmethod
    def graph_sum(self, x: Tensor) -> Tensor:
        """(B, L) the sum over the nodes of each graph."""

    @abstractmethod
    def masked(self, x: Tensor) -> Tensor:
        """X with the rows of dropped nodes 0."""

    @abstractmethod
    def normalised(self, norm: nn.Module, x: Tensor) -> Tensor:
        """A MaskedBatchNorm over the nodes that are there."""

    def neighbour_mean(self, x: Tensor) -> Tensor:
        """The mean over the neighbours of each node; 0 where there is none."""
        return self.neighbour_sum(x) / self.degrees.clamp(min=1)[..., None]


class NodeLevel(AbstractLevel):
    """The graphs of a batch as they are."""

    def __init__(self, batch: Batch, dtype: torch.dtype) -> None:
        self.batch = batch
        self.sizes, self.degrees = batch.sizes(dtype), batch.degrees(dtype)
        weight = batch.edge_weight
        squared = self.degrees if weight is None else _squared_weights(batch, weight.to(dtype))
        self.squared_weights = batch.graph_sum(squared[:, None])[:, 0]

    def neighbour_sum(self, x: Tensor) -> Tensor:
        return self.batch.neighbour_sum(x)

    def products(self, left: Tensor, right: Tensor) -> Tensor:
        return graph_products(left, right, self.batch)

    def graph_sum(self, x: Tensor) -> Tensor:
        return self.batch.graph_sum(x)

    def masked(self, x: Tensor) -> Tensor:
        mask = self.batch.node_mask
        return x if mask is None else x * mask[:, None]

    def normalised(self, norm: nn.Module, x: Tensor) -> Tensor:
        return norm(x, self.batch.node_mask)


class ClusterLevel(AbstractLevel):
    """K clusters a graph, and a dense matrix of what lies between them."""

    def __init__(self, weights: Tensor, graph_mask: Tensor | None) -> None:
        self.weights, self.graph_mask = weights, graph_mask  # (B, K, K), (B,)
        self.sizes = weights.new_full((len(weights),), weights.shape[1])
        self.degrees = weights.sum(2)
        self.squared_weights = weights.square().sum((1, 2))

    def neighbour_sum(self, x: Tensor) -> Tensor:
        return self.weights @ x

    def products(self, left: Tensor, right: Tensor) -> Tensor:
        return left.transpose(1, 2) @ right

    def graph_sum(self, x: Tensor) -> Tensor:
        return x.sum(1)

    def masked(self, x: Tensor) -> Tensor:
        return x

    def normalised(self, norm: nn.Module, x: Tensor) -> Tensor:
        mask = self.graph_mask
        rows = None if mask is None else mask[:, None].expand(x.shape[:2]).flatten()
        return norm(x.flatten(0, 1), rows).view_as(x)


@dataclass(frozen=True, eq=False)
class Pooled:
    """What soft assignments S make of a level, before any normalisation."""

    assignment: Tensor  # (..., K), rows sum to 1, or to 0 where a node was dropped
    x: Tensor  # (B, K, H) SᵀX
    weights: Tensor  # (B, K, K) SᵀAS
    overlap: Tensor  # (B, K, K) SᵀS


def pooled(level: AbstractLevel, x: Tensor, logits: Tensor) -> Pooled:
    """Pools x (..., H) by the softmax of logits (..., K), in one product for each graph."""
    s = level.masked(logits.softmax(-1))
    right = torch.cat([x, level.neighbour_sum(s), s], -1)
    k = s.shape[-1]
    return Pooled(s, *level.products(s, right).split([x.shape[-1], k, k], -1))


def graph_products(left: Tensor, right: Tensor, batch: Batch) -> Tensor:
    """(B, K, L) leftᵀ · right over the nodes of each graph, for (N, K) and (N, L)."""
    owner, count = batch.batch, batch.num_graphs
    graphs = torch.arange(count + 1, device=owner.device)
    first = torch.searchsorted(owner, graphs)
    blocks = (first.diff() + _BLOCK - 1) // _BLOCK
    end = blocks.cumsum(0)
    # Each node's row where every graph begins a block of its own.
    shift = (end - blocks) * _BLOCK - first[:-1]
    place = torch.arange(len(owner), device=owner.device) + shift[owner]
    most = len(owner) // _BLOCK + count
    left, right = (
        rows.new_zeros(most * _BLOCK, rows.shape[1])
        .index_copy(0, place, rows)
        .view(most, _BLOCK, -1)
        for rows in (left, right)
    )
    products = left.transpose(1, 2) @ right
    block = torch.arange(most, device=owner.device)
    of_graph = torch.searchsorted(end, block, right=True).clamp(max=count - 1)
    return products.new_zeros(count, *products.shape[1:]).index_add(0, of_graph, products)


def trace(matrices: Tensor) -> Tensor:
    """(B,) the trace of each of (B, K, K)."""
    return matrices.diagonal(dim1=1, dim2=2).sum(1)


def mean_over_graphs(values: Tensor, batch: Batch) -> Tensor:
    """The mean of (B,) over the graphs that are there."""
    if batch.graph_mask is None:
        return values.mean()
    return (values * batch.graph_mask).sum() / batch.graph_mask.sum().clamp(min=1)


def _squared_weights(batch: Batch, weight: Tensor) -> Tensor:
    squares = weight.square()  # of float32, also where a network runs in half precision
    return squares.new_zeros(len(batch.x)).index_add(0, batch.edge_index[1], squares)
