"""Writes one page for every module, from its docstrings: a new file is in the documentation."""

import inspect
import pkgutil
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import gmixup

# It imports triton, which comes with those builds of torch alone that are for a GPU.
NOT_SHOWN = {"gmixup.kernels"}

INDEX = """# Reference

What `import gmixup` offers: `GMixup`, `Graphon`, `GraphSet`, `GraphFolder`, `GraphonGenerator`,
`SoftLabels`, `Recipe`, `Records`, `train`, `compare`, and the modules `augmentations`, `backbones`,
`datasets`, `estimators`, `fidelity` and `theory`. All modules:

```{toctree}
:glob:
:maxdepth: 1

gmixup.*
```
"""


def write_reference(folder: Path) -> None:
    """Pages of all public modules, in place of those that were there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "index.md").write_text(INDEX, encoding="utf-8")
    for module in _modules():
        text = "\n".join(_page(module))
        (folder / f"{module.__name__}.md").write_text(text, encoding="utf-8")


def _modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(gmixup.__path__, "gmixup."):
        hidden = any(part.startswith("_") for part in found.name.split("."))
        if not hidden and found.name not in NOT_SHOWN:
            yield import_module(found.name)


def _page(module: ModuleType) -> Iterator[str]:
    yield f"# {module.__name__.removeprefix('gmixup.')}\n"
    yield f"{inspect.getdoc(module) or ''}\n"
    for name, member in _public(module, module.__name__):
        yield from _entry(name, member, 2)
        if inspect.isclass(member):
            for method, function in _public(member, module.__name__):
                yield from _entry(f"{name}.{method}", function, 3)


def _public(scope: Any, home: str) -> Iterator[tuple[str, Any]]:
    """Classes and functions that are defined in this module, in the order of the file."""
    for name, member in vars(scope).items():
        member = getattr(member, "__func__", getattr(member, "fget", member))
        wanted = inspect.isclass(member) or inspect.isfunction(member)
        if wanted and not name.startswith("_") and member.__module__ == home:
            yield name, member


def _entry(name: str, member: Any, level: int) -> Iterator[str]:
    yield f"{'#' * level} {name}\n"
    try:
        signature = str(inspect.signature(member))
    except ValueError:  # some classes of the standard library have none
        signature = ""
    yield f"```python\n{name}{signature}\n```\n"
    yield f"{inspect.getdoc(member) or ''}\n"
