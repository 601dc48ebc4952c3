"""Doctor: versions, threads, devices and data that are there, and what is missing for what."""

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from gmixup import __version__
from gmixup.datasets import names, room
from gmixup.datasets._disk import places, root_folder

PACKAGES = (
    "torch",
    "torch-geometric",
    "numpy",
    "scipy",
    "scikit-learn",
    "networkx",
    "matplotlib",
    "joblib",
    "cyclopts",
    "jinja2",
)
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class Extra:
    """What more may be installed, and what for."""

    name: str
    modules: tuple[str, ...]
    purpose: str


EXTRAS = (
    Extra("estimators", ("skimage", "ot"), "transport between graphs, estimators as published"),
    Extra("dask", ("dask", "distributed"), "runs on a dask cluster: --backend dask"),
    Extra("ray", ("ray",), "runs on a ray cluster: --backend ray"),
    Extra("track", ("tensorboard",), "training curves in TensorBoard"),
)


def examine(root: str | Path | None = None) -> Iterator[str]:
    """The findings, line by line."""
    yield f"gmixup {__version__}, Python {platform.python_version()}, {platform.platform()}"
    yield f"from {Path(sys.executable).parent}"
    yield "\nVersions"
    yield from (f"  {name} {_version(name)}" for name in PACKAGES)
    yield "\nThreads and devices"
    yield from (f"  {line}" for line in _machine())
    yield "\nData"
    yield from (f"  {line}" for line in _data(root))
    yield "\nExtras"
    yield from (f"  {_extra(extra)}" for extra in EXTRAS)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return f"is missing, and nothing trains without it: pip install {name}"


def _machine() -> Iterator[str]:
    import torch

    told = ", ".join(f"{name}={os.environ.get(name, 'not set')}" for name in THREADS)
    yield f"{os.cpu_count()} cores; torch uses {torch.get_num_threads()} ({told})"
    yield f"cpu: {_processor()}"
    if not torch.cuda.is_available():
        yield f"no CUDA device that torch {torch.__version__} can use: training runs on the CPU"
    for index in range(torch.cuda.device_count()):
        found = torch.cuda.get_device_properties(index)
        yield f"cuda:{index}: {found.name}, {found.total_memory / 2**30:.0f} GiB"


def _processor() -> str:
    """By the name that Linux knows, or else what Python does."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.is_file() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def _data(root: str | Path | None) -> Iterator[str]:
    yield f"root: {root_folder(root).absolute()}"
    embedded = room.names()
    wanted = [name for name in names() if name not in embedded]
    there = [name for name in wanted if any(place.is_dir() for place in places(name, root))]
    missing = [name for name in wanted if name not in there]
    yield f"embedded: {', '.join(embedded)}"
    yield f"found: {', '.join(there) or 'none'}"
    if missing:
        yield f"not there, downloaded when first asked for: {', '.join(missing)}"


def _extra(extra: Extra) -> str:
    missing = [module for module in extra.modules if find_spec(module) is None]
    if not missing:
        return f"{extra.name}: installed ({extra.purpose})"
    return f"{extra.name}: missing; for {extra.purpose}: pip install 'gmixup[{extra.name}]'"
