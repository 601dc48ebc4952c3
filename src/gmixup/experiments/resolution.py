"""Resolution: the paper's figure of K, the number of nodes that synthetic graphs have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gmixup.augmentations.g_mixup import GMixup
from gmixup.evidence.tables import Table
from gmixup.experiments._archive import Results
from gmixup.experiments._cells import Place, Setting, Settings
from gmixup.experiments._trained import AbstractTrained

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The mean number of nodes of each set, of which K is a share.
MEANS = {"IMDB-BINARY": 20, "REDDIT-BINARY": 430}
SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
WITHOUT = "without"  # the column of no augmentation


@dataclass(frozen=True)
class Resolution(AbstractTrained):
    """GCN on two sets with G-Mixup at seven K, and without."""

    name: ClassVar[str] = "resolution"
    title: ClassVar[str] = "Accuracy of GCN by K, in shares of the mean number of nodes"
    row_names: ClassVar[tuple[str, ...]] = ("data",)
    notes: ClassVar[tuple[str, ...]] = (
        "K is both the number of steps of the graphons and the number of nodes of every synthetic "
        "graph; at ×1 it is the mean number of nodes of the training graphs. The paper has a "
        "figure without numbers and names neither sets nor values of K.",
    )

    def settings(self) -> Settings:
        """Two rows of eight."""
        found = {}
        for data, mean in MEANS.items():
            for share in SHARES:
                k = None if share == 1 else round(share * mean)
                setting = Setting(data, "gcn", GMixup.paper(resolution=k))
                found[Place(data, "g-mixup", f"×{share:g}")] = setting
            found[Place(data, "none", WITHOUT)] = Setting(data, "gcn", "none")
        return found

    def row(self, place: Place) -> tuple[str, ...]:
        """One row a data set."""
        return (place.group,)

    def further(self, results: Results) -> list[Table]:  # noqa: ARG002
        """None: the columns are compared by eye."""
        return []

    def figures(self, results: Results) -> "Mapping[str, Figure]":
        """Score by K, a figure for each set."""
        from gmixup.evidence.curves import draw_scores

        drawn = {}
        for data, mean in MEANS.items():
            by_k = {
                float(place.column.lstrip("×")) * mean: found.scores()
                for place, found in results.items()
                if place.group == data and place.column != WITHOUT and found.done
            }
            without = results.get(Place(data, "none", WITHOUT))
            lines = {"g-mixup": by_k}
            if without and without.done:
                lines["none"] = dict.fromkeys(by_k, without.scores())
            if by_k:
                title = f"{data}: mean number of nodes {mean}"
                drawn[f"{self.name}-{data}"] = draw_scores(lines, "K", title=title)
        return drawn
