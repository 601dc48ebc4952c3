"""Homomorphism densities, the cut norm, and what the G-Mixup paper proves, as numbers.

Functions take a step function as a (K, K) tensor or array of probabilities, or as anything with
`.edges`, such as a Graphon.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import networkx as nx
import numpy as np
import scipy.sparse as sp
import torch
from scipy.optimize import minimize
from scipy.special import xlog1py, xlogy
from torch import Tensor

from gmixup.graphs import GraphSet
from gmixup.motifs import homomorphism_counts, homomorphism_sum, motif_graph
from gmixup.seeds import numpy_generator

Pairs = Literal["distinct", "all"]

ENUMERATED = 20  # with so many distinct cells, all 2^20 sets of them take a tenth of a second
ROUNDING = 1e-9  # tolerated in symmetry and range


def homomorphism_density(motif: str | nx.Graph, where: Any) -> float:
    """t(F, W), the chance that a random map of the motif lands on edges only.

    `motif` is node, edge, wedge, triangle, square, path-N, cycle-N or clique-N (N nodes), star-N (N
    leaves), or a simple networkx graph of up to 6 nodes. `where` is a step function, for which the
    integral includes the diagonal cells; or one graph as PyG `Data`, networkx graph or scipy sparse
    matrix, for which t(F, G) = hom(F, G) / v(G)^v(F), and 0 without nodes. A graph's dense matrix,
    taken as a step function, has the same density. `gmixup.motifs` states the cost.
    """
    if _is_step_function(where):
        graph, matrix = motif_graph(motif), _step_function(where, "where")
        return _density(graph, matrix, np.ones(len(matrix)))
    graphs = GraphSet.of(where)
    if len(graphs) != 1:
        raise ValueError(f"`where` holds {len(graphs)} graphs; give one, or call `motif_densities`")
    return motif_densities(graphs, [motif]).item()


def motif_densities(graphs: Any, motifs: Sequence[str | nx.Graph]) -> Tensor:
    """(G, M) float64 density of each motif in each graph; takes whatever `GraphSet.of` takes."""
    graphs = GraphSet.of(graphs)
    if graphs.directed:
        raise ValueError('`graphs` are directed; make them with `directed="symmetrise"`')
    adjacency, nodes = graphs.adjacency(), graphs.num_nodes.numpy()
    ptr = np.concatenate([[0], np.cumsum(nodes)])
    columns = []
    for graph in map(motif_graph, motifs):
        maps = np.maximum(nodes, 1).astype(np.float64) ** len(graph)
        columns.append(homomorphism_counts(graph, adjacency, ptr) / maps)
    return torch.from_numpy(np.stack(columns, 1) if columns else np.empty((len(graphs), 0)))


@dataclass(frozen=True)
class CutNorm:
    """A cut norm between certified bounds, `exact` where they agree; `value` is the lower one."""

    lower: float
    upper: float
    exact: bool

    @property
    def value(self) -> float:
        """The largest cut found, the cut norm itself where `exact`; float() gives it too."""
        return self.lower

    def __float__(self) -> float:
        return self.value


def cut_norm(a: Any, b: Any = None, *, starts: int = 64, seed: int = 0) -> CutNorm:
    """sup over S, T of |integral of a - b over S x T|, for symmetric step functions of any K.

    The supremum is attained on unions of cells, and cells with equal rows go together. Up to 20
    distinct cells all sets are tried. Above, `lower` is a cut that exists, the best of alternating
    maximisations from eigenvectors and `starts` random sets; `upper` is the smaller of the larger
    one-signed mass and a weighted spectral norm.
    """
    first, second = _matrix(a, "a"), np.zeros((1, 1)) if b is None else _matrix(b, "b")
    first, second, widths = _common_cells(first, second)
    mass = _mass(first - second, widths / widths.sum())
    if len(mass) <= ENUMERATED:
        value = _largest_cut(mass)
        return CutNorm(value, value, exact=True)
    lower = _found_cut(mass, starts, seed)
    one_signed = float(max(mass.clip(min=0).sum(), (-mass).clip(min=0).sum()))
    # Where one sign alone is present, all of it is a cut, and no eigenvalue is needed.
    tight = lower >= one_signed * (1 - ROUNDING)
    upper = one_signed if tight else min(one_signed, _spectral_bound(mass))
    upper = max(lower, upper)
    return CutNorm(lower, upper, exact=upper - lower <= ROUNDING * upper)


@dataclass(frozen=True)
class MixingBound:
    """Theorem 1 for the first and the second class: how far a motif's density moves, and can."""

    density_difference: tuple[float, float]
    bound: tuple[float, float]
    cut_norm: CutNorm  # between the two classes


