"""A part of one's own in records: told by its code, so that a changed one is another."""

from functools import partial
from pathlib import Path

import pytest
import torch

from gmixup import augmentations, backbones, estimators
from gmixup.augmentations import GMixup
from gmixup.backbones._source import source_hash
from gmixup.records import key_of
from gmixup.training import Cell

BEFORE = """
import torch
def width(): return 8
class Net(torch.nn.Module):
    def __init__(self, inputs, outputs, depth=1):
        super().__init__()
        self.layer = torch.nn.Linear(inputs, width())
make = lambda inputs, outputs: Net(inputs, outputs)
"""


def hashes(text, name="make"):
    """The hash of what a file of that text defines; typed at a prompt, as far as Python knows."""
    space = {"__name__": "typed"}
    exec(compile(text, "typed", "exec"), space)
    return source_hash(space[name])


@pytest.mark.parametrize("name", ["make", "Net"])
def test_the_same_code_has_the_same_hash(name):
    assert hashes(BEFORE, name) == hashes(BEFORE, name)


@pytest.mark.parametrize("change", [("Linear", "Bilinear"), ("return 8", "return 9")])
def test_code_that_is_called_counts(change):
    assert hashes(BEFORE) != hashes(BEFORE.replace(*change))


def test_what_a_closure_holds_counts():
    def of_width(width):
        return lambda inputs, outputs: torch.nn.Linear(inputs, width)

    assert source_hash(of_width(8)) == source_hash(of_width(8)) != source_hash(of_width(9))


def test_a_record_tells_networks_apart():
    one = Cell("x", "0", torch.nn.Linear)
    assert one.config["backbone"] == {"name": "linear", "source": source_hash(torch.nn.Linear)}
    assert one.key == key_of(one.config)
    biased = Cell("x", "0", backbones.room.make(partial(torch.nn.Linear, bias=False)))
    assert biased.config["backbone"]["bias"] is False
    assert biased.key != one.key


def test_an_object_that_can_be_called_is_told_by_its_class_and_what_it_holds():
    class Maker:
        def __init__(self, width):
            self.width = width

        def __call__(self, inputs, outputs):
            return torch.nn.Linear(inputs, self.width)

    assert source_hash(Maker(8)) == source_hash(Maker(8)) != source_hash(Maker(9))


WIDTH = 8


def given(width, activation, inputs, outputs):
    return torch.nn.Sequential(torch.nn.Linear(inputs, width), activation())


def of(settings):
    return lambda inputs, outputs: torch.nn.Linear(inputs, settings["width"])


def test_what_a_module_holds_counts(monkeypatch):
    def make(inputs, outputs):
        return torch.nn.Linear(inputs, WIDTH)

    before = source_hash(make)
    monkeypatch.setitem(globals(), "WIDTH", 9)
    assert source_hash(make) != before


@pytest.mark.parametrize(
    "makes",
    [
        [lambda i, o, width=width: torch.nn.Linear(i, width) for width in (8, 9)],
        [of({"width": width}) for width in (8, 9)],
        [partial(given, width, torch.nn.ReLU) for width in (8, 9)],
        [partial(given, 8, kind) for kind in (torch.nn.ReLU, torch.nn.Tanh)],
    ],
    ids=["default", "closure", "given", "kind"],
)
def test_settings_wherever_they_are_count(makes):
    one, other = makes
    assert source_hash(one) != source_hash(other)


def test_where_a_file_lies_does_not_count(tmp_path):
    text = """
import torch
class Net(torch.nn.Linear):
    def __init__(self, inputs, outputs, kind=torch.nn.Linear):
        super().__init__(inputs, outputs)
def make(inputs, outputs): return Net(inputs, outputs)
"""
    found = []
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        file = tmp_path / place / "mine.py"
        file.write_text(text)
        found.append(source_hash(backbones.room.find(f"{file}:make")))
    assert found[0] == found[1]


METHOD = """
from dataclasses import dataclass
from typing import ClassVar
from gmixup.augmentations._base import AbstractAugmentation

@dataclass(frozen=True)
class Thinned(AbstractAugmentation):
    name: ClassVar[str] = "thinned"
    share: float = 0.2
    def on_hidden(self, hidden, y, generator=None):
        return hidden * 1, y
"""


def method_in(folder, text):
    folder.mkdir()
    (folder / "mine.py").write_text(text)
    return augmentations.room.find(f"{folder / 'mine.py'}:Thinned")


def test_a_method_of_ones_own_is_told_by_its_code_too(tmp_path):
    one, same = (Cell("x", "0", "gin", method_in(tmp_path / n, METHOD)()) for n in "ab")
    changed = Cell("x", "0", "gin", method_in(tmp_path / "c", METHOD.replace("* 1", "* 2"))())
    assert one.config["augmentation"].keys() == {"name", "source", "share"}
    assert one.key == same.key != changed.key
    assert "source" not in Cell("x", "0", "gin", "g-mixup").config["augmentation"]


def test_the_cell_of_a_record_with_a_method_of_another_package(tmp_path, monkeypatch):
    kind = method_in(tmp_path / "a", METHOD)
    monkeypatch.setitem(augmentations.room.parts, "thinned", kind)
    one = Cell("x", "0", "gin", kind(share=0.3))
    assert Cell.of(one.config).key == one.key


def test_an_estimator_of_ones_own_within_g_mixup_is_told_by_its_code(tmp_path):
    text = (Path(estimators.__file__).parent / "erdos_renyi.py").read_text(encoding="utf-8")
    keys = []
    for folder, made in (("a", text), ("b", text), ("c", text.replace("1e-9", "1e-8"))):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "mine.py"
        file.write_text(made, encoding="utf-8")
        mixup = GMixup(estimator=f"{file}:ErdosRenyi", resolution=4)
        keys.append(Cell("x", "0", "gin", mixup).key)
    assert keys[0] == keys[1] != keys[2]
