"""Degree features: of each graph's own edges, by what the training graphs alone have shown."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gmixup import GraphSet
from gmixup.features import MOST_BINS, DegreeFeatures
from tests.strategies import adjacencies, featured


def star(leaves):
    matrix = np.zeros((leaves + 1, leaves + 1))
    matrix[0, 1:] = matrix[1:, 0] = 1
    return matrix


@given(adjacencies(least_nodes=1), adjacencies(least_nodes=1), st.integers(0, 4) | st.none())
def test_one_hot_has_a_bin_for_each_degree_and_the_last_for_all_above(train, other, largest):
    train, other = GraphSet.of(train), GraphSet.of(other)
    features = DegreeFeatures.fit(train, "one-hot", largest)
    bound = int(train.degrees().max()) if largest is None else largest
    x = features.apply(other).x
    assert x.shape == (other.node_count, features.width) == (other.node_count, bound + 1)
    assert x.dtype == torch.float32
    for row, degree in zip(x, other.degrees().tolist(), strict=True):
        assert row.nonzero().flatten().tolist() == [min(degree, bound)]
    if largest is None:  # training has seen its last bin
        assert features.apply(train).x[:, -1].any()


@given(adjacencies(least_nodes=1))
def test_standardised_degrees_have_mean_0_and_spread_1_in_training(matrices):
    train = GraphSet.of(matrices)
    x = DegreeFeatures.fit(train, "standardised").apply(train).x.double()
    assert x.shape == (train.node_count, 1)
    assert float(x.mean()) == pytest.approx(0, abs=1e-5)
    spread = float(x.std(correction=0))
    alike = len(train.degrees().unique()) == 1
    assert spread == pytest.approx(0 if alike else 1, abs=1e-5)


def test_statistics_are_those_of_training_and_nothing_is_changed():
    train, other = GraphSet.of([star(4), star(2)]), GraphSet.of([star(30)])
    features = DegreeFeatures.fit(train, "standardised")
    assert features == DegreeFeatures("standardised", mean=1.5, spread=1.0)
    assert features.apply(other).x[0, 0] == pytest.approx((30 - 1.5) / 1.0)
    assert other.x is None


def test_constant_is_one():
    graphs = GraphSet.of([star(4), star(2)])
    assert DegreeFeatures.fit(graphs, "constant").apply(graphs).x.tolist() == [[1.0]] * 8


@pytest.mark.parametrize(
    ("leaves", "kind"), [(3, "one-hot"), (MOST_BINS - 1, "one-hot"), (MOST_BINS, "standardised")]
)
def test_auto_takes_a_column_a_degree_where_that_is_not_too_many(leaves, kind):
    assert DegreeFeatures.fit(GraphSet.of([star(leaves)])).kind == kind


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g: DegreeFeatures.fit(g, "ones"), "`kind` is 'ones'; it must be auto, one-hot"),
        (lambda g: DegreeFeatures.fit(g, "one-hot", -1), "`largest` is -1; it must be 0 or more"),
        (lambda g: DegreeFeatures.fit(g).apply(g), "`graphs` has 3 node features"),
        (lambda _: DegreeFeatures.fit(GraphSet.of([np.zeros((0, 0))])), "`train` has no node"),
    ],
)
def test_errors_say_what_to_do(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call(GraphSet.of(featured()))
