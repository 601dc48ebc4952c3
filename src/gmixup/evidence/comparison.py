"""Comparison: methods on the same splits, beside their baseline and controls, and the verdict.

One family holds all tests of a comparison: every method and every control against the baseline, and
every method against each of its own controls. Holm's correction is over all of them, also over
those that have too few fits yet, so that a table that is still filling up never promises more than
the full one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gmixup.evidence import verdict
from gmixup.evidence.correction import holm, overlap_ratio
from gmixup.evidence.paired import LEVEL, Difference, difference, over_inits
from gmixup.evidence.tables import Table

# Which controls each method has; a plain sequence: those, for every method that is none of them.
Controls = Mapping[str, Sequence[str]] | Sequence[str]

HEADER = (
    "method",
    "verdict",
    "difference",
    "for new graphs",
    "p (Holm)",
    "could have seen",
    "score",
    "fits",
    "on this collection",
    "p",
)


@dataclass(frozen=True)
class Row:
    """A method: its scores over fits, and how far it lies above the baseline."""

    method: str
    role: Literal["baseline", "method", "control"]
    mean: float | None
    sd: float | None  # over fits
    fits: int
    against: Difference | None  # None for the baseline itself
    verdict: verdict.Word


@dataclass(frozen=True)
class Comparison:
    """Methods beside a baseline; scores and differences are shares, shown as points."""

    baseline: str
    rows: tuple[Row, ...]
    controls: dict[str, tuple[Difference, ...]]  # of each method that has some, or should
    ratio: float | None  # test graphs over training graphs; None: the splits do not vary
    level: float = LEVEL

    @property
    def tests(self) -> int:
        """How many differences are tested together."""
        return sum(row.against is not None for row in self.rows) + sum(
            len(pairs) for pairs in self.controls.values()
        )

    @property
    def verdict(self) -> str:
        """A sentence for each method: what the corrected test says of new graphs of this kind."""
        return " ".join(
            verdict.sentence(row.against, self.controls.get(row.method), self.level)
            for row in self.rows
            if row.role == "method" and row.against
        )

    @property
    def on_collection(self) -> str:
        """What splits of these graphs say of each method, which is no verdict."""
        return verdict.collection_sentence(
            [row.against for row in self.rows if row.role == "method" and row.against]
        )

    @property
    def differences(self) -> tuple[Difference, ...]:
        """All that are tested: to the baseline, then of methods to their controls."""
        against = (row.against for row in self.rows if row.against)
        return (*against, *chain.from_iterable(self.controls.values()))

    @property
    def table(self) -> Table:
        """The rows, then a row for each method and control of its; per cent and points."""
        lines = [_line(row) for row in self.rows]
        for pairs in self.controls.values():
            for pair in pairs:
                beaten = "not tested" if pair.p_holm is None else "better"
                seen = beaten if pair not in verdict.unbeaten(pairs, self.level) else "not better"
                lines.append((f"{pair.first} beside {pair.second}", seen, *_cells(pair, "")))
        return Table(f"Differences to {self.baseline}", HEADER, lines, self._notes())

    def markdown(self) -> str:
        """The table in Markdown."""
        return self.table.markdown()

    def as_json(self) -> dict[str, Any]:
        """Everything in plain JSON, the sentences too."""
        told = {"verdict": self.verdict, "on_collection": self.on_collection, "tests": self.tests}
        return {**asdict(self), **told}

    def _notes(self) -> list[str]:
        dropped = sum(pair.dropped for pair in self.differences)
        notes = [
            "On this collection: 95 % Monte-Carlo interval of the mean difference over splits of "
            "these same graphs. For new graphs: 95 % interval of the corrected resampled t-test, "
            "each by itself; p (Holm), the verdict and the smallest difference that could have "
            f"been seen with a chance of 80 % take all {self.tests} differences together."
        ]
        if dropped:
            notes.append(f"{dropped} pairs of runs are left out: a run failed or is missing.")
        return notes


def compare_scores(
    scores: Mapping[str, ArrayLike],
    baseline: str = "none",
    *,
    train: float | None,
    test: float | None,
    train_fraction: float = 1.0,
    controls: Controls = (),
    repeats: ArrayLike | None = None,
    level: float = LEVEL,
) -> Comparison:
    """Compares methods on the same fits: scores in [0, 1], (fits,) or (fits, inits), NaN if failed.

    `train` and `test` are graphs of a fit: those that the weights are fitted to (without validation
    and synthetic graphs) and those that the score is of; both None if all fits share one split, so
    that nothing can be said of new graphs. `repeats` (fits,) tells cross-validations apart. A
    method that is given an empty sequence of `controls` should have some, and the verdict says so.
    """
    if baseline not in scores:
        raise ValueError(f"`baseline` is {baseline!r}; the methods are {sorted(scores)}")
    wanted = _controls_of(controls, baseline, list(scores))
    known = {name for names in wanted.values() for name in names}
    ratio = None if train is None or test is None else overlap_ratio(train, test, train_fraction)
    pairs = [(name, baseline) for name in scores if name != baseline]
    pairs += [(name, control) for name, names in wanted.items() for control in names]
    found = [
        difference(pair, (scores[pair[0]], scores[pair[1]]), ratio, repeats, len(pairs), level)
        for pair in pairs
    ]
    found = _adjusted(found)
    against = {pair.first: pair for pair in found[: len(scores) - 1]}
    beside = {
        name: tuple(pair for pair in found[len(scores) - 1 :] if pair.first == name)
        for name in wanted
    }
    rows = tuple(
        _row(name, values, name in known, against.get(name), beside.get(name, ()), level)
        for name, values in scores.items()
    )
    return Comparison(baseline, rows, beside, ratio, level)


def _controls_of(
    controls: Controls, baseline: str, methods: Sequence[str]
) -> dict[str, Sequence[str]]:
    """The controls of each method that has, or should have, some; checked."""
    if not isinstance(controls, Mapping):
        others = [name for name in methods if name != baseline and name not in controls]
        controls = dict.fromkeys(others, tuple(controls)) if controls else {}
    named = {*controls, *chain.from_iterable(controls.values())}
    unknown = sorted(named - {*methods})
    if unknown or baseline in named:
        known = sorted({*methods} - {baseline})
        raise ValueError(f"`controls` names {unknown or [baseline]}; it may name {known}")
    return dict(controls)


def _adjusted(found: Sequence[Difference]) -> list[Difference]:
    p = holm([np.nan if pair.p is None else pair.p for pair in found])
    return [
        replace(pair, p_holm=None if np.isnan(value) else float(value))
        for pair, value in zip(found, p, strict=True)
    ]


def _row(
    name: str,
    scores: ArrayLike,
    control: bool,
    against: Difference | None,
    beside: Sequence[Difference],
    level: float,
) -> Row:
    values = over_inits(np.asarray(scores, dtype=np.float64))
    values = values[~np.isnan(values)]
    mean = float(values.mean()) if len(values) else None
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    if against is None:
        return Row(name, "baseline", mean, sd, len(values), None, "baseline")
    role = "control" if control else "method"
    return Row(name, role, mean, sd, len(values), against, verdict.word(against, beside, level))


def _line(row: Row) -> tuple[str, ...]:
    score = "–" if row.mean is None else f"{100 * row.mean:.2f}"
    score += "" if row.sd is None else f" ± {100 * row.sd:.2f}"
    name = f"{row.method} (control)" if row.role == "control" else row.method
    if row.against is None:
        return (name, "baseline", "–", "–", "–", "–", score, str(row.fits), "–", "–")
    return (name, row.verdict, *_cells(row.against, score))


def _cells(pair: Difference, score: str) -> tuple[str, ...]:
    return (
        "–" if pair.mean is None else verdict.signed(pair.mean, 2),
        _ends(pair.for_new),
        _p(pair.p_holm),
        "–" if pair.smallest is None else f"{100 * pair.smallest:.1f}",
        score,
        str(pair.fits),
        _ends(pair.on_collection),
        _p(pair.p),
    )


def _p(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def _ends(ends: tuple[float, float] | None) -> str:
    return "–" if ends is None else " to ".join(verdict.signed(end, 2) for end in ends)
