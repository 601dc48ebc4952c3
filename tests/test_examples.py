"""Every example runs as it stands, is short, and is quick."""

import difflib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real_data import real_folder

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples"
PLOTS = sorted(FOLDER.glob("plot_*.py"))
CHANGED = 10  # lines that turn a script of PyG's into an augmented one, at most


def run(file, folder, *words):
    command = [sys.executable, str(file), *words]
    # Warnings of matplotlib's first start go to stderr; what an example prints is its result.
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, env=dict(os.environ)
    ).stdout


@pytest.mark.parametrize("file", PLOTS, ids=[file.stem for file in PLOTS])
def test_plots_are_drawn(file, tmp_path):
    assert run(file, tmp_path).strip()
    (picture,) = tmp_path.glob("*.png")
    assert picture.stat().st_size < 150_000
    assert len(file.read_text(encoding="utf-8").splitlines()) < 60


def test_pictures_are_small():
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    assert pictures
    assert [picture.name for picture in pictures if picture.stat().st_size > 150_000] == []


def test_ten_lines_augment_a_script_of_pyg():
    plain, augmented = (
        (FOLDER / f"{name}.py").read_text(encoding="utf-8").split('"""', 2)[2].splitlines()
        for name in ("mutag_gin", "mutag_gin_augmented")
    )
    changes = [line for line in difflib.ndiff(plain, augmented) if line[0] in "+-" and line[2:]]
    assert 0 < len(changes) <= CHANGED


@pytest.mark.parametrize("name", ["mutag_gin", "mutag_gin_augmented"])
def test_the_network_of_the_examples_learns(name, tmp_path):
    raw = real_folder("MUTAG") / "raw"
    shutil.copytree(raw, tmp_path / "MUTAG" / "raw")
    words = ("--root", str(tmp_path), "--epochs", "2")
    lines = run(FOLDER / f"{name}.py", tmp_path, *words).splitlines()
    assert [line.split()[1] for line in lines if line.startswith("epoch")] == ["1", "2"]
