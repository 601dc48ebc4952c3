"""MaskFeatures: the features of nodes are hidden at random (You et al. 2020: attribute masking)."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from gmixup.augmentations._base import AbstractGraphTransform, Batch
from gmixup.augmentations._draw import among_last, shuffled_ranks
from gmixup.batch import Masks


@dataclass(frozen=True)
class MaskFeatures(AbstractGraphTransform):
    """Sets x to 0 at ⌊ratio · n⌋ of the n nodes of each graph, every such set as likely."""

    name: ClassVar[str] = "mask-features"

    def on_batch(self, batch: Batch, generator: torch.Generator | None = None) -> Masks:
        """The nodes whose features stay; nodes and edges all do."""
        order = shuffled_ranks(batch.batch, generator)
        hidden = among_last(order, batch.batch, batch.num_graphs, self.ratio)
        return Masks(feature_keep=~hidden)
