"""Corruption from its definition, one graph at a time."""

from itertools import combinations


def edge_set(data):
    """The undirected edges of a PyG graph as pairs, smaller end first."""
    return {tuple(sorted(pair)) for pair in data.edge_index.T.tolist()}


def missing_pairs(data):
    """The pairs that are not joined, larger end first, in the order of their rows."""
    joined = edge_set(data)
    pairs = ((row, column) for row in range(data.num_nodes) for column in range(row))
    return [(row, column) for row, column in pairs if (column, row) not in joined]


def all_pairs(data):
    """Every pair of different nodes, smaller end first."""
    return set(combinations(range(data.num_nodes), 2))
