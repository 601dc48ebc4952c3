"""Fidelity: synthetic graphs of pure classes beside the real ones, for each data set and class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import ClassVar

import numpy as np

from gmixup import fidelity
from gmixup.augmentations.g_mixup import FittedGMixup, GMixup
from gmixup.evidence.tables import Table
from gmixup.experiments._base import AbstractExperiment, Progress
from gmixup.experiments._real_sets import RealSets, pure_graphs
from gmixup.graphs import GraphSet
from gmixup.properties import SPECTRUM_NODES

SETS = (
    *("MUTAG", "PROTEINS", "DD", "IMDB-BINARY", "IMDB-MULTI"),
    *("REDDIT-BINARY", "REDDIT-MULTI-5K", "REDDIT-MULTI-12K"),
)
ESTIMATORS = ("sba", "lg", "usvt", "sas", "histogram", "vem", "erdos-renyi")
SPREAD = ("nodes", "edges", "largest degree")  # shown with their standard deviation
PLAIN = ("isolated nodes", "self-loops", "mean clustering", "transitivity", "triangle motif")
LAWS = ("clustering law", "spectrum")
NUMBERS = ("largest degree", "triangle motif", "square motif", "star-3 motif")
JUDGED = ("degree law", *LAWS, *NUMBERS)

# Class -> setting -> the comparison with the real graphs, one for each seed.
Results = dict[int, dict[str, list[fidelity.Fidelity]]]


def presets() -> dict[str, GMixup]:
    """The settings that are compared unless others are given."""
    return {"authors()": GMixup.authors(), "paper()": GMixup.paper(), "default": GMixup()}


def candidates(
    estimators: Sequence[str] = ESTIMATORS,
    positions: Sequence[str] = ("uniform", "grid"),
    isolated: Sequence[str] = ("keep", "join"),
) -> dict[str, GMixup]:
    """All combinations by name, beside the presets: what the default was chosen from."""
    named = {
        " ".join(choice): GMixup(
            estimator=choice[0],
            positions=choice[1],  # pyright: ignore[reportArgumentType]
            isolated=choice[2],  # pyright: ignore[reportArgumentType]
        )
        for choice in product(estimators, positions, isolated)
    }
    return named | presets()


@dataclass(frozen=True)
class Fidelity(AbstractExperiment):
    """What the graphs are like, how far they are from the real ones, and settings in order."""

    name: ClassVar[str] = "fidelity"

    seeds: int = 1
    root: str | Path | None = None
    sets: Sequence[str] = SETS
    settings: Mapping[str, GMixup] = field(default_factory=presets)
    graphs: int = 1000  # synthetic graphs of each class
    halvings: int = fidelity.HALVINGS  # of the real ones, for the floor

    def run(self, progress: Progress = print) -> list[Table]:
        """Two tables for each set, and one that ranks the settings over all sets."""
        sets = RealSets.load(self.sets, self.root, progress)
        results = {
            name: self._compare(name, graphs, progress) for name, graphs in sets.graphs.items()
        }
        tables = [make(*each) for each in results.items() for make in (_likeness, _distances)]
        return [*tables, _ranking(results, self.settings, sets.missing)]

    def _compare(self, name: str, graphs: GraphSet, progress: Progress) -> Results:
        fit = cache(lambda settings: settings.fit(graphs))
        real = graphs.by_class()
        results: Results = {label: {} for label in real}
        for setting, settings in self.settings.items():
            progress(f"{name}: {setting}")
            fitted: FittedGMixup = replace(fit(_what_is_fitted(settings)), settings=settings)
            for seed in range(self.seed, self.seed + self.seeds):
                for label, synthetic in pure_graphs(fitted, self.graphs, seed).items():
                    found = fidelity.compare(real[label], synthetic, seed, halvings=self.halvings)
                    results[label].setdefault(setting, []).append(found)
        return results


def _what_is_fitted(settings: GMixup) -> GMixup:
    """The part of the settings that graphons depend on: settings alike in it share them."""
    names = ("estimator", "resolution", "level", "batch_size")
    return GMixup(**{name: getattr(settings, name) for name in names})


def _likeness(name: str, results: Results) -> Table:
    """The properties as they are."""
    header = ("class", "graphs", *SPREAD, *PLAIN)
    rows = []
    for label, found in results.items():
        for side, source in (("real", [next(iter(found.values()))]), ("synthetic", found.values())):
            names = ["real"] if side == "real" else list(found)
            for setting, seeds in zip(names, source, strict=True):
                spread = [
                    f"{_mean(seeds, p, side):.4g} ± {_mean(seeds, p, f'{side}_sd'):.4g}"
                    for p in SPREAD
                ]
                plain = [f"{_mean(seeds, p, side):.3g}" for p in PLAIN]
                rows.append((str(label), setting, *spread, *plain))
    notes = ["Mean ± standard deviation over graphs; isolated nodes as a share of all nodes."]
    return Table(f"{name}: what the graphs are like", header, rows, notes)


def _distances(name: str, results: Results) -> Table:
    """The distances from the real graphs, below the floor of each class."""
    header = ("class", "graphs", "degree law MMD", "MMD²", *(f"{law} MMD" for law in LAWS))
    header = (*header, *(f"{number} W1" for number in NUMBERS))
    rows = []
    for label, found in results.items():
        first = next(iter(found.values()))
        for setting, seeds in {"floor": first, **found}.items():
            what = "floor" if setting == "floor" else "distance"
            values = {p: _mean(seeds, p, what) for p in JUDGED}
            degrees = values["degree law"]
            cells = [degrees, degrees**2, *(values[p] for p in (*LAWS, *NUMBERS))]
            rows.append((str(label), setting, *map(_two_digits, cells)))
    sizes = next(iter(next(iter(results.values())).values()))[0].graphs
    notes = [
        f"{sizes[1]} synthetic graphs of each class; floor: the distance between halves of the "
        "real graphs, brought to these numbers of graphs.",
        "MMD: the root, as everywhere in gmixup; papers on generating graphs report its square. "
        "W1: in standard deviations of the real graphs. –: spectra are those of graphs of at most "
        f"{SPECTRUM_NODES} nodes, and there are none.",
    ]
    return Table(f"{name}: how far from the real graphs", header, rows, notes)


def _ranking(
    results: Mapping[str, Results], settings: Mapping[str, GMixup], missing: Sequence[str]
) -> Table:
    """Settings in order of the geometric mean of distance over floor."""
    scores = {
        setting: [
            float(np.mean([_log_ratio(found[setting]) for found in each.values()]))
            for each in results.values()
        ]
        for setting in settings
    }
    ordered = sorted(scores, key=lambda setting: np.mean(scores[setting])) if results else []
    rows = [
        (setting, *(f"{np.exp(v):.2f}" for v in (np.mean(scores[setting]), *scores[setting])))
        for setting in ordered
    ]
    notes = [
        "Geometric mean over sets, classes and properties: " + ", ".join(JUDGED) + ". A distance "
        "below its floor counts as the floor; a property without a floor does not count.",
        *missing,
    ]
    header = ("settings", "all sets", *results)
    return Table("Distance from the real graphs over its floor", header, rows, notes)


def _log_ratio(seeds: Sequence[fidelity.Fidelity]) -> float:
    ratios = [found[name].ratio for found in seeds for name in JUDGED]
    return float(np.mean([np.log(max(ratio, 1)) for ratio in ratios if ratio is not None]))


def _two_digits(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2g}"


def _mean(seeds: Sequence[fidelity.Fidelity], name: str, what: str) -> float:
    """The mean over seeds of a number in the row of a property; NaN where there is none."""
    values = [getattr(found[name], what) for found in seeds]
    return float(np.mean([np.nan if value is None else value for value in values]))
