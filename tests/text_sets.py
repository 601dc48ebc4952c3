"""Data sets as text, and what is written and read again."""

import gzip
from dataclasses import replace

import numpy as np
import torch

from gmixup import GraphSet


def labelled(matrices):
    """Graphs of these matrices whose classes are 0, 1, 0, 1, ..."""
    graphs = GraphSet.of([*matrices, np.ones((2, 2)) - np.eye(2)])
    return replace(graphs, y=torch.arange(len(graphs)) % 2)


def write(folder, name, **files):
    """TU text: `files` by their kind."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, text in files.items():
        (folder / f"{name}_{kind}.txt").write_text(text, encoding="ascii")
    return folder


SMALL = {
    "A": "1, 2\n2, 1\n4, 5\n5, 4\n1, 2\n2, 1\n3, 3\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
}


def soft(graphs):
    weights = torch.rand(len(graphs), 3, generator=torch.Generator().manual_seed(0))
    return replace(graphs, y=weights / weights.sum(1, keepdim=True))


def write_ogb(folder, **change):
    files = {
        "edge": "0,1\n1,2\n0,1\n",
        "num-node-list": "4\n2\n",
        "num-edge-list": "2\n1\n",
        "node-feat": "5,0\n6,0\n7,1\n8,1\n5,0\n6,1\n",
        "edge-feat": "1\n2\n3\n",
        "graph-label": "1\n0\n",
    } | {kind.replace("_", "-"): text for kind, text in change.items()}
    (folder / "raw").mkdir(parents=True)
    for kind, text in files.items():
        (folder / "raw" / f"{kind}.csv.gz").write_bytes(gzip.compress(text.encode()))
    return folder
