"""From matrices of edge probabilities to edge lists: many graphs in one draw, dense or sparse.

A node has a position u in [0, 1) and lies in cell ⌊K·u⌋ of the K x K matrix; two different nodes of
a graph are joined with the probability of their cells, independently of all other pairs.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor

from gmixup.joining import edges_before_joining, join_isolated
from gmixup.seeds import as_generator
from gmixup.sparse_sampling import Array, Nodes, draw_edges, in_order

Positions = Literal["uniform", "grid"]
Isolated = Literal["keep", "drop", "join"]
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
    edge, "join" gives each of them one, to a node drawn by its probabilities. The generator (or
    seed) decides everything; `method` changes time and memory alone.
    """
    _check_word("positions", positions, Positions)
    _check_word("isolated", isolated, Isolated)
    _check_word("method", method, Method)
    if scale is not None and target_edges is not None:
        raise ValueError(
            f"`scale` ({scale}) and `target_edges` ({target_edges}) are both given, but the second "
            "chooses the first; give one of them."
        )
    matrices = _matrices(edges)
    graphs = _num_graphs(nodes, owner, scale, target_edges)
    count = _per_graph("nodes", nodes, graphs, whole=True)
    owners = _owners(owner, graphs, len(matrices))
    scales = None if scale is None else _per_graph("scale", scale, graphs)
    seed = as_generator(generator, "sampling")
    rng = np.random.default_rng(int(torch.randint(2**63 - 1, (), generator=seed)))
    graph = np.repeat(np.arange(graphs), count)
    position, cells = _place(count, graph, matrices.shape[-1], positions, rng)
    law = Nodes(matrices, owners, scales, count, graph, cells, position)
    if target_edges is not None:
        targets = _per_graph("target_edges", target_edges, graphs)
        if isolated == "join":
            targets = edges_before_joining(law, targets)
        law = replace(law, scale=_scale_to(targets, matrices, owners, graph, cells))
    key = draw_edges(law, method, rng)
    if isolated == "join":
        key = in_order(np.concatenate(law.both_ways(*join_isolated(law, law.ends(key), rng))))
    num_edges, edge_index = _edge_list(law, key)
    if isolated == "drop":
        law, edge_index = _without_isolated(law, num_edges, edge_index)
    flat = (law.count, num_edges, edge_index, law.cells, law.position)
    return Sample(*(torch.from_numpy(part) for part in flat))


def edge_scale(
    edges: Tensor,
    cells: Tensor,
    num_nodes: int | Tensor,
    target_edges: float | Tensor,
    *,
    owner: Tensor | None = None,
) -> Tensor:
    """Scale (G,) at which each graph, given the cells (N,) of its nodes, expects `target_edges`.

    The expectation Σ min(1, scale·W) is over the undirected pairs of different nodes. A target out
    of reach makes every possible edge certain; a graph that can have no edge gets scale 1.
    """
    matrices = _matrices(edges)
    graphs = _num_graphs(num_nodes, owner, target_edges)
    count = _per_graph("num_nodes", num_nodes, graphs, whole=True)
    if len(cells) != count.sum():
        raise ValueError(
            f"`cells` has {len(cells)} nodes, but `num_nodes` adds up to {count.sum()}; give one "
            "cell for each node."
        )
    targets = _per_graph("target_edges", target_edges, graphs)
    graph = np.repeat(np.arange(graphs), count)
    owners = _owners(owner, graphs, len(matrices))
    return torch.from_numpy(_scale_to(targets, matrices, owners, graph, cells.cpu().numpy()))


def _check_word(name: str, word: str, words: Any) -> None:
    if word not in get_args(words):
        raise ValueError(f"`{name}` is {word!r}; choose one of: {', '.join(get_args(words))}.")


def _matrices(edges: Tensor) -> Array:
    """The matrices, checked, as a stack (P, K, K)."""
    stack = torch.as_tensor(edges, dtype=torch.float64).detach().cpu()
    shape = tuple(stack.shape)
    if stack.ndim not in (2, 3) or shape[-1] != shape[-2] or stack.numel() == 0:
        raise ValueError(f"`edges` has shape {shape}; give (K, K) or a stack (P, K, K).")
    low, high = (float(end) for end in torch.aminmax(stack))
    if not (low >= 0 and high <= 1):  # so NaN fails too
        raise ValueError(
            f"`edges` has values from {low:g} to {high:g}; give finite probabilities in [0, 1]."
        )
    # The exact comparison is the cheap one; the other lets rounding pass.
    if not (torch.equal(stack, stack.mT) or torch.allclose(stack, stack.mT, rtol=0, atol=1e-8)):
        gap = float((stack - stack.mT).abs().max())
        raise ValueError(
            f"`edges` differs from its transpose by up to {gap:g}; give a symmetric matrix, e.g. "
            "(edges + edges.mT) / 2."
        )
    return stack.reshape(-1, *shape[-2:]).contiguous().numpy()


def _num_graphs(*given: Any) -> int:
    """The length of the first argument that has one number for each graph, else one graph."""
    return next((len(some) for some in given if isinstance(some, Tensor) and some.ndim), 1)


