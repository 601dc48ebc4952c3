"""OGB data sets of graphs (Hu et al., 2020) from their csv files, their split, and downloads."""

import gzip
import re
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from gmixup.conversion import ragged
from gmixup.datasets._collated import Collated, collate
from gmixup.datasets._disk import download, root_folder
from gmixup.datasets._numbers import read_numbers
from gmixup.datasets.splits import Split

# The three of the paper.
NAMES = ("ogbg-molhiv", "ogbg-molbbbp", "ogbg-molbace")
URL = "http://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download/{short}.zip"


def ogb_files(folder: Path) -> dict[str, Path]:
    """The csv files of a folder in OGB's layout by their kind: edge, node-feat, ..."""
    raw = folder / "raw"
    if not (raw / "edge.csv.gz").is_file():
        return {}
    return {file.name.removesuffix(".csv.gz"): file for file in sorted(raw.glob("*.csv.gz"))}


def read_ogb(folder: str | Path) -> Collated:
    """The graphs of a folder in OGB's layout, as the `ogb` package reads them.

    Each edge is listed once there: the other direction is added, with the same features.
    """
    files = ogb_files(Path(folder))
    missing = {"edge", "num-node-list", "num-edge-list", "graph-label"} - set(files)
    if missing:
        raise ValueError(f"{folder}/raw lacks {', '.join(sorted(missing))} (.csv.gz); add it")
    counts = [
        torch.from_numpy(read_numbers(files[f"num-{w}-list"])[:, 0]) for w in ("node", "edge")
    ]
    num_nodes, num_edges = counts
    once = torch.from_numpy(read_numbers(files["edge"]).T)
    both = torch.cat([once, once.flip(0)], 1)
    # The graphs' edges one after the other, first as they are listed, then turned round.
    start = num_edges.cumsum(0) - num_edges
    starts = torch.stack([start, start + once.shape[1]], 1).flatten()
    order = ragged(starts, num_edges.repeat_interleave(2))
    edge_attr = _features(files, "edge-feat")
    return collate(
        num_nodes,
        2 * num_edges,
        both[:, order],
        _labels(files["graph-label"], len(num_nodes)),
        x=_features(files, "node-feat"),
        edge_attr=None if edge_attr is None else torch.cat([edge_attr, edge_attr])[order],
    )


def read_split(folder: str | Path) -> Split:
    """The one split that comes with the set: by scaffold, for molecules."""
    folders = sorted(file.parent for file in Path(folder).glob("split/*/train.csv.gz"))
    if len(folders) != 1:
        raise ValueError(f"{folder}/split holds {len(folders)} splits; there must be one")
    parts = [read_numbers(folders[0] / f"{part}.csv.gz") for part in ("train", "valid", "test")]
    return Split(*(torch.from_numpy(part[:, 0]) for part in parts))


def download_ogb(name: str, root: str | Path | None = None) -> Path:
    """Downloads the set of that name from OGB's site, and says where it is."""
    folder = root_folder(root) / "ogb" / name.replace("-", "_")
    short = re.sub("^ogbg[-_]mol", "", name)
    try:
        download(URL.format(short=short), folder)
    except ConnectionError as error:
        raise FileNotFoundError(
            f"{name!r} is not among the data sets in {root_folder(root)}/ and {error}; put what "
            f"{short}.zip holds (raw/, split/, mapping/) into {folder}/"
        ) from error
    return folder


def _features(files: dict[str, Path], kind: str) -> Tensor | None:
    """(rows, F) int64 categories, or float32 where there are fractions."""
    if kind not in files:
        return None
    try:
        return torch.from_numpy(read_numbers(files[kind]))
    except ValueError:
        return torch.from_numpy(read_numbers(files[kind], np.float64)).float()


def _labels(file: Path, graphs: int) -> Tensor:
    """(G,) int64 classes, or float32 where the set is a regression."""
    with gzip.open(file, "rb") as text:
        content = text.read().lower()
    columns = content.split(b"\n", 1)[0].count(b",") + 1
    if columns > 1:
        raise ValueError(
            f"{file} has {columns} labels a graph; a graph has one class: choose a set with one "
            "task, e.g. ogbg-molhiv"
        )
    if b"nan" in content or len(content.split()) != graphs:
        raise ValueError(f"{file} lacks the labels of some graphs (NaN); leave those graphs out")
    values = torch.from_numpy(read_numbers(file, np.float64)[:, 0])
    return values.long() if bool((values == values.round()).all()) else values.float()
