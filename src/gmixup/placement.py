"""Placement: which cells of one common order the nodes of graphs of unequal size lie in.

A node is placed by its degree. Nodes of equal degree share their places evenly: relabelling the
nodes changes nothing, and no second sorting key bends the estimate (docs/decisions/001).

- `quantile`: node r of n (largest degree first) covers the positions [r/n, (r+1)/n).
- `pooled`: as `quantile`, but ranked by d / (n - 1) over the nodes of ALL graphs together.
- `pad`: node r covers cell r of the largest graph; smaller graphs are filled with isolated nodes.
- `truncate`: node r is cell r of K; nodes beyond are cut off, smaller graphs are filled up.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp

from gmixup.graphs import GraphSet

Alignment = Literal["quantile", "pooled", "pad", "truncate"]
ALIGNMENTS: tuple[str, ...] = get_args(Alignment)


@dataclass(frozen=True, eq=False)
class Membership:
    """Which cells each node lies in. Nodes with the same places form a group and share them evenly.

    A group covers an interval of the cells; what lies beyond the last cell is cut off.
    """

    group: np.ndarray  # (N,) the group of each node
    start: np.ndarray  # (U,) where the group's interval begins, in units of cells
    end: np.ndarray  # (U,) where it ends
    resolution: int  # K, the number of cells
    ranks: int | None = None  # nodes that every graph is filled up to with isolated ones

    @cached_property
    def spread(self) -> sp.csr_array:
        """(U, K) how a node of each group is spread over the cells; of mass one unless cut off."""
        start, end = self._ends
        low = np.floor(start).astype(np.int64)
        high = np.minimum(np.maximum(np.ceil(end).astype(np.int64), low + 1), self.resolution)
        width = np.maximum(high - low, 0)
        row = np.arange(len(start)).repeat(width)
        cell = np.arange(width.sum()) - (width.cumsum() - width).repeat(width) + low.repeat(width)
        share = np.minimum(end[row], cell + 1) - np.maximum(start[row], cell)
        mass = share / np.maximum(end - start, 1e-300)[row]
        return sp.csr_array((mass, (row, cell)), shape=(len(start), self.resolution))

    @cached_property
    def steps(self) -> sp.csr_array:
        """(U, K + 1) by how much `spread` rises from each cell to the next.

        However wide a group is, its row has four entries: so sums over rows are made of these, and
        added up along the cells at the very end (`_risen`).
        """
        bounds = np.stack(self._ends, 1)
        cell = np.floor(bounds).astype(np.int64)
        share = bounds - cell
        height = np.array([1, -1]) / np.maximum(bounds[:, 1:] - bounds[:, :1], 1e-300)
        rise = np.stack([(1 - share) * height, share * height], 2)
        # The last column takes what lies beyond the cells, and is not looked at.
        place = np.minimum(np.stack([cell, cell + 1], 2), self.resolution)
        row_ends = np.arange(0, 4 * len(bounds) + 1, 4)
        shape = (len(bounds), self.resolution + 1)
        return sp.csr_array((rise.ravel(), place.ravel(), row_ends), shape=shape)

    @property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        # A boundary that should be whole is so only up to rounding; do not open a cell for that.
        start, end = (
            np.where(abs(v - v.round()) < 1e-9, v.round(), v) for v in (self.start, self.end)
        )
        return start, end


@dataclass(frozen=True, eq=False)
class PooledOrder:
    """The ranks of all nodes by normalised degree, over as many shards as there are."""

    degrees: np.ndarray  # (U,) the distinct d / (n - 1), largest first
    counts: np.ndarray  # (U,) the nodes that have it

    @classmethod
    def of(cls, graphs: GraphSet) -> "PooledOrder":
        """The order of one shard."""
        return cls._gathered(_normalised_degrees(graphs), np.ones(graphs.node_count, np.int64))

    def __add__(self, other: "PooledOrder") -> "PooledOrder":
        degrees = np.concatenate([self.degrees, other.degrees])
        return self._gathered(degrees, np.concatenate([self.counts, other.counts]))

    @classmethod
    def _gathered(cls, degrees: np.ndarray, counts: np.ndarray) -> "PooledOrder":
        distinct, place = np.unique(-degrees, return_inverse=True)
        return cls(-distinct, np.bincount(place, counts).astype(np.int64))


def membership(
    graphs: GraphSet,
    resolution: int,
    how: Alignment,
    order: PooledOrder | None = None,
    largest: int | None = None,
) -> Membership:
    """The cells of each node under an alignment."""
    if how == "pooled":
        return _pooled_membership(graphs, resolution, order or PooledOrder.of(graphs))
    group, owner, start, count = _tied_ranks(graphs)
    number = graphs.num_nodes.numpy()
    if how == "truncate":
        return Membership(group, start, start + count, resolution, ranks=resolution)
    if how == "quantile":
        scale = resolution / np.maximum(number[owner], 1)
        return Membership(group, start * scale, (start + count) * scale, resolution)
    largest = int(number.max()) if largest is None else largest
    if number.max() > largest:
        raise ValueError(f"`largest` is {largest} but a graph has {number.max()} nodes")
    scale = resolution / max(largest, 1)
    return Membership(group, start * scale, (start + count) * scale, resolution, ranks=largest)


def _tied_ranks(graphs: GraphSet) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Nodes of one degree in one graph: the group of each node; graph, first rank, size of each."""
    # A table with a place for every degree that a graph can have: counting needs no sorting.
    width = graphs.num_nodes.numpy() + 1
    last = width.cumsum() - 1
    owner = graphs.owner().numpy()
    key = last[owner] - graphs.degrees().numpy()
    count = np.bincount(key, minlength=int(width.sum()))
    used = np.flatnonzero(count)
    number = np.empty(len(count), np.int64)
    number[used] = np.arange(len(used))
    count, owner = count[used], np.arange(len(width)).repeat(width)[used]
    return number[key], owner, count.cumsum() - count - graphs.node_start.numpy()[owner], count


def _normalised_degrees(graphs: GraphSet) -> np.ndarray:
    # In double precision: in single, unlike shares of large graphs would pass for ties.
    others = (graphs.num_nodes - 1).clamp(min=1).double()
    return (graphs.degrees() / others.repeat_interleave(graphs.num_nodes)).numpy()


def _pooled_membership(graphs: GraphSet, resolution: int, order: PooledOrder) -> Membership:
    degrees = _normalised_degrees(graphs)
    group = np.searchsorted(-order.degrees, -degrees).clip(max=len(order.degrees) - 1)
    if not np.array_equal(order.degrees[group], degrees):
        raise ValueError("`order` does not hold these graphs; add up PooledOrder.of(shard) of all")
    scale = resolution / max(int(order.counts.sum()), 1)
    end = order.counts.cumsum()
    return Membership(group, (end - order.counts) * scale, end * scale, resolution)
