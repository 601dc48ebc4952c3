"""Fidelity from the definitions: networkx for one graph, loops over graphs and halves for sets."""

from itertools import combinations, pairwise, product

import networkx as nx
import numpy as np

MOTIFS = {
    "edge": nx.path_graph(2),
    "wedge": nx.path_graph(3),
    "triangle": nx.cycle_graph(3),
    "square": nx.cycle_graph(4),
    "star-3": nx.star_graph(3),
}


def numbers(graph):
    """The properties of one graph without self-loops."""
    degrees = [degree for _, degree in graph.degree]
    values = {
        "nodes": len(graph),
        "edges": graph.number_of_edges(),
        "density": nx.density(graph),
        "isolated nodes": np.mean([d == 0 for d in degrees]) if degrees else 0,
        "mean degree": np.mean(degrees) if degrees else 0,
        "largest degree": max(degrees, default=0),
        "mean clustering": np.mean(clustering(graph)) if degrees else 0,
        "transitivity": nx.transitivity(graph),
    }
    return values | {f"{name} motif": _density(motif, graph) for name, motif in MOTIFS.items()}


def _density(motif, graph):
    """The share of all maps of the motif's nodes that take edges to edges."""
    maps = list(product(graph, repeat=len(motif)))
    good = [all(graph.has_edge(image[a], image[b]) for a, b in motif.edges) for image in maps]
    return np.mean(good) if maps else 0


def degrees(graph):
    return [degree for _, degree in graph.degree]


def clustering(graph):
    return list(nx.clustering(graph).values())


def eigenvalues(graph):
    if not len(graph):
        return []
    return np.linalg.eigvalsh(nx.normalized_laplacian_matrix(graph).toarray()).round(9)


def histogram(values, starts):
    """The share of values from each start to the next one; 0 throughout without values."""
    ends = [*starts[1:], np.inf]
    inside = [sum(a <= value < b for value in values) for a, b in zip(starts, ends, strict=True)]
    return np.array(inside) / max(len(values), 1)


def wasserstein(first, second):
    """The area between the two distribution functions."""
    area = 0.0
    for low, high in pairwise(sorted([*first, *second])):
        below = [np.mean(np.asarray(sample) <= low) for sample in (first, second)]
        area += abs(below[0] - below[1]) * (high - low)
    return area


def discrepancy(first, second):
    """The MMD: the distance of two means where the kernel exp(-TV^2 / 2) is an inner product."""

    def mean(one, two):
        variation = np.array([[np.abs(p - q).sum() / 2 for q in two] for p in one])
        return np.exp(-(variation**2) / 2).mean()

    return np.sqrt(max(mean(first, first) + mean(second, second) - 2 * mean(first, second), 0))


def floor(distance, real, synthetic):
    """The mean distance over all halvings, brought to the sizes that are compared."""
    half, everyone = len(real) // 2, set(range(len(real)))
    found = []
    for chosen in combinations(sorted(everyone), half):
        rest = sorted(everyone - set(chosen))
        found.append(distance([real[i] for i in chosen], [real[i] for i in rest]))
    sizes = 1 / half + 1 / (len(real) - half), 1 / len(real) + 1 / len(synthetic)
    return np.mean(found) * np.sqrt(sizes[1] / sizes[0])
