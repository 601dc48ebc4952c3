"""Properties of graphs: one number a graph, or a law within each graph, binned."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from gmixup.graphs import GraphSet
from gmixup.seeds import numpy_generator
from gmixup.theory import motif_densities

MOTIFS = ("edge", "wedge", "triangle", "square", "star-3")

# Bins begin at these values. Degrees: one by one up to 11, then wider by a twelfth each, as hubs
# differ by ratio. For the others, work on generating graphs takes 100 and 200 bins, and a bandwidth
# of 0.1 for clustering; but then nearly all graphs are as far apart as can be, and PROTEINS or
# IMDB-BINARY are told from random graphs of their sizes by less than half the ratio.
DEGREE_BINS = np.unique(np.r_[0, np.geomspace(1, 2**16, 16 * 8 + 1).astype(int)])
CLUSTERING_BINS = np.arange(20) / 20
SPECTRUM_BINS = np.arange(20) / 10

# Of larger sets, laws compare so many graphs, drawn by seed: a kernel has the square of both sets'
# graphs as entries, and eigenvalues take O(nodes³), 20 ms at 500 nodes.
LAW_GRAPHS, SPECTRUM_GRAPHS, SPECTRUM_NODES = 1000, 200, 500


def properties(graphs: Any) -> dict[str, np.ndarray]:
    """Name -> (G,) float64: the properties that are one number a graph, for each graph."""
    return numbers(*simple(graphs, "graphs"))


def simple(data: Any, name: str) -> tuple[GraphSet, Tensor]:
    """The graphs without self-loops, and (G,) how many of these each had."""
    graphs = GraphSet.of(data, directed="as-is")
    if not len(graphs):
        raise ValueError(f"`{name}` holds no graph; give at least one")
    if not graphs.directed:
        return graphs, torch.zeros(len(graphs))
    owner = torch.arange(len(graphs)).repeat_interleave(graphs.num_edges)
    loop = graphs.edge_index[0] == graphs.edge_index[1]
    edges = torch.bincount(owner[~loop], minlength=len(graphs))
    plain = GraphSet(graphs.num_nodes, edges, graphs.edge_index[:, ~loop])
    adjacency = plain.adjacency()
    if (adjacency != adjacency.T).nnz:
        raise ValueError(
            f"`{name}` holds directed graphs (an edge is listed in one direction only); pass "
            'GraphSet.of(graphs, directed="symmetrise") to take each as an undirected edge'
        )
    return plain, torch.bincount(owner[loop], minlength=len(graphs))


def numbers(graphs: GraphSet, loops: Tensor) -> dict[str, np.ndarray]:
    """Name -> (G,) of simple graphs that had so many self-loops, (G,)."""
    nodes, edges = graphs.sizes().double().numpy().T
    degree = graphs.degrees()
    largest = torch.zeros(len(graphs), dtype=torch.long)
    largest.scatter_reduce_(0, graphs.owner(), degree, "amax")
    closed, wedges = _wedges_at_nodes(graphs)
    found = {
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
    return found | {f"{name} motif": each for name, each in zip(MOTIFS, densities, strict=True)}


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
