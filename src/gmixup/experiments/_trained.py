"""Trained: what every experiment is whose cells are runs; it shows records and trains nothing."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gmixup.evidence.published import Cell as Place
from gmixup.evidence.tables import Table
from gmixup.experiments._archive import Archive, Results
from gmixup.experiments._base import AbstractExperiment, Progress, View
from gmixup.experiments._cells import Settings
from gmixup.experiments._oddities import remarks
from gmixup.experiments._views import beside_published, by_method, differences, overview
from gmixup.records import Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "records"  # where records lie unless another folder is named


@dataclass(frozen=True)
class AbstractTrained(AbstractExperiment):
    """Runs by their place in a table, and the view of their records."""

    title: ClassVar[str]
    published: ClassVar[str | None] = None  # the table of printed numbers
    trains: ClassVar[bool] = True  # whether missing runs are run; else it only looks at others'
    notes: ClassVar[Sequence[str]] = ()
    row_names: ClassVar[Sequence[str]] = ("network", "method")
    column_name: ClassVar[str] = "data"

    @abstractmethod
    def settings(self) -> Settings:
        """What is run at each place."""

    @property
    def each_seed(self) -> range:
        """The seeds of the runs of a place."""
        return range(self.seed, self.seed + self.seeds)

    def view(self, results: Results) -> View:
        """Means, beside the printed ones, differences; and figures."""
        tables = [self.overview(results)]
        if self.published:
            title = f"{self.title}: ours beside the printed numbers"
            odd = self.remarks()
            tables.append(beside_published(results, self.published, title, odd))
        tables += self.further(results)
        return View(tables, self.figures(results))

    def overview(self, results: Results) -> Table:
        """Our means as the paper has its table."""
        return overview(results, self.title, self.notes, self.row, self.row_names)

    def row(self, place: Place) -> tuple[str, ...]:
        """The row of the overview in which a place stands, by `row_names`."""
        return by_method(place)

    def further(self, results: Results) -> list[Table]:
        """Tables below the means: by default the paired differences to no augmentation."""
        title = f"{self.title}: paired differences to no augmentation"
        told = differences(results, title, (self.row_names[0], self.column_name))
        return [told] if told.rows else []

    def figures(self, results: Results) -> "Mapping[str, Figure]":  # noqa: ARG002
        """Figures by the name of their file."""
        return {}

    def remarks(self) -> dict[Place, str]:
        """What must be known beside a printed number."""
        return remarks(self.published) if self.published else {}

    def run(self, progress: Progress = print) -> list[Table]:
        """The tables of what lies in records/; nothing is trained."""
        progress(f"{self.name}: reading {FOLDER}/")
        archive = Archive.of(Records(FOLDER).all())
        return list(self.view(archive.results(self.settings(), self.each_seed)).tables)
