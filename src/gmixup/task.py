"""Task: what a person asks for in words, made into graphs and the cells of its runs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from gmixup import augmentations, backbones, datasets
from gmixup.choices import check_choice
from gmixup.datasets import Split
from gmixup.datasets._base import AbstractDataset
from gmixup.graphs import GraphSet
from gmixup.spelling import spelt
from gmixup.training import Cell, Corruption, Recipe, SplitRule
from gmixup.training.cell import FeatureKind, SplitKind
from gmixup.training.recipe import Precision
from gmixup.training.run import Run

FOLDS = 10
# Between the seeds of two initial weights on one split: further splits shift no seed.
INIT_STEP = 100_000

EdgeChange = Literal["add", "remove"]
EdgeNoise = tuple[EdgeChange, float]


@dataclass(frozen=True, eq=False)
class Task:
    """Graphs, and the settings that all their runs share."""

    graphs: GraphSet
    like: Cell  # of which augmentation, split and seed are to be filled in
    split: SplitKind
    own_split: Split | None

    def cell(self, augmentation: Any, fit: int, init: int = 0) -> Cell:
        """The run of a fit: a split and initial weights that are the same for every method."""
        kept = self.like.split.train_fraction
        if self.split == "k-fold":
            split = SplitRule("k-fold", fit // FOLDS, fit % FOLDS, FOLDS, kept)
        else:
            split = SplitRule(self.split, 0 if self.split == "own" else fit, train_fraction=kept)
        seed = fit + INIT_STEP * init
        return replace(self.like, augmentation=augmentation, split=split, seed=seed)

    @property
    def given(self) -> dict[str, Any]:
        """What a sweep needs to know of the graphs."""
        own = self.own_split
        splits = {} if own is None else {self.like.fingerprint: own}
        return {"graphs": {self.like.fingerprint: self.graphs}, "own_splits": splits}


def task_of(
    data: Any,
    *,
    backbone: Any = "gin",
    recipe: str | Recipe | None = None,
    epochs: int | None = None,
    precision: Precision | None = None,
    split: SplitKind | None = None,
    train_fraction: float = 1.0,
    label_noise: float = 0.0,
    edge_noise: EdgeNoise | None = None,
    features: FeatureKind = "auto",
    root: str | Path | None = None,
) -> Task:
    """The task of these settings; sets of OGB have their own split and recipe by default."""
    molecules = isinstance(data, str | Path) and Path(data).name.startswith("ogbg")
    kind: SplitKind = split or ("own" if molecules else "ratios")
    changes = {"epochs": epochs, "precision": precision}
    data = _embedded(data)
    graphs = data.load() if isinstance(data, AbstractDataset) else datasets.load(data, root)
    like = Cell(
        _name(data),
        datasets.fingerprint(graphs),
        spelt(backbones.room, backbone),
        recipe=_recipe(recipe or ("ogb" if molecules else "paper"), changes),
        split=SplitRule(train_fraction=train_fraction),
        corruption=_corruption(label_noise, edge_noise),
        features=features,
    )
    own = _own_split(data, root) if kind == "own" else None
    task = Task(graphs, like, kind, own)
    # What cannot be trained at all is said now, once, and not by every run.
    Run.of(task.cell("none", 0), graphs, own).network()
    return task


def augmentation_of(part: Any) -> Any:
    """An augmentation by name, by spelling, or as it is."""
    return spelt(augmentations.room, part)


def _embedded(data: Any) -> Any:
    """A set of the room or of a person's own file, with its settings; all else as it is."""
    known = datasets.room.names()
    if isinstance(data, str) and (data.partition(":")[0] in known or ".py:" in data):
        return spelt(datasets.room, data)
    return data


def _own_split(data: Any, root: str | Path | None) -> Split:
    if isinstance(data, str | Path):
        return datasets.own_split(data, root)
    raise ValueError("`split` is 'own', but only a set that is named has its own; choose 'ratios'")


def _name(data: Any) -> str:
    """What tables call the set: its name, the last part of a path, or that nobody named it."""
    if isinstance(data, str | Path):
        return Path(data).resolve().stem
    return str(getattr(data, "name", "own graphs"))


def _recipe(recipe: str | Recipe, changes: Mapping[str, Any]) -> Recipe:
    changes = {name: value for name, value in changes.items() if value is not None}
    if isinstance(recipe, Recipe):
        return replace(recipe, **changes)
    if recipe not in Recipe.presets():
        raise ValueError(
            f"`recipe` is {recipe!r}; it is one of {', '.join(Recipe.presets())}, or a Recipe"
        )
    return getattr(Recipe, recipe)(**changes)


def _corruption(labels: float, edge_noise: EdgeNoise | None) -> Corruption:
    shares = {"label_noise": labels} | ({} if edge_noise is None else {"edge_noise": edge_noise[1]})
    for name, share in shares.items():  # by the names that the user knows
        if not 0 <= share <= 1:
            raise ValueError(f"`{name}` is {share}; it is a share, and must lie in [0, 1]")
    if edge_noise is None:
        return Corruption(labels)
    change, share = edge_noise
    check_choice("edge_noise", change, EdgeChange)
    if change == "add":
        return Corruption(labels, edges_added=share)
    return Corruption(labels, edges_removed=share)
