"""What every experiment is: a table or figure, computed at once or seen from records of runs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from gmixup.evidence.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Progress = Callable[[str], None]


@dataclass(frozen=True)
class View:
    """What an experiment shows: tables, and figures by the name of their file."""

    tables: Sequence[Table]
    figures: "Mapping[str, Figure]" = field(default_factory=dict)


@dataclass(frozen=True)
class AbstractExperiment(ABC):
    """A table or figure of the paper, re-made; its fields are its settings."""

    name: ClassVar[str]

    seeds: int = 10  # independent repetitions
    seed: int = 0  # the first of them

    @abstractmethod
    def run(self, progress: Progress = print) -> list[Table]:
        """Computes the tables; `progress` is told what is being done."""
