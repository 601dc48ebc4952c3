"""Class graphons: the paper's pictures of them, and how far apart those of two classes are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import torch

from gmixup import estimators
from gmixup.evidence.tables import Table
from gmixup.experiments._base import AbstractExperiment, Progress
from gmixup.experiments._real_sets import RealSets
from gmixup.graphon import Distance
from gmixup.graphs import GraphSet
from gmixup.seeds import generator

SETS = ("IMDB-BINARY", "REDDIT-BINARY", "IMDB-MULTI")
DISTANCES: tuple[Distance, ...] = ("cut", "l2")
NOTE = (
    "Noise: the mean distance between the graphons of two random halves of a class, over √2, as "
    "whole classes hold twice the graphs; over both classes and all seeds."
)


@dataclass(frozen=True)
class ClassGraphons(AbstractExperiment):
    """Whether the graphons of different classes differ by more than chance."""

    name: ClassVar[str] = "class-graphons"

    seeds: int = 5
    root: str | Path | None = None
    sets: Sequence[str] = SETS
    estimator: Any = "lg"
    pictures: str | Path | None = None  # a folder to draw `graphons-SET.png` into

    def run(self, progress: Progress = print) -> list[Table]:
        """One table; a row for each pair of classes of each set."""
        sets = RealSets.load(self.sets, self.root, progress)
        rows = []
        for name, graphs in sets.graphs.items():
            progress(f"{name}: graphons by class")
            rows += self._rows(name, graphs)
        columns = [f"{kind} {what}" for kind in DISTANCES for what in ("distance", "noise")]
        title = "Distances between the graphons of two classes"
        return [Table(title, ("set", "classes", *columns), rows, (NOTE, *sets.missing))]

    def _rows(self, name: str, graphs: GraphSet) -> list[tuple[str, ...]]:
        estimator = estimators.room.make(self.estimator)
        steps = estimator.resolution or estimator.default_resolution(graphs)
        estimator = replace(estimator, resolution=steps)
        parts = graphs.by_class()
        graphons = {label: estimator.estimate(part) for label, part in parts.items()}
        if self.pictures is not None:
            from gmixup.plots import draw_graphons, save_figure

            named = {f"class {label}": graphon for label, graphon in graphons.items()}
            picture = Path(self.pictures) / f"graphons-{name}.png"
            picture.parent.mkdir(parents=True, exist_ok=True)
            save_figure(draw_graphons(named, f"{name} by {estimator.name}"), picture)
        noise = {label: self._noise(estimator, part) for label, part in parts.items()}
        rows = []
        for one, two in combinations(graphons, 2):
            cells = []
            for place, kind in enumerate(DISTANCES):
                distance = graphons[one].distance(graphons[two], kind)
                mean = (noise[one][place] + noise[two][place]) / 2
                cells += [f"{distance:.3g}", f"{mean:.3g}"]
            rows.append((name, f"{one} and {two}", *cells))
        return rows

    def _noise(self, estimator: Any, part: GraphSet) -> list[float]:
        """Each distance between halves, over √2, as a mean over seeds."""
        found = []
        for seed in range(self.seed, self.seed + self.seeds):
            order = torch.randperm(len(part), generator=generator(seed, self.name))
            one, two = (estimator.estimate(part.subset(order[place::2])) for place in (0, 1))
            found.append([one.distance(two, kind) for kind in DISTANCES])
        return (torch.tensor(found).mean(0) / 2**0.5).tolist()
