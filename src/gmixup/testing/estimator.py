"""What any estimator must do, whatever its method."""

import pickle
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet
from gmixup.seeds import numpy_generator

ESTIMATOR_CHECKS: dict[str, Callable[[Any], None]] = {}


def check_estimator(estimator: Any) -> None:
    """Runs every check; raises an AssertionError that says which rule is broken, and how."""
    for check in ESTIMATOR_CHECKS.values():
        check(estimator)


def _check(function: Callable[[Any], None]) -> Callable[[Any], None]:
    ESTIMATOR_CHECKS[function.__name__] = function
    return function


@_check
def is_a_frozen_named_setting(estimator: Any) -> None:
    """A frozen dataclass with a kebab-case name, which survives pickling."""
    kind = type(estimator).__name__
    frozen = is_dataclass(estimator) and estimator.__dataclass_params__.frozen  # pyright: ignore
    assert frozen, f"{kind} is not a frozen dataclass"
    name = getattr(estimator, "name", None)
    spelt = isinstance(name, str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert spelt, f"the `name` of {kind} is {name!r}; it must be kebab-case"
    assert pickle.loads(pickle.dumps(estimator)) == estimator, f"{estimator} changes in a pickle"


@_check
def gives_probabilities(estimator: Any) -> None:
    """A Graphon with a symmetric, finite, float64 matrix in [0, 1]."""
    _valid(estimator.estimate(_graphs([20, 20, 20])), estimator)


@_check
def is_deterministic(estimator: Any) -> None:
    """The same graphs give the same graphon, to the last bit."""
    first, second = (estimator.estimate(_graphs([15, 18, 12])).edges for _ in range(2))
    assert torch.equal(first, second), f"{estimator} gives another graphon the second time"


@_check
def ignores_how_nodes_are_numbered(estimator: Any) -> None:
    """Relabelling the nodes of every graph changes nothing, features included."""
    matrices = _matrices([14, 20, 17])
    shuffled = [_renumbered(matrix, seed) for seed, matrix in enumerate(matrices)]
    before, after = (estimator.estimate(_with_degrees(m)) for m in (matrices, shuffled))
    for name in ("edges", "features"):
        _same(getattr(before, name), getattr(after, name), f"`{name}` of {estimator}", "relabelled")


@_check
def ignores_the_input_form(estimator: Any) -> None:
    """Matrices and PyG graphs give what the GraphSet of them gives."""
    matrices = _matrices([10, 12])
    wanted = estimator.estimate(GraphSet.of(matrices)).edges
    for form in (matrices, GraphSet.of(matrices).to_pyg()):
        _same(wanted, estimator.estimate(form).edges, f"`edges` of {estimator}", "in another form")


@_check
def leaves_its_input_alone(estimator: Any) -> None:
    """The graphs given are the same afterwards."""
    graphs = _with_degrees(_matrices([9, 14]))
    tensors = {f.name: getattr(graphs, f.name) for f in fields(graphs)}
    before = {k: v.clone() for k, v in tensors.items() if isinstance(v, Tensor)}
    estimator.estimate(graphs)
    for name, value in before.items():
        assert torch.equal(value, getattr(graphs, name)), f"{estimator} changed `{name}`"


@_check
def takes_unequal_sizes(estimator: Any) -> None:
    """Graphs from 4 to 40 nodes give one graphon, and the sizes are remembered."""
    sizes = [4, 40, 11, 5, 23, 8]
    graphon = estimator.estimate(_graphs(sizes))
    _valid(graphon, estimator)
    assert graphon.sizes is not None, f"{estimator} gave a graphon without `sizes`"
    mean = float(graphon.sizes.mean()[0])
    assert abs(mean - np.mean(sizes)) < 1e-9, f"{estimator} says {mean} nodes on average"


@_check
def takes_one_graph(estimator: Any) -> None:
    """A single graph is enough."""
    _valid(estimator.estimate(_graphs([16])), estimator)


@_check
def takes_more_steps_than_nodes(estimator: Any) -> None:
    """K may be larger than any graph, and is what was asked for."""
    graphon = replace(estimator, resolution=25).estimate(_graphs([6, 8, 7]))
    _valid(graphon, estimator)
    assert graphon.resolution == 25, f"{estimator} gave K = {graphon.resolution}, asked for 25"


@_check
def takes_single_nodes(estimator: Any) -> None:
    """Graphs of one node work, alone and among others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for sizes in ([1], [1, 1, 1], [1, 12, 9]):
            _valid(estimator.estimate(_graphs(sizes)), estimator)


@_check
def counts_edgeless_graphs_as_zero(estimator: Any) -> None:
    """Graphs without an edge warn once; where all are so, there is next to no chance of an edge."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graphon = estimator.estimate([np.zeros((10, 10))] * 5)
    words = [str(w.message) for w in caught]
    count = sum("no edge" in word for word in words)
    assert count == 1, f"{estimator} warned {count} times of graphs without an edge: {words}"
    _valid(graphon, estimator)
    density = graphon.edge_density
    assert density < 0.01, f"{estimator} gives graphs without an edge the density {density:.3g}"


@_check
def refuses_directed_graphs(estimator: Any) -> None:
    """An edge in one direction only raises, unless asked to symmetrise."""
    one_way = np.triu(_matrices([12])[0])
    try:
        estimator.estimate([one_way])
    except ValueError:
        pass
    else:
        raise AssertionError(f"{estimator} takes a directed graph without a word")
    _valid(estimator.estimate([one_way], directed="symmetrise"), estimator)


@_check
def puts_the_largest_degree_first(estimator: Any) -> None:
    """On a monotone graphon the chances never rise along the positions; their mean is right."""
    graphon = estimator.estimate(_graphs([30] * 12))
    marginal = graphon.marginal()
    quarter = max(1, len(marginal) // 4)
    first, last = float(marginal[:quarter].mean()), float(marginal[-quarter:].mean())
    assert first >= last, f"{estimator} rises from {first:.3g} to {last:.3g} along its positions"
    density, wanted = graphon.edge_density, 0.5
    assert abs(density - wanted) < 0.1, f"{estimator} has density {density:.3g}, not {wanted}"


@_check
def keeps_features_with_their_nodes(estimator: Any) -> None:
    """Where the feature of a node is its degree, the features fall along the positions too."""
    graphon = estimator.estimate(_with_degrees(_matrices([30] * 8)))
    assert graphon.features is not None, f"{estimator} lost the node features"
    shape, wanted = tuple(graphon.features.shape), (graphon.resolution, 1)
    assert shape == wanted, f"`features` of {estimator} has shape {shape}, not {wanted}"
    column = graphon.features[:, 0]
    quarter = max(1, len(column) // 4)
    first, last = float(column[:quarter].mean()), float(column[-quarter:].mean())
    assert first > last, f"the degrees as features of {estimator} rise from {first} to {last}"


@_check
def labels_what_has_one_class(estimator: Any) -> None:
    """Graphs of one class give that label, graphs of several give none."""
    graphs = _graphs([8, 9, 10])
    one, several = (replace(graphs, y=torch.tensor(y), classes=2) for y in ([1] * 3, [0, 1, 1]))
    label = estimator.estimate(one).label
    given = None if label is None else label.tolist()
    assert given == [0, 1], f"{estimator} gave graphs of class 1 of 2 the label {given}"
    label = estimator.estimate(several).label
    assert label is None, f"{estimator} gave graphs of two classes the label {label}"


def _matrices(sizes: Sequence[int], seed: int = 0) -> list[np.ndarray]:
    """Graphs drawn from the monotone graphon 1 - (u + v) / 2, nodes in random order."""
    rng = numpy_generator(seed, "testing", *sizes)
    drawn = []
    for size in sizes:
        u = rng.random(size)
        chance = 1 - (u[:, None] + u) / 2
        upper = np.triu(rng.random((size, size)) < chance, 1)
        drawn.append((upper | upper.T).astype(float))
    return drawn


def _graphs(sizes: Sequence[int]) -> GraphSet:
    return GraphSet.of(_matrices(sizes))


def _with_degrees(matrices: Sequence[np.ndarray]) -> GraphSet:
    """The graphs with the share of other nodes that a node is joined to as its one feature."""
    shares = np.concatenate([m.sum(1) / max(len(m) - 1, 1) for m in matrices])
    return replace(GraphSet.of(list(matrices)), x=torch.from_numpy(shares)[:, None])


def _renumbered(matrix: np.ndarray, seed: int) -> np.ndarray:
    order = numpy_generator(seed, "testing", "order").permutation(len(matrix))
    return matrix[np.ix_(order, order)]


def _valid(graphon: Any, estimator: Any) -> None:
    assert isinstance(graphon, Graphon), f"{estimator} gave a {type(graphon).__name__}"
    edges = graphon.edges
    assert edges.dtype == torch.float64, f"`edges` of {estimator} is {edges.dtype}, not float64"
    assert torch.isfinite(edges).all(), f"`edges` of {estimator} holds NaN or infinite values"
    assert torch.equal(edges, edges.T), f"`edges` of {estimator} is not symmetric"
    low, high = float(edges.min()), float(edges.max())
    assert 0 <= low <= high <= 1, f"`edges` of {estimator} spans [{low}, {high}]"


def _same(wanted: Tensor | None, given: Tensor | None, what: str, how: str) -> None:
    assert wanted is not None, f"{what} is None"
    assert given is not None, f"{what} is None {how}"
    assert wanted.shape == given.shape, f"{what} has another shape {how}"
    gap = float((wanted - given).abs().max())
    assert gap < 1e-8, f"{what} differs by {gap:.3g} {how}"
