"""Paired differences of two methods, and the two answers that they give.

Both methods are fitted on the same splits, so their scores are subtracted split by split. The mean
difference then answers two questions with two standard errors: how it would come out *on this
collection* of graphs after splits without end, and *for new graphs of this kind*.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

LEVEL, POWER = 0.05, 0.8

# A t interval over few repeats is wide (4.3 standard errors at 3); from 5 on it is the narrower.
FEWEST_REPEATS = 5
# Below this, equal differences by chance (scores are counts of graphs) would look certain.
FEWEST_FITS = 5


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error: interval, test and smallest detectable difference follow."""

    mean: float
    error: float
    degrees: int  # of freedom of Student's t
    over: Literal["fits", "repeats"] = "fits"  # what the error was taken over

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Holds the true mean in a share 1 - `level` of cases."""
        half = float(stats.t.isf(level / 2, self.degrees)) * self.error
        return self.mean - half, self.mean + half

    @property
    def p(self) -> float:
        """Two-sided p-value of Student's t for a true mean of 0."""
        if self.error == 0:
            return 1.0 if self.mean == 0 else 0.0
        return 2 * float(stats.t.sf(abs(self.mean) / self.error, self.degrees))

    def smallest(self, level: float = LEVEL, power: float = POWER) -> float:
        """The true mean that a test at `level` would find with the chance `power`."""
        return detectable(self.error, self.degrees, level, power)


def detectable(error: float, degrees: float, level: float = LEVEL, power: float = POWER) -> float:
    """What a two-sided t-test finds with the chance `power`; 2.8 errors at many degrees."""
    return error * float(stats.t.isf(level / 2, degrees) + stats.t.ppf(power, degrees))


def paired(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """(fits,) first - second; scores are (fits,) or (fits, inits), NaN where a run failed.

    Runs are paired by fit and initialisation; a pair with a failed run is dropped, and a fit that
    has no pair left is NaN.
    """
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    if first.shape != second.shape or first.ndim not in (1, 2):
        raise ValueError(
            f"scores to be paired have the shapes {first.shape} and {second.shape}; both must be "
            "(fits,) or both (fits, inits), with NaN where a run failed"
        )
    return over_inits(first - second)


def over_inits(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(fits,) the mean over initialisations that are there; NaN where none is."""
    table = values.reshape(len(values), -1)
    there = ~np.isnan(table)
    sums = np.where(there, table, 0.0).sum(1)
    return np.where(there.any(1), sums / np.maximum(there.sum(1), 1), np.nan)


def on_this_collection(values: ArrayLike, repeats: ArrayLike | None = None) -> Estimate:
    """What random splits of these same graphs give: the error is that of a Monte-Carlo mean.

    Splits drawn one by one are independent given the graphs. The folds of one cross-validation are
    not, but whole cross-validations are: with `repeats` (fits,), which tells them apart, the error
    is taken over their means if they are at least 5 and complete. Otherwise it is the plain one
    over fits, which is too wide for folds, never too narrow (docs/statistics.md measures both).
    """
    values = np.asarray(values, dtype=np.float64)
    groups = np.zeros(len(values), int) if repeats is None else np.asarray(repeats)
    _, index, size = np.unique(groups, return_inverse=True, return_counts=True)
    if len(size) >= FEWEST_REPEATS and size.min() == size.max() and not np.isnan(values).any():
        means = np.bincount(index, values) / size
        return Estimate(float(means.mean()), _error(means), len(means) - 1, "repeats")
    kept = values[~np.isnan(values)]
    return Estimate(float(kept.mean()), _error(kept), len(kept) - 1)


def for_new_graphs(values: ArrayLike, ratio: float) -> Estimate:
    """The corrected resampled t-test of Nadeau and Bengio (2003); `ratio` 0 is the plain t-test.

    Splits of one collection overlap, so more of them say less and less about other graphs: the
    variance of the mean is that of one fit times 1 / fits + `ratio`, with test graphs over training
    graphs as the ratio (`correction.overlap_ratio`).
    """
    if not ratio >= 0:
        raise ValueError(f"`ratio` is {ratio}; it is test graphs over training graphs, at least 0")
    values = np.asarray(values, dtype=np.float64)
    kept = values[~np.isnan(values)]
    error = _error(kept) * math.sqrt(1 + ratio * len(kept))
    return Estimate(float(kept.mean()), error, len(kept) - 1)


def _error(values: NDArray[np.float64]) -> float:
    if len(values) < 2:
        raise ValueError(f"{len(values)} fits are left; an interval needs at least 2")
    return float(values.std(ddof=1)) / math.sqrt(len(values))


@dataclass(frozen=True)
class Difference:
    """How far `first` lies above `second`; None where there were too few fits to say."""

    first: str
    second: str
    fits: int  # pairs of which the difference is made
    dropped: int  # pairs of runs left out since one failed or is missing
    mean: float | None = None
    sd: float | None = None  # over fits
    on_collection: tuple[float, float] | None = None  # 95 % interval
    over: Literal["fits", "repeats"] = "fits"
    for_new: tuple[float, float] | None = None  # 95 % interval, not adjusted for other tests
    p: float | None = None
    p_holm: float | None = None
    smallest: float | None = None  # what could have been seen, at the level of the whole family


def difference(
    names: tuple[str, str],
    scores: tuple[ArrayLike, ArrayLike],
    ratio: float | None,
    repeats: ArrayLike | None = None,
    tests: int = 1,
    level: float = LEVEL,
) -> Difference:
    """Both answers for two methods, as one of `tests`; with `ratio` None only the first one."""
    values = paired(*scores)
    kept = int((~np.isnan(values)).sum())
    dropped = int(np.isnan(np.subtract(*(np.asarray(part, float) for part in scores))).sum())
    bare = Difference(*names, fits=kept, dropped=dropped)
    if kept < 2:
        return bare
    here = on_this_collection(values, repeats)
    answers: dict[str, Any] = {
        "mean": here.mean,
        "sd": float(np.nanstd(values, ddof=1)),
        "on_collection": here.interval(level),
        "over": here.over,
    }
    if ratio is not None and kept >= FEWEST_FITS:
        new = for_new_graphs(values, ratio)
        # Holm's strictest step is level / tests: what is found there is found in any case.
        # Of scores that are equal in every fit nobody knows how much they could have differed.
        smallest = new.smallest(level / tests) if new.error else None
        answers |= {"for_new": new.interval(level), "p": new.p, "smallest": smallest}
    return Difference(**(vars(bare) | answers))
