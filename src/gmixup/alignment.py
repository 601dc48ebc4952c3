"""Alignment: graphs of unequal size brought to one common order and summed into one K x K matrix.

A node is placed by its degree. Nodes of equal degree share their places evenly: relabelling the
nodes changes nothing, and no second sorting key bends the estimate (docs/decisions/001). Only sums
are kept (edges and pairs of nodes by cell): they add up over shards, so one pass and K x K memory
are enough.

- `quantile`: node r of n (largest degree first) covers the positions [r/n, (r+1)/n).
- `pooled`: as `quantile`, but ranked by d / (n - 1) over the nodes of ALL graphs together.
- `pad`: node r covers cell r of the largest graph; smaller graphs are filled with isolated nodes.
- `truncate`: node r is cell r of K; nodes beyond are cut off, smaller graphs are filled up.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from gmixup.choices import check_choice
from gmixup.columns import Columns
from gmixup.graphs import GraphSet
from gmixup.sizes import SizeLaw

Alignment = Literal["quantile", "pooled", "pad", "truncate"]
ALIGNMENTS: tuple[str, ...] = get_args(Alignment)

# Entries of the sparse products that are held at once.
CHUNK = 400_000


@dataclass(frozen=True, eq=False)
class Aligned:
    """Sums over aligned graphs; `+` adds those of another part of the data."""

    edges: Tensor  # (K, K) edges by cell, both directions
    pairs: Tensor  # (K, K) ordered pairs of different nodes by cell
    nodes: Tensor  # (K,) nodes by cell
    sizes: SizeLaw
    features: Tensor | None = None  # (K, F) summed node features
    edge_features: Tensor | None = None  # (K, K, Fe) summed edge features
    columns: Columns | None = None
    edge_columns: Columns | None = None

    def __add__(self, other: "Aligned") -> "Aligned":
        def both(first: Tensor | None, second: Tensor | None) -> Tensor | None:
            return None if first is None or second is None else first + second

        if self.edges.shape != other.edges.shape:
            raise ValueError(
                f"parts of resolution {len(self.edges)} and {len(other.edges)} do not add up; "
                "align both at the same `resolution`"
            )
        return replace(
            self,
            edges=self.edges + other.edges,
            pairs=self.pairs + other.pairs,
            nodes=self.nodes + other.nodes,
            sizes=self.sizes + other.sizes,
            features=both(self.features, other.features),
            edge_features=both(self.edge_features, other.edge_features),
        )

    @property
    def resolution(self) -> int:
        """K, the number of cells along one axis."""
        return len(self.edges)

    def mean(self) -> Tensor:
        """(K, K) the share of pairs that are edges; a cell without a pair takes its neighbours'."""
        known = self.pairs > 1e-9
        mean = torch.where(known, self.edges / self.pairs.clamp(min=1e-9), 0.0).clamp(0, 1)
        if bool(known.all()) or self.resolution < 2:
            return mean
        # With one node per cell the diagonal holds no pair: continue the surface from beside it.
        beside = torch.diagonal(mean, 1)
        padded = torch.cat([beside[:1], beside, beside[-1:]])
        continued = (padded[1:] + padded[:-1]) / 2
        return mean + torch.diag(torch.where(known.diagonal(), 0.0, continued))

    def mean_features(self) -> Tensor | None:
        """(K, F) mean node features; an empty cell takes the nearest filled one's."""
        if self.features is None:
            return None
        nearest = _nearest(self.nodes > 1e-9)
        return self.features[nearest] / self.nodes[nearest, None]

    def mean_edge_features(self) -> Tensor | None:
        """(K, K, Fe) mean features of the edges; a cell without an edge takes the overall mean."""
        if self.edge_features is None:
            return None
        total = self.edges.sum().clamp(min=1e-9)
        overall = self.edge_features.sum((0, 1)) / total
        known = (self.edges > 1e-9)[..., None]
        return torch.where(
            known, self.edge_features / self.edges.clamp(min=1e-9)[..., None], overall
        )


@dataclass(frozen=True, eq=False)
class Membership:
    """Which cells each node lies in. Nodes with the same place form a group and share a row."""

    group: np.ndarray  # (N,) the group of each node
    spread: sp.csr_array  # (U, K) how a node of the group is spread over the cells
    filled: np.ndarray | None = None  # (K, K) pairs by cell of EVERY graph once it is filled up

    @property
    def resolution(self) -> int:
        """K, the number of cells."""
        return int(self.spread.shape[1])  # pyright: ignore[reportOptionalSubscript]


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


