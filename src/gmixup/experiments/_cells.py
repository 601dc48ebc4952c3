"""Cells: the settings that all runs of one place in a table share, and the run of each seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gmixup.augmentations import room as augmentations
from gmixup.augmentations.g_mixup import GMixup
from gmixup.backbones import room as backbones
from gmixup.controls import controls_of
from gmixup.evidence.published import Cell as Place
from gmixup.training import Cell, Corruption, Recipe, SplitRule
from gmixup.training.cell import SplitKind

FOLDS = 10
UNKNOWN = "unknown"  # the fingerprint of a data set that is not at hand and has no records

TU = ("IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY", "REDDIT-MULTI-5K", "REDDIT-MULTI-12K")
# In the order of how long a run takes: a sweep that is cut short has whole tables of small sets.
SMALL_FIRST = (
    "MUTAG", "IMDB-BINARY", "IMDB-MULTI", "PROTEINS", "ogbg-molbace", "ogbg-molbbbp", "DD",
    "REDDIT-BINARY", "REDDIT-MULTI-5K", "REDDIT-MULTI-12K", "ogbg-molhiv",
)  # fmt: skip
# The paper's methods; of those that drop a share it does not say which: it is 0.2 here.
METHODS: dict[str, Any] = {
    "none": "none",
    "drop-edge": "drop-edge",
    "drop-node": "drop-node",
    "subgraph": "subgraph",
    "manifold-mixup": "manifold-mixup",
    "g-mixup": GMixup.paper(),
}
# Further rows of ours: what we would use, and what a gain has to beat to be the mixing's.
OURS: dict[str, Any] = {
    "g-mixup, our defaults": GMixup(),
    "resample": "resample",
    "soften": "soften",
}
FOUR = ("none", "drop-edge", "manifold-mixup", "g-mixup")  # those of the smaller tables
SHARES = (0.1, 0.2, 0.3, 0.4)  # of labels or edges that are spoilt


def beside_controls(name: str, method: GMixup) -> dict[str, Any]:
    """A G-Mixup, no augmentation, and the controls that it has to beat, as rows are named."""
    resample, soften, unmixed, bare = controls_of(method)
    return {
        "none": "none",
        name: method,
        "resample": resample,
        "soften": soften,
        "g-mixup without mixing": unmixed,
        "g-mixup of mere densities": bare,
    }


@dataclass(frozen=True)
class Setting:
    """What the runs of a place have in common: all but split and seed."""

    data: str
    backbone: Any
    augmentation: Any
    recipe: Recipe = field(default_factory=Recipe.paper)
    split: SplitKind = "ratios"
    corruption: Corruption = field(default_factory=Corruption)
    train_fraction: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "backbone", backbones.make(self.backbone))
        object.__setattr__(self, "augmentation", augmentations.make(self.augmentation))

    def cell(self, seed: int, fingerprint: str = UNKNOWN) -> Cell:
        """The run of a seed, which decides the split, the initial weights and all draws."""
        return Cell(
            self.data,
            fingerprint,
            self.backbone,
            self.augmentation,
            self.recipe,
            self._rule(seed),
            self.corruption,
            seed=seed,
        )

    def _rule(self, seed: int) -> SplitRule:
        if self.split == "k-fold":
            return SplitRule("k-fold", seed // FOLDS, seed % FOLDS, FOLDS, self.train_fraction)
        return SplitRule(self.split, seed, train_fraction=self.train_fraction)


Settings = Mapping[Place, Setting]


def grid(
    networks: Mapping[str, Any],
    methods: Mapping[str, Any],
    sets: Sequence[str],
    **shared: Any,
) -> dict[Place, Setting]:
    """Every network with every method on every data set; what is `shared` is that of all."""
    return {
        Place(network, method, data): Setting(data, backbone, augmentation, **shared)
        for network, backbone in networks.items()
        for method, augmentation in methods.items()
        for data in sets
    }


def cells(
    settings: Settings, seeds: Sequence[int], fingerprints: Mapping[str, str]
) -> Iterator[tuple[Place, Cell]]:
    """Every run of every place."""
    for place, setting in settings.items():
        fingerprint = fingerprints.get(setting.data, UNKNOWN)
        for seed in seeds:
            yield place, setting.cell(seed, fingerprint)
