"""Graphs written to disk, whole or not at all: the saved form of PyG users, and TU text."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gmixup.atomic import whole_files
from gmixup.columns import Columns
from gmixup.datasets._collated import SAVED, collated
from gmixup.datasets.tu import SOFT_LABELS
from gmixup.graphs import GraphSet

# Lines that are formatted at once.
CHUNK = 1 << 16


def save_graphs(graphs: Any, path: str | Path) -> Path:
    """Writes `(data.to_dict(), slices)`, which `GraphFolder` and `torch.load` read.

    `path` is a .pt file, or a folder, in which the file is called graphs.pt.
    """
    path = Path(path).expanduser()
    file = path if path.suffix == ".pt" else path / SAVED
    form = collated(GraphSet.of(graphs))
    with whole_files(file.parent) as draft:
        torch.save(form, draft / file.name)
    return file


def save_tu(graphs: Any, path: str | Path, name: str | None = None) -> Path:
    """Writes TU text into `path`/raw, which PyG's `TUDataset(path.parent, path.name)` reads.

    Each graph gets the class that is heaviest in its label; soft labels have a file of their own.
    One-hot and integer features become labels of nodes and edges, all others attributes. As ever in
    this format classes and labels are numbered anew from those that occur.
    """
    graphs, path = GraphSet.of(graphs), Path(path).expanduser()
    name = name or path.resolve().name
    start = graphs.node_start.repeat_interleave(graphs.num_edges)
    edges = (graphs.edge_index + start).T + 1
    content = {"A": edges, "graph_indicator": graphs.owner()[:, None] + 1}
    content |= _features("node", graphs.x, graphs.columns)
    content |= _features("edge", graphs.edge_attr, graphs.edge_columns)
    if graphs.y is not None and graphs.y.ndim == 1 and graphs.y.is_floating_point():
        content["graph_attributes"] = graphs.y[:, None]
    elif graphs.y is not None:
        content["graph_labels"] = graphs.labels()[:, None]
        if graphs.y.ndim == 2:
            content[SOFT_LABELS] = graphs.y
    with whole_files(path / "raw") as draft:
        for kind, values in content.items():
            with (draft / f"{name}_{kind}.txt").open("w", encoding="ascii", newline="\n") as file:
                file.writelines(_lines(values))
    return path


def _features(what: str, values: Tensor | None, columns: Columns | None) -> dict[str, Tensor]:
    """The files of labels and attributes that hold features (rows, F)."""
    if values is None:
        return {}
    groups = (columns or Columns.of(values)).groups
    table = values.reshape(len(values), -1)
    labels = [
        table[:, list(group.places)].argmax(1)
        if group.kind == "one-hot"
        else table[:, group.places[0]]
        for group in groups
        if group.kind in ("one-hot", "integer")
    ]
    others = [p for group in groups if group.kind in ("number", "binary") for p in group.places]
    content = {f"{what}_attributes": table[:, sorted(others)]} if others else {}
    return content | ({f"{what}_labels": torch.stack(labels, 1)} if labels else {})


def _lines(values: Tensor) -> Iterator[str]:
    """(rows, columns) as text; floats with as many digits as bring them back exactly."""
    digits = "%.17g" if values.dtype == torch.float64 else "%.9g"
    form = digits if values.is_floating_point() else "%d"
    line = ", ".join([form] * values.shape[1]) + "\n"
    for chunk in values.split(CHUNK):
        yield line * len(chunk) % tuple(chunk.flatten().tolist())
