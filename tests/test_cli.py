"""The commands: what they print, write and return, and that asking for help loads nothing."""

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import torch

from gmixup import Graphon, GraphSet, __version__, cli, datasets, experiments
from gmixup.evidence.tables import Table
from gmixup.experiments._base import AbstractExperiment

HEAVY = ("torch", "torch_geometric", "matplotlib", "numpy", "scipy", "networkx", "sklearn")


@pytest.fixture
def data(tmp_path):
    """Twelve graphs of two classes, dense and sparse, in a file."""
    rng = np.random.default_rng(0)
    upper = [np.triu(rng.random((9, 9)) < p, 1) for p in [0.8] * 6 + [0.2] * 6]
    graphs = GraphSet.of([(u | u.T).astype(int) for u in upper])
    path = tmp_path / "twelve.npz"
    labelled = GraphSet(
        graphs.num_nodes, graphs.num_edges, graphs.edge_index, y=torch.arange(12) // 6
    )
    labelled.save(path)
    return path


@pytest.fixture
def echo(monkeypatch):
    """An experiment that says with which settings it was run."""

    @dataclass(frozen=True)
    class Echo(AbstractExperiment):
        name: ClassVar[str] = "echo"

        def run(self, progress=print):
            progress("working")
            return [Table("Echo", ("seeds", "seed"), [(str(self.seeds), str(self.seed))])]

    monkeypatch.setitem(experiments.room.parts, "echo", Echo)


def python(*words):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", [["--help"], ["estimate", "--help"], ["--version"], []])
def test_help_loads_nothing_heavy(words):
    code = f"import sys; from gmixup.cli import main; print(main({words!r}), *sys.modules)"
    done = python("-c", code)
    code, *modules = done.stdout.splitlines()[-1].split()
    assert code == "0"
    assert not set(HEAVY) & set(modules)


def test_python_m_gmixup_is_the_command():
    done = python("-m", "gmixup", "--version")
    assert (done.returncode, done.stdout.strip()) == (0, __version__)
    assert python("-m", "gmixup", "estimat").returncode == 2


def test_threads_are_one_unless_the_user_says_otherwise(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS")
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    cli.main(["--version"])
    assert cli.os.environ["OMP_NUM_THREADS"] == "1"
    assert cli.os.environ["MKL_NUM_THREADS"] == "3"


def test_help_names_every_command(capsys):
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f" {command} " in shown for command in ("estimate", "augment", "reproduce", "demo"))


def test_estimate_writes_a_graphon_for_each_class(data, tmp_path, capsys):
    out = tmp_path / "out"
    words = ["estimate", str(data), "--out", str(out), "--estimator", "histogram"]
    assert cli.main([*words, "--resolution", "5", "--quiet"]) == 0
    files = sorted(path.name for path in out.iterdir())
    assert files == ["class-0.npz", "class-1.npz", "graphons.png", "graphons.svg"]
    dense, sparse = (Graphon.load(out / f"class-{label}.npz") for label in (0, 1))
    assert dense.resolution == sparse.resolution == 5
    assert dense.edge_density > 0.6 > 0.4 > sparse.edge_density
    assert sparse.label is not None
    assert sparse.label.tolist() == [0, 1]
    shown = capsys.readouterr()
    assert shown.err == ""
    row = next(line for line in shown.out.splitlines() if "class 1" in line)
    assert f"{sparse.edge_density:.4g}" in row
    assert str(out / "class-1.npz") in row


def test_estimate_twice_writes_the_same_bytes(data, tmp_path):
    written = []
    for out in (tmp_path / "one", tmp_path / "two"):
        cli.main(["estimate", str(data), "--out", str(out), "--estimator", "histogram"])
        written.append([file.read_bytes() for file in sorted(out.iterdir())])
    assert written[0] == written[1]


