"""The fitted exponents, and the tables they are shown in."""

import numpy as np
import pytest

from gmixup import estimators, experiments
from gmixup.experiments import complexity
from gmixup.experiments.complexity import Complexity, Sizes, exponent


def test_an_exact_power_is_found_without_error():
    sizes = np.array([1.0, 2, 4, 8])
    slope, margin = exponent(sizes, 3 * sizes**2.5)
    assert slope == pytest.approx(2.5)
    assert margin == pytest.approx(0, abs=1e-6)


def test_the_interval_holds_the_truth_nineteen_times_in_twenty():
    rng = np.random.default_rng(0)
    sizes = np.tile([1.0, 2, 4, 8], 3)
    noisy = [exponent(sizes, sizes**2 * np.exp(rng.normal(0, 0.2, 12))) for _ in range(1000)]
    held = np.mean([abs(slope - 2) < margin for slope, margin in noisy])
    assert 0.93 < held < 0.97


@pytest.mark.parametrize(("sparse", "degree"), [(False, 249.5), (True, 8)])
def test_the_graphs_have_the_edges_that_the_notes_say(sparse, degree):
    graphs = Sizes(graphs=8, nodes=500, sparse=sparse).draw(0)
    assert graphs.degrees().double().mean() == pytest.approx(degree, rel=0.1)


def test_every_estimator_stands_beside_the_paper(monkeypatch):
    small = [Sizes(graphs=m, nodes=6, steps=3) for m in (2, 4)]
    monkeypatch.setattr(complexity, "ESTIMATING", {"m": small})
    monkeypatch.setattr(complexity, "DRAWING", {"l": small})
    told = []
    estimating, drawing = Complexity(seeds=2).run(told.append)
    assert [row[0] for row in estimating.rows] == estimators.room.names()
    assert {row[0]: row[1] for row in estimating.rows}["lg"] == "m N²"
    assert all(" ± " in row[2] for row in [*estimating.rows, *drawing.rows])
    assert told[-1] == "drawing graphs"


def test_it_is_found_by_name():
    assert experiments.room.find("complexity") is Complexity
