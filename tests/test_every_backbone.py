"""Every backbone passes every common check, and none can silently drop out."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
import torch

from gmixup import backbones
from gmixup.testing.backbone import BACKBONE_CHECKS, check_backbone

EXAMPLES = [example for part in backbones.room.parts.values() for example in part.examples()]


@pytest.mark.parametrize("check", BACKBONE_CHECKS.values(), ids=BACKBONE_CHECKS.keys())
@pytest.mark.parametrize("backbone", EXAMPLES, ids=repr)
def test_check(backbone, check):
    check(backbone)


def test_every_file_of_the_room_holds_a_backbone():
    folder = Path(backbones.__file__).parent
    files = {file.stem for file in folder.glob("*.py") if not file.name.startswith("_")}
    homes = {part.__module__.rpartition(".")[2] for part in backbones.room.parts.values()}
    assert homes == files


def test_the_names_are_the_published_ones():
    expected = {"gcn", "gcn2", "gin", "top-k", "diff-pool", "min-cut", "gmt", "ogb-gcn", "ogb-gin"}
    assert set(backbones.room.names()) == expected


@pytest.mark.parametrize("part", backbones.room.parts.values(), ids=backbones.room.names())
def test_every_backbone_has_examples_of_its_own_kind(part):
    examples = list(part.examples())
    assert examples
    assert {type(example) for example in examples} == {part}
