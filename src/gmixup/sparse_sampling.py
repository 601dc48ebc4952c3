"""Which pairs of nodes become edges: every pair listed, or only those that darts hit.

Both follow one law exactly: pairs are edges independently, each with its own probability.

- Listed: one uniform number a pair; many graphs of one size lie abreast in one array.
- Darts: a pair of probability p is an edge if a Poisson number of hits, of mean h = -log(1 - p), is
  not zero. Neighbouring cells form a tile, and a tile gets a Poisson number of darts at the hazard
  h of its largest probability. A dart lands on any pair of the tile alike and counts with
  probability h'/h, where h' is that pair's own hazard; several darts on one pair make one edge.
  Pairs that are not hit are never looked at: O(tiles + edges) a graph, for any matrix. The hazard
  has no bound as p nears 1, so the pairs of tiles of high probability are listed.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Pairs = tuple[Array, Array]  # first and second nodes; a pair may come twice, and in either order

# Nanoseconds on a present-day processor; only their ratios matter, to choose the cheaper way.
PAIR_COST, TILE_COST, DART_COST = 5, 30, 40
# Cells are put together into so many groups: more of them cost more tiles than they save darts.
GROUPS = 24
# Above this probability the darts of a pair cost more than listing it.
LISTED = 0.3
# Items of an intermediate array: 0.5 MB, so that the arrays of a step stay in the cache.
CHUNK = 1 << 16
# From so many graphs of one size, up to this size, drawing them abreast is cheaper than in rows.
ABREAST, SMALL = 32, 64


@dataclass(frozen=True)
class Nodes:
    """The nodes of all graphs, numbered through, and the law of their pairs."""

    edges: Array  # (P, K, K)
    owner: Array  # (G,) the matrix of each graph
    scale: Array | None  # (G,) what a graph's probabilities are multiplied by
    count: Array  # (G,)
    graph: Array  # (N,)
    cells: Array  # (N,)
    position: Array  # (N,)

    @cached_property
    def start(self) -> Array:
        """First node of each graph (G,)."""
        return np.cumsum(self.count) - self.count

    @cached_property
    def local(self) -> Array:
        """Number of each node within its graph (N,)."""
        return np.arange(len(self.graph)) - np.repeat(self.start, self.count)

    @cached_property
    def row(self) -> Array:
        """Where each node's row of its matrix begins in the flat stack (N,)."""
        size = self.edges.shape[-1]
        return (self.owner[self.graph] * size + self.cells) * size

    @cached_property
    def bits(self) -> int:
        """Bits of a number within a graph.

        A directed edge is the key row << bits | column, in 32 bits where they are enough: so keys
        sort twice as fast.
        """
        return int(self.count.max(initial=0)).bit_length()

    def key(self, row: Array, column: Array) -> Array:
        """The directed edges from nodes `row` to the nodes `column` of their graphs."""
        key = row << self.bits | column
        return key.astype(np.uint32) if len(self.graph) << self.bits < 1 << 32 else key

    def both_ways(self, first: Array, second: Array) -> list[Array]:
        """The keys of undirected edges, each in both directions."""
        ends = ((first, second), (second, first))
        return [self.key(row, self.local.take(column)) for row, column in ends]

    def ends(self, key: Array) -> Pairs:
        """The two nodes of each directed edge."""
        row, column = (key >> self.bits).astype(np.int64), key & ((1 << self.bits) - 1)
        return row, self.start[self.graph].take(row) + column

    @cached_property
    def level(self) -> Array | None:
        """The first 16 bits of every probability, where that is a small table."""
        if self.scale is not None or self.edges.size > CHUNK:
            return None
        return np.minimum(self.edges.ravel() * 65536, 65535).astype(np.uint16)

    def probability(self, place: Array, graph: Array) -> Array:
        """Probabilities at places of the flat stack, for pairs of these graphs."""
        chance = self.edges.take(place)
        return chance if self.scale is None else np.minimum(chance * self.scale.take(graph), 1)

    def drawn(self, place: Array, graph: Array, rng: np.random.Generator) -> Array:
        """Whether each pair becomes an edge, in the shape of `place`."""
        if self.level is None:
            return rng.random(place.shape) < self.probability(place, graph)
        # Sixteen random bits decide all but one pair in 65536; that one draws the rest of them.
        words = rng.integers(0, 1 << 64, place.size // 4 + 1, dtype=np.uint64)
        bits = words.view(np.uint16)[: place.size].reshape(place.shape)
        level = self.level.take(place)
        edge = bits < level
        tie = np.flatnonzero(bits == level)
        rest = self.edges.take(place.take(tie)) * 65536 - level.take(tie)
        edge.ravel()[tie] = rng.random(len(tie)) < rest
        return edge


@dataclass(frozen=True)
class Tiles:
    """Cells in B groups, and each graph's nodes by group; a tile is a pair of groups."""

    bound: Array  # (P, B, B) largest probability of each tile
    exact: bool  # whether a group is one cell, so that the bound is the probability
    member: Array  # (N,) nodes by graph and group
    begin: Array  # (G, B) where each group begins among them
    count: Array  # (G, B)
    cost: Array  # (G,) estimated nanoseconds


def draw_edges(nodes: Nodes, method: str, rng: np.random.Generator) -> Array:
    """Keys of all directed edges in order; `method` "dense", "sparse" or "auto", the cheaper."""
    listing = PAIR_COST * nodes.count * (nodes.count - 1) / 2
    groups = min(GROUPS, nodes.edges.shape[-1])
    dense = np.full(len(listing), method == "dense")
    if method == "auto":
        dense = listing <= TILE_COST * groups * (groups + 1) / 2
    pairs = []
    if not dense.all():
        tiles = _tiles(nodes)
        if method == "auto":
            dense |= listing <= tiles.cost
        pairs += _dart_pairs(nodes, tiles, np.flatnonzero(~dense), rng)
    alike = np.bincount(nodes.count)[nodes.count] if len(dense) else nodes.count
    abreast = dense & (alike >= ABREAST) & (nodes.count <= SMALL)
    if (dense & ~abreast).any():
        pairs += _row_pairs(nodes, dense & ~abreast, rng)
    keys = _edges_abreast(nodes, np.flatnonzero(abreast), rng)
    for first, second in pairs:
        keys += nodes.both_ways(first, second)
    return in_order(np.concatenate(keys))


def in_order(key: Array) -> Array:
    """The keys sorted and each one once; those of graphs drawn abreast are so already."""
    if (key[1:] > key[:-1]).all():
        return key
    key = np.sort(key)
    return key[np.append(True, key[1:] != key[:-1])]


def _chunks(sizes: Array) -> list[slice]:
    """Runs of consecutive items, each run of about CHUNK in total size."""
    chunk = (np.cumsum(sizes) - sizes) // CHUNK
    borders = [0, *(np.flatnonzero(np.diff(chunk)) + 1), len(sizes)]
    return [slice(low, high) for low, high in pairwise(borders)]


def _edges_abreast(nodes: Nodes, graphs: Array, rng: np.random.Generator) -> list[Array]:
    """Keys of both directions in order, for many graphs of few sizes, one array for each size."""
    keys = [nodes.key(graphs[:0], graphs[:0])]
    for size in np.unique(nodes.count[graphs]).tolist():
        some = graphs[nodes.count[graphs] == size]
        step = max(1, 2 * CHUNK // max(1, size * (size - 1)))
        low, high = np.triu_indices(size, 1)
        pair = np.full((size, size), len(low))  # which pair stands at each place of the square
        pair[low, high] = pair[high, low] = np.arange(len(low))
        for begin in range(0, len(some), step):
            part = some[begin : begin + step]
            number = nodes.start[part] + np.arange(size)[:, None]  # (size, g): abreast
            place = nodes.row.take(number).take(low, axis=0)
            place += nodes.cells.take(number).take(high, axis=0)
            edge = np.zeros((len(low) + 1, len(part)), dtype=bool)  # the last is the diagonal
            edge[:-1] = nodes.drawn(place, part, rng)
            flat = np.flatnonzero(edge.take(pair.ravel(), axis=0).T.ravel())
            row = flat // size
            keys.append(nodes.key(number.T.take(row), flat - row * size))
    return keys


def _row_pairs(nodes: Nodes, chosen: Array, rng: np.random.Generator) -> list[Pairs]:
    """Edges among all pairs of the chosen graphs (G,), each node with those after it."""
    number = np.flatnonzero(chosen[nodes.graph])
    later = (nodes.start + nodes.count)[nodes.graph[number]] - 1 - number
    return _listed_pairs(nodes, number, number + 1, later, None, rng)


def _listed_pairs(
    nodes: Nodes,
    first: Array,
    begin: Array,
    length: Array,
    member: Array | None,
    rng: np.random.Generator,
) -> list[Pairs]:
    """Edges from each node of `first` to the `length` nodes from `begin` on.

    These are places in `member`, or the nodes' own numbers.
    """
    drawn = []
    for part in _chunks(length):
        repeats = length[part]
        shift = begin[part] - (np.cumsum(repeats) - repeats)
        far = np.repeat(shift, repeats) + np.arange(repeats.sum())
        far = far if member is None else member.take(far)
        near = np.repeat(first[part], repeats)
        place = np.repeat(nodes.row[first[part]], repeats) + nodes.cells.take(far)
        graph = np.repeat(nodes.graph[first[part]], repeats)
        hit = np.flatnonzero(nodes.drawn(place, graph, rng))
        drawn.append((near.take(hit), far.take(hit)))
    return drawn


def _tiles(nodes: Nodes) -> Tiles:
    """The cells of all matrices in the same groups, and the nodes sorted into them."""
    graphs, cells = len(nodes.count), nodes.edges.shape[-1]
    start = _groups(nodes.edges)
    size, bound = len(start), nodes.edges
    if size < cells:
        spans = [slice(*span) for span in pairwise([*start, cells])]
        rows = np.stack([bound[:, span].max(1) for span in spans], 1)
        bound = np.stack([rows[:, :, span].max(2) for span in spans], 2)
    group = np.repeat(np.arange(size), np.diff(start, append=cells))
    key = nodes.graph * size + group[nodes.cells]
    member = np.sort(key << 32 | np.arange(len(key))) & 0xFFFFFFFF  # faster than an argsort
    count = np.bincount(key, minlength=graphs * size)
    begin = (np.cumsum(count) - count).reshape(graphs, size)
    count = count.reshape(graphs, size)
    darts = ((count[:, None] @ bound[nodes.owner])[:, 0] * count).sum(1) / 2
    darts = darts if nodes.scale is None else darts * nodes.scale
    cost = TILE_COST * size * (size + 1) / 2 + DART_COST * darts
    return Tiles(bound, size == cells, member, begin, count, cost)


def _groups(edges: Array) -> Array:
    """First cell of each of at most GROUPS groups of neighbouring cells with similar rows.

    Borders stand at equal steps of a way along the cells of which half is their number and half
    the relative change from row to row, so that neither a steep head nor a jump spoils a bound.
    """
    cells = edges.shape[-1]
    if cells <= GROUPS:
        return np.arange(cells)
    rows = edges.sum(0)
    total = rows.sum(1)
    change = np.abs(np.diff(rows, axis=0)).sum(1) / np.maximum(total[1:] + total[:-1], 1e-300)
    change /= max(change.sum(), 1e-300)
    way = np.cumsum(change + 1 / cells) * GROUPS / 2
    return np.append(0, 1 + np.flatnonzero(np.diff(np.floor(way), prepend=0)))


def _dart_pairs(nodes: Nodes, tiles: Tiles, graphs: Array, rng: np.random.Generator) -> list[Pairs]:
    """Edges of the given graphs: darts on their tiles, or a list where the bound is high."""
    size = tiles.count.shape[1]
    a, b = np.triu_indices(size)
    bounds = tiles.bound[:, a, b]  # (P, T)
    drawn = []
    for part in _chunks(tiles.cost[graphs] / DART_COST):
        some = graphs[part, None]
        bound = bounds[nodes.owner[some[:, 0]]]
        if nodes.scale is not None:
            bound = np.minimum(bound * nodes.scale[some], 1)
        left, right = (some * size + a).ravel(), (some * size + b).ravel()  # groups of each tile
        listed = bound.ravel() > LISTED
        hazard = -np.log1p(-np.where(listed, 0, bound.ravel()))
        drawn.append(_hit_pairs(nodes, tiles, left, right, hazard, rng))
        if listed.any():
            drawn += _tile_pairs(nodes, tiles, left[listed], right[listed], rng)
    return drawn


def _hit_pairs(
    nodes: Nodes, tiles: Tiles, left: Array, right: Array, hazard: Array, rng: np.random.Generator
) -> Pairs:
    """Pairs hit by darts on tiles of groups `left` x `right` at the given hazards."""
    count, begin = tiles.count.ravel(), tiles.begin.ravel()
    pairs = count.take(left) * count.take(right)
    # A tile on the diagonal shows each pair twice, once in each order: half the darts.
    mean = pairs * hazard * np.where(left == right, 0.5, 1)
    tile = np.repeat(np.arange(len(mean)), rng.poisson(mean))
    ends = []
    for group in (left.take(tile), right.take(tile)):
        place = (rng.random(len(tile)) * count.take(group)).astype(np.int64)
        ends.append(tiles.member.take(begin.take(group) + place))
    first, second = ends
    counts = first != second
    if not tiles.exact:
        place = nodes.row.take(first) + nodes.cells.take(second)
        own = -np.log1p(-nodes.probability(place, nodes.graph.take(first)))
        counts &= rng.random(len(tile)) * hazard.take(tile) < own
    return first[counts], second[counts]


def _tile_pairs(
    nodes: Nodes, tiles: Tiles, left: Array, right: Array, rng: np.random.Generator
) -> list[Pairs]:
    """Edges among all pairs of the tiles of groups `left` x `right`, one uniform number a pair."""
    count, begin = tiles.count.ravel(), tiles.begin.ravel()
    rows = count.take(left)  # one row for each node of the left group
    place = np.arange(rows.sum()) - np.repeat(np.cumsum(rows) - rows, rows)
    left, right = np.repeat(left, rows), np.repeat(right, rows)
    skipped = np.where(left == right, place + 1, 0)  # on the diagonal, only the nodes after it
    first = tiles.member.take(begin.take(left) + place)
    length = count.take(right) - skipped
    return _listed_pairs(nodes, first, begin.take(right) + skipped, length, tiles.member, rng)
