"""Gromov-Wasserstein distance of two step functions: how alike they are in their best order."""

import numpy as np
import torch
from torch import Tensor

from gmixup.seeds import numpy_generator


def gromov_wasserstein(first: Tensor, second: Tensor, starts: int = 4) -> float:
    """The distance under uniform weights, the smallest over several starts of the solver.

    Steps may differ in number. The problem has local minima, so besides the solver's own start it
    is begun from both sorted orders (forwards and backwards) and from random couplings.
    """
    try:
        import ot
    except ImportError:
        raise ImportError(
            "the Gromov-Wasserstein distance needs POT: pip install 'gmixup[estimators]'"
        ) from None
    a, b = (np.asarray(torch.as_tensor(matrix), dtype=np.float64) for matrix in (first, second))
    p, q = np.full(len(a), 1 / len(a)), np.full(len(b), 1 / len(b))
    by_a, by_b = a.mean(1).argsort(kind="stable"), b.mean(1).argsort(kind="stable")
    identity = ot.emd_1d(np.arange(len(a)) / len(a), np.arange(len(b)) / len(b), p, q)
    couplings = [None, identity]
    for order in (by_b, by_b[::-1]):
        places_a, places_b = np.empty(len(a)), np.empty(len(b))
        places_a[by_a], places_b[order] = np.arange(len(a)) / len(a), np.arange(len(b)) / len(b)
        couplings.append(ot.emd_1d(places_a, places_b, p, q))
    random = numpy_generator(0, "gromov-wasserstein")
    for _ in range(starts):
        couplings.append(ot.emd_1d(random.random(len(a)), random.random(len(b)), p, q))
    squared = min(
        float(ot.gromov.gromov_wasserstein2(a, b, p, q, "square_loss", G0=coupling))  # pyright: ignore
        for coupling in couplings
    )
    return max(squared, 0.0) ** 0.5
