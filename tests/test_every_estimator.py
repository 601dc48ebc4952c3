"""Every estimator passes every common check, and none can silently drop out."""

from pathlib import Path

import pytest

from gmixup import estimators
from gmixup.testing import ESTIMATOR_CHECKS

EXAMPLES = [example for part in estimators.room.parts.values() for example in part.examples()]


@pytest.mark.parametrize("check", ESTIMATOR_CHECKS.values(), ids=ESTIMATOR_CHECKS.keys())
@pytest.mark.parametrize("estimator", EXAMPLES, ids=repr)
def test_check(estimator, check):
    check(estimator)


def test_every_file_of_the_room_is_one_estimator():
    folder = Path(estimators.__file__).parent
    files = {file.stem for file in folder.glob("*.py") if not file.name.startswith("_")}
    homes = [part.__module__.rpartition(".")[2] for part in estimators.room.parts.values()]
    assert sorted(homes) == sorted(files)


@pytest.mark.parametrize("part", estimators.room.parts.values(), ids=estimators.room.names())
def test_every_estimator_has_examples_of_its_own_kind(part):
    examples = list(part.examples())
    assert examples
    assert {type(example) for example in examples} == {part}


def test_the_names_are_the_published_ones():
    expected = {"sba", "lg", "sas", "mc", "usvt", "histogram", "vem"}
    assert expected <= set(estimators.room.names())
