"""Smoothing: exact where it must be, blocks by likelihood, and the density kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmixup.smoothing import (
    _losses,
    _merged,
    _profile,
    best_blocks,
    best_surface,
    border_grid,
    fitting_resolution,
    likelihood,
    local_polynomial,
    with_density,
)


def counts(chance, nodes, seed=0):
    """Edges and pairs by cell of one graph with so many nodes a cell, noise and all."""
    rng, steps = np.random.default_rng(seed), len(chance)
    pairs = np.full((steps, steps), float(nodes * nodes))
    drawn = np.triu(rng.binomial(nodes * nodes, chance)).astype(float)
    return drawn + np.triu(drawn, 1).T, pairs


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("bandwidth", [0.03, 0.2])
def test_a_polynomial_passes_through_its_smoother(degree, bandwidth):
    x = (np.arange(25) + 0.5) / 25
    smoother = local_polynomial(25, bandwidth, degree)
    for power in range(degree + 1):
        assert np.allclose(smoother @ x**power, x**power, atol=1e-6)


@given(st.integers(0, 1000), st.integers(2, 7))
def test_what_a_merge_loses_is_what_the_likelihood_falls_by(seed, steps):
    rng = np.random.default_rng(seed)
    edges, pairs = counts(rng.random((steps, steps)).round(1) * 0.9 + 0.05, 6, seed)
    before, lost = _profile(edges, pairs).sum(), _losses(edges, pairs)
    runs = list(_merged(edges, pairs))
    assert [len(starts) for starts, _, _ in runs] == list(range(steps, 0, -1))
    assert before - _profile(*runs[1][1:]).sum() == pytest.approx(lost.min(), abs=1e-6)


def test_blocks_that_are_there_are_found():
    chance = np.full((20, 20), 0.1)
    chance[:6, :6] = 0.8
    surface = best_blocks(*counts(chance, 30), nodes=1600)
    assert surface.starts.tolist() == [0, 6]
    assert np.abs(surface.edges - chance).max() < 0.02
    assert best_surface(*counts(chance, 30), nodes=1600).starts is not None


def test_a_constant_is_one_block_and_a_slope_is_none():
    edges, pairs = counts(np.full((20, 20), 0.3), 30)
    assert best_blocks(edges, pairs, 1600).starts.tolist() == [0]
    assert np.ptp(best_surface(edges, pairs, 1600).edges) < 0.02
    x = (np.arange(20) + 0.5) / 20
    slope = 0.2 + 0.6 * (x[:, None] + x) / 2
    surface = best_surface(*counts(slope, 30), 1600)
    assert surface.starts is None
    assert np.abs(surface.edges - slope).max() < 0.02


def test_no_smoothing_gives_the_shares():
    edges, pairs = counts(np.full((5, 5), 0.4), 4)
    assert np.allclose(best_surface(edges, pairs, 20, bandwidth=0).edges, edges / pairs, atol=1e-5)


def test_the_likelihood_counts_a_pair_once():
    edges, pairs = np.array([[2.0]]), np.array([[6.0]])  # one edge among three pairs
    wanted = np.log(0.3) + 2 * np.log(0.7)
    assert likelihood(edges, pairs, np.array([[0.3]])) == pytest.approx(wanted)
    assert np.isfinite(likelihood(edges, pairs, np.zeros((1, 1))))


@given(st.floats(0.01, 0.9), st.integers(0, 100))
def test_chances_in_proportion_have_the_density(density, seed):
    chance = np.random.default_rng(seed).random((6, 6)) ** 3 + 0.01
    scaled = with_density(np.minimum(chance, 1), density)
    assert scaled.max() <= 1
    assert scaled.mean() == pytest.approx(density, rel=1e-3)
    assert with_density(np.zeros((2, 2)), density).max() == 0


def test_no_finer_than_the_nodes_allow():
    given_nodes = [10, 300, 1000, 90_000, 300_000]
    assert [fitting_resolution(nodes) for nodes in given_nodes] == [20, 30, 60, 60, 20]
    assert border_grid(60, 2000).tolist() == list(range(0, 60, 3))
    assert border_grid(7, 4).tolist() == [0]