def _per_graph(name: str, value: float | Tensor, graphs: int, whole: bool = False) -> Array:
    """One number for each graph (G,), checked."""
    array = torch.as_tensor(value).detach().cpu().numpy()
    kinds, words = ("iu", "whole numbers") if whole else ("iuf", "finite numbers")
    if array.dtype.kind not in kinds or not (np.isfinite(array) & (array >= 0)).all():
        raise ValueError(f"`{name}` is {value}; give {words}, 0 or more.")
    if array.shape not in ((), (graphs,)):
        raise ValueError(
            f"`{name}` has shape {array.shape}; give one number, or one for each of the {graphs} "
            "graphs."
        )
    return np.broadcast_to(array, graphs).astype(np.int64 if whole else np.float64)


def _owners(owner: Tensor | None, graphs: int, matrices: int) -> Array:
    if owner is None:
        if matrices > 1:
            raise ValueError(
                f"`edges` is a stack of {matrices} matrices; say by `owner` which one each graph "
                "follows."
            )
        return np.zeros(graphs, np.int64)
    owners = _per_graph("owner", owner, graphs, whole=True)
    if len(owners) and owners.max() >= matrices:
        raise ValueError(
            f"`owner` has the index {owners.max()}; `edges` has {matrices} matrices, numbered from "
            "0."
        )
    return owners


def _place(
    count: Array, graph: Array, size: int, positions: Positions, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Position in [0, 1) and cell of every node (N,)."""
    if positions == "uniform":
        position = rng.random(len(graph))
        return position, (position * size).astype(np.int64)
    local = np.arange(len(graph)) - np.repeat(np.cumsum(count) - count, count)
    nodes = count[graph]
    # In whole numbers, because (i + 1/2) / n * K may round to below the border of a cell.
    return (local + 0.5) / nodes, (2 * local + 1) * size // (2 * nodes)


def _scale_to(targets: Array, matrices: Array, owners: Array, graph: Array, cells: Array) -> Array:
    """Scale of each graph (G,) at which its expected number of undirected edges is the target."""
    graphs, size = len(targets), matrices.shape[-1]
    count = np.bincount(graph * size + cells, minlength=graphs * size).reshape(graphs, size)
    count = count.astype(np.float64)
    pairs = np.triu_indices(size)
    step = max(1, (1 << 21) // len(pairs[0]))  # graphs at once: some MB, whatever K is
    scale = np.ones(graphs)
    for owner in np.unique(owners):
        matrix, own = matrices[owner], np.flatnonzero(owners == owner)
        held = count[own]
        full = ((held @ matrix) * held).sum(1) / 2 - held @ matrix.diagonal() / 2
        own, full = own[full > 0], full[full > 0]
        scale[own] = targets[own] / full
        # Where nothing is clipped, that is it; the others in blocks of like scale.
        order = np.argsort(scale[own])
        order = order[scale[own[order]] * matrix.max() > 1]
        for begin in range(0, len(order), step):
            block = order[begin : begin + step]
            some = own[block]
            scale[some] = _raised(
                scale[some], targets[some], full[block], matrix[pairs], pairs, count[some]
            )
    return scale


def _raised(
    scale: Array,  # (G,) too small, for the clipping at 1
    target: Array,  # (G,)
    full: Array,  # (G,) expected edges at scale 1
    chance: Array,  # (C,) probability of each pair of cells k <= l
    cells: tuple[Array, Array],  # (C,) k and l
    count: Array,  # (G, K) nodes in each cell
) -> Array:
    """Newton's method for Σ pairs·min(1, scale·W) = target.

    The sum is concave and piecewise linear in the scale: so the steps go up to the root and never
    over it, and they end after few.
    """
    low, high = cells
    for _ in range(100):
        seen = np.flatnonzero(chance * scale.max() > 1)
        same = (low == high)[seen]
        pairs = count[:, low[seen]] * (count[:, high[seen]] - same) * np.where(same, 0.5, 1)
        clipped = pairs * (scale[:, None] * chance[seen] > 1)
        slope = full - clipped @ chance[seen]
        missing = target - scale * slope - clipped.sum(1)
        moves = (missing > 1e-9 * target) & (slope > 1e-9 * full)
        if not moves.any():
            break
        scale = scale + np.where(moves, missing / np.where(moves, slope, 1), 0)
    return scale


def _edge_list(nodes: Nodes, key: Array) -> tuple[Array, Array]:
    """Directed edges of each graph (G,), and all of them (2, E), from their keys in order."""
    stop = np.searchsorted(key, (np.cumsum(nodes.count) << nodes.bits).astype(key.dtype))
    edge_index = np.empty((2, len(key)), np.int64)
    edge_index[0] = nodes.local.take(key >> nodes.bits)
    edge_index[1] = key & ((1 << nodes.bits) - 1)
    return np.diff(stop, prepend=0), edge_index


def _without_isolated(nodes: Nodes, num_edges: Array, edge_index: Array) -> tuple[Nodes, Array]:
    """Only the nodes that have an edge, and the edges in their new numbers."""
    start = np.repeat(nodes.start, num_edges)
    linked = np.zeros(len(nodes.graph), dtype=bool)
    linked[start + edge_index[0]] = True
    graph = nodes.graph[linked]
    kept = replace(
        nodes,
        count=np.bincount(graph, minlength=len(nodes.count)),
        graph=graph,
        cells=nodes.cells[linked],
        position=nodes.position[linked],
    )
    number = np.cumsum(linked) - 1 - kept.start[nodes.graph]
    return kept, number.take(start + edge_index)
