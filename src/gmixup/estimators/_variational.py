"""Variational EM of a block model: distributions of nodes over cells, and how they improve.

The objective is the expected log-likelihood plus the entropy of the distributions plus their
expected log-prior. The prior is uniform over the K cells; how evenly the cells are filled counts
`evenness` times, for cells and chances could otherwise drift along the positions together.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from gmixup.estimators._density import exposures
from gmixup.graphs import GraphSet
from gmixup.seeds import numpy_generator
from gmixup.smoothing import Surface, border_grid, inner, likelihood

MStep = Callable[[np.ndarray, np.ndarray], Surface]  # of edges and pairs by cell

CHUNK = 1 << 18  # memberships worked on at once, so that they stay in the processor's cache
FAINTEST = 1e-30  # of a membership beside the largest: what is 0 could never come back
SETTLED = 2e-3  # change of the chances, relative to their size, at which the fit ends


@dataclass(frozen=True, eq=False)
class Units:
    """Nodes, where those of one graph with the same neighbours (as all leaves of a hub) are one."""

    weight: np.ndarray  # (U,) float32 nodes in each
    graph: np.ndarray  # (U,)
    first: np.ndarray  # (U,) a node of each
    of_node: np.ndarray  # (N,) the unit of each node
    adjacency: sp.csr_array  # (U, U) float32 how many nodes of a unit each node is joined with
    exposure: np.ndarray  # (G,) factor of all chances in a graph, for its size

    @classmethod
    def of(cls, graphs: GraphSet) -> "Units":
        """The units of all graphs, in the order of their first nodes."""
        row, column = graphs.global_edge_index().numpy()
        count, owner = graphs.node_count, graphs.owner().numpy()
        # Equal sets of neighbours have equal sums of random 64-bit words, others do not (2^-64).
        words = numpy_generator(0, "units").integers(2**64, size=count, dtype=np.uint64)
        running = np.concatenate([np.zeros(1, np.uint64), words[column].cumsum(dtype=np.uint64)])
        end = np.bincount(row, minlength=count).cumsum()
        key = np.diff(running[np.concatenate([[0], end])]) + owner.astype(np.uint64)
        _, first, unit, weight = np.unique(
            key, return_index=True, return_inverse=True, return_counts=True
        )
        order = first.argsort()
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        first, unit, weight = first[order], number[unit], weight[order]
        kept = first[unit[row]] == row
        ends = unit[row[kept]], unit[column[kept]]
        ones = np.ones(len(ends[0]), np.float32)
        adjacency = sp.csr_array((ones, ends), shape=(len(first), len(first)))
        return cls(
            weight.astype(np.float32), owner[first], first, unit, adjacency, exposures(graphs)
        )

    @cached_property
    def by_graph(self) -> sp.csr_array:
        """(G, U) float32 the nodes of each unit, at its graph."""
        places = (self.graph, np.arange(len(self.graph)))
        return sp.csr_array((self.weight, places), shape=(len(self.exposure), len(self.graph)))

    def chunks(self, resolution: int) -> Iterator[slice]:
        """Runs of units, of a bounded number of memberships."""
        size = max(CHUNK // resolution, 1)
        return (slice(k, k + size) for k in range(0, len(self.weight), size))


@dataclass(frozen=True, eq=False)
class Memberships:
    """How each unit is spread over the cells, and the sums that follow from it."""

    spread: np.ndarray  # (U, K) rows sum to one
    beside: np.ndarray  # (U, K) the summed spread of the neighbours
    prices: np.ndarray  # (K,) what evens the cells out, as logarithms of factors
    by_graph: np.ndarray  # (G, K) nodes by cell
    edges: np.ndarray  # (K, K)
    pairs: np.ndarray  # (K, K) as exposed
    overlap: np.ndarray  # (K, K) the sum over nodes, as exposed, of both memberships of one
    entropy: float

    @classmethod
    def of(
        cls,
        units: Units,
        spread: np.ndarray,
        prices: np.ndarray | None = None,
        beside: np.ndarray | None = None,
    ) -> "Memberships":
        """The sums, in one pass."""
        resolution = spread.shape[1]
        beside = units.adjacency @ spread if beside is None else beside
        edges, overlap = np.zeros((resolution, resolution)), np.zeros((resolution, resolution))
        entropy, exposure = 0.0, units.exposure.astype(spread.dtype)
        for rows in units.chunks(resolution):
            part = spread[rows]
            weighted = part * units.weight[rows, None]
            edges += weighted.T @ beside[rows]
            entropy -= float(np.vdot(weighted, np.log(part + FAINTEST)))
            weighted *= exposure[units.graph[rows], None]
            overlap += weighted.T @ part
        by_graph = (units.by_graph @ spread).astype(np.float64)
        pairs = by_graph.T @ (by_graph * units.exposure[:, None]) - overlap
        prices = np.zeros(resolution) if prices is None else prices
        edges, pairs = (edges + edges.T) / 2, (pairs + pairs.T) / 2
        # Where exposure is far from what single cells see, edges could seem more than pairs.
        pairs = np.maximum(pairs, edges)
        return cls(spread, beside, prices, by_graph, edges, pairs, overlap, entropy)

    def free(self, evenness: float) -> float:
        """Entropy plus log-prior: the objective less what the edges say."""
        fill = self.by_graph.sum(0)
        return self.entropy - evenness * float(fill @ np.log(fill / fill.mean() + FAINTEST))

    def joint_edges(self, chance: np.ndarray) -> np.ndarray:
        """(K, K) edges by the cells of both ends together, at given chances.

        Each distribution has learnt from an edge about its own node, but their product forgets
        that an edge also makes some PAIRS of cells likelier, as along a ridge, which it blurs. How
        much likelier is read off the chances, blurred as the distributions blur them: in both
        ends, beside that in either.
        """

        def joint(chance: np.ndarray) -> np.ndarray:
            once = blur @ chance
            return chance * (once @ blur.T) / (once * once.T)

        blur = self.overlap / (self.overlap.sum(1, keepdims=True) + FAINTEST)
        chance = inner(chance, self.pairs)
        joined, apart = self.edges * joint(chance), (self.pairs - self.edges) * joint(1 - chance)
        return self.pairs * joined / (joined + apart + FAINTEST)

    def halfway(self, units: Units, other: "Memberships") -> "Memberships":
        """The mean of two."""
        spread, beside = (self.spread + other.spread) / 2, (self.beside + other.beside) / 2
        return Memberships.of(units, spread, (self.prices + other.prices) / 2, beside)


@dataclass(frozen=True, eq=False)
class Fit:
    """Memberships with the chances that follow from them."""

    held: Memberships
    surface: Surface
    score: float  # the objective less the penalty of the surface


def fit(
    units: Units,
    held: Memberships,
    m_step: MStep,
    evenness: float,
    iterations: int,
    jointly: bool = True,
) -> Fit:
    """Improves memberships and chances by turns, until the chances change no more.

    `jointly=False` is the plain mean-field form, whose objective never falls.
    """
    surface = m_step(held.edges, held.pairs)
    for _ in range(iterations):
        before = surface.edges
        held = _improved(units, held, before, evenness)
        edges = held.joint_edges(before) if jointly else held.edges
        surface = m_step(edges, held.pairs)
        if surface.starts is not None:
            held, surface = _resized(units, held, surface)
        if np.linalg.norm(surface.edges - before) <= SETTLED * np.linalg.norm(before):
            break
    seen = likelihood(held.edges, held.pairs, surface.edges) - surface.penalty
    return Fit(held, surface, seen + held.free(evenness))


def simplified(units: Units, fitted: Fit, m_step: MStep, evenness: float) -> Fit:
    """Joins neighbouring blocks as long as the score rises.

    Blocks that differ by noise keep their nodes apart, and so their difference; the M step does not
    see what distributions over both would be worth.
    """
    while fitted.surface.starts is not None and len(fitted.surface.starts) > 1:
        joined = []
        for border in range(1, len(fitted.surface.starts)):
            starts = np.delete(fitted.surface.starts, border)
            held = _moved(units, fitted.held, starts, starts)
            joined.append(fit(units, held, m_step, evenness, 0))
        best = max(joined, key=lambda one: one.score)
        if best.score <= fitted.score:
            break
        fitted = best
    return fitted


def _moved(units: Units, held: Memberships, old: np.ndarray, new: np.ndarray) -> Memberships:
    """The memberships of each block that starts at `old`, evenly over that starting at `new`."""
    cells = np.arange(len(held.edges))
    old, new = (np.searchsorted(starts, cells, side="right") for starts in (old, new))
    move = ((old[:, None] == new) / np.bincount(new)[new]).astype(held.spread.dtype)
    return Memberships.of(units, held.spread @ move, None, held.beside @ move)


def _resized(units: Units, held: Memberships, surface: Surface) -> tuple[Memberships, Surface]:
    """Blocks as wide as they are filled; memberships cannot move a border, each fills its block."""
    assert surface.starts is not None
    resolution, fill = len(surface.edges), held.by_graph.sum(0)
    grid = border_grid(resolution, int(fill.sum()))
    wanted = np.add.reduceat(fill, surface.starts).cumsum()[:-1] / fill.sum() * resolution
    nearest = grid[np.abs(grid - wanted[:, None]).argmin(1)]
    starts = np.concatenate([[0], nearest])
    if (starts == surface.starts).all() or (np.diff(starts, append=resolution) <= 0).any():
        return held, surface
    at = surface.starts[np.searchsorted(starts, np.arange(resolution), side="right") - 1]
    resized = replace(surface, edges=surface.edges[np.ix_(at, at)], starts=starts)
    return _moved(units, held, surface.starts, starts), resized


def _improved(units: Units, held: Memberships, chance: np.ndarray, evenness: float) -> Memberships:
    """E step, all units at once; where that overshoots (between two sides), as far as it helps."""

    def objective(memberships: Memberships) -> float:
        seen = likelihood(memberships.edges, memberships.pairs, chance)
        return seen + memberships.free(evenness)

    before = objective(held)
    spread = _posterior(units, held, chance)
    prices = _even_out(units, spread, held.prices, evenness)
    improved = Memberships.of(units, spread, prices)
    for _ in range(4):
        if objective(improved) >= before - 1e-6 * abs(before):
            break
        improved = improved.halfway(units, held)
    return improved


def _posterior(units: Units, held: Memberships, chance: np.ndarray) -> np.ndarray:
    """(U, K) how likely each cell is for a node, given where the others are; the largest is 1."""
    chance = inner(chance, held.pairs)
    kind = held.spread.dtype
    absent = np.log1p(-chance)
    odds = (np.log(chance) - absent).astype(kind)
    by_graph = (held.by_graph @ absent * units.exposure[:, None]).astype(kind)
    exposure, absent = units.exposure.astype(kind), absent.astype(kind)
    likely = held.beside @ odds
    for rows in units.chunks(len(chance)):
        part = likely[rows]
        graph = units.graph[rows]
        part += by_graph[graph]
        # No node is paired with itself.
        part -= held.spread[rows] @ absent * exposure[graph, None]
        part -= part.max(1, keepdims=True)
        np.exp(part, out=part)
        part += FAINTEST
    return likely


def _even_out(units: Units, likely: np.ndarray, prices: np.ndarray, evenness: float) -> np.ndarray:
    """Makes distributions of `likely` in place, and returns the prices of the cells.

    The objective is concave in the prices, and the stationary one has price = -evenness times the
    logarithm of the cell's fill over the mean: a few Newton steps, where Sinkhorn's scaling of rows
    and columns takes dozens of passes.
    """
    nodes, resolution = float(units.weight.sum()), len(prices)
    for _ in range(30):
        fill, overlap = np.zeros(resolution), np.zeros((resolution, resolution))
        factor = np.exp(prices).astype(likely.dtype)
        for rows in units.chunks(resolution):
            part = likely[rows] * factor
            part /= part.sum(1, keepdims=True)
            weighted = part * units.weight[rows, None]
            fill += weighted.sum(0)
            overlap += part.T @ weighted
        gap = prices / evenness + np.log(fill * resolution / nodes + FAINTEST)
        if np.abs(gap).max() < 1e-4:
            break
        slope = np.eye(resolution) * (1 + 1 / evenness) - overlap / (fill + FAINTEST)[:, None]
        step = np.linalg.solve(slope, -gap)
        prices = np.clip(prices + step * min(1, 2 / np.abs(step).max()), -60, 60)
    factor = np.exp(prices).astype(likely.dtype)
    for rows in units.chunks(resolution):
        likely[rows] *= factor
        likely[rows] /= likely[rows].sum(1, keepdims=True)
    return prices
