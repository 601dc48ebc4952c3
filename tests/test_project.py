"""The project as a whole: borders between rooms, documentation, and what must not be in it."""

import ast
import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from importlinter.cli import lint_imports
from packaging.requirements import Requirement

import gmixup

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TEXTS = [
    path
    for folder in ("src", "tests", "benchmarks", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".md", ".toml", ".csv") and "_build" not in path.parts
] + [path for path in sorted(ROOT.glob("*")) if path.is_file()]

# Spelt so that this file does not find itself.
FORBIDDEN = {
    "a path of one machine": r"(?<![\w.$}/:])/(?:home|root|Users|work|mnt|opt|tmp)/\w",
    "the host of a package registry": r"\b(?:py[p]i|pythonhosted|download\.pytorch)\.\w+",
    "what is still to be done": r"\b(?:TO[D]O|FIX[M]E|X[X]X)\b",
}
LONGEST = 45
VAGUE = {"util", "utils", "helper", "helpers", "common", "misc", "manager"}


def relative(path):
    return str(path.relative_to(ROOT))


def test_imports_go_downwards_only(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True, no_logo=True) == 0, capsys.readouterr().out


def test_the_project_speaks_of_itself_alone():
    found = [
        f"{relative(path)}: {what}, {match.group()!r}"
        for path in TEXTS
        for what, pattern in FORBIDDEN.items()
        for match in re.finditer(pattern, path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_names_of_files_say_something():
    vague = [
        relative(path) for path in SOURCES if VAGUE & {*path.stem.split("_"), path.parent.name}
    ]
    assert not vague


def test_functions_fit_on_a_screen():
    long = [
        f"{relative(path)}: the body of {node.name} has {lines(node)} lines"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and lines(node) > LONGEST
    ]
    assert not long


def lines(function):
    """How long a function is, without its signature and docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_whatever_is_public_is_documented():
    silent = [
        f"{relative(path)}: {name}"
        for path in SOURCES
        if not path.name.startswith("_") or path.name == "__init__.py"
        for name, node in public(ast.parse(path.read_text(encoding="utf-8")))
        if not ast.get_docstring(node)
    ]
    assert not silent


def public(tree):
    """The module, its classes and functions, and their methods, as far as others may use them."""
    yield "the module", tree
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    yield f"{node.name}.{member.name}", member


def test_what_the_door_promises_is_there():
    for name in gmixup.__all__:
        assert getattr(gmixup, name) is not None
    assert set(gmixup.__all__) <= set(dir(gmixup))
    with pytest.raises(AttributeError, match="module 'gmixup' has no attribute 'Magic'"):
        _ = gmixup.Magic


def test_the_version_is_in_the_changelog_and_the_citation():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(gmixup.__version__)}\b", changelog, re.MULTILINE)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {gmixup.__version__}\n" in citation


def test_every_direct_dependency_is_pinned():
    needed = {plain(Requirement(need).name) for need in requires("gmixup")}
    assert needed - {"gmixup"} <= pinned().keys()


def test_whatever_the_extras_bring_along_is_pinned():
    extras = PROJECT["project"]["optional-dependencies"]
    found, left = set(), {("gmixup", extra) for extra in ("", *extras)}
    while left:
        found.add(one := left.pop())
        left |= brought_by(*one) - found
    brought = {name for name, _ in found} - {"gmixup"}
    assert len(brought) > len(extras)
    assert brought <= pinned().keys(), f"not pinned: {sorted(brought - pinned().keys())}"


def brought_by(name, extra):
    """What a package needs with an extra, itself with extras, as far as it is installed here."""
    try:
        needs = [Requirement(need) for need in requires(name) or []]
    except PackageNotFoundError:
        return set()
    wanted = [n for n in needs if n.marker is None or n.marker.evaluate({"extra": extra})]
    return {(plain(need.name), inner) for need in wanted for inner in ("", *need.extras)}


def pinned():
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    return {plain(name): version for name, version in re.findall(r"^([\w.-]+)==(.+)$", text, re.M)}


def plain(name):
    """The one spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_pinned_builds_fit_any_machine():
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert not re.search(r"^[^#].*\+", text, re.MULTILINE)
    assert re.search(r"^torch==[\d.]+$", text, re.MULTILINE)


def test_the_extras_that_errors_name_exist():
    named = {
        extra
        for path in SOURCES
        for extra in re.findall(r"gmixup\[(\w+)\]", path.read_text(encoding="utf-8"))
    }
    assert named <= set(PROJECT["project"]["optional-dependencies"])
