"""The fast loop and the plain one agree step by step: same state, same batch, same draws.

Loss, logits and gradients to 1e-9 of the largest, buffers and optimiser to 1e-8, in float64.
"""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from torch_geometric.data import Batch as PyGBatch

from gmixup import GraphSet, augmentations, backbones, datasets
from gmixup.backbones import numbered_dropouts
from gmixup.batch import Batch, Masks
from gmixup.training import Cell, Recipe, SplitRule, plain, train_cells
from gmixup.training.fast import Engine
from gmixup.training.objective import soft_cross_entropy
from gmixup.training.run import Run
from gmixup.training.stores import Stores

STEPS, FEWER = 20, 6


def molecules():
    """Graphs whose nodes and edges have categories, as atoms and bonds have."""
    graphs = DATA["degrees"]
    stream = torch.Generator().manual_seed(0)
    x = torch.randint(0, 3, (int(graphs.num_nodes.sum()), 2), generator=stream)
    row, column = graphs.edge_index
    bonds = torch.stack([(row + column) % 4, (row * column) % 2], 1)
    return replace(graphs, x=x, edge_attr=bonds)


DATA: dict[str, GraphSet] = {
    "degrees": datasets.room.make("two-and-eight-communities", graphs=48, nodes=(5, 14)).load(),
    "own": datasets.room.make(
        "two-and-eight-communities", graphs=48, nodes=(5, 14), features=True
    ).load(),
}
DATA["molecules"] = molecules()
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
    settings = {"batch_size": 9, "precision": "float64", "epochs": 6, "weight_decay": 0.01}
    made = backbones.room.make(backbone, **SMALL[backbone])
    cells = [
        Cell("small", "small", made, augmentation, Recipe(**settings | recipe),
             SplitRule(seed=seed), seed=seed, features="auto")
        for seed in range(count)
    ]  # fmt: skip
    return [Run.of(cell, DATA[data]) for cell in cells]


def optimizer_of(run, network, state):
    """The plain loop's Adam, brought to where the fast loop's was."""
    recipe = run.cell.recipe
    optimizer = torch.optim.Adam(
        network.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay
    )
    for name, parameter in network.named_parameters():
        moments = {kind: values[name].clone() for kind, values in state["moments"].items()}
        optimizer.state[parameter] = {"step": state["steps"][name].clone(), **moments}
    return optimizer


def plain_step(run, state, ids, seeds, masks):
    """What the plain loop makes of the graphs at `ids`, from a state and draw of the fast one."""
    network = run.network()
    network.load_state_dict(state["parameters"] | state["buffers"], strict=False)
    optimizer = optimizer_of(run, network, state)
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
    optimizer.step()
    named = dict(network.named_parameters())
    kinds = ("exp_avg", "exp_avg_sq")
    return SimpleNamespace(
        logits=logits.detach(),
        loss=loss.detach(),
        extra=torch.as_tensor(extra).detach(),
        slopes={name: parameter.grad for name, parameter in named.items()},
        after={name: parameter.detach() for name, parameter in named.items()}
        | {n: b for n, b in network.named_buffers() if not n.endswith("key")},
        moments={k: {n: optimizer.state[p][k] for n, p in named.items()} for k in kinds},
    )


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
    return SimpleNamespace(cell=SimpleNamespace(augmentation=given, recipe=run.cell.recipe))


def of_run(masks, place, runs):
    if masks is None:
        return None
    parts = (masks.node_keep, masks.edge_keep, masks.feature_keep)
    return Masks(*(None if part is None else part.chunk(runs)[place] for part in parts))


def close(found, wanted, within, what):
    """All of these tensors by name, to a share of what is largest among them."""
    assert found.keys() >= wanted.keys(), what
    wanted = {name: tensor for name, tensor in wanted.items() if tensor.numel()}
    largest = max(float(tensor.abs().max()) for tensor in wanted.values())
    for name, tensor in wanted.items():
        assert found[name].shape == tensor.shape, (what, name)
        gap = float((found[name] - tensor).abs().max())
        assert gap <= within * largest, (what, name, gap, largest)


