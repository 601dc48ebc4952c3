"""Augmentations of one graph from the definition: exact laws by listing all outcomes, and loops."""

from itertools import combinations, product
from math import comb, floor, prod

import torch


def drop_edge_law(edges, ratio):
    """{kept edges: chance} for undirected edges that go independently of each other."""
    law = {}
    for stays in product([False, True], repeat=len(edges)):
        kept = frozenset(edge for edge, stay in zip(edges, stays, strict=True) if stay)
        law[kept] = prod(1 - ratio if stay else ratio for stay in stays)
    return law


def drop_node_law(nodes, ratio):
    """{kept nodes: chance} where every set of ⌊ratio · n⌋ nodes goes with the same chance."""
    count = nodes - floor(ratio * nodes)
    return {frozenset(kept): 1 / comb(nodes, count) for kept in combinations(range(nodes), count)}


def subgraph_law(neighbours, ratio):
    """{kept nodes: chance}: from a uniform node on, always a uniform node next to those taken.

    Where no node is next to them, a uniform one of the rest.
    """
    nodes = len(neighbours)
    count = nodes - floor(ratio * nodes)
    law = {}

    def grow(taken, chance):
        if len(taken) == count:
            law[taken] = law.get(taken, 0) + chance
            return
        beside = {other for node in taken for other in neighbours[node]} - taken
        choice = beside or set(range(nodes)) - taken
        for node in choice:
            grow(taken | {node}, chance / len(choice))

    grow(frozenset(), 1.0)
    return law


def cut(edge_index, node_keep, edge_keep):
    """The edges that stay, their ends counted anew among the nodes that stay."""
    number = {}
    for node, stays in enumerate(node_keep.tolist()):
        if stays:
            number[node] = len(number)
    edges = [
        (number[row], number[column])
        for (row, column), stays in zip(edge_index.T.tolist(), edge_keep.tolist(), strict=True)
        if stays
    ]
    return torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T


def product_chances(shares, edges, graphon):
    """{edge: chance to stay} under A ⊙ W: the mean of W over the cells of both ends."""
    return {
        (i, j): sum(
            shares[i][k] * shares[j][cell] * graphon[k][cell]
            for k in range(len(graphon))
            for cell in range(len(graphon))
        )
        for i, j in edges
    }
