"""The ten observations: each rule on runs that were made up to be on either side of it."""

import numpy as np
import pytest

from gmixup.evidence.published import Cell as Place
from gmixup.evidence.tables import Table
from gmixup.experiments import _computed
from gmixup.experiments._archive import Archive, Found
from gmixup.experiments._rules import (
    best_at,
    between,
    distances_above,
    gains,
    lower_losses,
    steadier,
)
from gmixup.experiments.claims import CLAIMS, Claims
from gmixup.experiments.class_graphons import ClassGraphons
from gmixup.experiments.training_curves import late_loss


def runs(scores, wanted=None, loss=0.5):
    """Finished runs with these scores, seed by seed."""
    records = tuple(
        {
            "key": str(seed),
            "cell": {"split": {"seed": seed, "fold": None}, "seed": seed},
            "scores": {"test": score, "validation": score},
            "metric": "accuracy",
            "curve": {"epoch": [0, 1, 2], "loss": {"test": [9.0, 9.0, loss + seed / 1000]}},
        }
        for seed, score in enumerate(scores)
    )
    return Found(wanted or len(records), records)


def cells(gain, count=5, spread=0.0, wanted=None, loss=0.0):
    """A table of `count` cells in which g-mixup is ahead by `gain`, more or less."""
    stream, found = np.random.default_rng(0), {}
    for number in range(count):
        none = 0.7 + 0.01 * stream.standard_normal(4)
        ahead = gain + spread * stream.standard_normal()
        found[Place("gcn", "none", str(number))] = runs(none, wanted)
        found[Place("gcn", "g-mixup", str(number))] = runs(none + ahead, wanted, 0.5 + loss)
    return found


def test_a_gain_over_cells_holds_by_its_interval():
    judge = gains("table")
    assert judge({"table": cells(0.02)}, {}).word == "held"
    assert judge({"table": cells(-0.02)}, {}).word == "not held"
    noisy = judge({"table": cells(0.001, spread=0.05)}, {})
    assert noisy.word == "not held"
    assert "points over 5 cells, ahead in" in noisy.numbers


def test_ahead_everywhere_is_asked_for_where_the_rule_says_so():
    found = cells(0.03, count=8)
    found[Place("gcn", "g-mixup", "0")] = runs([0.6] * 4)
    assert gains("table")({"table": cells(0.03)}, {}).word == "held"
    assert gains("table", ahead_in_all=True)({"table": found}, {}).word == "not held"


def test_nothing_is_judged_before_all_runs_are_there():
    outcome = gains("table")({"table": cells(0.02, wanted=10)}, {})
    assert outcome.word == "not run"
    assert outcome.numbers.startswith("0 of 5 cells are complete; so far +2.00")
    assert gains("table")({"table": {}}, {}).word == "not run"


@pytest.mark.parametrize(("scale", "word"), [(0.5, "held"), (2.0, "not held")])
def test_steadier_by_a_sign_test(scale, word):
    stream = np.random.default_rng(1)
    found = {}
    for number in range(6):
        none = stream.normal(0, 0.01, 10)
        found[Place("gcn", "none", str(number))] = runs(0.7 + none)
        found[Place("gcn", "g-mixup", str(number))] = runs(0.7 + scale * none)
    outcome = steadier("table")({"table": found}, {})
    assert outcome.word == word
    assert outcome.numbers.startswith(f"lower in {6 if word == 'held' else 0} of 6 cells")


@pytest.mark.parametrize(("loss", "word"), [(-0.1, "held"), (0.1, "not held")])
def test_losses_late_in_training(loss, word):
    assert lower_losses("table", late_loss)({"table": cells(0, loss=loss)}, {}).word == word


def test_best_at_a_column():
    found = {Place("set", "g-mixup", c): runs([s]) for c, s in (("×1", 0.8), ("×2", 0.7))}
    assert best_at("table", "×1")({"table": found}, {}).word == "held"
    assert best_at("table", "×2")({"table": found}, {}).word == "not held"


def test_distances_and_courses_are_read_from_computed_tables():
    table = Table(
        "", ("set", "cut distance", "cut noise"), [("a", "0.3", "0.1"), ("b", "0.2", "0.01")]
    )
    judge = distances_above("graphons", "cut distance", "cut noise", 2)
    assert judge({}, {"graphons": [table]}).word == "held"
    assert (
        distances_above("graphons", "cut distance", "cut noise", 4)({}, {"graphons": [table]}).word
        == "not held"
    )
    assert judge({}, {"graphons": []}).word == "not run"
    course = [("0", "0.1 ± 0.01"), ("0.5", "0.31 ± 0.01"), ("1", "0.3 ± 0.01")]
    assert between("path")({}, {"path": [Table("", ("λ", "graphs"), course)]}).word == "held"
    course[1] = ("0.5", "0.33 ± 0.01")
    outcome = between("path")({}, {"path": [Table("", ("λ", "graphs"), course)]})
    assert (outcome.word, outcome.numbers[:6]) == ("not held", "0 of 1")
    assert between("path")({}, {}).word == "not run"


def test_all_ten_are_told_and_none_is_judged_without_runs(tmp_path):
    assert [claim.number for claim in CLAIMS] == list(range(1, 11))
    claims = Claims(folder=tmp_path)
    results = Archive.of([]).results(claims.settings(), claims.each_seed)
    (table,) = claims.view(results).tables
    assert [row[2] for row in table.rows] == ["not run"] * 10
    assert "10 not run." in table.notes
    header = ("set", "classes", "cut distance", "cut noise")
    rows = [("IMDB-BINARY", "0 and 1", "0.3", "0.1")]
    _computed.keep(tmp_path, ClassGraphons(), [Table("Distances", header, rows)], 1.0)
    (table,) = claims.view(results).tables
    assert table.rows[0][2] == "held"
