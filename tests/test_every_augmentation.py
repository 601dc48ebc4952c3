"""Every augmentation passes every common check, and none can silently drop out."""

from pathlib import Path

import pytest

from gmixup import augmentations
from gmixup.testing import AUGMENTATION_CHECKS

EXAMPLES = [example for part in augmentations.room.parts.values() for example in part.examples()]


@pytest.mark.parametrize("check", AUGMENTATION_CHECKS.values(), ids=AUGMENTATION_CHECKS.keys())
@pytest.mark.parametrize("augmentation", EXAMPLES, ids=repr)
def test_check(augmentation, check):
    check(augmentation)


def test_every_file_of_the_room_is_one_augmentation():
    folder = Path(augmentations.__file__).parent
    files = {file.stem for file in folder.glob("*.py") if not file.name.startswith("_")}
    homes = [part.__module__.rpartition(".")[2] for part in augmentations.room.parts.values()]
    assert sorted(homes) == sorted(files)


@pytest.mark.parametrize("part", augmentations.room.parts.values(), ids=augmentations.room.names())
def test_every_augmentation_has_examples_of_its_own_kind(part):
    examples = list(part.examples())
    assert examples
    assert {type(example) for example in examples} == {part}


def test_the_names_are_those_of_the_commands():
    expected = {
        "g-mixup", "drop-edge", "drop-node", "subgraph", "manifold-mixup", "edge-perturbation",
        "mask-features", "none", "resample", "soften",
    }  # fmt: skip
    assert expected <= set(augmentations.room.names())
