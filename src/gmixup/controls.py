"""Controls: what an augmentation that adds graphs has to beat for its gain to be its own."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from gmixup.augmentations import room
from gmixup.augmentations._base import AbstractEnlargement
from gmixup.augmentations.g_mixup import GMixup
from gmixup.augmentations.resample import Resample
from gmixup.augmentations.soften import Soften
from gmixup.evidence.naming import is_control
from gmixup.training.cell import as_json


def with_controls(methods: Iterable[Any]) -> list[Any]:
    """No augmentation, the methods, then the controls of each: every one once."""
    methods = [room.make("none"), *methods]
    controls = [control for method in methods for control in controls_of(method)]
    told = {json.dumps(as_json(one), sort_keys=True): one for one in [*methods, *controls]}
    return list(told.values())


def controls_of(method: Any) -> Sequence[Any]:
    """Controls that add as many graphs, as often, with the same law of lambda.

    Real graphs drawn again; for what mixes labels the same with softened labels; for G-Mixup also
    itself without mixing, and with a graphon that is a mere density.
    """
    if not isinstance(method, AbstractEnlargement) or is_control(as_json(method)):
        return []
    alike: dict[str, Any] = {"ratio": method.ratio, "fresh": method.fresh}
    controls: list[Any] = [Resample(**alike)]
    if (lam := getattr(method, "lam", None)) is not None:
        controls.append(Soften(**alike, lam=lam))
    if isinstance(method, GMixup):
        controls += [replace(method, lam=1.0), replace(method, estimator="erdos-renyi")]
    return controls