def mixing_bound(motif: str | nx.Graph, first: Any, second: Any, lam: float) -> MixingBound:
    """Theorem 1 at W = lam * first + (1 - lam) * second, for the motif as that of either class.

    |t(F, W) - t(F, first)| <= (1 - lam) e(F) ||second - first||, and with lam against `second`. The
    bound takes the upper bound of the cut norm, so it holds where the cut norm is not exact too.
    """
    if not 0 <= lam <= 1:
        raise ValueError(f"`lam` is {lam}; it must lie in [0, 1]")
    graph = motif_graph(motif)
    one, two = _step_function(first, "first"), _step_function(second, "second")
    distance = cut_norm(one, two)
    one, two, widths = _common_cells(one, two)
    mixed = _density(graph, lam * one + (1 - lam) * two, widths)
    moved = [abs(mixed - _density(graph, each, widths)) for each in (one, two)]
    # The theorem says e(F) is the number of nodes; the lemma that proves it swaps edge by edge.
    most = graph.number_of_edges() * distance.upper
    return MixingBound((moved[0], moved[1]), ((1 - lam) * most, lam * most), distance)


def sampling_bound(motif: str | nx.Graph, nodes: int, epsilon: float) -> float:
    """Theorem 2: the chance that t(F, G) of a sampled graph is off t(F, W) by more than epsilon.

    min(1, 2 exp(-epsilon^2 n / (8 v(F)^2))), where n is the `nodes` of the sampled graph, drawn at
    uniform positions. At 1 it says nothing, as for graphs of a few hundred nodes: see `nodes_for`.
    """
    if nodes < 1:
        raise ValueError(f"`nodes` is {nodes}; a sampled graph needs at least 1")
    _between_0_and_1(epsilon, "epsilon")
    return min(1.0, 2 * math.exp(-(epsilon**2) * nodes / (8 * len(motif_graph(motif)) ** 2)))


def nodes_for(motif: str | nx.Graph, epsilon: float, probability: float) -> int:
    """The fewest nodes at which Theorem 2 bounds the chance by `probability`."""
    _between_0_and_1(epsilon, "epsilon")
    _between_0_and_1(probability, "probability")
    nodes = 8 * len(motif_graph(motif)) ** 2 * math.log(2 / probability) / epsilon**2
    return max(1, math.ceil(nodes * (1 - 1e-12)))


def weak_regularity_bound(w: Any, steps: int) -> float:
    """2 / sqrt(log steps) * ||w||_2: so near w, in cut norm, is some function of so many steps."""
    if steps < 1:
        raise ValueError(f"`steps` is {steps}; a step function has at least 1")
    # The natural logarithm is the smaller one: read with base 2, the lemma promises more.
    size = float(np.sqrt(np.mean(_step_function(w, "w") ** 2)))
    return 2 * size / math.sqrt(math.log(steps)) if steps > 1 else math.inf


def log_probability_identical(graphon: Any, *, pairs: Pairs = "distinct") -> float:
    """Log of the chance that two graphs, node i of either in cell i, have the same edges.

    `pairs`: "distinct" takes each pair i < j once, as a simple graph is drawn; "all" is the paper's
    product over all ordered pairs and the diagonal.
    """
    w = _step_function(graphon, "graphon")
    return _over_pairs(np.log1p(-2 * w * (1 - w)), pairs)