def align(
    graphs: GraphSet | Iterable[GraphSet],
    resolution: int,
    how: Alignment = "quantile",
    order: PooledOrder | None = None,
    largest: int | None = None,
) -> Aligned:
    """Sums the aligned graphs, or shards of graphs, into K x K cells.

    Over several shards `pooled` needs the `order` of all of them (add up `PooledOrder.of`), and
    `pad` the number of nodes of the `largest` graph.
    """
    check_choice("how", how, Alignment)
    if resolution < 1:
        raise ValueError(f"`resolution` is {resolution}; it must be at least 1")
    if isinstance(graphs, GraphSet):
        return accumulate(graphs, membership(graphs, resolution, how, order, largest))
    if (how == "pooled" and order is None) or (how == "pad" and largest is None):
        raise ValueError(
            f"`how` is {how!r} over several shards; pass "
            + ("`order`, the sum of PooledOrder.of(shard)" if how == "pooled" else "`largest`")
        )
    total: Aligned | None = None
    for shard in graphs:
        part = accumulate(shard, membership(shard, resolution, how, order, largest))
        total = part if total is None else total + part
    if total is None:
        raise ValueError("`graphs` holds no shard; give at least one GraphSet")
    return total


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
    if how == "quantile":
        scale = resolution / np.maximum(number[owner], 1)
        return Membership(group, _spread(start * scale, (start + count) * scale, resolution))
    if how == "truncate":
        filled = 1 - np.eye(resolution)
        return Membership(group, _spread(start, start + count, resolution), filled)
    largest = int(number.max()) if largest is None else largest
    if number.max() > largest:
        raise ValueError(f"`largest` is {largest} but a graph has {number.max()} nodes")
    scale = resolution / max(largest, 1)
    ranks = np.arange(largest)
    every = _spread(ranks * scale, (ranks + 1) * scale, resolution)
    held = np.asarray(every.sum(0)).ravel()
    filled = np.outer(held, held) - (every.T @ every).toarray()
    return Membership(group, _spread(start * scale, (start + count) * scale, resolution), filled)


def accumulate(graphs: GraphSet, member: Membership) -> Aligned:
    """The sums by cell of graphs whose nodes lie in the cells that `member` says."""
    columns = _columns(graphs.columns, graphs.x)
    edge_columns = _columns(graphs.edge_columns, graphs.edge_attr)
    cells = member.resolution
    edges, pairs, nodes = np.zeros((cells, cells)), np.zeros((cells, cells)), np.zeros(cells)
    features = np.zeros((cells, columns.width if columns else 0))
    attributes = np.zeros((edge_columns.width if edge_columns else 0, cells, cells))
    for part in _chunks(graphs):
        used, group = np.unique(member.group[part.node_rows], return_inverse=True)
        spread, size = member.spread[used], np.bincount(group, minlength=len(used)).astype(float)
        row, column = group[part.edges]
        edges += _edges_by_cell(spread, row, column, np.ones(len(row)))
        nodes += spread.T @ size
        if member.filled is None:
            pairs += _pairs_by_cell(spread, part.owner, group, size)
        if columns is not None and graphs.x is not None:
            encoded = columns.encode(graphs.x[part.node_rows]).numpy()
            place = sp.csr_array((np.ones(len(group)), (group, np.arange(len(group)))))
            features += spread.T @ (place @ encoded)
        if edge_columns is not None and graphs.edge_attr is not None:
            encoded = edge_columns.encode(graphs.edge_attr[part.edge_rows]).numpy()
            for place in np.flatnonzero(encoded.any(axis=0)):
                attributes[place] += _edges_by_cell(spread, row, column, encoded[:, place])
    if member.filled is not None:
        pairs = len(graphs) * member.filled
    if not graphs.directed:
        edges = (edges + edges.T) / 2  # equal but for rounding
    symmetric = (attributes + attributes.swapaxes(1, 2)) / 2
    return Aligned(
        edges=torch.from_numpy(edges),
        pairs=torch.from_numpy(np.maximum((pairs + pairs.T) / 2, 0)),
        nodes=torch.from_numpy(nodes),
        sizes=SizeLaw.of(graphs.sizes()),
        features=torch.from_numpy(features) if columns else None,
        edge_features=torch.from_numpy(symmetric).permute(1, 2, 0) if edge_columns else None,
        columns=columns,
        edge_columns=edge_columns,
    )


def peak_features(graphs: GraphSet, resolution: int, how: Alignment) -> Tensor:
    """(K, F) the largest features among the nodes of each cell; an empty one takes the nearest."""
    if graphs.x is None:
        raise ValueError("the graphs have no `x` to take the largest features of")
    member = membership(graphs, resolution, how)
    peaks = np.full((resolution, graphs.x.shape[1]), -np.inf)
    of_group = np.full((len(member.spread.indptr) - 1, graphs.x.shape[1]), -np.inf)
    np.maximum.at(of_group, member.group, graphs.x.double().numpy())
    cells = member.spread.tocoo()
    np.maximum.at(peaks, cells.col, of_group[cells.row])
    filled = torch.from_numpy(peaks)
    return filled[_nearest(torch.isfinite(filled).all(1))]


def _nearest(filled: Tensor) -> Tensor:
    """(K,) for each cell the nearest one that is filled."""
    there = filled.nonzero().flatten()
    return there[(torch.arange(len(filled))[:, None] - there[None]).abs().argmin(1)]


