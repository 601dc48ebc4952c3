"""What a person asks for in words, as cells; and runs of several seeds with their mean."""

import re

import pytest

import gmixup
from gmixup.datasets import TwoAndEightCommunities
from gmixup.records import Records
from gmixup.repeated import Result
from gmixup.task import task_of
from gmixup.training import Corruption, Recipe, SplitRule
from tests import runs
from tests.real_data import real_folder
from tests.small_runs import GRAPHS

SMALL = "gin:depth=1,width=4"
OWN_SET = """
from gmixup.datasets import TwoAndEightCommunities
class Mine(TwoAndEightCommunities):
    name = "my-set"
"""


def test_a_task_is_what_its_words_say():
    task = task_of(
        "two-and-eight-communities:graphs=20,nodes=(5,8)",
        backbone=SMALL,
        recipe="authors",
        epochs=3,
        precision="float64",
        train_fraction=0.5,
        label_noise=0.1,
        edge_noise=("remove", 0.2),
    )
    cell = task.cell("drop-edge", 7)
    assert cell.data == "two-and-eight-communities"
    assert cell.recipe == Recipe.authors(epochs=3, precision="float64")
    assert cell.corruption == Corruption(0.1, edges_removed=0.2)
    assert cell.split == SplitRule("ratios", 7, train_fraction=0.5)
    assert (cell.augmentation.name, cell.seed, cell.backbone.width) == ("drop-edge", 7, 4)
    assert len(task.graphs) == 20


@pytest.mark.parametrize(
    ("split", "rule"),
    [
        ("ratios", SplitRule("ratios", 23)),
        ("ratios-unstratified", SplitRule("ratios-unstratified", 23)),
        ("k-fold", SplitRule("k-fold", 2, 3)),
    ],
)
def test_a_fit_is_a_split_and_a_seed(split, rule):
    task = task_of(GRAPHS, backbone=SMALL, split=split)
    assert task.cell("none", 23).split == rule
    assert task.cell("none", 23, init=2).seed == 200_023
    assert task.cell("none", 23).data == "own graphs"


def test_names_come_from_what_was_given(tmp_path):
    GRAPHS.save(tmp_path / "mine.npz")
    assert task_of(tmp_path / "mine.npz").cell("none", 0).data == "mine"
    few = TwoAndEightCommunities(graphs=20, nodes=(5, 8))
    assert task_of(few).cell("none", 0).data == few.name


def test_a_set_of_ones_own_file_has_its_name_and_settings(tmp_path):
    (tmp_path / "mine.py").write_text(OWN_SET, encoding="utf-8")
    task = task_of(f"{tmp_path / 'mine.py'}:Mine:graphs=30", backbone=SMALL)
    assert (task.like.data, len(task.graphs)) == ("my-set", 30)


def test_sets_of_ogb_have_their_split_and_recipe():
    task = task_of(real_folder("ogbg-molbace"), backbone="ogb-gin")
    cell = task.cell("none", 3)
    assert cell.recipe == Recipe.ogb()
    assert (cell.split, cell.seed) == (SplitRule("own"), 3)
    assert task.given["own_splits"][cell.fingerprint] is task.own_split


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"recipe": "slow"}, "`recipe` is 'slow'; it is one of paper, authors, ogb, gmt, quick"),
        ({"edge_noise": ("drop", 0.1)}, "`edge_noise` is 'drop'; it is one of add, remove"),
        ({"label_noise": 2.0}, "`label_noise` is 2.0; it is a share, and must lie in [0, 1]"),
        ({"split": "own"}, "`split` is 'own', but only a set that is named has its own"),
        ({"backbone": "gun"}, "no backbone is named 'gun'"),
    ],
)
def test_what_cannot_be_is_told_before_anything_runs(settings, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        task_of(GRAPHS, **settings)


def test_train_gives_mean_and_deviation(tmp_path):
    settings = {"recipe": "quick", "epochs": 1, "device": "cpu", "out": tmp_path}
    result = gmixup.train(GRAPHS, SMALL, "g-mixup", 3, **settings)
    scores = [record["scores"]["test"] for record in result.records]
    assert result.mean == pytest.approx(sum(scores) / 3)
    assert [record["cell"]["seed"] for record in result.records] == [0, 1, 2]
    assert result.sentence in repr(result)
    assert "(3 runs)" in result.sentence
    assert [row[0] for row in result.table.rows] == ["0", "1", "2"]
    assert Records(tmp_path).keys() == {record["key"] for record in result.records}
    later = gmixup.train(GRAPHS, SMALL, "g-mixup", 2, seed=2, **settings)
    assert later.records[0] == result.records[2]


def test_train_refuses_no_seeds():
    with pytest.raises(ValueError, match="`seeds` is 0; it must be at least 1"):
        gmixup.train(GRAPHS, seeds=0)


def test_a_result_tells_of_failures(tmp_path):
    good, bad = runs.done(runs.cell(fit=0), 0.8), runs.failed(runs.cell(fit=1))
    some = Result((good, bad), tmp_path)
    assert (some.mean, some.sd, len(some.failed)) == (0.8, None, 1)
    assert "80.00 % (1 run)" in repr(some)
    assert "1 failed" in repr(some)
    none = Result((bad,), tmp_path)
    assert none.mean is None
    assert "no run of 1 has finished" in none.sentence
