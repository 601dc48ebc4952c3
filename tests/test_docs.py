"""The documentation is true: its Python runs, its commands are understood, its links lead on."""

import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gmixup import augmentations, backbones, cli, estimators, experiments
from gmixup.spelling import spelt

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
PAGES = [page for page in PAGES if not {"_build", "_reference", "_gallery"} & {*page.parts}]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
# A block of code: the comment above it, which names a file or says that commands are run, its
# language, and what it holds.
BLOCK = re.compile(r"^(?:<!-- (\S+) -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What stands for something else in a sentence.
MEANT = {"DATA": "MUTAG", "NAME": "performance", "TABLE": "performance", "DIR": "folder"}
FILES = re.compile(r"\S+\.py:\w+")


def blocks(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def commands(text):
    """The words of every line that calls gmixup, without what is a comment."""
    lines = (line.removeprefix("$ ") for line in text.splitlines())
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("gmixup ")]


def inline(page):
    """What stands as code in a sentence and is a whole command."""
    found = re.findall(r"`(gmixup [a-z]+ [^`]+)`", page.read_text(encoding="utf-8"))
    return [line.replace("\n", " ") for line in found if "…" not in line and "..." not in line]


COMMANDS = [
    pytest.param(words, id=f"{name}: {' '.join(words)}")
    for name, page in zip(NAMES, PAGES, strict=True)
    for _, language, text in blocks(page)
    if language == "sh"
    for words in commands(text)
]
RUNNABLE = [page for page in PAGES if any(b[1] == "python" or b[0] == "run" for b in blocks(page))]


@pytest.mark.parametrize("page", RUNNABLE, ids=[str(p.relative_to(ROOT)) for p in RUNNABLE])
def test_what_a_page_shows_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = page.stem.lower().replace("-", "_") + "_of_the_docs"
    module = ModuleType(name)  # classes of a page survive pickling, as those of a file do
    monkeypatch.setitem(sys.modules, name, module)
    for above, language, text in blocks(page):
        if language == "python":
            if above:
                (tmp_path / above).write_text(text, encoding="utf-8")
            exec(compile(text, f"{page.name}: {text[:30]!r}", "exec"), vars(module))
        elif above == "run":
            for words in commands(text):
                assert cli.main([*words, "--debug"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("words", COMMANDS)
def test_commands_are_understood(words):
    understood(words)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_within_sentences_are_understood(page):
    for line in inline(page):
        understood([MEANT.get(word, word) for word in shlex.split(line)[1:]])


def understood(words):
    """Parsed as the command line would; and what is named by it exists."""
    command, bound, _ = cli.app.parse_args(words, exit_on_error=False, print_error=False)
    named = bound.arguments
    if command is cli.reproduce and not FILES.match(named["name"]):
        assert named["name"] in ("all", *experiments.room.names())
    rooms = {"estimator": estimators, "backbone": backbones, "augment": augmentations}
    for noun, room in rooms.items():
        given = named.get(noun) or []
        for part in [given] if isinstance(given, str) else given:
            if not FILES.match(part):
                spelt(room.room, part)


def test_targets_of_make_exist():
    promised = {
        target
        for page in PAGES
        for _, language, text in blocks(page)
        if language == "sh"
        for target in re.findall(r"^(?:\S+ )?make (?:\S+=\S+ )*([a-z]+)", text, re.MULTILINE)
    }
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"demo", "test", "docs"} & promised
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in promised)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", text):
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(file), f"{page.name} links to {target}#{anchor}"


def anchors(file):
    """The headings of a page as they are linked to."""
    headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_files_that_are_named_exist(page):
    text = page.read_text(encoding="utf-8")
    for named in re.findall(r"`((?:src|docs|tests|benchmarks|examples)/[\w./-]+\.\w+)`", text):
        assert (ROOT / named).exists(), f"{page.name} names {named}"
    for named in re.findall(r"\b((?:benchmarks|examples|tests)/\w+\.py)", text):
        assert (ROOT / named).exists(), f"{page.name} calls {named}"
    for named in re.findall(r"`(gmixup/[\w./]+\.py)`", text):
        assert (ROOT / "src" / named).exists(), f"{page.name} names {named}"


def test_every_page_is_in_the_contents():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = {line.strip() for line in index.splitlines()}
    pages = {page.stem for page in PAGES if page.parent == ROOT / "docs"} - {"index"}
    assert pages <= listed
