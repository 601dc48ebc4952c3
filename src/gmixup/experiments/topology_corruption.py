"""Topology corruption: the paper's table of GCN on REDDIT-BINARY, edges removed or added."""

from dataclasses import dataclass
from typing import ClassVar

from gmixup.experiments._cells import FOUR, METHODS, SHARES, Place, Setting, Settings
from gmixup.experiments._trained import AbstractTrained
from gmixup.training import Corruption
from gmixup.training.cell import Where

KINDS = {"removing edges": "edges_removed", "adding edges": "edges_added"}


@dataclass(frozen=True)
class TopologyCorruption(AbstractTrained):
    """Two ways to spoil edges, four methods, four shares."""

    name: ClassVar[str] = "topology-corruption"
    title: ClassVar[str] = "Accuracy of GCN on REDDIT-BINARY under wrong edges"
    published: ClassVar[str] = "topology-corruption"
    row_names: ClassVar[tuple[str, ...]] = ("corruption", "method")
    column_name: ClassVar[str] = "share"
    notes: ClassVar[tuple[str, ...]] = (
        "That share of the edges of each training graph is removed, or as many are added, before "
        "graphons are estimated; validation and test stay as they are (`where='all'` spoils them "
        "too). The paper does not say which graphs it spoils.",
    )

    where: Where = "train"

    def settings(self) -> Settings:
        """Eight blocks of four methods."""
        return {
            Place(kind, method, f"{share:.0%}"): Setting(
                "REDDIT-BINARY",
                "gcn",
                METHODS[method],
                corruption=Corruption(**{field: share}, where=self.where),  # pyright: ignore[reportArgumentType]
            )
            for kind, field in KINDS.items()
            for method in FOUR
            for share in SHARES
        }
