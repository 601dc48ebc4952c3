"""What every experiment is: settings, and one step from nothing to tables."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from gmixup.evidence.tables import Table

Progress = Callable[[str], None]


@dataclass(frozen=True)
class AbstractExperiment(ABC):
    """A table or figure of the paper, re-made; its fields are its settings."""

    name: ClassVar[str]

    seeds: int = 10  # independent repetitions
    seed: int = 0  # the first of them

    @abstractmethod
    def run(self, progress: Progress = print) -> list[Table]:
        """Computes the tables; `progress` is told what is being done."""
