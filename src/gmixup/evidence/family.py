"""Family: several comparisons tested together, as one who looks at all of them must."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from gmixup.evidence import verdict
from gmixup.evidence.comparison import Comparison, Row
from gmixup.evidence.correction import holm
from gmixup.evidence.paired import Difference, detectable

Name = TypeVar("Name", bound=Hashable)


def together(comparisons: Mapping[Name, Comparison]) -> dict[Name, Comparison]:
    """The same comparisons, with Holm's correction over the differences of all of them.

    Verdicts and the smallest differences that could have been seen are of the whole family too.
    """
    every = [pair for one in comparisons.values() for pair in one.differences]
    adjusted = iter(holm([np.nan if pair.p is None else pair.p for pair in every]))
    found = {}
    for name, one in comparisons.items():
        pairs = [
            _within(pair, next(adjusted), one.ratio, one.level / len(every))
            for pair in one.differences
        ]
        found[name] = _with(one, pairs)
    return found


def _within(pair: Difference, p: float, ratio: float | None, level: float) -> Difference:
    if pair.p is None:
        return pair
    if pair.smallest is None or pair.sd is None or ratio is None:  # the same in every fit
        return replace(pair, p_holm=float(p))
    error = pair.sd * np.sqrt(1 / pair.fits + ratio)
    smallest = float(detectable(error, pair.fits - 1, level))
    return replace(pair, p_holm=float(p), smallest=smallest)


def _with(one: Comparison, pairs: list[Difference]) -> Comparison:
    """A comparison whose differences, in their order, are these."""
    left = iter(pairs)
    against = {row.method: next(left) for row in one.rows if row.against}
    controls = {name: tuple(next(left) for _ in own) for name, own in one.controls.items()}

    def judged(row: Row) -> Row:
        if row.against is None:
            return row
        pair = against[row.method]
        word = verdict.word(pair, controls.get(row.method, ()), one.level)
        return replace(row, against=pair, verdict=word)

    return replace(one, rows=tuple(map(judged, one.rows)), controls=controls)