def _edges_by_cell(
    spread: sp.csr_array, row: np.ndarray, column: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """(K, K) the summed weight of edges between groups, spread over the cells of both ends."""
    groups = spread.shape[0]  # pyright: ignore[reportOptionalSubscript]
    between = sp.csr_array((weight, (row, column)), shape=(groups, groups))
    return (spread.T @ (between @ spread)).toarray()


def _pairs_by_cell(
    spread: sp.csr_array, owner: np.ndarray, group: np.ndarray, size: np.ndarray
) -> np.ndarray:
    """(K, K) ordered pairs of different nodes of one graph: all pairs less each with itself."""
    held = sp.csr_array((np.ones(len(group)), (owner, group)), shape=(owner[-1] + 1, len(size)))
    by_graph = (held @ spread).toarray()  # pyright: ignore[reportAttributeAccessIssue]
    weighted = sp.csr_array(spread.multiply(size[:, None]))
    itself = (spread.T @ weighted).toarray()
    return by_graph.T @ by_graph - itself


def _columns(known: Columns | None, raw: Tensor | None) -> Columns | None:
    return known if known is not None or raw is None else Columns.of(raw)


@dataclass(frozen=True)
class _Chunk:
    graphs: int
    node_rows: slice
    edge_rows: slice
    owner: np.ndarray  # (n,) graph of each node, counted within the chunk
    edges: np.ndarray  # (2, e) nodes counted within the chunk


def _chunks(graphs: GraphSet) -> Iterable[_Chunk]:
    """Runs of whole graphs, each of bounded size."""
    work = (graphs.num_nodes + graphs.num_edges).cumsum(0).numpy()
    nodes = np.concatenate([[0], graphs.num_nodes.cumsum(0).numpy()])
    edges = np.concatenate([[0], graphs.num_edges.cumsum(0).numpy()])
    first = 0
    while first < len(graphs):
        done = work[first - 1] if first else 0
        last = max(int(np.searchsorted(work, done + CHUNK, side="right")), first + 1)
        number = graphs.num_nodes[first:last].numpy()
        start = (nodes[first:last] - nodes[first]).repeat(graphs.num_edges[first:last].numpy())
        rows = slice(int(edges[first]), int(edges[last]))
        yield _Chunk(
            graphs=last - first,
            node_rows=slice(int(nodes[first]), int(nodes[last])),
            edge_rows=rows,
            owner=np.arange(last - first).repeat(number),
            edges=graphs.edge_index[:, rows].numpy() + start,
        )
        first = last


def _tied_ranks(graphs: GraphSet) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Nodes of one degree in one graph: the group of each node; graph, first rank, size of each."""
    degrees, most = graphs.degrees().numpy(), int(graphs.num_nodes.max())
    key = graphs.owner().numpy() * (2 * most + 1) + (2 * most - degrees)
    key, group, count = np.unique(key, return_inverse=True, return_counts=True)
    owner = key // (2 * most + 1)
    return group, owner, count.cumsum() - count - graphs.node_start.numpy()[owner], count


def _normalised_degrees(graphs: GraphSet) -> np.ndarray:
    others = (graphs.num_nodes - 1).clamp(min=1)
    return (graphs.degrees() / others.repeat_interleave(graphs.num_nodes)).double().numpy()


def _pooled_membership(graphs: GraphSet, resolution: int, order: PooledOrder) -> Membership:
    degrees = _normalised_degrees(graphs)
    group = np.searchsorted(-order.degrees, -degrees).clip(max=len(order.degrees) - 1)
    if not np.array_equal(order.degrees[group], degrees):
        raise ValueError("`order` does not hold these graphs; add up PooledOrder.of(shard) of all")
    scale = resolution / max(int(order.counts.sum()), 1)
    end = order.counts.cumsum()
    spread = _spread((end - order.counts) * scale, end * scale, resolution)
    return Membership(group, spread)


def _spread(start: np.ndarray, end: np.ndarray, resolution: int) -> sp.csr_array:
    """(U, K) rows of mass one, laid evenly over [start, end) cells; cut off where the cells end."""
    # A boundary that should be whole is so only up to rounding; do not open a cell for that.
    start, end = (np.where(abs(v - v.round()) < 1e-9, v.round(), v) for v in (start, end))
    low = np.floor(start).astype(np.int64)
    high = np.minimum(np.maximum(np.ceil(end).astype(np.int64), low + 1), resolution)
    width = np.maximum(high - low, 0)
    row = np.arange(len(start)).repeat(width)
    cell = np.arange(width.sum()) - (width.cumsum() - width).repeat(width) + low.repeat(width)
    share = np.minimum(end[row], cell + 1) - np.maximum(start[row], cell)
    mass = share / np.maximum(end - start, 1e-300)[row]
    return sp.csr_array((mass, (row, cell)), shape=(len(start), resolution))
