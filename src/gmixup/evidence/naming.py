"""Naming: what the methods of a comparison are called, and which are controls of which."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]


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
        told = [f"{key}={shown(augmentation.get(key))}" for key in keys]
        return f"{name} ({', '.join(told)})" if told else name

    return label


def default_controls(methods: Mapping[str, Record]) -> dict[str, list[str]]:
    """The controls of each G-Mixup among these methods, a record of each being given.

    Those are real graphs drawn again, the same with softened labels, G-Mixup that does not mix and
    G-Mixup whose graphon is a mere density. Where there are none, the sequence is empty.
    """
    augmentations = {method: record["cell"]["augmentation"] for method, record in methods.items()}
    controls = [method for method, own in augmentations.items() if is_control(own)]
    return {
        method: controls
        for method, own in augmentations.items()
        if own["name"] == "g-mixup" and method not in controls
    }


def is_control(augmentation: Mapping[str, Any]) -> bool:
    """Whether an augmentation, by its settings, is a control of G-Mixup."""
    if augmentation["name"] in ("resample", "soften"):
        return True
    unmixed = augmentation.get("lam") in (1, [1, 1], (1, 1))
    estimator = augmentation.get("estimator")
    named = estimator.get("name") if isinstance(estimator, Mapping) else estimator
    return augmentation["name"] == "g-mixup" and (unmixed or named == "erdos-renyi")


def shown(value: Any) -> str:
    """A setting as one would write it; a part by its name, with settings of its own if it has."""
    if isinstance(value, Mapping):
        own = ", ".join(f"{key}={shown(part)}" for key, part in value.items() if key != "name")
        name = value.get("name", "")
        return f"{name}({own})" if own else str(name)
    if isinstance(value, list | tuple):
        return "–".join(shown(part) for part in value)
    return str(value)


def _differing(several: Sequence[Mapping[str, Any]]) -> list[str]:
    keys = dict.fromkeys(key for settings in several for key in settings)
    return [key for key in keys if any(own.get(key) != several[0].get(key) for own in several)]
