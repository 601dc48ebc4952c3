"""Simulated comparisons with known truth: what the tests find there."""

import numpy as np
import pytest

from gmixup.evidence.simulation import (
    LEARNERS,
    Design,
    Population,
    found,
    measured_ratio,
    seeds_only,
    symmetric_learners,
)

POPULATION = Population(graphs=200)


@pytest.mark.parametrize("design", [Design(2), Design(2, 5), Design(3, None)])
def test_a_design_parts_the_graphs_by_class(design):
    train, test = design.draw(200, np.random.default_rng(0))
    assert train.shape == test.shape == (design.fits, 200)
    assert not (train.astype(bool) & test).any()
    share, tested = design.shares
    for label in (0, 1):
        assert (train[:, label::2].sum(1) == round(share * 100)).all()
        assert (test[:, label::2].sum(1) == round(tested * 100)).all()
    assert design.ratio == pytest.approx(tested / share)


def test_folds_test_each_graph_once():
    _, test = Design(3, 10).draw(200, np.random.default_rng(0))
    assert (test.reshape(3, 10, 200).sum(1) == 1).all()
    assert (test[:10] != test[10:20]).any()


def test_a_cut_training_part_keeps_the_whole_ones_ratio():
    design = Design(1, train_fraction=0.1)
    train, _ = design.draw(200, np.random.default_rng(0))
    assert (train.sum(1) == 16).all()  # a tenth of 80 a class
    assert design.ratio == pytest.approx(Design(1).ratio)
    assert design.cut_ratio == pytest.approx(10 * design.ratio)


def test_learners_are_those_of_their_definition():
    draw = np.random.default_rng(1)
    views, classes = POPULATION.draw(draw)
    x = views[0]
    train, _ = Design(1, None).draw(200, draw)
    kept = train[0] > 0
    centres = [x[kept & (classes == label)].mean(0) for label in (0, 1)]
    far = [((x - centre) ** 2).sum(1) for centre in centres]
    assert (LEARNERS["nearest-mean"](x, classes, train)[0] == (far[1] < far[0])).all()
    near = ((x[:, None] - x[kept]) ** 2).sum(2).argmin(1)
    assert (LEARNERS["nearest-neighbour"](x, classes, train)[0] == classes[kept][near]).all()
    wide = np.c_[x, np.ones(200)].astype(float)
    w = np.linalg.solve(
        wide[kept].T @ wide[kept] + np.eye(11), wide[kept].T @ (2 * classes[kept] - 1)
    )
    assert (LEARNERS["ridge"](x, classes, train)[0] == (wide @ w > 0)).all()


@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_learn(learner):
    draw = np.random.default_rng(2)
    views, classes = Population(graphs=600).draw(draw)
    train, test = Design(1).draw(600, draw)
    right = LEARNERS[learner](views[0], classes, train) == (classes > 0)
    assert 0.6 < (right & test).sum() / test.sum() < 0.85


@pytest.fixture(scope="module")
def nothing():
    """Collections in which one method is as good as the other, for new graphs."""
    return symmetric_learners(
        LEARNERS["ridge"], POPULATION, Design(5), 300, np.random.default_rng(3)
    )


def test_the_corrected_test_rarely_finds_what_is_not_there(nothing):
    assert found(nothing, Design(5).ratio) <= 0.07


def test_the_naive_test_often_does(nothing):
    assert found(nothing, 0.0) > 0.2


def test_fits_of_one_collection_are_alike_and_no_more_than_corrected_for(nothing):
    assert 0.03 < measured_ratio(nothing) < Design(5).ratio


def test_what_is_there_is_found(nothing):
    ratio = Design(5).ratio
    shares = [found(nothing, ratio, shift) for shift in (0.02, 0.06, 0.10, 0.20)]
    assert shares == sorted(shares)
    assert shares[-1] > 0.95
    assert found(nothing, ratio, -0.20) > 0.95


def test_seeds_make_neither_test_err():
    values = seeds_only(
        LEARNERS["nearest-mean"], POPULATION, Design(3), 300, np.random.default_rng(4)
    )
    assert found(values, Design(3).ratio) <= 0.07
    assert found(values, 0.0) <= 0.09
    assert abs(measured_ratio(values)) < 0.02


def test_the_same_seed_gives_the_same_collections():
    twice = [
        symmetric_learners(LEARNERS["ridge"], POPULATION, Design(1), 3, np.random.default_rng(5))
        for _ in range(2)
    ]
    assert (twice[0] == twice[1]).all()
