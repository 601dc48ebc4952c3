"""Rooms find their parts by file and answer by name."""

import re
from importlib.metadata import EntryPoint

import pytest

from gmixup import estimators, registry
from gmixup.registry import Room

OWN = """
class Mean:
    name = "mean"

class Other:
    name = "other"
"""


@pytest.fixture
def room(tmp_path, monkeypatch):
    folder = tmp_path / "fruit_room"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "_base.py").write_text("class Hidden:\n    name = 'hidden'\n")
    (folder / "pear.py").write_text(
        "from abc import ABC, abstractmethod\n"
        "from fruit_room._base import Hidden\n"
        "class AbstractFruit(ABC):\n"
        "    name = 'abstract'\n"
        "    @abstractmethod\n"
        "    def ripen(self): ...\n"
        "class Pear:\n    name = 'pear'\n"
    )
    (folder / "apple.py").write_text(
        "class GreenApple:\n"
        "    name = 'green-apple'\n"
        "    def __init__(self, weight=1):\n        self.weight = weight\n"
        "class _Core:\n    name = None\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return Room("fruit_room", "fruit")


def test_a_file_of_the_room_is_enough(room):
    assert room.names() == ["green-apple", "pear"]


def test_make_builds_by_name_and_passes_objects_on(room):
    assert room.make("green-apple", weight=3).weight == 3
    apple = object()
    assert room.make(apple) is apple


def test_parts_are_found_by_class_name_too(room):
    assert room.attribute("GreenApple") is room.find("green-apple")
    with pytest.raises(AttributeError, match="module 'fruit_room' has no attribute 'Plum'"):
        room.attribute("Plum")


def test_a_misspelt_name_is_answered_with_the_nearest(room):
    message = (
        "no fruit is named 'peer': there are green-apple, pear, "
        "or your own as path.py:ClassName; did you mean 'pear'?"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        room.find("peer")


def test_a_name_far_from_all_gets_no_guess(room):
    with pytest.raises(ValueError, match=r"path\.py:ClassName$"):
        room.find("xyz")


def test_a_part_in_a_file_of_ones_own(room, tmp_path):
    file = tmp_path / "own.py"
    file.write_text(OWN)
    found = room.find(f"{file}:Mean")
    assert found.name == "mean"
    assert room.find(f"{file}:Mean") is found
    assert room.find(f"{file}:Other").__module__ == found.__module__


def test_two_files_of_one_name_are_two_modules(room, tmp_path):
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "own.py").write_text(f"class Mean:\n    name = 'm{number}'\n")
    names = [room.find(f"{tmp_path / str(number) / 'own.py'}:Mean").name for number in (1, 2)]
    assert names == ["m1", "m2"]


def test_an_own_file_that_is_missing_or_lacks_the_class_is_named(room, tmp_path):
    (file := tmp_path / "broken.py").write_text("import no_such_module")
    with pytest.raises(ValueError, match=r"broken.py:A', cannot be run: ModuleNotFoundError: No m"):
        room.find(f"{file}:A")
    with pytest.raises(ValueError, match=r"no file 'nowhere\.py' for the fruit 'nowhere\.py:Mean'"):
        room.find("nowhere.py:Mean")
    file = tmp_path / "own.py"
    file.write_text(OWN)
    with pytest.raises(ValueError, match="defines no 'Median', asked for as the fruit"):
        room.find(f"{file}:Median")


def test_an_own_file_that_fails_is_read_anew_next_time(room, tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("raise RuntimeError('not yet')")
    with pytest.raises(ValueError, match="cannot be run: RuntimeError: not yet"):
        room.find(f"{file}:Mean")
    file.write_text(OWN)
    assert room.find(f"{file}:Mean").name == "mean"


def test_other_packages_add_parts_by_entry_point(room, monkeypatch, tmp_path):
    (tmp_path / "elsewhere.py").write_text(OWN)
    entry = EntryPoint("mean", "elsewhere:Mean", "fruit_room")
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry] * (group == "fruit_room"))
    assert room.names() == ["green-apple", "mean", "pear"]


def test_the_estimators_answer_by_both_spellings():
    assert estimators.room.find("histogram") is estimators.Histogram
    with pytest.raises(AttributeError, match=r"'gmixup\.estimators' has no attribute 'Magic'"):
        _ = estimators.Magic


def test_completion_shows_the_parts_of_a_room():
    assert {"LG", "SBA", "VEM"} <= set(dir(estimators))
