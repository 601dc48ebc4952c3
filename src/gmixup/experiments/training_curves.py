"""Training curves: the paper's figure of loss and accuracy by epoch, GCN on four sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar

from gmixup.evidence.tables import NOT_RUN, Table
from gmixup.experiments._archive import Found, Results
from gmixup.experiments._cells import METHODS, TU, Place, Settings, grid
from gmixup.experiments._pairs import paired, told
from gmixup.experiments._trained import AbstractTrained

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAIR = ("none", "g-mixup")
LATE = 2 / 3  # of all epochs, from which on losses are averaged


@dataclass(frozen=True)
class TrainingCurves(AbstractTrained):
    """Curves with and without G-Mixup; the runs are those of the table of performance."""

    name: ClassVar[str] = "training-curves"
    title: ClassVar[str] = "Training curves of GCN"

    def settings(self) -> Settings:
        """Four pairs."""
        return grid({"gcn": "gcn"}, {method: METHODS[method] for method in PAIR}, TU[:4])

    def overview(self, results: Results) -> Table:
        """Losses late in training."""
        rows = [
            (data, *_cells(*(results.get(Place("gcn", m, data), Found(0)) for m in PAIR)))
            for data in dict.fromkeys(place.column for place in results)
        ]
        header = ("data", "test loss, none", "test loss, g-mixup", "difference", "runs")
        notes = (
            "Losses are means over the last third of the epochs and over runs; the difference is "
            "g-mixup less none on the same splits, with its 95 % interval.",
        )
        return Table(f"{self.title}: test loss late in training", header, rows, notes)

    def further(self, results: Results) -> list[Table]:  # noqa: ARG002
        """None: differences in accuracy are in the table of performance."""
        return []

    def figures(self, results: Results) -> "Mapping[str, Figure]":
        """Loss and score by epoch, two figures for each set."""
        from gmixup.evidence.curves import draw_training, drawable

        drawn = {}
        for data in TU[:4]:
            found = {method: results.get(Place("gcn", method, data)) for method in PAIR}
            curves = {m: [r.get("curve") for r in f.done] for m, f in found.items() if f and f.done}
            for measure in ("loss", "score"):
                if curves and all(drawable(own, measure) for own in curves.values()):
                    picture = draw_training(curves, measure, title=data)  # pyright: ignore[reportArgumentType]
                    drawn[f"{self.name}-{data}-{measure}"] = picture
        return drawn


def late_loss(record: Mapping[str, Any]) -> float:
    """The mean loss on test in the last third of the epochs."""
    curve = record["curve"]
    epochs, losses = curve["epoch"], curve["loss"]["test"]
    begin = LATE * (max(epochs) + 1)
    late = [loss for e, loss in zip(epochs, losses, strict=True) if e >= begin and loss is not None]
    return fmean(late) if late else float("nan")


def _cells(none: Found, mixed: Found) -> tuple[str, ...]:
    if not none.done or not mixed.done:
        return (NOT_RUN,) * 4
    means = [f"{fmean(map(late_loss, found.done)):.4f}" for found in (none, mixed)]
    differences = paired(mixed, none, late_loss)
    return (*means, told(differences, 4) if len(differences) else NOT_RUN, str(len(differences)))