def check(runs, padded, steps=STEPS):
    stores = Stores(runs[0].graphs)
    engine = Engine(runs, stores, "cpu", padded=padded)
    engine.make_moments()
    for number in range(steps):
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
        logits, y = engine.learn(batch.masked(masks), ids, engine.plan.keys[step])
        slopes = {name: p.grad for name, p in engine.networks.parameters.items()}
        for place, run in enumerate(runs):
            mine, own = ids[place].tolist(), of_run(masks, place, len(runs))
            wanted = plain_step(run, before[place], mine, (epoch, step), own)
            real = len(wanted.logits)
            close({"": logits[place][:real]}, {"": wanted.logits}, 1e-9, "logits")
            loss = soft_cross_entropy(logits[place], y[place], run.class_weights()).sum() / real
            close({"": loss + wanted.extra}, {"": wanted.loss}, 1e-9, "loss")
            close(engine.networks.of_run(place, slopes), wanted.slopes, 1e-9, "gradients")
            after = engine.state(place)
            held = after["parameters"] | after["buffers"]
            close(held, wanted.after, 1e-8, "parameters and buffers")
            for kind, moments in wanted.moments.items():
                close(after["moments"][kind], moments, 1e-8, kind)


@pytest.mark.parametrize("padded", [False, True], ids=["exact", "padded"])
@pytest.mark.parametrize("backbone", SMALL)
def test_every_network(backbone, padded):
    check(runs_of(backbone, "none", data="own"), padded)


@pytest.mark.parametrize("padded", [False, True], ids=["exact", "padded"])
@pytest.mark.parametrize("backbone", ["gin", "ogb-gcn", "ogb-gin"])
def test_categories_of_nodes_and_edges(backbone, padded):
    check(runs_of(backbone, "drop-edge", data="molecules"), padded, FEWER)


@pytest.mark.parametrize("padded", [False, True], ids=["exact", "padded"])
@pytest.mark.parametrize("method", METHODS)
def test_every_augmentation(method, padded):
    check(runs_of("gin", method), padded)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("backbone", SMALL)
def test_every_network_with_every_augmentation(backbone, method):
    # On a CPU batches are exact, on an accelerator padded: half of the pairs of each.
    padded = (list(SMALL).index(backbone) + METHODS.index(method)) % 2 == 0
    check(runs_of(backbone, method), padded, FEWER)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("backbone", STACKED)
def test_several_runs_are_as_one_after_another(backbone, method):
    check(runs_of(backbone, method, count=3), True, FEWER)


def test_class_weights_and_equal_steps():
    check(runs_of("gin", "g-mixup", class_weights="balanced", steps="equal"), False)


@pytest.mark.parametrize("backbone", ["gcn", "top-k"])
def test_graphs_that_are_new_every_epoch(backbone):
    check(runs_of(backbone, augmentations.GMixup(fresh=True)), False)


@pytest.mark.parametrize("backbone", ["gin", "diff-pool"])
@pytest.mark.parametrize("metric", ["accuracy", "macro-f1", "roc-auc"])
def test_whole_runs_tell_the_same(backbone, metric):
    (run,) = runs_of(backbone, "g-mixup", metric=metric, epochs=2, halve_every=1)
    mine, theirs = (
        next(iter(train_cells([run.cell], DATA["degrees"], device="cpu", loop=loop)))
        for loop in ("fast", "plain")
    )
    assert (mine["loop"], theirs["loop"]) == ("fast", "plain")
    assert mine["scores"] == pytest.approx(theirs["scores"], rel=1e-12)
    for part in ("train", "validation", "test"):
        for measure in ("loss", "score"):
            found, wanted = (one["curve"][measure][part] for one in (mine, theirs))
            assert found == pytest.approx(wanted, rel=1e-5)
