"""What the tables on molecules share: OGB's networks, recipe and split, and the λ sweep."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from scipy import stats

from gmixup.augmentations.g_mixup import GMixup
from gmixup.backbones.ogb import OGBGCN, OGBGIN
from gmixup.evidence.published import Score, published
from gmixup.evidence.tables import NOT_RUN, Table
from gmixup.experiments._archive import Found, Results
from gmixup.experiments._cells import Place, Setting, Settings
from gmixup.experiments._pairs import in_words
from gmixup.experiments._trained import AbstractTrained
from gmixup.training import Recipe

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NETWORKS = {
    "gcn": OGBGCN(),
    "gcn-virtual": OGBGCN(virtual_node=True),
    "gin": OGBGIN(),
    "gin-virtual": OGBGIN(virtual_node=True),
}
LAMBDAS = tuple(f"{step / 20:.2f}" for step in range(1, 11))
VANILLA = "none"  # the column without G-Mixup
NOTE = (
    "OGB's own split by scaffold, the only one there is: runs differ by their seed alone, so that "
    "nothing is said of other molecules. Edge features of synthetic graphs are drawn at random."
)


def on_molecules(data: str, network: str, augmentation: Any) -> Setting:
    """Runs by OGB's reference settings."""
    return Setting(data, NETWORKS[network], augmentation, Recipe.ogb(), "own")


@dataclass(frozen=True)
class AbstractLambda(AbstractTrained):
    """Ten fixed λ and none, four networks, one data set."""

    data: ClassVar[str]
    printed_p: ClassVar[Mapping[str, float]]  # of the caption, in the order of its networks
    row_names: ClassVar[tuple[str, ...]] = ("network",)
    notes: ClassVar[tuple[str, ...]] = (
        NOTE,
        "λ is the same for every synthetic graph of a run. With λ = 0.5 both orders of a pair of "
        "classes are the same mixture.",
    )

    def settings(self) -> Settings:
        """Four rows of eleven."""
        places = {
            Place(network, "g-mixup", lam): on_molecules(
                self.data, network, GMixup.paper(lam=float(lam))
            )
            for network in NETWORKS
            for lam in LAMBDAS
        }
        vanilla = {
            Place(network, "none", VANILLA): on_molecules(self.data, network, "none")
            for network in NETWORKS
        }
        return places | vanilla

    def row(self, place: Place) -> tuple[str, ...]:
        """One row a network."""
        return (place.group,)

    def further(self, results: Results) -> list[Table]:
        """p-values: as the paper takes them, and with λ chosen without looking at test."""
        header = (
            "network", "printed p", "p from printed mean ± sd", "best λ on test", "p (best of ten)",
            "times ten", "λ chosen on validation", "p (chosen)", "gain (chosen), points",
        )  # fmt: skip
        rows = [self._row(network, results) for network in dict.fromkeys(p.group for p in results)]
        notes = (
            "p is of Welch's two-sided t-test over runs. The paper takes the λ that is best on "
            "test of ten and tests it as if it were the only one; times ten is what Bonferroni's "
            "correction makes of that. Chosen: the λ of the best mean on validation.",
        )
        return [Table(f"{self.data}: does G-Mixup with a tuned λ help?", header, rows, notes)]

    def _row(self, network: str, results: Results) -> tuple[str, ...]:
        known = f"{self.printed_p[network]:g}", f"{self._recomputed(network):.3g}"
        swept = {p.column: f for p, f in results.items() if p.group == network and f.complete}
        vanilla = swept.pop(VANILLA, None)
        if vanilla is None or len(swept) < len(LAMBDAS):
            return (network, *known, *[NOT_RUN] * 6)
        best, chosen = (_best(swept, part) for part in ("test", "validation"))
        first, second = (_welch(swept[lam], vanilla) for lam in (best, chosen))
        gain = Score.of(swept[chosen].scores()).above(Score.of(vanilla.scores()))
        return (
            network, *known, best, f"{first:.3g}", f"{min(1.0, 10 * first):.3g}", chosen,
            f"{second:.3g}", in_words(*gain),
        )  # fmt: skip

    def _recomputed(self, network: str) -> float:
        """The p-value of the best printed mean and the printed vanilla, ten runs each."""
        printed = published(self.name)
        vanilla = printed[Place(network, "none", VANILLA)]
        mixed = [score for place, score in printed.items() if place.group == network]
        best = max(mixed, key=lambda score: score.mean)
        ends = (value for s in (best, vanilla) for value in (s.mean, s.std, s.runs))
        return float(stats.ttest_ind_from_stats(*ends, equal_var=False)[1])

    def figures(self, results: Results) -> "Mapping[str, Figure]":
        """Score by λ, a figure for each network."""
        from gmixup.evidence.curves import draw_scores

        printed, drawn = published(self.name), {}
        for network in NETWORKS:
            by_lam, means = {}, {}
            for lam in LAMBDAS:
                place = Place(network, "g-mixup", lam)
                if place in results and results[place].done:
                    by_lam[float(lam)] = results[place].scores()
                    means[float(lam)] = printed[place].mean
            if by_lam:
                lines = {"g-mixup": by_lam}
                vanilla = results.get(Place(network, "none", VANILLA))
                if vanilla and vanilla.done:
                    lines["none"] = dict.fromkeys(by_lam, vanilla.scores())
                title = f"{self.data}: {network}"
                figure = draw_scores(lines, "λ", {"g-mixup": means}, title)
                drawn[f"{self.name}-{network}"] = figure
        return drawn


def _best(swept: Mapping[str, Found], part: str) -> str:
    return max(swept, key=lambda lam: sum(swept[lam].scores(part)))


def _welch(one: Found, two: Found) -> float:
    if one.scores() == two.scores():
        return 1.0
    return float(stats.ttest_ind(one.scores(), two.scores(), equal_var=False)[1])  # pyright: ignore[reportArgumentType]
