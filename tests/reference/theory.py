"""Densities, cut norms and probabilities by going through every map, every set, every graph."""

import itertools
import math

import numpy as np


def homomorphism_density(motif, matrix):
    """The mean over all maps of the product over the motif's edges; cells of equal size."""
    total = 0.0
    for images in itertools.product(range(len(matrix)), repeat=len(motif)):
        at = dict(zip(motif, images, strict=True))
        total += math.prod(matrix[at[a], at[b]] for a, b in motif.edges)
    return total / len(matrix) ** len(motif)


def cut_norm(matrix):
    """The largest |sum over S x T| of all pairs of sets, over the number of pairs of cells."""
    sets = np.array(list(itertools.product([0, 1], repeat=len(matrix))))
    return np.abs(sets @ matrix @ sets.T).max() / len(matrix) ** 2


def refined(matrix, steps):
    """The same step function on `steps` equal cells, a multiple of its own."""
    return np.kron(matrix, np.ones((steps // len(matrix),) * 2))


def sampled(matrix, nodes, rng):
    """A graph of the step function as a dense 0/1 matrix, nodes at uniform positions."""
    cell = (rng.random(nodes) * len(matrix)).astype(int)
    upper = np.triu(rng.random((nodes, nodes)) < matrix[np.ix_(cell, cell)], 1)
    return (upper | upper.T).astype(float)


def probabilities(matrix):
    """Every simple graph with node i in cell i, and the chance of drawing it."""
    nodes = len(matrix)
    pairs = list(itertools.combinations(range(nodes), 2))
    for present in itertools.product([0, 1], repeat=len(pairs)):
        graph, chance = np.zeros((nodes, nodes)), 1.0
        for (i, j), edge in zip(pairs, present, strict=True):
            graph[i, j] = graph[j, i] = edge
            chance *= matrix[i, j] if edge else 1 - matrix[i, j]
        yield graph, chance
