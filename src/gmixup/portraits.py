"""Portraits: one graphon for each class of a data set, as files and as one picture."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gmixup import fidelity
from gmixup.atomic import whole_files
from gmixup.estimators._base import AbstractEstimator
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet

Progress = Callable[[Iterable[Any]], Iterable[Any]]


def estimate_by_class(
    graphs: GraphSet, estimator: AbstractEstimator, progress: Progress = iter
) -> dict[str, Graphon]:
    """A graphon for each class, all of one resolution; one for `all` where graphs have no label."""
    resolution = estimator.resolution or estimator.default_resolution(graphs)
    graphs, estimator = graphs.pinned(), replace(estimator, resolution=resolution)
    if graphs.y is None:
        return {"all": estimator.estimate(graphs)}
    classes = graphs.by_class().items()
    return {f"class {label}": estimator.estimate(part) for label, part in progress(classes)}


def compare_by_class(
    graphs: GraphSet, graphons: Mapping[str, Graphon], progress: Progress = iter, count: int = 1000
) -> Iterable[str]:
    """For each class, in Markdown, its graphs beside `count` graphs drawn from its graphon."""
    parts = [graphs] if graphs.y is None else graphs.by_class().values()
    for (name, graphon), real in progress(list(zip(graphons.items(), parts, strict=True))):
        drawn = graphon.sample_many(count, density="matched", isolated="join")
        yield f"**{name}**\n\n{fidelity.compare(real, drawn).markdown()}\n"


def write_portraits(
    graphons: Mapping[str, Graphon], folder: str | Path, title: str = ""
) -> dict[str, Path]:
    """Writes each graphon as `.npz` and all of them as `graphons.png` and `.svg`, or nothing."""
    from gmixup.plots import draw_graphons, save_figure

    names = {name: f"{name.replace(' ', '-')}.npz" for name in graphons}
    with whole_files(folder) as draft:
        for name, graphon in graphons.items():
            graphon.save(draft / names[name])
        figure = draw_graphons(graphons, title)
        for suffix in ("png", "svg"):
            save_figure(figure, draft / f"graphons.{suffix}")
    return {name: Path(folder) / file for name, file in names.items()}
