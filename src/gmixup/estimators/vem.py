"""VEM: an ordered block model over all graphs at once, by variational EM.

Every node lies in one of K equal cells that all graphs share, and two nodes are joined with the
chance of their two cells. Which cell is uncertain, so each node keeps a distribution over them. By
turns the distributions are improved at given chances (E step) and the chances, smoothed, at given
distributions (M step). It starts from the order of degrees and, where that is cheap, also from that
of an eigenvector: the degrees of some graphons do not tell the positions apart.
"""

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
import torch
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.stats import rankdata
from torch import Tensor

from gmixup.alignment import Aligned
from gmixup.columns import Columns
from gmixup.estimators._base import AbstractEstimator
from gmixup.estimators._density import exposures
from gmixup.estimators._variational import Fit, Memberships, Units, fit, simplified
from gmixup.graphs import GraphSet
from gmixup.placement import Alignment, membership
from gmixup.sizes import SizeLaw
from gmixup.smoothing import (
    Surface,
    best_blocks,
    best_surface,
    check_bandwidth,
    fitting_resolution,
    with_density,
)

# Memberships (units x K) up to which several starts are tried, and double precision is used.
CHEAP = 750_000
DENSE = 300  # nodes up to which all eigenvectors are found at once
TRIAL = 5  # iterations after which the best of several starts goes on alone
WIDE = 0.3  # bandwidth of as many iterations from a single start


@dataclass(frozen=True)
class VEM(AbstractEstimator):
    """The ordered block model; position 0 has the largest degree where degrees tell positions."""

    name: ClassVar[str] = "vem"

    alignment: Alignment = "pooled"  # the order of degrees that it starts from
    bandwidth: float | None = None  # share of [0, 1]; None: what the data say; 0: no smoothing
    iterations: int = 12  # at most
    evenness: float = 30.0  # how much evenly filled cells count; 1: as much as independent draws
    spectral: bool = True  # whether to start from an eigenvector too

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bandwidth(self.bandwidth)
        if self.iterations < 1:
            raise ValueError(f"`iterations` is {self.iterations}; it must be at least 1")
        if not 0 < self.evenness < np.inf:
            raise ValueError(f"`evenness` is {self.evenness}; it must be above 0 and finite")

    def fit(self, graphs: GraphSet, resolution: int) -> tuple[Tensor, Aligned]:
        """The (K, K) matrix, and sums in which each node is spread as its distribution says."""
        units = Units.of(graphs)
        best = self._best(graphs, units, resolution)
        order = falling_order(best.surface)
        sums = pooled(graphs, units, best.held, order)
        density = float(sums.edges.sum() / sums.pairs.sum().clamp(min=1e-9))
        edges = with_density(best.surface.edges[np.ix_(order, order)], density)
        return torch.from_numpy(edges), sums

    def default_resolution(self, graphs: GraphSet) -> int:
        """K where none is given, by the number of nodes in all graphs together."""
        return fitting_resolution(graphs.node_count)

    def _best(self, graphs: GraphSet, units: Units, resolution: int) -> Fit:
        """The fit of the best score over the starts that there is time for."""
        cheap = len(units.weight) * resolution <= CHEAP
        kind = np.float64 if cheap else np.float32
        nodes = graphs.node_count
        steps: list[partial[Surface]] = [
            partial(best_surface, nodes=nodes, bandwidth=self.bandwidth)
        ]
        if cheap and self.bandwidth is None:
            # From smoothed chances the memberships would not find a sharp border by themselves.
            steps.append(partial(best_blocks, nodes=nodes))
        places = [degree_positions(graphs, resolution, self.alignment)]
        if cheap and self.spectral:
            places.extend(eigenvector_positions(graphs))
        starts = [blurred(p[units.first], graphs, units, resolution).astype(kind) for p in places]
        trials = [(Memberships.of(units, start), step) for start, step in product(starts, steps)]
        # Without smoothing the factors of a pair would feed on noise.
        go_on = partial(fit, units, evenness=self.evenness, jointly=self.bandwidth != 0)
        short = min(TRIAL, self.iterations)
        if len(trials) == 1:
            held, step = trials[0]
            if self.bandwidth is None:
                # Of nodes that start in order of degree, those of one degree would be found to be
                # a block, and so stay one: the data are asked once they have parted.
                held = go_on(held, partial(step, bandwidth=WIDE), iterations=short).held
                return go_on(held, step, iterations=self.iterations - short)
            return go_on(held, step, iterations=self.iterations)
        fits = [go_on(held, step, iterations=short) for held, step in trials]
        fits = [
            simplified(units, one, step, self.evenness)
            for one, (_, step) in zip(fits, trials, strict=True)
        ]
        place = max(range(len(fits)), key=lambda place: fits[place].score)
        return go_on(fits[place].held, trials[place][1], iterations=self.iterations - short)


def degree_positions(graphs: GraphSet, resolution: int, alignment: Alignment) -> np.ndarray:
    """(N,) the mean position in [0, 1] of each node in the aligned order of degrees."""
    if alignment == "pooled":  # beside what is to be expected at the size of each graph
        usual = (graphs.num_nodes - 1).clamp(min=1).numpy() * exposures(graphs)
        degree = graphs.degrees().numpy() / usual[graphs.owner().numpy()]
        return (rankdata(-degree.round(9)) - 0.5) / graphs.node_count
    member = membership(graphs, resolution, alignment)
    centre = (np.arange(resolution) + 0.5) / resolution
    # Nodes that an alignment cuts off are the last.
    return (member.spread @ (centre - 1) + 1)[member.group]


