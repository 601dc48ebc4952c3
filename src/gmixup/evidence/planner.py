"""The planner: which difference a number of splits can show, and what a wished one would cost."""

import math
from dataclasses import dataclass

from gmixup.evidence.paired import LEVEL, POWER, detectable

MOST_FITS = 10_000
# Where splits alone cannot reach a wish, graphs are counted for this many fits.
USUAL_FITS = 100


@dataclass(frozen=True)
class Plan:
    """What it takes to see a difference of `wish`, in the unit of the standard deviation given."""

    wish: float
    floor: float  # what splits without end could show
    fits: int | None  # None: no number of splits of this collection is enough
    graphs: int | None  # None: it is enough as it is, or the size of the collection is unknown

    @property
    def sentence(self) -> str:
        """The plan in words, for differences in points."""
        if self.fits is not None:
            return f"{self.fits} fits show a difference of {self.wish:.1f} points."
        need = "more graphs" if self.graphs is None else f"about {self.graphs} graphs"
        return (
            f"A difference of {self.wish:.1f} points is not reachable by more splits, which end at "
            f"{self.floor:.1f}: it needs {need}."
        )


def floor(
    sd: float, ratio: float, level: float = LEVEL, power: float = POWER, tests: int = 1
) -> float:
    """The smallest difference that splits without end could show: 2.8 · sd · sqrt(ratio)."""
    return detectable(sd * math.sqrt(ratio), math.inf, level / tests, power)


def smallest_difference(
    sd: float, fits: int, ratio: float, level: float = LEVEL, power: float = POWER, tests: int = 1
) -> float:
    """The smallest difference that `fits` splits show with the chance `power`.

    `sd` is that of the paired difference over fits, `ratio` is `correction.overlap_ratio`, `tests`
    the number of differences that are tested together.
    """
    if fits < 2:
        raise ValueError(f"`fits` is {fits}; a test needs at least 2")
    return detectable(sd * math.sqrt(1 / fits + ratio), fits - 1, level / tests, power)


def plan(
    wish: float,
    sd: float,
    ratio: float,
    graphs: int | None = None,
    level: float = LEVEL,
    power: float = POWER,
    tests: int = 1,
) -> Plan:
    """How many fits show a difference of `wish`, or else how many graphs it needs.

    With `graphs` in the collection: the deviation over splits falls with the root of the graphs, as
    that of a mean over test graphs does.
    """
    if not (wish > 0 and sd > 0):
        raise ValueError(f"`wish` is {wish} and `sd` is {sd}; both must be above 0")

    def shown(fits: int) -> float:
        return smallest_difference(sd, fits, ratio, level, power, tests)

    end = floor(sd, ratio, level, power, tests)
    if shown(MOST_FITS) > wish:
        more = None if graphs is None else math.ceil(graphs * (shown(USUAL_FITS) / wish) ** 2)
        return Plan(wish, end, None, more)
    low, high = 1, MOST_FITS
    while high - low > 1:  # shown(high) <= wish, and at `low` fits it is not
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle) <= wish else (middle, high)
    return Plan(wish, end, high, None)
