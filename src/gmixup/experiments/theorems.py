"""Theorems: what the paper proves, as numbers on the graphons of real classes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gmixup import estimators, theory
from gmixup.evidence.tables import Table
from gmixup.experiments._base import AbstractExperiment, Progress
from gmixup.experiments._real_sets import RealSets
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet

SETS = ("IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY", "MUTAG", "PROTEINS", "DD")
MOTIFS = ("edge", "triangle", "square")
LAM, EPSILON, CHANCE = 0.5, 0.1, 0.05
LOOKED_AT = 200  # graphs of a class whose own chance of being drawn is computed
LARGEST = 500  # nodes of such a graph
FIRST = (
    f"Moved: |t(F, W_λ) − t(F, W)| at λ = {LAM} for the first class; bound: Theorem 1's, (1 − λ) "
    "times the motif's edges times the cut norm between the classes. It is tight for an edge where "
    "one class is denser everywhere.",
)
SECOND = (
    "n: mean number of nodes. Theorem 2: the chance it leaves that the triangle density of a graph "
    f"of n nodes is off by more than {EPSILON}; 1 says nothing. Needed: nodes at which it says at "
    f"most {CHANCE}.",
    "Weak regularity: how near in cut norm some function of K steps is, 2 ‖W‖₂ / √(log K). 0 is as "
    "near as the density, so a bound above that says nothing. Needed: steps at which it does.",
    "Intrusion, as logarithms to base 10: that two graphs of n nodes from W_λ have the same edges, "
    "node i of either at position i / n; and that it gives, at the size of the graph and its nodes "
    f"by falling degree, the likeliest of up to {LOOKED_AT} real graphs of either class, of at "
    "least K nodes each.",
)


@dataclass(frozen=True)
class Theorems(AbstractExperiment):
    """Both theorems, weak regularity and the appendix, on the first two classes of each set."""

    name: ClassVar[str] = "theorems"

    seeds: int = 1  # nothing here is drawn
    root: str | Path | None = None
    sets: Sequence[str] = SETS
    estimator: Any = "lg"
    resolution: int = 20

    def run(self, progress: Progress = print) -> list[Table]:
        """One table of Theorem 1, and one of what the others say at the sizes of real graphs."""
        sets = RealSets.load(self.sets, self.root, progress)
        moved, sized = [], []
        for name, graphs in sets.graphs.items():
            progress(f"{name}: graphons of two classes")
            parts = list(graphs.by_class().values())[:2]
            part = estimators.room.make(self.estimator, resolution=self.resolution)
            first, second = (part.estimate(each) for each in parts)
            moved.append((name, *_moved(first, second)))
            sized.append((name, *_sized(first.mix(second, LAM), parts)))
        header = ("set", "cut norm", *(f"{m}: {w}" for m in MOTIFS for w in ("moved", "bound")))
        title = "Theorem 1 between the first two classes"
        tables = [Table(title, (*header, "held"), moved, (*FIRST, *sets.missing))]
        header = ("set", "n", "Theorem 2", "needed", "density", "weak regularity", "needed")
        header = (*header, "two alike", "a real one")
        title = f"What the others say, of W_λ in K = {self.resolution} steps"
        return [*tables, Table(title, header, sized, SECOND)]


def _moved(first: Graphon, second: Graphon) -> list[str]:
    """The cut norm, how far each motif moves and may, and whether the theorem holds."""
    cells, held = [], True
    for motif in MOTIFS:
        result = theory.mixing_bound(motif, first, second, LAM)
        if not cells:
            cells.append(f"{result.cut_norm.upper:.3g}")
        cells += [f"{result.density_difference[0]:.2g}", f"{result.bound[0]:.2g}"]
        pairs = zip(result.density_difference, result.bound, strict=True)
        held &= all(moved <= bound + 1e-12 for moved, bound in pairs)
    return [*cells, "yes" if held else "NO"]


def _sized(mixture: Graphon, parts: Sequence[GraphSet]) -> list[str]:
    """Theorem 2, weak regularity and the chances of intrusion, at the sizes of the graphs."""
    nodes = max(round(float(GraphSet.joined(parts).num_nodes.double().mean())), 1)
    density, size = mixture.edge_density, float(mixture.edges.square().mean().sqrt())
    alike = theory.log_probability_identical(mixture.resample(nodes)) / math.log(10)
    steps = math.exp((2 * size / density) ** 2)
    return [
        str(nodes),
        f"{theory.sampling_bound('triangle', nodes, EPSILON):.2g}",
        f"{theory.nodes_for('triangle', EPSILON, CHANCE):,}",
        f"{density:.3g}",
        f"{theory.weak_regularity_bound(mixture, mixture.resolution):.2g}",
        f"{steps:,.0f}" if steps < 1e6 else f"{steps:.0e}",
        f"{alike:.0f}",
        f"{max(likeliest(mixture, part) for part in parts):.0f}",
    ]


def likeliest(mixture: Graphon, graphs: GraphSet) -> float:
    """The largest log10 chance, over some graphs, that the mixture gives it, sorted by degree."""
    nodes = graphs.num_nodes.numpy()
    places = np.flatnonzero((nodes >= mixture.resolution) & (nodes <= LARGEST))[:LOOKED_AT]
    chances = [-math.inf]
    for matrix in graphs.subset(places).to_scipy() if len(places) else []:
        order = np.argsort(-np.diff(matrix.indptr), kind="stable")
        sorted_matrix = matrix.toarray()[np.ix_(order, order)]
        law = mixture.resample(len(order))
        chances.append(theory.log_probability_of(law, sorted_matrix) / math.log(10))
    return max(chances)
