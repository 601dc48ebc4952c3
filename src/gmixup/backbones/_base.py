"""What every backbone is: settings, and the network that they build."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from gmixup.batch import Batch
from gmixup.columns import Columns
from gmixup.graphs import GraphSet

# What a row of features holds: that many numbers, or integer columns with that many levels each.
Inputs = int | tuple[int, ...]


@dataclass(frozen=True)
class AbstractBackbone(ABC):
    """A backbone is a frozen dataclass; `build` is what a new one has to write."""

    name: ClassVar[str]

    depth: int = 3  # layers that pass messages
    width: int = 64  # hidden units
    dropout: float = 0.0  # the share of hidden units that is zeroed in training

    def __post_init__(self) -> None:
        for name in ("depth", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"`{name}` is {getattr(self, name)}; it must be at least 1")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"`dropout` is {self.dropout}; it must lie in [0, 1)")

    @abstractmethod
    def build(
        self, inputs: Inputs, outputs: int, edge_inputs: Inputs | None = None
    ) -> "AbstractNetwork":
        """A new network from node features to `outputs` logits; initialised from torch's seed.

        `edge_inputs` is for the networks that look at edge features: ogb-gcn and ogb-gin.
        """

    @classmethod
    def examples(cls) -> Iterator["AbstractBackbone"]:
        """Small settings on which the common checks are run."""
        yield cls(width=16)
        yield cls(depth=2, width=8, dropout=0.3)


class AbstractNetwork(nn.Module, ABC):
    """A network in two parts, `encode` to one row a graph and `head` to logits.

    It overrides `encode`, or `encode_with_losses` if training is to lower losses of its own.
    """

    has_hidden = True  # whether `encode` gives a hidden layer, which Manifold Mixup can mix
    # Whether it sees a batch through x and its sums over neighbours and graphs alone, so that the
    # networks of several runs can be stacked, ...
    side_by_side = False
    # ... and alike nodes may be one that counts for all (see gmixup.refinement).
    takes_merged = False
    head: nn.Module  # (B, H) -> (B, C)

    def encode(self, batch: Batch) -> Tensor:
        """(B, H) the embedding of each graph."""
        return self.encode_with_losses(batch)[0]

    def encode_with_losses(self, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        """The same, and the losses by name that training is to add to the classification's."""
        return self.encode(batch), {}

    def forward(self, batch: Batch) -> Tensor:
        """(B, C) the logits of each graph."""
        return self.head(self.encode(batch))


class Features(nn.Module):
    """Features as numbers: as they are, or the one-hot form of each integer column."""

    like: Tensor

    def __init__(self, inputs: Inputs) -> None:
        super().__init__()
        self.places = Places(inputs) if isinstance(inputs, tuple) else None
        self.width = sum(inputs) if isinstance(inputs, tuple) else inputs
        # Nothing but the dtype of the network, to which features are brought.
        self.register_buffer("like", torch.zeros(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(N, width) numbers of features (N, F)."""
        if self.places is None:
            return (x if x.ndim == 2 else x[:, None]).to(self.like.dtype)
        return self.like.new_zeros(len(x), self.width).scatter(1, self.places(x), 1)


class Places(nn.Module):
    """The level of each integer column as its place among the levels of all columns.

    A level that there was none of when the network was built is taken as the column's last.
    """

    last: Tensor
    first: Tensor

    def __init__(self, levels: tuple[int, ...]) -> None:
        super().__init__()
        counts = torch.tensor(levels)
        self.register_buffer("last", counts - 1, persistent=False)
        self.register_buffer("first", counts.cumsum(0) - counts, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(N, F) int64 places of the levels (N, F)."""
        return torch.minimum(x.reshape(len(x), -1).long(), self.last) + self.first


def inputs_of(graphs: GraphSet) -> tuple[Inputs, Inputs | None]:
    """What `build` needs to know of the graphs: their node features and edge features.

    For parts of a set to agree, take the whole set, or one that is `pinned`.
    """
    if graphs.x is None:
        raise ValueError(
            "`graphs` has no node features `x`; give it some first, e.g. by "
            "DegreeFeatures.fit(train).apply(graphs)"
        )
    attr = graphs.edge_attr
    return (
        _inputs(graphs.x, graphs.columns),
        None if attr is None else _inputs(attr, graphs.edge_columns),
    )


def _inputs(raw: Tensor, columns: Columns | None) -> Inputs:
    width = 1 if raw.ndim == 1 else raw.shape[1]
    if raw.is_floating_point():
        return width
    groups: Any = (columns or Columns.of(raw)).groups
    if any(group.kind != "integer" or group.offset < 0 for group in groups):
        return width
    levels = {group.places[0]: group.offset + group.width for group in groups}
    return tuple(levels[place] for place in range(width))
