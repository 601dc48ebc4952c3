"""DropNode: nodes go at random, and their edges with them (You et al. 2020)."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from gmixup.augmentations._base import AbstractGraphTransform, Batch
from gmixup.augmentations._draw import among_last, between, shuffled_ranks
from gmixup.batch import Masks


@dataclass(frozen=True)
class DropNode(AbstractGraphTransform):
    """Drops ⌊ratio · n⌋ of the n nodes of each graph, every such set of nodes as likely."""

    name: ClassVar[str] = "drop-node"

    def on_batch(self, batch: Batch, generator: torch.Generator | None = None) -> Masks:
        """The nodes that stay, and the edges between them."""
        order = shuffled_ranks(batch.batch, generator)
        keep = ~among_last(order, batch.batch, batch.num_graphs, self.ratio)
        return Masks(node_keep=keep, edge_keep=between(keep, batch.edge_index))