def test_graphs_without_labels_give_one_graphon(data, tmp_path, capsys):
    graphs = GraphSet.load(data)
    path = tmp_path / "plain.npz"
    GraphSet(graphs.num_nodes, graphs.num_edges, graphs.edge_index).save(path)
    assert cli.main(["estimate", str(path), "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "all.npz").exists()
    assert "| all " in capsys.readouterr().out


@pytest.mark.parametrize("error", [RuntimeError("no more"), KeyboardInterrupt()])
def test_a_run_that_fails_leaves_nothing(data, tmp_path, monkeypatch, capsys, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(Graphon, "save", fail)
    out = tmp_path / "out"
    assert cli.main(["estimate", str(data), "--out", str(out)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == [data.name]
    assert capsys.readouterr().err.startswith(f"gmixup: {type(error).__name__}")


def test_an_estimator_of_ones_own_in_a_file(data, tmp_path, capsys):
    own = tmp_path / "own.py"
    own.write_text(
        "from dataclasses import dataclass\n"
        "from gmixup.estimators import Histogram\n"
        "@dataclass(frozen=True)\n"
        "class Mine(Histogram):\n"
        "    name = 'mine'\n"
    )
    words = ["estimate", str(data), "--out", str(tmp_path / "out")]
    assert cli.main([*words, "--estimator", f"{own}:Mine"]) == 0
    assert "mine" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["estimat"], 'Unknown command "estimat"'),
        (["estimate"], "DATA requires an argument"),
        (["estimate", "x", "--colour", "red"], "Unknown option: --colour"),
        (["estimate", "x", "y"], "'y' is more than the command takes; see gmixup COMMAND --help"),
        (["estimate", "x", "--resolution", "many"], "'many' is not a whole number"),
        (["compare", "x", "--splits", "2.5"], "'2.5' is not a whole number"),
        (["compare", "x", "--seed", "-1"], "Must be >= 0"),
        (["compare", "x", "--report", "page.pdf"], "`path` is 'page.pdf'; a report is written"),
        (["compare", "x", "--report", f"{__file__}/page.md"], "test_cli.py' is a file; name a"),
        (["compare", "x", "--out", __file__], "test_cli.py' is a file; name a folder"),
        (["demo", "--out", __file__], "test_cli.py' is a file; name a folder"),
        (["report", ".", "--out", __file__], "test_cli.py' is a file; name a folder"),
        (["reproduce", "performance", "--out", __file__], "test_cli.py' is a file; name a folder"),
        (["estimate", "x", "--resolution", "0"], "Must be >= 1"),
        (["estimate", "x", "--estimator", "lgg"], "did you mean 'lg'?"),
        (["estimate", "x", "--alignment", "left"], "it is one of quantile, pooled, pad"),
        (["reproduce", "everything"], "no experiment is named 'everything': there are"),
        (["reproduce", "echo", "--seeds", "0"], "Must be >= 1"),
    ],
)
def test_wrong_use_is_told_in_one_sentence(words, sentence, echo, capsys):
    assert cli.main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1
    assert shown.err.startswith("gmixup: ")
    assert sentence in shown.err


def test_a_failure_is_told_in_one_sentence_and_traced_on_request(tmp_path, capsys):
    words = ["estimate", str(tmp_path / "nowhere.npz")]
    assert cli.main(words) == 1
    sentence = capsys.readouterr().err
    assert "nowhere.npz" in sentence
    assert len(sentence.splitlines()) == 1
    assert cli.main(["--debug", *words]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_warning_is_told_without_the_code_that_gave_it(tmp_path, capsys):
    (tmp_path / f"{'0' * 24}.json").write_text("{")
    assert cli.main(["report", str(tmp_path)]) == 0
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert told[0].startswith("gmixup: 1 record is damaged and left out: ")


def test_a_report_may_be_one_file(tmp_path, capsys):
    (tmp_path / "runs").mkdir()
    assert cli.main(["report", str(tmp_path / "runs"), "--out", str(tmp_path / "page.html")]) == 0
    assert f"report: {tmp_path / 'page.html'}\n" in capsys.readouterr().out
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "runs"]


def test_reproduce_prints_markdown_and_keeps_progress_apart(echo, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["reproduce", "echo", "--seeds", "3", "--seed", "7", "--out", "out"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "working\n"
    assert "| 3     | 7    |" in shown.out
    assert shown.out in (tmp_path / "out" / "echo.md").read_text(encoding="utf-8")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "echo.html", "echo.md", "echo.tex",
    ]  # fmt: skip
    assert cli.main(["reproduce", "echo", "--quiet"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "| 10    | 0    |" in shown.out
    assert cli.main(["reproduce", "echo", "--seeds", "3", "--seed", "7"]) == 0
    assert "echo: as kept in records" in capsys.readouterr().err


def test_reproduce_lists_and_shows_a_part_without_training(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["reproduce", "performance", "--only", "IMDB-BINARY", "gin", "--root", str(tmp_path)]
    assert cli.main([*words, "--dry-run", "--seeds", "2"]) == 0
    told = "| performance     | table 2      | 9     | 18   | 0    | 0      | 18"
    assert told in capsys.readouterr().out
    assert cli.main([*words, "--show", "--results", "results.md"]) == 0
    assert "| gin     | none                  | not run     |" in capsys.readouterr().out
    assert (tmp_path / "results.md").read_text(encoding="utf-8").startswith("# Results")
    assert cli.main(["reproduce", "performance", "--only", "nothing"]) == 2
    assert "`only` is 'nothing', which no table has" in capsys.readouterr().err


def test_demo_tells_the_story(tmp_path, capsys):
    assert cli.main(["demo", "--out", str(tmp_path / "demo")]) == 0
    shown = capsys.readouterr().out
    files = sorted(path.name for path in (tmp_path / "demo").iterdir())
    assert files == ["graphons.png", "graphs.png", "records", "report.html"]
    assert f"report: {tmp_path / 'demo' / 'report.html'}" in shown
    assert all(f"{word}: Graphon(" in shown for word in ("class 0", "class 1", "half and half"))
    assert "6 verdict: g-mixup" in shown


@pytest.mark.parametrize("form", ["pyg", "tu"])
def test_augment_writes_a_data_set_with_its_manifest(data, tmp_path, capsys, form):
    out = tmp_path / "more"
    words = ["augment", str(data), "--out", str(out), "--ratio", "0.5", "--lam", "0.2", "0.3"]
    assert cli.main([*words, "--format", form, "--estimator", "lg", "--quiet"]) == 0
    assert "12 real and 6 synthetic graphs" in capsys.readouterr().out
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["settings"]["estimator"] == "lg"
    assert all(0.2 <= origin["lam"] <= 0.3 for origin in manifest["origins"])
    assert len(datasets.load(out)) == 18


def test_augment_does_not_write_over_what_it_has_not_written(data, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("kept")
    assert cli.main(["augment", str(data), "--out", str(tmp_path / "mine")]) == 2
    assert "which holds notes.txt and no manifest.json" in capsys.readouterr().err
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--augment", "drop-edge"], "drop-edge acts while a network trains"),
        (["--augment", "resample", "--estimator", "lg"], "`estimator` is no setting of resample"),
        (["--augment", "soften", "--preset", "paper"], "`preset` is 'paper', but soften has none"),
        (["--lam", "2", "3"], "`lam` is (2.0, 3.0)"),
        (["--augment", "g-mixed"], "did you mean 'g-mixup'?"),
    ],
)
def test_augment_refuses_wrong_use(data, tmp_path, capsys, words, sentence):
    out = tmp_path / "more"
    assert cli.main(["augment", str(data), "--out", str(out), *words]) == 2
    assert sentence in capsys.readouterr().err
    assert not out.exists()


def test_estimate_compares_with_the_real_graphs_if_asked(data, tmp_path, capsys):
    words = ["estimate", str(data), "--out", str(tmp_path / "out"), "--fidelity", "--quiet"]
    assert cli.main(words) == 0
    shown = capsys.readouterr().out
    assert (tmp_path / "out" / "fidelity.md").read_text(encoding="utf-8") == shown
    assert shown.count("degree law") == 2
