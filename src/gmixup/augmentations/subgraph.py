"""Subgraph: a connected part of each graph, grown from a random node (You et al. 2020).

Their "random walk" takes, again and again, one of the nodes next to those it has, each as likely.
Here all graphs grow at once. Let every node wait an Exp(1) time from the moment a neighbour of it
is taken: the waits that are left are again Exp(1), so the next node is a uniform one of those
waiting, as above. Hence the order in which nodes are taken is the order of the shortest ways to
them, a node costing its wait; and shortest ways to all nodes are found in a few rounds.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from gmixup.augmentations._base import AbstractGraphTransform, Batch
from gmixup.augmentations._draw import among_last, between, ranks, shuffled_ranks
from gmixup.batch import Masks

# A time is a whole number: above bit 40 who began, below it waits in units of 2^-24. So exact
# comparison decides, and there is room for 8 million nodes in a batch and ways of length 65 536.
_START, _UNIT = 40, 24


@dataclass(frozen=True)
class Subgraph(AbstractGraphTransform):
    """Keeps n - ⌊ratio · n⌋ of the n nodes of each graph, and the edges between them.

    Where a component is used up before that, growth goes on from a uniform one of the nodes left.
    """

    name: ClassVar[str] = "subgraph"
    waits: ClassVar[bool] = True  # the number of rounds depends on the draw

    def on_batch(self, batch: Batch, generator: torch.Generator | None = None) -> Masks:
        """The nodes that are taken, and the edges between them."""
        order = ranks(taking_times(batch.edge_index, batch.batch, generator))
        keep = ~among_last(order, batch.batch, batch.num_graphs, self.ratio)
        return Masks(node_keep=keep, edge_keep=between(keep, batch.edge_index))


def taking_times(edge_index: Tensor, batch: Tensor, generator: torch.Generator | None) -> Tensor:
    """(N,) int64 when each node is taken, one graph after the other."""
    row, column = edge_index
    chance = torch.rand(len(batch), generator=generator, dtype=torch.float64, device=batch.device)
    wait = (torch.log1p(-chance) * -(1 << _UNIT)).long() + 1
    waits = wait.index_select(0, column)
    # Every node may begin, in random order; a node that can be reached from an earlier one is.
    times = shuffled_ranks(batch, generator) << _START
    while True:
        ways = times.index_select(0, row).add_(waits)
        earlier = times.scatter_reduce(0, column, ways, "amin")
        if torch.equal(earlier, times):
            return times
        times = earlier
