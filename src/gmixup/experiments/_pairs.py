"""Pairs: differences of two methods on the same splits and seeds, and what they come to."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gmixup.evidence.published import Score
from gmixup.experiments._archive import Found

Record = Mapping[str, Any]


def on_test(record: Record) -> float:
    """The score on test, per cent."""
    return 100 * record["scores"]["test"]


def paired(one: Found, two: Found, value: Callable[[Record], float] = on_test) -> np.ndarray:
    """(pairs,) what `one` has more than `two`, of the runs that both have."""
    theirs = {_place(record): value(record) for record in two.done}
    return np.array(
        [value(r) - theirs[_place(r)] for r in one.done if _place(r) in theirs], dtype=float
    )


def interval(values: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """The mean and its 95 % interval, by Student's t."""
    score = Score.of([float(value) for value in values], scale=1)
    return (score.mean, *score.interval)


def told(values: Sequence[float] | np.ndarray, digits: int = 2) -> str:
    """The same in a table."""
    return in_words(*interval(values), digits=digits)


def in_words(mean: float, low: float, high: float, digits: int = 2) -> str:
    """A difference with its interval; that of a single pair is not known."""
    text = f"{mean:+.{digits}f}"
    text += "" if low != low else f" [{low:+.{digits}f}, {high:+.{digits}f}]"
    return text.replace("-", "−")


def _place(record: Record) -> tuple[Any, ...]:
    split = record["cell"]["split"]
    return split["seed"], split.get("fold"), record["cell"]["seed"]
