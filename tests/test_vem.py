"""VEM: its sums by definition, what its steps promise, and graphons that it finds."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gmixup import Graphon, GraphSet, estimators
from gmixup.estimators._density import exposures, size_exponent
from gmixup.estimators._variational import Memberships, Units, _even_out, fit
from gmixup.estimators.vem import blurred, degree_positions, falling_order
from gmixup.smoothing import Surface, best_surface
from tests.strategies import adjacencies


def error(estimated, name):
    steps = estimated.resolution
    return 1000 * estimated.distance(Graphon.named(name, 50 * steps).resample(steps))


def spread_over(units, resolution, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(resolution), len(units.weight))


@given(adjacencies(least_nodes=1), st.integers(1, 5), st.integers(0, 100))
def test_sums_by_definition(matrices, resolution, seed):
    graphs = GraphSet.of(matrices)
    units = Units.of(graphs)
    spread = spread_over(units, resolution, seed)
    held = Memberships.of(units, spread)
    by_node, start = spread[units.of_node], 0
    edges, pairs = np.zeros((2, resolution, resolution))
    for matrix, exposure in zip(matrices, units.exposure, strict=True):
        own = by_node[start : start + len(matrix)]
        start += len(matrix)
        edges += own.T @ matrix @ own
        pairs += exposure * (np.outer(own.sum(0), own.sum(0)) - own.T @ own)
    assert np.allclose(held.edges, edges, atol=1e-6)
    assert np.allclose(held.pairs, np.maximum(pairs, edges), atol=1e-6)
    assert held.entropy == pytest.approx(-(by_node * np.log(by_node)).sum(), abs=1e-4)


def test_the_leaves_of_a_hub_are_one_unit():
    star = np.zeros((6, 6))
    star[0, 1:] = star[1:, 0] = 1
    units = Units.of(GraphSet.of([star, star]))
    assert units.weight.tolist() == [1, 5, 1, 5]
    assert units.of_node.tolist() == [0, *[1] * 5, 2, *[3] * 5]
    assert units.adjacency.toarray()[:2, :2].tolist() == [[0, 5], [1, 0]]


@settings(max_examples=15)
@given(st.integers(0, 50), st.sampled_from(["product", "distance", "two-blocks"]))
def test_the_plain_objective_never_falls(seed, name):
    graphs = Graphon.named(name).sample_many(4, 30, seed)
    units = Units.of(graphs)
    m_step = partial(best_surface, nodes=graphs.node_count, bandwidth=0)
    start = blurred(degree_positions(graphs, 8, "pooled")[units.first], graphs, units, 8)
    held, scores = Memberships.of(units, start.astype(np.float64)), []
    for _ in range(8):
        fitted = fit(units, held, m_step, evenness=30.0, iterations=1, jointly=False)
        held = fitted.held
        scores.append(fitted.score)
    assert np.diff(scores).min() >= -1e-4 * abs(scores[0])


@pytest.mark.parametrize("evenness", [1.0, 30.0])
def test_prices_make_the_cells_as_even_as_asked(evenness):
    graphs = Graphon.named("mean").sample_many(5, 40, seed=2)
    units = Units.of(graphs)
    likely = spread_over(units, 6, seed=1) ** 3
    likely /= likely.max(1, keepdims=True)
    prices = _even_out(units, likely, np.zeros(6), evenness)
    fill = units.weight @ likely
    assert np.allclose(likely.sum(1), 1)
    assert np.allclose(prices, -evenness * np.log(fill / fill.mean()), atol=1e-2)


def test_small_graphs_whose_degrees_mislead():
    graphs = Graphon.named("logistic-2", 1000).sample_many(100, 20, seed=3)
    vem, histogram = (
        error(estimators.room.make(method, resolution=20).estimate(graphs), "logistic-2")
        for method in ("vem", "histogram")
    )
    assert vem < 35
    assert vem < 0.7 * histogram


@pytest.mark.parametrize("name", ["two-blocks", "bipartite", "distance"])
def test_positions_that_degrees_do_not_tell(name):
    pytest.importorskip("ot")
    truth = Graphon.named(name, 60)
    graphs = Graphon.named(name, 1000).sample_many(10, 100, seed=4)
    far = truth.distance(estimators.VEM().estimate(graphs).resample(60), "gromov-wasserstein")
    missed = truth.distance(estimators.VEM(spectral=False, iterations=1).estimate(graphs))
    assert far < 0.05 < missed


def test_a_sharp_core_has_a_sharp_border():
    core = Graphon(torch.tensor([[0.9, 0.3], [0.3, 0.15]])[[0] * 3 + [1] * 7][:, [0] * 3 + [1] * 7])
    found = estimators.VEM().estimate(core.sample_many(10, 100, seed=1, positions="grid"))
    assert core.resample(60).distance(found.resample(60)) < 0.02


def test_the_density_is_that_of_the_graphs():
    graphs = Graphon(Graphon.named("product").edges / 20).sample_many(60, 80, seed=0)
    share = float(graphs.num_edges.sum() / (graphs.num_nodes * (graphs.num_nodes - 1)).sum())
    for part in (estimators.VEM(), estimators.Histogram()):
        assert part.estimate(graphs).edge_density == pytest.approx(share, rel=1e-6)


def test_cells_fall_in_degree_as_far_as_neighbours_stay():
    rising = Surface(np.array([[0.1, 0.2], [0.2, 0.6]]), 0.0, 0.0)
    assert falling_order(rising).tolist() == [1, 0]
    edges = np.array([[0.2, 0.1, 0.1], [0.1, 0.9, 0.9], [0.1, 0.9, 0.9]])
    assert falling_order(Surface(edges, 0.0, 0.0, np.array([0, 1]))).tolist() == [1, 2, 0]


def sized(nodes, density):
    """Edge counts, both directions, of graphs of so many nodes."""
    return np.random.default_rng(0).binomial(nodes * (nodes - 1) // 2, density) * 2.0


@pytest.mark.parametrize(
    ("density", "exponent"), [(lambda n: 0.2 + 0 * n, 0.0), (lambda n: 3 / n, -1.0)]
)
def test_the_trend_of_density_with_size(density, exponent):
    nodes = np.arange(20, 220)
    found = size_exponent(nodes.astype(float), sized(nodes, density(nodes)))
    assert found == pytest.approx(exponent, abs=0.05)
    assert size_exponent(nodes[:5].astype(float), sized(nodes[:5], density(nodes[:5]))) == 0


def test_exposures_leave_the_density_alone():
    sparse = [Graphon.named("mean", 20) for _ in range(40)]
    parts = [
        Graphon(graphon.edges * 4 / nodes).sample_many(1, nodes, seed=nodes)
        for nodes, graphon in zip(range(20, 100, 2), sparse, strict=True)
    ]
    graphs = GraphSet.joined(parts)
    pairs = (graphs.num_nodes * (graphs.num_nodes - 1)).numpy()
    found = exposures(graphs)
    assert found[0] > 2 * found[-1]
    assert found @ pairs == pytest.approx(pairs.sum())


@pytest.mark.parametrize(
    ("settings_given", "words"),
    [
        ({"iterations": 0}, "`iterations` is 0; it must be at least 1"),
        ({"evenness": 0.0}, "`evenness` is 0.0; it must be above 0 and finite"),
        ({"bandwidth": 1.5}, r"`bandwidth` is 1.5; it must be a share of \[0, 1\], 0 for no"),
        ({"resolution": 0}, "`resolution` is 0; it must be at least 1, or None"),
        ({"alignment": "random"}, "`alignment` is 'random'; it is one of quantile, pooled"),
    ],
)
def test_settings_out_of_range_say_what_they_must_be(settings_given, words):
    with pytest.raises(ValueError, match=words):
        estimators.VEM(**settings_given)
