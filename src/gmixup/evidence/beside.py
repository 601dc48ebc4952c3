"""Beside: our numbers next to those that the paper prints and those that others got."""

from collections.abc import Mapping
from math import isnan

from gmixup.evidence.published import RUNS, Cell, Difference, Score
from gmixup.evidence.tables import NOT_RUN, Table

HEADER = (
    "cell",
    "ours, mean ± sd (n)",
    "95 % interval",
    "published",
    "difference",
    "more than noise?",
    "replications",
    "note",
)
NONE = "–"  # where there is no number


def beside(
    ours: Mapping[Cell, Score],
    published: Mapping[Cell, Score],
    replicated: Mapping[Cell, Mapping[str, Score]] | None = None,
    remarks: Mapping[Cell, str] | None = None,
    title: str = "Ours beside published",
) -> Table:
    """A row for every cell that anyone has filled; what we have not run is said to be not run."""
    replicated, remarks = replicated or {}, remarks or {}
    rows, differences = [], []
    for cell in dict.fromkeys([*published, *ours, *replicated]):
        mine, printed = ours.get(cell), published.get(cell)
        difference = mine.above(printed) if mine and printed else None
        differences += [difference] if difference else []
        others = ", ".join(f"{study}: {_score(s)}" for study, s in replicated.get(cell, {}).items())
        rows.append(
            (
                str(cell),
                _score(mine) if mine else NOT_RUN,
                _interval(*mine.interval) if mine else NONE,
                _mean_and_deviation(printed) if printed else NONE,
                _difference(difference),
                more_than_noise(difference),
                others or NONE,
                remarks.get(cell, ""),
            )
        )
    return Table(title, HEADER, rows, _notes(differences, len(rows) - len(ours)))


def more_than_noise(difference: Difference | None) -> str:
    """Whether the interval of a difference leaves out zero, and on which side."""
    if difference is None:
        return NONE
    if isnan(difference.low):
        return "not known"
    if difference.low > 0:
        return "yes, higher"
    return "yes, lower" if difference.high < 0 else "no"


def _notes(differences: list[Difference], missing: int) -> list[str]:
    told = [more_than_noise(difference) for difference in differences]
    tested = [answer for answer in told if answer != "not known"]
    far = sum(answer.startswith("yes") for answer in tested)
    notes = [
        "± is the standard deviation over runs, n their number; the 95 % interval is of our mean.",
        f"Differences are ours less published, in brackets their 95 % interval (Welch; the paper's "
        f"numbers are of {RUNS} runs each). More than noise: the interval leaves out zero.",
    ]
    if tested:
        notes.append(
            f"{far} of {len(tested)} differences are more than noise; were there none at all, "
            f"about {len(tested) / 20:.1f} would look so."
        )
    if missing:
        notes.append(f"{missing} of the cells are not run.")
    return notes


def _score(score: Score) -> str:
    return f"{_mean_and_deviation(score)} ({score.runs})"


def _mean_and_deviation(score: Score) -> str:
    return f"{score.mean:.2f}" + ("" if isnan(score.std) else f" ± {score.std:.2f}")


def _difference(difference: Difference | None) -> str:
    if difference is None:
        return NONE
    mean = _signed(difference.mean)
    if isnan(difference.low):
        return mean
    return f"{mean} [{_signed(difference.low)}, {_signed(difference.high)}]"


def _interval(low: float, high: float) -> str:
    return "not known" if isnan(low) else f"[{low:.2f}, {high:.2f}]"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
