"""Naming: what the methods of a comparison are called, and which are controls of which."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]

UNTOLD = "not told"  # of a setting that a record does not have, which is not the same as none


def default_label(records: Sequence[Record]) -> Callable[[Record], str]:
    """Names a record by its augmentation, with those settings in which several of a name differ.

    A G-Mixup that is no control is called by its bare name where only controls differ from it.
    """
    own: dict[str, list[Mapping[str, Any]]] = {}
    all_of: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        augmentation = record["cell"]["augmentation"]
        all_of.setdefault(augmentation["name"], []).append(augmentation)
        if not is_control(augmentation):
            own.setdefault(augmentation["name"], []).append(augmentation)
    telling = {
        control: {name: _differing(several) for name, several in settings.items()}
        for control, settings in ((False, own), (True, all_of))
    }

    def label(record: Record) -> str:
        augmentation = record["cell"]["augmentation"]
        name = augmentation["name"]
        keys = telling[is_control(augmentation)].get(name, ())
        told = [f"{key}={shown(augmentation.get(key, UNTOLD))}" for key in keys]
        return f"{name} ({', '.join(told)})" if told else name

    return label


def default_controls(methods: Mapping[str, Record]) -> dict[str, list[str]]:
    """The controls of each G-Mixup among these methods, a record of each being given.

    Those are real graphs drawn again, the same with softened labels, G-Mixup that does not mix and
    G-Mixup whose graphon is a mere density; of several of a kind, those that share its settings.
    Where there are none, the sequence is empty.
    """
    augmentations = {method: record["cell"]["augmentation"] for method, record in methods.items()}
    kinds: dict[tuple[str, bool], list[str]] = {}
    for method, own in augmentations.items():
        if is_control(own):
            kinds.setdefault((own["name"], _bare(own)), []).append(method)

    def own_controls(method: Mapping[str, Any]) -> list[str]:
        """Of each kind those that belong to it, or else all: rather these than none."""
        return [
            control
            for several in kinds.values()
            for control in [c for c in several if _belongs(augmentations[c], method)] or several
        ]

    return {
        method: own_controls(own)
        for method, own in augmentations.items()
        if own["name"] == "g-mixup" and not is_control(own)
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
    return str(value)


def _unmixed(augmentation: Mapping[str, Any]) -> bool:
    return augmentation.get("lam") in (1, [1, 1], (1, 1))


def _bare(augmentation: Mapping[str, Any]) -> bool:
    """Whether its graphon is a mere density."""
    estimator = augmentation.get("estimator")
    named = estimator.get("name") if isinstance(estimator, Mapping) else estimator
    return named == "erdos-renyi"


def _belongs(control: Mapping[str, Any], method: Mapping[str, Any]) -> bool:
    """Whether they agree in every setting that both have, but for what the control is about."""
    about = {"name"}
    about |= {"lam"} if _unmixed(control) else set()
    about |= {"estimator"} if _bare(control) else set()
    return all(control[key] == method[key] for key in control.keys() & method.keys() - about)


def _differing(several: Sequence[Mapping[str, Any]]) -> list[str]:
    keys = dict.fromkeys(key for settings in several for key in settings)
    first = several[0]
    return [
        key
        for key in keys
        if any(own.get(key, UNTOLD) != first.get(key, UNTOLD) for own in several)
    ]
