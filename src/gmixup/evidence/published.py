"""Published: the numbers that the paper prints, and those that others got, as data of the package.

Names of methods and networks are ours: the paper's "vanilla" is "none", its "dropedge" "drop-edge".
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import isnan, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy import stats

RUNS = 10  # "on ten runs", says the paper of each of its numbers
OUR_NAMES = {
    "vanilla": "none",
    "dropedge": "drop-edge",
    "dropnode": "drop-node",
    "topkpool": "top-k",
    "diffpool": "diff-pool",
    "mincutpool": "min-cut",
}


class Cell(NamedTuple):
    """A place in a table of the paper."""

    group: str  # mostly the network
    method: str
    column: str  # mostly the data set

    def __str__(self) -> str:
        return " · ".join(self)


@dataclass(frozen=True)
class Score:
    """What independent runs reached: per cent, or the unit of the table."""

    mean: float
    std: float  # nan where it is not told, or of one run
    runs: int

    @classmethod
    def of(cls, scores: Sequence[float], scale: float = 100) -> "Score":
        """The score of some runs; theirs lie in [0, 1], tables show per cent."""
        if not len(scores):
            raise ValueError("`scores` is empty; give the score of one run at least")
        values = scale * np.asarray(scores, dtype=float)
        std = float(values.std(ddof=1)) if len(values) > 1 else nan
        return cls(float(values.mean()), std, len(values))

    @property
    def error(self) -> float:
        """The standard error of the mean; nan where runs do not tell it."""
        return self.std / sqrt(self.runs) if self.runs > 1 else nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean over such runs."""
        half = _half_width(self.error, self.runs - 1)
        return self.mean - half, self.mean + half

    def above(self, other: "Score") -> "Difference":
        """How far this mean lies above another, with the interval of Welch (1947)."""
        mine, theirs = self.error**2, other.error**2
        if isnan(mine + theirs) or mine + theirs == 0:  # unknown, or nothing varied at all
            half = mine + theirs
        else:
            freedom = (mine + theirs) ** 2 / (
                mine**2 / (self.runs - 1) + theirs**2 / (other.runs - 1)
            )
            half = _half_width(sqrt(mine + theirs), freedom)
        mean = self.mean - other.mean
        return Difference(mean, mean - half, mean + half)


class Difference(NamedTuple):
    """A difference of two means and its 95 % interval."""

    mean: float
    low: float  # nan where it is not known
    high: float


def published(table: str) -> dict[Cell, Score]:
    """The numbers of one of the paper's tables."""
    found = {_cell(row): _score(row) for row in _rows("published.csv", table)}
    if not found:
        names = ", ".join(dict.fromkeys(row["table"] for row in _rows("published.csv")))
        raise ValueError(f"`table` is {table!r}; the paper's tables are {names}")
    return found


def replicated(table: str) -> dict[Cell, dict[str, Score]]:
    """What others got in the cells of one of the paper's tables, by study."""
    found: dict[Cell, dict[str, Score]] = {}
    for row in _rows("replications.csv", table):
        found.setdefault(_cell(row), {})[row["study"]] = _score(row)
    return found


def _rows(file: str, table: str | None = None) -> Iterator[dict[str, str]]:
    text = files("gmixup.evidence").joinpath(file).read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        if table in (None, row["table"]):
            yield row


def _cell(row: dict[str, str]) -> Cell:
    return Cell(*(OUR_NAMES.get(row[key], row[key]) for key in Cell._fields))


def _score(row: dict[str, str]) -> Score:
    std = float(row["std"]) if row["std"] else nan
    return Score(float(row["mean"]), std, int(row.get("runs", RUNS)))


def _half_width(error: float, freedom: float) -> float:
    return float(error * stats.t.ppf(0.975, freedom)) if error == error else nan
