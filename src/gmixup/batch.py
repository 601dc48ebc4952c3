"""Batch: some graphs of a set as flat tensors, the one form in which a network sees them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from gmixup.adjacency import Adjacency
from gmixup.graphs import GraphSet


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

    @classmethod
    def of(
        cls,
        graphs: GraphSet,
        ids: Tensor | Sequence[int],
        *,
        nodes: int | None = None,
        edges: int | None = None,
    ) -> "Batch":
        """The graphs at the places `ids`, gathered on the device where the set lies.

        The edges of a set are in order, which makes the faster matrix; a directed set has none.
        With a capacity of `nodes` and `edges` shapes depend on it and on len(ids) alone, and
        nothing waits for the device. Then an id of -1 stands for no graph, and one more graph at
        the end takes the nodes and edges that are left over.
        """
        if graphs.x is None:
            raise ValueError(
                "`graphs` has no node features `x`; give it some first, e.g. by "
                "DegreeFeatures.fit(train).apply(graphs)"
            )
        chosen = torch.as_tensor(ids, dtype=torch.long, device=graphs.num_nodes.device)
        if nodes is not None and edges is not None:
            batch = _gather_padded(graphs, chosen, nodes, edges)
        elif nodes is None and edges is None:
            batch = _gather(graphs, chosen)
        else:
            raise ValueError(
                f"`nodes` is {nodes} and `edges` is {edges}; a capacity needs both, or neither"
            )
        if graphs.directed:
            return batch
        matrix = Adjacency.of(batch.edge_index, len(batch.x), batch.edge_weight)
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

    def neighbour_sum(self, x: Tensor) -> Tensor:
        """(N, H) the weighted sum over the neighbours of each node: A · x."""
        if self.adjacency is not None:
            return self.adjacency @ x
        return self.edge_sum(x.index_select(0, self.edge_index[0]))

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
        """(B, H) the sum over the nodes of each graph."""
        if self.node_mask is not None:
            x = x * self.node_mask[:, None]
        return x.new_zeros(self.num_graphs, x.shape[1]).index_add(0, self.batch, x)

    def graph_mean(self, x: Tensor) -> Tensor:
        """(B, H) the mean over the nodes of each graph; 0 where there is none."""
        return self.graph_sum(x) / self.sizes(x.dtype).clamp(min=1)[:, None]

    def sizes(self, dtype: torch.dtype) -> Tensor:
        """(B,) the number of nodes of each graph."""
        return self.graph_sum(torch.ones(len(self.x), 1, dtype=dtype, device=self.x.device))[:, 0]


def _gather(graphs: GraphSet, ids: Tensor) -> Batch:
    node_counts, edge_counts = graphs.num_nodes[ids], graphs.num_edges[ids]
    nodes, node_owner = _places(graphs.node_start[ids], node_counts, int(node_counts.sum()))
    edges, edge_owner = _places(graphs.edge_start[ids], edge_counts, int(edge_counts.sum()))
    first = node_counts.cumsum(0) - node_counts
    assert graphs.x is not None
    return Batch(
        x=graphs.x[nodes],
        edge_index=graphs.edge_index.index_select(1, edges) + first[edge_owner],
        batch=node_owner,
        num_graphs=len(ids),
        y=None if graphs.y is None else graphs.y[ids],
        edge_attr=None if graphs.edge_attr is None else graphs.edge_attr[edges],
    )


def _gather_padded(graphs: GraphSet, ids: Tensor, nodes: int, edges: int) -> Batch:
    # The first graph stands in where there is none: every place that is read has to exist.
    real, ids = ids >= 0, ids.clamp(min=0)
    node_counts = _with_rest(graphs.num_nodes[ids] * real, nodes, "nodes")
    edge_counts = _with_rest(graphs.num_edges[ids] * real, edges, "edges")
    node_places, node_owner = _places(_with_zero(graphs.node_start[ids]), node_counts, nodes)
    edge_places, edge_owner = _places(_with_zero(graphs.edge_start[ids]), edge_counts, edges)
    node_mask, there = node_owner < len(ids), edge_owner < len(ids)
    node_places, edge_places = node_places * node_mask, edge_places * there
    first = node_counts.cumsum(0) - node_counts
    # Left-over edges are loops, spread over the left-over nodes: were they all at one node, their
    # sums would have to wait for each other. In ascending order, as all edges are.
    number = (torch.arange(edges, device=ids.device) - edge_counts[:-1].sum()).clamp(min=0)
    spare = number * node_counts[-1] // edge_counts[-1].clamp(min=1)
    ends = graphs.edge_index.index_select(1, edge_places) if graphs.edge_count else spare * 0
    ends = torch.where(there, ends, spare) + first[edge_owner]
    assert graphs.x is not None
    y = graphs.y
    if y is not None:
        y = torch.cat([y[ids], y.new_zeros(1, *y.shape[1:])])
        y = y * torch.cat([real, real.new_zeros(1)]).view(-1, *[1] * (y.ndim - 1))
    attr = graphs.edge_attr
    return Batch(
        x=_rows_or_zeros(graphs.x, node_places) * node_mask[:, None],
        edge_index=ends.expand(2, -1).clamp(max=nodes - 1),
        batch=node_owner,
        num_graphs=len(ids) + 1,
        y=y,
        edge_attr=None if attr is None else _rows_or_zeros(attr, edge_places),
        node_mask=node_mask,
        edge_weight=there.to(torch.get_default_dtype()),
        graph_mask=torch.cat([real, real.new_zeros(1)]),
    )


def _places(starts: Tensor, counts: Tensor, total: int) -> tuple[Tensor, Tensor]:
    """(total,) the ranges start, ..., start + count - 1 one after the other, and whose each is."""
    owner = torch.arange(len(counts), device=counts.device)
    owner = owner.repeat_interleave(counts, output_size=total)
    shift = starts - (counts.cumsum(0) - counts)
    return torch.arange(total, device=counts.device) + shift[owner], owner


def _with_rest(counts: Tensor, capacity: int, name: str) -> Tensor:
    """The counts (B,) and, as one more, what is left of the capacity."""
    rest = capacity - counts.sum()
    # On an accelerator the question would stop it at every step: there the caller has to know.
    if counts.device.type == "cpu" and int(rest) < 0:
        raise ValueError(
            f"`{name}` is {capacity}, but the graphs have {capacity - int(rest)}; give that"
        )
    return torch.cat([counts, rest[None]])


def _with_zero(values: Tensor) -> Tensor:
    return torch.cat([values, values.new_zeros(1)])


def _rows_or_zeros(rows: Tensor, places: Tensor) -> Tensor:
    return rows[places] if len(rows) else rows.new_zeros(len(places), *rows.shape[1:])
