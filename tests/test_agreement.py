"""The fast loop and the plain one agree step by step: same state, same batch, same draws."""

from types import SimpleNamespace

import pytest
import torch
from torch_geometric.data import Batch as PyGBatch

from gmixup import augmentations, backbones, datasets
from gmixup.backbones import numbered_dropouts
from gmixup.batch import Batch, Masks
from gmixup.training import Cell, Recipe, SplitRule, plain
from gmixup.training.fast import Engine
from gmixup.training.objective import soft_cross_entropy
from gmixup.training.run import Run
from gmixup.training.stores import Stores

STEPS = 6
DATA = {
    "degrees": datasets.room.make("two-and-eight-communities", graphs=48, nodes=(5, 14)).load(),
    "own": datasets.room.make(
        "two-and-eight-communities", graphs=48, nodes=(5, 14), features=True
    ).load(),
}
SMALL = {
    "gcn": {"width": 8, "depth": 2}, "gcn2": {"width": 8, "depth": 2},
    "gin": {"width": 8, "depth": 2, "dropout": 0.3}, "top-k": {"width": 8, "depth": 2},
    "diff-pool": {"width": 6, "depth": 2, "clusters": (4, 2)},
    "min-cut": {"width": 6, "clusters": (4, 2)}, "gmt": {"width": 8, "depth": 2, "seeds": 3},
    "ogb-gcn": {"width": 8, "depth": 2, "virtual_node": True}, "ogb-gin": {"width": 8, "depth": 2},
}  # fmt: skip
STACKED = ["gcn", "gcn2", "gin"]
METHODS = [*augmentations.room.names()]


def runs_of(backbone, augmentation, count=1, data="degrees", **recipe):
    settings = {"batch_size": 9, "precision": "float64", "epochs": 2, "weight_decay": 0.01}
    made = backbones.room.make(backbone, **SMALL[backbone])
    cells = [
        Cell("small", "small", made, augmentation, Recipe(**settings | recipe),
             SplitRule(seed=seed), seed=seed, features="auto")
        for seed in range(count)
    ]  # fmt: skip
    return [Run.of(cell, DATA[data]) for cell in cells]


def plain_step(run, state, ids, seeds, masks):
    """What the plain loop makes of the graphs at `ids`, from a state and draw of the fast one."""
    network = run.network()
    network.load_state_dict(state["parameters"] | state["buffers"], strict=False)
    for layer in numbered_dropouts(network):
        layer.begin(run.key("dropout", *seeds))
    graphs = run.featured(run.training_graphs(seeds[0])[0]).to_pyg()
    batch = Batch.from_pyg(PyGBatch.from_data_list([graphs[i] for i in ids if i >= 0]))
    logits, y, extra = plain.forward(
        drawn(run, batch, masks), network, batch, run.stream("batch", *seeds)
    )
    weights = run.class_weights()
    loss = soft_cross_entropy(logits, y.double(), weights).mean() + extra
    loss.backward()
    buffers = {n: b for n, b in network.named_buffers() if not n.endswith("key")}
    return logits.detach(), {n: p.grad for n, p in network.named_parameters()}, buffers


def drawn(run, batch, masks):
    """The run with its masks as they were drawn, without those of padding."""
    if masks is None:
        return run
    kept = Masks(*(
        None if mask is None else mask[: len(rows)]
        for mask, rows in (
            (masks.node_keep, batch.x), (masks.edge_keep, batch.edge_index.T),
            (masks.feature_keep, batch.x),
        )
    ))  # fmt: skip
    own = run.cell.augmentation
    given = SimpleNamespace(on_batch=lambda *_: kept, on_hidden=own.on_hidden)
    return SimpleNamespace(cell=SimpleNamespace(augmentation=given))


def of_run(masks, place, runs):
    if masks is None:
        return None
    parts = (masks.node_keep, masks.edge_keep, masks.feature_keep)
    return Masks(*(None if part is None else part.chunk(runs)[place] for part in parts))


def close(found, wanted, what):
    bound = 1e-9 * max(1.0, float(wanted.abs().max())) if wanted.numel() else 0
    assert torch.allclose(found, wanted.to(found), rtol=1e-8, atol=bound), what


def check(runs, padded):
    stores = Stores(runs[0].graphs)
    engine = Engine(runs, stores, "cpu", padded=padded)
    engine.make_moments()
    for number in range(STEPS):
        epoch, step = divmod(number, engine.plan.steps)
        if step == 0:
            if engine.augmentation.fresh and epoch:
                engine.lay_out(epoch)
            engine.plan.begin(epoch)
        before = [engine.state(place) for place in range(len(runs))]
        engine.seed(epoch, step)
        ids = engine.plan.train[step]
        batch = engine.gather(ids, engine.plan.capacity)
        masks = engine.masks(batch)
        logits, _ = engine.learn(batch.masked(masks), ids, engine.plan.keys[step])
        named = engine.networks.parameters
        grads = {name: parameter.grad for name, parameter in named.items()}
        for place, run in enumerate(runs):
            mine, own = ids[place].tolist(), of_run(masks, place, len(runs))
            wanted, slopes, buffers = plain_step(run, before[place], mine, (epoch, step), own)
            close(logits[place][: len(wanted)], wanted, "logits")
            own = engine.networks.of_run(place, grads)
            for name, slope in slopes.items():
                close(own[name], slope, name)
            after = engine.networks.of_run(place, engine.networks.buffers)
            for name, buffer in buffers.items():
                close(after[name], buffer, name)


@pytest.mark.parametrize("padded", [False, True], ids=["exact", "padded"])
@pytest.mark.parametrize("backbone", SMALL)
def test_every_network(backbone, padded):
    check(runs_of(backbone, "none", data="own"), padded)


@pytest.mark.parametrize("padded", [False, True], ids=["exact", "padded"])
@pytest.mark.parametrize("method", METHODS)
def test_every_augmentation(method, padded):
    check(runs_of("gin", method), padded)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("backbone", STACKED)
def test_several_runs_are_as_one_after_another(backbone, method):
    check(runs_of(backbone, method, count=3), True)


def test_class_weights_and_equal_steps():
    check(runs_of("gin", "g-mixup", class_weights="balanced", steps="equal"), False)


def test_graphs_that_are_new_every_epoch():
    check(runs_of("gcn", augmentations.GMixup(fresh=True)), False)
