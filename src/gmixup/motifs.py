"""Motifs by name, and homomorphism counts: all maps of a motif into a graph or a weight matrix.

Counting is variable elimination: a node of the motif with one neighbour is summed into a vector on
that neighbour, one with two neighbours into a matrix between them. Trees thus cost O(K^2) for a
dense K x K matrix and O(E) for a sparse one; motifs of treewidth 2 (cycles, diamonds) a few matrix
products, O(K^3), or the sum of squared degrees. Where every node has three neighbours left, one is
fixed at each of its images in turn: a factor K, or, in a sparse graph, work within neighbourhoods.
Memory is a few matrices at any K. Cliques and squares in graphs have their own, quicker ways.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

# A numpy array or a scipy sparse one: the stubs of the latter do not know its arithmetic.
Matrix = Any

LARGEST = 6  # nodes of a motif given as a graph
LONGEST = 32  # nodes of a named motif; beyond, counts overflow
SMALL = 256  # below so many nodes a dense matrix is quicker than a sparse one
WEDGES_AT_ONCE = 2**22  # bounds the entries of a sparse product (64 MB), but for one huge graph

_SHORT = {
    "node": "path-1",
    "edge": "path-2",
    "wedge": "path-3",
    "triangle": "cycle-3",
    "square": "cycle-4",
}
# The smallest N, the nodes beside the N named ones, and the graph itself.
_FAMILIES = {
    "path": (1, 0, nx.path_graph),
    "cycle": (3, 0, nx.cycle_graph),
    "clique": (1, 0, nx.complete_graph),
    "star": (1, 1, nx.star_graph),
}


def motif_graph(motif: str | nx.Graph) -> nx.Graph:
    """The graph that a name stands for, or the graph itself once it is known to be simple.

    Names: node, edge, wedge, triangle, square; path-N, cycle-N and clique-N of N nodes; star-N of N
    leaves.
    """
    if isinstance(motif, str):
        return _named(motif)
    if not isinstance(motif, nx.Graph):
        raise ValueError(f"`motif` is a {type(motif).__name__}; give a name or a networkx graph")
    if motif.is_directed() or motif.is_multigraph() or nx.number_of_selfloops(motif):
        raise ValueError(
            f"`motif` is {motif} and must be a simple graph: undirected, no loops, no repeated edge"
        )
    if not 1 <= len(motif) <= LARGEST:
        raise ValueError(f"`motif` has {len(motif)} nodes; give a graph of 1 to {LARGEST} nodes")
    return motif


def _named(name: str) -> nx.Graph:
    family, _, number = _SHORT.get(name, name).partition("-")
    if family not in _FAMILIES or not number.isdecimal():
        raise ValueError(
            f"`motif` is {name!r}; the names are {', '.join(_SHORT)}, path-N, cycle-N, clique-N "
            "and star-N; or give a networkx graph"
        )
    least, more, build = _FAMILIES[family]
    if not least <= int(number) <= LONGEST - more:
        raise ValueError(
            f"`motif` is {name!r}; in {family}-N, N must be from {least} to {LONGEST - more}"
        )
    return build(int(number))


def homomorphism_sum(motif: nx.Graph, matrix: np.ndarray, weights: np.ndarray) -> float:
    """Sum over all maps of the motif's nodes to cells of the product of weights and entries.

    `matrix` is a symmetric (K, K) array, `weights` (K,) is the size of each cell.
    """
    parts = (motif.subgraph(nodes) for nodes in nx.connected_components(motif))
    return float(np.prod([_by_image(part, matrix, weights).sum() for part in parts]))


def homomorphism_counts(motif: nx.Graph, adjacency: Matrix, ptr: np.ndarray) -> np.ndarray:
    """(G,) homomorphisms of the motif into each of many simple graphs.

    `adjacency` is block-diagonal (N, N) with ones, symmetric, without loops; the nodes of graph g
    are `ptr[g]` to `ptr[g + 1]`, with `ptr` (G + 1,).
    """
    counts = np.ones(len(ptr) - 1)
    for nodes in nx.connected_components(motif):
        part = motif.subgraph(nodes)
        for first, last in _portions(part, adjacency, ptr):
            inside = slice(ptr[first], ptr[last])
            images = _by_image_in_graphs(part, adjacency[inside, inside])
            graph = np.repeat(np.arange(last - first), np.diff(ptr[first : last + 1]))
            counts[first:last] *= np.bincount(graph, images, minlength=last - first)
    return counts


def _portions(motif: nx.Graph, adjacency: Matrix, ptr: np.ndarray) -> Iterator[tuple[int, int]]:
    """Runs of graphs to count in together, (first, last + 1), within the limit on memory."""
    cycles = motif.number_of_edges() - len(motif) + 1
    if cycles == 0:
        cost = np.zeros(len(ptr) - 1)
    elif cycles < 3 or _is_clique(motif):
        wedges = np.diff(adjacency.indptr).astype(float) ** 2
        cost = np.diff(np.concatenate([[0.0], np.cumsum(wedges)])[ptr])
    else:  # a node may have to be fixed: keep the other graphs out of it
        cost = np.full(len(ptr) - 1, WEDGES_AT_ONCE)
    portion = np.cumsum(cost) // WEDGES_AT_ONCE
    cuts = [0, *(np.flatnonzero(np.diff(portion)) + 1).tolist(), len(ptr) - 1]
    return pairwise(cuts)


def _by_image_in_graphs(motif: nx.Graph, adjacency: Matrix) -> np.ndarray:
    """(N,) homomorphisms of a connected motif by the image of one node, in simple graphs."""
    if _is_clique(motif) and len(motif) > 2:
        return math.factorial(len(motif)) * _cliques(adjacency, len(motif))
    if len(motif) == 4 and all(len(motif[node]) == 2 for node in motif):
        return _squares(adjacency)
    nodes = adjacency.shape[0]
    return _by_image(motif, adjacency.toarray() if nodes < SMALL else adjacency, np.ones(nodes))


def _is_clique(motif: nx.Graph) -> bool:
    return 2 * motif.number_of_edges() == len(motif) * (len(motif) - 1)


def _cliques(adjacency: Matrix, size: int) -> np.ndarray:
    """(N,) cliques of at least two nodes by their node of smallest rank."""
    below, rank = _below(adjacency)
    above = sp.csr_array(below.T)
    # A row for each clique so far, ordered by rank: the nodes above and next to all of its nodes.
    common, lowest = above, np.arange(len(rank))
    for _ in range(size - 2):
        clique, node = sp.coo_array(common).coords
        common, lowest = common[clique] * above[node], lowest[clique]
    return np.bincount(lowest, common.sum(1), minlength=len(rank))


def _squares(adjacency: Matrix) -> np.ndarray:
    """(N,) closed walks of length 4: 8 a square, 2 a wedge counted from either end, 2 an edge."""
    below, rank = _below(adjacency)
    # Two wedges between v and w through nodes below v close a square; v is its highest node.
    wedges = sp.coo_array(below @ adjacency)
    row, column = wedges.coords
    paths = np.where(rank[column] < rank[row], wedges.data, 0)
    squares = np.bincount(row, paths * (paths - 1) / 2, minlength=len(rank))
    degree = np.diff(adjacency.indptr).astype(np.float64)
    return 8 * squares + 2 * degree**2 - degree


def _below(adjacency: Matrix) -> tuple[Matrix, np.ndarray]:
    """Each edge at its end of larger rank alone, and the rank of each node by degree.

    A hub is the middle of many wedges, but few neighbours rank above it: at most sqrt(2 E) above
    any node. Taken by rank, wedges are O(E * arboricity) instead of the sum of squared degrees.
    """
    degree = np.diff(adjacency.indptr)
    rank = np.empty(len(degree), np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(len(degree))
    row = np.repeat(np.arange(len(degree)), degree)
    down = rank[adjacency.indices] < rank[row]
    edges = (adjacency.data[down], (row[down], adjacency.indices[down]))
    return sp.csr_array(edges, shape=adjacency.shape), rank


def _by_image(motif: nx.Graph, matrix: Matrix, weights: np.ndarray) -> np.ndarray:
    """(K,) the sum over all maps of a connected motif, by the image of one of its nodes."""
    directions = [(a, b) for edge in motif.edges for a, b in (edge, edge[::-1])]
    return _eliminate(dict.fromkeys(motif, weights), dict.fromkeys(directions, matrix))


def _eliminate(vectors: dict, matrices: dict) -> np.ndarray:
    """Sums out all nodes but one: `vectors[a]` weighs the images of a, `matrices[a, b]` pairs."""
    vectors, matrices = dict(vectors), dict(matrices)
    while len(vectors) > 1:
        near = {node: [b for a, b in matrices if a == node] for node in vectors}
        node = min(near, key=lambda a: len(near[a]))
        if len(near[node]) > 2:
            return _fix(max(near, key=lambda a: len(near[a])), vectors, matrices)
        weights = vectors.pop(node)
        to = [(matrices.pop((a, node)), matrices.pop((node, a))) for a in near[node]]
        if len(to) == 1:
            (a,) = near[node]
            vectors[a] = vectors[a] * (to[0][0] @ weights)
        else:
            a, b = near[node]
            through = (to[0][0] * weights) @ to[1][1]
            through = through * matrices[a, b] if (a, b) in matrices else through
            matrices[a, b], matrices[b, a] = _by_row(through), _by_row(through.T)
    return next(iter(vectors.values()))


def _fix(pivot: Any, vectors: dict, matrices: dict) -> np.ndarray:
    """The sums by the image of `pivot`, one image at a time; every node has three neighbours."""
    near = [b for a, b in matrices if a == pivot]
    pairs = [pair for pair in matrices if pivot not in pair]
    parts = list(nx.connected_components(nx.Graph(pairs)))
    sums = vectors[pivot].copy()
    for image in np.flatnonzero(sums):
        inner, places = dict(vectors), {}
        for node in near:
            places[node], entries = _entries(matrices[pivot, node], image)
            inner[node] = inner[node][places[node]] * entries
        for part in parts:
            between = {
                (a, b): _restricted(matrices[a, b], places.get(a), places.get(b))
                for a, b in pairs
                if a in part
            }
            sums[image] *= _eliminate({a: inner[a] for a in part}, between).sum()
    return sums


def _by_row(matrix: Matrix) -> Matrix:
    return matrix.tocsr() if sp.issparse(matrix) else matrix


def _entries(matrix: Matrix, row: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where a row is not zero, and its values there."""
    if sp.issparse(matrix):
        one = matrix[[row]].sorted_indices()
        return one.indices, one.data
    (places,) = np.nonzero(matrix[row])
    return places, matrix[row, places]


def _restricted(matrix: Matrix, rows: np.ndarray | None, columns: np.ndarray | None) -> Matrix:
    """Some rows and columns of a matrix (None: all); dense, once it is small."""
    if rows is not None and len(rows) < matrix.shape[0]:
        matrix = matrix[rows]
    if columns is not None and len(columns) < matrix.shape[1]:
        matrix = matrix[:, columns]
    small = sp.issparse(matrix) and matrix.shape[0] * matrix.shape[1] < SMALL**2
    return matrix.toarray() if small else matrix
