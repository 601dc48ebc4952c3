"""Sweeps: nothing twice, nothing lost: neither to an error nor to a worker that dies."""

import re

import pytest
from torch import nn
from torch_geometric.nn import global_add_pool

from gmixup import augmentations, sweep
from gmixup.records import Records
from gmixup.sweep import bundles
from gmixup.training import Cell
from gmixup.training.outcome import failure
from tests import runs
from tests.small_runs import GIVEN, GRAPHS, MARK, OWN, RECIPE, cells, same


@pytest.fixture
def trainer(monkeypatch):
    """Trains nothing, but says which cells were trained together; may be told to raise."""

    class Trainer:
        def __init__(self):
            self.calls, self.failing = [], {}

        def __call__(self, some, graphs, **rest):
            self.calls.append([cell.seed for cell in some])
            for cell in some:
                if self.failing.get(cell.seed, 0) > 0:
                    self.failing[cell.seed] -= 1
                    raise MemoryError(f"no room for {cell.seed}")
                yield runs.done(cell.config, metric="accuracy")

    made = Trainer()
    monkeypatch.setattr(bundles, "train_cells", made)
    return made


def test_records_are_written_and_come_in_the_order_of_cells(tmp_path, trainer):
    wanted = cells()
    found = sweep.run(wanted, Records(tmp_path), **GIVEN)
    assert [record["key"] for record in found] == [cell.key for cell in wanted]
    assert Records(tmp_path).keys() == {cell.key for cell in wanted}


def test_what_is_there_is_not_run_again(tmp_path, trainer):
    sweep.run(cells(2), Records(tmp_path), **GIVEN)
    sweep.run([*cells(3), *cells(3)], Records(tmp_path), **GIVEN)
    assert trainer.calls == [[0], [1], [2]]


def test_compact_files_count_as_there(tmp_path, trainer):
    from gmixup.records import compact

    compact([runs.done(cell.config) for cell in cells(2)], tmp_path / "old" / "table.jsonl")
    sweep.run(cells(3), Records(tmp_path), **GIVEN)
    assert trainer.calls == [[2]]


def test_a_run_that_failed_before_is_tried_again(tmp_path, trainer):
    (cell,) = cells(1)
    Records(tmp_path).write(failure(cell, RuntimeError("no")))
    (found,) = sweep.run([cell], Records(tmp_path), **GIVEN)
    assert found["status"] == "done"


def test_bundles_are_of_cells_that_differ_by_seeds_only():
    every = cells(5, ("none", "drop-edge"))
    found = bundles.bundled(every, 2)
    assert [[(c.augmentation.name, c.seed) for c in bundle] for bundle in found] == [
        [("none", 0), ("none", 1)],
        [("drop-edge", 0), ("drop-edge", 1)],
        [("none", 2), ("none", 3)],
        [("drop-edge", 2), ("drop-edge", 3)],
        [("none", 4)],
        [("drop-edge", 4)],
    ]


def test_an_error_that_passes_is_not_seen(tmp_path, trainer):
    trainer.failing = {1: 2}
    found = sweep.run(cells(), Records(tmp_path), retries=2, **GIVEN)
    assert {record["status"] for record in found} == {"done"}
    assert trainer.calls == [[0], [1], [1], [1], [2]]


def test_an_error_that_stays_is_recorded(tmp_path, trainer):
    trainer.failing = {1: 99}
    found = sweep.run(cells(), Records(tmp_path), retries=1, **GIVEN)
    assert [record["status"] for record in found] == ["done", "failed", "done"]
    assert found[1]["error"] == "MemoryError: no room for 1"
    assert trainer.failing == {1: 97}


def test_one_of_a_bundle_that_fails_spares_the_others(tmp_path, trainer):
    trainer.failing = {1: 99}
    manner = bundles.Manner(Records(tmp_path), retries=1)
    told = list(bundles.train_bundle(bundles.Bundle(tuple(cells(5)), GRAPHS), manner))
    assert {record["cell"]["seed"] for record in told if record["status"] == "done"} == {0, 2, 3, 4}
    assert trainer.calls[:3] == [[0, 1, 2, 3, 4], [1, 2], [1]]


def test_interrupted_it_keeps_what_was_done(tmp_path, trainer):
    def stop(record):
        if record["cell"]["seed"] == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep.run(cells(), Records(tmp_path), on_record=stop, **GIVEN)
    assert len(Records(tmp_path).keys()) == 2
    sweep.run(cells(), Records(tmp_path), **GIVEN)
    assert trainer.calls == [[0], [1], [2]]


def test_graphs_that_are_not_given_are_loaded(tmp_path):
    GRAPHS.save(tmp_path / "small.npz")
    cell = Cell(str(tmp_path / "small.npz"), MARK, "gin", recipe=RECIPE)
    (found,) = sweep.run([cell], Records(tmp_path / "runs"), device="cpu", progress=False)
    assert found["status"] == "done"
    other = Cell(str(tmp_path / "small.npz"), "f" * 64, "gin", recipe=RECIPE)
    with pytest.raises(ValueError, match="is not the set that the cell was made of"):
        sweep.run([other], Records(tmp_path / "runs"), device="cpu", progress=False)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"jobs": 0}, "`jobs` is 0; it must be at least 1"),
        ({"retries": -1}, "`retries` is -1; it must be at least 0"),
        ({"in_flight": 0}, "`in_flight` is 0; it must be at least 1"),
    ],
)
def test_wrong_settings_are_told(tmp_path, settings, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        sweep.run(cells(), Records(tmp_path), **GIVEN, **settings)


class Net(nn.Module):
    """A network of somebody's own."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.layer = nn.Linear(inputs, outputs)

    def forward(self, data):
        return self.layer(global_add_pool(data.x, data.batch))


@pytest.mark.skipif("not hasattr(__import__('signal'), 'SIGKILL')", reason="no kill -9 here")
def test_a_worker_that_dies_is_survived(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    (tmp_path / "own.py").write_text(OWN)
    deadly = augmentations.room.find(f"{tmp_path / 'own.py'}:Deadly")
    once, always = (deadly(folder=str(tmp_path), always=always) for always in (False, True))
    own = Cell("small", MARK, lambda inputs, outputs: Net(inputs, outputs), recipe=RECIPE)
    wanted = [*cells(2), *cells(1, [once]), *cells(1, [always]), own]
    found = sweep.run(wanted, Records(tmp_path / "runs"), jobs=2, retries=0, **GIVEN)
    assert [record["status"] for record in found] == ["done"] * 3 + ["failed", "done"]
    assert [record["key"] for record in found] == [cell.key for cell in wanted]
    assert found[3]["error"].startswith("TerminatedWorkerError")
    assert (tmp_path / "threads").read_text() == "1"
    again = sweep.run(wanted[:2], Records(tmp_path / "alone"), **GIVEN)
    assert [same(record) for record in again] == [same(record) for record in found[:2]]


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_backend_that_is_not_installed_is_told(tmp_path, monkeypatch, backend):
    from gmixup.sweep import workers

    monkeypatch.setattr(workers, "find_spec", lambda name: None)
    sentence = f"`backend` is '{backend}', which is not installed here; pip install"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        sweep.run(cells(), Records(tmp_path), backend=backend, **GIVEN)
