"""Complexity: how the cost of estimating and of drawing grows, beside the paper's table."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import ClassVar

import numpy as np
from scipy import stats

from gmixup import estimators
from gmixup.evidence.tables import Table
from gmixup.experiments._base import AbstractExperiment, Progress
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet

# The paper writes N for the side of the matrix in MC and USVT; there it is K = N.
PRINTED = {
    "mc": "N³",
    "usvt": "N³",
    "lg": "m N²",
    "sba": "m K N log N",
    "sas": "m N log N + K² log K²",
}
Work = Callable[[], object]
ENOUGH = 0.3  # seconds after which a run is not repeated
DEGREE = 8  # mean degree of the sparse graphs


@dataclass(frozen=True)
class Sizes:
    """A run: m graphs of N nodes each, and K steps."""

    graphs: int = 16
    nodes: int = 64
    steps: int = 32
    sparse: bool = False  # mean degree 8, whatever the number of nodes; else every second pair

    def graphon(self) -> Graphon:
        """What the graphs are drawn from, in K steps."""
        graphon = Graphon.named("mean", self.steps)
        share = min(1.0, DEGREE / (self.nodes * graphon.edge_density)) if self.sparse else 1.0
        return Graphon(graphon.edges * share)

    def draw(self, seed: int) -> GraphSet:
        """The graphs of the run."""
        return self.graphon().sample_many(self.graphs, self.nodes, seed)


ESTIMATING = {
    "m": [Sizes(graphs=m) for m in (64, 128, 256, 512)],
    "N": [Sizes(nodes=n) for n in (64, 128, 256, 512)],
    "N, sparse": [Sizes(nodes=n, sparse=True) for n in (256, 512, 1024, 2048)],
    "K": [Sizes(steps=k) for k in (64, 128, 256, 512)],
    "N = K": [Sizes(nodes=n, steps=n) for n in (32, 64, 128, 256)],
}
DRAWING = {
    "l": [Sizes(graphs=m) for m in (256, 512, 1024, 2048)],
    "K": [Sizes(nodes=k, steps=k) for k in (64, 128, 256, 512)],
    "K, sparse": [Sizes(nodes=k, steps=k, sparse=True) for k in (256, 512, 1024, 2048)],
}
NOTES = (
    "Slopes of log processor seconds against log size by least squares, with 95 % intervals; four "
    "sizes, each twice the one before, the quickest of up to three runs for every seed.",
    "N = K grows both: the paper writes N for the side of the matrix in MC and USVT. Graphs are "
    f"read edge by edge: dense ones have N² / 4 edges, sparse ones {DEGREE // 2} N.",
    "Where fixed costs are not yet small the slope lies below that of the largest sizes.",
)


@dataclass(frozen=True)
class Complexity(AbstractExperiment):
    """Exponents of seconds in the numbers of graphs, nodes and steps, fitted to measured runs."""

    name: ClassVar[str] = "complexity"

    seeds: int = 2

    def run(self, progress: Progress = print) -> list[Table]:
        """Two tables: of every estimator, and of drawing graphs."""
        graphs = cache(Sizes.draw)  # every estimator gets the same ones
        rows = []
        for name, part in estimators.room.parts.items():
            progress(f"estimator {name}")

            def estimating(sizes: Sizes, seed: int, part: type = part) -> Work:
                return partial(part(resolution=sizes.steps).estimate, graphs(sizes, seed))

            cells = [self._exponent(sweep, estimating) for sweep in ESTIMATING.values()]
            rows.append((name, PRINTED.get(name, "-"), *cells))
        header = ("estimator", "paper: O(·)", *(f"in {size}" for size in ESTIMATING))
        first = Table("Exponents of the time to estimate a graphon", header, rows, NOTES)
        progress("drawing graphs")
        cells = [self._exponent(sweep, _drawing) for sweep in DRAWING.values()]
        header = ("", "paper: O(·)", *(f"in {size}" for size in DRAWING))
        title = "Exponents of the time to draw l graphs of K nodes from K steps"
        return [first, Table(title, header, [("graphs", "l K²", *cells)], NOTES[:1])]

    def _exponent(self, sweep: Sequence[Sizes], prepared: Callable[[Sizes, int], Work]) -> str:
        seeds = range(self.seed, self.seed + self.seeds)
        seconds = [[_seconds(prepared(sizes, seed)) for sizes in sweep] for seed in seeds]
        slope, margin = exponent(
            np.tile(2.0 ** np.arange(len(sweep)), len(seeds)), np.ravel(seconds)
        )
        return f"{slope:.2f} ± {margin:.2f}"


def exponent(sizes: np.ndarray, seconds: np.ndarray) -> tuple[float, float]:
    """The slope of log seconds against log size, and half the width of its 95 % interval."""
    x, y = (np.log(values) - np.log(values).mean() for values in (sizes, seconds))
    slope, free = (x @ y) / (x @ x), len(x) - 2
    error = np.sqrt(((y - slope * x) ** 2).sum() / free / (x @ x))
    return float(slope), float(error * stats.t.ppf(0.975, free))


def _drawing(sizes: Sizes, seed: int) -> Work:
    return partial(sizes.graphon().sample_many, sizes.graphs, sizes.nodes, seed)


def _seconds(work: Work) -> float:
    """The quickest of up to three runs, in time of the processor: others may be at work too."""
    seconds: list[float] = []
    while len(seconds) < 3 and sum(seconds) < ENOUGH:
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)
