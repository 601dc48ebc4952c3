"""Demo: the whole story on an embedded data set: estimate two graphons, mix them, draw graphs."""

from collections.abc import Callable
from pathlib import Path

import torch

from gmixup import datasets, estimators
from gmixup.atomic import whole_files
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet
from gmixup.plots import draw_graphons, draw_graphs, save_figure
from gmixup.portraits import estimate_by_class

DATA = "two-and-eight-communities"
DRAWN = 5  # graphs of each kind in the picture


def tell_story(folder: str | Path, seed: int = 0, say: Callable[[str], None] = print) -> None:
    """Writes `graphons.png` and `graphs.png` into a folder and says what is in them."""
    graphs = datasets.load(DATA)
    say(f"{DATA}: {graphs}")
    first, second = estimate_by_class(graphs, estimators.VEM()).values()
    mixture = first.mix(second, 0.5)
    for name, graphon in (("class 0", first), ("class 1", second), ("mixture", mixture)):
        say(f"{name}: {graphon}")
    pictured = {"class 0": first, "half and half": mixture, "class 1": second}
    with whole_files(folder) as draft:
        figure = draw_graphons(pictured, "The graphon of each class, and their mixture")
        save_figure(figure, draft / "graphons.png")
        figure = draw_graphs(_examples(graphs, pictured, seed), "Real graphs and drawn ones")
        save_figure(figure, draft / "graphs.png")
    for file in ("graphons.png", "graphs.png"):
        say(f"written: {Path(folder) / file}")


def _examples(graphs: GraphSet, graphons: dict[str, Graphon], seed: int) -> dict[str, list]:
    """Networkx graphs by row: real ones of both classes, and some drawn from each graphon."""
    labels = graphs.labels()
    real = {
        f"real, class {label}": graphs.subset(torch.nonzero(labels == label).flatten()[:DRAWN])
        for label in (0, 1)
    }
    drawn = {
        f"drawn, {name}": graphon.sample_many(DRAWN, seed=seed)
        for name, graphon in graphons.items()
    }
    rows = [list(real.items())[:1], list(drawn.items()), list(real.items())[1:]]
    return {name: part.to_networkx() for row in rows for name, part in row}
