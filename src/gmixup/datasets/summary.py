"""What a data set holds, in a line of numbers and in a fingerprint of its content."""

import hashlib
from dataclasses import dataclass

import numpy as np
import torch

from gmixup.graphs import GraphSet


@dataclass(frozen=True)
class Statistics:
    """The numbers by which papers describe a data set."""

    graphs: int
    per_class: tuple[int, ...]  # graphs of each class; empty without class labels
    mean_nodes: float
    mean_edges: float  # undirected
    node_features: int
    edge_features: int

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.per_class)


def statistics(graphs: GraphSet) -> Statistics:
    """The statistics of a data set; soft labels count for their heaviest class."""
    nodes, edges = graphs.sizes().double().mean(0).tolist()
    per_class: tuple[int, ...] = ()
    if graphs.y is not None and (graphs.y.ndim == 2 or not graphs.y.is_floating_point()):
        per_class = tuple(torch.bincount(graphs.labels(), minlength=graphs.num_classes).tolist())
    widths = [
        0 if value is None else value.shape[1] if value.ndim == 2 else 1
        for value in (graphs.x, graphs.edge_attr)
    ]
    return Statistics(len(graphs), per_class, nodes, edges, *widths)


def fingerprint(graphs: GraphSet) -> str:
    """A hash of graphs, features and labels in their order: the same content, the same hash.

    It depends neither on the machine nor on where the graphs came from.
    """
    digest = hashlib.sha256()
    for name in ("num_nodes", "num_edges", "edge_index", "x", "edge_attr", "y"):
        value = getattr(graphs, name)
        if value is None:
            continue
        array = np.ascontiguousarray(value.numpy())
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()
