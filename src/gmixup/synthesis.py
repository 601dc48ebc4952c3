"""Synthesis: whole graphs (edges, features, labels) drawn from one or many graphons at once."""

from typing import Literal

import torch
from torch import Tensor

from gmixup import sampling
from gmixup.graphs import GraphSet
from gmixup.sampling import Isolated, Positions, Sample
from gmixup.stack import Stack

Density = Literal["graphon", "matched"]


def draw_graphs(
    stack: Stack,
    owner: Tensor,  # (G,) which graphon of the stack each graph is drawn from
    nodes: Tensor,  # (G,)
    generator: torch.Generator,
    target_edges: Tensor | None = None,  # (G,) edges to expect; None: as the graphon has it
    positions: Positions = "uniform",
    isolated: Isolated = "keep",
) -> GraphSet:
    """One graph for each entry of `owner`, with the features of its nodes' positions."""
    sample = sampling.sample_graphs(
        stack.edges,
        nodes,
        generator,
        positions=positions,
        isolated=isolated,
        target_edges=target_edges,
        owner=owner,
    )
    x = _draw_features(stack, owner, sample, generator)
    return GraphSet(
        num_nodes=sample.num_nodes,
        num_edges=sample.num_edges,
        edge_index=sample.edge_index,
        x=x,
        edge_attr=_draw_edge_features(stack, owner, sample, generator),
        y=None if stack.label is None else stack.label.float()[owner],
        explicit_num_nodes=x is None,
        columns=stack.columns,
        edge_columns=stack.edge_columns,
    )


def _draw_features(
    stack: Stack, owner: Tensor, sample: Sample, generator: torch.Generator
) -> Tensor | None:
    if stack.features is None:
        return None
    which = owner.repeat_interleave(sample.num_nodes)
    means, columns = stack.features[which, sample.cells], stack.columns
    return means.float() if columns is None else columns.draw(means, generator)


def _draw_edge_features(
    stack: Stack, owner: Tensor, sample: Sample, generator: torch.Generator
) -> Tensor | None:
    """Drawn once for each undirected edge and given to both directions."""
    if stack.edge_features is None:
        return None
    start = (sample.num_nodes.cumsum(0) - sample.num_nodes).repeat_interleave(sample.num_edges)
    row, column = sample.edge_index + start
    forward = row < column
    which = owner.repeat_interleave(sample.num_edges)[forward]
    cells = sample.cells
    means = stack.edge_features[which, cells[row[forward]], cells[column[forward]]]
    columns = stack.edge_columns
    drawn = means.float() if columns is None else columns.draw(means, generator)
    key = torch.minimum(row, column) * int(sample.num_nodes.sum()) + torch.maximum(row, column)
    return drawn[torch.searchsorted(key[forward], key)]
