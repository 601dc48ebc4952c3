"""Alignment: graphs of unequal size brought to one common order and summed into one K x K matrix.

Where a node lies, `gmixup.placement` says. Only sums are kept (edges and pairs of nodes by cell):
they add up over shards, so one pass and K x K memory are enough.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from scipy.ndimage import distance_transform_edt
from torch import Tensor

from gmixup.choices import check_choice
from gmixup.columns import Columns
from gmixup.graphs import GraphSet
from gmixup.placement import Alignment, Membership, PooledOrder, membership
from gmixup.sizes import SizeLaw

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
        if (self.columns, self.edge_columns) != (other.columns, other.edge_columns):
            raise ValueError(
                "the parts hold features of different meaning, which do not add up; align parts of "
                "one GraphSet that is `pinned`"
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
        """(K, K) the share of pairs that are edges; a cell without a pair takes the nearest's."""
        known = self.pairs > 1e-9
        mean = torch.where(known, self.edges / self.pairs.clamp(min=1e-9), 0.0).clamp(0, 1)
        if bool(known.all()) or not bool(known.any()):
            return mean
        # Cells that lie within one node of every graph hold no pair: continue the surface there.
        nearest = np.zeros((2, *mean.shape), np.int32)
        distance_transform_edt(
            ~known.numpy(), return_distances=False, return_indices=True, indices=nearest
        )
        continued = mean[torch.from_numpy(nearest[0]), torch.from_numpy(nearest[1])]
        return (continued + continued.T) / 2 if bool((mean == mean.T).all()) else continued

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


def accumulate(graphs: GraphSet, member: Membership) -> Aligned:
    """The sums by cell of graphs whose nodes lie in the cells that `member` says."""
    columns = _columns(graphs.columns, graphs.x)
    edge_columns = _columns(graphs.edge_columns, graphs.edge_attr)
    graphs = replace(graphs, columns=columns, edge_columns=edge_columns)
    wide = member.resolution + 1
    edges, pairs = np.zeros((2, wide, wide))
    nodes, features = np.zeros(wide), np.zeros((wide, columns.width if columns else 0))
    attributes = np.zeros((edge_columns.width if edge_columns else 0, wide, wide))
    for part in _chunks(graphs):
        _add(graphs, member, part, (edges, pairs, nodes, features, attributes))
    edges, pairs, attributes = _risen(edges), _risen(pairs), _risen(attributes)
    if member.ranks is not None:
        pairs = pairs + _filled_pairs(graphs, member)
    if not graphs.directed:
        edges = (edges + edges.T) / 2  # equal but for rounding
    attributes = (attributes + attributes.swapaxes(1, 2)) / 2
    return Aligned(
        edges=torch.from_numpy(edges),
        pairs=torch.from_numpy(np.maximum(pairs, 0)),
        nodes=torch.from_numpy(nodes.cumsum()[:-1]),
        sizes=SizeLaw.of(graphs.sizes()),
        features=torch.from_numpy(features.cumsum(0)[:-1]) if columns else None,
        edge_features=torch.from_numpy(attributes).permute(1, 2, 0) if edge_columns else None,
        columns=columns,
        edge_columns=edge_columns,
    )


