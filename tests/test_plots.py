"""Pictures: what is on them, that they need no pyplot, and that they come out the same."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import torch
from matplotlib.colors import LogNorm

from gmixup import Graphon
from gmixup.plots import COLUMNS, draw_graphons, draw_graphs, save_figure


@pytest.fixture
def graphons():
    return {name: Graphon.named(name, 8) for name in ("product", "mean", "distance")}


def panels(figure):
    return [axes for axes in figure.axes if axes.images]


def test_every_graphon_has_a_panel_with_its_name_and_values(graphons):
    figure = draw_graphons(graphons, "three")
    shown = panels(figure)
    assert figure.get_suptitle() == "three"
    assert [axes.get_title() for axes in shown] == list(graphons)
    for axes, graphon in zip(shown, graphons.values(), strict=True):
        np.testing.assert_array_equal(axes.images[0].get_array(), graphon.edges)
        assert f"density {graphon.edge_density:.3g}" == axes.get_xlabel()


def test_all_panels_share_one_scale_that_holds_the_largest_value(graphons):
    norms = [axes.images[0].norm for axes in panels(draw_graphons(graphons))]
    assert len({id(norm) for norm in norms}) == 1
    assert norms[0].vmin == 0
    assert norms[0].vmax == max(float(graphon.edges.max()) for graphon in graphons.values())


def test_a_few_bright_cells_make_the_scale_logarithmic():
    edges = torch.full((10, 10), 0.001, dtype=torch.float64)
    edges[0] = edges[:, 0] = 0.9
    (axes,) = panels(draw_graphons({"hubs": Graphon(edges)}))
    assert isinstance(axes.images[0].norm, LogNorm)


def test_many_classes_go_on_in_the_next_row():
    many = {str(label): Graphon.named("mean", 4) for label in range(COLUMNS + 1)}
    places = [axes.get_subplotspec() for axes in panels(draw_graphons(many))]
    assert [place.rowspan.start for place in places] == [0] * COLUMNS + [1]


def test_an_empty_graphon_is_drawn():
    draw_graphons({"nothing": Graphon(torch.zeros(3, 3))}).draw_without_rendering()


def test_every_edge_and_node_of_a_graph_is_drawn():
    star, parts = nx.star_graph(6), nx.disjoint_union(nx.path_graph(3), nx.empty_graph(2))
    figure = draw_graphs({"one": [star, parts], "two": [nx.empty_graph(0)]})
    (first, second), (third, _) = np.reshape(figure.axes, (2, 2))
    for axes, graph in ((first, star), (second, parts), (third, nx.empty_graph(0))):
        lines, dots = axes.collections
        assert len(lines.get_segments()) == graph.number_of_edges()
        assert len(dots.get_offsets()) == len(graph)
    assert first.get_ylabel() == "one"
    assert third.get_ylabel() == "two"


def test_a_hub_is_the_largest_dot_and_lies_on_top():
    figure = draw_graphs({"star": [nx.star_graph(6)]})
    size = figure.axes[0].collections[1].get_sizes()
    assert size.argmax() == len(size) - 1
    assert size[-1] > 2 * size[0]


def test_parts_of_a_graph_do_not_lie_on_each_other():
    graph = nx.disjoint_union_all([nx.complete_graph(5), nx.complete_graph(4), nx.empty_graph(12)])
    dots = draw_graphs({"parts": [graph]}).axes[0].collections[1].get_offsets()
    gaps = np.linalg.norm(dots[:, None] - dots[None], axis=-1)
    assert gaps[~np.eye(len(dots), dtype=bool)].min() > 0.1


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_same_figure_gives_the_same_bytes(graphons, tmp_path, suffix):
    files = [tmp_path / f"{number}.{suffix}" for number in (1, 2)]
    for file in files:
        save_figure(draw_graphons(graphons, "again"), file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_pyplot_is_not_loaded():
    code = (
        "import sys; from gmixup import Graphon; from gmixup.plots import draw_graphons; "
        "draw_graphons({'a': Graphon.named('mean', 4)}).canvas.draw(); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
