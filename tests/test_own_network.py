"""A network of one's own in records: told by its code, so that a changed one is another."""

from functools import partial

import pytest
import torch

from gmixup import backbones
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


def test_an_object_that_can_be_called_is_told_by_its_class():
    class Maker:
        def __call__(self, inputs, outputs):
            return torch.nn.Linear(inputs, outputs)

    assert source_hash(Maker()) == source_hash(Maker)
