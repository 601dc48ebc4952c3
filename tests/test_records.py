"""Records on the disk: whole or not at all, each run once, whoever writes and whenever it dies."""

import json
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from gmixup.records import Records, compact, key_of, latest
from tests.runs import cell, done, failed

ROOT = Path(__file__).parents[1]
WRITER = """
import sys
from gmixup.records import Records
from tests.runs import cell, done
runs = Records(sys.argv[1])
print("ready", flush=True)
for seed in range(int(sys.argv[2]), int(sys.argv[3])):
    runs.write(done(cell(seed=seed), epochs=int(sys.argv[4])))
"""


def writer(folder, first, last, epochs=5):
    command = [sys.executable, "-c", WRITER, str(folder), str(first), str(last), str(epochs)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_what_is_written_is_read(tmp_path):
    runs, record = Records(tmp_path / "runs"), done(cell())
    assert runs.all() == []
    assert not runs.has(record["key"])
    file = runs.write(record)
    assert file == tmp_path / "runs" / f"{key_of(cell())}.json"
    assert runs.read(record["key"]) == runs.all()[0] == json.loads(file.read_text()) == record
    assert runs.has(record["key"])
    assert runs.keys() == {record["key"]}
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_failure_never_takes_the_place_of_a_finished_run(tmp_path):
    runs = Records(tmp_path)
    runs.write(failed(cell()))
    key = key_of(cell())
    assert not runs.has(key)
    assert runs.has(key, failed=True)
    assert runs.keys() == set()
    assert runs.keys(failed=True) == {key}
    runs.write(done(cell()))
    runs.write(failed(cell()))
    assert runs.has(key)
    assert runs.read(key)["status"] == "done"


def test_a_run_is_the_same_run_wherever_it_lies(tmp_path):
    old = done(cell(), test=0.5, date="2026-01-01")
    new = done(cell(), test=0.6, date="2026-01-02")
    other = done(cell(seed=1))
    Records(tmp_path / "first").write(new)
    Records(tmp_path / "second" / "deeper").write(old)
    Records(tmp_path / "third").write(failed(cell(), date="2026-01-03"))
    compact([old, other], tmp_path / "fourth" / "all.jsonl")
    every = Records(tmp_path)
    assert {one["scores"]["test"] for one in every.all()} == {0.6, 0.7}
    assert len(every.all()) == 2
    assert every.has(other["key"])
    assert every.read(other["key"])["cell"] == other["cell"]
    assert [one["key"] for one in every.all()] == sorted(one["key"] for one in every.all())


def test_the_latest_is_the_one_that_is_done():
    assert latest([failed(cell(), date="2027"), done(cell())])[0]["status"] == "done"
    assert latest([done(cell()), failed(cell(), date="2027")])[0]["status"] == "done"
    first, second = failed(cell(), "a", date="2026"), failed(cell(), "b", date="2027")
    assert latest([second, first])[0]["error"] == "b"


def test_many_writers_at_once_lose_nothing(tmp_path):
    # The ranges overlap: the same run may be written by two at once.
    writers = [writer(tmp_path, first, first + 30) for first in (0, 15, 30)]
    assert [one.wait() for one in writers] == [0, 0, 0]
    for one in writers:
        one.stdout.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        records = Records(tmp_path).all()
    assert sorted(one["cell"]["seed"] for one in records) == list(range(60))
    assert len(list(tmp_path.iterdir())) == 60


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_a_killed_writer_leaves_nothing_half_made(tmp_path):
    for attempt in range(4):
        folder = tmp_path / str(attempt)
        one = writer(folder, 0, 10_000, epochs=3000)
        one.stdout.readline()
        while not (folder.exists() and any(folder.glob("*.json"))):
            assert one.poll() is None
            time.sleep(0.001)
        time.sleep(0.02 * attempt)
        one.send_signal(signal.SIGKILL)
        one.wait()
        one.stdout.close()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kept = Records(folder).all()
        assert {record["key"] for record in kept} == {file.stem for file in folder.glob("*.json")}
        assert [record["status"] for record in kept] == ["done"] * len(kept)
        assert all(len(record["curve"]["epoch"]) == 3000 for record in kept)


def test_a_write_that_breaks_off_leaves_what_was_there(tmp_path, monkeypatch):
    runs = Records(tmp_path)
    runs.write(failed(cell()))

    def break_off(*_):
        raise OSError("no space left on the disk")

    monkeypatch.setattr("gmixup.atomic._replace", break_off)
    with pytest.raises(OSError, match="no space left"):
        runs.write(done(cell()))
    assert [one["status"] for one in runs.all()] == ["failed"]
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "it is empty, breaks off, or is no JSON"),
        (json.dumps(done(cell()))[:-9], "it is empty, breaks off, or is no JSON"),
        ("[1, 2]", "a record is a JSON object, not a list"),
        ('{"format": NaN}', "it holds NaN, which is no number"),
        ("{}", "the record has no `format`, which every record has"),
        (json.dumps(done(cell(seed=5))), "which its name denies"),
    ],
)
def test_damaged_files_are_left_out_with_a_warning(tmp_path, content, words):
    runs = Records(tmp_path)
    runs.write(done(cell(seed=1)))
    file = runs.file(key_of(cell()))
    file.write_text(content)
    with pytest.warns(UserWarning, match="1 record is damaged and left out: ") as told:
        assert len(runs.all()) == 1
    assert f"left out: {file}" in str(told[0].message)
    assert words in str(told[0].message)
    assert "delete them, or run them again" in str(told[0].message)
    with pytest.warns(UserWarning, match="1 record is damaged"):
        assert not runs.has(key_of(cell()))
    runs.write(done(cell()))
    assert len(runs.all()) == 2


