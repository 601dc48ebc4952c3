"""TU data sets: the text files of the TUDataset collection (Morris et al., 2020), and downloads."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from gmixup.datasets._collated import Collated, collate
from gmixup.datasets._disk import download, root_folder
from gmixup.datasets._numbers import read_numbers

# The eight of the paper; any other name of the collection works as well.
NAMES = (
    "IMDB-BINARY",
    "IMDB-MULTI",
    "REDDIT-BINARY",
    "REDDIT-MULTI-5K",
    "REDDIT-MULTI-12K",
    "DD",
    "PROTEINS",
    "MUTAG",
)
# Our own addition to the format: (G, C) label weights, one line a graph.
SOFT_LABELS = "graph_soft_labels"
URL = "https://www.chrsmrrs.com/graphkerneldatasets/{name}.zip"


def tu_files(folder: Path) -> dict[str, Path]:
    """The TU files of a folder, or of the raw/ in it, by their kind: A, graph_indicator, ..."""
    for place in (folder / "raw", folder):
        lists = sorted(place.glob("*_A.txt"))
        if len(lists) > 1:
            names = ", ".join(file.name for file in lists)
            raise ValueError(f"{place} holds more than one data set ({names}); keep one a folder")
        for edges in lists:
            prefix = edges.name.removesuffix("A.txt")
            return {
                file.name.removeprefix(prefix).removesuffix(".txt"): file
                for file in sorted(place.glob(f"{prefix}*.txt"))
            }
    return {}


def read_tu(folder: str | Path, attributes: bool = False) -> Collated:
    """The graphs of a folder of TU text, as PyG's `TUDataset` reads them.

    Labels of nodes and edges become one-hot columns; continuous attributes are read only if asked
    for. Graph labels are numbered 0, 1, ... in their order.
    """
    files = tu_files(Path(folder))
    if "graph_indicator" not in files:
        raise ValueError(f"{folder} lacks NAME_A.txt or NAME_graph_indicator.txt; add it")
    y = _graph_labels(files)
    owner = torch.from_numpy(read_numbers(files["graph_indicator"])[:, 0] - 1)
    if len(owner) and bool((owner.diff() < 0).any() | (owner[0] < 0)):
        raise ValueError(
            f"{files['graph_indicator']} is not in ascending order from 1; list the nodes of one "
            "graph after the other"
        )
    num_nodes = torch.bincount(owner, minlength=0 if y is None else len(y))
    row, column = torch.from_numpy(read_numbers(files["A"], columns=2).T) - 1
    _check_edges(files["A"], row, column, owner)
    graph = owner[row]
    edge_attr = _features(files, "edge", len(row), attributes)
    if bool((graph.diff() < 0).any()):
        order = graph.argsort(stable=True)
        graph, row, column = graph[order], row[order], column[order]
        edge_attr = None if edge_attr is None else edge_attr[order]
    start = (num_nodes.cumsum(0) - num_nodes)[graph]
    return collate(
        num_nodes,
        torch.bincount(graph, minlength=len(num_nodes)),
        torch.stack([row - start, column - start]),
        y,
        explicit_num_nodes=False,
        x=_features(files, "node", len(owner), attributes),
        edge_attr=edge_attr,
    )


def download_tu(name: str, root: str | Path | None = None) -> Path:
    """Downloads the set of that name from the collection's site, and says where it is."""
    folder = root_folder(root) / "TU" / name
    try:
        download(URL.format(name=name), folder / "raw")
    except ConnectionError as error:
        raise FileNotFoundError(
            f"{name!r} is not among the data sets in {root_folder(root)}/ and {error}; put "
            f"{name}_A.txt, {name}_graph_indicator.txt, {name}_graph_labels.txt and what else the "
            f"set has into {folder}/raw/"
        ) from error
    return folder


def _check_edges(file: Path, row: Tensor, column: Tensor, owner: Tensor) -> None:
    if len(row) == 0:
        return
    low, high = min(row.min(), column.min()), max(row.max(), column.max())
    if low < 0 or high >= len(owner):
        raise ValueError(
            f"{file} speaks of nodes {int(low) + 1} to {int(high) + 1} but there are {len(owner)}, "
            "numbered from 1; correct it"
        )
    across = owner[row] != owner[column]
    if bool(across.any()):
        line = int(across.nonzero()[0]) + 1
        raise ValueError(f"line {line} of {file} joins two graphs; an edge lies within one")


def _graph_labels(files: dict[str, Path]) -> Tensor | None:
    """(G,) classes; (G, C) where soft labels were saved; numbers where it is a regression."""
    if SOFT_LABELS in files:
        return torch.from_numpy(read_numbers(files[SOFT_LABELS], np.float64)).float()
    kind = "graph_attributes" if "graph_attributes" in files else "graph_labels"
    if kind not in files:
        return None
    values = torch.from_numpy(read_numbers(files[kind], np.float64))
    if values.shape[1] != 1:
        raise ValueError(
            f"{files[kind]} has {values.shape[1]} labels a graph; a graph has one class: keep one "
            "column"
        )
    return values[:, 0].unique(return_inverse=True)[1] if kind == "graph_labels" else values.float()


def _features(files: dict[str, Path], what: str, rows: int, attributes: bool) -> Tensor | None:
    """(rows, F) float32: attributes if asked for, then the labels as one-hot columns."""
    parts = []
    if attributes and f"{what}_attributes" in files:
        parts.append(torch.from_numpy(read_numbers(files[f"{what}_attributes"], np.float64)))
    if f"{what}_labels" in files:
        labels = torch.from_numpy(read_numbers(files[f"{what}_labels"], np.float64)).long()
        labels = labels - labels.min(0).values
        parts += [one_hot(column) for column in labels.T]
    for part in parts:
        if len(part) != rows:
            raise ValueError(
                f"the files of {what} labels and attributes beside {files['A']} have {len(part)} "
                f"lines; {rows} are needed, one for each {what}"
            )
    return torch.cat([part.float() for part in parts], 1) if parts else None
