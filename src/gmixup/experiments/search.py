"""Search: is there a G-Mixup that helps? Settings tried on two sets, judged on validation."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from gmixup.augmentations.g_mixup import GMixup
from gmixup.augmentations.resample import Resample
from gmixup.augmentations.soften import Soften
from gmixup.evidence.tables import NOT_RUN, Table
from gmixup.experiments._archive import Found, Results
from gmixup.experiments._cells import Place, Setting, Settings
from gmixup.experiments._pairs import Record, on_test, paired, told
from gmixup.experiments._trained import AbstractTrained
from gmixup.training import Recipe

SETS = ("IMDB-BINARY", "PROTEINS")
ALIKE = "ratio 1, λ 0–0.5"  # how the names of those begin that differ in their graphs alone
WIDE = (0.0, 0.5)  # a law of lambda that mixes more than the paper's 0.1 to 0.2


def tried() -> dict[str, Any]:
    """Settings of G-Mixup by what sets them apart from the default, one or two at a time."""
    changes: dict[str, dict[str, Any]] = {
        "default": {},
        "ratio 1": {"ratio": 1.0},
        "ratio 2": {"ratio": 2.0},
        "ratio 1, fresh": {"ratio": 1.0, "fresh": True},
        "ratio 1, λ 0–0.5": {"ratio": 1.0, "lam": WIDE},
        "ratio 2, λ 0–0.5": {"ratio": 2.0, "lam": WIDE},
        "ratio 1, λ 0.5": {"ratio": 1.0, "lam": 0.5},
        "ratio 1, λ 0–0.5, fresh": {"ratio": 1.0, "lam": WIDE, "fresh": True},
        "ratio 1, λ 0–0.5, lg": {"ratio": 1.0, "lam": WIDE, "estimator": "lg"},
        "ratio 1, λ 0–0.5, usvt": {"ratio": 1.0, "lam": WIDE, "estimator": "usvt"},
        "ratio 1, λ 0–0.5, vem": {"ratio": 1.0, "lam": WIDE, "estimator": "vem"},
        "ratio 1, λ 0–0.5, grid": {"ratio": 1.0, "lam": WIDE, "positions": "grid"},
        "ratio 1, λ 0–0.5, isolated kept": {"ratio": 1.0, "lam": WIDE, "isolated": "keep"},
        "ratio 1, λ 0–0.5, the graphon's density": {
            "ratio": 1.0, "lam": WIDE, "density": "graphon",
        },
        "ratio 1, λ 0–0.5, all of K nodes": {
            "ratio": 1.0, "lam": WIDE, "density": "graphon", "nodes": "resolution",
        },
        "ratio 1, λ 0–0.5, batch level": {"ratio": 1.0, "lam": WIDE, "level": "batch"},
    }  # fmt: skip
    wide: dict[str, Any] = {"ratio": 1.0, "lam": WIDE}
    presets = {
        "paper()": GMixup.paper(),
        "authors()": GMixup.authors(),
        f"{ALIKE}, paper()": GMixup.paper(**wide),
        f"{ALIKE}, authors()": GMixup.authors(**wide),
    }
    return presets | {name: GMixup(**settings) for name, settings in changes.items()}


def controls() -> dict[str, Any]:
    """What gains have to beat: no graphon, no mixing, or a graphon that is a mere density."""
    return {
        "resample, ratio 1": Resample(ratio=1.0),
        "resample, ratio 2": Resample(ratio=2.0),
        "soften, ratio 1": Soften(ratio=1.0),
        "soften, ratio 1, λ 0–0.5": Soften(ratio=1.0, lam=WIDE),
        "soften, ratio 2, λ 0–0.5": Soften(ratio=2.0, lam=WIDE),
        "soften, ratio 1, λ 0–0.5, fresh": Soften(ratio=1.0, lam=WIDE, fresh=True),
        "no mixing, ratio 1": GMixup(ratio=1.0, lam=1.0),
        "densities, ratio 1, λ 0–0.5": GMixup(ratio=1.0, lam=WIDE, estimator="erdos-renyi"),
    }


@dataclass(frozen=True)
class Search(AbstractTrained):
    """Everything that was tried, with a tenth of the labels, where gains were seen before."""

    name: ClassVar[str] = "search"
    title: ClassVar[str] = "A G-Mixup that helps, if there is one: what was tried"
    row_names: ClassVar[tuple[str, ...]] = ("network", "settings")
    notes: ClassVar[tuple[str, ...]] = (
        "GIN, a tenth of the training graphs of 7:1:2, 100 epochs. The choice goes by validation "
        "alone; differences on test stand beside it. What comes first is tried on other sets by "
        "`gmixup reproduce confirmation`.",
    )

    seeds: int = 20
    fraction: float = 0.1
    recipe: Recipe = field(default_factory=lambda: Recipe.paper(epochs=100))

    def settings(self) -> Settings:
        """Every setting and control on both sets."""
        return {
            Place("gin", name, data): Setting(
                data, "gin", method, self.recipe, train_fraction=self.fraction
            )
            for data in SETS
            for name, method in ({"none": "none"} | tried() | controls()).items()
        }

    def further(self, results: Results) -> list[Table]:
        """Gains by validation, the best first."""
        rows = _rows(results)
        header = ("settings", "kind", "validation, mean of sets")
        header += tuple(f"{data}, {part}" for data in SETS for part in ("validation", "test"))
        notes = (
            "Points gained on no augmentation, paired by split, with the 95 % interval over "
            "splits of these graphs: of many settings the best looks better than it is.",
        )
        return [Table("Gains, in the order of validation", header, rows, notes)] if rows else []


def on_validation(record: Record) -> float:
    """The score on validation, per cent."""
    return 100 * record["scores"]["validation"]


def _rows(results: Results) -> list[tuple[str, ...]]:
    ranked = []
    for name in [*tried(), *controls()]:
        pairs = [(_at(results, name, data), _at(results, "none", data)) for data in SETS]
        gains = [paired(*pair, on_validation) for pair in pairs]
        means = [float(own.mean()) for own in gains if len(own)]
        if not means:
            continue
        tests = [paired(*pair, on_test) for pair in pairs]
        cells = [
            told(own) if len(own) else NOT_RUN
            for several in zip(gains, tests, strict=True)
            for own in several
        ]
        kind = "control" if name in controls() else "G-Mixup"
        both = sum(means) / len(means)
        ranked.append((both, (name, kind, f"{both:+.2f}".replace("-", "−"), *cells)))
    return [row for _, row in sorted(ranked, key=lambda each: -each[0])]


def _at(results: Results, name: str, data: str) -> Found:
    return results[Place("gin", name, data)]
