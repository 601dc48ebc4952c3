"""Resample: real graphs drawn again; the control to adding graphs at all."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from gmixup.augmentations._base import AbstractEnlargement
from gmixup.graphs import GraphSet
from gmixup.mixing import draw_members, draw_pairs


@dataclass(frozen=True)
class Resample(AbstractEnlargement):
    """Adds copies of training graphs: a class as G-Mixup draws it, then any graph of it."""

    name: ClassVar[str] = "resample"

    def draw(self, graphs: GraphSet, count: int, generator: torch.Generator) -> GraphSet:
        """`count` graphs, with replacement."""
        classes = draw_pairs(graphs.num_classes, count, generator)[:, 1]
        return graphs.subset(draw_members(graphs.labels(), classes, generator))
