"""What the README and CONTRIBUTING promise runs as it is written there."""

import re
import shlex
from pathlib import Path

import pytest

from gmixup import cli, estimators, experiments
from gmixup.testing import check_estimator

ROOT = Path(__file__).parents[1]


def blocks(file, language):
    text = (ROOT / file).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


README = blocks("README.md", "python")
COMMANDS = [
    shlex.split(line, comments=True)[1:]
    for block in blocks("README.md", "sh")
    for line in block.splitlines()
    if line.startswith("gmixup ")
]


@pytest.mark.parametrize("code", README, ids=range(len(README)))
def test_python_of_the_readme_runs(code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_of_the_readme_are_understood(words):
    command, bound, _ = cli.app.parse_args(words, exit_on_error=False, print_error=False)
    named = bound.arguments
    if command is cli.reproduce:
        assert named["name"] in ("all", *experiments.room.names())
    if command is cli.estimate and ".py:" not in named.get("estimator", "lg"):
        assert named.get("estimator", "lg") in estimators.room.names()


def test_targets_of_the_readme_exist():
    promised = re.findall(r"\bmake (\w+)", "".join(blocks("README.md", "sh")))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"demo", "test"} <= set(promised)
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in promised)


def test_the_estimator_of_contributing_passes_the_checks(tmp_path, monkeypatch):
    (code,) = blocks("CONTRIBUTING.md", "python")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mean.py").write_text(code, encoding="utf-8")
    part = estimators.room.find("mean.py:Mean")
    for example in part.examples():
        check_estimator(example)


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_within_the_project_lead_somewhere(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), f"{file} links to {target}"
