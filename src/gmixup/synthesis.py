"""Synthesis: whole graphs (sizes, edges, features, labels) drawn from one or many graphons at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from gmixup.graphs import GraphSet
from gmixup.sampling import Isolated, Positions, Sample, sample_graphs
from gmixup.seeds import as_generator

if TYPE_CHECKING:
    from gmixup.graphon import Graphon

Density = Literal["graphon", "matched"]


def draw_graphs(
    graphons: Sequence["Graphon"],
    owner: Tensor,  # (G,) which graphon each graph is drawn from
    nodes: int | None = None,
    seed: int | torch.Generator = 0,
    positions: Positions = "uniform",
    isolated: Isolated = "keep",
    density: Density = "graphon",
) -> GraphSet:
    """One graph for each entry of `owner`.

    `nodes=None` draws sizes from the graphon's law of sizes, else takes one node for each step.
    `density="matched"` draws (nodes, edges) together from that law and scales the graphon so that
    so many edges are expected: the shape is the graphon's, the size that of a real graph.
    """
    if density not in ("graphon", "matched"):
        raise ValueError(f"`density` is {density!r}; it must be 'graphon' or 'matched'")
    if density == "matched" and nodes is not None:
        raise ValueError(f"`nodes` is {nodes} but `density='matched'` draws sizes; leave it None")
    generator = as_generator(seed, "graphon", "sample")
    counts, targets = _draw_sizes(graphons, owner, nodes, generator, density)
    sample = sample_graphs(
        torch.stack([graphon.edges for graphon in graphons]),
        counts,
        generator,
        positions=positions,
        isolated=isolated,
        target_edges=targets,
        owner=owner,
    )
    x = _draw_features(graphons, owner, sample, generator)
    return GraphSet(
        num_nodes=sample.num_nodes,
        num_edges=sample.num_edges,
        edge_index=sample.edge_index,
        x=x,
        edge_attr=_draw_edge_features(graphons, owner, sample, generator),
        y=_labels(graphons, owner),
        explicit_num_nodes=x is None,
        columns=graphons[0].columns,
        edge_columns=graphons[0].edge_columns,
    )


def _draw_sizes(
    graphons: Sequence["Graphon"],
    owner: Tensor,
    nodes: int | None,
    generator: torch.Generator,
    density: Density,
) -> tuple[Tensor, Tensor | None]:
    """(G,) nodes, and (G,) edges to expect where the density is to be matched."""
    if nodes is not None:
        if nodes < 0:
            raise ValueError(f"`nodes` is {nodes}; it must be 0 or more")
        return torch.full_like(owner, nodes), None
    drawn = torch.zeros(len(owner), 2, dtype=torch.long)
    for index, graphon in enumerate(graphons):
        mine = owner == index
        if graphon.sizes is not None:
            drawn[mine] = graphon.sizes.draw(int(mine.sum()), generator)
        elif density == "matched":
            raise ValueError(
                "`density='matched'` needs the sizes of real graphs, which this graphon does not "
                "know; estimate it from graphs, or set `sizes`"
            )
        else:
            drawn[mine, 0] = graphon.resolution
    return drawn[:, 0], drawn[:, 1].double() if density == "matched" else None


def _draw_features(
    graphons: Sequence["Graphon"], owner: Tensor, sample: Sample, generator: torch.Generator
) -> Tensor | None:
    if any(graphon.features is None for graphon in graphons):
        return None
    means = torch.stack([graphon.features for graphon in graphons])  # pyright: ignore
    which = owner.repeat_interleave(sample.num_nodes)
    means, columns = means[which, sample.cells], graphons[0].columns
    return means.float() if columns is None else columns.draw(means, generator)


def _draw_edge_features(
    graphons: Sequence["Graphon"], owner: Tensor, sample: Sample, generator: torch.Generator
) -> Tensor | None:
    """Drawn once for each undirected edge and given to both directions."""
    if any(graphon.edge_features is None for graphon in graphons):
        return None
    means = torch.stack([graphon.edge_features for graphon in graphons])  # pyright: ignore
    start = (sample.num_nodes.cumsum(0) - sample.num_nodes).repeat_interleave(sample.num_edges)
    row, column = sample.edge_index + start
    forward = row < column
    which = owner.repeat_interleave(sample.num_edges)[forward]
    means = means[which, sample.cells[row[forward]], sample.cells[column[forward]]]
    columns = graphons[0].edge_columns
    drawn = means.float() if columns is None else columns.draw(means, generator)
    total = int(sample.num_nodes.sum())
    key = torch.minimum(row, column) * total + torch.maximum(row, column)
    return drawn[torch.searchsorted(key[forward], key)]


def _labels(graphons: Sequence["Graphon"], owner: Tensor) -> Tensor | None:
    if any(graphon.label is None for graphon in graphons):
        return None
    return torch.stack([graphon.label for graphon in graphons]).float()[owner]  # pyright: ignore
