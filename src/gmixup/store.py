"""Store: graphs as a network trains on them, flat on one device; batches are gathered from it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from gmixup.graphs import GraphSet


@dataclass(frozen=True, eq=False)
class Store:
    """Graphs one after the other; a node may stand for several that no network can tell apart."""

    num_nodes: Tensor  # (G,) int64
    num_edges: Tensor  # (G,) int64, all that are listed
    edge_index: Tensor  # (2, E) int64, counted from 0 within each graph
    x: Tensor  # (N, F)
    y: Tensor | None = None  # (G,) or (G, C)
    edge_attr: Tensor | None = None  # (E,) or (E, Fe)
    node_weight: Tensor | None = None  # (N,) how many nodes each stands for; None: itself
    edge_weight: Tensor | None = None  # (E,) how many of the second kind join one of the first
    edge_turned: Tensor | None = None  # (E,) how many of the first kind join one of the second
    directed: bool = False  # such edges may lie in any order

    @classmethod
    def of(cls, graphs: GraphSet) -> "Store":
        """The graphs as they are; they must have node features."""
        if graphs.x is None:
            raise ValueError(
                "`graphs` has no node features `x`; give it some first, e.g. by "
                "DegreeFeatures.fit(train).apply(graphs)"
            )
        return cls(
            graphs.num_nodes,
            graphs.num_edges,
            graphs.edge_index,
            graphs.x,
            graphs.y,
            graphs.edge_attr,
            directed=graphs.directed,
        )

    def __len__(self) -> int:
        return len(self.num_nodes)

    @cached_property
    def node_start(self) -> Tensor:
        """(G,) the row of each graph's first node."""
        return self.num_nodes.cumsum(0) - self.num_nodes

    @cached_property
    def edge_start(self) -> Tensor:
        """(G,) the column of each graph's first edge."""
        return self.num_edges.cumsum(0) - self.num_edges

    @cached_property
    def entries(self) -> Tensor:
        """(N,) int64 how many edges are listed at each node."""
        rows = self.edge_index[0] + self.node_start.repeat_interleave(self.num_edges)
        return torch.bincount(rows, minlength=len(self.x))

    def to(self, device: torch.device | str) -> "Store":
        """The same on another device."""
        return replace(self, **{name: part.to(device) for name, part in self._tensors().items()})

    def with_x(self, x: Tensor) -> "Store":
        """The same with other features (N, F)."""
        return replace(self, x=x)

    @classmethod
    def joined(cls, parts: Sequence["Store"]) -> "Store":
        """Several stores as one, in order; all of them have what the first has."""
        if len(parts) == 1:
            return parts[0]
        values = {
            name: torch.cat(
                [getattr(part, name) for part in parts], 1 if name == "edge_index" else 0
            )
            for name in parts[0]._tensors()
        }
        return replace(parts[0], **values)

    def _tensors(self) -> dict[str, Tensor]:
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, Tensor)}

    def gathered(self, ids: Tensor) -> dict[str, Any]:
        """The fields of a batch of the graphs at `ids` (B,)."""
        node_counts, edge_counts = self.num_nodes[ids], self.num_edges[ids]
        nodes, node_owner = _places(self.node_start[ids], node_counts, int(node_counts.sum()))
        edges, edge_owner = _places(self.edge_start[ids], edge_counts, int(edge_counts.sum()))
        first = node_counts.cumsum(0) - node_counts
        rest = {"y": ids, "edge_attr": edges, "node_weight": nodes}
        rest |= {"edge_weight": edges, "edge_turned": edges}
        taken = {name: getattr(self, name) for name in rest}
        return {
            "x": self.x[nodes],
            "edge_index": self.edge_index.index_select(1, edges) + first[edge_owner],
            "batch": node_owner,
            "num_graphs": len(ids),
            **{k: None if v is None else v[rest[k]] for k, v in taken.items()},
        }

    def gathered_padded(self, ids: Tensor, nodes: int, edges: int) -> dict[str, Any]:
        """The same of R runs side by side, `ids` (R, B), each filled up to that many of both.

        An id of -1 is no graph. After its graphs each run has one more, which takes what is left.
        Shapes depend on R, B, `nodes` and `edges` alone, and nothing waits for the device.
        """
        runs = len(ids)
        # The first graph stands in where there is none: every place that is read has to exist.
        real, ids = ids >= 0, ids.clamp(min=0)
        node_counts = _with_rest(self.num_nodes[ids] * real, nodes, "nodes")
        edge_counts = _with_rest(self.num_edges[ids] * real, edges, "edges")
        node_starts, edge_starts = (
            _with_zero(self.node_start[ids]),
            _with_zero(self.edge_start[ids]),
        )
        node_places, node_owner = _places(node_starts, node_counts, runs * nodes)
        edge_places, edge_owner = _places(edge_starts, edge_counts, runs * edges)
        there = _with_zero(real)
        node_mask, edge_mask = there[node_owner], there[edge_owner]
        node_places, edge_places = node_places * node_mask, edge_places * edge_mask
        first = node_counts.cumsum(0) - node_counts
        spare = _spread(node_counts, edge_counts, edge_owner, runs)
        listed = self.edge_index.shape[1] > 0
        ends = self.edge_index.index_select(1, edge_places) if listed else spare.expand(2, -1)
        ends = torch.where(edge_mask, ends, spare) + first[edge_owner]
        weight = edge_mask.to(torch.get_default_dtype())
        out = {
            "x": _rows_or_zeros(self.x, node_places) * node_mask[:, None],
            "edge_index": ends.clamp(max=runs * nodes - 1),
            "batch": node_owner,
            "num_graphs": len(there),
            "node_mask": node_mask,
            "edge_weight": weight,
            "graph_mask": there,
            "graph_start": torch.nn.functional.pad(node_counts.cumsum(0), (1, 0)).int(),
            "entries": _rows_or_zeros(self.entries, node_places) * node_mask,
        }
        if self.y is not None:
            y = torch.cat([self.y[ids], self.y.new_zeros(runs, 1, *self.y.shape[1:])], 1)
            out["y"] = y.flatten(0, 1) * there.view(-1, *[1] * (self.y.ndim - 1))
        if self.edge_attr is not None:
            out["edge_attr"] = _rows_or_zeros(self.edge_attr, edge_places)
        if self.node_weight is not None:
            out["node_weight"] = self.node_weight[node_places] * node_mask
        if self.edge_weight is not None and self.edge_turned is not None:
            out["edge_weight"] = _rows_or_zeros(self.edge_weight, edge_places) * weight
            out["edge_turned"] = _rows_or_zeros(self.edge_turned, edge_places) * weight
        return out


