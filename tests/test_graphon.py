"""Graphon: checked on entry, exact under mixing and resampling, and the same after a file."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gmixup import Graphon, GraphSet, theory
from gmixup.alignment import align
from gmixup.columns import Columns
from gmixup.sizes import SizeLaw
from gmixup.surfaces import SURFACES
from tests.strategies import featured, step_functions

lams = st.floats(0, 1)


def full_graphon(seed=0, resolution=5):
    """A graphon with features, edge features, sizes and a label."""
    graphs = GraphSet.of(featured(seed, count=10))
    columns = Columns.of(GraphSet.of(featured(0, 10)).x)
    levels = Columns.of(torch.tensor([[0, 0], [3, 1]]))
    graphs = dataclasses.replace(graphs, columns=columns, edge_columns=levels)
    aligned = align(graphs, resolution)
    return Graphon(
        edges=aligned.mean(),
        features=aligned.mean_features(),
        edge_features=aligned.mean_edge_features(),
        label=torch.eye(2)[seed % 2],
        sizes=aligned.sizes,
        columns=aligned.columns,
        edge_columns=aligned.edge_columns,
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"edges": torch.zeros(2, 3)}, r"`edges` has shape \(2, 3\); it must be \(K, K\)"),
        ({"edges": torch.zeros(0, 0)}, "`edges` is empty"),
        ({"edges": 0.5}, r"`edges` has shape \(\); it must be \(K, K\)"),
        ({"edges": torch.tensor([[0.0, 1.0], [0.0, 0.0]])}, "not symmetric"),
        ({"edges": torch.full((2, 2), 1.5)}, r"spans \[1.5, 1.5\]; probabilities lie in \[0, 1\]"),
        ({"edges": torch.full((2, 2), float("nan"))}, "`edges` holds NaN"),
        ({"edges": torch.zeros(2, 2), "features": torch.zeros(3, 1)}, "`features` has 3 cells"),
        ({"edges": torch.zeros(2, 2), "label": torch.zeros(1, 2)}, "`label` has shape"),
        ({"edges": torch.zeros(2, 2), "edge_features": torch.zeros(2, 2)}, r"must be \(K, K, Fe\)"),
    ],
)
def test_what_is_no_graphon_is_refused_in_words(fields, words):
    with pytest.raises(ValueError, match=words):
        Graphon(**fields)


@pytest.mark.filterwarnings("error")
def test_a_matrix_of_any_kind_is_taken():
    matrix = np.array([[0.0, 0.25], [0.25, 1.0]])
    fixed = matrix.copy()
    fixed.flags.writeable = False
    tensor = torch.from_numpy(matrix)
    kinds = [fixed, matrix.astype(">f8"), matrix.astype(np.float16), matrix.tolist()]
    kinds += [tensor.clone().requires_grad_(), tensor.bfloat16()]
    for kind in kinds:
        assert torch.equal(Graphon(kind).edges, tensor)
    assert torch.equal(Graphon(matrix[::-1, ::-1]).edges, tensor.flip(0, 1))


def test_the_callers_matrix_is_not_shared():
    matrix = torch.full((2, 2), 0.5)
    graphon = Graphon(matrix)
    matrix.zero_()
    assert graphon.edges.dtype == torch.float64
    assert graphon.edge_density == 0.5


def test_positions_find_their_cell():
    graphon = Graphon(torch.tensor([[0.75, 0.25], [0.25, 0.125]]))
    assert graphon(0.0, 0.49) == 0.75
    assert graphon(0.5, 1.0) == 0.125
    assert graphon(np.array([0.0, 0.6]), 0.9).tolist() == [0.25, 0.125]
    assert isinstance(graphon(torch.tensor(0.1), torch.tensor([0.9])), torch.Tensor)
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        graphon(1.1, 0.0)


@given(step_functions(), step_functions(), lams)
def test_mixing_is_linear_across_resolutions(first, second, lam):
    mixed = Graphon(first).mix(Graphon(second), lam)
    grid = torch.linspace(0.001, 0.999, 37, dtype=torch.float64)
    at = (grid[:, None], grid[None, :])
    expected = lam * Graphon(first)(*at) + (1 - lam) * Graphon(second)(*at)
    assert torch.allclose(mixed(*at), expected)


@given(step_functions(), st.integers(1, 9))
def test_resampling_keeps_mass_and_refines_exactly(matrix, steps):
    graphon = Graphon(matrix)
    assert graphon.resample(steps).edge_density == pytest.approx(graphon.edge_density)
    fine = graphon.resample(graphon.resolution * steps)
    assert graphon.distance(fine) == pytest.approx(0, abs=1e-12)
    assert graphon.distance(fine.resample(graphon.resolution)) == pytest.approx(0, abs=1e-12)


def test_mixing_at_its_ends_is_the_identity():
    first, second = full_graphon(0), full_graphon(1)
    for lam, pure in ((1.0, first), (0.0, second)):
        mixed = first.mix(second, lam)
        for name in ("edges", "features", "label"):
            assert torch.equal(getattr(mixed, name), getattr(pure, name))
        there = pure.edges > 0
        assert torch.allclose(mixed.edge_features[there], pure.edge_features[there])
        assert torch.equal(mixed.sizes.pairs, pure.sizes.pairs)
    assert first.mix(second, 0.25).label.tolist() == [0.25, 0.75]


def test_mixed_edge_features_come_from_where_the_edges_come_from():
    first = Graphon(torch.full((1, 1), 0.9), edge_features=torch.full((1, 1, 1), 1.0))
    second = Graphon(torch.full((1, 1), 0.3), edge_features=torch.full((1, 1, 1), 5.0))
    # Half and half, an edge is three times as likely to be the first one's.
    assert first.mix(second, 0.5).edge_features.item() == pytest.approx(2.0)


def test_unlike_graphons_do_not_mix():
    with pytest.raises(ValueError, match="`features` has width 3 and None in the graphons"):
        full_graphon().mix(Graphon(torch.zeros(5, 5)), 0.5)
    with pytest.raises(ValueError, match=r"`lam` is 1\.5"):
        full_graphon().mix(full_graphon(), 1.5)
    with pytest.raises(ValueError, match="no common refinement"):
        Graphon(torch.zeros(997, 997)).mix(Graphon(torch.zeros(991, 991)), 0.5)
    other = dataclasses.replace(full_graphon(), columns=None)
    with pytest.raises(ValueError, match="`columns` differs"):
        full_graphon().mix(other, 0.5)


@given(step_functions())
def test_measures_are_the_integrals(matrix):
    graphon = Graphon(matrix)
    assert graphon.marginal().tolist() == pytest.approx(matrix.mean(1).tolist())
    assert graphon.edge_density == pytest.approx(float(matrix.mean()))
    steps = len(matrix)
    triangle = float(torch.trace(matrix @ matrix @ matrix)) / steps**3
    assert graphon.triangle_density == pytest.approx(triangle)


def test_distances():
    first, second = Graphon(torch.full((2, 2), 0.5)), Graphon(torch.full((3, 3), 0.2))
    assert first.distance(second) == pytest.approx(0.3)
    assert first.distance(second, "cut") == pytest.approx(0.3)
    assert first.distance(second, "gromov-wasserstein") == pytest.approx(0.3, abs=1e-6)
    matrix = torch.tensor([[0.9, 0.3, 0.1], [0.3, 0.5, 0.2], [0.1, 0.2, 0.05]])
    order = torch.tensor([2, 0, 1])
    permuted = Graphon(matrix[order][:, order])
    assert Graphon(matrix).distance(permuted) > 0.1
    assert Graphon(matrix).distance(permuted, "gromov-wasserstein") == pytest.approx(0, abs=1e-4)
    with pytest.raises(ValueError, match="`kind` is 'l3'; it is one of l2, cut"):
        first.distance(second, "l3")


def test_saved_and_loaded(tmp_path):
    graphon = full_graphon()
    graphon.save(tmp_path / "graphon")
    back = Graphon.load(tmp_path / "graphon")
    for name in ("edges", "features", "edge_features", "label"):
        assert torch.equal(getattr(graphon, name), getattr(back, name))
    assert (back.columns, back.edge_columns) == (graphon.columns, graphon.edge_columns)
    assert torch.equal(back.sizes.weights, graphon.sizes.weights)
    assert repr(back) == repr(graphon)


def test_a_file_that_holds_no_graphon_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", matrix=np.eye(2))
    np.savez(tmp_path / "more.npz", edges=np.eye(2), more=1)
    np.save(tmp_path / "array.npy", np.eye(2))
    (tmp_path / "words.npz").write_text("hello")
    for name in ("other.npz", "more.npz", "array.npy", "words.npz"):
        with pytest.raises(ValueError, match=f"{name}', which is no graphon; give what `save`"):
            Graphon.load(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"absent\.npz"):
        Graphon.load(tmp_path / "absent.npz")


@pytest.mark.parametrize("name", [*list(SURFACES)[:9], "logistic-10"])
def test_monotone_synthetic_graphons_begin_with_their_largest_degree(name):
    assert (Graphon.named(name, 60).marginal().diff() <= 1e-12).all()


# At u = .2, v = .7, from the published formulas; the axes of growing ones are turned.
AT_A_POINT = {
    "product": 0.8 * 0.3,
    "exponential-sum": math.exp(-(0.2**0.7 + 0.7**0.7)),
    "square-and-root": (0.8**2 + 0.3**2 + 0.8**0.5 + 0.3**0.5) / 4,
    "mean": (0.8 + 0.3) / 2,
    "logistic-2": 1 / (1 + math.exp(-2 * (0.8**2 + 0.3**2))),
    "logistic-max-min": 1 / (1 + math.exp(-(0.8**2 + 0.3**4))),
    "exponential-max": math.exp(-(0.7**0.75)),
    "exponential-min-root": math.exp(-(0.2 + 0.2**0.5 + 0.7**0.5) / 2),
    "log-max": math.log(1 + 0.8 / 2),
    "distance": 0.5,
    "closeness": 0.5,
    "two-blocks": 0.0,
    "bipartite": 0.8,
    "logistic-10": 1 / (1 + math.exp(-10 * (0.8**2 + 0.3**2))),
}


@pytest.mark.parametrize("name", SURFACES)
def test_synthetic_graphons_are_the_published_formulas(name):
    assert float(SURFACES[name](np.array(0.2), np.array(0.7))) == pytest.approx(AT_A_POINT[name])
    assert (Graphon.named(name, 12).edges - Graphon.named(name, 12).edges.T).abs().max() < 1e-12


def test_an_unknown_synthetic_graphon_is_refused_in_words():
    with pytest.raises(ValueError, match="`name` is 'xy'; the synthetic graphons are product"):
        Graphon.named("xy")


def test_sampled_graphs_carry_everything():
    graphon = full_graphon().mix(full_graphon(1), 0.4)
    data = graphon.sample(nodes=30, seed=1)
    assert data.x.shape == (30, 3)
    assert data.x.dtype == torch.float32
    assert (data.x.sum(1) == 1).all()
    assert data.edge_attr.shape == (data.edge_index.shape[1], 2)
    assert data.edge_attr.dtype == torch.int64
    assert torch.allclose(data.y, torch.tensor([[0.4, 0.6]]))
    assert "num_nodes" not in data
    forth = {
        tuple(e): tuple(a)
        for e, a in zip(data.edge_index.T.tolist(), data.edge_attr.tolist(), strict=True)
    }
    assert all(forth[(j, i)] == value for (i, j), value in forth.items())
    assert torch.equal(data.edge_index, graphon.sample(nodes=30, seed=1).edge_index)
    assert not torch.equal(data.edge_index, graphon.sample(nodes=30, seed=2).edge_index)


def test_sizes_of_sampled_graphs():
    plain = Graphon(torch.full((7, 7), 0.3))
    assert plain.sample().num_nodes == 7
    law = SizeLaw.of(torch.tensor([[20, 30], [40, 25]]))
    sized = dataclasses.replace(plain, sizes=law)
    graphs = sized.sample_many(400, seed=3, density="matched")
    assert set(graphs.num_nodes.tolist()) == {20, 40}
    for nodes, edges in law.pairs.tolist():
        drawn = graphs.num_edges[graphs.num_nodes == nodes].double() / 2
        # The number of edges is about Poisson: five standard errors of its mean.
        assert float(drawn.mean()) == pytest.approx(edges, abs=5 * (edges / len(drawn)) ** 0.5)
    with pytest.raises(ValueError, match="needs the sizes of real graphs"):
        plain.sample(density="matched")
    with pytest.raises(ValueError, match="leave it None"):
        sized.sample(nodes=5, density="matched")
    with pytest.raises(ValueError, match="`density` is 'same'"):
        sized.sample(density="same")
    with pytest.raises(ValueError, match="`nodes` is"):
        sized.sample(nodes=-1)


def test_theory_takes_graphons():
    first, second = Graphon.named("mean", 12), Graphon.named("product", 12)
    result = theory.mixing_bound("triangle", first, second, 0.3)
    assert result.density_difference[0] <= result.bound[0]
    assert result.density_difference[1] <= result.bound[1]


def test_plot_draws_the_matrix():
    import matplotlib

    matplotlib.use("Agg")
    axes = Graphon.named("mean", 9).plot()
    assert axes.images[0].get_array().shape == (9, 9)
