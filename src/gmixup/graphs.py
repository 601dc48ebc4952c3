"""GraphSet: many graphs as a few flat tensors; from and to PyG, networkx, numpy and scipy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from gmixup.columns import Columns
from gmixup.conversion import Flat, flatten, ragged
from gmixup.input_rules import Directed, Weights, tidy

# A label above this is an identifier rather than a class: a column for each would fill the memory.
MOST_CLASSES = 10_000


@dataclass(frozen=True, eq=False)
class GraphSet:
    """Simple undirected graphs, one after the other: sorted edges, both directions, no self-loops.

    `GraphSet.of` brings anything into this form; the constructor takes tensors that are in it.
    Keys of a PyG graph other than x, edge_index, edge_attr, y and num_nodes are left behind.
    """

    num_nodes: Tensor  # (G,) int64
    num_edges: Tensor  # (G,) int64, both directions counted
    edge_index: Tensor  # (2, E) int64, counted from 0 within each graph
    x: Tensor | None = None  # (N, F)
    edge_attr: Tensor | None = None  # (E,) or (E, Fe)
    y: Tensor | None = (
        None  # (G,) int64 classes, (G, C) soft labels, or anything else kept as it is
    )
    explicit_num_nodes: bool = True  # whether the PyG form carries the key `num_nodes`
    label_like: Tensor | None = None  # (0, ...) in which shape and dtype the PyG form holds a class
    directed: bool = False  # kept as it came: directed edges and self-loops are possible
    classes: int | None = None  # how many classes there are, where a part holds fewer
    columns: Columns | None = None  # what x holds, where a part could look different
    edge_columns: Columns | None = None

    @classmethod
    def of(
        cls, data: Any, *, directed: Directed = "raise", weights: Weights = "raise"
    ) -> "GraphSet":
        """A GraphSet of PyG graphs, a PyG dataset, networkx graphs, numpy or scipy adjacency.

        Self-loops are dropped and duplicate edges merged (the first one's features stay). Directed
        input and edge weights raise unless asked to `symmetrise` and `binarise`; `directed="as-is"`
        keeps direction and self-loops, for the faithful estimators alone. Tensors come to the CPU.
        """
        if isinstance(data, cls):
            return data._symmetrised() if data.directed and directed == "symmetrise" else data
        flat = tidy(flatten(data), directed, weights)
        return cls(
            num_nodes=flat.num_nodes,
            num_edges=flat.num_edges,
            edge_index=flat.edge_index,
            x=flat.x,
            edge_attr=flat.edge_attr,
            y=flat.y,
            explicit_num_nodes=flat.explicit_num_nodes,
            label_like=flat.label_like,
            directed=directed == "as-is",
        )

    def _symmetrised(self) -> "GraphSet":
        own = (self.num_nodes, self.num_edges, self.edge_index, self.x, self.edge_attr)
        flat = tidy(Flat(*own), "symmetrise", "raise")
        kept = {"num_edges": flat.num_edges, "edge_index": flat.edge_index}
        return replace(self, **kept, edge_attr=flat.edge_attr, directed=False)

    def __len__(self) -> int:
        return len(self.num_nodes)

    def __repr__(self) -> str:
        parts = [f"{len(self)} graphs", f"{self.node_count} nodes", f"{self.edge_count // 2} edges"]
        parts += [f"x {tuple(self.x.shape)}"] if self.x is not None else []
        parts += [f"edge_attr {tuple(self.edge_attr.shape)}"] if self.edge_attr is not None else []
        parts += [f"y {tuple(self.y.shape)}"] if self.y is not None else []
        return f"GraphSet({', '.join(parts)})"

    def __getitem__(self, index: int) -> Any:
        """One graph as PyG `Data`."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"`index` is {index}; there are {len(self)} graphs")
        return self.subset([index % len(self)]).to_pyg()[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_pyg())

    @property
    def node_count(self) -> int:
        """All nodes of all graphs."""
        return int(self.num_nodes.sum())

    @property
    def edge_count(self) -> int:
        """All listed edges of all graphs; an undirected edge counts twice."""
        return self.edge_index.shape[1]

    @cached_property
    def node_start(self) -> Tensor:
        """(G,) the row of each graph's first node."""
        return self.num_nodes.cumsum(0) - self.num_nodes

    @cached_property
    def edge_start(self) -> Tensor:
        """(G,) the column of each graph's first edge."""
        return self.num_edges.cumsum(0) - self.num_edges

    def owner(self) -> Tensor:
        """(N,) the graph of each node."""
        return torch.arange(len(self)).repeat_interleave(self.num_nodes)

    def global_edge_index(self) -> Tensor:
        """(2, E) the edges with nodes counted over all graphs."""
        return self.edge_index + self.node_start.repeat_interleave(self.num_edges)

    def degrees(self) -> Tensor:
        """(N,) int64 the number of edges at each node."""
        return torch.bincount(self.global_edge_index()[0], minlength=self.node_count)

    def densities(self) -> Tensor:
        """(G,) float64 edges over pairs of nodes; 0 for a graph without a pair."""
        pairs = self.num_nodes * (self.num_nodes - 1)
        return self.num_edges / pairs.clamp(min=1).double()

    def sizes(self) -> Tensor:
        """(G, 2) int64 nodes and undirected edges of each graph."""
        edges = self.num_edges if self.directed else self.num_edges // 2
        return torch.stack([self.num_nodes, edges], 1)

    def adjacency(self, dtype: Any = np.float64) -> sp.csr_array:
        """The (N, N) block-diagonal adjacency matrix of all graphs."""
        row, column = self.global_edge_index().numpy()
        indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=self.node_count))])
        ones = np.ones(len(column), dtype)
        return sp.csr_array((ones, column, indptr), shape=(self.node_count, self.node_count))

    def subset(self, index: Sequence[int] | Tensor | np.ndarray) -> "GraphSet":
        """The graphs at these places, in this order; a boolean mask works too."""
        index = index if isinstance(index, Tensor) else torch.from_numpy(np.array(index))
        if index.dtype == torch.bool and len(index) != len(self):
            raise ValueError(
                f"`index` is a mask of {len(index)} for {len(self)} graphs; give one each"
            )
        index = index.nonzero().flatten() if index.dtype == torch.bool else index.long()
        nodes = (
            ragged(self.node_start[index], self.num_nodes[index]) if self.x is not None else None
        )
        edges = ragged(self.edge_start[index], self.num_edges[index])
        return replace(
            self,
            num_nodes=self.num_nodes[index],
            num_edges=self.num_edges[index],
            edge_index=self.edge_index[:, edges],
            x=None if self.x is None else self.x[nodes],
            edge_attr=None if self.edge_attr is None else self.edge_attr[edges],
            y=None if self.y is None else self.y[index],
            classes=self.classes if self.y is None else self._classes_or_none(),
        )

    def pinned(self) -> "GraphSet":
        """The same set, with classes and the meaning of features read off now.

        Parts of it then agree on them, though a class or a category may be missing from a part.
        """
        columns, edge_columns = self.columns, self.edge_columns
        if columns is None and self.x is not None:
            columns = Columns.of(self.x)
        if edge_columns is None and self.edge_attr is not None:
            edge_columns = Columns.of(self.edge_attr)
        classes = self._classes_or_none()
        return replace(self, classes=classes, columns=columns, edge_columns=edge_columns)

    @property
    def num_classes(self) -> int:
        """How many classes the labels speak of."""
        classes = self._classes_or_none()
        if classes is None:
            raise ValueError("the graphs have no class labels; give `y` as integers or soft labels")
        if classes > MOST_CLASSES:
            raise ValueError(
                f"`y` holds the class {classes - 1}; classes are numbered 0, 1, ... without gaps: "
                "renumber them, e.g. by `y.unique(return_inverse=True)[1]` over all graphs"
            )
        return classes

    def _classes_or_none(self) -> int | None:
        if self.classes is not None or self.y is None:
            return self.classes
        if self.y.ndim == 2:
            return self.y.shape[1]
        if self.y.ndim == 1 and not self.y.is_floating_point():
            return int(self.y.max()) + 1 if len(self.y) else 0
        return None

    def labels(self) -> Tensor:
        """(G,) int64 the class of each graph; for soft labels the heaviest one."""
        self.num_classes  # noqa: B018 (raises where there are no classes)
        assert self.y is not None
        return self.y.argmax(1) if self.y.ndim == 2 else self.y.long()

    def soft_labels(self) -> Tensor:
        """(G, C) float32 label weights that sum to one."""
        if self.y is not None and self.y.ndim == 2:
            y = self.y.float()
            bad = (y < 0).any(1) | ((y.sum(1) - 1).abs() > 1e-3)
            if bool(bad.any()):
                index = int(bad.nonzero()[0])
                raise ValueError(
                    f"`y` of graph {index} is {self.y[index].tolist()}; weights of classes are not "
                    "negative and sum to 1: of several targets at once, choose one"
                )
            return y
        return torch.nn.functional.one_hot(self.labels(), self.num_classes).float()

    def pyg_labels(self) -> Tensor | None:
        """(G, ...) the labels as the PyG form holds them: classes as they came, (1, 1) or float."""
        if self.y is None or self.y.ndim != 1 or self.label_like is None:
            return self.y
        return self.y.to(self.label_like.dtype).reshape(-1, *self.label_like.shape[1:])

    def by_class(self) -> dict[int, "GraphSet"]:
        """The graphs of each class; every class must have one."""
        labels = self.labels()
        empty = sorted(set(range(self.num_classes)) - set(labels.tolist()))
        if empty:
            raise ValueError(
                f"no graph has class {', '.join(map(str, empty))} of {self.num_classes}; give at "
                "least one graph of each class, or number the classes 0, 1, ... without gaps"
            )
        return {label: self.subset(labels == label) for label in range(self.num_classes)}

    @classmethod
    def joined(cls, parts: Sequence["GraphSet"]) -> "GraphSet":
        """Several sets as one, in order; they must agree on what they hold."""
        if not parts:
            raise ValueError("`parts` is empty; give at least one GraphSet")
        first, values = parts[0], {}
        if len({part.directed for part in parts}) > 1:
            raise ValueError("some of the sets are directed and some are not; make them alike")
        for name in ("num_nodes", "num_edges", "edge_index", "x", "edge_attr", "y"):
            pieces = [getattr(part, name) for part in parts]
            axis = 1 if name == "edge_index" else 0
            kinds = {None if p is None else (p.dtype, p.ndim, p.shape[1 + axis :]) for p in pieces}
            if len(kinds) > 1:
                raise ValueError(f"`{name}` differs in kind between the sets; make them alike")
            values[name] = None if pieces[0] is None else torch.cat(pieces, axis)
        known = [part.classes for part in parts if part.classes is not None]
        return replace(first, **values, classes=max(known) if known else None)

    def to_pyg(self) -> list[Any]:
        """The graphs as a list of PyG `Data`, with the keys that they came with."""
        from torch_geometric.data import Data

        nodes, edges = self.num_nodes.tolist(), self.num_edges.tolist()
        parts: dict[str, Any] = {"edge_index": self.edge_index.split(edges, 1)}
        if self.x is not None:
            parts["x"] = self.x.split(nodes)
        if self.edge_attr is not None:
            parts["edge_attr"] = self.edge_attr.split(edges)
        if (y := self.pyg_labels()) is not None:
            parts["y"] = y.split(1)
        if self.explicit_num_nodes or self.x is None:
            parts["num_nodes"] = nodes
        return [
            Data(**{key: _own(values[index]) for key, values in parts.items()})
            for index in range(len(self))
        ]

    def to_scipy(self) -> list[sp.csr_array]:
        """The graphs as adjacency matrices."""
        whole, cuts = self.adjacency(), [*self.node_start.tolist(), self.node_count]
        return [whole[a:b, a:b] for a, b in pairwise(cuts)]

    def to_networkx(self) -> list[Any]:
        """The graphs as networkx graphs, without features."""
        import networkx as nx

        return [nx.from_scipy_sparse_array(matrix, edge_attribute="") for matrix in self.to_scipy()]

    def save(self, path: str | Path) -> None:
        """Writes one `.npz` file of plain arrays, named as it is said."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if "columns" not in f.name}
        for name in ("columns", "edge_columns"):
            column = getattr(self, name)
            arrays[name] = None if column is None else column.to_json()
        stored: dict[str, Any] = {k: np.asarray(v) for k, v in arrays.items() if v is not None}
        with Path(path).open("wb") as file:  # a name without suffix would be given one
            np.savez(file, **stored)

    @classmethod
    def load(cls, path: str | Path) -> "GraphSet":
        """Reads what `save` wrote; no pickles."""
        with np.load(Path(path), allow_pickle=False) as stored:
            arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
        for name in ("explicit_num_nodes", "directed", "classes"):
            arrays[name] = arrays[name].item() if name in arrays else None
        for name in ("columns", "edge_columns"):
            arrays[name] = Columns.from_json(str(arrays[name])) if name in arrays else None
        values: dict[str, Any] = {
            k: torch.from_numpy(v) if isinstance(v, np.ndarray) else v for k, v in arrays.items()
        }
        return cls(**values)


def _own(value: Any) -> Any:
    # A view into the set would let an edit of one graph reach the others, and pickles the whole.
    return value.clone() if isinstance(value, Tensor) else value
