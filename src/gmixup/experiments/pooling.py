"""Pooling: the paper's table of three pooling networks on four sets."""

from dataclasses import dataclass
from typing import ClassVar

from gmixup.experiments._cells import METHODS, TU, Settings, grid
from gmixup.experiments._trained import AbstractTrained


@dataclass(frozen=True)
class Pooling(AbstractTrained):
    """Three networks, four data sets, six methods."""

    name: ClassVar[str] = "pooling"
    title: ClassVar[str] = "Accuracy of pooling networks"
    published: ClassVar[str] = "pooling"
    notes: ClassVar[tuple[str, ...]] = (
        "What is dropped is 0.2, which the paper does not say; `g-mixup` is GMixup.paper().",
        "DiffPool and MinCutPool take graphs of any size here, exactly; where a network needs a "
        "cap on nodes, large graphs are cut and its baseline falls.",
    )

    def settings(self) -> Settings:
        """Twelve blocks of six methods."""
        networks = {name: name for name in ("top-k", "diff-pool", "min-cut")}
        return grid(networks, METHODS, TU[:4])
