"""From matrices of edge probabilities to edge lists: many graphs in one draw, dense or sparse.

A node has a position u in [0, 1) and lies in cell ⌊K·u⌋ of the K x K matrix; two different nodes are
joined with the probability of their two cells, independently of all other pairs. Two ways of
drawing follow this law exactly and differ in cost alone:

- dense: one uniform number for every pair of nodes, O(n²) a graph;
- sparse: darts. A pair is an edge if a Poisson number of hits of mean h = -log(1 - p), its hazard,
  is not zero. Neighbouring cells share a tile, whose hits come as one Poisson number spread evenly
  at the hazard of its largest probability; a hit on a pair of lower hazard h' counts with
  probability h'/h. Pairs that are not hit are never looked at: O(tiles + edges) a graph, for any
  matrix. Tiles of high probability are listed pair by pair, for their hazard has no bound.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from gmixup.seeds import as_generator

Positions = Literal["uniform", "grid"]
Isolated = Literal["keep", "drop"]
Method = Literal["auto", "dense", "sparse"]
Pairs = tuple[np.ndarray, np.ndarray]

# Measured nanoseconds; only their ratios matter, to choose the cheaper way of drawing.
_DENSE_PAIR, _LISTED_PAIR, _TILE, _DART = 5, 15, 30, 30
_CHUNK = 1 << 18  # length of the largest intermediate arrays: a few MB each


@dataclass(frozen=True)
class Sample:
    """Many graphs as flat tensors, one graph after the other."""

    num_nodes: Tensor  # (G,) int64
    num_edges: Tensor  # (G,) int64, directed: both directions are listed
    edge_index: Tensor  # (2, E) int64, local to its graph, sorted by (graph, row, column)
    cells: Tensor  # (N,) int64, cell of each node in the K x K matrix
    position: Tensor  # (N,) float64 in [0, 1)


@dataclass(frozen=True)
class _Nodes:
    """Nodes of all graphs, numbered through, and the law of their pairs."""

    edges: np.ndarray  # (P, K, K)
    owner: np.ndarray  # (G,) the matrix of each graph
    scale: np.ndarray  # (G,) multiplier of its probabilities
    count: np.ndarray  # (G,)
    graph: np.ndarray  # (N,)
    cells: np.ndarray  # (N,)

    def probability(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Probability of an edge between nodes of the same graph."""
        size = self.edges.shape[-1]
        row = (self.owner[self.graph] * size + self.cells) * size
        chance = self.edges.ravel().take(row.take(first) + self.cells.take(second))
        if (self.scale != 1).any():
            chance = np.minimum(chance * self.scale[self.graph].take(first), 1)
        return chance


def _dense(nodes: _Nodes, chosen: np.ndarray, rng: np.random.Generator) -> list[Pairs]:
    """Edges of the chosen graphs (G,), one uniform number for every pair."""
    number = np.arange(len(nodes.graph))
    later = np.cumsum(nodes.count)[nodes.graph] - 1 - number  # nodes after it in its graph
    later[~chosen[nodes.graph]] = 0
    stop = np.cumsum(later)  # pairs in flat order, row after row
    shift = number + 1 - (stop - later)  # from a pair's flat number to its second node
    drawn = []
    for low, high in _chunks(stop):
        part = slice(low, high)
        begin = stop[low] - later[low]
        first = np.repeat(number[part], later[part])
        second = np.arange(begin, begin + len(first)) + np.repeat(shift[part], later[part])
        hit = np.flatnonzero(rng.random(len(first)) < nodes.probability(first, second))
        drawn.append((first[hit], second[hit]))
    return drawn


def _chunks(stop: np.ndarray) -> list[tuple[int, int]]:
    """Ranges of consecutive items whose sizes, of running sum `stop`, add up to about _CHUNK."""
    if not len(stop):
        return []
    borders = np.searchsorted(stop, np.arange(0, stop[-1] + _CHUNK, _CHUNK))
    borders = np.unique(np.concatenate([[0], borders[1:], [len(stop)]]))
    return list(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True))


