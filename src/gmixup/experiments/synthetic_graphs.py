"""Synthetic graphs: the paper's picture of REDDIT-BINARY's graphs and of mixtures, hubs marked."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import torch

from gmixup.augmentations.g_mixup import GMixup
from gmixup.evidence.tables import Table
from gmixup.experiments._base import AbstractExperiment, Progress
from gmixup.experiments._real_sets import MIXES, RealSets, pure_graphs
from gmixup.graphs import GraphSet
from gmixup.seeds import generator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HUB = 0.1  # a hub has at least this share of the edges of its graph
MOST = 4  # hubs that are told apart
MARK, REACH = "#d1495b", 15  # an arrow's colour, and its length in points


@dataclass(frozen=True)
class SyntheticGraphs(AbstractExperiment):
    """Real graphs of the first two classes, and synthetic ones at λ = 1, 0 and a half."""

    name: ClassVar[str] = "synthetic-graphs"

    seeds: int = 1
    root: str | Path | None = None
    data: str = "REDDIT-BINARY"
    settings: GMixup = field(default_factory=GMixup)
    graphs: int = 1000  # synthetic graphs at each λ
    shown: int = 5  # graphs of each kind in the picture
    between: tuple[int, int] = (80, 160)  # nodes of these: hubs and leaves can both be seen
    pictures: str | Path | None = None  # a folder to draw `synthetic-SET.png` into

    def run(self, progress: Progress = print) -> list[Table]:
        """How many hubs the graphs have."""
        sets = RealSets.load([self.data], self.root, progress)
        title = f"{self.data}: share of graphs with so many hubs"
        header = ("graphs", *map(str, range(MOST)), f"{MOST} and more")
        if not sets.graphs:
            return [Table(title, header, [], sets.missing)]
        progress(f"{self.data}: drawing graphs")
        kinds = self._kinds(sets.graphs[self.data])
        if self.pictures is not None:
            from gmixup.plots import save_compact

            picture = draw_with_hubs({kind: self._shown(graphs) for kind, graphs in kinds.items()})
            save_compact(picture, Path(self.pictures) / f"synthetic-{self.data}.png")
        rows = []
        for kind, graphs in kinds.items():
            counts = np.bincount(hubs(graphs).clip(max=MOST), minlength=MOST + 1) / len(graphs)
            rows.append((kind, *(f"{share:.2f}" for share in counts)))
        notes = [f"A hub is a node at which at least {HUB:.0%} of the edges of its graph end."]
        return [Table(title, header, rows, notes)]

    def _kinds(self, graphs: GraphSet) -> dict[str, GraphSet]:
        """The first two classes as they are, then drawn, then mixed in equal parts."""
        real, fitted = graphs.by_class(), self.settings.fit(graphs)
        drawn, mixed = [], []
        equal = replace(self.settings, lam=0.5, mixes=MIXES, balance=False)
        pair = replace(fitted, settings=equal, batches=(fitted.graphons[:2],))
        for seed in range(self.seed, self.seed + self.seeds):
            drawn.append(pure_graphs(fitted, self.graphs, seed))
            mixed.append(pair.draw(self.graphs, generator(seed, self.name))[0])
        pure = [GraphSet.joined([part[label] for part in drawn]) for label in (0, 1)]
        return {
            "real, class 0": real[0],
            "real, class 1": real[1],
            "synthetic, λ = 1": pure[0],
            "synthetic, λ = 0": pure[1],
            "synthetic, λ = ½": GraphSet.joined(mixed),
        }

    def _shown(self, graphs: GraphSet) -> GraphSet:
        """The first graphs of a fitting size in random order."""
        order = torch.randperm(len(graphs), generator=generator(self.seed, self.name, "shown"))
        nodes, (low, high) = graphs.num_nodes[order], self.between
        return graphs.subset(order[(nodes >= low) & (nodes <= high)][: self.shown])


def is_hub(graphs: GraphSet) -> torch.Tensor:
    """(N,) whether each node is a hub of its graph."""
    degree, owner = graphs.degrees(), graphs.owner()
    return (degree >= HUB * (graphs.num_edges / 2)[owner]) & (degree > 0)


def hubs(graphs: GraphSet) -> np.ndarray:
    """(G,) the number of hubs of each graph."""
    return torch.bincount(graphs.owner()[is_hub(graphs)], minlength=len(graphs)).numpy()


def draw_with_hubs(kinds: Mapping[str, GraphSet]) -> "Figure":
    """The graphs in a row for each kind, an arrow at each hub."""
    from gmixup.plots import draw_graphs

    figure = draw_graphs({kind: graphs.to_networkx() for kind, graphs in kinds.items()})
    columns = len(figure.axes) // len(kinds)
    for row, graphs in enumerate(kinds.values()):
        for place, count in enumerate(hubs(graphs)):
            _mark_hubs(figure.axes[row * columns + place], count)
    return figure


def _mark_hubs(axes: "Axes", count: int) -> None:
    """Arrows at the nodes drawn last, those of most edges, from outside of where they lie."""
    places = np.asarray(axes.collections[1].get_offsets())
    places = places[len(places) - count :]
    away = places - places.mean(0) if count > 1 else np.ones((count, 2))
    away = REACH * away / np.linalg.norm(away, axis=1, keepdims=True).clip(min=1e-9)
    arrow = {"arrowstyle": "-|>", "color": MARK, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 3}
    for place, start in zip(places, away, strict=True):
        axes.annotate("", place, start, textcoords="offset points", arrowprops=arrow)
