"""What every data set that needs no files is: settings, and one step to its graphs."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import torch

from gmixup.columns import Columns, Group
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet
from gmixup.sampling import Positions
from gmixup.seeds import derive
from gmixup.sizes import SizeLaw

# Three kinds of nodes, from the core outwards.
ROLES = Columns((Group("one-hot", (0, 1, 2), 3),), torch.float32)


@dataclass(frozen=True)
class AbstractDataset(ABC):
    """A data set is a frozen dataclass; `load` is what a new one has to write."""

    name: ClassVar[str]

    @abstractmethod
    def load(self) -> GraphSet:
        """The graphs, the same ones each time."""

    @classmethod
    def examples(cls) -> Iterator["AbstractDataset"]:
        """Small settings on which the common checks are run."""
        yield cls()


@dataclass(frozen=True)
class AbstractSynthetic(AbstractDataset):
    """Graphs drawn from graphons that are known, so that an estimate can be held against the truth.

    Both classes have the same expected density and the same sizes: they differ in shape alone.
    """

    positions: ClassVar[Positions] = "uniform"

    graphs: int = 200  # as many of each class
    nodes: tuple[int, int] = (40, 80)  # smallest and largest number, all between alike
    features: bool = False  # whether nodes have a one-hot feature that depends on their position
    seed: int = 0

    def __post_init__(self) -> None:
        low, high = self.nodes
        if not 1 <= low <= high:
            raise ValueError(f"`nodes` is {self.nodes}; give the smallest and the largest number")
        classes = len(self.shapes())
        if self.graphs < classes:
            raise ValueError(f"`graphs` is {self.graphs}; give at least {classes}, one a class")

    @abstractmethod
    def shapes(self) -> list[torch.Tensor]:
        """The (K, K) matrix of edge probabilities of each class."""

    def graphons(self) -> list[Graphon]:
        """The true graphon of each class, with its label and its law of sizes."""
        shapes = self.shapes()
        return [
            Graphon(
                edges,
                features=_roles(len(edges)) if self.features else None,
                label=torch.eye(len(shapes))[place],
                sizes=_uniform_sizes(*self.nodes, float(edges.mean())),
                columns=ROLES if self.features else None,
            )
            for place, edges in enumerate(shapes)
        ]

    def load(self) -> GraphSet:
        """The graphs class by class, with classes as labels."""
        parts = []
        for place, graphon in enumerate(self.graphons()):
            count = len(range(place, self.graphs, len(self.shapes())))
            seed = derive(self.seed, "data set", self.name, place)
            part = graphon.sample_many(count, seed=seed, positions=self.positions)
            parts.append(replace(part, y=torch.full((count,), place)))
        return GraphSet.joined(parts)

    @classmethod
    def examples(cls) -> Iterator["AbstractSynthetic"]:
        """Small settings on which the common checks are run."""
        yield cls()
        yield cls(graphs=7, features=True, seed=1)


def _roles(cells: int) -> torch.Tensor:
    """(K, 3) the chance of each role: two throws, each of which moves outwards with chance u."""
    u = (torch.arange(cells, dtype=torch.float64) + 0.5) / cells
    return torch.stack([(1 - u) ** 2, 2 * u * (1 - u), u**2], 1)


def _uniform_sizes(low: int, high: int, density: float) -> SizeLaw:
    nodes = torch.arange(low, high + 1)
    edges = (density * nodes * (nodes - 1) / 2).round().long()
    return SizeLaw(torch.stack([nodes, edges], 1), torch.ones(len(nodes), dtype=torch.float64))
