"""Joining: no node without an edge, as in data sets whose graphs hold none.

Independent edges leave nodes of small expected degree alone: a third of the nodes of a graph of
mean degree 2.4, where graphs that grew edge by edge have none. Here each of them gets one edge, to
a node drawn in proportion to the probabilities that it had.
"""

import numpy as np

from gmixup.sparse_sampling import Array, Nodes, Pairs

# Weights that are held at once.
CHUNK = 1 << 20
# Halvings of the interval in which the number of edges lies.
HALVINGS = 40


def join_isolated(nodes: Nodes, pairs: Pairs, rng: np.random.Generator) -> Pairs:
    """The pairs, and one more for every node that is in none and not alone in its graph."""
    linked = np.zeros(len(nodes.graph), dtype=bool)
    for end in pairs:
        linked[end] = True
    alone = np.flatnonzero(~linked & (nodes.count > 1)[nodes.graph])
    size = nodes.edges.shape[-1]
    place = nodes.graph * size + nodes.cells
    order = place.argsort(kind="stable")
    held = np.bincount(place, minlength=len(nodes.count) * size)
    begin = held.cumsum() - held
    step = max(1, CHUNK // size)
    partner = np.empty(len(alone), np.int64)
    for first in range(0, len(alone), step):
        some = alone[first : first + step]
        cell = _draw_cells(nodes, some, held.reshape(-1, size), rng)
        where = nodes.graph[some] * size + cell
        # The node itself does not count among those of its own cell: skip its place.
        own = cell == nodes.cells[some]
        number = (rng.random(len(some)) * (held[where] - own)).astype(np.int64)
        found = order[begin[where] + number]
        partner[first : first + step] = np.where(
            own & (found >= some), order[begin[where] + number + own], found
        )
    return np.concatenate([pairs[0], alone]), np.concatenate([pairs[1], partner])


def _draw_cells(nodes: Nodes, some: Array, held: Array, rng: np.random.Generator) -> Array:
    """For each node the cell of its partner, in proportion to chance times nodes in the cell."""
    graph, cell = nodes.graph[some], nodes.cells[some]
    others = held[graph].astype(np.float64)
    others[np.arange(len(some)), cell] -= 1
    weight = nodes.edges[nodes.owner[graph], cell] * others
    impossible = ~weight.any(1)
    weight[impossible] = others[impossible]
    height = weight.cumsum(1)
    drawn = rng.random(len(some)) * height[:, -1]
    return (height <= drawn[:, None]).sum(1).clip(max=held.shape[1] - 1)


def edges_before_joining(nodes: Nodes, targets: Array) -> Array:
    """(G,) edges to draw so that with those that joining adds there are `targets`.

    A node of expected degree d stays alone with chance exp(-d), to first order.
    """
    graphs, size = len(nodes.count), nodes.edges.shape[-1]
    place = nodes.graph * size + nodes.cells
    held = np.bincount(place, minlength=graphs * size).reshape(graphs, size).astype(np.float64)
    degree = np.empty_like(held)  # of a node in each cell, at scale 1
    for owner in np.unique(nodes.owner):
        mine = nodes.owner == owner
        matrix = nodes.edges[owner]
        degree[mine] = (held[mine] @ matrix - matrix.diagonal()).clip(min=0)
    full = np.maximum((held * degree).sum(1) / 2, 1e-300)
    # The least that joining everybody takes; a smaller target is not to be had.
    low, high = np.zeros(graphs), targets.astype(np.float64)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        alone = (held * np.exp(-(middle / full)[:, None] * degree)).sum(1)
        over = middle + alone > targets
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return low