def log_probability_of(graphon: Any, adjacency: Any, *, pairs: Pairs = "distinct") -> float:
    """Log of the chance of drawing one graph of K nodes, node i in cell i; -inf where impossible.

    `adjacency` is a (K, K) matrix of 0 and 1, or a graph as PyG `Data` or networkx; `pairs` as in
    `log_probability_identical`.
    """
    w, a = _step_function(graphon, "graphon"), _adjacency(adjacency)
    if len(a) != len(w):
        raise ValueError(
            f"`adjacency` has {len(a)} nodes but `graphon` {len(w)} cells; resample the graphon to "
            f"{len(a)} cells, so that node i lies in cell i"
        )
    return _over_pairs(xlogy(a, w) + xlog1py(1 - a, -w), pairs)


def _density(motif: nx.Graph, matrix: np.ndarray, widths: np.ndarray) -> float:
    # Whole widths, divided at the end, leave nothing to rounding when the entries are 0 and 1.
    return homomorphism_sum(motif, matrix, widths) / float(widths.sum()) ** len(motif)


def _is_step_function(where: Any) -> bool:
    has_edges = hasattr(where, "edges") and not isinstance(where, nx.Graph)
    return has_edges or isinstance(where, Tensor | np.ndarray)


def _matrix(values: Any, name: str) -> np.ndarray:
    """(K, K) float64, finite and symmetric."""
    values = getattr(values, "edges", values)
    values = values.detach().cpu().double() if isinstance(values, Tensor) else values
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise ValueError(f"`{name}` has shape {matrix.shape}; it must be a square (K, K) matrix")
    if not np.isfinite(matrix).all():
        raise ValueError(f"`{name}` holds NaN or infinite values; replace them first")
    gap = np.abs(matrix - matrix.T).max()
    if gap > ROUNDING:
        raise ValueError(
            f"`{name}` is not symmetric, by up to {gap:.3g}; its mean with its transpose would be"
        )
    return (matrix + matrix.T) / 2


def _step_function(values: Any, name: str) -> np.ndarray:
    """(K, K) float64 probabilities."""
    matrix = _matrix(values, name)
    if matrix.min() < -ROUNDING or matrix.max() > 1 + ROUNDING:
        raise ValueError(
            f"`{name}` has values from {matrix.min():.3g} to {matrix.max():.3g}; probabilities "
            "must lie in [0, 1]"
        )
    return matrix.clip(0, 1)


def _adjacency(graph: Any) -> np.ndarray:
    if isinstance(graph, Tensor | np.ndarray) or sp.issparse(graph):
        dense = sp.coo_array(graph).toarray() if sp.issparse(graph) else graph
        matrix = _matrix(dense, "adjacency")
    else:
        matrix = GraphSet.of(graph).adjacency().toarray()
    if not np.isin(matrix, (0, 1)).all():
        raise ValueError(
            "`adjacency` holds values other than 0 and 1; a drawn graph has no weights"
        )
    return matrix


