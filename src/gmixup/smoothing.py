"""Smoothing: from edges and pairs by cell to a surface as smooth, or as blocky, as they say.

A surface is scored by its likelihood less a penalty for what it is free to fit: one for each degree
of freedom of a smoother (Akaike), half the logarithm of the number of pairs for each of a block
model (Schwarz), whose borders are searched for and would otherwise be found in noise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

# By degree of the local polynomial. A plane has no bias where the surface is linear, up to its
# border; a quadratic can look farther, and with that average more, where the surface bends.
BANDWIDTHS = {1: (0.03, 0.05, 0.08, 0.12, 0.2), 2: (0.05, 0.08, 0.12, 0.2, 0.3)}

# Borders of blocks lie on one of these grids: round shares, so that a block of 30 % is met exactly.
GRIDS = (60, 30, 20, 10, 5, 2, 1)


@dataclass(frozen=True, eq=False)
class Surface:
    """A symmetric matrix of chances, how likely it makes the counts, and where its blocks begin."""

    edges: np.ndarray  # (K, K) in [0, 1]
    likelihood: float
    penalty: float
    starts: np.ndarray | None = None  # (B,) None where it is not made of blocks

    @property
    def score(self) -> float:
        """The penalised likelihood."""
        return self.likelihood - self.penalty


def fitting_resolution(nodes: int) -> int:
    """K for so many nodes in all: 20, 30 or 60, which mix with each other at 60.

    A position is known no better than to 1 / (2 √nodes), so that more than 2 √nodes steps show
    noise; and memberships (nodes x K) must fit into memory, where so many nodes are sparse anyway.
    """
    fine = [60, 30] if nodes < 100_000 else [30]
    return next((k for k in fine if k <= 2 * nodes**0.5 and k * nodes <= 8_000_000), 20)


def check_bandwidth(bandwidth: float | None) -> None:
    """Raises unless `bandwidth` is None or a share of [0, 1]."""
    if bandwidth is not None and not 0 <= bandwidth <= 1:
        raise ValueError(
            f"`bandwidth` is {bandwidth}; it must be a share of [0, 1], 0 for no smoothing, or None"
        )


def best_surface(
    edges: np.ndarray,  # (K, K) both directions
    pairs: np.ndarray,  # (K, K) ordered
    nodes: int,
    bandwidth: float | None = None,
) -> Surface:
    """The surface of the best score: smooth at one of several bandwidths, or made of blocks.

    A `bandwidth` above 0 asks for the local-linear smoother of that width; 0 for no smoothing.
    """
    if bandwidth == 0:
        cells = len(edges) * (len(edges) + 1) / 2
        chance = np.clip(_shares(edges, pairs), 0, 1)
        return Surface(chance, likelihood(edges, pairs, chance), cells)
    if bandwidth is not None:
        return _smooth_surface(edges, pairs, bandwidth, 1)
    surfaces = [_smooth_surface(edges, pairs, b, d) for d, row in BANDWIDTHS.items() for b in row]
    return max([best_blocks(edges, pairs, nodes), *surfaces], key=lambda surface: surface.score)


def best_blocks(edges: np.ndarray, pairs: np.ndarray, nodes: int) -> Surface:
    """The surface of blocks of neighbouring cells, merged one by one, at the best score."""
    resolution, first = len(edges), border_grid(len(edges), nodes)
    grid = len(first)
    each = np.log(max(pairs.sum() / 2, 2)) / 2
    best: Surface | None = None
    for starts, inside, of in _merged(_block_sums(edges, first), _block_sums(pairs, first)):
        count = len(starts)
        penalty = each * count * (count + 1) / 2 + (count - 1) * np.log(grid)
        seen = float(_profile(inside, of).sum())
        if best is None or seen - penalty > best.score:
            chance = np.clip(_shares(inside, of), 0, 1)
            best = Surface(chance, seen, penalty, first[starts])
    assert best is not None
    assert best.starts is not None
    block = np.searchsorted(best.starts, np.arange(resolution), side="right") - 1
    return replace(best, edges=best.edges[np.ix_(block, block)])


def with_density(chance: np.ndarray, density: float) -> np.ndarray:
    """Chances in proportion, as far as 1 allows, with this mean.

    What is smoothed and what is seen in unevenly filled cells has not quite the density of the
    graphs; but as many edges as they have should be expected of graphs of their sizes.
    """
    for _ in range(200):  # slow only where nearly all is certain
        mean = chance.mean()
        if mean <= 0 or abs(mean - density) <= 1e-9 * density:
            break
        chance = np.clip(chance * (density / mean), 0, 1)
    return chance


def border_grid(resolution: int, nodes: int) -> np.ndarray:
    """(B,) the cells at which a block may begin.

    How many of the nodes fall into a block varies by up to √nodes / 2, so that a border is known no
    better than to 1 / (2 √nodes): a few times that is the step of the grid.
    """
    finest = min(resolution, max(1.0, nodes**0.5 / 2))
    grid = next(g for g in GRIDS if g <= finest)
    return np.arange(grid) * resolution // grid


def likelihood(edges: np.ndarray, pairs: np.ndarray, chance: np.ndarray) -> float:
    """The log-likelihood of the counts; a pair is listed in both directions, but it is one."""
    chance = inner(chance, pairs)
    return float((edges * np.log(chance) + (pairs - edges) * np.log1p(-chance)).sum()) / 2


def inner(chance: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Chances away from 0 and 1, by less than the pairs could tell, so that logarithms exist."""
    return np.clip(chance, min(0.1 / max(pairs.sum(), 1.0), 1e-3), 1 - 1e-6)


