"""Any data set as a GraphSet: by name or by path, from disk where it is, else downloaded."""

import difflib
from functools import partial
from pathlib import Path
from typing import Any

from gmixup.datasets import ogb, tu
from gmixup.datasets._disk import is_name, places, root_folder
from gmixup.datasets.folder import read_path
from gmixup.datasets.splits import Split
from gmixup.graphs import GraphSet
from gmixup.input_rules import Directed, Weights
from gmixup.spelling import spelt

FORMS = (
    "a saved set of graphs (graphs.pt), a GraphSet (.npz), TU text (NAME_A.txt and "
    "NAME_graph_indicator.txt), OGB's csv files (raw/edge.csv.gz) or node-link .json of networkx"
)


def names() -> list[str]:
    """The names of the paper's data sets and of those that come with gmixup."""
    from gmixup.datasets import room

    return [*tu.NAMES, *ogb.NAMES, *room.names()]


def load(
    data: Any,
    root: str | Path | None = None,
    *,
    directed: Directed = "raise",
    weights: Weights = "raise",
) -> GraphSet:
    """The graphs of a data set by name, of a file or folder by path, or graphs as they are.

    A name is one of `names()` or any other of the TU collection; a synthetic set's settings follow
    a colon, as in `one-and-two-hubs:graphs=50`. A name is looked for as ROOT/TU/NAME,
    ROOT/NAME and ROOT/ogb/NAME, where ROOT is `root`, else $GMIXUP_DATA, else data/, and is
    downloaded only if it is nowhere. By name TU sets are read as PyG does, without continuous
    attributes; by path everything that is there is read. `directed` and `weights` are passed on to
    `GraphSet.of`.
    """
    from gmixup.datasets import room

    if not isinstance(data, str | Path):
        return GraphSet.of(data, directed=directed, weights=weights)
    name, path = str(data), Path(data).expanduser()
    if name.partition(":")[0] in room.names() or ".py:" in name:
        return spelt(room, name).load()
    read = partial(read_path, directed=directed, weights=weights)
    for place in places(name, root) if is_name(name) else []:
        if (graphs := read(place, attributes=False)) is not None:
            return graphs
    if (graphs := read(path)) is not None:
        return graphs
    if path.exists():
        raise ValueError(f"{name} holds no graphs in a form that is known; give {FORMS}")
    if not is_name(name):
        raise FileNotFoundError(
            f"there is no file or folder {name}; give a path that exists, or a name: "
            f"{', '.join(names())} or any other of the TU collection"
        )
    folder = _download(name, root)
    if (graphs := read(folder, attributes=False)) is None:
        raise ValueError(f"the download left no graphs in {folder}; put {FORMS} there")
    return graphs


def own_split(name: str | Path, root: str | Path | None = None) -> Split:
    """The split that a data set brings along: OGB's, by scaffold for molecules."""
    candidates = [*(places(str(name), root) if is_name(str(name)) else []), Path(name)]
    for place in candidates:
        if any(place.glob("split/*/train.csv.gz")):
            return ogb.read_split(place)
    raise ValueError(
        f"{str(name)!r} has no split of its own in {root_folder(root)}/; draw one by `stratified`, "
        "or name an OGB set that is there"
    )


def _download(name: str, root: str | Path | None) -> Path:
    fetch = ogb.download_ogb if name.startswith("ogbg") else tu.download_tu
    try:
        return fetch(name, root)
    except FileNotFoundError as error:
        close = [other for other in difflib.get_close_matches(name, names(), n=1) if other != name]
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise FileNotFoundError(f"{error}{hint}") from error
