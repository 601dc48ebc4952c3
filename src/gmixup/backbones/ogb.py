"""The reference networks of the Open Graph Benchmark for molecules (Hu et al. 2020).

Embeddings of atoms and bonds, GCN or GIN with messages ReLU(neighbour + bond), batch normalisation,
and optionally a virtual node that all nodes of a graph write to and read from between layers.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from gmixup.backbones._base import AbstractBackbone, AbstractNetwork, Features, Inputs, Places
from gmixup.backbones._layers import Dropout, MaskedBatchNorm
from gmixup.batch import Batch

# The levels of atoms and bonds as OGB publishes them, for networks that are to fit all its sets.
ATOM_LEVELS = (119, 5, 12, 12, 10, 6, 6, 2, 2)
BOND_LEVELS = (5, 6, 2)


@dataclass(frozen=True)
class AbstractOGB(AbstractBackbone):
    """What both have in common; defaults are OGB's."""

    depth: int = 5
    width: int = 300
    dropout: float = 0.5
    virtual_node: bool = False

    @abstractmethod
    def convolution(self, edge_inputs: Inputs | None) -> nn.Module:
        """A layer from x (N, width) and a batch to (N, width)."""

    def build(
        self, inputs: Inputs, outputs: int, edge_inputs: Inputs | None = None
    ) -> AbstractNetwork:
        """A new network; `inputs=ATOM_LEVELS, edge_inputs=BOND_LEVELS` are those of molecules."""
        return _OGB(self, inputs, outputs, edge_inputs)

    @classmethod
    def examples(cls) -> Iterator["AbstractOGB"]:
        """Small settings on which the common checks are run."""
        yield cls(depth=2, width=12)
        yield cls(depth=3, width=8, dropout=0.3, virtual_node=True)


@dataclass(frozen=True)
class OGBGCN(AbstractOGB):
    """OGB's GCN, whose own node counts through a learned root."""

    name: ClassVar[str] = "ogb-gcn"

    def convolution(self, edge_inputs: Inputs | None) -> nn.Module:
        """A layer of it."""
        return _GCNLayer(self.width, edge_inputs)


@dataclass(frozen=True)
class OGBGIN(AbstractOGB):
    """OGB's GIN with a learned ε."""

    name: ClassVar[str] = "ogb-gin"

    def convolution(self, edge_inputs: Inputs | None) -> nn.Module:
        """A layer of it."""
        return _GINLayer(self.width, edge_inputs)


class _OGB(AbstractNetwork):
    def __init__(
        self, settings: AbstractOGB, inputs: Inputs, outputs: int, edge_inputs: Inputs | None
    ) -> None:
        super().__init__()
        depth, width = settings.depth, settings.width
        self.encoder = _encoder(inputs, width)
        self.convolutions = nn.ModuleList(settings.convolution(edge_inputs) for _ in range(depth))
        self.norms = nn.ModuleList(MaskedBatchNorm(width) for _ in range(depth))
        self.dropout = Dropout(settings.dropout)
        self.virtual = _VirtualNode(width, depth - 1) if settings.virtual_node else None
        self.head = nn.Linear(width, outputs)

    def encode(self, batch: Batch) -> Tensor:
        x = self.encoder(batch.x)
        virtual = None if self.virtual is None else self.virtual.start.expand(batch.num_graphs, -1)
        last = len(self.norms) - 1
        for layer, norm in enumerate(self.norms):
            if virtual is not None:
                x = x + virtual[batch.batch]
            before, x = x, norm(self.convolutions[layer](x, batch), batch.node_mask)
            x = self.dropout(x if layer == last else x.relu())
            if self.virtual is not None and virtual is not None and layer < last:
                update = self.virtual.updates[layer]
                virtual = update(batch.graph_sum(before) + virtual, batch.graph_mask)
                virtual = self.dropout(virtual)
        return batch.graph_mean(x)


class _VirtualNode(nn.Module):
    def __init__(self, width: int, updates: int) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.zeros(1, width))
        self.updates = nn.ModuleList(_VirtualUpdate(width) for _ in range(updates))


class _VirtualUpdate(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.perceptron = _Perceptron(width)
        self.norm = MaskedBatchNorm(width)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return self.norm(self.perceptron(x, mask), mask).relu()


class _Perceptron(nn.Module):
    """Two layers, twice as wide in between, with batch normalisation before the ReLU."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.norm = MaskedBatchNorm(2 * width)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return self.second(self.norm(self.first(x), mask).relu())


class _GINLayer(nn.Module):
    def __init__(self, width: int, edge_inputs: Inputs | None) -> None:
        super().__init__()
        self.bonds = None if edge_inputs is None else _encoder(edge_inputs, width)
        self.epsilon = nn.Parameter(torch.zeros(1))
        self.perceptron = _Perceptron(width)

    def forward(self, x: Tensor, batch: Batch) -> Tensor:
        messages = batch.edge_sum(_messages(x, batch, self.bonds))
        return self.perceptron((1 + self.epsilon) * x + messages, batch.node_mask)


class _GCNLayer(nn.Module):
    def __init__(self, width: int, edge_inputs: Inputs | None) -> None:
        super().__init__()
        self.bonds = None if edge_inputs is None else _encoder(edge_inputs, width)
        self.linear = nn.Linear(width, width)
        self.root = nn.Parameter(torch.empty(1, width))
        nn.init.normal_(self.root)

    def forward(self, x: Tensor, batch: Batch) -> Tensor:
        x = self.linear(x)
        degrees = 1 + batch.degrees(x.dtype)[:, None]
        scale = degrees.rsqrt()
        # Scaled at the source and, once summed, at the target.
        messages = _messages(x, batch, self.bonds) * scale.index_select(0, batch.edge_index[0])
        return scale * batch.edge_sum(messages) + (x + self.root).relu() / degrees


def _messages(x: Tensor, batch: Batch, bonds: nn.Module | None) -> Tensor:
    """(E, width) ReLU(neighbour + bond)."""
    x = x.index_select(0, batch.edge_index[0])
    if bonds is None:
        return x.relu()
    if batch.edge_attr is None:
        raise ValueError(
            "the batch has no `edge_attr`, for which the network was built; give the graphs edge "
            "features, or build it with `edge_inputs=None`"
        )
    return (x + bonds(batch.edge_attr)).relu()


def _encoder(inputs: Inputs, width: int) -> nn.Module:
    if isinstance(inputs, tuple):
        return _Embeddings(inputs, width)
    return nn.Sequential(Features(inputs), nn.Linear(inputs, width))


class _Embeddings(nn.Module):
    """The sum of an embedding of each integer column."""

    def __init__(self, levels: tuple[int, ...], width: int) -> None:
        super().__init__()
        self.places = Places(levels)
        self.table = nn.Parameter(torch.empty(sum(levels), width))
        # Each column for itself: the spread of Xavier's law depends on the number of rows.
        for part in self.table.data.split(levels):
            nn.init.xavier_uniform_(part)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.embedding_bag(self.places(x), self.table, mode="sum")
