"""Lambda path: motif densities between two classes, in mixtures and in graphs, beside Theorem 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gmixup import theory
from gmixup.augmentations.g_mixup import GMixup
from gmixup.evidence.tables import Table
from gmixup.experiments._base import AbstractExperiment, Progress
from gmixup.experiments._real_sets import RealSets
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet
from gmixup.motifs import motif_graph
from gmixup.seeds import derive

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SETS = ("IMDB-BINARY", "REDDIT-BINARY")
MOTIFS = ("edge", "triangle", "square")
SHARES = np.arange(11) / 10  # λ, the share of class 0


@dataclass(frozen=True)
class Course:
    """The density of one motif at each λ; arrays are (11,)."""

    mixed: np.ndarray  # in the mixture itself
    sampled: np.ndarray  # mean over graphs drawn from it
    error: np.ndarray  # standard error of that mean
    low: np.ndarray  # Theorem 1 allows what lies between
    high: np.ndarray

    @property
    def holds(self) -> bool:
        """Whether the mixture is where the theorem says, up to rounding."""
        return bool(((self.low - 1e-12 <= self.mixed) & (self.mixed <= self.high + 1e-12)).all())


@dataclass(frozen=True)
class LambdaPath(AbstractExperiment):
    """From class 1 (λ = 0) to class 0 (λ = 1), the first two classes of each set."""

    name: ClassVar[str] = "lambda-path"

    seeds: int = 1
    root: str | Path | None = None
    sets: Sequence[str] = SETS
    settings: GMixup = field(default_factory=GMixup)  # of the class graphons
    graphs: int = 100  # drawn at each λ
    nodes: int = 200  # of each
    pictures: str | Path | None = None  # a folder to draw `lambda-path.png` into

    def run(self, progress: Progress = print) -> list[Table]:
        """A table for each set."""
        sets = RealSets.load(self.sets, self.root, progress)
        courses, tables = {}, []
        for name, graphs in sets.graphs.items():
            progress(f"{name}: densities along λ")
            first, second = self.settings.fit(graphs).graphons[:2]
            distance = theory.cut_norm(first, second)
            courses[name] = self.courses(first, second, distance.upper)
            tables.append(self._table(name, courses[name], distance))
        if self.pictures is not None and courses:
            from gmixup.plots import save_compact

            save_compact(draw_courses(courses), Path(self.pictures) / "lambda-path.png")
        missing = Table("Sets that are not at hand", ("set",), [], sets.missing)
        return [*tables, missing] if sets.missing else tables

    def courses(self, first: Graphon, second: Graphon, distance: float) -> dict[str, Course]:
        """Motif -> its course."""
        mixtures = [first.mix(second, lam) for lam in SHARES]
        drawn = np.array([self._sampled(mixture, i) for i, mixture in enumerate(mixtures)])
        courses = {}
        for place, motif in enumerate(MOTIFS):
            mixed = np.array([theory.homomorphism_density(motif, mixture) for mixture in mixtures])
            most = motif_graph(motif).number_of_edges() * distance
            ends = np.stack(
                [
                    mixed[-1] + np.outer((-1, 1), (1 - SHARES) * most),
                    mixed[0] + np.outer((-1, 1), SHARES * most),
                ]
            )
            courses[motif] = Course(
                mixed=mixed,
                sampled=drawn[:, :, place].mean(1),
                error=drawn[:, :, place].std(1, ddof=1) / np.sqrt(drawn.shape[1]),
                low=ends[:, 0].max(0).clip(min=0),
                high=ends[:, 1].min(0).clip(max=1),
            )
        return courses

    def _sampled(self, mixture: Graphon, step: int) -> np.ndarray:
        """(graphs, motifs) densities in graphs drawn as Theorem 2 has them."""
        parts = []
        for seed in range(self.seed, self.seed + self.seeds):
            stream = derive(seed, self.name, step)
            graphs = mixture.sample_many(self.graphs, self.nodes, stream)
            parts.append(one_to_one_densities(graphs))
        return np.concatenate(parts)

    def _table(self, name: str, courses: Mapping[str, Course], distance: theory.CutNorm) -> Table:
        rows = []
        for step, lam in enumerate(SHARES):
            cells = [f"{lam:.1f}"]
            for course in courses.values():
                cells += [
                    f"{course.mixed[step]:.3g}",
                    f"{course.sampled[step]:.3g} ± {course.error[step]:.1g}",
                    f"{course.low[step]:.3g} to {course.high[step]:.3g}",
                ]
            rows.append(cells)
        header = ["λ"]
        for motif in courses:
            header += [f"{motif}: W_λ", "graphs", "Theorem 1"]
        held = "yes" if all(course.holds for course in courses.values()) else "NO"
        exact = "" if distance.exact else f" (at least {distance.lower:.3g})"
        notes = [
            f"Graphs: mean ± standard error over {self.graphs * self.seeds} graphs of {self.nodes} "
            "nodes at uniform positions, no density matched, no isolated node joined. Maps are "
            "one-to-one; with all maps a graph's density is off by a share of 1 / nodes.",
            "Theorem 1: what it leaves to t(F, W_λ), from both ends together, for a cut norm "
            f"between the classes of {distance.upper:.3g}{exact}. Held everywhere: {held}.",
            "Theorem 2: the chance that the density of squares in one such graph is off by more "
            f"than .1 is at most {theory.sampling_bound('square', self.nodes, 0.1):.2g}; at most "
            f".05 from {theory.nodes_for('square', 0.1, 0.05):,} nodes on.",
        ]
        return Table(f"{name}: motif densities from class 1 to class 0", header, rows, notes)


def one_to_one_densities(graphs: GraphSet) -> np.ndarray:
    """(G, 3) shares of the one-to-one maps of edge, triangle and square that land on edges.

    Their mean over graphs of a graphon is the graphon's density, whatever the number of nodes.
    """
    nodes = graphs.num_nodes.numpy()[:, None].astype(float)
    maps = theory.motif_densities(graphs, (*MOTIFS, "wedge")).numpy() * nodes ** (2, 3, 4, 3)
    edge, triangle, square, wedge = maps.T
    # A square may be folded along either diagonal, which makes it a wedge, or along both.
    counts = np.stack([edge, triangle, square - 2 * wedge + edge], 1)
    falling = (nodes - np.arange(4)).clip(min=0).cumprod(1)
    return counts / falling[:, 1:].clip(min=1)


def draw_courses(courses: Mapping[str, Mapping[str, Course]]) -> "Figure":
    """A row of panels for each set, a panel for each motif."""
    from matplotlib.figure import Figure

    figure = Figure((9, 2.5 * len(courses) + 0.4), layout="constrained", facecolor="white")
    panels = figure.subplots(len(courses), len(MOTIFS), squeeze=False)
    for row, (name, by_motif) in zip(panels, courses.items(), strict=True):
        for axes, (motif, course) in zip(row, by_motif.items(), strict=True):
            _draw_course(axes, course)
            axes.set_title(f"{name}: {motif}", fontsize=10)
    for axes in panels[-1]:
        axes.set_xlabel("λ, the share of class 0", fontsize=9)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def _draw_course(axes: "Axes", course: Course) -> None:
    axes.fill_between(SHARES, course.low, course.high, color="#d9eadd", label="Theorem 1")
    axes.plot(SHARES, course.mixed, color="#2a6a99", label="mixture $W_λ$")
    style = {"fmt": "o", "color": "#150f2d", "markersize": 3, "elinewidth": 1}
    axes.errorbar(SHARES, course.sampled, 2 * course.error, label="graphs, ± 2 s.e.", **style)
    axes.set_xlim(-0.02, 1.02)
    if course.high.max() > 20 * course.mixed.max():  # the band would flatten the curve
        axes.set_yscale("log")
        axes.set_ylim(course.mixed.min() / 5, 2 * course.high.max())
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
