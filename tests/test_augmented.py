"""Augmented data sets on disk: complete or not there, and read by PyG."""

import json
import os
import subprocess
import sys
import time

import pytest
import torch
from torch_geometric.datasets import TUDataset
from torch_geometric.loader import DataLoader

from gmixup import GraphFolder, GraphSet, datasets
from gmixup.augmentations import DropEdge, GMixup, Soften
from gmixup.augmented import MANIFEST, write_augmented
from gmixup.mixing import Beta
from tests.strategies import featured

pytestmark = pytest.mark.filterwarnings("ignore:.*have no edge")

SMALL = GMixup(estimator="histogram", resolution=5, ratio=0.5)


def test_pyg_reads_what_is_written(tmp_path):
    manifest = write_augmented(GraphSet.of(featured(count=10)), SMALL, tmp_path / "out", seed=4)
    assert manifest == json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert manifest["graphs"] == {"real": 10, "synthetic": 5}
    assert len(manifest["origins"]) == 5
    assert manifest["settings"]["estimator"] == "histogram"
    folder = GraphFolder(tmp_path / "out")
    assert len(folder) == 15
    assert next(iter(DataLoader(folder, batch_size=15))).y.shape == (15, 2)
    stored, slices = torch.load(tmp_path / "out" / "graphs.pt", weights_only=True)
    assert isinstance(stored, dict)
    assert len(slices["y"]) == 16
    back = datasets.load(tmp_path / "out")
    assert datasets.fingerprint(back) == manifest["fingerprints"]["output"]


def test_labels_say_what_the_manifest_says(tmp_path):
    manifest = write_augmented(GraphSet.of(featured(count=10)), SMALL, tmp_path / "out")
    for data, origin in zip(
        list(GraphFolder(tmp_path / "out"))[10:], manifest["origins"], strict=True
    ):
        assert float(data.y[0, origin["classes"][0]]) == pytest.approx(origin["lam"], abs=1e-5)


def test_tu_text_is_read_by_pyg(tmp_path):
    write_augmented(GraphSet.of(featured(count=10)), SMALL, tmp_path / "MINE", form="tu")
    dataset = TUDataset(str(tmp_path), "MINE")
    assert len(dataset) == 15
    assert dataset.num_classes == 2
    soft = (tmp_path / "MINE" / "raw" / "MINE_graph_soft_labels.txt").read_text().split()
    assert len(soft) == 30
    assert (tmp_path / "MINE" / MANIFEST).is_file()


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_augmented(GraphSet.of(featured(count=10)), SMALL, tmp_path / name, seed)
    prints = [
        json.loads((tmp_path / name / MANIFEST).read_text())["fingerprints"]["output"]
        for name in "abc"
    ]
    assert prints[0] == prints[1] != prints[2]


def test_other_laws_and_methods_are_told(tmp_path):
    manifest = write_augmented(
        GraphSet.of(featured()), Soften(lam=Beta(2.0, 3.0)), tmp_path / "out"
    )
    assert manifest["settings"]["lam"] == {"name": "beta", "a": 2.0, "b": 3.0}
    manifest = write_augmented(GraphSet.of(featured()), GMixup.authors(), tmp_path / "authors")
    assert manifest["settings"]["estimator"]["name"] == "usvt"
    with pytest.raises(ValueError, match="drop-edge acts while a network trains"):
        write_augmented(GraphSet.of(featured()), DropEdge(), tmp_path / "none")
    with pytest.raises(ValueError, match="`form` is 'csv'"):
        write_augmented(GraphSet.of(featured()), SMALL, tmp_path / "none", form="csv")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("forms", [("pyg", "tu"), ("tu", "pyg"), ("tu", "tu")], ids=" then ".join)
def test_what_was_written_before_is_gone(tmp_path, forms):
    out = tmp_path / "OUT"
    for form, count in zip(forms, (6, 10), strict=True):
        write_augmented(GraphSet.of(featured(count=count)), SMALL, out, form=form)
        if form == "tu":
            assert len(TUDataset(str(tmp_path), "OUT")) == 1.5 * count  # keeps processed/
        assert len(datasets.load(out)) == 1.5 * count
    assert (out / "graphs.pt").exists() == (forms[1] == "pyg")


@pytest.mark.parametrize("form", ["pyg", "tu"])
def test_graphs_that_are_no_augmented_set_are_not_written_over(tmp_path, form):
    real = tmp_path / "REAL"
    datasets.save_tu(GraphSet.of(featured()), real)
    before = {file: file.read_bytes() for file in real.rglob("*.txt")}
    with pytest.raises(ValueError, match=r"which holds raw and no manifest.json: it is no augm"):
        write_augmented(GraphSet.of(featured()), SMALL, real, form=form)
    assert {file: file.read_bytes() for file in real.rglob("*.*")} == before
    (tmp_path / "empty").mkdir()
    assert write_augmented(GraphSet.of(featured()), SMALL, tmp_path / "empty", form=form)


@pytest.mark.parametrize("form", ["pyg", "tu"])
def test_two_processes_write_the_same_bytes(tmp_path, form):
    written = []
    for place in ("first", "second"):
        out = tmp_path / place / "OUT"
        words = ["one-and-two-hubs:graphs=20", "--out", str(out), "--seed", "3", "--format", form]
        environment = dict(os.environ, PYTHONHASHSEED=str(len(written)))
        command = [sys.executable, "-m", "gmixup", "augment", *words, "--quiet"]
        subprocess.run(command, check=True, env=environment, capture_output=True)
        files = sorted(file for file in out.rglob("*") if file.is_file())
        written.append({str(file.relative_to(out)): file.read_bytes() for file in files})
    assert written[0] == written[1]
    assert "manifest.json" in written[0]


SLOW = """
import time, torch
from gmixup import GraphSet, augmented
from tests.strategies import featured
from gmixup.augmentations import Resample
save = augmented.save_graphs
def slow(*words):
    save(*words)
    print("drafted", flush=True)
    time.sleep(60)
augmented.save_graphs = slow
augmented.write_augmented(GraphSet.of(featured()), Resample(), "OUT")
"""


def test_a_killed_run_leaves_nothing_that_looks_finished(tmp_path):
    program = SLOW.replace("OUT", str(tmp_path / "out"))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"drafted\n"
    process.kill()
    process.wait()
    time.sleep(0.1)
    assert not (tmp_path / "out").exists()
    write_augmented(GraphSet.of(featured()), SMALL, tmp_path / "out")
    assert len(GraphFolder(tmp_path / "out")) == 9
