"""Refinement: nodes that no message passing can tell apart, as one node that counts for all.

Colour refinement (Weisfeiler and Leman 1968) starts from the nodes' features and tells two nodes of
a graph apart when their neighbours differ in colour. Where it ends, nodes of one colour have the
same number of neighbours of every colour: layers that look at a node and at the sum over its
neighbours give them the same numbers, always. So a network may run on one node a colour. This is
exact, forwards and backwards, as long as nodes count with their number in sums over a graph.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gmixup.graphs import GraphSet
from gmixup.seeds import numpy_generator
from gmixup.store import Store

Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Merged:
    """A set of graphs with alike nodes merged."""

    representative: Tensor  # (N',) a node of each colour, by its row in the set
    store: Store  # its x are the representatives'

    @classmethod
    def of(cls, graphs: GraphSet) -> "Merged":
        """Graphs without features are coloured by degree: degree features tell no more.

        Edge features are not looked at.
        """
        colour = torch.from_numpy(stable_colours(graphs))
        weight = torch.bincount(colour)
        count = len(weight)
        representative = torch.full((count,), len(colour)).scatter_reduce(
            0, colour, torch.arange(len(colour)), "amin"
        )
        owner = graphs.owner()[representative]
        num_nodes = torch.bincount(owner, minlength=len(graphs))
        ends = colour[graphs.global_edge_index()]
        key, number = (ends[0] * count + ends[1]).unique(return_counts=True)
        ends = torch.stack([key // max(count, 1), key % max(count, 1)])
        start = num_nodes.cumsum(0) - num_nodes
        x = torch.zeros(len(colour), 0) if graphs.x is None else graphs.x
        dtype = torch.get_default_dtype()
        store = Store(
            num_nodes=num_nodes,
            num_edges=torch.bincount(owner[ends[0]], minlength=len(graphs)),
            edge_index=ends - start[owner[ends[0]]],
            x=x[representative],
            y=graphs.y,
            node_weight=weight.to(dtype),
            edge_weight=(number.double() / weight[ends[0]]).to(dtype),
            edge_turned=(number.double() / weight[ends[1]]).to(dtype),
        )
        return cls(representative, store)


def stable_colours(graphs: GraphSet) -> Numbers:
    """(N,) int64 the colour of each node: 0, 1, ..., those of a graph before those of the next.

    Sums of random 64-bit numbers tell the neighbourhoods apart: that two which differ pass for the
    same has a chance below 1e-6 for a million nodes.
    """
    if graphs.directed:
        raise ValueError("`graphs` is directed; symmetrise it first")
    columns = graphs.global_edge_index()[1].numpy()
    row_start = np.concatenate([[0], np.cumsum(graphs.degrees().numpy())])
    colour, rng = _first_colours(graphs), numpy_generator(0, "refinement")
    colour = _numbered(graphs.owner().numpy() * (int(colour.max(initial=0)) + 1) + colour)
    count = 0
    while (colours := int(colour.max(initial=-1)) + 1) > count:
        count = colours
        bits = rng.integers(0, 1 << 63, (2, count))[:, colour]
        sums = np.concatenate([[0], np.cumsum(bits[0][columns])])
        colour = _numbered(bits[1] + sums[row_start[1:]] - sums[row_start[:-1]])
    first = np.full(count, len(colour))
    np.minimum.at(first, colour, np.arange(len(colour)))
    return _numbered(first[colour])


def _first_colours(graphs: GraphSet) -> Numbers:
    if graphs.x is None:
        return graphs.degrees().numpy()
    return np.unique(graphs.x.numpy(), axis=0, return_inverse=True)[1].reshape(-1)


def _numbered(keys: Numbers) -> Numbers:
    """(N,) the rank of each key among the different ones."""
    return np.unique(keys, return_inverse=True)[1].reshape(-1)
