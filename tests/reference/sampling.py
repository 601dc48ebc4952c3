"""The law of sampled graphs from its definition: loops over the pairs of nodes of one graph."""


def probabilities(edges, cells, scale=1.0):
    """Probability of an edge for each pair i < j of nodes in the given cells, row after row."""
    return [
        min(1.0, scale * float(edges[cells[i], cells[j]]))
        for i in range(len(cells))
        for j in range(i + 1, len(cells))
    ]


def expected_edges(edges, cells, scale=1.0):
    """Expected number of undirected edges."""
    return sum(probabilities(edges, cells, scale))


def most_edges(edges, cells):
    """Number of undirected edges that are possible at all."""
    return sum(chance > 0 for chance in probabilities(edges, cells))
