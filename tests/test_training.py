"""Recipes, scores, early stop, equal steps, resuming: what a run does besides its steps."""

import json
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score, roc_auc_score

import gmixup
from gmixup import GMixup, backbones, cli, sweep
from gmixup.augmentations._base import AbstractAugmentation
from gmixup.records import Records
from gmixup.spelling import spelt
from gmixup.training import Cell, Recipe, SplitRule, state, train_cells
from gmixup.training.curve import Curve, Point
from gmixup.training.fast import Engine
from gmixup.training.objective import score, soft_cross_entropy
from gmixup.training.run import Run
from gmixup.training.stores import Stores
from tests.small_runs import GIVEN, GRAPHS, MARK, cells, same

LOOPS = ("plain", "fast")
NET = """
import torch
from torch_geometric.nn import GINConv, global_add_pool

class MyNet(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.layer = GINConv(torch.nn.Linear(inputs, 4))
        self.out = torch.nn.Linear(4, outputs)

    def forward(self, data):
        x = self.layer(data.x, data.edge_index).relu()
        return self.out(global_add_pool(x, data.batch))
"""


def cell(method="none", seed=0, backbone="gin", **recipe):
    settings = {"epochs": 4, "batch_size": 8, "learning_rate": 0.05}
    made = {"name": backbone, "depth": 1, "width": 4, "dropout": 0.2}
    return Cell.of({"data": "small", "fingerprint": MARK, "backbone": made, "seed": seed,
                    "augmentation": method, "split": SplitRule(seed=seed),
                    "recipe": Recipe(**settings | recipe)})  # fmt: skip


def trained(one, loop="fast", **rest):
    (record,) = train_cells([one], GRAPHS, device="cpu", loop=loop, **rest)
    return record


def test_presets_are_the_published_settings():
    common = {"epochs", "batch_size", "learning_rate", "halve_every", "weight_decay", "metric",
              "patience"}  # fmt: skip
    wanted = {
        "paper": (300, 128, 0.01, 100, 0.0, "accuracy", None),
        "authors": (800, 128, 0.01, 100, 5e-4, "accuracy", None),
        "ogb": (100, 32, 0.001, None, 0.0, "roc-auc", None),
        "gmt": (500, 128, 5e-4, None, 1e-4, "accuracy", 50),
        "quick": (10, 32, 0.01, 100, 0.0, "accuracy", None),
    }
    assert set(wanted) == set(Recipe.presets())
    for name, values in wanted.items():
        preset = getattr(Recipe, name)()
        order = [item for item in Recipe.__dataclass_fields__ if item in common]
        assert tuple(getattr(preset, item) for item in order) == values, name
    assert Recipe.ogb(epochs=3).learning_rate == 0.001