def _places(starts: Tensor, counts: Tensor, total: int) -> tuple[Tensor, Tensor]:
    """(total,) the ranges start, ..., start + count - 1 one after the other, and whose each is."""
    owner = torch.arange(len(counts), device=counts.device)
    owner = owner.repeat_interleave(counts, output_size=total)
    shift = starts - (counts.cumsum(0) - counts)
    return torch.arange(total, device=counts.device) + shift[owner], owner


def _with_rest(counts: Tensor, capacity: int, name: str) -> Tensor:
    """(R · (B + 1),) the counts (R, B) and, behind those of each run, what is left over."""
    rest = capacity - counts.sum(1, keepdim=True)
    # On an accelerator the question would stop it at every step: there the caller has to know.
    if counts.device.type == "cpu" and int(rest.min()) < 0:
        raise ValueError(
            f"`{name}` is {capacity}, but the graphs have {capacity - int(rest.min())}; give that"
        )
    return torch.cat([counts, rest], 1).flatten()


def _with_zero(values: Tensor) -> Tensor:
    return torch.cat([values, values.new_zeros(len(values), 1)], 1).flatten()


def _spread(node_counts: Tensor, edge_counts: Tensor, edge_owner: Tensor, runs: int) -> Tensor:
    """(R · edges,) the node, within its graph, at which a left-over edge is a loop.

    Spread over the left-over nodes: were they all at one node, their sums would have to wait for
    each other. In ascending order, as all edges are.
    """
    edge_first = edge_counts.cumsum(0) - edge_counts
    number = torch.arange(len(edge_owner), device=edge_owner.device) - edge_first[edge_owner]
    last = slice(len(node_counts) // runs - 1, None, len(node_counts) // runs)
    share = torch.zeros_like(node_counts)
    share[last] = node_counts[last]
    return number * share[edge_owner] // edge_counts[edge_owner].clamp(min=1)


def _rows_or_zeros(rows: Tensor, places: Tensor) -> Tensor:
    return rows[places] if len(rows) else rows.new_zeros(len(places), *rows.shape[1:])
