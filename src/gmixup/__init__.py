"""gmixup: graphon-based data augmentation for graph classification.

What is listed here is loaded on first use, so that `import gmixup` (and `gmixup --help`) stays
quick and loads neither torch nor matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gmixup import estimators, fidelity, theory
    from gmixup.graphon import Graphon
    from gmixup.graphs import GraphSet

__version__ = "0.1.0"
__all__ = ["GraphSet", "Graphon", "estimators", "fidelity", "theory"]

_HOMES = {"GraphSet": "graphs", "Graphon": "graphon"}


def __getattr__(name: str):
    if name not in __all__:
        raise AttributeError(f"module 'gmixup' has no attribute {name!r}; it has {__all__}")
    if name in _HOMES:
        return getattr(import_module(f"gmixup.{_HOMES[name]}"), name)
    return import_module(f"gmixup.{name}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
