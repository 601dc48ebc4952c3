"""Claims: the paper's ten numbered observations, each held, not held or not run."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gmixup.evidence.tables import Table
from gmixup.experiments._archive import Results
from gmixup.experiments._base import View
from gmixup.experiments._cells import Place, Settings
from gmixup.experiments._computed import kept
from gmixup.experiments._rules import (
    Claim,
    best_at,
    between,
    distances_above,
    gains,
    lower_losses,
    steadier,
)
from gmixup.experiments._trained import FOLDER, AbstractTrained
from gmixup.experiments.class_graphons import ClassGraphons
from gmixup.experiments.depth import Depth
from gmixup.experiments.gmt import GMT
from gmixup.experiments.label_corruption import LabelCorruption
from gmixup.experiments.lambda_path import LambdaPath
from gmixup.experiments.ogb import OGB
from gmixup.experiments.performance import Performance
from gmixup.experiments.pooling import Pooling
from gmixup.experiments.resolution import Resolution
from gmixup.experiments.topology_corruption import TopologyCorruption
from gmixup.experiments.training_curves import TrainingCurves, late_loss

RUN: tuple[type[AbstractTrained], ...] = (
    Performance,
    Pooling,
    TrainingCurves,
    LabelCorruption,
    TopologyCorruption,
    Resolution,
    Depth,
    GMT,
    OGB,
)
OVER_CELLS = (
    "the mean over cells (network and data set) of the paired difference g-mixup − none is above "
    "0 by its 95 % interval over cells"
)
CLAIMS = (
    Claim(
        1,
        "Graphons of different classes of one data set are distinctly different.",
        "class-graphons: every pair of classes is more than twice as far apart in cut distance as "
        "two random halves of one class",
        distances_above("class-graphons", "cut distance", "cut noise", 2),
    ),
    Claim(
        2,
        "Synthetic graphs are indeed the mixture of the original graphs.",
        "lambda-path: between λ = 0 and 1 every density of edges, triangles and squares in drawn "
        "graphs lies between those of the two classes, but for two standard errors",
        between("lambda-path"),
    ),
    Claim(
        3,
        "G-Mixup can improve the performance of networks on various data sets.",
        f"performance and pooling: {OVER_CELLS}",
        gains("performance", "pooling"),
    ),
    Claim(
        4,
        "G-Mixup can improve generalization: losses on test are consistently lower.",
        "training-curves: on each of four sets the mean test loss in the last third of the epochs "
        "is lower by its 95 % interval over runs",
        lower_losses("training-curves", late_loss),
    ),
    Claim(
        5,
        "G-Mixup could stabilize the training: deviations over runs are lower.",
        "performance: the deviation over runs is lower than without in more cells than chance has "
        "it (sign test, one-sided, 5 %)",
        steadier("performance"),
    ),
    Claim(
        6,
        "G-Mixup improves the robustness of networks.",
        f"label-corruption and topology-corruption: {OVER_CELLS}",
        gains("label-corruption", "topology-corruption"),
    ),
    Claim(
        7,
        "The average number of nodes is the better choice for K.",
        "resolution: on both sets the mean score is highest at K = the mean number of nodes",
        best_at("resolution", "×1"),
    ),
    Claim(
        8,
        "G-Mixup improves networks of varying depth.",
        f"depth: {OVER_CELLS} (data set and depth)",
        gains("depth"),
    ),
    Claim(
        9,
        "G-Mixup can significantly improve the performance of GMT.",
        f"gmt: ahead of none on all five sets, and {OVER_CELLS}",
        gains("gmt", ahead_in_all=True),
    ),
    Claim(
        10,
        "G-Mixup can improve networks on molecular property prediction.",
        f"ogb: {OVER_CELLS}",
        gains("ogb"),
    ),
)
HEADER = ("", "the paper's observation", "here", "numbers", "the rule")


@dataclass(frozen=True)
class Claims(AbstractTrained):
    """Ten rules on the runs of nine tables, and on the tables of two computed experiments."""

    name: ClassVar[str] = "claims"
    title: ClassVar[str] = "The paper's ten observations"
    trains: ClassVar[bool] = False
    notes: ClassVar[tuple[str, ...]] = (
        "Nothing is judged before all runs of its rule are there. `g-mixup` is GMixup.paper(); "
        "whether a gain is the mixing's own, the controls in the table of performance say.",
        "An interval over cells takes them as independent; those of one data set share its graphs, "
        "so that it is too narrow rather than too wide.",
    )

    folder: str | Path = FOLDER  # where computed tables are kept

    def settings(self) -> Settings:
        """Those of all tables that a rule looks at, of G-Mixup and none; the group names both."""
        return {
            place._replace(group=f"{part.name}: {place.group}"): setting
            for part in RUN
            for place, setting in part().settings().items()
            if place.method in ("none", "g-mixup")
        }

    def view(self, results: Results) -> View:
        """One table; a row for each observation."""
        by_table: dict[str, dict[Place, object]] = {part.name: {} for part in RUN}
        for place, found in results.items():
            table, group = place.group.split(": ", 1)
            by_table[table][place._replace(group=group)] = found
        tables = {
            part.name: kept(self.folder, part()) or [] for part in (ClassGraphons, LambdaPath)
        }
        return View([self._table(by_table, tables)])  # pyright: ignore[reportArgumentType]

    def _table(self, results: Mapping[str, Results], tables: Mapping[str, list[Table]]) -> Table:
        rows, words = [], Counter[str]()
        for claim in CLAIMS:
            outcome = claim.judge(results, tables)
            words[outcome.word] += 1
            rows.append((str(claim.number), claim.words, outcome.word, outcome.numbers, claim.rule))
        told = ", ".join(f"{count} {word}" for word, count in words.items())
        return Table(self.title, HEADER, rows, (f"{told}.", *self.notes))
