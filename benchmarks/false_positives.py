"""How often do the tests of a comparison find what is not there, and how often what is?

    python benchmarks/false_positives.py [COLLECTIONS]

Simulated comparisons with known truth (`gmixup.evidence.simulation`), as Markdown: false positives
at 5 % of the corrected and the naive test under both nulls, power, the correction for few labels,
what the planner promises, and the coverage of the interval on one collection. The numbers of
docs/statistics.md are those of 2000 collections.
"""

import sys
import time

import numpy as np

from gmixup.evidence.paired import on_this_collection
from gmixup.evidence.planner import floor, plan, smallest_difference
from gmixup.evidence.simulation import (
    LEARNERS,
    Design,
    Population,
    fixed_rule,
    found,
    measured_ratio,
    seeds_only,
    symmetric_learners,
)
from gmixup.evidence.tables import Table

NULLS = {"symmetric learners": symmetric_learners, "seeds only": seeds_only}
DESIGNS = {
    "10 folds, 30 fits": Design(3),
    "10 folds, 100 fits": Design(10),
    "7:1:2, 10 splits": Design(10, None),
    "7:1:2, 30 splits": Design(30, None),
}
FRACTIONS = (1.0, 0.5, 0.2, 0.1)
# The nearest neighbour takes ten times as long as the others.
RATIOS = ("ratio", "ratio that were right")
SLOW = {"nearest-neighbour": 4}


def per_cent(share):
    return f"{100 * share:.1f} %"


def collections_of(learner, collections):
    return max(50, collections // SLOW.get(learner, 1))


def rates(values, ratio):
    return per_cent(found(values, ratio)), per_cent(found(values, 0.0))


def ratios(values, design):
    return f"{design.ratio:.3f}", f"{measured_ratio(values):.3f}"


def false_positives(collections, draw):
    rows = []
    for null, simulate in NULLS.items():
        for graphs in (200, 1000):
            for name, learner in LEARNERS.items():
                for plan_name, design in DESIGNS.items():
                    count = collections_of(name, collections)
                    values = simulate(learner, Population(graphs=graphs), design, count, draw)
                    told = f"{null}, {name}", str(graphs), plan_name, str(count)
                    rows.append((*told, *rates(values, design.ratio), *ratios(values, design)))
    header = ("null", "graphs", "splits", "collections", "corrected", "naive", *RATIOS)
    return Table("False positives at 5 %", header, rows)


def power(collections, draw):
    rows = []
    for graphs in (200, 1000, 5000):
        for name, design in DESIGNS.items():
            if graphs == 5000 and design.fits > 30:
                continue
            count = collections_of("ridge", collections) // (5 if graphs == 5000 else 1)
            values = symmetric_learners(
                LEARNERS["ridge"], Population(graphs=graphs), design, count, draw
            )
            shares = [per_cent(found(values, design.ratio, points / 100)) for points in (2, 4, 6)]
            deviation = values.std(1, ddof=1).mean()
            seen = smallest_difference(deviation, design.fits, design.ratio)
            promised = f"{100 * seen:.1f}", per_cent(found(values, design.ratio, seen))
            rows.append((str(graphs), name, f"{100 * deviation:.1f}", *shares, *promised))
    header = ("graphs", "splits", "sd, points", "2 points", "4 points", "6 points")
    header = (*header, "planner's smallest, points", "found")
    return Table("Power of the corrected test at 5 %, ridge", header, rows)


def few_labels(collections, draw):
    rows = []
    for fraction in FRACTIONS:
        for name, learner in (LEARNERS | {"fixed rule": fixed_rule}).items():
            design = Design(3, train_fraction=fraction)
            count = collections_of(name, collections)
            values = symmetric_learners(learner, Population(), design, count, draw)
            told = f"{fraction:g}", name, str(count), *rates(values, design.ratio)
            cut = per_cent(found(values, design.cut_ratio)), f"{design.cut_ratio:.3f}"
            rows.append((*told, *ratios(values, design), *cut))
    header = ("train fraction", "learner", "collections", "corrected", "naive", *RATIOS)
    header = (*header, "by the cut ratio", "cut ratio")
    return Table("False positives at 5 % where labels are few", header, rows)


def planner():
    rows = []
    for name, design in (DESIGNS | {"7:1:2, 100 splits": Design(100, None)}).items():
        shown = smallest_difference(3.6, design.fits, design.ratio)
        wish = plan(2.0, 3.6, design.ratio, graphs=1000)
        end = floor(3.6, design.ratio)
        rows.append((name, f"{design.ratio:.3f}", f"{shown:.1f}", f"{end:.1f}", wish.sentence))
    header = ("splits", "ratio", "smallest, points", "floor, points", "a wish of 2 points")
    return Table("The planner, at sd 3.6 points and 1000 graphs", header, rows)


def coverage(collections, draw):
    """Of the interval on this collection: the truth is the mean of very many splits of it."""
    rows = []
    learner, population = LEARNERS["ridge"], Population(graphs=300)
    for name, design in (DESIGNS | {"10 folds, 50 fits": Design(5)}).items():
        many = Design(3000 // (design.folds or 1), design.folds)
        inside = {"over fits": 0, "as reported": 0}
        for _ in range(collections):
            views, classes = population.draw(draw)
            truth, values = (
                differences(learner, views, classes, kind, draw) for kind in (many, design)
            )
            repeats = np.arange(design.fits) // (design.folds or 1)
            for kind, groups in (("over fits", None), ("as reported", repeats)):
                estimate = on_this_collection(values, None if design.folds is None else groups)
                low, high = estimate.interval()
                inside[kind] += low <= truth.mean() <= high
        shares = (per_cent(count / collections) for count in inside.values())
        rows.append((name, str(collections), *shares))
    header = ("splits", "collections", "over fits", "as reported")
    return Table("Coverage of the 95 % interval on this collection, ridge", header, rows)


def differences(learner, views, classes, design, draw):
    train, test = design.draw(len(classes), draw)
    right = [((learner(x, classes, train) == (classes > 0)) & test).sum(1) for x in views]
    return (right[0] - right[1]) / test.sum(1)


def main():
    collections = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    begin = time.perf_counter()
    print(planner().markdown())
    for table in (power, few_labels, false_positives):
        print(table(collections, np.random.default_rng(0)).markdown(), flush=True)
    print(coverage(max(50, collections // 4), np.random.default_rng(0)).markdown())
    print(f"{collections} collections in {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
