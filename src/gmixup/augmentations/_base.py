"""What every augmentation is: settings, and up to three moments at which it acts on training."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor
from torch_geometric.data import Batch as PyGBatch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform
from torch_geometric.utils import select

from gmixup.batch import Masks
from gmixup.conversion import foreign_keys
from gmixup.graphs import GraphSet
from gmixup.mixing import Origin
from gmixup.seeds import generator as seeded


class Batch(Protocol):
    """What an augmentation sees of a batch; PyG's `Batch` and the training loops' fit."""

    @property
    def edge_index(self) -> Tensor:
        """(2, E) both directions of each edge, nodes counted over the whole batch."""
        ...

    @property
    def batch(self) -> Tensor:
        """(N,) the graph of each node, ascending."""
        ...

    @property
    def num_graphs(self) -> int:
        """How many graphs there are."""
        ...


@dataclass(frozen=True)
class AbstractAugmentation(ABC):
    """An augmentation is a frozen dataclass that overrides the moments at which it acts."""

    name: ClassVar[str]
    waits: ClassVar[bool] = False  # whether `on_batch` reads values on the host

    @property
    def fresh(self) -> bool:
        """Whether `on_training_set` is done anew in each epoch."""
        return False

    def on_training_set(self, graphs: GraphSet, generator: torch.Generator) -> GraphSet:  # noqa: ARG002
        """The graphs to train on: those given first, with soft labels where graphs are added."""
        return graphs

    def on_batch(self, batch: Batch, generator: torch.Generator | None = None) -> Masks | None:  # noqa: ARG002
        """What stays of a batch; the generator is of the tensors' device."""
        return None

    def on_hidden(
        self,
        hidden: Tensor,  # (B, H), one row a graph
        y: Tensor,  # (B, C) label weights
        generator: torch.Generator | None = None,  # noqa: ARG002
    ) -> tuple[Tensor, Tensor]:
        """The graphs' embeddings and labels that the head and the loss are to see."""
        return hidden, y

    @classmethod
    def examples(cls) -> Iterator["AbstractAugmentation"]:
        """Small settings on which the common checks are run."""
        yield cls()


@dataclass(frozen=True)
class AbstractEnlargement(AbstractAugmentation):
    """Adds graphs to the training set; `draw` is what a new one has to write."""

    ratio: float = 0.2  # graphs added, as a share of the training set
    fresh: bool = False  # pyright: ignore[reportIncompatibleMethodOverride]

    def __post_init__(self) -> None:
        if not 0 <= self.ratio < math.inf:
            raise ValueError(
                f"`ratio` is {self.ratio}; it must be 0 or more: graphs added for each real one"
            )

    @abstractmethod
    def draw(self, graphs: GraphSet, count: int, generator: torch.Generator) -> GraphSet:
        """`count` more graphs with soft labels, holding what `graphs` holds."""

    def draw_with_origins(
        self, graphs: GraphSet, count: int, generator: torch.Generator
    ) -> tuple[GraphSet, list[Origin] | None]:
        """The same, and of each graph what it was mixed from; None where nothing is mixed."""
        return self.draw(graphs, count, generator), None

    def enlarge(
        self, graphs: GraphSet, generator: torch.Generator
    ) -> tuple[GraphSet, list[Origin] | None]:
        """The graphs given, with soft labels, then round(ratio · G) more; and their origins."""
        real = replace(graphs, y=graphs.soft_labels(), classes=graphs.num_classes)
        drawn, origins = self.draw_with_origins(real, round(self.ratio * len(real)), generator)
        return GraphSet.joined([real, drawn]), origins

    def on_training_set(self, graphs: GraphSet, generator: torch.Generator) -> GraphSet:
        """The graphs given, with soft labels, and round(ratio · G) more."""
        return self.enlarge(graphs, generator)[0]

    def augment(self, graphs: Any, seed: int = 0) -> list[Data]:
        """The same for graphs in any form that `GraphSet.of` takes, as a list of PyG graphs."""
        return self.on_training_set(whole_graphs(graphs), seeded(seed, self.name)).to_pyg()


def whole_graphs(data: Any) -> GraphSet:
    """The graphs as a GraphSet; refused if it would not hold all that they carry."""
    if foreign := foreign_keys(data):
        raise ValueError(
            f"`data` carries `{'`, `'.join(foreign)}`, which no synthetic graph has; pass graphs "
            f"without: `del data.{foreign[0]}` on each"
        )
    return GraphSet.of(data)


@dataclass(frozen=True)
class AbstractGraphTransform(AbstractAugmentation, BaseTransform):
    """Acts on each graph for itself: on a whole batch by masks, and as a PyG transform.

    A transform draws from torch's default generator, which a DataLoader seeds in its workers.
    """

    ratio: float = 0.2  # the share that goes

    def __post_init__(self) -> None:
        if not 0 <= self.ratio < 1:
            raise ValueError(f"`ratio` is {self.ratio}; it must lie in [0, 1): the share that goes")

    @abstractmethod
    def on_batch(self, batch: Batch, generator: torch.Generator | None = None) -> Masks:
        """What stays of a batch."""

    def forward(self, data: Any) -> Any:
        """A new graph of what stays. All keys are kept; `y` is the graph's and left as it is."""
        if isinstance(data, PyGBatch):
            return PyGBatch.from_data_list([self(graph) for graph in data.to_data_list()])
        edge_index = data.get("edge_index") if isinstance(data, Data) else None
        if edge_index is None:
            raise ValueError(
                f"`data` is {data!r}, without `edge_index`; {self.name} takes one graph as PyG "
                "Data, before ToSparseTensor"
            )
        nodes = torch.zeros(data.num_nodes or 0, dtype=torch.long, device=edge_index.device)
        return without_dropped(data, self.on_batch(_Alone(edge_index, nodes)))

    @classmethod
    def examples(cls) -> Iterator["AbstractGraphTransform"]:
        """Small settings on which the common checks are run."""
        yield cls()
        yield cls(ratio=0.5)


@dataclass(frozen=True, eq=False)
class _Alone:
    """One graph as a batch."""

    edge_index: Tensor
    batch: Tensor
    num_graphs: int = 1


def without_dropped(data: Data, masks: Masks) -> Data:
    """A copy of one graph without what the masks drop, its nodes counted anew."""
    out, nodes = copy.copy(data), masks.node_keep
    for keep, keys in ((nodes, data.node_attrs()), (masks.edge_keep, data.edge_attrs())):
        for key in keys:
            if keep is not None and key != "y":
                out[key] = select(data[key], keep, data.__cat_dim__(key, data[key]))
    if nodes is not None and out.edge_index is not None:
        out.edge_index = (nodes.cumsum(0) - 1)[out.edge_index]
    # Without x the nodes would be counted from the edges that are left.
    if "num_nodes" in data or data.x is None:
        out.num_nodes = data.num_nodes if nodes is None else int(nodes.sum())
    if masks.feature_keep is not None:
        if data.x is None:
            raise ValueError(f"`data` is {data!r}, without `x`; give the nodes features to mask")
        out.x = data.x.masked_fill(~masks.feature_keep[:, None], 0)
    return out
