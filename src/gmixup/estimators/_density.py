"""Density by size: how the share of pairs that are edges falls as graphs get larger.

One graphon for graphs of all sizes says that it does not. Real graphs keep their mean degree rather
than their density: without this trend the nodes of small graphs would pass for hubs, and the
graphon would be many times too dense.
"""

import numpy as np

from gmixup.graphs import GraphSet

FEWEST = 10  # graphs from which a trend is read at all
SURE = 3.0  # standard errors by which it must differ from none


def exposures(graphs: GraphSet) -> np.ndarray:
    """(G,) the density to expect of each graph beside the overall one; all 1 without a trend.

    Weighted by pairs of nodes they average to 1, so that edges over exposed pairs is the density.
    """
    nodes = graphs.num_nodes.double().numpy()
    pairs = nodes * (nodes - 1)
    exponent = size_exponent(nodes, graphs.num_edges.double().numpy())
    share = np.maximum(nodes, 1) ** exponent
    return share * (pairs.sum() / max(float(pairs @ share), 1e-300)) if pairs.any() else share


def size_exponent(nodes: np.ndarray, edges: np.ndarray) -> float:
    """b in density ~ n^b: 0 for graphs of one graphon, -1 where the mean degree stays the same.

    Fitted by quasi-likelihood with errors in proportion to the density (a graph counts alike at any
    size), and 0 unless it differs from 0 by more than its robust standard error allows.
    """
    kept = nodes > 1
    nodes, density = nodes[kept], edges[kept] / (nodes[kept] * (nodes[kept] - 1))
    size = np.log(nodes) - np.log(nodes).mean() if len(nodes) else nodes
    if len(nodes) < FEWEST or np.ptp(size) == 0 or not density.any():
        return 0.0
    terms = np.stack([np.ones_like(size), size], 1)
    line = np.array([np.log(density.mean()), 0.0])
    ratio, curvature = density, np.eye(2)
    for _ in range(50):
        ratio = density * np.exp(-terms @ line)
        curvature = terms.T @ (terms * ratio[:, None])
        step = np.linalg.solve(curvature + 1e-9 * np.eye(2), terms.T @ (ratio - 1))
        line = line + step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-10:
            break
    inverse = np.linalg.pinv(curvature)
    error = inverse @ (terms.T @ (terms * (ratio - 1)[:, None] ** 2)) @ inverse
    if abs(line[1]) <= SURE * error[1, 1] ** 0.5:
        return 0.0
    return float(np.clip(line[1], -1, 0))
