"""Fidelity of the search: how like the real ones the graphs of each of its settings are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from gmixup.augmentations.g_mixup import GMixup
from gmixup.evidence.tables import Table
from gmixup.experiments._base import AbstractExperiment, Progress
from gmixup.experiments.fidelity import Fidelity
from gmixup.experiments.search import ALIKE, SETS, controls, tried


def alike() -> dict[str, Any]:
    """The settings of the search that differ in what their graphs are like, and in nothing else."""
    named = {name: method for name, method in (tried() | controls()).items() if ALIKE in name}
    return {
        name: method
        for name, method in named.items()
        if isinstance(method, GMixup) and not method.fresh
    }


@dataclass(frozen=True)
class SearchFidelity(AbstractExperiment):
    """Distances from the real graphs over their floor, at λ = 0 and 1, without node features."""

    name: ClassVar[str] = "search-fidelity"

    seeds: int = 1
    root: str | Path | None = None
    sets: Sequence[str] = SETS
    graphs: int = 1000  # synthetic graphs of each class

    def run(self, progress: Progress = print) -> list[Table]:
        """One table: settings by sets."""
        made = Fidelity(
            seeds=self.seeds,
            seed=self.seed,
            root=self.root,
            sets=self.sets,
            settings=alike(),
            graphs=self.graphs,
        )
        title = "How far the graphs of the search are from the real ones"
        return [replace(made.run(progress)[-1], title=title)]