@lru_cache(maxsize=64)
def local_polynomial(resolution: int, bandwidth: float, degree: int = 1) -> np.ndarray:
    """(K, K) the matrix that fits a polynomial around each cell, with Gaussian weights.

    `bandwidth` is the standard deviation as a share of [0, 1]; of less than half a cell there is
    nothing to smooth. A polynomial of degree 1 and more is free of bias at the borders.
    """
    centre = (np.arange(resolution) + 0.5) / resolution
    width = max(bandwidth, 0.5 / resolution)
    distance = (centre[None] - centre[:, None]) / width
    root = np.exp(-(distance**2) / 4)
    powers = distance[..., None] ** np.arange(min(degree, resolution - 1) + 1)
    matrix = np.linalg.pinv(powers * root[..., None])[:, 0] * root
    matrix.flags.writeable = False  # it is shared by all who ask
    return matrix


def _smooth_surface(edges: np.ndarray, pairs: np.ndarray, bandwidth: float, degree: int) -> Surface:
    smoother = local_polynomial(len(edges), bandwidth, degree)
    chance = smoother @ _shares(edges, pairs) @ smoother.T
    chance = np.clip((chance + chance.T) / 2, 0, 1)
    trace = np.trace(smoother)
    freedom = (trace**2 + (smoother * smoother.T).sum()) / 2  # of a symmetric matrix
    return Surface(chance, likelihood(edges, pairs, chance), float(freedom))


def _shares(edges: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Edges over pairs; a cell that holds next to no pair takes the overall share."""
    little = 1e-6 * max(pairs.mean(), 1e-300)
    overall = edges.sum() / max(pairs.sum(), 1e-300)
    return (edges + overall * little) / (pairs + little)


def _merged(
    edges: np.ndarray, pairs: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Starts of blocks with their sums, joining the two neighbours that differ least each time."""
    starts = np.arange(len(edges))
    yield starts, edges, pairs
    while len(starts) > 1:
        keep = np.delete(np.arange(len(starts)), int(_losses(edges, pairs).argmin()) + 1)
        starts, edges, pairs = starts[keep], _block_sums(edges, keep), _block_sums(pairs, keep)
        yield starts, edges, pairs


def _losses(edges: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(B - 1,) the likelihood that is lost where a block is joined with the next."""
    each = _profile(edges, pairs)
    joined = _profile(edges[:-1] + edges[1:], pairs[:-1] + pairs[1:])  # rows, not yet columns
    strip = each[:-1] + each[1:] - joined
    k = np.arange(len(edges) - 1)
    # Rows and columns lose alike; the square that both meet in is counted once, joined both ways.
    beyond = strip.sum(1) - strip[k, k] - strip[k, k + 1]
    square = [
        values[k, k] + 2 * values[k, k + 1] + values[k + 1, k + 1] for values in (edges, pairs)
    ]
    corner = each[k, k] + 2 * each[k, k + 1] + each[k + 1, k + 1]
    return 2 * beyond + corner - _profile(*square)


def _profile(edges: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Log-likelihood of each cell at its own share of edges."""
    share = np.clip(edges / np.maximum(pairs, 1e-300), 1e-300, 1 - 1e-15)
    return (edges * np.log(share) + (pairs - edges) * np.log1p(-share)) / 2


def _block_sums(matrix: np.ndarray, starts: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.add.reduceat(np.add.reduceat(matrix, starts, 0), starts, 1)
