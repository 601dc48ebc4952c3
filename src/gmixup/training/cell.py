"""Cell: everything that decides one run; its key names the record."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gmixup.augmentations import room as augmentations
from gmixup.backbones import room as backbones
from gmixup.backbones._source import source_hash
from gmixup.choices import check_choice
from gmixup.estimators import room as estimators
from gmixup.mixing import Beta
from gmixup.records import key_of
from gmixup.training.recipe import Recipe

SplitKind = Literal["ratios", "ratios-unstratified", "k-fold", "own"]
Where = Literal["train", "all"]
FeatureKind = Literal["auto", "one-hot", "standardised", "constant"]


@dataclass(frozen=True)
class SplitRule:
    """How graphs are parted; the same seed gives every method the same parts."""

    kind: SplitKind = "ratios"  # 7:1:2 by class, the same without regard to class, folds, or OGB's
    seed: int = 0  # of k-fold the repeat: every ten folds are a new one
    fold: int | None = None  # of k-fold
    folds: int = 10
    train_fraction: float = 1.0  # the share of the training part that is kept, by class

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, SplitKind)
        if not 0 < self.train_fraction <= 1:
            raise ValueError(
                f"`train_fraction` is {self.train_fraction}; it must lie in (0, 1]: the share of "
                "the training graphs to keep"
            )
        if (self.kind == "k-fold") != (self.fold is not None):
            raise ValueError(
                f"`fold` is {self.fold} and `kind` is {self.kind!r}; k-fold needs the number of a "
                "fold, and nothing else does"
            )
        if self.fold is not None and not 0 <= self.fold < self.folds:
            raise ValueError(
                f"`fold` is {self.fold} of {self.folds}; folds are numbered from 0 to "
                f"{self.folds - 1}"
            )


@dataclass(frozen=True)
class Corruption:
    """What is spoilt before graphons are estimated and features are made, in shares."""

    labels: float = 0.0
    edges_added: float = 0.0
    edges_removed: float = 0.0
    where: Where = "train"  # the training part alone, or every graph

    def __post_init__(self) -> None:
        check_choice("where", self.where, Where)
        for name in ("labels", "edges_added", "edges_removed"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"`{name}` is {getattr(self, name)}; it must lie in [0, 1]")


@dataclass(frozen=True)
class Cell:
    """One run: a data set, a network, an augmentation, a recipe, a split and a seed."""

    data: str  # what tables call it; a name or path where it is to be loaded
    fingerprint: str  # of the content
    backbone: Any = "gin"
    augmentation: Any = "none"
    recipe: Recipe = field(default_factory=Recipe)
    split: SplitRule = field(default_factory=SplitRule)
    corruption: Corruption = field(default_factory=Corruption)
    features: FeatureKind = "auto"  # where graphs have none of their own
    seed: int = 0  # of initial weights, order of batches and augmentation

    def __post_init__(self) -> None:
        check_choice("features", self.features, FeatureKind)
        object.__setattr__(self, "backbone", backbones.make(self.backbone))
        object.__setattr__(self, "augmentation", augmentations.make(self.augmentation))

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "Cell":
        """The cell of a configuration: a record's `cell`, or a person's, who may leave much out."""
        given = dict(config)
        nested = {"recipe": Recipe, "split": SplitRule, "corruption": Corruption}
        rooms = {"backbone": backbones, "augmentation": augmentations}
        for name, value in config.items():
            if name in nested and isinstance(value, Mapping):
                given[name] = nested[name](**value)
            elif name in rooms and isinstance(value, Mapping):
                given[name] = _part(rooms[name], value)
        return cls(**given)

    @cached_property
    def config(self) -> dict[str, Any]:
        """What the record says of it, as JSON; equal configurations are the same run."""
        return {item.name: as_json(getattr(self, item.name)) for item in fields(self)}

    @cached_property
    def key(self) -> str:
        """The hash of the configuration, which names the record."""
        return key_of(self.config)


def _part(room: Any, settings: Mapping[str, Any]) -> Any:
    """A part from its name and settings, and the parts within it."""
    about = ("name", "source")
    given = {name: _setting(value) for name, value in settings.items() if name not in about}
    return room.find(settings["name"])(**given)


def _setting(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_setting, value))
    if not isinstance(value, Mapping):
        return value
    if value.get("kind") == "Beta":
        return Beta(value["a"], value["b"])
    return _part(estimators, value)


def as_json(value: Any) -> Any:
    """Settings as JSON: a part becomes its name and settings, anything else its nearest form.

    A part that is not of this package tells its source too: changed code is another part.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(name): as_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(inner) for inner in value]
    if hasattr(value, "described"):
        return as_json(value.described())
    if is_dataclass(value) and not isinstance(value, type):
        named = {"name": value.name} if hasattr(value, "name") else {}  # pyright: ignore
        module = type(value).__module__
        if not named and not module.startswith("gmixup.training"):
            named = {"kind": type(value).__name__}
        if module.partition(".")[0] != "gmixup":
            named |= {"source": source_hash(type(value))}
        return named | {item.name: as_json(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, np.generic):
        return value.item()
    raise ValueError(
        f"a setting is {value!r}, which no record can hold; settings are numbers, words, lists and "
        "frozen dataclasses of these"
    )
