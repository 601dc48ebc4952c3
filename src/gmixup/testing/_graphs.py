"""Small sets of graphs in the forms in which users of PyG have them."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import one_hot
from torch_geometric.data import Data

from gmixup.seeds import generator


def small_graphs(form: str, count: int = 12) -> list[Any]:
    """Graphs of 3 to 10 nodes and of the classes 0 and 1 in turn, in one of the `FORMS`."""
    stream = generator(0, "testing", form)
    graphs = []
    for number in range(count):
        nodes = int(torch.randint(3, 11, (), generator=stream))
        upper = (torch.rand(nodes, nodes, generator=stream) < 0.5).triu(1)
        edge_index = (upper | upper.T).nonzero().T.contiguous()
        y = torch.tensor([[number % 2]] if form == "ogb" else [number % 2])
        graphs.append(Data(edge_index=edge_index, y=y, **FORMS[form](nodes, edge_index, stream)))
    return graphs


def _categories(edge_index: Tensor, levels: int) -> Tensor:
    """(E,) the same for both directions of an edge."""
    return (edge_index.min(0).values * 5 + edge_index.max(0).values * 3) % levels


def _molecule(nodes: int, edges: Tensor, stream: torch.Generator) -> dict[str, Any]:
    atoms = [torch.randint(n, (nodes,), generator=stream) for n in (119, 4, 12, 12, 10, 6, 6, 2, 2)]
    bonds = [_categories(edges, levels) for levels in (5, 6, 2)]
    return {"x": torch.stack(atoms, 1), "edge_attr": torch.stack(bonds, 1), "num_nodes": nodes}


# What each form has beside edge_index and y. All but `ogb` have y (1,), which has (1, 1).
FORMS: dict[str, Callable[[int, Tensor, torch.Generator], dict[str, Any]]] = {
    "bare": lambda nodes, _edges, _stream: {"num_nodes": nodes},
    "labels": lambda nodes, _edges, stream: {
        "x": one_hot(torch.randint(3, (nodes,), generator=stream), 3).float()
    },
    "labels of both": lambda nodes, edges, stream: {
        "x": one_hot(torch.randint(3, (nodes,), generator=stream), 3).float(),
        "edge_attr": one_hot(_categories(edges, 4), 4).float(),
    },
    "ogb": _molecule,
    "types": lambda nodes, edges, stream: {  # as ZINC
        "x": torch.randint(21, (nodes, 1), generator=stream),
        "edge_attr": _categories(edges, 3) + 1,
    },
    "types of edges": lambda nodes, edges, _stream: {
        "edge_attr": _categories(edges, 3),
        "num_nodes": nodes,
    },
    "numbers": lambda nodes, edges, stream: {
        "x": torch.randn(nodes, 4, generator=stream),
        "edge_attr": _categories(edges, 7)[:, None] / 7,
    },
    "flags": lambda nodes, _edges, stream: {"x": torch.rand(nodes, 4, generator=stream) < 0.4},
}
