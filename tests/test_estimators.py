"""The sound forms of SBA, LG, SAS, MC and USVT, and the steps they are made of."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gmixup import Graphon, GraphSet, estimators
from gmixup.alignment import align
from gmixup.estimators._blocks import block_means, block_sums, merged, penalised_likelihood
from gmixup.estimators._classic import Halves
from gmixup.estimators._spectrum import above, leading, noise
from gmixup.estimators.lg import largest_gaps
from gmixup.estimators.mc import complete
from gmixup.estimators.sas import interpolated, least_variation
from gmixup.estimators.sba import pivot_blocks, row_distance
from tests.reference import estimators as reference
from tests.strategies import adjacencies

CLASSIC = ("sba", "lg", "sas", "mc", "usvt")
CORE = Graphon(torch.tensor([[0.9, 0.3], [0.3, 0.15]])[[0, 0, 0] + [1] * 7][:, [0, 0, 0] + [1] * 7])
seeds = st.integers(0, 2**32 - 1)


def drawn(graphon, graphs=10, nodes=200, seed=0):
    return graphon.sample_many(graphs, nodes, seed)


def error(estimate, truth):
    """1000 · RMSE on a grid of 1000 x 1000."""
    grid = (torch.arange(1000) + 0.5) / 1000
    gap = estimate(grid[:, None], grid[None]) - truth(grid[:, None], grid[None])
    return 1000 * float(gap.square().mean().sqrt())


def halves_of(graphs, resolution):
    return Halves(*(align(graphs.subset(range(k, len(graphs), 2)), resolution) for k in (0, 1)))


@pytest.mark.parametrize(
    ("method", "given_settings", "words"),
    [
        ("sba", {"threshold": 0.0}, r"`threshold` is 0.0; it must lie in \(0, 1\], or be None"),
        ("sba", {"threshold": 1.5}, r"`threshold` is 1.5; it must lie in \(0, 1\], or be None"),
        ("lg", {"blocks": 0}, "`blocks` is 0; it must be at least 1, or None"),
        ("sas", {"width": 0}, "`width` is 0; it must be at least 1, or None"),
        ("sas", {"weight": -1.0}, "`weight` is -1.0; it must be positive, or None"),
        ("mc", {"rank": 0}, "`rank` is 0; it must be at least 1, or None"),
        ("usvt", {"threshold": 0.0}, "`threshold` is 0.0; it must be positive, or None"),
        (
            "usvt",
            {"faithful": True, "alignment": "pooled"},
            "`alignment` is 'pooled', but the faithful form ranks graph by graph; leave it at its "
            "default, or use faithful=False",
        ),
    ],
)
def test_settings_out_of_range_say_what_they_must_be(method, given_settings, words):
    with pytest.raises(ValueError, match=words):
        estimators.room.make(method, **given_settings)


MOST = {  # on the paper's five graphons, 10 simple graphs of 200 nodes
    "sba": 29,
    "lg": 26,
    "sas": 20,
    "mc": 22,
    "usvt": 22,
}


@pytest.mark.parametrize("name", ["product", "exponential-sum", "square-and-root", "mean"])
def test_errors_of_the_sound_forms(name):
    truth = Graphon.named(name, 1000)
    graphs = drawn(truth, seed=5)
    for method, most in MOST.items():
        estimate = estimators.room.make(method).estimate(graphs)
        assert error(estimate, truth) < most, method


def test_the_sound_forms_beat_the_faithful_ones():
    truth = Graphon.named("mean", 1000)
    graphs = drawn(truth, seed=1)
    for method in CLASSIC:
        sound, faithful = (
            error(estimators.room.make(method, faithful=form).estimate(graphs), truth)
            for form in (False, True)
        )
        assert sound < faithful, method


@pytest.mark.parametrize(
    ("method", "given_settings"), [("lg", {"blocks": 2}), ("sba", {"threshold": 0.2})]
)
def test_blocks_that_are_there_are_found(method, given_settings):
    # At grid positions every graph has 60 nodes in the core: no order but theirs is to be found.
    graphs = CORE.sample_many(10, 200, 0, positions="grid")
    assert error(estimators.room.make(method, **given_settings).estimate(graphs), CORE) < 5
    assert error(estimators.room.make(method).estimate(graphs), CORE) < 45


@settings(max_examples=25)
@given(adjacencies(least_nodes=1))
def test_degrees_never_rise_along_the_positions(matrices):
    graphs = GraphSet.of(matrices)
    for method, faithful in itertools.product(CLASSIC, (False, True)):
        estimator = estimators.room.make(method, faithful=faithful)
        edges = estimator.fit(graphs, 6)[0]
        assert (edges.mean(0) + edges.mean(1)).diff().max() < 1e-9, estimator


def test_one_threshold_or_block_gives_the_density():
    graphs = drawn(Graphon.named("product"), nodes=50)
    for estimator in (estimators.SBA(threshold=1.0), estimators.LG(blocks=1)):
        edges = estimator.estimate(graphs).edges
        assert torch.allclose(edges, graphs.densities().mean(), atol=1e-3)
        assert edges.min() == edges.max()


def test_the_rank_is_what_was_asked_for_or_what_stands_out():
    graphs = drawn(Graphon.named("product"))
    for estimator, rank in (
        (estimators.MC(rank=1), 1),
        (estimators.USVT(), 1),
        (estimators.USVT(threshold=1e6), 0),
    ):
        values = torch.linalg.svdvals(estimator.estimate(graphs).edges)
        # Clipping to [0, 1] adds a little to the other singular values.
        assert int((values > 0.05 * values[0]).sum()) == rank, estimator


# -- gaps and blocks -------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12), st.integers(1, 8))
def test_largest_gaps_take_most_off_the_squares(values, blocks):
    degrees = np.sort(np.array(values) / 7 + np.arange(len(values)) * 1e-3)[::-1]
    ours, plain = largest_gaps(degrees, blocks), reference.runs_by_error(degrees, blocks)
    left = [reference._scatter(degrees, cuts) for cuts in (ours.tolist(), plain)]
    assert len(ours) == len(plain)
    assert left[0] == pytest.approx(left[1], abs=1e-9)


def test_flat_degrees_have_no_gap():
    assert len(largest_gaps(np.full(9, 0.1) + 1e-15 * np.arange(9), 5)) == 0


@given(seeds, st.integers(1, 12), st.integers(1, 5))
def test_block_sums_by_definition(seed, size, blocks):
    rng = np.random.default_rng(seed)
    matrix = rng.random((size, size))
    block = np.unique(rng.integers(blocks, size=size), return_inverse=True)[1]
    sums, means = block_sums(matrix, block), block_means(matrix, block)
    for row, column in itertools.product(range(size), repeat=2):
        part = matrix[np.ix_(block == block[row], block == block[column])]
        assert sums[block[row], block[column]] == pytest.approx(part.sum())
        assert means[row, column] == pytest.approx(part.mean())


def test_penalised_likelihood_by_definition():
    graphs = drawn(CORE, graphs=3, nodes=12)
    sums = merged(align(graphs, 12), np.arange(12) // 4)
    total = 0.0
    for row in range(3):
        for column in range(3):
            edges, pairs = float(sums.edges[row, column]), float(sums.pairs[row, column])
            chance = edges / pairs
            total += (edges * np.log(chance) + (pairs - edges) * np.log(1 - chance)) / 2
    assert penalised_likelihood(sums) == pytest.approx(total - 6)


@pytest.mark.parametrize("symmetric", [True, False])
def test_row_distance_by_definition(symmetric):
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 9, 9))
    if symmetric:
        first, second = first + first.T, second + second.T
    distance = row_distance(first, second)
    for i, j in itertools.product(range(9), repeat=2):
        rows = (first[i] - first[j]) @ (second[i] - second[j]) / 9
        columns = (first[:, i] - first[:, j]) @ (second[:, i] - second[:, j]) / 9
        assert distance(i)[j] == pytest.approx((rows + columns) / 2, abs=1e-12)


def test_row_distance_is_right_on_average_where_rows_are_alike():
    flat = Graphon(torch.full((1, 1), 0.3))
    halves = halves_of(drawn(flat, graphs=4, nodes=60), 60)
    assert halves.second is not None
    distance = row_distance(halves.first.mean().numpy(), halves.second.mean().numpy())
    between = np.stack([distance(row) for row in range(20, 40)])[:, 20:40]
    assert abs(between.mean()) < 0.005


@given(seeds, st.integers(1, 10), st.floats(0.01, 1))
def test_every_row_is_in_reach_of_its_pivot(seed, size, reach):
    rng = np.random.default_rng(seed)
    matrix = rng.random((size, size))
    pivots = rng.permutation(size)
    block = pivot_blocks(lambda row: matrix[row], reach, pivots)
    for number in range(block.max() + 1):
        members = np.flatnonzero(block == number)
        pivot = next(row for row in pivots if row in members)
        assert all(matrix[pivot, row] <= reach for row in members if row != pivot)
        later = [row for row in range(size) if block[row] > number]
        assert all(matrix[pivot, row] > reach for row in later)


# -- smoothing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("weight", "tolerance"), [(0.05, 1e-6), (8.0, 2e-4)])
def test_least_variation_is_scikit_images(weight, tolerance):
    restoration = pytest.importorskip("skimage.restoration")
    noisy = np.random.default_rng(0).random((25, 25))
    wanted = restoration.denoise_tv_chambolle(noisy, weight=weight, eps=tolerance)
    assert np.allclose(least_variation(noisy, weight, tolerance), wanted, atol=1e-12)


def test_least_variation_is_least():
    noisy = np.random.default_rng(1).random((6, 6))

    def energy(image):
        gradient = np.zeros((2, 6, 6))
        gradient[0, :-1], gradient[1, :, :-1] = np.diff(image, axis=0), np.diff(image, axis=1)
        return ((image - noisy) ** 2).sum() / 2 + 0.2 * np.hypot(*gradient).sum()

    smooth = least_variation(noisy, 0.2, tolerance=0, sweeps=3000)
    for seed in range(20):
        other = smooth + 0.01 * np.random.default_rng(seed).standard_normal((6, 6))
        assert energy(smooth) < energy(other)


@given(seeds, st.integers(1, 6), st.integers(1, 6))
def test_least_variation_keeps_the_mean(seed, height, width):
    noisy = np.random.default_rng(seed).random((height, width))
    assert least_variation(noisy, 0.1, 1e-6).mean() == pytest.approx(noisy.mean())
    assert np.array_equal(least_variation(noisy, 0.0, 1e-6), noisy)


@pytest.mark.parametrize(("cells", "steps"), [(1, 5), (8, 61), (25, 200), (7, 7)])
def test_interpolated_is_bilinear(cells, steps):
    pytest.importorskip("skimage")
    values = torch.rand(cells, cells, dtype=torch.float64, generator=torch.manual_seed(0))
    assert np.allclose(interpolated(values.numpy(), steps), reference.enlarged(values, steps))


# -- low rank --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [20, 100])
@pytest.mark.parametrize("symmetric", [True, False])
def test_leading_singular_values(size, symmetric):
    matrix = np.random.default_rng(0).standard_normal((size, size))
    matrix = matrix + matrix.T if symmetric else matrix
    every = np.linalg.svd(matrix)[1]
    left, values, right = leading(matrix, 5)
    assert np.allclose(values, every[:5])
    assert np.allclose(matrix @ right.T, left * values)
    for least in (0.0, every[3:5].mean(), every[11:13].mean(), 1e9):
        assert np.allclose(above(matrix, least)[1], every[every > least])
    assert above(np.zeros((size, size)), 0.0)[1].shape == (0,)


@pytest.mark.parametrize(("graphs", "most"), [(10, 1.25), (11, 1.25), (1, 1.6)])
def test_noise_is_that_of_the_mean(graphs, most):
    flat = drawn(Graphon(torch.full((1, 1), 0.3)), graphs=graphs, nodes=150, seed=3)
    halves = halves_of(flat, 150) if graphs > 1 else Halves(align(flat, 150), None)
    # Graph by graph sorting tilts a flat graphon: what is left beside the first two is noise.
    true = torch.linalg.svdvals(halves.whole.mean() - 0.3)[2]
    assert 0.8 < noise(halves) / float(true) < most


def test_completion_finds_what_was_hidden():
    rng = np.random.default_rng(0)
    factor = rng.random((30, 2))
    truth = factor @ factor.T / 2
    weight = (abs(np.subtract.outer(range(30), range(30))) > 2).astype(float)
    rows = (weight * truth).sum(1) / weight.sum(1)
    seen = np.where(weight > 0, truth, np.outer(rows, rows) / rows.mean())
    assert np.allclose(complete(seen, weight, rank=2, tolerance=1e-12), truth)
    left, values, right = leading(seen, 2)
    assert abs(left * values @ right - truth).max() > 0.05


def test_the_completion_has_least_squares_where_pairs_were_seen():
    rng = np.random.default_rng(1)
    seen = rng.random((12, 12))
    seen, weight = seen + seen.T, rng.choice([0.2, 1.0], (12, 12))
    weight = np.minimum(weight, weight.T)
    fitted = complete(seen, weight, rank=2, sweeps=5000, tolerance=1e-13)
    values, vectors = np.linalg.eigh(fitted)
    strong = np.argsort(-abs(values))[:2]
    factor = vectors[:, strong]
    assert np.allclose(abs(values[np.argsort(-abs(values))[2:]]), 0, atol=1e-9)
    # At the optimum the weighted residual is orthogonal to what a change of the factors can do.
    assert np.allclose((weight * (seen - fitted)) @ factor, 0, atol=1e-6)


def test_a_diagonal_without_pairs_has_no_say():
    slope = torch.linspace(1, 0.5, 6, dtype=torch.float64)
    chance, pairs = slope.outer(slope), 100 * (1 - torch.eye(6, dtype=torch.float64))
    graphs = GraphSet.of([np.ones((6, 6)) - np.eye(6)])
    sums = dataclasses.replace(align(graphs, 6), edges=chance * pairs, pairs=pairs)
    assert np.allclose(estimators.MC(rank=1).sound(Halves(sums, None)), chance, atol=1e-4)
    assert not np.allclose(estimators.USVT().sound(Halves(sums, None)), chance, atol=1e-4)


def test_a_set_without_a_graph_or_a_node_is_refused_in_words():
    graphs = GraphSet.of([np.zeros((0, 0)), np.ones((2, 2))])
    for none in (graphs.subset([]), graphs.subset([0])):
        with pytest.raises(ValueError, match="no graph has a node; a graphon needs at least one"):
            estimators.LG().estimate(none)
