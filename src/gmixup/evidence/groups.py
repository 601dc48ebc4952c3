"""Groups: records that may be compared with each other, and what each such group is called."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gmixup.evidence.naming import shown
from gmixup.record_format import plain

Record = Mapping[str, Any]

# What may differ between the runs of one comparison.
FREE, FREE_OF_SPLIT = ("augmentation", "seed"), ("seed", "fold")
# Told of every group that has them, for without them the same numbers mean something else.
ALWAYS_TOLD = (
    "split.train_fraction",
    "corruption.labels",
    "corruption.edges_added",
    "corruption.edges_removed",
)
IN_WORDS = {
    "data": "data set",
    "backbone.name": "network",
    "split.kind": "splits",
    "split.train_fraction": "train fraction",
    "corruption.labels": "label noise",
    "corruption.edges_added": "edges added",
    "corruption.edges_removed": "edges removed",
    "corruption.where": "spoilt",
}
DIGITS = 8  # of a fingerprint


@dataclass(frozen=True)
class Group:
    """Runs that share all settings but augmentation, split and seed."""

    name: str
    settings: dict[str, Any]  # shared by all, flat: `recipe.epochs`
    records: tuple[Record, ...]


def group(records: Iterable[Record]) -> list[Group]:
    """The groups, by name; a setting is in the names where groups of a set and network differ."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(_key(record["cell"]), []).append(record)
    settings = {key: flat(_shared(own[0]["cell"])) for key, own in found.items()}
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for own in settings.values():
        alike.setdefault(_base(own), []).append(own)
    groups = [
        Group(_name(settings[key], alike[_base(settings[key])]), settings[key], tuple(own))
        for key, own in found.items()
    ]
    return sorted(groups, key=lambda one: one.name)


def flat(settings: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Settings of settings by their path, e.g. `recipe.epochs`."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{above}{name}.")
        else:
            found[above + name] = value
    return found


def in_words(path: str) -> str:
    """What a setting is called: its own name, or a clearer one."""
    return IN_WORDS.get(path, path.rpartition(".")[2].replace("_", " "))


def brief(path: str, value: Any) -> str:
    """A setting's value; of a fingerprint its first digits."""
    return str(value)[:DIGITS] if path == "fingerprint" else shown(value)


def _shared(cell: Mapping[str, Any]) -> dict[str, Any]:
    shared = {name: value for name, value in cell.items() if name not in FREE}
    split = cell.get("split", {})
    shared["split"] = {name: split[name] for name in split if name not in FREE_OF_SPLIT}
    return shared


def _key(cell: Mapping[str, Any]) -> str:
    return json.dumps(plain(_shared(cell), "cell", whole=True), sort_keys=True)


def _base(settings: Mapping[str, Any]) -> tuple[str, str]:
    network = settings.get("backbone.name", settings.get("backbone", "a network"))
    return str(settings.get("data", "some graphs")), str(network)


def _name(own: Mapping[str, Any], alike: Sequence[Mapping[str, Any]]) -> str:
    paths = dict.fromkeys(path for settings in alike for path in settings)
    differing = {p for p in paths if any(one.get(p) != alike[0].get(p) for one in alike)}
    told = [
        f"{in_words(path)} {brief(path, own.get(path))}"
        for path in dict.fromkeys([*ALWAYS_TOLD, *paths])
        if path in differing or (path in ALWAYS_TOLD and own.get(path, 0) not in (0, 1))
    ]
    return ", ".join([*_base(own), *told])
