"""Random choices among the nodes and edges of many graphs at once, without a loop over graphs.

`generator=None` draws from torch's default generator of the device.
"""

import torch
from torch import Tensor

from gmixup.hashing import hashed_uniforms


def pair_uniforms(edge_index: Tensor, generator: torch.Generator | None) -> Tensor:
    """(E,) float64 in [0, 1): independent between pairs of nodes, equal for both directions.

    Counter-based, as Philox is: one random key is drawn, and each pair's number is a hash of key
    and pair. So nothing has to be sorted to find the two directions of an edge, and the order in
    which the edges are listed does not matter.
    """
    key = torch.randint(1 << 62, (1,), generator=generator, device=edge_index.device)
    row, column = edge_index
    pair = torch.minimum(row, column).long().bitwise_left_shift_(32)
    return hashed_uniforms(pair.add_(torch.maximum(row, column)), key)


def starts(batch: Tensor, num_graphs: int) -> Tensor:
    """(G + 1,) the first node of each graph, then the number of nodes; `batch` is ascending."""
    return torch.searchsorted(batch, torch.arange(num_graphs + 1, device=batch.device))


def ranks(keys: Tensor) -> Tensor:
    """(N,) the place of each of `keys` (N,) in ascending order."""
    place = torch.empty_like(keys)
    place[keys.argsort()] = torch.arange(len(keys), device=keys.device)
    return place


def shuffled_ranks(batch: Tensor, generator: torch.Generator | None) -> Tensor:
    """(N,) ranks that go through one graph after the other, through each in random order."""
    chance = torch.randint(1 << 32, batch.shape, generator=generator, device=batch.device)
    return ranks(batch.bitwise_left_shift(32).bitwise_or_(chance))


def among_last(order: Tensor, batch: Tensor, num_graphs: int, ratio: float) -> Tensor:
    """(N,) whether a node is among the ⌊ratio · n⌋ highest of its graph in `order`.

    `order` (N,) are ranks that go through one graph after the other. For a ratio below 1 at least
    one node of each graph is not among them.
    """
    first = starts(batch, num_graphs)
    sizes = first.diff()
    # 0.29 · 100 is 28.999...: rounding must not cost a node, nor take the last one.
    counts = (ratio * sizes.double() + 1e-9).long().minimum((sizes - 1).clamp(min=0))
    return order >= (first[1:] - counts).index_select(0, batch)


def between(nodes: Tensor, edge_index: Tensor) -> Tensor:
    """(E,) whether both ends of an edge are marked in `nodes` (N,)."""
    row, column = edge_index
    return nodes.index_select(0, row) & nodes.index_select(0, column)
