"""The leading singular values of a matrix, and the noise below which they mean nothing."""

import numpy as np
import scipy.sparse.linalg as sparse

from gmixup.estimators._classic import Halves
from gmixup.seeds import numpy_generator

# What stands above the noise by less than this is noise too: the largest singular value of a random
# matrix varies. (2.3·√(n·p(1 - p)/m), a usual threshold, has it above the edge 2·√(...) as well.)
MARGIN = 1.15

# Up to this size all singular values cost no more than some.
SMALL = 64

Triplets = tuple[np.ndarray, np.ndarray, np.ndarray]


def leading(matrix: np.ndarray, count: int) -> Triplets:
    """The `count` largest singular values (r,) in falling order, with U (n, r) and V^T (r, n)."""
    size = len(matrix)
    if size <= SMALL or 4 * count > size or not matrix.any():
        left, values, right = np.linalg.svd(matrix)
        return left[:, :count], values[:count], right[:count]
    start = numpy_generator(0, "spectrum", size).standard_normal(size)
    if np.array_equal(matrix, matrix.T):
        signed, left = sparse.eigsh(matrix, count, v0=start)
        values, right = abs(signed), (left * np.sign(signed)).T
    else:
        left, values, right = sparse.svds(matrix, count, v0=start)
        assert left is not None
        assert right is not None
    order = np.argsort(-values)
    return left[:, order], values[order], right[order]


def above(matrix: np.ndarray, least: float) -> Triplets:
    """The singular values larger than `least`, found without the rest of the spectrum."""
    size, count = len(matrix), min(8, len(matrix))
    while True:
        left, values, right = leading(matrix, count)
        if values[-1] <= least or count == size:
            kept = int((values > least).sum())
            return left[:, :kept], values[:kept], right[:kept]
        count = min(4 * count, size)


def noise(halves: Halves) -> float:
    """The largest singular value of the noise in the mean of all graphs.

    The difference of two half means holds no graphon, and half of it is as noisy as their mean. A
    formula in the number of pairs, 2·√(n·p(1 - p)/m), is twice too high where ties share places.
    """
    if halves.second is None:
        return _expected_noise(halves)
    one, other = (float(half.sizes.weights.sum()) for half in (halves.first, halves.second))
    difference = (halves.first.mean() - halves.second.mean()).numpy()
    return np.sqrt(one * other) / (one + other) * float(leading(difference, 1)[1][0])


def _expected_noise(halves: Halves) -> float:
    """The formula, for a single graph: positions that share all their nodes are as one."""
    sums = halves.whole
    pairs = max(float(sums.pairs.sum()), 1.0)
    density = min(float(sums.edges.sum()) / pairs, 1.0)
    distinct = len(np.unique(sums.mean().numpy().round(9), axis=0))
    return 2 * sums.resolution * np.sqrt(distinct * density * (1 - density) / pairs)
