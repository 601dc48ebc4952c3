"""From matrices of edge probabilities to edge lists: many graphs in one draw, dense or sparse.

A node has a position u in [0, 1) and lies in cell ⌊K·u⌋ of the K x K matrix; two different nodes of
a graph are joined with the probability of their cells, independently of all other pairs.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor

from gmixup.seeds import as_generator
from gmixup.sparse_sampling import Array, Nodes, draw_pairs

Positions = Literal["uniform", "grid"]
Isolated = Literal["keep", "drop"]
Method = Literal["auto", "dense", "sparse"]


@dataclass(frozen=True)
class Sample:
    """Many graphs as flat tensors, one graph after the other."""

    num_nodes: Tensor  # (G,) int64
    num_edges: Tensor  # (G,) int64, directed: both directions are listed
    edge_index: Tensor  # (2, E) int64, local to each graph, sorted by (graph, row, column)
    cells: Tensor  # (N,) int64, the cell of each node in the K x K matrix
    position: Tensor  # (N,) float64 in [0, 1)


def sample_graphs(
    edges: Tensor,
    nodes: int | Tensor,
    generator: int | torch.Generator,
    *,
    positions: Positions = "uniform",
    isolated: Isolated = "keep",
    scale: float | Tensor | None = None,
    target_edges: float | Tensor | None = None,
    method: Method = "auto",
    owner: Tensor | None = None,
) -> Sample:
    """Draw G independent graphs of `nodes` (int or (G,)) nodes from `edges` (K, K) or (P, K, K).

    Of a stack of P matrices, `owner` (G,) says which one each graph follows. Positions are uniform
    in [0, 1) or a grid: node i of n at (i + 1/2) / n. `scale` (float or (G,)) multiplies a graph's
    probabilities, clipped at 1; `target_edges` (the same) chooses that scale so that a graph, given
    its nodes, expects so many undirected edges. `isolated="drop"` removes the nodes without an
    edge. The generator (or seed) decides everything; `method` changes time and memory alone.
    """
    _check_word("positions", positions, Positions)
    _check_word("isolated", isolated, Isolated)
    _check_word("method", method, Method)
    if scale is not None and target_edges is not None:
        raise ValueError(
            f"`scale` ({scale}) and `target_edges` ({target_edges}) are both given, and the second "
            "decides the first; give one of them."
        )
    matrices = _matrices(edges)
    given = {"nodes": nodes, "owner": owner, "scale": scale, "target_edges": target_edges}
    count, owners, scales, targets = _by_graph(given, len(matrices))
    rng = _numpy_generator(generator)
    graph = np.repeat(np.arange(len(count)), count)
    position, cells = _place(count, graph, matrices.shape[-1], positions, rng)
    if targets is not None:
        scales = _scale_to(targets, matrices, owners, graph, cells)
    drawn = Nodes(matrices, owners, scales, count, graph, cells, position)
    first, second = draw_pairs(drawn, method, rng)
    if isolated == "drop":
        drawn, first, second = _without_isolated(drawn, first, second)
    num_edges, edge_index = _edge_list(drawn, first, second)
    flat = (drawn.count, num_edges, edge_index, drawn.cells, drawn.position)
    return Sample(*(torch.from_numpy(part) for part in flat))


def edge_scale(
    edges: Tensor,
    cells: Tensor,
    num_nodes: Tensor,
    target_edges: float | Tensor,
    *,
    owner: Tensor | None = None,
) -> Tensor:
    """Scale (G,) at which each graph, given the cells (N,) of its nodes, expects `target_edges`.

    The expectation Σ min(1, scale·W) is over the undirected pairs of different nodes. A target out
    of reach makes every possible edge certain; a graph that can have no edge gets scale 1.
    """
    matrices = _matrices(edges)
    given = {"num_nodes": num_nodes, "owner": owner, "target_edges": target_edges}
    count, owners, _, targets = _by_graph(given, len(matrices))
    ...