def eigenvector_positions(graphs: GraphSet) -> tuple[np.ndarray, np.ndarray]:
    """(N,) twice: the rank in [0, 1] of each node of a graph along its eigenvector, by two signs.

    The first has it fall with degree in every graph. But where both ends of a graphon are alike,
    that always puts the larger side of two on the same end, so that their share comes out wrong:
    the second turns graphs about until both ends hold alike many nodes in all.
    """
    falling, balanced, excess = [], [], 0.0
    for matrix in graphs.to_scipy():
        vector = _beside_degree(matrix)
        place = (rankdata(-vector) - 0.5) / max(len(vector), 1)
        lean = np.sign(vector).sum()
        turned = excess * lean > 0
        excess += -lean if turned else lean
        falling.append(place)
        balanced.append(1 - place if turned else place)
    return np.concatenate(falling), np.concatenate(balanced)


def _beside_degree(matrix: sp.csr_array) -> np.ndarray:
    """(n,) the eigenvector of A - d dᵀ / Σd of largest absolute value, the sign so that d rises.

    No node's number counts, but where an exact symmetry of the graph leaves the sign open.
    """
    degree = np.diff(matrix.indptr).astype(float)
    if len(degree) < 3 or not degree.any():
        return np.zeros(len(degree))
    if len(degree) <= DENSE:
        values, vectors = np.linalg.eigh(matrix.toarray() - np.outer(degree, degree) / degree.sum())
        vector = vectors[:, np.abs(values).argmax()]
    else:

        def beyond(v: np.ndarray) -> np.ndarray:
            return matrix @ v - degree * ((degree @ v) / degree.sum())

        operator = LinearOperator(matrix.shape, matvec=beyond, dtype=np.float64)  # pyright: ignore
        vector = eigsh(operator, k=1, v0=np.cos(np.arange(len(degree))))[1][:, 0]
    vector = vector * (-1 if vector @ (degree - degree.mean()) < 0 else 1)
    # Equal entries are so only up to rounding.
    return (vector / np.abs(vector).max()).round(6)


def blurred(position: np.ndarray, graphs: GraphSet, units: Units, resolution: int) -> np.ndarray:
    """(U, K) distributions around positions, as wide as the noise of a degree among n nodes."""
    centre = (np.arange(resolution) + 0.5) / resolution
    size = graphs.num_nodes.numpy()[units.graph]
    width = np.maximum(0.5 / np.sqrt(size), 0.5 / resolution)
    spread = ((centre - position[:, None]) / width[:, None]).astype(np.float32)
    np.exp(-(spread**2) / 2, out=spread)
    spread += 1e-6
    spread /= spread.sum(1, keepdims=True)
    return spread


def falling_order(surface: Surface) -> np.ndarray:
    """(K,) an order of the cells in which degrees fall, as far as neighbours stay neighbours.

    Cells could be put in any order, but sorting all of them by degree would tear apart a surface
    that is smooth and not monotone: its picture, a coarser resolution and its mixture with another
    would be averages of things unlike. So whole blocks are sorted, smooth surfaces at most turned.
    """
    degree = surface.edges.mean(1).round(10)
    cells = np.arange(len(degree))
    if surface.starts is not None:
        block = np.searchsorted(surface.starts, cells, side="right")
        return np.lexsort((cells, block, -degree))
    falling = degree @ (cells - cells.mean()) <= 0
    return cells if falling else cells[::-1]


def pooled(graphs: GraphSet, units: Units, held: Memberships, order: np.ndarray) -> Aligned:
    """The sums over graphs by cell, cells in this order; features follow their nodes."""
    spread = held.spread[:, order]
    by_graph = held.by_graph[:, order]
    pairs = np.maximum(by_graph.T @ by_graph - spread.T @ (spread * units.weight[:, None]), 0)
    features = attributes = None
    columns = edge_columns = None
    if graphs.x is not None:
        columns = graphs.columns or Columns.of(graphs.x)
        features = np.zeros((len(order), columns.width))
        for rows in _runs(graphs.node_count):
            features += spread[units.of_node[rows]].T @ columns.encode(graphs.x[rows]).numpy()
    if graphs.edge_attr is not None:
        edge_columns = graphs.edge_columns or Columns.of(graphs.edge_attr)
        attributes = np.zeros((edge_columns.width, len(order), len(order)))
        ends = units.of_node[graphs.global_edge_index().numpy()]
        for rows in _runs(graphs.edge_count):
            first, second = spread[ends[:, rows]]
            encoded = edge_columns.encode(graphs.edge_attr[rows]).numpy()
            for place in np.flatnonzero(encoded.any(axis=0)):
                there = encoded[:, place] != 0
                attributes[place] += first[there].T @ (second[there] * encoded[there, place, None])
        attributes = (attributes + attributes.swapaxes(1, 2)) / 2
    return Aligned(
        edges=torch.from_numpy(held.edges[np.ix_(order, order)]),
        pairs=torch.from_numpy((pairs + pairs.T) / 2),
        nodes=torch.from_numpy(by_graph.sum(0)),
        sizes=SizeLaw.of(graphs.sizes()),
        features=None if features is None else torch.from_numpy(features),
        edge_features=None if attributes is None else torch.from_numpy(attributes).permute(1, 2, 0),
        columns=columns,
        edge_columns=edge_columns,
    )


def _runs(count: int, size: int = 1 << 17) -> list[slice]:
    return [slice(start, start + size) for start in range(0, count, size)]
