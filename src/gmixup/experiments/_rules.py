"""Rules: what the paper's observations come to, and what is said of each of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from statistics import stdev
from typing import Literal

from scipy import stats

from gmixup.evidence.published import Cell as Place
from gmixup.evidence.tables import Table, first_number
from gmixup.experiments._archive import Found, Results
from gmixup.experiments._pairs import interval, paired, told

Word = Literal["held", "not held", "not run"]
LEVEL = 0.05
Tables = Mapping[str, Sequence[Table]]  # of experiments that train nothing, by name
Pairs = dict[Place, tuple[Found, Found]]  # g-mixup and none
NOTHING = "no runs"


@dataclass(frozen=True)
class Outcome:
    """Whether an observation holds, and the numbers that it rests on."""

    word: Word
    numbers: str


@dataclass(frozen=True)
class Claim:
    """One of the paper's numbered observations, and the rule by which it is judged here."""

    number: int
    words: str
    rule: str
    judge: Callable[..., Outcome]  # of the results by table, and of tables that are computed


def pairs(results: Results) -> Pairs:
    """G-Mixup and none by network and data set."""
    return {
        place: (found, none)
        for place, found in results.items()
        if place.method == "g-mixup"
        if (none := results.get(place._replace(method="none"))) is not None
    }


def gains(*names: str, ahead_in_all: bool = False) -> Callable[..., Outcome]:
    """The mean over cells of g-mixup less none lies above 0 by its interval over cells."""

    def judge(results: Mapping[str, Results], tables: Tables) -> Outcome:  # noqa: ARG001
        every = {(name, p): pair for name in names for p, pair in pairs(results[name]).items()}
        means = {key: paired(*pair) for key, pair in every.items()}
        means = {key: float(own.mean()) for key, own in means.items() if len(own)}
        if not means:
            return Outcome("not run", NOTHING)
        values = list(means.values())
        ahead = sum(value > 0 for value in values)
        numbers = f"{told(values)} points over {len(values)} {_cells(values)}, ahead in {ahead}"
        holds = len(values) > 1 and interval(values)[1] > 0
        if ahead_in_all:
            holds = holds and ahead == len(values)
        return _judged(every.values(), holds, numbers)

    return judge


def steadier(*names: str) -> Callable[..., Outcome]:
    """The deviation over runs is lower in more cells than chance would have it."""

    def judge(results: Mapping[str, Results], tables: Tables) -> Outcome:  # noqa: ARG001
        every = [pair for name in names for pair in pairs(results[name]).values()]
        known = [(a.scores(), b.scores()) for a, b in every if min(len(a.done), len(b.done)) > 1]
        if not known:
            return Outcome("not run", NOTHING)
        lower = sum(stdev(mixed) < stdev(none) for mixed, none in known)
        p = float(stats.binomtest(lower, len(known), alternative="greater").pvalue)
        numbers = f"lower in {lower} of {len(known)} {_cells(known)} (sign test, p = {p:.2g})"
        return _judged(every, p < LEVEL, numbers)

    return judge


def lower_losses(name: str, value: Callable[..., float]) -> Callable[..., Outcome]:
    """The loss on test late in training is lower on every set by its interval."""

    def judge(results: Mapping[str, Results], tables: Tables) -> Outcome:  # noqa: ARG001
        every = pairs(results[name])
        known = {p.column: paired(*pair, value) for p, pair in every.items()}
        known = {column: own for column, own in known.items() if len(own) > 1}
        if not known:
            return Outcome("not run", NOTHING)
        numbers = "; ".join(f"{column} {told(own, 4)}" for column, own in known.items())
        return _judged(every.values(), all(interval(v)[2] < 0 for v in known.values()), numbers)

    return judge


def best_at(name: str, column: str) -> Callable[..., Outcome]:
    """The mean score is highest in one column, on every set."""

    def judge(results: Mapping[str, Results], tables: Tables) -> Outcome:  # noqa: ARG001
        rows: dict[str, dict[str, Found]] = {}
        for place, found in results[name].items():
            if place.method == "g-mixup":
                rows.setdefault(place.group, {})[place.column] = found
        whole = {g: row for g, row in rows.items() if all(found.done for found in row.values())}
        if not whole:
            return Outcome("not run", NOTHING)
        best = {g: max(row, key=lambda c: sum(row[c].scores())) for g, row in whole.items()}
        numbers = "; ".join(f"{group}: best at {where}" for group, where in best.items())
        every = [(found, found) for row in rows.values() for found in row.values()]
        return _judged(every, all(where == column for where in best.values()), numbers)

    return judge


def distances_above(name: str, distance: str, noise: str, times: float) -> Callable[..., Outcome]:
    """In each row of a computed table one column is so many times another one."""

    def judge(results: Mapping[str, Results], tables: Tables) -> Outcome:  # noqa: ARG001
        if not tables.get(name):
            return Outcome("not run", f"`{name}` is not computed")
        table = tables[name][0]
        places = [list(table.header).index(column) for column in (distance, noise)]
        ratios = []
        for row in table.rows:
            far, near = (first_number(row[place]) for place in places)
            ratios.append(nan if far is None or not near else far / near)
        if not ratios:
            return Outcome("not run", f"`{name}` has no rows")
        above = sum(ratio > times for ratio in ratios)
        numbers = f"{above} of {len(ratios)} pairs; least {min(ratios):.2g} times"
        return Outcome("held" if above == len(ratios) else "not held", numbers)

    return judge


def between(name: str) -> Callable[..., Outcome]:
    """Along each table's rows every density of graphs lies between the two ends, or nearly so."""

    def judge(results: Mapping[str, Results], tables: Tables) -> Outcome:  # noqa: ARG001
        courses = [
            [_mean_and_error(row[place]) for row in table.rows]
            for table in tables.get(name, ())
            for place, column in enumerate(table.header)
            if column == "graphs" and table.rows
        ]
        if not courses:
            return Outcome("not run", f"`{name}` is not computed")
        within = total = 0
        for (first, _), *inner, (last, _) in courses:
            low, high = sorted((first, last))
            within += sum(low - 2 * error <= value <= high + 2 * error for value, error in inner)
            total += len(inner)
        numbers = f"{within} of {total} densities lie between those of the classes"
        return Outcome("held" if within == total else "not held", numbers)

    return judge


def _mean_and_error(cell: str) -> tuple[float, float]:
    mean, _, error = cell.partition("±")
    return first_number(mean) or 0.0, first_number(error) or 0.0


def _judged(every: Iterable[tuple[Found, Found]], holds: bool, numbers: str) -> Outcome:
    """Nothing is judged before all runs are there; the numbers so far are told."""
    every = list(every)
    whole = sum(one.complete and two.complete for one, two in every)
    if whole < len(every):
        return Outcome("not run", f"{whole} of {len(every)} cells are complete; so far {numbers}")
    return Outcome("held" if holds else "not held", numbers)


def _cells(several: Sequence[object]) -> str:
    return "cell" if len(several) == 1 else "cells"
