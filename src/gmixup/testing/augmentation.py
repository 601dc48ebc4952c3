"""What any augmentation must do, whatever its method."""

import pickle
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import torch
import torch_geometric.transforms as T
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from gmixup.batch import Masks
from gmixup.graphs import GraphSet
from gmixup.seeds import generator
from gmixup.soft_labels import SoftLabels
from gmixup.testing._graphs import FORMS, small_graphs

AUGMENTATION_CHECKS: dict[str, Callable[[Any], None]] = {}


def check_augmentation(augmentation: Any) -> None:
    """Runs every check; raises an AssertionError that says which rule is broken, and how."""
    for check in AUGMENTATION_CHECKS.values():
        check(augmentation)


def _check(function: Callable[[Any], None]) -> Callable[[Any], None]:
    AUGMENTATION_CHECKS[function.__name__] = function
    return function


@_check
def is_a_frozen_named_setting(augmentation: Any) -> None:
    """A frozen dataclass with a kebab-case name, which survives pickling."""
    kind = type(augmentation).__name__
    frozen = is_dataclass(augmentation) and augmentation.__dataclass_params__.frozen  # pyright: ignore
    assert frozen, f"{kind} is not a frozen dataclass"
    name = getattr(augmentation, "name", None)
    spelt = isinstance(name, str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert spelt, f"the `name` of {kind} is {name!r}; it must be kebab-case"
    again = pickle.loads(pickle.dumps(augmentation))
    assert again == augmentation, f"{augmentation} changes in a pickle"
    fresh = getattr(augmentation, "fresh", None)
    assert isinstance(fresh, bool), f"`fresh` of {augmentation} is {fresh}; it must be a bool"


# -- the training set ------------------------------------------------------------------------


@_check
def keeps_the_real_graphs(augmentation: Any) -> None:
    """The graphs given come first, as they are but for labels, which may turn soft."""
    for graphs, larger in _enlarged(augmentation):
        count = len(graphs)
        assert len(larger) >= count, f"{augmentation} gives {len(larger)} of {count} graphs"
        real = larger.subset(range(count))
        for name in ("num_nodes", "num_edges", "edge_index", "x", "edge_attr"):
            same = _equal(getattr(real, name), getattr(graphs, name))
            assert same, f"{augmentation} changes `{name}` of real graphs"
        assert torch.equal(real.labels(), graphs.labels()), f"{augmentation} changes labels"


@_check
def holds_what_real_graphs_hold(augmentation: Any) -> None:
    """New graphs have the keys, dtypes and widths of real ones, and one loader takes them all."""
    for form in FORMS:
        real = small_graphs(form)
        everything = _training_set(augmentation, GraphSet.of(real)).to_pyg()
        keys = {tuple(sorted(data.keys())) for data in everything}
        assert keys == {tuple(sorted(real[0].keys()))}, f"graphs of {augmentation} have keys {keys}"
        for key in real[0].keys():  # noqa: SIM118
            kinds = {_kind(data, key) for data in everything}
            wanted = kinds if key == "y" else {_kind(real[0], key)}
            assert kinds == wanted, f"`{key}` of {form!r} becomes {kinds} by {augmentation}"
            assert len(kinds) == 1, f"`{key}` of {form!r} is of several kinds: {kinds}"
        new = everything[len(real) :]
        mixed = [SoftLabels(2)(data.clone()) for data in [*real, *new]]
        for graphs in (mixed, mixed[::-1]):
            batch = next(iter(DataLoader(graphs, batch_size=len(graphs))))
            lost = set(real[0].keys()) - set(batch.keys())
            assert not lost, f"a loader loses {lost} of {form!r} after {augmentation}"


@_check
def draws_simple_graphs(augmentation: Any) -> None:
    """Sorted edges, each once, symmetric, no self-loops; both directions have equal features."""
    for _, larger in _enlarged(augmentation):
        sizes = larger.num_nodes.repeat_interleave(larger.num_edges)
        inside = bool(((larger.edge_index >= 0) & (larger.edge_index < sizes)).all())
        assert inside, f"{augmentation} draws edges to nodes that are not there"
        row, column = larger.global_edge_index()
        there, back = row * larger.node_count + column, column * larger.node_count + row
        once = bool((there.diff() > 0).all())
        assert once, f"{augmentation} lists edges twice, or not sorted by row and column"
        assert not bool((row == column).any()), f"{augmentation} draws self-loops"
        mirrored, order = back.sort()
        assert torch.equal(mirrored, there), f"{augmentation} draws edges in one direction only"
        if larger.edge_attr is not None:
            same = torch.equal(larger.edge_attr, larger.edge_attr[order])
            assert same, f"{augmentation} gives the two directions of an edge unlike `edge_attr`"


@_check
def conserves_label_mass(augmentation: Any) -> None:
    """Soft labels are float (1, C), not negative, and sum to one; hard ones are a class."""
    for _, larger in _enlarged(augmentation):
        _check_labels(larger, 2, augmentation)


@_check
def takes_soft_labels(augmentation: Any) -> None:
    """Labels that are soft already: real graphs keep them, and new ones are mixed from them."""
    graphs = GraphSet.of(small_graphs("labels"))
    weights = torch.rand(len(graphs), generator=generator(0, "testing", "weights")) * 0.4
    weights = torch.where(graphs.labels() == 0, 1 - weights, weights)
    soft = replace(graphs, y=torch.stack([weights, 1 - weights], 1))
    larger = _training_set(augmentation, soft)
    _check_labels(larger, 2, augmentation)
    if larger.y is not None and larger.y.ndim == 2:
        same = torch.equal(larger.y[: len(soft)], soft.soft_labels())
        assert same, f"{augmentation} changes the soft labels of real graphs"


@_check
def takes_small_graphs(augmentation: Any) -> None:
    """Graphs of one node or without edges, and classes of one graph."""
    lone, empty, pair = np.zeros((1, 1)), np.zeros((4, 4)), np.array([[0, 1], [1, 0]])
    for matrices in ([lone, empty, pair], [lone], [pair, pair]):
        graphs = replace(GraphSet.of(matrices), y=torch.arange(len(matrices)))
        _check_labels(_training_set(augmentation, graphs), len(matrices), augmentation)


# -- a batch and a hidden layer --------------------------------------------------------------


@_check
def masks_fit_the_batch(augmentation: Any) -> None:
    """`on_batch` gives None, or masks with an entry for each node or each edge of the batch."""
    for batch in _batches():
        masks = augmentation.on_batch(batch, generator(0))
        assert masks is None or isinstance(masks, Masks), f"{augmentation} gives {masks}, no Masks"
        for name, keep in _given(masks).items():
            rows = batch.num_edges if name == "edge_keep" else batch.num_nodes
            shape = tuple(keep.shape)
            assert shape == (rows,), f"`{name}` of {augmentation} is {shape}, not ({rows},)"
            assert keep.dtype == torch.bool, f"`{name}` of {augmentation} is {keep.dtype}"


@_check
def masks_drop_whole_pairs(augmentation: Any) -> None:
    """An undirected edge goes in both directions, and with a node all of its edges go."""
    for batch in _batches():
        masks = augmentation.on_batch(batch, generator(0))
        given = _given(masks)
        if "edge_keep" in given:
            kept = set(map(tuple, batch.edge_index[:, given["edge_keep"]].T.tolist()))
            pairs = {(j, i) for i, j in kept} == kept
            assert pairs, f"{augmentation} drops one direction of an edge and keeps the other"
        if "node_keep" in given:
            assert "edge_keep" in given, f"{augmentation} drops nodes but says nothing of edges"
            ends = given["node_keep"][batch.edge_index].all(0)
            loose = bool((given["edge_keep"] & ~ends).any())
            assert not loose, f"{augmentation} keeps edges of dropped nodes"


@_check
def mixes_rows_with_their_labels(augmentation: Any) -> None:
    """`on_hidden` keeps shapes and dtypes, conserves label mass, and lets gradients through."""
    hidden, y = _hidden()
    mixed, labels = augmentation.on_hidden(hidden, y, generator(0))
    for name, given, wanted in (("hidden", mixed, hidden), ("y", labels, y)):
        kinds = [(tuple(value.shape), value.dtype) for value in (given, wanted)]
        assert kinds[0] == kinds[1], f"`{name}` is {kinds[0]} by {augmentation}, not {kinds[1]}"
    mass = bool(torch.allclose(labels.sum(1), torch.ones(len(y))) and (labels >= 0).all())
    assert mass, f"labels are {labels.tolist()} by {augmentation}; they must sum to one"
    mixed.sum().backward()
    reached = hidden.grad is not None and bool((hidden.grad != 0).any())
    assert reached, f"no gradient passes {augmentation}"


# -- every moment ----------------------------------------------------------------------------


@_check
def leaves_its_input_alone(augmentation: Any) -> None:
    """Graphs, batches and hidden rows are the same afterwards."""
    for form in FORMS:
        graphs = GraphSet.of(small_graphs(form))
        batch = Batch.from_data_list(small_graphs(form))
        (hidden, y), before = _hidden(), pickle.dumps((_tensors(graphs), batch, _hidden()))
        _training_set(augmentation, graphs)
        augmentation.on_batch(batch, generator(0))
        augmentation.on_hidden(hidden, y, generator(0))
        kept, kept_batch, kept_hidden = pickle.loads(before)
        for name, value in _tensors(graphs).items():
            assert torch.equal(value, kept[name]), f"{augmentation} changed `{name}` of the graphs"
        for key in kept_batch.keys():  # noqa: SIM118
            same = _equal(batch[key], kept_batch[key])
            assert same, f"{augmentation} changed `{key}` of a batch"
        same = all(map(torch.equal, (hidden, y), kept_hidden))
        assert same, f"{augmentation} changed the hidden rows or their labels"


@_check
def is_decided_by_its_generator(augmentation: Any) -> None:
    """The same generator gives the same, and torch's and numpy's own streams are not touched."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        streams = _global_streams()
        first = _everything(augmentation, 5)
        for name, state in _global_streams().items():
            assert state == streams[name], f"{augmentation} draws from the global stream of {name}"
        torch.manual_seed(1)
        again = _everything(augmentation, 5)
    for name, value in first.items():
        assert _equal(value, again[name]), f"{augmentation} gives another `{name}` the second time"


@_check
def is_a_transform_if_it_says_so(augmentation: Any) -> None:
    """A `BaseTransform` keeps keys, dtypes, widths and its input, and works in a loader."""
    if not isinstance(augmentation, T.BaseTransform):
        return
    for form in FORMS:
        graphs, before = (small_graphs(form) for _ in range(2))
        # Without features there is nothing to mask.
        first = [] if "x" in graphs[0] else [T.Constant(cat=False)]
        transform = T.Compose([*first, augmentation])
        outs = [transform(data) for data in graphs]
        for data, kept, out in zip(graphs, before, outs, strict=True):
            for key in kept.keys():  # noqa: SIM118
                assert _equal(data[key], kept[key]), f"{augmentation} changed `{key}` of its input"
                same = _kind(out, key) == _kind(kept, key)
                assert same, f"{augmentation} makes `{key}` {_kind(out, key)}"
            sound = out.validate(raise_on_error=False)
            assert sound, f"{augmentation} gives {out}, whose edges or features do not fit"
        batch = next(iter(DataLoader([*outs, *map(T.Compose(first), graphs)], batch_size=99)))
        assert set(batch.keys()) >= set(outs[0].keys()), f"a loader loses keys of {augmentation}"


# -- what is given to them, and what came of it ----------------------------------------------


def _training_set(augmentation: Any, graphs: GraphSet, seed: int = 0) -> GraphSet:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*have no edge")
        return augmentation.on_training_set(graphs, generator(seed, "testing"))


def _enlarged(augmentation: Any) -> Iterator[tuple[GraphSet, GraphSet]]:
    """Graphs in every form, and the training set that is made of them."""
    for form in FORMS:
        graphs = GraphSet.of(small_graphs(form))
        yield graphs, _training_set(augmentation, graphs)


def _batches() -> Iterator[Any]:
    for form in FORMS:
        yield Batch.from_data_list(small_graphs(form))
    lone = Data(x=torch.ones(1, 2), edge_index=torch.empty(2, 0, dtype=torch.long))
    yield Batch.from_data_list([lone, lone])


def _hidden() -> tuple[Tensor, Tensor]:
    stream = generator(0, "testing", "hidden")
    y = torch.eye(3)[torch.randint(3, (10,), generator=stream)]
    return torch.rand(10, 4, generator=stream).requires_grad_(), y


def _everything(augmentation: Any, seed: int) -> dict[str, Tensor]:
    """All tensors that the three moments give."""
    graphs = small_graphs("labels of both")
    found = _tensors(_training_set(augmentation, GraphSet.of(graphs), seed))
    batch = Batch.from_data_list(graphs)
    found |= _given(augmentation.on_batch(batch, generator(seed)))
    mixed, labels = augmentation.on_hidden(*_hidden(), generator(seed))
    return found | {"hidden": mixed, "labels": labels}


def _global_streams() -> dict[str, bytes]:
    state = np.random.get_state()  # noqa: NPY002
    return {"torch": torch.get_rng_state().numpy().tobytes(), "numpy": pickle.dumps(state)}


def _tensors(graphs: GraphSet) -> dict[str, Tensor]:
    values = {field.name: getattr(graphs, field.name) for field in fields(graphs)}
    return {name: value for name, value in values.items() if isinstance(value, Tensor)}


def _given(masks: Masks | None) -> dict[str, Tensor]:
    values = {} if masks is None else {f.name: getattr(masks, f.name) for f in fields(masks)}
    return {name: value for name, value in values.items() if value is not None}


def _kind(data: Any, key: str) -> Any:
    """What must not change from graph to graph."""
    value = data[key]
    if not isinstance(value, Tensor):
        return type(value).__name__
    return value.dtype, value.ndim, value.shape[1:] if key in ("x", "edge_attr", "y") else None


def _equal(first: Any, second: Any) -> bool:
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        return first.dtype == second.dtype and torch.equal(first, second)
    return first is None and second is None if not isinstance(first, int) else first == second


def _check_labels(graphs: GraphSet, classes: int, augmentation: Any) -> None:
    y = graphs.y
    assert y is not None, f"{augmentation} loses `y`"
    if y.ndim == 1:
        whole = not y.is_floating_point() and bool(((y >= 0) & (y < classes)).all())
        assert whole, f"`y` of {augmentation} is {y.tolist()}, not classes below {classes}"
        return
    kind = tuple(y.shape), y.dtype
    wanted = (len(graphs), classes), torch.float32
    assert kind == wanted, f"`y` of {augmentation} is {kind}, not {wanted}"
    mass = bool((y >= 0).all()) and torch.allclose(y.sum(1), torch.ones(len(y)))
    assert mass, f"`y` of {augmentation} is {y.tolist()}; labels must sum to one"
