"""DropEdge: edges go at random (Rong et al. 2020)."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from gmixup.augmentations._base import AbstractGraphTransform, Batch
from gmixup.augmentations._draw import pair_uniforms
from gmixup.batch import Masks


@dataclass(frozen=True)
class DropEdge(AbstractGraphTransform):
    """Drops each undirected edge with chance `ratio`, independently of all others."""

    name: ClassVar[str] = "drop-edge"

    def on_batch(self, batch: Batch, generator: torch.Generator | None = None) -> Masks:
        """The edges that stay."""
        return Masks(edge_keep=pair_uniforms(batch.edge_index, generator) >= self.ratio)
