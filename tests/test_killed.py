"""kill -9: what is killed at any moment and started again ends as if nothing had happened."""

import json
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 here")

DATA = "two-and-eight-communities:graphs=20,nodes=(8,12)"
WORDS = ["--recipe", "quick", "--backbone", "gin:depth=1,width=4", "--device", "cpu"]
TRAIN = ["train", DATA, *WORDS, "--augment", "g-mixup", "--epochs", "60", "--seeds", "4"]
COMPARE = ["compare", DATA, *WORDS, "--augment", "drop-edge", "--epochs", "40", "--splits", "10"]


def gmixup(words, out):
    command = [sys.executable, "-m", "gmixup", *words, "--out", str(out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def killed_after(words, out, records):
    """Runs until so many records lie there, then kills it in the middle of the next."""
    process = gmixup(words, out)
    while process.poll() is None and len(list(out.glob("*.json"))) < records:
        time.sleep(0.005)
    process.kill()
    process.communicate()


def finished(words, out):
    """What the command prints."""
    process = gmixup(words, out)
    told, errors = process.communicate()
    assert process.returncode == 0, errors
    return told


def content(folder):
    """Every record, without what depends on the clock."""
    read = {file.name: json.loads(file.read_text()) for file in folder.glob("*.json")}
    return {
        name: {k: v for k, v in record.items() if k not in ("date", "seconds")}
        for name, record in read.items()
    }


@pytest.mark.parametrize("words", [TRAIN, COMPARE], ids=["train", "compare"])
def test_killed_and_started_again_it_equals_what_was_never_killed(tmp_path, words):
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    killed_after(words, killed, 1)
    before = len(content(killed))
    told = [finished(words, folder).replace(str(folder), "OUT") for folder in (killed, whole)]
    assert told[0] == told[1]
    assert content(killed) == content(whole)
    assert 1 <= before < len(content(whole))
    # A draft that was being written stays hidden.
    shown = [file for file in killed.iterdir() if not file.name.startswith(".killed-")]
    assert {file.suffix for file in shown} <= {".json", ".html"}
