"""Graphs by path: whatever a file or a folder holds, recognised by its files.

- a saved set of graphs, `torch.save((data.to_dict(), slices), "graphs.pt")`;
- a GraphSet saved as `.npz`;
- TU text, NAME_A.txt and the files beside it, in the folder or in its raw/;
- OGB's layout, raw/edge.csv.gz and the files beside it;
- node-link JSON of networkx.
"""

from collections.abc import Callable
from pathlib import Path

from gmixup.datasets._collated import Collated, graph_set, read_collated, saved_file
from gmixup.datasets._packed import packed
from gmixup.datasets.node_link import read_node_link
from gmixup.datasets.ogb import ogb_files, read_ogb
from gmixup.datasets.tu import read_tu, tu_files
from gmixup.graphs import GraphSet
from gmixup.input_rules import Directed, Weights


def read_path(
    path: str | Path,
    *,
    attributes: bool = True,
    directed: Directed = "raise",
    weights: Weights = "raise",
) -> GraphSet | None:
    """The graphs at a path, or None where nothing lies that we know.

    `attributes=False` leaves out the continuous attributes of TU text, as PyG does.
    """
    path = Path(path).expanduser()
    if path.suffix == ".npz" and path.is_file():
        return GraphSet.load(path)
    if (file := saved_file(path)) is not None:
        return graph_set(read_collated(file), directed, weights)
    files, read = _text(path, attributes)
    if not files:
        return None
    settings = f"attributes={attributes} directed={directed} weights={weights}"
    return packed(files, settings, lambda: graph_set(read(), directed, weights))


def _text(path: Path, attributes: bool) -> tuple[list[Path], Callable[[], Collated]]:
    """The text files at a path, and what reads them."""
    if files := tu_files(path):
        return list(files.values()), lambda: read_tu(path, attributes)
    if files := ogb_files(path):
        return list(files.values()), lambda: read_ogb(path)
    alone = path.suffix == ".json" and path.is_file()
    texts = [path] if alone else sorted(path.glob("*.json"))
    return texts, lambda: read_node_link(texts)
