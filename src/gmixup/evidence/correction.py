"""Corrections of tests: for splits that overlap, and for several tests at once (Holm, 1979)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def overlap_ratio(train: float, test: float, train_fraction: float = 1.0) -> float:
    """Test graphs over training graphs, the term by which Nadeau and Bengio widen the variance.

    `train` counts the graphs that the weights are fitted to: validation graphs are not in it, nor
    synthetic ones. Where only the fraction `train_fraction` of the training part was used, `train`
    is what was used, and the ratio is that of the whole part: a smaller part makes single fits
    noisier but splits no more alike, so that the ratio of the cut part finds nothing at all
    (docs/statistics.md, where simulations bear this out).
    """
    if not 0 < train_fraction <= 1:
        raise ValueError(f"`train_fraction` is {train_fraction}; it must lie in (0, 1]")
    if min(train, test) <= 0:
        raise ValueError(f"`train` is {train} and `test` is {test}; both must be above 0 graphs")
    return test * train_fraction / train


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """(tests,) p-values adjusted so that any false finding among all tests has chance 5 % at 5 %.

    A test that is planned but could not be made yet is NaN: it stays so, and counts as a test.
    """
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(np.where(np.isnan(p), np.inf, p), kind="stable")
    stepped = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted
