"""Plots: graphons and graphs as matplotlib figures, drawn without pyplot and its global state."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from gmixup.colours import FAINT, FRAME, INK, SHADES
from gmixup.graphon import Graphon

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure

INK_AREA = 700  # square points that the nodes of one drawing cover together
COLOURS = 64  # of a picture that is to be a small file
COLUMNS = 6  # panels in a row before the next row begins


def draw_graphons(
    graphons: Mapping[str, Graphon], title: str = "", columns: int = COLUMNS
) -> "Figure":
    """Heat maps side by side, position 0 at the top left, all on one scale of colours."""
    from matplotlib.cm import ScalarMappable

    columns = min(len(graphons), columns)
    rows = -(-len(graphons) // columns)
    figure = _figure(2.2 * columns + 0.9, 2.45 * rows + (0.35 if title else 0), title)
    panels = figure.subplots(rows, columns, squeeze=False)
    norm, colours = _norm(list(graphons.values())), _colours()
    for axes, (name, graphon) in zip(panels.flat, graphons.items(), strict=False):
        graphon.plot(axes).images[0].set(norm=norm, cmap=colours)
        _finish(axes, name, f"density {graphon.edge_density:.3g}")
    for axes in panels.flat[len(graphons) :]:
        axes.set_axis_off()
    bar = figure.colorbar(ScalarMappable(norm, colours), ax=panels, shrink=0.8, aspect=24)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7, colors=INK, length=2)
    bar.set_label("chance of an edge", fontsize=8, color=INK)
    return figure


def draw_graphs(groups: Mapping[str, Sequence[nx.Graph]], title: str = "", seed: int = 0):
    """One row of drawings for each group; large and dark nodes have many edges."""
    columns = max(len(graphs) for graphs in groups.values())
    figure = _figure(1.75 * columns + 0.5, 1.95 * len(groups) + (0.4 if title else 0), title)
    panels = figure.subplots(len(groups), columns, squeeze=False)
    for row, (name, graphs) in zip(panels, groups.items(), strict=True):
        for axes, graph in zip(row, graphs, strict=False):
            _draw_graph(axes, graph, seed)
        for axes in row:
            axes.set(xticks=[], yticks=[])
            axes.set_aspect("equal", adjustable="datalim")
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


def save_compact(figure: "Figure", path: str | Path) -> None:
    """Writes a PNG of few colours: thousands of lines are a large file otherwise."""
    from PIL import Image

    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=130, metadata={"Software": ""})
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with Image.open(drawn) as picture:
        colours = picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
    colours.save(path, optimize=True)


def _figure(width: float, height: float, title: str) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained", facecolor="white")
    if title:
        figure.suptitle(title, fontsize=12, color=INK)
    return figure


def _colours() -> "Colormap":
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("gmixup", SHADES)


def _norm(graphons: Sequence[Graphon]) -> "Normalize":
    """A linear scale, or a logarithmic one where a few cells outshine the rest, as hubs do."""
    from matplotlib.colors import LogNorm, Normalize

    values = np.concatenate([graphon.edges.numpy().ravel() for graphon in graphons])
    largest = max(float(values.max()), 1e-9)
    if np.median(values) > largest / 100:
        return Normalize(0, largest)
    return LogNorm(largest / 1000, largest, clip=True)


def _finish(axes: "Axes", name: str, remark: str) -> None:
    axes.set_title(name, fontsize=10, color=INK, pad=5)
    axes.set_xlabel(remark, fontsize=8, color=FAINT, labelpad=-4)
    axes.tick_params(length=0, labelsize=7, colors=FAINT)
    axes.spines[:].set(color=FRAME, linewidth=0.6)


def _draw_graph(axes: "Axes", graph: nx.Graph, seed: int) -> None:
    from matplotlib.collections import LineCollection

    graph = nx.convert_node_labels_to_integers(graph)
    points, degree = _layout(graph, seed), np.array([degree for _, degree in graph.degree()])
    lines = points[np.array(graph.edges, dtype=int).reshape(-1, 2)]
    faint = min(1.0, 8 / max(len(lines), 1) ** 0.5)
    axes.add_collection(LineCollection(list(lines), colors=FAINT, linewidths=0.6, alpha=faint))
    # The nodes share one area of ink, half evenly and half by degree, so that hubs are seen.
    mean = max(degree.mean() if len(degree) else 0, 1e-9)
    size = INK_AREA * (degree / mean + 1) / (2 * max(len(degree), 1))
    order = degree.argsort(kind="stable")
    shade = 0.35 + 0.65 * degree[order] / max(degree.max(initial=0), 1)
    style = {"cmap": _colours(), "vmin": 0, "vmax": 1, "linewidths": 0.25, "edgecolors": "white"}
    axes.scatter(*points[order].T, s=size[order], c=shade, zorder=2, **style)
    axes.margins(0.08)


def _layout(graph: nx.Graph, seed: int) -> np.ndarray:
    """(n, 2) places: springs within each component, the largest in the middle, the rest around."""
    points, ring, angle = np.zeros((len(graph), 2)), 0.0, 2 * np.pi
    for part in sorted(nx.connected_components(graph), key=len, reverse=True):
        nodes, radius = sorted(part), len(part) ** 0.5
        rounds = 100 if len(nodes) < 200 else 50  # each round looks at all pairs
        place = nx.spring_layout(graph.subgraph(nodes), seed=seed, iterations=rounds)
        points[nodes] = radius * np.array([place[node] for node in nodes])
        if ring:
            if angle + 2 * radius / ring > 2 * np.pi:  # this ring is full
                ring, angle = ring + 2.2 * radius, 0.0
            step = 1.1 * radius / ring
            angle += step
            points[nodes] += ring * np.array([np.cos(angle), np.sin(angle)])
            angle += step
        else:
            ring = radius
    return points