def _groups(edges: np.ndarray, size: int) -> np.ndarray:
    """Start (B,) of each run of neighbouring cells whose rows are alike, B about `size`."""
    cells = edges.shape[-1]
    if cells <= size:
        return np.arange(cells)
    rows = edges.sum(0)
    change = np.abs(np.diff(rows, axis=0)).sum(1)
    total = rows.sum(1)
    change = change / np.maximum(total[1:] + total[:-1], np.finfo(float).tiny)
    if change.sum() > 0:
        change /= change.sum()
    way = np.cumsum(change + 1 / cells) * size / 2
    return np.concatenate([[0], 1 + np.flatnonzero(np.diff(np.floor(way), prepend=0))])


def _sparse(nodes, auto, rng):
    P, K = nodes.edges.shape[:2]
    G = len(nodes.count)
    start = _groups(nodes.edges, 32)
    B = len(start)
    bound = (
        np.maximum.reduceat(np.maximum.reduceat(nodes.edges, start, axis=2), start, axis=1)
        if B < K
        else nodes.edges
    )
    group = np.repeat(np.arange(B), np.diff(start, append=K))[nodes.cells]
    key = nodes.graph * B + group
    order = np.sort(key << 32 | np.arange(len(key))) & 0xFFFFFFFF
    count = np.bincount(key, minlength=G * B)
    begin = np.cumsum(count) - count
    a, b = np.triu_indices(B)
    T = len(a)
    q = np.minimum(bound[:, a, b][nodes.owner] * nodes.scale[:, None], 1).ravel()
    left = (np.arange(G)[:, None] * B + a).ravel()
    right = (np.arange(G)[:, None] * B + b).ravel()
    pairs = count[left] * count[right]
    listed = q > 0.3
    hazard = -np.log1p(-np.where(listed, 0, q))
    mean = pairs * hazard * np.where(left == right, 0.5, 1)
    darts = rng.poisson(mean)
    tile = np.repeat(np.arange(G * T), darts)
    l, r = left[tile], right[tile]
    n = len(tile)
    x = order[begin[l] + (rng.random(n) * count[l]).astype(np.int64)]
    y = order[begin[r] + (rng.random(n) * count[r]).astype(np.int64)]
    keep = x != y
    if B < K:
        p = nodes.probability(x, y)
        keep &= rng.random(n) * hazard[tile] < -np.log1p(-p)
    out = [(x[keep], y[keep])]
    t = np.flatnonzero(listed & (pairs > 0))
    if len(t):
        tile = np.repeat(t, pairs[t])
        c = np.cumsum(pairs[t])
        i = np.arange(len(tile)) - np.repeat(c - pairs[t], pairs[t])
        ii, jj = np.divmod(i, count[right[tile]])
        x = order[begin[left[tile]] + ii]
        y = order[begin[right[tile]] + jj]
        keep = ((x < y) | (left != right)[tile]) & (rng.random(len(x)) < nodes.probability(x, y))
        out.append((x[keep], y[keep]))
    return out


def assemble(nodes, drawn):
    first = np.concatenate([f for f, _ in drawn]) if len(drawn) > 1 else drawn[0][0]
    second = np.concatenate([s for _, s in drawn]) if len(drawn) > 1 else drawn[0][1]
    key = np.concatenate([first << 32 | second, second << 32 | first])
    key.sort()
    if len(key):
        new = np.diff(key, prepend=-1) != 0
        key = key[new]
    row, col = key >> 32, key & 0xFFFFFFFF
    G = len(nodes.count)
    ne = np.bincount(nodes.graph.take(row), minlength=G)
    local = np.arange(len(nodes.graph)) - np.repeat(
        np.cumsum(nodes.count) - nodes.count, nodes.count
    )
    out = np.empty((2, len(row)), np.int64)
    local.take(row, out=out[0])
    local.take(col, out=out[1])
    return ne, out
