"""Alignment from the definition: one weight matrix per graph, loops over nodes and pairs."""

import numpy as np


def weights(matrices, resolution, how):
    """For each graph the (n, K) share of each node in each cell; tied nodes share alike."""
    degrees = [matrix.sum(1) for matrix in matrices]
    largest = max(len(matrix) for matrix in matrices)
    pooled = np.concatenate([degree / max(len(degree) - 1, 1) for degree in degrees if len(degree)])
    result = []
    for degree in degrees:
        share = np.zeros((len(degree), resolution))
        for node, mine in enumerate(degree):
            if how == "pooled":
                rate = mine / max(len(degree) - 1, 1)
                before, tied, total = (pooled > rate).sum(), (pooled == rate).sum(), len(pooled)
            else:
                before, tied = (degree > mine).sum(), (degree == mine).sum()
                total = {"quantile": len(degree), "pad": largest, "truncate": resolution}[how]
            low, high = before / total, (before + tied) / total
            for cell in range(resolution):
                inside = min(high, (cell + 1) / resolution) - max(low, cell / resolution)
                share[node, cell] = max(inside, 0) / (high - low)
        result.append(share)
    return result


def sums(matrices, resolution, how):
    """Edges and pairs by cell."""
    edges, pairs = np.zeros((resolution, resolution)), np.zeros((resolution, resolution))
    largest = max(len(matrix) for matrix in matrices)
    for matrix, share in zip(matrices, weights(matrices, resolution, how), strict=True):
        for i in range(len(matrix)):
            for j in range(len(matrix)):
                edges += matrix[i, j] * np.outer(share[i], share[j])
        everyone = share
        if how in ("pad", "truncate"):
            filled = largest if how == "pad" else resolution
            alone = weights([np.diag(np.arange(filled)[::-1])], resolution, "quantile")[0]
            everyone = np.concatenate([share, alone[len(share) :]])
        for i in range(len(everyone)):
            for j in range(len(everyone)):
                if i != j:
                    pairs += np.outer(everyone[i], everyone[j])
    return edges, pairs
