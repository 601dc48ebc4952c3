"""`python -m gmixup.training job.json`: the runs of a file, with nothing but the library there."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gmixup import augmentations, backbones
from gmixup.datasets import TwoAndEightCommunities
from gmixup.records import Records
from gmixup.repeated import train
from gmixup.task import augmentation_of, task_of
from gmixup.training import Cell, Recipe, SplitRule, job
from gmixup.training.__main__ import main
from gmixup.training.job import Job

SET = "two-and-eight-communities:graphs=20,nodes=(8,12)"
SMALL = {"data": SET, "backbone": "gin:depth=1,width=4", "recipe": {"preset": "quick", "epochs": 1}}
DOCS = Path(__file__).parents[1] / "docs" / "training.md"
# As on a machine that lacks them: importing them fails.
WITHOUT = """
import runpy, sys
for name in ("cyclopts", "ot", "skimage", "joblib", "matplotlib"):
    sys.modules[name] = None
sys.argv = ["python -m gmixup.training", *sys.argv[1:]]
runpy.run_module("gmixup.training", run_name="__main__")
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a job in an empty folder; says the exit code."""
    monkeypatch.chdir(tmp_path)

    def run(told):
        Path("job.json").write_text(json.dumps(told))
        return main(["job.json"])

    return run


def cells(told):
    ((data, found),) = Job.of(told).cells.items()
    assert data == SMALL["data"]
    return found


def test_it_needs_no_package_of_the_command_line(tmp_path):
    (example,) = re.findall(r"^```json\n(.*?)^```$", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "job.json").write_text(example)
    command = [sys.executable, "-c", WITHOUT, "job.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *lines, none, mixed = done.stdout.splitlines()
    records = Records(tmp_path / json.loads(example)["out"])
    assert len(lines) == len(records.keys()) == 4
    assert all(re.search(r", seed [01]: test accuracy .* s$", line) for line in lines)
    assert re.search(r"gin, none: test accuracy [\d.]+ ± [\d.]+ % \(2 runs\)", none)
    assert "g-mixup" in mixed


def test_what_the_command_has_trained_is_there(run, capsys):
    result = train(SET, SMALL["backbone"], "drop-edge", 3, recipe="quick", epochs=1, device="cpu",
                   out="runs")  # fmt: skip
    before = {path: path.stat().st_mtime_ns for path in Path("runs").iterdir()}
    assert run({**SMALL, "augmentation": "drop-edge", "seeds": 3, "device": "cpu"}) == 0
    *lines, mean = capsys.readouterr().out.splitlines()
    assert [line.endswith(", was there") for line in lines] == [True] * 3
    assert mean == result.sentence
    assert {path: path.stat().st_mtime_ns for path in Path("runs").iterdir()} == before


def test_what_it_trains_equals_what_the_command_trains(run):
    assert run({**SMALL, "seeds": 2, "device": "cpu", "out": "mine"}) == 0
    train(SET, SMALL["backbone"], "none", 2, recipe="quick", epochs=1, device="cpu", out="runs")
    mine, theirs = (
        [{**record, "date": 0, "seconds": 0} for record in Records(folder).all()]
        for folder in ("mine", "runs")
    )
    assert mine == theirs


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ({}, {}),
        ({"split": {"kind": "k-fold", "train_fraction": 0.5}},
         {"split": "k-fold", "train_fraction": 0.5}),
        ({"recipe": "authors", "features": "constant"},
         {"recipe": "authors", "features": "constant"}),
        ({"recipe": {"preset": "gmt", "precision": "bfloat16"}, "corruption": {"labels": 0.1}},
         {"recipe": "gmt", "precision": "bfloat16", "label_noise": 0.1}),
    ],
)  # fmt: skip
def test_words_mean_what_they_mean_to_the_command(words, settings):
    task = task_of(TwoAndEightCommunities(graphs=20, nodes=(8, 12)), backbone="gcn", **settings)
    for method in ("none", "g-mixup:paper"):
        told = {"data": SET, "backbone": "gcn", "augmentation": method, **words}
        found = cells({**told, "seed": 9, "seeds": 3, "fingerprint": task.like.fingerprint})
        wanted = [task.cell(augmentation_of(method), seed) for seed in (9, 10, 11)]
        assert [cell.config for cell in found] == [cell.config for cell in wanted]


def test_molecules_have_their_own_split_and_recipe():
    ((cell,),) = Job.of({"data": "ogbg-molbace", "backbone": "ogb-gin"}).cells.values()
    assert (cell.split, cell.recipe) == (SplitRule("own"), Recipe.ogb())


PARTS = [
    (room, part)
    for room, found in (("backbone", backbones.room), ("augmentation", augmentations.room))
    for kind in found.parts.values()
    for part in kind.examples()
]  # fmt: skip


@pytest.mark.parametrize(("room", "part"), PARTS, ids=lambda part: getattr(part, "name", None))
def test_the_cell_of_a_record_is_a_run(room, part):
    cell = Cell(SET.partition(":")[0], "0", split=SplitRule("k-fold", 2, 3), seed=5, **{room: part})
    told = json.loads(json.dumps(cell.config)) | {"data": SET}
    (found,) = cells(told)
    assert found.key == cell.key
    assert len({one.split for one in cells({**told, "seeds": 3})}) == 1  # it has a seed of its own


def test_runs_share_what_stands_beside_them():
    told = {**SMALL, "out": "x", "runs": [{"seed": 3}, {"backbone": "gcn", "seeds": 2}]}
    found = [(cell.backbone.name, cell.seed) for cell in cells(told)]
    assert found == [("gin", 3), ("gcn", 0), ("gcn", 1)]
    assert [cell.seed for cell in cells([{**SMALL, "seed": 1}, {**SMALL, "seed": 4}])] == [1, 4]


def test_runs_that_raise_spare_the_others(run, monkeypatch, capsys):
    calls, trained = [], job.train_cells

    def some(together, *rest, **settings):
        calls.append([cell.seed for cell in together])
        for cell in together:
            if cell.seed == 1:
                raise MemoryError("no room")
            yield from trained([cell], *rest, **settings)

    monkeypatch.setattr(job, "train_cells", some)
    assert run({**SMALL, "seeds": 4, "in_flight": 3, "device": "cpu"}) == 1
    shown = capsys.readouterr()
    assert calls == [[0, 1, 2], [1], [2], [3]]
    assert "seed 1: failed: MemoryError: no room" in shown.out
    assert shown.out.splitlines()[-1].endswith("(3 runs)")
    assert shown.err == "gmixup.training: 1 of 4 runs failed\n"
    assert len(Records("runs").keys()) == 3
    assert len(Records("runs").keys(failed=True)) == 4


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (5, "`job` is 5; give a JSON object"),
        ([], "`runs` is []; give a list of at least one run"),
        ([3], "`run` is 3; give a JSON object"),
        ({"backbone": "gin"}, "`data` is None; every run names a data set, or a path"),
        ({**SMALL, "seeds": 0}, "`seeds` is 0; it must be a whole number, at least 1"),
        ({**SMALL, "seed": True}, "`seed` is True; it must be a whole number, at least 0"),
        ({**SMALL, "backbon": "gin"}, "`backbon` is no word of a run; did you mean `backbone`?"),
        ({**SMALL, "backbone": "gun"}, "no backbone is named 'gun'"),
        ({**SMALL, "backbone": {"name": "gin", "deep": 3}}, "argument 'deep'"),
        ({**SMALL, "backbone": {"depth": 3}}, "its `name` is needed"),
        ({**SMALL, "recipe": "slow"}, "`preset` is 'slow'; it is one of paper, authors"),
        ({**SMALL, "recipe": {"epoch": 3}}, "no word of a recipe; did you mean `epochs`?"),
        ({**SMALL, "recipe": {"epochs": 0}}, "`epochs` is 0; it must be at least 1"),
        ({**SMALL, "split": {"kind": "half"}}, "`kind` is 'half'"),
        ({**SMALL, "split": {"kind": "k-fold", "folds": 1}}, "`folds` is 1; it must be"),
        ({**SMALL, "corruption": {"labels": 2}}, "`labels` is 2; it must lie in [0, 1]"),
        ({**SMALL, "loop": "slow"}, "`loop` is 'slow'; it is one of auto, plain, fast"),
        ({**SMALL, "in_flight": 0}, "`in_flight` is 0; it must be"),
        ({**SMALL, "out": None}, "`out` is None; give a text"),
        ({**SMALL, "runs": [{"out": "x"}]}, "`out` stands in a run; it belongs beside `runs`"),
    ],
)
def test_wrong_use_is_told_in_one_sentence(run, capsys, told, sentence):
    assert run(told) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1
    assert sentence in shown.err
    assert [path.name for path in Path().iterdir()] == ["job.json"]


def test_the_file_is_named_and_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text("{")
    assert [main(words) for words in ([], ["none.json"], ["broken.json"])] == [2, 2, 2]
    usage, absent, broken = capsys.readouterr().err.splitlines()
    assert "name one file" in usage
    assert "none.json" in absent
    assert "broken.json is no JSON" in broken
    assert main(["--help"]) == 0


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({**SMALL, "fingerprint": "f" * 64}, "`fingerprint` is 'ffffffff'..., but that of"),
        ({**SMALL, "data": "./nowhere"}, "there is no file or folder ./nowhere"),
    ],
)
def test_data_that_is_not_there_is_a_failure(run, capsys, told, sentence):
    assert run(told) == 1
    assert sentence in capsys.readouterr().err
