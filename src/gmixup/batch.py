"""Batch: some graphs of a set as flat tensors, the one form in which a network sees them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from gmixup.adjacency import Adjacency
from gmixup.graphs import GraphSet
from gmixup.products import range_sum
from gmixup.store import Store


@dataclass(frozen=True, eq=False)
class Masks:
    """What stays of a batch; None: everything."""

    node_keep: Tensor | None = None  # (N,) bool; the edges of a dropped node are dropped too
    edge_keep: Tensor | None = None  # (E,) bool, the same for both directions of an edge
    feature_keep: Tensor | None = None  # (N,) bool; where False the node stays and x is all 0


@dataclass(frozen=True, eq=False)
class Batch:
    """Graphs one after the other; what is dropped or padded is masked, so that shapes stay.

    A masked edge has weight 0 and passes no message. A masked node has no edge left and counts
    neither in a graph's mean nor in normalisation. Padding is a graph of its own, masked whole.
    """

    x: Tensor  # (N, F)
    edge_index: Tensor  # (2, E) nodes counted over the batch; an undirected edge in both directions
    batch: Tensor  # (N,) the graph of each node, ascending
    num_graphs: int  # B, padding included
    y: Tensor | None = None  # (B,) or (B, C), 0 for padding
    edge_attr: Tensor | None = None  # (E,) or (E, Fe)
    node_mask: Tensor | None = None  # (N,) bool, False: dropped or padding; None: all are there
    edge_weight: Tensor | None = None  # (E,) 0: dropped or padding; None: all are 1
    graph_mask: Tensor | None = None  # (B,) bool, False: padding; None: all are there
    adjacency: Adjacency | None = None  # the same weights as a matrix: a faster way to sum
    node_weight: Tensor | None = None  # (N,) how many alike nodes each stands for, 0: padding
    graph_start: Tensor | None = None  # (B + 1,) int32 the first node of each graph, then N

    @classmethod
    def of(
        cls,
        graphs: GraphSet | Store,
        ids: Tensor | Sequence[int],
        *,
        nodes: int | None = None,
        edges: int | None = None,
    ) -> "Batch":
        """The graphs at the places `ids`, gathered on the device where the set lies.

        The edges of a set are in order, which makes the faster matrix; a directed set has none.
        With a capacity of `nodes` and `edges` shapes depend on it and on the shape of `ids` alone,
        and nothing waits for the device. Then an id of -1 stands for no graph, and one more graph
        at the end takes the nodes and edges that are left over. Several rows of ids are several
        such batches one after the other.
        """
        store = graphs if isinstance(graphs, Store) else Store.of(graphs)
        chosen = torch.as_tensor(ids, dtype=torch.long, device=store.num_nodes.device)
        if (nodes is None) != (edges is None):
            raise ValueError(
                f"`nodes` is {nodes} and `edges` is {edges}; a capacity needs both, or neither"
            )
        if nodes is None or edges is None:
            edges = 0
            parts = store.gathered(chosen)
        else:
            parts = store.gathered_padded(torch.atleast_2d(chosen), nodes, edges)
        turned, entries = parts.pop("edge_turned", None), parts.pop("entries", None)
        batch = cls(**parts)
        if store.directed:
            return batch
        ends = (batch.edge_index, len(batch.x), batch.edge_weight, turned)
        if entries is None:
            return replace(batch, adjacency=Adjacency.of(*ends))
        # The rows of padding end where they begin, and cost nothing.
        rows = entries.view(-1, nodes)
        row_end = rows.cumsum(1) + edges * torch.arange(len(rows), device=rows.device)[:, None]
        row_start, row_end = (row_end - rows).flatten().int(), row_end.flatten().int()
        columns, weights = batch.edge_index[1].int(), parts["edge_weight"]
        matrix = Adjacency(row_start, row_end, columns, weights, turned, padded=True)
        return replace(batch, adjacency=matrix)

    @classmethod
    def from_pyg(cls, data: Any) -> "Batch":
        """A batch of PyG's, or one of its graphs."""
        if data.get("x") is None:
            raise ValueError(
                f"`data` is {data!r}, without `x`; give the nodes features first, e.g. by "
                "DegreeFeatures"
            )
        owner = data.get("batch")
        return cls(
            x=data.x,
            edge_index=data.edge_index,
            batch=data.edge_index.new_zeros(len(data.x)) if owner is None else owner,
            num_graphs=1 if owner is None else data.num_graphs,
            y=data.get("y"),
            edge_attr=data.get("edge_attr"),
            edge_weight=data.get("edge_weight"),
        )

    def to_pyg(self) -> Any:
        """The batch as PyG's `Batch`, with all that is masked cut out, so that it needs no masks.

        It has x, edge_index, batch, ptr, num_graphs, and edge_attr and y where there are any.
        """
        from torch_geometric.data import Batch as PyGBatch

        graphs, nodes, edges = (
            slice(None) if mask is None else mask
            for mask in (
                self.graph_mask,
                self.node_mask,
                None if self.edge_weight is None else self.edge_weight != 0,
            )
        )
        there = self.node_mask if self.node_mask is not None else torch.ones_like(self.batch)
        kept = {
            "x": self.x[nodes],
            "edge_index": (there.cumsum(0) - 1)[self.edge_index[:, edges]],
            "batch": self.batch[nodes],
            "edge_attr": None if self.edge_attr is None else self.edge_attr[edges],
            "y": None if self.y is None else self.y[graphs],
        }
        # Padding graphs may lie between real ones: those that stay are counted anew.
        if self.graph_mask is not None:
            kept["batch"] = (self.graph_mask.cumsum(0) - 1)[kept["batch"]]
        count = self.num_graphs if self.graph_mask is None else int(self.graph_mask.sum())
        sizes = torch.bincount(kept["batch"], minlength=count)
        kept["ptr"] = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
        return PyGBatch(**{key: value for key, value in kept.items() if value is not None})

    def to(self, device: torch.device | str) -> "Batch":
        """The same on another device."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        moved = {k: v.to(device) for k, v in values.items() if hasattr(v, "to")}
        return replace(self, **moved)

    def masked(self, masks: "Masks | None") -> "Batch":
        """The batch without what an augmentation drops; shapes stay."""
        if masks is None:
            return self
        if self.node_weight is not None:
            raise ValueError(
                "the batch holds alike nodes as one, which masks cannot tell apart; gather it from "
                "a store in which they are not merged"
            )
        batch, nodes, edges = self, masks.node_keep, masks.edge_keep
        if nodes is not None:
            # Whoever draws the masks need not care for the edges of a node that goes.
            ends = nodes[self.edge_index].all(0)
            edges = ends if edges is None else edges & ends
            old = self.node_mask
            batch = replace(batch, node_mask=nodes if old is None else nodes & old)
        if edges is not None:
            weight = edges.to(torch.get_default_dtype())
            old = self.edge_weight
            weight = weight if old is None else weight * old
            matrix = None if self.adjacency is None else self.adjacency.reweighted(weight)
            batch = replace(batch, edge_weight=weight, adjacency=matrix)
        if masks.feature_keep is not None:
            batch = replace(batch, x=batch.x.masked_fill(~masks.feature_keep[:, None], 0))
        return batch

    @property
    def row_weight(self) -> Tensor | None:
        """(N,) how much each row counts in sums over nodes; None: all are there, once."""
        return self.node_mask if self.node_weight is None else self.node_weight

    def neighbour_sum(self, x: Tensor) -> Tensor:
        """(N, H) the weighted sum over the neighbours of each node: A · x."""
        if self.adjacency is not None:
            return self.adjacency @ x
        return self.edge_sum(x.index_select(0, self.edge_index[0]))

    def own_and_neighbours(self, x: Tensor) -> Tensor:
        """(N, H) each node's own row and the weighted sum over its neighbours: (A + I) · x."""
        if self.adjacency is not None:
            return self.adjacency.plus_identity() @ x
        return x + self.neighbour_sum(x)

    def edge_sum(self, messages: Tensor) -> Tensor:
        """(N, H) the weighted sum of the messages (E, H) that reach each node."""
        if self.edge_weight is not None:
            messages = messages * self.edge_weight.to(messages.dtype)[:, None]
        out = messages.new_zeros(len(self.x), messages.shape[1])
        return out.index_add(0, self.edge_index[1], messages)

    def degrees(self, dtype: torch.dtype) -> Tensor:
        """(N,) the weights of each node's edges, summed."""
        return self.neighbour_sum(torch.ones(len(self.x), 1, dtype=dtype, device=self.x.device))[
            :, 0
        ]

    def graph_sum(self, x: Tensor) -> Tensor:
        """(B, H) the sum over the nodes of each graph, those that are not there left out."""
        weight = self.row_weight
        if self.graph_start is not None:
            exact = torch.float64 if x.dtype == torch.float64 else torch.float32
            ones = torch.ones_like(x[:, 0], dtype=exact)
            weight = ones if weight is None else weight.to(exact)
            return range_sum(self.graph_start[:-1], self.graph_start[1:], self.batch, weight, x)
        if weight is not None:
            x = x * weight.to(x.dtype)[:, None]
        return x.new_zeros(self.num_graphs, x.shape[1]).index_add(0, self.batch, x)

    def graph_mean(self, x: Tensor) -> Tensor:
        """(B, H) the mean over the nodes of each graph; 0 where there is none."""
        return self.graph_sum(x) / self.sizes(x.dtype).clamp(min=1)[:, None]

    def sizes(self, dtype: torch.dtype) -> Tensor:
        """(B,) the number of nodes of each graph."""
        return self.graph_sum(torch.ones(len(self.x), 1, dtype=dtype, device=self.x.device))[:, 0]
