"""Published and replicated numbers, and ours beside them."""

from math import isnan, nan, sqrt

import numpy as np
import pytest
from scipy import stats

from gmixup.evidence.beside import beside, more_than_noise
from gmixup.evidence.published import Cell, Difference, Score, published, replicated

VANILLA = Cell("gcn", "none", "IMDB-BINARY")


def test_the_papers_numbers_are_there():
    performance = published("performance")
    assert len(performance) == 2 * 5 * 6
    assert performance[VANILLA] == Score(72.18, 1.55, 10)
    assert performance[Cell("gin", "g-mixup", "REDDIT-BINARY")].mean == 92.90
    assert {cell.method for cell in performance} == {
        "none",
        "drop-edge",
        "drop-node",
        "subgraph",
        "manifold-mixup",
        "g-mixup",
    }


def test_names_of_networks_are_ours():
    groups = {cell.group for cell in published("pooling")}
    assert groups == {"top-k", "diff-pool", "min-cut"}


def test_others_numbers_are_there():
    found = replicated("pooling")
    cell = Cell("diff-pool", "drop-edge", "IMDB-BINARY")
    assert found[cell]["rescience-2023"] == Score(71.90, 2.42, 10)
    assert replicated("no such table") == {}


def test_a_table_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="`table` is 'x'; the paper's tables are performance, "):
        published("x")


def test_scores_are_per_cent():
    own = Score.of([0.7, 0.72, 0.74])
    assert (own.mean, own.std, own.runs) == (pytest.approx(72), pytest.approx(2), 3)
    assert own.interval == pytest.approx(
        stats.t.interval(0.95, 2, loc=72, scale=2 / sqrt(3)), rel=1e-9
    )
    assert Score.of([3.0, 5.0], scale=1).mean == 4


def test_one_run_has_no_interval():
    one = Score.of([0.7])
    assert isnan(one.std)
    assert all(map(isnan, one.interval))
    assert isnan(one.above(Score(70, 1, 10)).low)
    with pytest.raises(ValueError, match="`scores` is empty; give the score of one run at least"):
        Score.of([])


def test_differences_are_those_of_welch():
    stream = np.random.default_rng(0)
    first, second = stream.normal(0.72, 0.02, 10), stream.normal(0.70, 0.04, 7)
    found = Score.of(first).above(Score.of(second))
    known = stats.ttest_ind(100 * first, 100 * second, equal_var=False)
    assert found.mean == pytest.approx(100 * (first.mean() - second.mean()))
    assert (found.low, found.high) == pytest.approx(tuple(known.confidence_interval()))


def test_what_never_varied_has_an_interval_without_width():
    found = Score(70, 0, 10).above(Score(69, 0, 10))
    assert (found.mean, found.low, found.high) == (1, 1, 1)


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (None, "–"),
        (Difference(1, nan, nan), "not known"),
        (Difference(1, 0.5, 1.5), "yes, higher"),
        (Difference(-1, -1.5, -0.5), "yes, lower"),
        (Difference(0.1, -0.5, 0.7), "no"),
    ],
)
def test_more_than_noise(difference, words):
    assert more_than_noise(difference) == words


def test_ours_beside_the_papers_and_others():
    other, mine = Cell("gcn", "g-mixup", "IMDB-BINARY"), Cell("gcn", "ours", "IMDB-BINARY")
    made = beside(
        {VANILLA: Score(75.0, 1.5, 10), mine: Score(74.0, nan, 1)},
        {VANILLA: Score(72.18, 1.55, 10), other: Score(72.87, 3.85, 10)},
        {other: {"rescience-2023": Score(70.1, 2.0, 10)}},
        {other: "needs days"},
    )
    rows = {row[0]: row[1:] for row in made.rows}
    assert rows[str(VANILLA)] == (
        "75.00 ± 1.50 (10)",
        "[73.93, 76.07]",
        "72.18 ± 1.55",
        "+2.82 [+1.39, +4.25]",
        "yes, higher",
        "–",
        "",
    )
    assert rows[str(other)] == (
        "not run",
        "–",
        "72.87 ± 3.85",
        "–",
        "–",
        "rescience-2023: 70.10 ± 2.00 (10)",
        "needs days",
    )
    assert rows[str(mine)][:3] == ("74.00 (1)", "not known", "–")
    assert "1 of 1 differences are more than noise" in made.notes[2]
    assert made.notes[3] == "1 of the cells are not run."