def test_the_learning_rate_is_halved():
    rates = [Recipe().rate(epoch) for epoch in (0, 99, 100, 199, 200, 299)]
    assert rates == [0.01, 0.01, 0.005, 0.005, 0.0025, 0.0025]
    assert Recipe.ogb().rate(99) == 0.001


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"metric": "loss"}, "`metric` is 'loss'; it is one of accuracy, macro-f1, roc-auc"),
        ({"steps": "few"}, "`steps` is 'few'; it is one of per-epoch, equal"),
        ({"class_weights": "even"}, "`class_weights` is 'even'; it is one of none, balanced"),
        ({"precision": "half"}, "`precision` is 'half'"),
        ({"patience": 0}, "`patience` is 0; it must be at least 1"),
        ({"learning_rate": 0}, "`learning_rate` is 0 and `weight_decay` is 0.0; the first must"),
    ],
)
def test_wrong_recipes_are_told(settings, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        Recipe(**settings)


@pytest.mark.parametrize("classes", [2, 4])
def test_scores_are_those_of_scikit_learn(classes):
    rng = np.random.default_rng(classes)
    for _ in range(20):
        # Few levels, so that values tie.
        logits = torch.from_numpy(rng.integers(0, 4, (40, classes)) / 2)
        y = torch.from_numpy(rng.dirichlet(np.ones(classes), 40))
        labels, found = y.argmax(1), logits.argmax(1)
        assert score("accuracy", logits, y) == float((labels == found).double().mean())
        macro = f1_score(labels, found, average="macro")
        assert score("macro-f1", logits, y) == pytest.approx(macro)
        if classes == 2:
            area = roc_auc_score(labels, logits[:, 1] - logits[:, 0])
            assert score("roc-auc", logits, y) == pytest.approx(area)
    with pytest.raises(ValueError, match="is 'roc-auc', which is for two classes; there are 3"):
        score("roc-auc", torch.zeros(2, 3), torch.zeros(2, 3))


def test_the_loss_is_torchs_with_soft_labels_and_with_weights():
    logits, y = torch.randn(2, 7, 3, dtype=torch.float64).unbind()
    y = y.softmax(-1)
    ours = soft_cross_entropy(logits, y)
    assert torch.allclose(ours, torch.nn.functional.cross_entropy(logits, y, reduction="none"))
    weights = torch.tensor([0.5, 2.0, 1.0], dtype=torch.float64)
    theirs = torch.nn.functional.cross_entropy(logits, y, weights, reduction="none")
    assert torch.allclose(soft_cross_entropy(logits, y, weights), theirs)


def test_balanced_weights_make_classes_weigh_alike():
    rare = GRAPHS.subset([i for i in range(20) if i < 10 or i >= 14])
    run = Run.of(cell(class_weights="balanced"), rare)
    counts = torch.bincount(run.train.labels()).float()
    weights = run.class_weights()
    assert counts[0] != counts[1]
    assert weights * counts == pytest.approx(torch.full((2,), len(run.train) / 2))
    assert Run.of(cell(), rare).class_weights() is None


@pytest.mark.parametrize("fold", [-1, 10])
def test_a_fold_that_there_is_not_is_told(fold):
    with pytest.raises(ValueError, match=f"`fold` is {fold} of 10; folds are numbered from 0 to 9"):
        SplitRule("k-fold", fold=fold)


def test_equal_steps_are_those_of_no_augmentation():
    steps = {}
    for method in ("none", "resample"):
        for rule in ("per-epoch", "equal"):
            made = {"name": method, "ratio": 1.0} if method == "resample" else "none"
            run = Run.of(cell(made, steps=rule, batch_size=4), GRAPHS)
            batches = run.batches(0, len(run.training_graphs()[0]))
            steps[method, rule] = len(batches)
            # Over epochs all graphs are seen, the added ones too.
            seen = torch.cat([b for e in range(20) for b in run.batches(e, sum(map(len, batches)))])
            assert set(seen.tolist()) == set(range(sum(map(len, batches))))
    assert steps["none", "per-epoch"] == steps["none", "equal"] == steps["resample", "equal"] == 4
    assert steps["resample", "per-epoch"] == 7


def points(*scores):
    parts = (
        {"train": Point(1, 1), "validation": Point(loss, score), "test": Point(0, place)}
        for place, (score, loss) in enumerate(scores)
    )
    return Curve(tuple(parts))


def test_the_best_epoch_is_that_of_validation():
    assert points((0.5, 1), (0.7, 2), (0.7, 1), (0.7, 1)).best == 2
    assert points((0.5, 1), (0.5, float("nan"))).best == 0
    assert points((0.5, float("nan")), (0.5, 9)).best == 1
    assert points((0.5, 1), (0.7, 2)).scores() == {
        "train": 1, "validation": 0.7, "test": 1, "epoch": 1,
    }  # fmt: skip


def test_a_curve_without_a_better_epoch_stops():
    curve = points((0.5, 1), (0.7, 2), (0.7, 2), (0.6, 1), (0.9, 1))
    assert curve.stopped(None) is None
    assert curve.stopped(3) is None
    stopped = curve.stopped(2)
    assert stopped is not None
    assert len(stopped) == 4


@pytest.mark.parametrize("loop", LOOPS)
def test_a_run_stops_early(loop):
    whole = trained(cell(epochs=40), loop)
    record = trained(cell(epochs=40, patience=3), loop)
    epochs = len(record["curve"]["epoch"])
    assert epochs == record["scores"]["epoch"] + 4 < 40
    assert record["curve"]["loss"]["test"] == whole["curve"]["loss"]["test"][:epochs]


@pytest.mark.parametrize("recipe", [{"metric": "macro-f1", "class_weights": "balanced"},
                                    {"metric": "roc-auc"}])  # fmt: skip
def test_options_train(recipe):
    record = trained(cell("g-mixup", **recipe))
    assert record["metric"] == recipe["metric"]
    assert all(np.isfinite(record["curve"]["loss"]["train"]))


@pytest.mark.parametrize(
    ("loop", "backbone"),
    [*(("fast", name) for name in backbones.room.names()), ("plain", "gin"), ("plain", "min-cut")],
)
def test_half_precision_is_near_on_a_cpu_too(loop, backbone):
    curves = [
        trained(cell("g-mixup", backbone=backbone, precision=precision), loop)["curve"]
        for precision in ("bfloat16", "float32")
    ]
    half, whole = (curve["loss"]["train"] for curve in curves)
    assert half != whole
    assert half[0] == pytest.approx(whole[0], rel=0.1)


class Killer:
    """Ends a run in the middle of it."""

    def __init__(self, epoch):
        self.at = epoch

    def on_epoch(self, run, epoch, point):
        if epoch == self.at:
            raise KeyboardInterrupt


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("method", ["none", "g-mixup", GMixup(fresh=True), "drop-edge",
                                    "manifold-mixup"],
                         ids=lambda method: getattr(method, "name", method))  # fmt: skip
def test_resumed_equals_uninterrupted(tmp_path, monkeypatch, loop, method):
    one = cell(method, epochs=6, halve_every=4)
    monkeypatch.setattr(state.Watch, "due", lambda watch: watch.folder is not None)
    with pytest.raises(KeyboardInterrupt):
        trained(one, loop, checkpoints=tmp_path / "kept", callbacks=[Killer(3)])
    (file,) = (tmp_path / "kept").iterdir()
    assert len(torch.load(file, weights_only=True)["points"]) == 3
    seen = []
    watch = type("Watch", (), {"on_epoch": lambda self, run, epoch, point: seen.append(epoch)})()
    resumed = trained(one, loop, checkpoints=tmp_path / "kept", callbacks=[watch])
    assert seen == [3, 4, 5]
    assert same(resumed) == same(trained(one, loop))
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("spoil", [lambda content: content[:100], lambda _: b"",
                                   lambda content: content.replace(b"key", b"kex")],
                         ids=["cut", "empty", "other"])  # fmt: skip
def test_a_checkpoint_that_cannot_be_read_is_left_aside(tmp_path, monkeypatch, loop, spoil):
    monkeypatch.setattr(state.Watch, "due", lambda watch: watch.folder is not None)
    with pytest.raises(KeyboardInterrupt):
        trained(cell(), loop, checkpoints=tmp_path, callbacks=[Killer(2)])
    (file,) = tmp_path.iterdir()
    file.write_bytes(spoil(file.read_bytes()))
    assert same(trained(cell(), loop, checkpoints=tmp_path)) == same(trained(cell(), loop))


@pytest.mark.parametrize("loop", LOOPS)
def test_a_checkpoint_of_the_other_loop_is_left_aside(tmp_path, monkeypatch, loop):
    (other,) = {*LOOPS} - {loop}
    monkeypatch.setattr(state.Watch, "due", lambda watch: watch.folder is not None)
    with pytest.raises(KeyboardInterrupt):
        trained(cell(), other, checkpoints=tmp_path, callbacks=[Killer(2)])
    assert [*tmp_path.iterdir()]
    assert same(trained(cell(), loop, checkpoints=tmp_path)) == same(trained(cell(), loop))


@pytest.mark.parametrize("loop", LOOPS)
def test_a_run_killed_when_it_had_stopped_early_is_not_trained_further(tmp_path, monkeypatch, loop):
    one = cell(epochs=30, patience=2)
    whole = trained(one, loop)
    assert len(whole["curve"]["epoch"]) < 30
    monkeypatch.setattr(state.Watch, "due", lambda watch: watch.folder is not None)

    class KilledBeforeTheRecord:
        def on_end(self, run, curve):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(one, loop, checkpoints=tmp_path, callbacks=[KilledBeforeTheRecord()])
    assert same(trained(one, loop, checkpoints=tmp_path)) == same(whole)


def test_runs_side_by_side_are_resumed_together():
    runs = [Run.of(cell(seed=seed, precision="float64"), GRAPHS) for seed in range(3)]
    stores = Stores(runs[0].graphs)
    whole, first, second = (Engine(runs, stores, "cpu") for _ in range(3))
    for epoch in range(4):
        whole.epoch(epoch)
    for epoch in range(2):
        first.epoch(epoch)
    for place in range(3):
        second.restore(place, first.state(place))
    for epoch in (2, 3):
        second.epoch(epoch)
    for place in range(3):
        wanted, found = whole.state(place), second.state(place)
        for name, tensor in wanted["parameters"].items():
            assert torch.equal(found["parameters"][name], tensor), name


def test_a_bar_shows_runs_and_the_time_left(tmp_path, capsys):
    settings = {**GIVEN, "progress": True}
    sweep.run(cells(2), Records(tmp_path), **settings)
    shown = capsys.readouterr().err
    assert re.search(r"1/2 \[\d\d:\d\d<\d\d:\d\d", shown), shown
    sweep.run(cells(3), Records(tmp_path / "quiet"), **GIVEN)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("loop", LOOPS)
def test_the_callers_random_numbers_are_left_alone(loop):
    before = torch.get_rng_state()
    trained(cell(), loop)
    assert torch.equal(torch.get_rng_state(), before)


@dataclass(frozen=True)
class Reversed(AbstractAugmentation):
    """Not what it may do: real graphs in another order."""

    name: ClassVar[str] = "reversed"

    def on_training_set(self, graphs, generator):
        return graphs.subset(range(len(graphs))[::-1])


@pytest.mark.parametrize("loop", LOOPS)
def test_a_method_that_changes_real_graphs_is_refused(loop):
    sentence = (
        "the augmentation 'reversed' changes real graphs in `on_training_set`, which may only"
    )
    with pytest.raises(ValueError, match=sentence):
        trained(cell(Reversed()), loop)


def test_a_network_of_ones_own_by_path_and_in_python(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(NET)
    words = ["train", "two-and-eight-communities:graphs=20,nodes=(8,12)", "--recipe", "quick",
             "--epochs", "2", "--seeds", "2", "--augment", "drop-edge", "--device", "cpu",
             "--quiet", "--out", str(tmp_path / "runs")]  # fmt: skip
    assert cli.main([*words, "--backbone", f"{file}:MyNet"]) == 0
    assert "my-net, drop-edge: test accuracy" in capsys.readouterr().out
    space = {"__name__": "mine"}
    exec(compile(NET, str(file), "exec"), space)
    result = gmixup.train(
        GRAPHS, space["MyNet"], "drop-edge", 2, recipe="quick", epochs=2, device="cpu",
        out=tmp_path / "more",
    )  # fmt: skip
    by_path = {one["cell"]["seed"]: one for one in Records(tmp_path / "runs").all()}
    for record in result.records:
        other = by_path[record["cell"]["seed"]]
        assert record["loop"] == other["loop"] == "plain"
        assert record["curve"] == other["curve"]
        assert json.dumps(record["cell"]["backbone"]["source"])


def test_settings_that_are_true_or_false_are_not_words():
    given = [spelt(backbones.room, f"ogb-gin:virtual_node={word}").virtual_node
             for word in ("true", "True", "false", "False")]  # fmt: skip
    assert given == [True, True, False, False]
