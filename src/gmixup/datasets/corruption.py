"""Corruption of labels and edges by a ratio, to measure how robust a method is.

Corrupt before graphons are estimated and before degrees become features.
"""

from dataclasses import replace

import torch
from torch import Tensor

from gmixup.conversion import ragged
from gmixup.graphs import GraphSet
from gmixup.seeds import as_generator


def corrupt_labels(graphs: GraphSet, ratio: float, seed: int | torch.Generator) -> GraphSet:
    """The share `ratio` of the graphs gets another class, any of the others alike."""
    _check(graphs, ratio)
    labels, classes = graphs.labels(), graphs.num_classes
    if graphs.y is None or graphs.y.ndim != 1:
        raise ValueError("`graphs` has soft labels; corrupt the labels before they are softened")
    if classes < 2:
        raise ValueError("`graphs` has one class only; there is no other one to give")
    generator = as_generator(seed, "corruption", "labels")
    count = round(ratio * len(graphs))
    chosen = torch.randperm(len(graphs), generator=generator)[:count]
    labels = labels.clone()
    labels[chosen] += torch.randint(1, classes, (count,), generator=generator)
    return replace(graphs, y=labels % classes, classes=classes)


def remove_edges(graphs: GraphSet, ratio: float, seed: int | torch.Generator) -> GraphSet:
    """Each graph loses the share `ratio` of its undirected edges, any of them alike."""
    _check(graphs, ratio)
    if len(graphs) == 0:
        return graphs
    generator = as_generator(seed, "corruption", "remove edges")
    edges = graphs.num_edges // 2
    counts = _share(edges, ratio)
    graph, number = _distinct(edges, counts, generator)
    lost = torch.zeros(int(edges.sum()), dtype=torch.bool)
    lost[(edges.cumsum(0) - edges)[graph] + number] = True
    keep = ~lost[_undirected(graphs)]
    return replace(
        graphs,
        num_edges=graphs.num_edges - 2 * counts,
        edge_index=graphs.edge_index[:, keep],
        edge_attr=None if graphs.edge_attr is None else graphs.edge_attr[keep],
    )


def add_edges(graphs: GraphSet, ratio: float, seed: int | torch.Generator) -> GraphSet:
    """Each graph gains the share `ratio` of its undirected edges, as far as it has room.

    New edges join pairs that are not joined, any of them alike; their features are those of edges
    drawn from the same graph.
    """
    _check(graphs, ratio)
    if len(graphs) == 0:
        return graphs
    generator = as_generator(seed, "corruption", "add edges")
    edges, pairs = graphs.num_edges // 2, graphs.num_nodes * (graphs.num_nodes - 1) // 2
    counts = torch.minimum(_share(edges, ratio), pairs - edges)
    graph, number = _distinct(pairs - edges, counts, generator)
    row, column = _nth_missing(graphs, graph, number)
    start = graphs.node_start[graph]
    old = graphs.global_edge_index()
    new = torch.stack([torch.cat([row, column]), torch.cat([column, row])]) + start.repeat(2)
    whole = torch.cat([old, new], 1)
    order = (whole[0] * graphs.node_count + whole[1]).argsort()
    edge_attr = graphs.edge_attr
    if edge_attr is not None:
        chance = torch.rand(len(graph), generator=generator, dtype=torch.float64)
        forward = (graphs.edge_index[0] < graphs.edge_index[1]).nonzero().flatten()
        model = forward[(edges.cumsum(0) - edges)[graph] + (chance * edges[graph]).long()]
        edge_attr = torch.cat([edge_attr, edge_attr[model], edge_attr[model]])[order]
    local = torch.cat([graphs.edge_index, whole[:, old.shape[1] :] - start.repeat(2)], 1)
    return replace(
        graphs,
        num_edges=graphs.num_edges + 2 * counts,
        edge_index=local[:, order],
        edge_attr=edge_attr,
    )


def _check(graphs: GraphSet, ratio: float) -> None:
    if not 0 <= ratio <= 1:
        raise ValueError(f"`ratio` is {ratio}; it must lie in [0, 1]")
    if graphs.directed:
        raise ValueError("`graphs` is directed; symmetrise it first")


def _share(counts: Tensor, ratio: float) -> Tensor:
    return (ratio * counts.double()).round().long()


def _undirected(graphs: GraphSet) -> Tensor:
    """(E,) the number of the undirected edge behind each listed one."""
    row, column = graphs.global_edge_index()
    key = torch.minimum(row, column) * graphs.node_count + torch.maximum(row, column)
    return torch.searchsorted(key[row < column], key)


def _distinct(totals: Tensor, counts: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """For each graph `counts` distinct numbers below `totals`, any set of them alike.

    Returns the graph and the number of each. Where many of few are wanted all are listed and put
    into random order; where few of many, numbers are drawn until enough are distinct.
    """
    many = totals < 4 * counts
    parts = [
        _by_order(torch.where(many, totals, 0), torch.where(many, counts, 0), generator),
        _by_drawing(totals, torch.where(many, 0, counts), generator),
    ]
    graph, number = (torch.cat(both) for both in zip(*parts, strict=True))
    return graph, number


def _by_order(totals: Tensor, counts: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    start = totals.cumsum(0) - totals
    owner = torch.arange(len(totals)).repeat_interleave(totals)
    chance = torch.rand(len(owner), generator=generator, dtype=torch.float64)
    order = (owner + chance).argsort()
    graph = torch.arange(len(totals)).repeat_interleave(counts)
    return graph, order[ragged(start, counts)] - start[graph]


def _by_drawing(
    totals: Tensor, counts: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    stride = int(totals.max()) + 1
    keys = torch.empty(0, dtype=torch.long)
    missing = counts
    # Never more than are missing: of some to spare, those left out would have to be drawn too.
    while bool(missing.any()):
        graph = torch.arange(len(totals)).repeat_interleave(missing)
        chance = torch.rand(len(graph), generator=generator, dtype=torch.float64)
        drawn = graph * stride + (chance * totals[graph]).long()
        keys = torch.cat([keys, drawn]).unique()
        missing = counts - torch.bincount(keys // stride, minlength=len(totals))
    return keys // stride, keys % stride


def _nth_missing(graphs: GraphSet, graph: Tensor, number: Tensor) -> tuple[Tensor, Tensor]:
    """The `number`-th pair of nodes that is not joined, row > column, counted row by row.

    Below the diagonal the pair (row, column) has the place row (row - 1) / 2 + column. Before the
    j-th edge, at place p_j, lie p_j - j missing pairs; so the n-th missing pair has the place n
    plus the number of edges with p_j - j <= n.
    """
    row, column = graphs.edge_index
    lower = row > column
    row, column = row[lower], column[lower]
    edges = graphs.num_edges // 2
    first = edges.cumsum(0) - edges
    owner = torch.arange(len(graphs)).repeat_interleave(edges)
    before = row * (row - 1) // 2 + column - (torch.arange(len(row)) - first[owner])
    stride = int((graphs.num_nodes * (graphs.num_nodes - 1) // 2).max()) + 1
    passed = torch.searchsorted(owner * stride + before, graph * stride + number, right=True)
    place = number + passed - first[graph]
    row = ((1 + (1 + 8 * place.double()).sqrt()) / 2).long()
    row = row - (row * (row - 1) // 2 > place).long()  # where the root was rounded up
    return row, place - row * (row - 1) // 2
