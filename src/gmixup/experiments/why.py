"""Why: whether graphs that are more like the real ones help more."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from scipy import stats

from gmixup.evidence.tables import NOT_RUN, Table, first_number
from gmixup.experiments._archive import Results
from gmixup.experiments._cells import Place, Settings
from gmixup.experiments._computed import kept
from gmixup.experiments._pairs import in_words, interval, paired
from gmixup.experiments._trained import FOLDER, AbstractTrained
from gmixup.experiments.search import ALIKE, SETS, Search
from gmixup.experiments.search_fidelity import SearchFidelity, alike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REAL = f"soften, {ALIKE}"  # real graphs under the same labels: where the distance is the floor
# Of a setting on a set: the distance over its floor, and the points gained with their interval.
Point = tuple[float, tuple[float, float, float]]


@dataclass(frozen=True)
class Why(AbstractTrained):
    """Looks at the runs of the search beside the fidelity of its settings."""

    name: ClassVar[str] = "why"
    title: ClassVar[str] = "Fidelity and what comes of it"
    trains: ClassVar[bool] = False
    row_names: ClassVar[tuple[str, ...]] = ("network", "settings")
    notes: ClassVar[tuple[str, ...]] = (
        "Settings that share ratio and law of λ, so that the graphs alone differ; the last row is "
        "the control that draws real graphs under the same labels.",
    )

    seeds: int = 20
    folder: str | Path = FOLDER

    def settings(self) -> Settings:
        """Those of the search whose graphs are compared, real graphs and no augmentation."""
        names = ("none", *alike(), REAL)
        return {p: s for p, s in Search().settings().items() if p.method in names}

    def further(self, results: Results) -> list[Table]:
        """Distance and gain of each setting, and how the two go together."""
        points = self._points(results)
        rows = [
            (name, *(cell for data in SETS for cell in _cells(points[data].get(name))))
            for name in (*alike(), REAL)
        ]
        header = ("settings", *(f"{data}, {what}" for data in SETS for what in ("ratio", "gain")))
        notes = (
            "Ratio: distance from the real graphs over the distance between halves of them, as in "
            "`fidelity`. Gain: points on test over no augmentation, 95 % interval over splits.",
            *(_together(data, points[data]) for data in SETS),
        )
        return [Table(self.title, header, rows, notes)]

    def figures(self, results: Results) -> "Mapping[str, Figure]":
        """Gain by distance, a figure for each set."""
        from gmixup.evidence.curves import draw_points

        across = "distance from the real graphs, as a multiple of the floor"
        return {
            f"{self.name}-{data}": draw_points(
                {_short(name): point for name, point in points.items()},
                across,
                "points gained on test",
                data,
            )
            for data, points in self._points(results).items()
            if points
        }

    def _points(self, results: Results) -> dict[str, dict[str, Point]]:
        """By set and setting, as far as both are there."""
        tables = kept(self.folder, SearchFidelity())
        if not tables:
            return {data: {} for data in SETS}
        places = {data: list(tables[0].header).index(data) for data in SETS}
        ratios = {
            data: {row[0]: first_number(row[place]) for row in tables[0].rows} | {REAL: 1.0}
            for data, place in places.items()
        }
        found: dict[str, dict[str, Point]] = {data: {} for data in SETS}
        for data, by_name in ratios.items():
            for name, ratio in by_name.items():
                one, none = (results.get(Place("gin", m, data)) for m in (name, "none"))
                if ratio and one and none and len(own := paired(one, none)) > 1:
                    found[data][name] = (ratio, interval(own))
        return found


def _cells(point: Point | None) -> tuple[str, str]:
    return (NOT_RUN, NOT_RUN) if point is None else (f"{point[0]:.2f}", in_words(*point[1]))


def _together(data: str, points: Mapping[str, Point]) -> str:
    """The rank correlation over synthetic settings."""
    several = [(ratio, gain[0]) for name, (ratio, gain) in points.items() if name != REAL]
    if len({ratio for ratio, _ in several}) < 4:
        return f"{data}: too few settings for a correlation."
    ratios, gains = zip(*several, strict=True)
    rho, p = stats.spearmanr(ratios, gains)
    told = f"{rho:+.2f}".replace("-", "−")
    return (
        f"{data}: Spearman's correlation of ratio and gain over {len(several)} settings is {told} "
        f"(p = {p:.2g}); settings share the real graphs, so that p is a hint."
    )


def _short(name: str) -> str:
    if name == REAL:
        return "real graphs (soften)"
    return name.replace(f"{ALIKE}, ", "").replace(f", {ALIKE}", "").replace(ALIKE, "default")