def _common_cells(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two step functions on the cells between all their cuts, and the whole widths of these."""
    whole = math.lcm(len(a), len(b))
    cuts = np.union1d(np.arange(0, whole, whole // len(a)), np.arange(0, whole, whole // len(b)))
    in_a, in_b = cuts * len(a) // whole, cuts * len(b) // whole
    widths = np.diff(cuts, append=whole).astype(np.float64)
    return a[np.ix_(in_a, in_a)], b[np.ix_(in_b, in_b)], widths


def _mass(values: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """The integral over each pair of cells, once cells with equal rows (so columns) are one."""
    _, first, cell = np.unique(values, axis=0, return_index=True, return_inverse=True)
    widths = np.bincount(cell.reshape(-1), widths)
    return values[np.ix_(first, first)] * widths[:, None] * widths


def _largest_cut(mass: np.ndarray) -> float:
    """Tries every S; the best T then takes the columns of one sign."""
    low = min(12, len(mass))
    lower_sums, upper_sums = _sums_of_subsets(mass[:low]), _sums_of_subsets(mass[low:])
    best = 0.0
    for sums in upper_sums:
        columns = lower_sums + sums
        positive = columns.clip(min=0).sum(1)
        best = max(best, positive.max(), (positive - columns.sum(1)).max())
    return float(best)


def _sums_of_subsets(rows: np.ndarray) -> np.ndarray:
    """(2^R, K) the sum of every subset of (R, K) rows."""
    sums = np.zeros((1, rows.shape[1]))
    for row in rows:
        sums = np.concatenate([sums, sums + row])
    return sums


def _found_cut(mass: np.ndarray, starts: int, seed: int) -> float:
    """The best cut when S and T take turns to suit each other, from many sets S at once."""
    values, vectors = np.linalg.eigh(mass)
    leading = vectors[:, np.argsort(-np.abs(values))[:8]].T
    random = numpy_generator(seed, "cut norm").random((starts, len(mass))) < 0.5
    everything = np.ones((1, len(mass)), bool)
    start = np.concatenate([everything, leading > 0, leading < 0, random]).astype(np.float64)
    best = 0.0
    for signed in (mass, -mass):
        s, value = start, -1.0
        while True:
            gain = s @ signed
            if gain.clip(min=0).sum() <= value * (1 + 1e-12):
                break
            value = gain.clip(min=0).sum()
            best = max(best, float(gain.clip(min=0).sum(1).max()))
            s = ((gain > 0) @ signed > 0).astype(np.float64)
    return best


def _spectral_bound(mass: np.ndarray) -> float:
    """A quarter of |P^-1/2 Z P^-1/2|_2 trace(P), at least the cut norm, for good diagonal P.

    With 0/1 vectors written as (1 + signs) / 2, the cut norm is a quarter of the largest u' Z v
    over signs u, v, where Z is `mass` bordered by its sums; and |P^1/2 u|^2 = trace(P) for signs u.
    Any positive P gives a bound. The best, sought here, is the dual of the semidefinite relaxation,
    so within Grothendieck's constant, 1.783, of the truth.
    """
    sums = mass.sum(1)
    z = np.block([[sums.sum(), sums], [sums[:, None], mass]])
    start = np.log(np.abs(z).sum(1).clip(min=1e-6 * np.abs(z).sum(1).max()))
    bounds = []

    def objective(log_weights: np.ndarray) -> tuple[float, np.ndarray]:
        weights = np.exp((log_weights - log_weights.max()).clip(min=-30))
        weights /= weights.sum()
        root = np.sqrt(weights)
        values, vectors = np.linalg.eigh(z / root[:, None] / root)
        largest = np.abs(values).max()
        bounds.append(largest / 4)
        # The norm of order 100 instead of the largest eigenvalue, which has no gradient at ties.
        share = (np.abs(values) / largest) ** 100
        smooth = np.log(largest) + np.log(share.sum()) / 100
        return smooth, weights - vectors**2 @ (share / share.sum())

    minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxfun": 30})
    return float(min(bounds)) * (1 + 1e-12)  # well above what eigh rounds away


def _over_pairs(terms: np.ndarray, pairs: Pairs) -> float:
    if pairs not in ("distinct", "all"):
        raise ValueError(f"`pairs` is {pairs!r}; it must be 'distinct' or 'all'")
    return float(terms.sum() if pairs == "all" else terms[np.triu_indices(len(terms), 1)].sum())


def _between_0_and_1(value: float, name: str) -> None:
    if not 0 < value < 1:
        raise ValueError(f"`{name}` is {value}; it must lie between 0 and 1")
