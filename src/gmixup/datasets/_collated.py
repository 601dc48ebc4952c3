"""The collated form of PyG: one dict of tensors for all graphs, and the cuts between them.

Every reader of this room hands its graphs over in it, and a saved set of graphs is nothing else.
"""

import pickle
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gmixup.graphs import GraphSet
from gmixup.input_rules import Directed, Weights

Collated = tuple[dict[str, Any], dict[str, Tensor]]

# What a saved set of graphs is called inside a folder.
SAVED = "graphs.pt"

CONVERSION = (
    'python -c "import torch; from torch_geometric.data import InMemoryDataset; '
    "data, slices = InMemoryDataset.collate(torch.load('{path}', weights_only=False)); "
    "torch.save((data.to_dict(), slices), '{path}')\""
)


def collate(
    num_nodes: Tensor,  # (G,) int64
    num_edges: Tensor,  # (G,) int64, as listed
    edge_index: Tensor,  # (2, E) int64, counted from 0 within each graph
    y: Tensor | None = None,  # (G,) or (G, C)
    explicit_num_nodes: bool = True,
    **features: Tensor | None,  # x: (N, F); edge_attr, edge_weight: (E,) or (E, Fe)
) -> Collated:
    """Flat tensors in the collated form; features that are None are left out."""
    nodes, edges = _cuts(num_nodes), _cuts(num_edges)
    store: dict[str, Any] = {"edge_index": edge_index}
    slices = {"edge_index": edges}
    for key, value in features.items():
        if value is not None:
            store[key], slices[key] = value, nodes if key == "x" else edges
    if y is not None:
        store["y"], slices["y"] = y, torch.arange(len(num_nodes) + 1)
    if explicit_num_nodes or "x" not in store:
        store["num_nodes"], store["_num_nodes"] = int(nodes[-1]), num_nodes.tolist()
    return store, slices


def collated(graphs: GraphSet) -> Collated:
    """A GraphSet in the collated form."""
    return collate(
        graphs.num_nodes,
        graphs.num_edges,
        graphs.edge_index,
        graphs.pyg_labels(),
        graphs.explicit_num_nodes,
        x=graphs.x,
        edge_attr=graphs.edge_attr,
    )


def graph_set(form: Collated, directed: Directed = "raise", weights: Weights = "raise") -> GraphSet:
    """The collated form as a GraphSet, by the same input rules as everything else."""
    from torch_geometric.data import Data, InMemoryDataset

    dataset = InMemoryDataset()
    dataset.data, dataset.slices = Data.from_dict(form[0]), form[1]
    return GraphSet.of(dataset, directed=directed, weights=weights)


def saved_file(path: Path) -> Path | None:
    """The saved set of graphs at a path: the file, or graphs.pt or the one .pt file in a folder."""
    if path.is_file():
        return path if path.suffix in (".pt", ".pth") else None
    files = [path / SAVED] if (path / SAVED).is_file() else sorted(path.glob("*.pt"))
    return files[0] if len(files) == 1 else None


def read_collated(path: str | Path) -> Collated:
    """What `torch.save((data.to_dict(), slices), path)` wrote: plain tensors, not objects."""
    try:
        content = torch.load(path, weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError):
        content = None
    if (
        isinstance(content, tuple)
        and len(content) > 1
        and all(isinstance(part, dict) for part in content[:2])
    ):
        return content[0], content[1]
    raise ValueError(
        f"{path} is not a saved set of graphs, `torch.save((data.to_dict(), slices), path)`; a "
        "pickled list of Data can run any code when it is loaded: if you trust it, convert it once "
        f"by  {CONVERSION.format(path=Path(path).as_posix())}"
    )


def _cuts(counts: Tensor) -> Tensor:
    return torch.cat([torch.zeros(1, dtype=torch.long), counts.cumsum(0)])
