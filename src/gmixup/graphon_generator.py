"""GraphonGenerator: a graphon as one of PyG's graph generators."""

from dataclasses import dataclass

import torch
from torch_geometric.data import Data
from torch_geometric.datasets.graph_generator import GraphGenerator

from gmixup.graphon import Graphon
from gmixup.sampling import Isolated, Positions
from gmixup.synthesis import Density


@dataclass(frozen=True)
class GraphonGenerator(GraphGenerator):
    """Draws a graph of the graphon each time it is called, as `Graphon.sample` does.

    For whatever takes a generator of PyG's, such as `ExplainerDataset`. Like those it draws from
    torch's default generator, unless it is given one of its own.
    """

    graphon: Graphon
    nodes: int | None = None  # None: drawn from the graphon's sizes, else K
    positions: Positions = "uniform"
    isolated: Isolated = "keep"
    density: Density = "graphon"
    generator: torch.Generator | None = None

    def __post_init__(self) -> None:
        self._draw(0)  # refuses at once what could not be drawn later

    def __call__(self) -> Data:
        """A new graph, with the features and the label that the graphon has."""
        return self._draw(self.generator or torch.default_generator)

    def _draw(self, seed: int | torch.Generator) -> Data:
        return self.graphon.sample(self.nodes, seed, self.positions, self.isolated, self.density)
