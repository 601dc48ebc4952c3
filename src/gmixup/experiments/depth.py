"""Depth: the paper's figure of GCN with 2 to 9 layers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gmixup.backbones.gcn import GCN
from gmixup.experiments._archive import Results
from gmixup.experiments._cells import METHODS, Place, Setting, Settings
from gmixup.experiments._trained import AbstractTrained

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETS = ("IMDB-BINARY", "REDDIT-BINARY")


@dataclass(frozen=True)
class Depth(AbstractTrained):
    """Eight depths, two data sets, with and without G-Mixup."""

    name: ClassVar[str] = "depth"
    title: ClassVar[str] = "Accuracy of GCN by the number of its layers"
    row_names: ClassVar[tuple[str, ...]] = ("data", "method")
    column_name: ClassVar[str] = "layers"
    notes: ClassVar[tuple[str, ...]] = (
        "Columns are numbers of layers. The paper has a figure without numbers.",
    )

    def settings(self) -> Settings:
        """Four rows of eight."""
        return {
            Place(data, method, str(depth)): Setting(data, GCN(depth=depth), METHODS[method])
            for data in SETS
            for method in ("none", "g-mixup")
            for depth in range(2, 10)
        }

    def figures(self, results: Results) -> "Mapping[str, Figure]":
        """Score by depth, a figure for each set."""
        from gmixup.evidence.curves import draw_scores

        drawn = {}
        for data in SETS:
            lines: dict[str, dict[float, list[float]]] = {}
            for place, found in results.items():
                if place.group == data and found.done:
                    lines.setdefault(place.method, {})[float(place.column)] = found.scores()
            if lines:
                drawn[f"{self.name}-{data}"] = draw_scores(lines, "layers", title=data)
        return drawn
