"""Label corruption: the paper's table of GCN trained on some wrong labels."""

from dataclasses import dataclass
from typing import ClassVar

from gmixup.experiments._cells import FOUR, METHODS, SHARES, Place, Setting, Settings
from gmixup.experiments._trained import AbstractTrained
from gmixup.training import Corruption
from gmixup.training.cell import Where

SETS = ("IMDB-BINARY", "REDDIT-BINARY")


@dataclass(frozen=True)
class LabelCorruption(AbstractTrained):
    """Two data sets, four methods, four shares of wrong labels."""

    name: ClassVar[str] = "label-corruption"
    title: ClassVar[str] = "Accuracy of GCN under wrong labels"
    published: ClassVar[str] = "label-corruption"
    row_names: ClassVar[tuple[str, ...]] = ("data", "method")
    column_name: ClassVar[str] = "wrong labels"
    notes: ClassVar[tuple[str, ...]] = (
        "That share of the training labels is drawn anew from the other classes, before graphons "
        "are estimated; validation and test keep theirs (`where='all'` spoils them too).",
        "Columns are shares of wrong labels. Printed values of 46.50 or 53.50 without deviation "
        "are those of a network that tells one class, on one and the same test set.",
    )

    where: Where = "train"

    def settings(self) -> Settings:
        """Eight blocks of four methods."""
        return {
            Place(data, method, f"{share:.0%}"): Setting(
                data,
                "gcn",
                METHODS[method],
                corruption=Corruption(labels=share, where=self.where),
            )
            for data in SETS
            for method in FOUR
            for share in SHARES
        }
