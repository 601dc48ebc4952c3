"""Data sets drawn from graphons that are known: nothing to download, made in a moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from gmixup.datasets._base import AbstractSynthetic
from gmixup.sampling import Positions


@dataclass(frozen=True)
class TwoAndEightCommunities(AbstractSynthetic):
    """Class 0 has two communities, class 1 has eight: the paper's first figure.

    The first four of the eight lie where the first of the two is, the others where the second is.
    All differ in size, so that a node's degree tells its community: estimators go by degrees.
    """

    name: ClassVar[str] = "two-and-eight-communities"

    nodes: tuple[int, int] = (60, 100)

    def shapes(self) -> list[Tensor]:
        """(100, 100) blocks of each class."""
        sizes, between = torch.tensor([21, 17, 15, 13, 11, 9, 8, 6]), 0.04
        eight = _blocks(sizes.tolist(), within=0.9, between=between)
        pairs = sizes.reshape(2, 4).sum(1)
        joined = float((pairs.double() / pairs.sum()).square().sum())
        within = (float(eight.mean()) - between * (1 - joined)) / joined
        return [_blocks(pairs.tolist(), within, between), eight]


@dataclass(frozen=True)
class OneAndTwoHubs(AbstractSynthetic):
    """Class 0 has one hub, class 1 has two that share the other nodes: as in REDDIT-BINARY.

    Nodes lie on a grid, so that a graph has exactly one node in the cell of each hub.
    """

    name: ClassVar[str] = "one-and-two-hubs"
    positions: ClassVar[Positions] = "grid"

    nodes: tuple[int, int] = (32, 48)

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = self.nodes
        if low < 31 or high > 50:
            raise ValueError(
                f"`nodes` is {self.nodes}; it must lie within (31, 50), where the grid has one "
                "node in the cell of each hub"
            )

    def shapes(self) -> list[Tensor]:
        """(40, 40) hubs and leaves of each class."""
        cells, background = 40, 0.03
        two = torch.full((cells, cells), background, dtype=torch.float64)
        _join(two, 0, range(2, 22), 0.85)
        _join(two, 1, range(22, cells), 0.75)
        _join(two, 0, range(1, 2), 0.5)
        one = torch.full_like(two, background)
        missing = float(two.sum() - one.sum()) / (2 * (cells - 1))
        _join(one, 0, range(1, cells), background + missing)
        return [one, two]


def _blocks(sizes: Sequence[int], within: float, between: float) -> Tensor:
    """(K, K) with one probability inside each block and another between blocks."""
    block = torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))
    same = block[:, None] == block[None, :]
    return between + (within - between) * same.double()


def _join(edges: Tensor, hub: int, leaves: range, probability: float) -> None:
    edges[hub, leaves.start : leaves.stop] = probability
    edges[leaves.start : leaves.stop, hub] = probability
