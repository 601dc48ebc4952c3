"""gmixup: graphon-based data augmentation for graph classification.

What is listed here is loaded on first use, so that `import gmixup` (and `gmixup --help`) stays
quick and loads neither torch nor matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gmixup import augmentations, backbones, datasets, estimators, fidelity, theory
    from gmixup.augmentations import GMixup
    from gmixup.comparing import compare
    from gmixup.datasets import GraphFolder
    from gmixup.graphon import Graphon
    from gmixup.graphon_generator import GraphonGenerator
    from gmixup.graphs import GraphSet
    from gmixup.records import Records
    from gmixup.repeated import train
    from gmixup.soft_labels import SoftLabels
    from gmixup.training import Recipe

__version__ = "0.1.0"
__all__ = [
    "GMixup",
    "GraphFolder",
    "GraphSet",
    "Graphon",
    "GraphonGenerator",
    "Recipe",
    "Records",
    "SoftLabels",
    "augmentations",
    "backbones",
    "compare",
    "datasets",
    "estimators",
    "fidelity",
    "theory",
    "train",
]

_HOMES = {
    "GMixup": "augmentations",
    "GraphFolder": "datasets",
    "GraphSet": "graphs",
    "Graphon": "graphon",
    "GraphonGenerator": "graphon_generator",
    "Recipe": "training",
    "Records": "records",
    "SoftLabels": "soft_labels",
    "compare": "comparing",
    "train": "repeated",
}


def __getattr__(name: str):
    if name not in __all__:
        raise AttributeError(f"module 'gmixup' has no attribute {name!r}; it has {__all__}")
    if name in _HOMES:
        return getattr(import_module(f"gmixup.{_HOMES[name]}"), name)
    return import_module(f"gmixup.{name}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
