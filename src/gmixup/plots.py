"""Plots: graphons and graphs as matplotlib figures, drawn without pyplot and its global state."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from gmixup.graphon import Graphon

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, FAINT = "#22223b", "#8d99ae"
COLOURS = "magma"
COLUMNS = 6  # panels in a row before the next row begins


def draw_graphons(graphons: Mapping[str, Graphon], title: str = "") -> "Figure":
    """Heat maps side by side, position 0 at the top left, all on one scale of colours."""
    from matplotlib.cm import ScalarMappable

    columns = min(len(graphons), COLUMNS)
    rows = -(-len(graphons) // columns)
    figure = _figure(2.3 * columns + 0.9, 2.75 * rows + (0.4 if title else 0), title)
    panels = figure.subplots(rows, columns, squeeze=False)
    norm = _norm(list(graphons.values()))
    for axes, (name, graphon) in zip(panels.flat, graphons.items(), strict=False):
        graphon.plot(axes).images[0].set(norm=norm, cmap=COLOURS)
        _finish(axes, name, f"density {graphon.edge_density:.3g}")
    for axes in panels.flat[len(graphons) :]:
        axes.remove()
    bar = figure.colorbar(ScalarMappable(norm, COLOURS), ax=panels, shrink=0.72, aspect=24)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7, colors=INK, length=2)
    bar.set_label("chance of an edge", fontsize=8, color=INK)
    return figure


def draw_graphs(groups: Mapping[str, Sequence[nx.Graph]], title: str = "", seed: int = 0):
    """One row of drawings for each group; large and bright nodes have many edges."""
    columns = max(len(graphs) for graphs in groups.values())
    figure = _figure(1.75 * columns + 0.5, 1.95 * len(groups) + (0.4 if title else 0), title)
    panels = figure.subplots(len(groups), columns, squeeze=False)
    for row, (name, graphs) in zip(panels, groups.items(), strict=True):
        for axes, graph in zip(row, graphs, strict=False):
            _draw_graph(axes, graph, seed)
        for axes in row:
            axes.set(xticks=[], yticks=[], aspect="equal")
            axes.spines[:].set_visible(False)
        row[0].set_ylabel(name, fontsize=10, color=INK, labelpad=8)
    return figure


def save_figure(figure: "Figure", path: str | Path) -> None:
    """Writes the figure as the suffix says; the same figure always gives the same bytes."""
    from matplotlib import rc_context

    dated = Path(path).suffix in (".svg", ".pdf")
    with rc_context({"svg.hashsalt": "gmixup"}):
        date = {"CreationDate" if Path(path).suffix == ".pdf" else "Date": None}
        figure.savefig(path, dpi=200, metadata=date if dated else {"Software": ""})


def _figure(width: float, height: float, title: str) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained", facecolor="white")
    if title:
        figure.suptitle(title, fontsize=12, color=INK)
    return figure


def _norm(graphons: Sequence[Graphon]):
    """Linear, or by square roots where a few cells outshine the rest, as hubs of sparse graphs."""
    from matplotlib.colors import PowerNorm

    values = np.concatenate([graphon.edges.numpy().ravel() for graphon in graphons])
    largest = max(float(values.max()), 1e-9)
    return PowerNorm(0.5 if np.median(values) < largest / 10 else 1.0, 0, largest)


def _finish(axes: "Axes", name: str, remark: str) -> None:
    axes.set_title(name, fontsize=10, color=INK, pad=5)
    axes.set_xlabel(remark, fontsize=8, color=FAINT, labelpad=-4)
    axes.tick_params(length=0, labelsize=7, colors=FAINT)
    axes.spines[:].set_visible(False)


def _draw_graph(axes: "Axes", graph: nx.Graph, seed: int) -> None:
    from matplotlib.collections import LineCollection

    graph = nx.convert_node_labels_to_integers(graph)
    place = nx.spring_layout(graph, seed=seed, iterations=100, k=1.6 / max(len(graph), 1) ** 0.5)
    points = np.array([place[node] for node in graph]).reshape(-1, 2)
    degree = np.array([degree for _, degree in graph.degree()])
    lines = points[np.array(graph.edges, dtype=int).reshape(-1, 2)]
    thin = min(1.0, 6 / max(len(lines), 1) ** 0.5)
    axes.add_collection(LineCollection(list(lines), colors=FAINT, linewidths=0.7, alpha=thin))
    size = 150 / max(len(graph), 1) ** 0.5 * (0.35 + degree / max(degree.max(initial=1), 1))
    axes.scatter(
        *points.T,
        s=size,
        c=degree,
        cmap="magma",
        vmin=0,
        linewidths=0.3,
        edgecolors="white",
        zorder=2,
    )
    axes.margins(0.06)
