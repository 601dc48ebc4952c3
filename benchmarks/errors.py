"""How far estimates are from the truth: every figure of docs/estimators.md that is an error.

    python benchmarks/errors.py [PART...] [--trials N] [--first SEED] [--only ESTIMATOR...]

Parts: published, smooth, floors, core, shapes, small, sparse. All graphs are drawn from known
surfaces. Errors are 1000 · RMSE of the step function on 1000 x 1000 points unless a title says
otherwise; a cell is the mean over trials, ± one standard deviation. "Floor" is the error of the
truth itself, once its positions are those that the nodes of the trial happened to have: by chance a
tenth of the range may hold 12 % of the nodes, and no graph tells.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import warnings

import numpy as np
import torch

from gmixup import Graphon, GraphSet, estimators
from gmixup.estimators.sas import interpolated
from gmixup.experiments.estimators import (
    FINE,
    GRAPHONS,
    METHODS,
    NODES,
    directed_graphs,
    resized_error,
    step_error,
)
from gmixup.sampling import sample_graphs
from gmixup.seeds import as_generator, numpy_generator
from gmixup.surfaces import surface

FIRST_SEED = 1000  # none of these was looked at while the estimators were made
FIVE = tuple(GRAPHONS.values())
MONOTONE = (
    *FIVE,
    "logistic-max-min",
    "exponential-max",
    "exponential-min-root",
    "log-max",
)
SHAPES = ("distance", "closeness", "two-blocks", "bipartite")
# What Xu et al.'s code gives when it is run again, columns SBA, LG, MC, USVT, SAS.
RERUN = {
    "product": (69.0, 29.3, 61.1, 14.2, 125.4),
    "exponential-sum": (58.5, 21.3, 71.5, 12.0, 76.5),
    "square-and-root": (60.9, 24.0, 73.3, 34.0, 99.5),
    "mean": (60.1, 22.1, 71.8, 39.8, 108.1),
    "logistic-2": (49.8, 22.2, 66.1, 38.0, 72.1),
}
CORE = Graphon(torch.tensor([[0.9, 0.3], [0.3, 0.15]])[[0] * 3 + [1] * 7][:, [0] * 3 + [1] * 7])
SOUND = ("sba", "lg", "sas", "mc", "usvt", "histogram", "vem")
PUBLISHED = tuple(f"{method}, published" for method in METHODS)
ONLY = []  # the estimators that were asked for; none: all
TRIALS = {"smooth": 20, "core": 40, "floors": 1000}  # of the others 10; in these luck decides


def shown(values, digits=1):
    spread = f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{np.mean(values):.{digits}f}{spread}"


def table(title, header, rows):
    print(f"\n**{title}**\n\n| {' | '.join(header)} |\n|{'---|' * len(header)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def estimate(method, graphs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # graphs without an edge
        name, _, form = method.partition(", ")
        settings = {"faithful": True} if form else {}
        return estimators.room.make(name, **settings).estimate(graphs)


def published(seeds):
    def cells(graphon):
        found = {method: [] for method in METHODS}
        for seed in seeds:
            graphs = directed_graphs(graphon, seed)
            for method in METHODS:
                settings = {"seed": seed} if method == "sba" else {}
                part = estimators.room.make(method, faithful=True, **settings)
                edges = part.fit(graphs, NODES)[0].numpy()
                found[method].append(resized_error(edges, graphon))
        for method, wanted in zip(METHODS, RERUN[graphon], strict=True):
            gap = (np.mean(found[method]) - wanted) / np.std(found[method], ddof=1)
            yield f"{shown(found[method])} ({wanted}, {gap:+.1f} sd)"

    title = "Faithful forms on the published protocol, beside the published code run again"
    table(title, ("graphon", *METHODS), ((graphon, *cells(graphon)) for graphon in FIVE))


def compared(measures, cases, seeds, digits=1, methods=SOUND, floor=None):
    """A table for each measure, by its title: a row for each case, a column for each estimator.

    `cases` has graphs by seed under each name, `floor` what a truth is worth, by name and seed.
    """
    methods = [method for method in methods if not ONLY or method in ONLY]
    if not methods:
        return
    tables = {title: [] for title in measures}
    for name, draw in cases.items():
        rows = {title: [name] for title in measures}
        drawn = [draw(seed) for seed in seeds]
        for method in methods:
            found = [estimate(method, graphs) for graphs in drawn]
            for title, error in measures.items():
                rows[title].append(shown([error(each, name) for each in found], digits))
        for title, row in rows.items():
            lowest = [shown([floor(name, seed) for seed in seeds], digits)] if floor else []
            tables[title].append(row + lowest)
    for title, rows in tables.items():
        table(title, ("graphon", *methods, *(["floor"] if floor else [])), rows)


def drawing(name, graphs, nodes):
    return lambda seed: Graphon.named(name, 1000).sample_many(graphs, nodes, seed)


def floor_of(truth, graphs, nodes):
    """The floor of a graphon, by seed: the same draw as `sample_many` makes, for its positions."""

    middles = (np.arange(FINE) + 0.5) / FINE

    def floor(seed):
        stream = as_generator(seed, "graphon", "sample")
        drawn = sample_graphs(truth.edges, torch.full((graphs,), nodes), stream)
        places = np.quantile(drawn.position.numpy(), middles)
        gap = truth(*np.ix_(places, places)) - truth(*np.ix_(middles, middles))
        return 1000 * float(np.sqrt((gap**2).mean()))

    return floor


def bilinear_error(estimated, name):
    """The error once the steps are joined by a surface without jumps, as the published one is."""
    finer = Graphon(torch.from_numpy(interpolated(estimated.edges.numpy(), FINE)))
    return step_error(finer, name)


def smooth(seeds):
    cases = {name: drawing(name, 10, 200) for name in MONOTONE}
    title = "Monotone graphons, 10 simple graphs of 200 nodes"
    floors = {name: floor_of(Graphon.named(name, 1000), 10, 200) for name in cases}
    measures = {title: step_error, f"{title}: the same, resized bilinearly": bilinear_error}
    compared(measures, cases, seeds, floor=lambda name, seed: floors[name](seed))
    cases = {name: cases[name] for name in FIVE}
    compared({f"{title}: forms as published": step_error}, cases, seeds, methods=PUBLISHED)


def floors(seeds):
    """What the floors of `smooth` are in the long run: positions alone, on a coarser grid."""
    middles = (np.arange(150) + 0.5) / 150
    drawn = [np.quantile(numpy_generator(seed, "floors").random(2000), middles) for seed in seeds]
    rows = []
    for name in MONOTONE:
        truth = surface(name)(*np.ix_(middles, middles))
        gaps = [surface(name)(*np.ix_(places, places)) - truth for places in drawn]
        rows.append((name, shown([1000 * np.sqrt((gap**2).mean()) for gap in gaps])))
    table("Floors, 10 graphs of 200 nodes", ("graphon", "floor"), rows)


def core(seeds):
    def error(estimated, _):
        return 1000 * CORE.resample(1000).distance(estimated.resample(1000))

    title = "Two blocks (.9, .3, .15), the core 30 % of the nodes; 10 graphs of 200 nodes"
    cases = {"core": lambda seed: CORE.sample_many(10, 200, seed)}
    lowest = floor_of(CORE, 10, 200)
    compared({title: error}, cases, seeds, floor=lambda _, seed: lowest(seed))


def shapes(seeds):
    def error(estimated, name):
        truth = Graphon.named(name, 200)
        return 1000 * truth.distance(estimated.resample(200), "gromov-wasserstein")

    cases = {name: drawing(name, 10, 200) for name in SHAPES}
    title = "Degrees do not tell positions: 1000 · Gromov-Wasserstein, 10 graphs of 200 nodes"
    compared({title: error}, cases, seeds, methods=("lg", "usvt", "histogram", "vem"))


def unequal(name):
    def draw(seed):
        sizes = numpy_generator(seed, "sizes").integers(10, 30, size=500)
        number, count = np.unique(sizes, return_counts=True)
        truth = Graphon.named(name, 1000)
        parts = [
            truth.sample_many(int(c), int(n), seed * 100 + int(n))
            for n, c in zip(number, count, strict=True)
        ]
        return GraphSet.joined(parts)

    return draw


def small(seeds):
    cases = {name: drawing(name, 500, 20) for name in FIVE}
    compared({"500 graphs of 20 nodes": step_error}, cases, seeds)
    cases = {name: unequal(name) for name in FIVE}
    compared({"500 graphs of 10 to 29 nodes": step_error}, cases, seeds)


def thinned(name, degree=2.4, nodes=430):
    truth = Graphon.named(name, 1000)
    return Graphon(truth.edges * (degree / (nodes - 1) / truth.edge_density))


def sparse(seeds):
    def error(estimated, name):
        wanted, given = (g.resample(20).edges for g in (thinned(name), estimated))
        return float((wanted - given).norm() / wanted.norm())

    def density(estimated, name):
        return 100 * (estimated.edge_density / thinned(name).edge_density - 1)

    cases = {name: (lambda seed, n=name: thinned(n).sample_many(500, 430, seed)) for name in FIVE}
    title = "500 graphs of 430 nodes, mean degree 2.4"
    measures = {
        f"{title}: relative error of 20 x 20 block means": error,
        f"{title}: density of the estimate beside the true one, difference in %": density,
    }
    compared(measures, cases, seeds, 3, ("lg", "usvt", "histogram", "vem"))


PARTS = {part.__name__: part for part in (published, smooth, floors, core, shapes, small, sparse)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--trials", type=int)
    parser.add_argument("--first", type=int, default=FIRST_SEED)
    parser.add_argument("--only", nargs="+", choices=[*SOUND, *PUBLISHED], default=[])
    words = parser.parse_args()
    ONLY.extend(words.only)
    torch.set_num_threads(1)
    for name in words.parts or PARTS:
        trials = words.trials or TRIALS.get(name, 10)
        print(f"\n{name}: {trials} trials")
        PARTS[name](range(words.first, words.first + trials))


if __name__ == "__main__":
    main()