def _add(
    graphs: GraphSet, member: Membership, part: "_Chunk", totals: tuple[np.ndarray, ...]
) -> None:
    """Adds the steps of some of the graphs to the totals."""
    edges, pairs, nodes, features, attributes = totals
    group = member.group[part.node_rows]
    size = np.bincount(group, minlength=len(member.start)).astype(float)
    used = np.flatnonzero(size)
    number = np.empty(len(size), np.int64)
    number[used] = np.arange(len(used))
    group, size, steps = number[group], size[used], member.steps[used]
    row, column = group[part.edges]
    edges += _between(steps, row, column, np.ones(len(row)))
    nodes += steps.T @ size
    # Of all pairs of a graph those that are a node with itself are none.
    pairs -= _dense(steps.T @ sp.csr_array(steps.multiply(size[:, None])))
    if member.ranks is None:
        shape = (part.graphs, len(used))
        held = _dense(_unsorted(np.ones(len(group)), part.owner, group, shape) @ steps)
        pairs += held.T @ held
    if graphs.columns is not None and graphs.x is not None:
        encoded = graphs.columns.encode(graphs.x[part.node_rows]).numpy()
        features += steps[group].T @ encoded
    if graphs.edge_columns is not None and graphs.edge_attr is not None:
        encoded = graphs.edge_columns.encode(graphs.edge_attr[part.edge_rows]).numpy()
        for place in np.flatnonzero(encoded.any(axis=0)):
            attributes[place] += _between(steps, row, column, encoded[:, place])


def _between(
    steps: sp.csr_array, row: np.ndarray, column: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """The summed weight of edges between groups, as steps along both axes."""
    groups = len(steps.indptr) - 1
    return _dense(steps.T @ (_unsorted(weight, row, column, (groups, groups)) @ steps))


def _unsorted(
    values: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, int]
) -> sp.csr_array:
    """A sparse matrix to multiply with: repeats add up there anyway, and sorting them is slow."""
    matrix = sp.coo_array((values, (row, column)), shape=shape)
    matrix.has_canonical_format = True
    return matrix.tocsr()


def _risen(steps: np.ndarray) -> np.ndarray:
    """(..., K, K) the sums by cell from their steps; what is zero but for rounding is zero."""
    sums = steps.cumsum(-2).cumsum(-1)[..., :-1, :-1]
    return np.where(abs(sums) > 1e-9, sums, 0)


def _dense(matrix: Any) -> np.ndarray:
    return matrix.toarray()


def _filled_pairs(graphs: GraphSet, member: Membership) -> np.ndarray:
    """(K, K) ordered pairs of filled-up graphs, less those of a filling node with itself."""
    assert member.ranks is not None
    scale = member.resolution / max(member.ranks, 1)
    rank = np.arange(member.ranks)
    place = Membership(rank, rank * scale, (rank + 1) * scale, member.resolution).spread
    held = np.asarray(place.sum(0)).ravel()
    present = np.bincount(np.minimum(graphs.num_nodes.numpy(), member.ranks))
    absent = present.cumsum()[: member.ranks]  # graphs with no node of this rank
    absent = np.append(absent, np.full(member.ranks - len(absent), len(graphs)))
    filling = _dense(place.T @ sp.csr_array(place.multiply(absent[:, None])))
    return len(graphs) * np.outer(held, held) - filling


def peak_features(graphs: GraphSet, resolution: int, how: Alignment) -> Tensor:
    """(K, F) the largest features among the nodes of each cell; an empty one takes the nearest."""
    if graphs.x is None:
        raise ValueError("the graphs have no `x` to take the largest features of")
    member = membership(graphs, resolution, how)
    peaks = np.full((resolution, graphs.x.shape[1]), -np.inf)
    of_group = np.full((len(member.start), graphs.x.shape[1]), -np.inf)
    np.maximum.at(of_group, member.group, graphs.x.double().numpy())
    cells = member.spread.tocoo()
    np.maximum.at(peaks, cells.col, of_group[cells.row])
    filled = torch.from_numpy(peaks)
    return filled[_nearest(torch.isfinite(filled).all(1))]


def _nearest(filled: Tensor) -> Tensor:
    """(K,) for each cell the nearest one that is filled."""
    there = filled.nonzero().flatten()
    return there[(torch.arange(len(filled))[:, None] - there[None]).abs().argmin(1)]


def _columns(known: Columns | None, raw: Tensor | None) -> Columns | None:
    return known if known is not None or raw is None else Columns.of(raw)


@dataclass(frozen=True)
class _Chunk:
    """Whole graphs, one after the other."""

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
