"""Whatever holds graphs (PyG, networkx, numpy, scipy) as flat tensors, not yet tidied."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

ACCEPTED = "a list of PyG Data, a PyG dataset, networkx graphs, or numpy or scipy adjacency"


@dataclass
class Flat:
    """Graphs one after the other; node indices count from 0 within each graph."""

    num_nodes: Tensor  # (G,) int64
    num_edges: Tensor  # (G,) int64, as listed
    edge_index: Tensor  # (2, E) int64
    x: Tensor | None = None  # (N, F)
    edge_attr: Tensor | None = None  # (E,) or (E, Fe)
    weights: Tensor | None = None  # (E,)
    y: Tensor | None = None  # (G, ...)
    explicit_num_nodes: bool = True
    label_like: Tensor | None = None  # (0, ...) what a class looked like before it was tidied


def flatten(data: Any) -> Flat:
    """`data` in any accepted form as flat tensors, untouched otherwise."""
    from torch.utils.data import Dataset
    from torch_geometric.data import Batch, Data, InMemoryDataset

    if isinstance(data, Batch):  # it is a Data too, but many graphs
        data = data.to_data_list()
    if isinstance(data, Data) or _is_adjacency(data) or _is_networkx(data):
        data = [data]
    if isinstance(data, InMemoryDataset) and data.transform is None and data.slices is not None:
        return _from_collated(data)
    if not isinstance(data, Sequence | Dataset):
        raise ValueError(f"`data` is a {type(data).__name__}; give {ACCEPTED}")
    graphs = list(data)  # pyright: ignore[reportArgumentType, reportCallIssue]
    if not graphs:
        raise ValueError(f"`data` holds no graph; give {ACCEPTED} with at least one graph")
    if any(isinstance(graph, Batch) for graph in graphs):
        raise ValueError("`data` holds batches of graphs; give their graphs, `to_data_list()`")
    if all(isinstance(graph, Data) for graph in graphs):
        return _from_list(graphs)
    if all(_is_networkx(graph) for graph in graphs):
        return _from_networkx(graphs)
    if all(_is_adjacency(graph) for graph in graphs):
        return _from_adjacency(graphs)
    kinds = sorted({type(graph).__name__ for graph in graphs})
    raise ValueError(f"`data` holds {', '.join(kinds)}; give {ACCEPTED}, all of one kind")


def foreign_keys(data: Any) -> list[str]:
    """Keys of PyG graphs that a GraphSet leaves behind, such as `pos`."""
    from torch.utils.data import Dataset
    from torch_geometric.data import Batch, Data

    if isinstance(data, Batch):
        data = data.to_data_list()
    # The graphs of a data set hold the same, and a transform may take long for all of them.
    graphs = [data[0]] if isinstance(data, Dataset) and len(data) else data  # pyright: ignore
    graphs = graphs if isinstance(graphs, Sequence) else [graphs]
    carried = {"x", "edge_index", "edge_attr", "y", "num_nodes"}
    return sorted({k for g in graphs if isinstance(g, Data) for k in g.keys()} - carried)  # noqa: SIM118


def ragged(starts: Tensor, counts: Tensor) -> Tensor:
    """The ranges start, ..., start + count - 1 one after the other: (counts.sum(),) int64."""
    before = counts.cumsum(0) - counts
    return torch.arange(int(counts.sum())) + (starts - before).repeat_interleave(counts)


def _is_adjacency(thing: Any) -> bool:
    if isinstance(thing, Tensor | np.ndarray):
        return thing.ndim == 2 and thing.shape[0] == thing.shape[1]
    return sp.issparse(thing)


def _is_networkx(thing: Any) -> bool:
    return hasattr(thing, "adjacency") and hasattr(thing, "is_directed")


def _from_collated(dataset: Any) -> Flat:
    """A PyG in-memory dataset through its collated storage, without a loop over graphs."""
    store, slices = dataset._data, dataset.slices
    counts = {key: cuts.diff() for key, cuts in slices.items()}
    explicit = getattr(store, "_num_nodes", None)
    if explicit is not None:
        num_nodes = torch.as_tensor(explicit, dtype=torch.long)
    elif "num_nodes" in slices:
        num_nodes = torch.as_tensor(store.num_nodes, dtype=torch.long).flatten()
    elif "x" in slices:
        num_nodes = counts["x"]
    else:
        return _from_list([dataset.get(index) for index in dataset.indices()])
    edge_index = store.edge_index if "edge_index" in slices else torch.empty(2, 0, dtype=torch.long)
    none = torch.zeros_like(num_nodes)
    flat = Flat(
        num_nodes=num_nodes,
        num_edges=counts.get("edge_index", none),
        edge_index=edge_index,
        x=store.x if "x" in slices else None,
        edge_attr=store.edge_attr if "edge_attr" in slices else None,
        weights=store.edge_weight if "edge_weight" in slices else None,
        y=store.y if "y" in slices else None,
        explicit_num_nodes=explicit is not None or "num_nodes" in slices,
    )
    return flat if dataset._indices is None else _take(flat, torch.as_tensor(dataset._indices))


def _take(flat: Flat, index: Tensor) -> Flat:
    def rows(starts: Tensor, counts: Tensor) -> Tensor:
        return ragged(starts[index], counts[index])

    nodes = rows(flat.num_nodes.cumsum(0) - flat.num_nodes, flat.num_nodes)
    edges = rows(flat.num_edges.cumsum(0) - flat.num_edges, flat.num_edges)
    return Flat(
        num_nodes=flat.num_nodes[index],
        num_edges=flat.num_edges[index],
        edge_index=flat.edge_index[:, edges],
        x=None if flat.x is None else flat.x[nodes],
        edge_attr=None if flat.edge_attr is None else flat.edge_attr[edges],
        weights=None if flat.weights is None else flat.weights[edges],
        y=None if flat.y is None else flat.y[index],
        explicit_num_nodes=flat.explicit_num_nodes,
    )


def _from_list(graphs: list) -> Flat:
    nodes, edges = [], []
    unstated = 0
    for graph in graphs:
        edge_index = graph.get("edge_index")
        if edge_index is None and graph.get("adj_t") is not None:
            raise ValueError("`data` holds `adj_t`; give `edge_index` (leave out ToSparseTensor)")
        edges.append(torch.empty(2, 0, dtype=torch.long) if edge_index is None else edge_index)
        if edges[-1].ndim != 2 or edges[-1].shape[0] != 2:
            raise ValueError(f"`edge_index` has shape {tuple(edges[-1].shape)}; it must be (2, E)")
        stated = "num_nodes" in graph or graph.get("x") is not None
        unstated += not stated
        # Counted here because PyG's own inference warns once per graph.
        seen = int(edges[-1].max()) + 1 if edges[-1].numel() else 0
        nodes.append(int(graph.num_nodes) if stated else seen)
    if unstated:
        warnings.warn(
            f"{unstated} graphs state no `num_nodes`; their nodes are counted up to the largest "
            "index in `edge_index`, so isolated nodes at the end are lost",
            stacklevel=4,
        )
    y = _joined(graphs, "y", lambda value: torch.as_tensor(value).reshape(1, -1), "shape")
    if y is not None and y.shape[1] == 1 and torch.as_tensor(graphs[0].y).ndim < 2:
        y = y[:, 0]
    return Flat(
        num_nodes=torch.tensor(nodes, dtype=torch.long),
        num_edges=torch.tensor([one.shape[1] for one in edges], dtype=torch.long),
        edge_index=torch.cat(edges, 1).long(),
        x=_joined(graphs, "x", lambda value: value, "width"),
        edge_attr=_joined(graphs, "edge_attr", lambda value: value, "width"),
        weights=_joined(graphs, "edge_weight", lambda value: value.reshape(-1), "width"),
        y=y,
        explicit_num_nodes=any("num_nodes" in graph for graph in graphs),
    )


def _joined(graphs: list, key: str, shaped: Any, what: str) -> Tensor | None:
    """The tensors stored under `key` in one piece; all graphs must agree on them."""
    have = [graph.get(key) is not None for graph in graphs]
    if not any(have):
        return None
    if not all(have):
        raise ValueError(
            f"`{key}` is given for {sum(have)} of {len(graphs)} graphs; give it for all or for none"
        )
    parts = [shaped(graph.get(key)) for graph in graphs]
    kinds = {(tuple(part.shape[1:]), part.dtype) for part in parts}
    if len(kinds) > 1:
        found = ", ".join(sorted(f"{shape} {dtype}" for shape, dtype in kinds))
        raise ValueError(
            f"`{key}` has more than one {what} or dtype over the graphs ({found}); make them equal"
        )
    return torch.cat(parts)


def _from_networkx(graphs: list) -> Flat:
    import networkx as nx

    return _from_adjacency([nx.to_scipy_sparse_array(g) if len(g) else _nothing() for g in graphs])


def _nothing() -> sp.csr_array:
    return sp.csr_array((0, 0))


def _from_adjacency(matrices: list) -> Flat:
    parts = [m.tocoo() if sp.issparse(m) else sp.coo_array(np.asarray(m)) for m in matrices]
    nodes, columns = np.array([part.shape for part in parts]).T
    if (nodes != columns).any():
        bad = int((nodes != columns).argmax())
        raise ValueError(f"matrix {bad} is {nodes[bad]} x {columns[bad]}; adjacency is square")
    indices = [np.stack([part.row, part.col]).astype(np.int64) for part in parts]
    return Flat(
        num_nodes=torch.from_numpy(nodes),
        num_edges=torch.tensor([part.nnz for part in parts]),
        edge_index=torch.from_numpy(np.concatenate(indices, 1)),
        weights=torch.from_numpy(np.concatenate([part.data.astype(float) for part in parts])),
    )
