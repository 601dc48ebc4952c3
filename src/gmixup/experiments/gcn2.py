"""GCN2: the performance table for the network that the paper's footnote links beside "GCN"."""

from dataclasses import dataclass
from typing import ClassVar

from gmixup.experiments._cells import METHODS, OURS, TU, Settings, grid
from gmixup.experiments._trained import AbstractTrained

ROWS = ("none", "g-mixup", "g-mixup, our defaults")


@dataclass(frozen=True)
class GCN2(AbstractTrained):
    """One network, three data sets, with and without G-Mixup."""

    name: ClassVar[str] = "gcn2"
    title: ClassVar[str] = "Accuracy of GCNII"
    notes: ClassVar[tuple[str, ...]] = (
        "The paper's text says GCN, its footnote links an example of GCNII; its numbers for GCN "
        "stand in `performance`.",
    )

    def settings(self) -> Settings:
        """One block of three methods."""
        methods = {name: (METHODS | OURS)[name] for name in ROWS}
        return grid({"gcn2": "gcn2"}, methods, TU[:3])
