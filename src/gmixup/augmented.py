"""Augmented data sets on disk: graphs, and a manifest that says how they came to be."""

import json
import platform
import shutil
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from gmixup import __version__
from gmixup.atomic import whole_files
from gmixup.augmentations._base import AbstractEnlargement
from gmixup.choices import check_choice
from gmixup.datasets import fingerprint, save_graphs, save_tu
from gmixup.graphs import GraphSet
from gmixup.mixing import Origin
from gmixup.seeds import generator

Form = Literal["pyg", "tu"]
MANIFEST = "manifest.json"
# What either form leaves in a folder, and what PyG and we make of it: of other graphs, once there
# are new ones.
MADE = ("graphs.pt", "raw", "processed", "packed")


def write_augmented(
    graphs: GraphSet,
    augmentation: AbstractEnlargement,
    folder: str | Path,
    seed: int = 0,
    form: Form = "pyg",
) -> dict[str, Any]:
    """Enlarges the graphs, writes all of them into a folder, and returns the manifest.

    The real graphs come first. `pyg` is read by `GraphFolder` and `torch.load(weights_only=True)`;
    `tu` is TU text. The manifest is the last file to appear: a folder with one is complete. An
    augmented data set that is there already is replaced; a folder of anything else is refused.
    """
    check_choice("form", form, Form)
    check_adds_graphs(augmentation)
    check_is_free(folder)
    larger, origins = augmentation.enlarge(graphs, generator(seed, augmentation.name))
    manifest = {
        "augmentation": augmentation.name,
        "settings": settings_of(augmentation),
        "seed": seed,
        "format": form,
        "graphs": {"real": len(graphs), "synthetic": len(larger) - len(graphs)},
        "classes": larger.num_classes,
        "fingerprints": {"input": fingerprint(graphs), "output": fingerprint(larger)},
        "origins": None if origins is None else [_origin(origin) for origin in origins],
        "versions": {
            "gmixup": __version__,
            "torch": torch.__version__,
            "python": platform.python_version(),
        },
    }
    folder = Path(folder)
    with whole_files(folder, last=MANIFEST) as draft:
        if form == "pyg":
            save_graphs(larger, draft)
        else:
            save_tu(larger, draft, folder.resolve().name)
        text = json.dumps(manifest, indent=1)
        (draft / MANIFEST).write_text(text + "\n", encoding="utf-8")
        _clear(folder)
    return manifest


def check_adds_graphs(augmentation: Any) -> None:
    """Raises for what acts while a network trains and leaves nothing to write."""
    if not isinstance(augmentation, AbstractEnlargement):
        raise ValueError(
            f"{augmentation.name} acts while a network trains and leaves nothing to write; choose "
            "an augmentation that adds graphs, such as g-mixup"
        )


def check_is_free(folder: str | Path) -> None:
    """Raises for a folder with files that are no augmented data set, such as the real graphs."""
    folder = Path(folder)
    if not folder.is_dir() or (folder / MANIFEST).is_file():
        return
    there = sorted(file.name for file in folder.iterdir() if not file.name.startswith("."))
    if there:
        names = ", ".join(there[:3]) + (", ..." if len(there) > 3 else "")
        raise ValueError(
            f"`out` is {str(folder)!r}, which holds {names} and no {MANIFEST}: it is no augmented "
            "data set to be replaced; name a new or an empty folder"
        )


def _clear(folder: Path) -> None:
    """Takes away the augmented data set that is to be replaced, the manifest first."""
    (folder / MANIFEST).unlink(missing_ok=True)
    for name in MADE:
        place = folder / name
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)


def settings_of(part: Any) -> dict[str, Any]:
    """The settings of a part as JSON holds them; parts and laws among them by name and settings."""
    values = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if is_dataclass(value):
            name = getattr(value, "name", type(value).__name__.lower())
            value = {"name": name} | settings_of(value)
        values[field.name] = list(value) if isinstance(value, tuple) else value
    return values


def _origin(origin: Origin) -> dict[str, Any]:
    return {"lam": round(origin.lam, 6), "classes": list(origin.classes)}
