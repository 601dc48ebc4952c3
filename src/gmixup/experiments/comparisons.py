"""Comparisons: does anything help? Four sets, two networks, all labels and a tenth of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from gmixup.augmentations.g_mixup import GMixup
from gmixup.evidence.comparison import Comparison
from gmixup.evidence.family import together
from gmixup.evidence.tables import Table
from gmixup.experiments._archive import Results
from gmixup.experiments._cells import Place, Setting, Settings, beside_controls
from gmixup.experiments._trained import AbstractTrained
from gmixup.experiments._views import comparisons, differences_table

SETS = ("MUTAG", "IMDB-BINARY", "IMDB-MULTI", "PROTEINS")
FRACTIONS = {"": 1.0, ", a tenth": 0.1}  # of the training graphs, as columns call them
METHODS = beside_controls("g-mixup, our defaults", GMixup()) | {"drop-edge": "drop-edge"}


@dataclass(frozen=True)
class Comparisons(AbstractTrained):
    """Paired comparisons by repeated ten folds, all of them tested together."""

    name: ClassVar[str] = "comparisons"
    title: ClassVar[str] = "Does anything help?"
    notes: ClassVar[tuple[str, ...]] = (
        "Ten repeats of stratified 10-fold cross-validation, the epoch that is best on validation; "
        "“a tenth”: a tenth of the training graphs of each fold, by class.",
        "Four rows of each block are controls: they share G-Mixup's number of graphs and "
        "law of labels, but have no graphon, no mixing, or a graphon that is a mere density.",
    )

    seeds: int = 100  # fits: ten repeats of ten folds

    def settings(self) -> Settings:
        """Sixteen blocks of seven methods; the small ones first."""
        return {
            Place(network, method, data + words): Setting(
                data, network, augmentation, split="k-fold", train_fraction=fraction
            )
            for words, fraction in reversed(FRACTIONS.items())
            for data in SETS
            for network in ("gin", "gcn")
            for method, augmentation in METHODS.items()
        }

    def further(self, results: Results) -> list[Table]:
        """Every difference with its verdict, corrected over all of them; first the verdicts."""
        found = together(comparisons(results))
        if not found:
            return []
        tests = sum(one.tests for one in found.values())
        corrected = f"corrected over all {tests} differences of this table"
        title = f"{self.title} Paired differences to no augmentation"
        told = differences_table(found, title, ("network", "data"), corrected)
        return [_verdicts(found), told]


def _verdicts(found: Mapping[tuple[str, str], Comparison]) -> Table:
    """Of each comparison its verdict on each method, and the smallest difference it could see."""
    rows = [
        (*place, row.method, row.verdict, _points(row.against.mean), _points(row.against.smallest))
        for place, one in found.items()
        for row in one.rows
        if row.role == "method" and row.against
    ]
    header = ("network", "data", "method", "verdict", "difference", "could have been seen")
    notes = ("Points. A method helps where it beats no augmentation and each of its controls.",)
    return Table("Does anything help? Verdicts", header, rows, notes)


def _points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.2f}".replace("-", "−")
