"""Callbacks are told of every epoch and of the end, and TensorBoard's writes what it is told."""

import pickle
import sys

import pytest

from gmixup import datasets
from gmixup.training import Cell, Recipe, TensorBoard, train_cells

EPOCHS = 3
SET = "two-and-eight-communities"
DATA = datasets.room.make(SET, graphs=20, nodes=(5, 9)).load()
NETWORK = {"name": "gin", "depth": 1, "width": 4}


def cell(seed=0, **changes):
    recipe = Recipe.quick(epochs=EPOCHS, **changes)
    return Cell.of({"data": SET, "fingerprint": "x", "backbone": NETWORK, "recipe": recipe,
                    "seed": seed})  # fmt: skip


class Listener:
    def __init__(self):
        self.told = []

    def on_epoch(self, run, epoch, point):
        self.told.append((run.cell.seed, epoch, point["test"].score))

    def on_end(self, run, curve):
        self.told.append((run.cell.seed, "end", curve.points[curve.best]["test"].score))


class Ends:
    seen = 0

    def on_end(self, run, curve):
        self.seen += len(curve)


@pytest.mark.parametrize("loop", ["plain", "fast"])
def test_callbacks_are_told_of_every_epoch_and_the_end(loop):
    listener, ends = Listener(), Ends()
    cells = [cell(0), cell(1)]
    records = list(train_cells(cells, DATA, device="cpu", loop=loop, callbacks=[listener, ends]))
    order = [(seed, what) for seed in (0, 1) for what in (*range(EPOCHS), "end")]
    assert [told[:2] for told in listener.told] == order
    curves = [score for record in records for score in record["curve"]["score"]["test"]]
    heard = [score for _, what, score in listener.told if what != "end"]
    assert heard == pytest.approx(curves, rel=1e-6)
    assert ends.seen == EPOCHS * len(cells)


def test_tensorboard_has_the_curves_of_each_run(tmp_path):
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    watch = pickle.loads(pickle.dumps(TensorBoard(tmp_path)))  # as it comes to other processes
    records = list(train_cells([cell(0), cell(1)], DATA, device="cpu", callbacks=[watch]))
    folders = sorted(tmp_path.iterdir())
    assert len(folders) == len(records)
    for folder, record in zip(folders, records, strict=True):
        assert folder.name.startswith(f"{SET}-gin-none-seed-{record['cell']['seed']}-")
        events = reader.EventAccumulator(str(folder)).Reload()
        for tag, wanted in (("loss", "loss"), ("accuracy", "score")):
            found = events.Scalars(f"{tag}/validation")
            assert [event.step for event in found] == list(range(1, EPOCHS + 1))
            assert [e.value for e in found] == pytest.approx(record["curve"][wanted]["validation"])


def test_without_tensorboard_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ImportError, match=r"needs the package tensorboard.*gmixup\[track\]"):
        TensorBoard()
