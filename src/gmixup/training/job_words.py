"""Job words: a run of a job, told in the words of a record's `cell`, as cells."""

import difflib
from collections.abc import Collection, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from gmixup import augmentations, backbones, datasets
from gmixup.spelling import spelt
from gmixup.training.cell import Cell, Corruption, SplitRule
from gmixup.training.recipe import Recipe

ROOMS = {"backbone": backbones.room, "augmentation": augmentations.room}


def cells_of(words: Mapping[str, Any]) -> list[Cell]:
    """The cells of a run's words: of `seed`, `seed` + 1, ..., as many as `seeds` says.

    A split follows the seed, as in `gmixup train`, unless it has a seed of its own.
    """
    known("run", words, (*names_of(Cell), "seeds"))
    data, first, count = words.get("data"), words.get("seed", 0), words.get("seeds", 1)
    if not isinstance(data, str):
        raise ValueError(f"`data` is {data!r}; every run names a data set, or a path")
    number("seed", first, 0)
    number("seeds", count, 1)
    molecules = Path(data).name.startswith("ogbg")
    given = {name: words[name] for name in words if name not in ("seeds", "split", "seed")}
    given |= {"data": called(data), "fingerprint": words.get("fingerprint", "")}
    given["recipe"] = recipe_of(words.get("recipe", {}), "ogb" if molecules else "paper")
    given["corruption"] = _made(Corruption, "corruption", words.get("corruption", {}))
    given |= {name: part_of(name, words[name]) for name in ROOMS if name in words}
    split = mapping("split", words.get("split", {}))
    split = {"kind": "own" if molecules else "ratios", **split}
    return [
        Cell(**given, seed=seed, split=_made(SplitRule, "split", _of_seed(seed, split)))
        for seed in range(first, first + count)
    ]


def recipe_of(words: Any, usual: str) -> Recipe:
    """A recipe by the name of a preset, or its settings with such a name for those left out."""
    told = {"preset": words} if isinstance(words, str) else {**mapping("recipe", words)}
    preset = told.pop("preset", usual)
    if preset not in Recipe.presets():
        raise ValueError(f"`preset` is {preset!r}; it is one of {', '.join(Recipe.presets())}")
    known("recipe", told, (*names_of(Recipe), "preset"))
    return getattr(Recipe, preset)(**told)


def part_of(room: str, words: Any) -> Any:
    """A network or augmentation, as a command spells it or as a record tells it."""
    if isinstance(words, str):
        return spelt(ROOMS[room], words)
    if "name" not in mapping(room, words):
        raise ValueError(f"`{room}` is {words!r}; its `name` is needed")
    try:
        return getattr(Cell.of({"data": "", "fingerprint": "", room: words}), room)
    except TypeError as error:
        raise ValueError(f"`{room}` is {words!r}, and {error}") from None


def called(data: str) -> str:
    """What tables call a set: its name, or the last part of its path."""
    name = data.partition(":")[0]
    return name if name in datasets.room.names() else Path(data).resolve().stem


def mapping(what: str, words: Any) -> Mapping[str, Any]:
    """The words, once they are an object."""
    if not isinstance(words, Mapping):
        raise ValueError(f"`{what}` is {words!r}; give a JSON object")
    return words


def number(name: str, value: Any, least: int) -> None:
    """Raises unless it is a whole number that is large enough."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"`{name}` is {value!r}; it must be a whole number, at least {least}")


def known(what: str, words: Mapping[str, Any], names: Collection[str]) -> None:
    """Raises if a word is none of these."""
    for word in words:
        if word not in names:
            close = difflib.get_close_matches(word, names, n=1)
            hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(names)}"
            raise ValueError(f"`{word}` is no word of a {what}; {hint}")


def names_of(kind: Any) -> list[str]:
    """The settings of a dataclass."""
    return [item.name for item in fields(kind)]


def _made(kind: Any, what: str, words: Any) -> Any:
    known(what, mapping(what, words), names_of(kind))
    return kind(**words)


def _of_seed(seed: int, split: Mapping[str, Any]) -> dict[str, Any]:
    """The split of a seed: its own one, the fold whose turn it is, or the one that the set has."""
    if "seed" in split or split.get("fold") is not None or split["kind"] == "own":
        return dict(split)
    if split["kind"] != "k-fold":
        return {**split, "seed": seed}
    folds = split.get("folds", SplitRule.folds)
    number("folds", folds, 2)
    return {**split, "seed": seed // folds, "fold": seed % folds}