def test_bytes_that_are_no_text_are_damage(tmp_path):
    runs = Records(tmp_path)
    runs.file(key_of(cell())).write_bytes(b"\xff\xfe\x00")
    runs.file(key_of(cell(seed=1))).write_text("{")
    with pytest.warns(UserWarning, match="2 records are damaged and left out: .* and others;"):
        assert runs.all() == []


def test_a_damaged_line_spares_the_others(tmp_path):
    file = compact([done(cell(seed=seed)) for seed in range(3)], tmp_path / "all.jsonl")
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], "", lines[1][:50], lines[2]]))
    with pytest.warns(UserWarning, match=r"all.jsonl, line 3 \(it is empty, breaks off"):
        assert len(Records(tmp_path).all()) == 2


def test_other_files_are_not_records(tmp_path):
    runs = Records(tmp_path)
    runs.write(done(cell()))
    for name in ("notes.json", "report.html", ".hidden.jsonl", "0" * 23 + ".json"):
        (tmp_path / name).write_text("{")
    (tmp_path / ".draft").mkdir()
    (tmp_path / ".draft" / f"{'0' * 24}.json").write_text("{")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(runs.all()) == 1


def test_a_record_that_is_none_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="the record has no `status`"):
        Records(tmp_path / "runs").write({"format": 1, "key": "", "cell": {}})
    assert not (tmp_path / "runs").exists()


def test_what_cannot_be_a_folder_is_named(tmp_path):
    file = tmp_path / "a.json"
    file.write_text("{}")
    with pytest.raises(NotADirectoryError, match=r"`folder` is .*a.json', a file; name the folder"):
        Records(file)


def test_a_run_without_a_record_is_named(tmp_path):
    with pytest.raises(KeyError, match="no record of the run 'abc' lies in"):
        Records(tmp_path).read("abc")


def test_a_compact_file_says_the_same_with_fewer_points(tmp_path):
    records = [done(cell(seed=seed), epochs=300) for seed in range(3)] + [failed(cell(seed=9))]
    for number, record in enumerate(records[:3]):
        record["scores"]["epoch"] = 77 + number
    compact(records, tmp_path / "all.jsonl", most_points=20)
    again = {one["key"]: one for one in Records(tmp_path).all()}
    assert again.keys() == {one["key"] for one in records}
    for record in records:
        found = again[record["key"]]
        rest = {name: value for name, value in record.items() if name != "curve"}
        assert {name: value for name, value in found.items() if name != "curve"} == rest
    for record in records[:3]:
        short, long = again[record["key"]]["curve"], record["curve"]
        assert len(short["epoch"]) <= 20
        assert short["epoch"][0] == 1
        assert short["epoch"][-1] == 300
        assert record["scores"]["epoch"] in short["epoch"]
        for part in ("train", "validation", "test"):
            picked = [long["score"][part][epoch - 1] for epoch in short["epoch"]]
            assert short["score"][part] == pytest.approx(picked, rel=1e-3)


def test_a_short_curve_stays_and_one_point_is_the_best(tmp_path):
    record = done(cell(), epochs=4)
    compact([record], tmp_path / "few.jsonl", most_points=4)
    assert Records(tmp_path).read(record["key"])["curve"]["epoch"] == [1, 2, 3, 4]
    compact([record], tmp_path / "few.jsonl", most_points=1)
    assert Records(tmp_path).read(record["key"])["curve"]["epoch"] == [3]


def test_compacting_twice_changes_nothing(tmp_path):
    records = [done(cell(seed=seed), epochs=100) for seed in range(3)]
    first = compact(records, tmp_path / "a" / "all.jsonl")
    second = compact(Records(tmp_path / "a").all(), tmp_path / "b" / "all.jsonl")
    assert first.read_bytes() == second.read_bytes()


def test_a_compact_file_is_named_and_has_points(tmp_path):
    with pytest.raises(
        ValueError, match=r"`file` is .*all.json'; compact records lie in files nam"
    ):
        compact([], tmp_path / "all.json")
    with pytest.raises(ValueError, match="`most_points` is 0; a curve keeps at least 1 point"):
        compact([], tmp_path / "all.jsonl", most_points=0)


def test_the_same_run_gives_the_same_bytes(tmp_path):
    record = done(cell())
    first = Records(tmp_path / "a").write(record).read_bytes()
    second = Records(tmp_path / "b").write(dict(reversed(record.items()))).read_bytes()
    assert first == second
