"""Files appear whole or not at all."""

import threading
from contextlib import suppress

import pytest

from gmixup.atomic import whole_files, write_text


def everything(folder):
    return sorted(path.name for path in folder.rglob("*"))


def test_files_appear_only_at_the_end(tmp_path):
    out = tmp_path / "a" / "out"
    with whole_files(out) as draft:
        (draft / "one").write_text("1")
        assert not out.exists()
    assert everything(tmp_path) == ["a", "one", "out"]
    assert (out / "one").read_text() == "1"


def test_an_error_leaves_what_was_there(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "one").write_text("old")
    with suppress(RuntimeError), whole_files(out) as draft:
        (draft / "one").write_text("new")
        (draft / "two").write_text("new")
        raise RuntimeError
    assert everything(tmp_path) == ["one", "out"]
    assert (out / "one").read_text() == "old"


def test_other_files_of_the_folder_stay(tmp_path):
    (tmp_path / "mine").write_text("kept")
    (tmp_path / "one").write_text("old")
    with whole_files(tmp_path) as draft:
        (draft / "one").write_text("new")
    assert everything(tmp_path) == ["mine", "one"]
    assert (tmp_path / "one").read_text() == "new"


def test_what_says_that_all_is_there_comes_last(tmp_path, monkeypatch):
    (tmp_path / "a-sign").write_text("old")
    with suppress(RuntimeError), whole_files(tmp_path, last="a-sign") as draft:
        for name in ("a-sign", "one", "two"):
            (draft / name).write_text("new")
        moved = []

        def move(source, target):
            moved.append(source.name)
            if len(moved) == 2:
                raise RuntimeError

        monkeypatch.setattr("gmixup.atomic._replace", move)
    assert moved == ["one", "two"]
    assert not (tmp_path / "a-sign").exists()


def test_a_folder_replaces_a_folder(tmp_path):
    for text in ("old", "new"):
        with whole_files(tmp_path / "out") as draft:
            (draft / "raw").mkdir()
            (draft / "raw" / text).write_text(text)
    assert everything(tmp_path) == ["new", "out", "raw"]


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "out").write_text("")
    with (
        pytest.raises(
            NotADirectoryError, match=r"`out` is .*out', but .*out' is a file; name a folder"
        ),
        whole_files(tmp_path / "out"),
    ):
        pass


def test_text_is_written_in_one_step(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_text("deep/table.md", "K · m²")
    assert (tmp_path / "deep" / "table.md").read_text(encoding="utf-8") == "K · m²"
    assert everything(tmp_path) == ["deep", "table.md"]


def test_who_reads_meanwhile_sees_all_of_it(tmp_path):
    file, over = tmp_path / "long", threading.Event()
    texts = ["a" * 4_000_000, "b" * 4_000_000]
    write_text(file, texts[0])

    def write():
        while not over.is_set():
            for text in texts:
                write_text(file, text)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(100):
            assert file.read_text() in texts
    finally:
        over.set()
        writer.join()
