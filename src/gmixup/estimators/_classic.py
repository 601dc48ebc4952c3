"""What the published estimators share: a sound and a faithful form, over two halves of the graphs.

The faithful form makes node i of a sorted graph cell i, pads the smaller graphs and keeps direction
and self-loops, as the code behind the published table did. Each cell then holds the noise of single
nodes; the sound form shares places among nodes of one degree, which alone takes off much of it.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from gmixup.alignment import Aligned, accumulate, align
from gmixup.estimators._base import AbstractEstimator
from gmixup.graphs import GraphSet
from gmixup.placement import Membership, PooledOrder


@dataclass(frozen=True, eq=False)
class Halves:
    """The sums over every other graph and over the rest: they differ by nothing but noise."""

    first: Aligned
    second: Aligned | None  # None where there is but one graph

    @cached_property
    def whole(self) -> Aligned:
        """The sums over all graphs."""
        return self.first if self.second is None else self.first + self.second


@dataclass(frozen=True)
class AbstractClassic(AbstractEstimator):
    """A published estimator; a new one writes `sound` and `published`."""

    faithful: bool = False  # as published; K None is then the largest graph's number of nodes

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.faithful and self.alignment == "pooled":
            raise ValueError(
                "`alignment` is 'pooled', but the faithful form ranks graph by graph; leave it "
                "at its default, or use faithful=False"
            )

    @abstractmethod
    def sound(self, halves: Halves) -> np.ndarray:
        """(K, K) from aligned sums."""

    @abstractmethod
    def published(self, halves: Halves) -> np.ndarray:
        """(K, K) from sums in single cells; not symmetric where the graphs are directed."""

    def fit(self, graphs: GraphSet, resolution: int) -> tuple[Tensor, Aligned]:
        """The (K, K) matrix, its positions by falling degree, and the sums in the same order."""
        graphs = graphs.pinned()
        parts = [graphs.subset(range(part, len(graphs), 2)) for part in (0, 1)[: len(graphs)]]
        if self.faithful:
            sums = [in_single_cells(part, resolution) for part in parts]
        else:
            order = PooledOrder.of(graphs) if self.alignment == "pooled" else None
            largest = int(graphs.num_nodes.max())
            sums = [align([part], resolution, self.alignment, order, largest) for part in parts]
        halves = Halves(sums[0], sums[1] if len(sums) == 2 else None)
        edges = self.published(halves) if self.faithful else self.sound(halves)
        return _falling(edges, halves.whole)

    def default_resolution(self, graphs: GraphSet) -> int:
        """K where none is given: the mean number of nodes; in the faithful form the largest."""
        if self.faithful:
            return max(1, int(graphs.num_nodes.max()))
        return super().default_resolution(graphs)

    @classmethod
    def examples(cls) -> Iterator["AbstractClassic"]:
        """Small settings on which the common checks are run."""
        yield cls()
        yield cls(resolution=7)
        yield cls(faithful=True)


def in_single_cells(graphs: GraphSet, resolution: int) -> Aligned:
    """Sums with node i of each sorted graph as cell i; nodes beyond K are cut off.

    Of equal degrees the node with the better joined neighbours goes first, where the published code
    leaves it to chance; nodes that still tie share their places.
    """
    count, owner = graphs.node_count, graphs.owner().numpy()
    row, column = graphs.global_edge_index().numpy()
    # Both directions count: by one of them alone the published errors of SAS and USVT do not come.
    degree = np.bincount(row, minlength=count) + np.bincount(column, minlength=count)
    joined = np.bincount(row, degree[column], count) + np.bincount(column, degree[row], count)
    order = np.lexsort((-joined, -degree, owner))
    fresh = np.diff(np.stack([owner, degree, joined])[:, order], prepend=-1).any(axis=0)
    group, size = fresh.cumsum() - 1, np.diff(np.flatnonzero(np.append(fresh, True)))
    first = np.flatnonzero(fresh)
    start = first - graphs.node_start.numpy()[owner[order][first]]
    place = np.empty(count, np.int64)
    place[order] = group
    return accumulate(graphs, Membership(place, start, start + size, resolution, resolution))


def per_graph(sums: Aligned) -> np.ndarray:
    """(K, K) the mean adjacency matrix of graphs in single cells."""
    return sums.edges.numpy() / float(sums.sizes.weights.sum())


def _falling(edges: np.ndarray, sums: Aligned) -> tuple[Tensor, Aligned]:
    """Both with the positions in the order of falling degree; equal ones stay as they are."""
    degrees = edges.mean(0) + edges.mean(1)
    order = torch.from_numpy(np.argsort(-degrees.round(10), kind="stable"))

    def turned(value: Tensor | None, axes: int) -> Tensor | None:
        if value is None:
            return None
        return value[order] if axes == 1 else value[order][:, order]

    by_cell = {"nodes": 1, "features": 1, "edges": 2, "pairs": 2, "edge_features": 2}
    fields = {name: turned(getattr(sums, name), axes) for name, axes in by_cell.items()}
    return torch.from_numpy(edges)[order][:, order], replace(sums, **fields)
