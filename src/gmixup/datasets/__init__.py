"""Data sets: the paper's, generated ones and your own, as one GraphSet; splits and corruption."""

from typing import TYPE_CHECKING

from gmixup.datasets.corruption import add_edges, corrupt_labels, remove_edges
from gmixup.datasets.loading import load, names, own_split
from gmixup.datasets.saving import save_graphs, save_tu
from gmixup.datasets.splits import Split, k_fold, stratified, unstratified
from gmixup.datasets.summary import Statistics, fingerprint, statistics
from gmixup.registry import Room

if TYPE_CHECKING:
    from gmixup.datasets._graph_folder import GraphFolder

__all__ = [
    "GraphFolder",
    "Split",
    "Statistics",
    "add_edges",
    "corrupt_labels",
    "fingerprint",
    "k_fold",
    "load",
    "names",
    "own_split",
    "remove_edges",
    "save_graphs",
    "save_tu",
    "statistics",
    "stratified",
    "unstratified",
]

room = Room(__name__, "data set")


def __getattr__(name: str):
    if name == "GraphFolder":  # on first use, because it loads PyG
        from gmixup.datasets._graph_folder import GraphFolder

        return GraphFolder
    return room.attribute(name)
