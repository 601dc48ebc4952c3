"""Fidelity: how far synthetic graphs are from the real ones, beside how far the real ones differ.

A property is one number a graph (its nodes, its triangles, ...) or a law within each graph (of the
degrees, the local clustering, the eigenvalues of the normalised Laplacian). Two sets of graphs
differ by

- W1: the Wasserstein-1 distance between the numbers, in standard deviations of the real ones (as a
  share of the real number where all are alike, as it is where they are all 0);
- MMD: the maximum mean discrepancy between the histograms, by a Gaussian kernel on total variation.
  It is the root of the biased (V-) estimate: never negative, and 0 between a set and itself.

Both are norms of the difference of two empirical measures, so even two samples of one law, of n and
m graphs, are some way apart, and that way goes as sqrt(1/n + 1/m). The floor is the mean distance
between random halves of the real set, brought from the sizes of the halves to n and m by that root.
The ratio distance / floor is therefore about 1 for graphs of the same law, whatever n and m; less
where the synthetic graphs take the property from the real ones themselves, as sizes often do.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import torch
from scipy.spatial.distance import cdist
from torch import Tensor

from gmixup.graphs import GraphSet
from gmixup.seeds import numpy_generator
from gmixup.theory import motif_densities

Kind = Literal["W1", "MMD"]

MOTIFS = ("edge", "wedge", "triangle", "square", "star-3")
HALVINGS = 20

# Bins begin at these values. Degrees: one by one up to 11, then wider by a twelfth each, as hubs
# differ by ratio. For the others, work on generating graphs takes 100 and 200 bins, and a bandwidth
# of 0.1 for clustering; but then nearly all graphs are as far apart as can be, and PROTEINS or
# IMDB-BINARY are told from random graphs of their sizes by less than half the ratio.
DEGREE_BINS = np.unique(np.r_[0, np.geomspace(1, 2**16, 16 * 8 + 1).astype(int)])
CLUSTERING_BINS = np.arange(20) / 20
SPECTRUM_BINS = np.arange(20) / 10
BANDWIDTH = 1.0  # of the Gaussian, on the total variation in [0, 1]

# Of larger sets, laws compare so many graphs, drawn by seed: a kernel has the square of both sets'
# graphs as entries, and eigenvalues take O(nodes³), 20 ms at 500 nodes.
LAW_GRAPHS, SPECTRUM_GRAPHS, SPECTRUM_NODES = 1000, 200, 500

NEGLIGIBLE = 1e-6  # a floor or a relative spread below this is rounding

INDEPENDENCE = (
    "A graphon draws edges independently, given the positions of the nodes: it cannot make a "
    "sparse graph of cliques (clustering near 1), nor rings without triangles. Expect clustering, "
    "triangles and squares of such graphs to be missed."
)
HEADER = ("property", "real", "synthetic", "kind", "distance", "floor", "ratio")


@dataclass(frozen=True)
class Row:
    """One property: mean and standard deviation over graphs, distance, floor and their ratio.

    A law's number is the standard deviation within a graph. Where one is None, `reason` says why.
    """

    name: str
    kind: Kind
    real: float | None = None
    real_sd: float | None = None
    synthetic: float | None = None
    synthetic_sd: float | None = None
    distance: float | None = None
    floor: float | None = None
    ratio: float | None = None
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class Fidelity:
    """The comparison of two sets of graphs, a row for each property."""

    rows: tuple[Row, ...]
    graphs: tuple[int, int]  # real, synthetic
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Row:
        """The row of a property, by its name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"no property {name!r}; there are {', '.join(r.name for r in self.rows)}")

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """Title, rows and notes as text in columns."""
        lines = [HEADER, *map(_cells, self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
        return "\n".join([self._title(), *text, *self._remarks()])

    def markdown(self) -> str:
        """Title, rows and notes as Markdown."""
        lines = [HEADER, ("---",) * len(HEADER), *map(_cells, self.rows)]
        text = (f"| {' | '.join(line)} |" for line in lines)
        remarks = (f"- {remark}" for remark in self._remarks())
        return "\n".join([self._title(), "", *text, "", *remarks])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings and None, fit for json."""
        return {
            "graphs": {"real": self.graphs[0], "synthetic": self.graphs[1]},
            "properties": {row.name: asdict(row) for row in self.rows},
            "notes": list(self.notes),
        }

    def _title(self) -> str:
        real, synthetic = self.graphs
        return f"{real} real against {synthetic} synthetic graphs (mean ± sd)"

    def _remarks(self) -> list[str]:
        """The notes, after the reasons for missing numbers, each with all its rows."""
        reasons = dict.fromkeys(row.reason for row in self.rows if row.reason)
        names = {r: ", ".join(row.name for row in self.rows if row.reason == r) for r in reasons}
        return [*(f"{names[reason]}: {reason}." for reason in reasons), *self.notes]


def compare(real: Any, synthetic: Any, seed: int = 0, *, halvings: int = HALVINGS) -> Fidelity:
    """Compares two sets of graphs, each in any form that `GraphSet.of` takes.

    `seed` decides the `halvings` of the real set and, for laws, which graphs of large sets are
    looked at. Self-loops are counted, and play no other part.
    """
    if halvings < 1:
        raise ValueError(f"`halvings` is {halvings}; the floor needs at least 1")
    first, first_loops = _simple(real, "real")
    second, second_loops = _simple(synthetic, "synthetic")
    rng = numpy_generator(seed, "fidelity", "halvings")
    weights = _signed_weights(len(first), len(second), halvings, rng)
    numbers = _numbers(first, first_loops), _numbers(second, second_loops)
    rows = [_number_row(name, numbers[0][name], numbers[1][name], weights) for name in numbers[0]]
    notes = [INDEPENDENCE]
    for law in LAWS:
        parts = law.part(first, seed), law.part(second, seed)
        rows.append(_law_row(law, *parts, halvings, rng))
        if len(parts[0]) < len(first) or len(parts[1]) < len(second):
            notes.append(law.limits(len(parts[0]), len(parts[1])))
    return Fidelity(tuple(rows), (len(first), len(second)), tuple(notes))


def properties(graphs: Any) -> dict[str, np.ndarray]:
    """Name -> (G,) float64: the properties that are one number a graph, for each graph."""
    return _numbers(*_simple(graphs, "graphs"))


def _simple(data: Any, name: str) -> tuple[GraphSet, Tensor]:
    """The graphs without self-loops, and (G,) how many of these each had."""
    graphs = GraphSet.of(data, directed="as-is")
    if not len(graphs):
        raise ValueError(f"`{name}` holds no graph; give at least one")
    if not graphs.directed:
        return graphs, torch.zeros(len(graphs))
    owner = torch.arange(len(graphs)).repeat_interleave(graphs.num_edges)
    loop = graphs.edge_index[0] == graphs.edge_index[1]
    edges = torch.bincount(owner[~loop], minlength=len(graphs))
    simple = GraphSet(graphs.num_nodes, edges, graphs.edge_index[:, ~loop])
    adjacency = simple.adjacency()
    if (adjacency != adjacency.T).nnz:
        raise ValueError(
            f"`{name}` holds directed graphs (an edge is listed in one direction only); pass "
            'GraphSet.of(graphs, directed="symmetrise") to take each as an undirected edge'
        )
    return simple, torch.bincount(owner[loop], minlength=len(graphs))


def _numbers(graphs: GraphSet, loops: Tensor) -> dict[str, np.ndarray]:
    nodes, edges = graphs.sizes().double().numpy().T
    degree = graphs.degrees()
    largest = torch.zeros(len(graphs), dtype=torch.long)
    largest.scatter_reduce_(0, graphs.owner(), degree, "amax")
    closed, wedges = _wedges_at_nodes(graphs)
    numbers = {
        "nodes": nodes,
        "edges": edges,
        "density": graphs.densities().numpy(),
        "isolated nodes": _mean_in_graph(degree.numpy() == 0, graphs),
        "self-loops": loops.double().numpy(),
        "mean degree": 2 * edges / nodes.clip(min=1),
        "largest degree": largest.double().numpy(),
        "mean clustering": _mean_in_graph(closed / wedges.clip(min=1), graphs),
        "transitivity": _sum_in_graph(closed, graphs) / _sum_in_graph(wedges, graphs).clip(min=1),
    }
    densities = motif_densities(graphs, MOTIFS).numpy().T
    return numbers | {f"{name} motif": each for name, each in zip(MOTIFS, densities, strict=True)}


def _sum_in_graph(values: np.ndarray, graphs: GraphSet) -> np.ndarray:
    """(G,) the sum of (N,) values over the nodes of each graph."""
    return np.bincount(graphs.owner().numpy(), values, minlength=len(graphs))


def _mean_in_graph(values: np.ndarray, graphs: GraphSet) -> np.ndarray:
    """(G,) the mean; 0 for a graph without nodes."""
    return _sum_in_graph(values, graphs) / graphs.num_nodes.clamp(min=1).numpy()


def _degrees(graphs: GraphSet) -> np.ndarray:
    return graphs.degrees().double().numpy()


def _clustering(graphs: GraphSet) -> np.ndarray:
    """(N,) the share of a node's pairs of neighbours that are joined; 0 where there is no pair."""
    closed, wedges = _wedges_at_nodes(graphs)
    return closed / wedges.clip(min=1)


def _wedges_at_nodes(graphs: GraphSet) -> tuple[np.ndarray, np.ndarray]:
    """(N,) pairs of joined neighbours of each node, which are its triangles, and (N,) all pairs.

    An edge goes down from the node of higher degree. A hub has a great many pairs of neighbours
    below it, which no product here forms: each pair has a neighbour above, and of these a node has
    at most sqrt(2E). So the cost is O(E^1.5) at worst.
    """
    adjacency = graphs.adjacency()
    degree = np.diff(adjacency.indptr).astype(np.int64)
    rank = np.empty(len(degree), np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(len(degree))
    row = np.repeat(np.arange(len(degree)), degree)
    down = rank[adjacency.indices] < rank[row]
    ptr = np.concatenate([[0], np.cumsum(np.bincount(row[down], minlength=len(degree)))])
    below = sp.csr_array((adjacency.data[down], adjacency.indices[down], ptr), adjacency.shape)
    by_ends = (below @ below) * below  # row: highest node of a triangle, column: lowest
    by_top = (below @ below.T) * below  # row: highest node, column: the middle one
    return by_ends.sum(1) + by_ends.sum(0) + by_top.sum(0), degree * (degree - 1) / 2


def _eigenvalues(graphs: GraphSet) -> np.ndarray:
    """(N,) eigenvalues of each normalised Laplacian; an isolated node has the eigenvalue 0."""
    spectra = []
    for matrix in graphs.to_scipy():
        dense = matrix.toarray()
        degree = dense.sum(0)
        root = np.sqrt(degree.clip(min=1))
        laplacian = np.diag((degree > 0).astype(float)) - dense / root[:, None] / root
        spectra.append(np.linalg.eigvalsh(laplacian))
    # Many eigenvalues are whole numbers or fractions: rounding must not decide their bins.
    return np.concatenate([np.empty(0), *spectra]).round(9)


@dataclass(frozen=True)
class Law:
    """A law within a graph: a value at each node, binned, compared as histograms."""

    name: str
    values: Callable[[GraphSet], np.ndarray]  # (N,)
    bins: np.ndarray  # (B,) where each bin begins; the last is open
    most_graphs: int = LAW_GRAPHS
    most_nodes: int | None = None

    def part(self, graphs: GraphSet, seed: int) -> GraphSet:
        """The graphs that are compared."""
        nodes = graphs.num_nodes.numpy()
        places = np.flatnonzero(nodes <= (self.most_nodes or nodes.max()))
        if len(places) > self.most_graphs:
            # Real and synthetic graphs from one stream: a set and itself give the same part.
            rng = numpy_generator(seed, "fidelity", self.name)
            places = np.sort(rng.choice(places, self.most_graphs, replace=False))
        return graphs if len(places) == len(graphs) else graphs.subset(places)

    def limits(self, real: int, synthetic: int) -> str:
        """The note on parts of so many graphs."""
        size = f" of at most {self.most_nodes} nodes" if self.most_nodes else ""
        return (
            f"{self.name}: from {real} real and {synthetic} synthetic graphs{size}, drawn by seed."
        )

    def of(self, graphs: GraphSet) -> tuple[np.ndarray, np.ndarray]:
        """(G,) standard deviations and (G, B) histograms, all 0 in a graph without nodes."""
        values, owner = self.values(graphs), graphs.owner().numpy()
        mean = _mean_in_graph(values, graphs)
        spread = np.sqrt(_mean_in_graph((values - mean[owner]) ** 2, graphs))
        place = owner * len(self.bins) + np.searchsorted(self.bins, values, side="right") - 1
        counts = np.bincount(place, minlength=len(graphs) * len(self.bins))
        nodes = graphs.num_nodes.clamp(min=1).numpy()
        return spread, counts.reshape(len(graphs), -1) / nodes[:, None]


LAWS = (
    Law("degree law", _degrees, DEGREE_BINS),
    Law("clustering law", _clustering, CLUSTERING_BINS),
    Law("spectrum", _eigenvalues, SPECTRUM_BINS, SPECTRUM_GRAPHS, SPECTRUM_NODES),
)


def _signed_weights(
    real: int, synthetic: int, halvings: int, rng: np.random.Generator
) -> np.ndarray:
    """(real + synthetic, 1 + H): real minus synthetic, then half of the real minus the rest."""
    weights = np.zeros((real + synthetic, 1 + (halvings if real > 1 else 0)))
    weights[:real, 0], weights[real:, 0] = 1 / real, -1 / synthetic
    if real > 1:
        half = real // 2
        signs = np.repeat([1 / half, -1 / (real - half)], [half, real - half])
        weights[:real, 1:] = rng.permuted(np.tile(signs, (halvings, 1)), axis=1).T
    return weights


def _wasserstein(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(D,) the area between two distribution functions, for (S,) values and (S, D) weights."""
    order = np.argsort(values)
    between = np.cumsum(weights[order], axis=0)[:-1]
    return np.diff(values[order]) @ np.abs(between)


def _discrepancy(histograms: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(D,) the MMD, for (S, B) histograms and (S, D) weights."""
    variation = cdist(histograms, histograms, "cityblock") / 2
    kernel = np.exp(-((variation / BANDWIDTH) ** 2) / 2)
    return np.sqrt((weights * (kernel @ weights)).sum(0).clip(min=0))


def _number_row(name: str, real: np.ndarray, synthetic: np.ndarray, weights: np.ndarray) -> Row:
    distances = _wasserstein(np.concatenate([real, synthetic]), weights) / _scale(real)
    return _row(name, "W1", real, synthetic, distances)


def _law_row(
    law: Law, real: GraphSet, synthetic: GraphSet, halvings: int, rng: np.random.Generator
) -> Row:
    if not len(real) or not len(synthetic):
        return Row(law.name, "MMD", reason=f"a set has no graph of at most {law.most_nodes} nodes")
    (first, of_real), (second, of_synthetic) = law.of(real), law.of(synthetic)
    weights = _signed_weights(len(real), len(synthetic), halvings, rng)
    distances = _discrepancy(np.concatenate([of_real, of_synthetic]), weights)
    return _row(law.name, "MMD", first, second, distances)


def _scale(real: np.ndarray) -> float:
    """The unit of W1: the standard deviation, else (all alike) the value, else 1."""
    spread, size = float(real.std()), float(np.abs(real.mean()))
    return spread if spread > NEGLIGIBLE * size else size or 1.0


def _row(
    name: str, kind: Kind, real: np.ndarray, synthetic: np.ndarray, distances: np.ndarray
) -> Row:
    """The row of (G,) numbers in either set and (1 + H,) distances, the first between the sets."""
    n, m, half = len(real), len(synthetic), len(real) // 2
    floor = ratio = reason = None
    if half == 0:
        reason = "one real graph has no halves, so there is no floor"
    else:
        shrink = np.sqrt((1 / n + 1 / m) / (1 / half + 1 / (n - half)))
        floor = float(distances[1:].mean() * shrink)
        if floor > NEGLIGIBLE:
            ratio = float(distances[0]) / floor
        else:
            floor = 0.0
            reason = "the real graphs are all alike, so there is no ratio to the floor"
    return Row(
        name,
        kind,
        real=float(real.mean()),
        real_sd=float(real.std()),
        synthetic=float(synthetic.mean()),
        synthetic_sd=float(synthetic.std()),
        distance=float(distances[0]),
        floor=floor,
        ratio=ratio,
        reason=reason,
    )


def _cells(row: Row) -> tuple[str, ...]:
    sets = ((row.real, row.real_sd), (row.synthetic, row.synthetic_sd))
    spreads = ("–" if mean is None else f"{mean:.3g} ± {sd:.3g}" for mean, sd in sets)
    numbers = (row.distance, row.floor, row.ratio)
    return (row.name, *spreads, row.kind, *("–" if n is None else f"{n:.3g}" for n in numbers))
