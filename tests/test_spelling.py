"""Parts by the words of a command: presets and settings after a colon, one's own by path."""

import re

import pytest

from gmixup import augmentations, backbones, datasets
from gmixup.augmentations import GMixup
from gmixup.spelling import spelt


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("g-mixup", GMixup()),
        ("g-mixup:paper", GMixup.paper()),
        ("g-mixup:authors", GMixup.authors()),
        ("g-mixup:ratio=1,lam=(0.1,0.5)", GMixup(ratio=1, lam=(0.1, 0.5))),
        ("g-mixup:paper,ratio=0.5,estimator=usvt", GMixup.paper(ratio=0.5, estimator="usvt")),
        ("g-mixup:edge-features=random,mixes=None", GMixup(edge_features="random")),
        (GMixup(ratio=2), GMixup(ratio=2)),
    ],
)
def test_presets_and_settings_follow_a_colon(words, part):
    assert spelt(augmentations.room, words) == part


def test_other_rooms_spell_alike():
    assert spelt(backbones.room, "gin:depth=3,width=8") == backbones.room.make(
        "gin", depth=3, width=8
    )
    small = spelt(datasets.room, "two-and-eight-communities:graphs=4,nodes=(5,6)")
    assert len(small.load()) == 4
    assert len(datasets.load("two-and-eight-communities:graphs=4,nodes=(5,6)")) == 4


def test_ones_own_method_takes_settings_too(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(
        "from dataclasses import dataclass\n"
        "from gmixup.augmentations import Resample\n"
        "@dataclass(frozen=True)\n"
        "class Mine(Resample):\n"
        "    name = 'mine'\n"
    )
    assert spelt(augmentations.room, f"{file}:Mine").ratio == 0.2
    assert spelt(augmentations.room, f"{file}:Mine:ratio=1").ratio == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "g-mixup:papr",
            "`augmentation` is 'g-mixup:papr', and 'papr' is no setting=value; its presets are "
            "paper and authors",
        ),
        (
            "none:paper",
            "`augmentation` is 'none:paper', and 'paper' is no setting=value; it has no presets",
        ),
        ("g-mixup:ratio=(1,)", "is 'g-mixup:ratio=(1,)', but a setting is of a wrong kind ("),
        ("none:ratio=1", "'ratio' is no setting of none: it has none"),
        ("g-mixup:rate=1", "'rate' is no setting of g-mixup: its settings are ratio, "),
        ("g-mixed:ratio=1", "no augmentation is named 'g-mixed'"),
        ("g-mixup:ratio=-1", "`ratio` is -1; it must be 0 or more"),
    ],
)
def test_what_is_misspelt_is_told(words, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        spelt(augmentations.room, words)
