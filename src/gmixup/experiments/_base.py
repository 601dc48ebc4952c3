"""What every experiment is: settings, and one step from nothing to tables."""

import csv
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, ClassVar

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Table:
    """A table as it is shown: text cells, with what a reader must know below it."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def markdown(self) -> str:
        """The table in Markdown, columns padded so that it reads as plain text too."""
        lines = [list(self.header), *(list(row) for row in self.rows)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.header))]
        padded = [
            "| "
            + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            + " |"
            for line in lines
        ]
        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        notes = [f"- {note}" for note in self.notes]
        return "\n".join([f"**{self.title}**", "", padded[0], rule, *padded[1:], "", *notes]) + "\n"


@dataclass(frozen=True)
class AbstractExperiment(ABC):
    """A table or figure of the paper, re-made; its fields are its settings."""

    name: ClassVar[str]

    seeds: int = 10  # independent repetitions
    seed: int = 0  # the first of them

    @abstractmethod
    def run(self, progress: Progress = print) -> list[Table]:
        """Computes the tables; `progress` is told what is being done."""


def published(table: str) -> list[dict[str, Any]]:
    """The numbers that the paper prints in one of its tables: group, method, column, mean, std."""
    text = files("gmixup.experiments").joinpath("published.csv").read_text(encoding="utf-8")
    rows = [row for row in csv.DictReader(text.splitlines()) if row["table"] == table]
    return [row | {"mean": float(row["mean"]), "std": float(row["std"])} for row in rows]
