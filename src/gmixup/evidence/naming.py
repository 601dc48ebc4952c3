"""Naming: what the methods of a comparison are called, and which are controls of which."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]

Kind = tuple[str, bool, bool]  # name, unmixed, bare

UNTOLD = "not told"  # of a setting that a record does not have, which is not the same as none


def default_label(records: Sequence[Record]) -> Callable[[Record], str]:
    """Names a record by its augmentation, with those settings in which several of a kind differ.

    A method is called by its bare name where only controls differ from it. A control tells what it
    is about, such as `lam=1`, and beside that what tells it from other controls of its kind.
    """
    kinds: dict[Kind, list[Mapping[str, Any]]] = {}
    for record in records:
        augmentation = record["cell"]["augmentation"]
        kinds.setdefault(_kind(augmentation), []).append(augmentation)
    telling = {
        kind: [key for key in _keys(several) if key in _about(kind) or _differ(several, key)]
        for kind, several in kinds.items()
    }

    def label(record: Record) -> str:
        augmentation = record["cell"]["augmentation"]
        keys = telling[_kind(augmentation)]
        told = [f"{key}={shown(augmentation.get(key, UNTOLD))}" for key in keys]
        name = augmentation["name"]
        return f"{name} ({', '.join(told)})" if told else name

    return label


def default_controls(methods: Mapping[str, Record]) -> dict[str, list[str]]:
    """The controls of each method that adds graphs, a record of each method being given.

    Those are real graphs drawn again; of what mixes labels the same with softened labels; of
    G-Mixup also itself without mixing, and with a graphon that is a mere density. Of several of a
    kind, those that share its settings. Where there are none, the sequence is empty.
    """
    augmentations = {method: record["cell"]["augmentation"] for method, record in methods.items()}
    kinds: dict[Kind, list[str]] = {}
    for method, own in augmentations.items():
        if is_control(own):
            kinds.setdefault(_kind(own), []).append(method)

    def own_controls(method: Mapping[str, Any]) -> list[str]:
        """Of each kind those that belong to it, or else all: rather these than none."""
        return [
            control
            for kind, several in kinds.items()
            if kind[0] in ("resample", method["name"]) or (kind[0] == "soften" and "lam" in method)
            for control in [c for c in several if _belongs(augmentations[c], method)] or several
        ]

    return {
        method: own_controls(own)
        for method, own in augmentations.items()
        if _adds_graphs(own) and not is_control(own)
    }


def is_control(augmentation: Mapping[str, Any]) -> bool:
    """Whether an augmentation, by its settings, is a control of G-Mixup."""
    if augmentation["name"] in ("resample", "soften"):
        return True
    return augmentation["name"] == "g-mixup" and (_unmixed(augmentation) or _bare(augmentation))


def shown(value: Any) -> str:
    """A setting as one would write it; a part by its name, with settings of its own if it has."""
    if isinstance(value, Mapping):
        own = ", ".join(f"{key}={shown(part)}" for key, part in value.items() if key != "name")
        name = value.get("name", "")
        return f"{name}({own})" if own else str(name)
    if isinstance(value, list | tuple):
        return "–".join(shown(part) for part in value)
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _kind(augmentation: Mapping[str, Any]) -> Kind:
    """What it is called, and whether it is a G-Mixup without mixing, or with a mere density."""
    name = augmentation["name"]
    if name != "g-mixup":
        return name, False, False
    return name, _unmixed(augmentation), _bare(augmentation)


def _about(kind: Kind) -> set[str]:
    """The settings that make a G-Mixup a control."""
    _, unmixed, bare = kind
    return ({"lam"} if unmixed else set()) | ({"estimator"} if bare else set())


def _unmixed(augmentation: Mapping[str, Any]) -> bool:
    return augmentation.get("lam") in (1, [1, 1], (1, 1))


def _bare(augmentation: Mapping[str, Any]) -> bool:
    """Whether its graphon is a mere density."""
    estimator = augmentation.get("estimator")
    named = estimator.get("name") if isinstance(estimator, Mapping) else estimator
    return named == "erdos-renyi"


def _adds_graphs(augmentation: Mapping[str, Any]) -> bool:
    """Whether it is G-Mixup, or another method with the settings of those that add graphs."""
    return augmentation["name"] == "g-mixup" or {"ratio", "fresh"} <= augmentation.keys()


def _belongs(control: Mapping[str, Any], method: Mapping[str, Any]) -> bool:
    """Whether they agree in every setting that both have, but for what the control is about."""
    about = {"name"} | _about(_kind(control))
    return all(control[key] == method[key] for key in control.keys() & method.keys() - about)


def _keys(several: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for settings in several for key in settings))


def _differ(several: Sequence[Mapping[str, Any]], key: str) -> bool:
    first = several[0].get(key, UNTOLD)
    return any(own.get(key, UNTOLD) != first for own in several)
