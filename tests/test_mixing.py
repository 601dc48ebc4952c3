"""Laws of lambda, pairs of classes, members of classes."""

import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gmixup.mixing import (
    Beta,
    balancing_weights,
    check_lambda,
    draw_lambda,
    draw_members,
    draw_pairs,
    mean_lambda,
)
from gmixup.seeds import generator

LAWS = {
    "uniform": ((0.1, 0.4), stats.uniform(0.1, 0.3)),
    "beta": (Beta(2.0, 5.0), stats.beta(2.0, 5.0)),
    "arcsine": (Beta(0.5, 0.5), stats.beta(0.5, 0.5)),
}


@pytest.mark.parametrize(("lam", "law"), LAWS.values(), ids=LAWS)
def test_lambda_has_its_law(lam, law):
    drawn = draw_lambda(lam, 20_000, generator(0, "lambda"))
    assert drawn.shape == (20_000,)
    assert drawn.dtype == torch.float64
    assert stats.kstest(drawn.numpy(), law.cdf).pvalue > 1e-3
    assert mean_lambda(lam) == pytest.approx(law.mean())


@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0, 0, 1])
def test_a_fixed_lambda_is_drawn_as_it_is(lam):
    assert draw_lambda(lam, 3, generator(0)).tolist() == [lam] * 3
    assert mean_lambda(lam) == lam


@given(st.tuples(st.floats(0, 1), st.floats(0, 1)), st.integers(0, 99))
def test_lambda_stays_between_its_ends(ends, seed):
    low, high = sorted(ends)
    drawn = draw_lambda((low, high), 50, generator(seed))
    assert float(drawn.min()) >= low
    assert float(drawn.max()) <= high
    assert torch.equal(drawn, draw_lambda((low, high), 50, generator(seed)))


@pytest.mark.parametrize(
    "lam",
    [-0.1, 1.1, float("nan"), (0.4, 0.2), (0.1, 1.2), (0.1, 0.2, 0.3), [0.1, 0.2], "0.1", None],
)
def test_a_lambda_outside_the_unit_interval_is_refused(lam):
    with pytest.raises(ValueError, match=re.escape(f"`lam` is {lam}; it must be a number in")):
        check_lambda(lam)


@pytest.mark.parametrize(("name", "values"), {"a": (0.0, 1.0), "b": (1.0, -2.0)}.items())
def test_a_beta_law_needs_parameters_above_zero(name, values):
    with pytest.raises(ValueError, match=rf"`{name}` is .*must be above 0"):
        Beta(*values)


def test_ordered_pairs_are_all_alike_likely():
    pairs = draw_pairs(4, 24_000, generator(0, "pairs"))
    counts = torch.bincount(pairs[:, 0] * 4 + pairs[:, 1], minlength=16).reshape(4, 4)
    assert counts.diagonal().tolist() == [0] * 4
    assert stats.chisquare(counts[~torch.eye(4, dtype=torch.bool)]).pvalue > 1e-3


def test_the_second_class_follows_the_weights_and_the_first_is_any_other():
    pairs = draw_pairs(3, 30_000, generator(1, "pairs"), torch.tensor([0.5, 0.5, 0.0]))
    counts = torch.bincount(pairs[:, 0] * 3 + pairs[:, 1], minlength=9).reshape(3, 3)
    assert counts[:, 2].tolist() == [0, 0, 0]
    seen = [counts[1, 0], counts[2, 0], counts[0, 1], counts[2, 1]]
    assert stats.chisquare(seen).pvalue > 1e-3


def test_one_class_is_paired_with_itself():
    assert draw_pairs(1, 3, generator(0)).tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("weights", [[1.0], [0.0, 0.0], [1.0, -1.0], [float("nan"), 1.0]])
def test_weights_that_are_no_odds_are_refused(weights):
    with pytest.raises(ValueError, match=r"`weights` is .*must be 2 numbers that are not negative"):
        draw_pairs(2, 5, generator(0), torch.tensor(weights))


def added_mass(weights, count, share):
    """The label mass that `count` pairs add on average, by listing all pairs."""
    chances, mass = weights / weights.sum(), torch.zeros(len(weights), dtype=torch.float64)
    for second, chance in enumerate(chances):
        for first in set(range(len(chances))) - {second}:
            pair = chance / (len(chances) - 1)
            mass[second] += count * share * pair
            mass[first] += count * (1 - share) * pair
    return mass


def test_balancing_weights_even_out_the_classes_where_the_count_allows():
    mass = torch.tensor([50.0, 70.0, 60.0])
    weights = balancing_weights(mass, 90, share=0.85)
    after = mass + added_mass(weights, 90, 0.85)
    assert after.tolist() == pytest.approx([90.0] * 3)


@given(
    st.lists(st.integers(1, 60), min_size=2, max_size=5),
    st.integers(1, 100),
    st.sampled_from([0.5, 0.8, 1.0]),
)
def test_balancing_never_widens_the_gap_that_uniform_pairs_leave(mass, count, share):
    mass = torch.tensor(mass).double()
    weights = balancing_weights(mass, count, share)
    assert bool((weights >= 0).all())

    def gap(weights):
        after = mass + added_mass(weights, count, share)
        return float(after.max() - after.min())

    assert gap(weights) <= gap(torch.ones(len(mass), dtype=torch.float64)) + 1e-9


def test_members_are_graphs_of_the_class_all_alike_likely():
    labels = torch.tensor([2, 0, 2, 1, 0, 2])
    wanted = torch.tensor([0, 1, 2]).repeat(10_000)
    members = draw_members(labels, wanted, generator(0, "members"))
    assert torch.equal(labels[members], wanted)
    for label in range(3):
        counts = torch.bincount(members[wanted == label], minlength=6)[labels == label]
        assert len(counts) == 1 or stats.chisquare(counts).pvalue > 1e-3


def test_a_class_without_a_graph_is_named():
    with pytest.raises(ValueError, match="no graph has class 1 of 3; give at least one graph"):
        draw_members(torch.tensor([0, 2]), torch.tensor([0, 1]), generator(0))
