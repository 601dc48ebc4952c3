"""Soften: real graphs drawn again with mixed labels; the control to mixing without a graphon."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import torch

from gmixup.augmentations._base import AbstractEnlargement
from gmixup.graphs import GraphSet
from gmixup.mixing import Beta, Lambda, check_lambda, draw_lambda, draw_members, draw_pairs


@dataclass(frozen=True)
class Soften(AbstractEnlargement):
    """Draws lambda and an ordered pair of classes as G-Mixup does, and a real graph of each.

    What is added is the graph of the class that weighs more, labelled lam · y + (1 - lam) · y' from
    the labels of both.
    """

    name: ClassVar[str] = "soften"

    lam: Lambda = (0.1, 0.2)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_lambda(self.lam)

    def draw(self, graphs: GraphSet, count: int, generator: torch.Generator) -> GraphSet:
        """`count` graphs, with replacement."""
        lam = draw_lambda(self.lam, count, generator)
        first, second = (
            draw_members(graphs.labels(), classes, generator)
            for classes in draw_pairs(graphs.num_classes, count, generator).T
        )
        soft = graphs.soft_labels()
        y = torch.lerp(soft[second], soft[first], lam[:, None].to(soft.dtype))
        return replace(graphs.subset(torch.where(lam > 0.5, first, second)), y=y)

    @classmethod
    def examples(cls) -> Iterator["Soften"]:
        """Small settings on which the common checks are run."""
        yield cls()
        yield cls(ratio=1.0, lam=Beta(1.0, 1.0))
