"""Rooms: finds the parts of a package by its files and answers by name with a helpful error.

A part is a class defined in a file of the room (files beginning with `_` are not parts) that
carries a `name`. Other packages add parts through an entry point group named like the room, and a
person's own part is named `path/to/file.py:ClassName`.
"""

import difflib
import hashlib
import importlib.util
import inspect
import sys
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

# What modules out of a person's own files are called, for whoever sends their classes elsewhere.
OWN_PREFIX = "gmixup_own_"


@dataclass(frozen=True)
class Room:
    """The parts of one package, e.g. `Room("gmixup.estimators", "estimator")`."""

    package: str
    noun: str

    @cached_property
    def parts(self) -> dict[str, type]:
        """Every part by name, in alphabetical order; importing the room's files on first use."""
        found = [part for module in self._modules() for part in _parts_defined_in(module)]
        found += [entry.load() for entry in entry_points(group=self.package)]
        return {part.name: part for part in sorted(found, key=lambda part: part.name)}

    def names(self) -> list[str]:
        """The names by which commands, records and tables call the parts."""
        return list(self.parts)

    def find(self, name: str) -> type:
        """The class called `name`, or the class in `path.py:Class`."""
        if ":" in name:
            return _load_from_file(name, self.noun)
        if name in self.parts:
            return self.parts[name]
        close = difflib.get_close_matches(name, self.parts, n=1, cutoff=0.5)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"no {self.noun} is named {name!r}: there are {', '.join(self.parts)}, "
            f"or your own as path.py:ClassName{hint}"
        )

    def make(self, part: Any, **settings: Any) -> Any:
        """An object from a name (with settings), or the object itself when it is one already."""
        return self.find(part)(**settings) if isinstance(part, str) else part

    def attribute(self, name: str) -> Any:
        """Serves as the package's `__getattr__`: parts by class name, loaded on first use."""
        by_class = {part.__name__: part for part in self.parts.values()}
        if name in by_class:
            return by_class[name]
        raise AttributeError(f"module {self.package!r} has no attribute {name!r}")

    def listed(self) -> list[str]:
        """Serves as the package's `__dir__`, for completion: the parts by class name."""
        return sorted(part.__name__ for part in self.parts.values())

    def _modules(self):
        folder = Path(str(import_module(self.package).__file__)).parent
        for file in sorted(folder.glob("*.py")):
            if not file.name.startswith("_"):
                yield import_module(f"{self.package}.{file.stem}")


def _parts_defined_in(module) -> list[type]:
    return [
        member
        for _, member in inspect.getmembers(module, inspect.isclass)
        if member.__module__ == module.__name__
        and isinstance(getattr(member, "name", None), str)
        and not inspect.isabstract(member)
    ]


def _load_from_file(spelling: str, noun: str) -> type:
    path, _, attribute = spelling.rpartition(":")
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise ValueError(
            f"no file {path!r} for the {noun} {spelling!r}: give path/to/file.py:ClassName"
        )
    # Named by its place, so that two files of one name stay two modules and pickling finds them.
    module_name = f"{OWN_PREFIX}{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, file)
        if spec is None or spec.loader is None:
            raise ValueError(f"{path!r} for the {noun} {spelling!r} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            del sys.modules[module_name]
            if not isinstance(error, Exception):
                raise
            raise ValueError(
                f"{path!r}, asked for as the {noun} {spelling!r}, cannot be run: "
                f"{type(error).__name__}: {error}"
            ) from error
    try:
        return getattr(sys.modules[module_name], attribute)
    except AttributeError:
        raise ValueError(
            f"{path!r} defines no {attribute!r}, asked for as the {noun} {spelling!r}"
        ) from None
