"""What any backbone must do, whatever its architecture."""

import pickle
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import torch
from torch import Tensor

from gmixup.backbones import inputs_of
from gmixup.batch import Batch, Masks
from gmixup.graphs import GraphSet
from gmixup.seeds import generator

BACKBONE_CHECKS: dict[str, Callable[[Any], None]] = {}

# Sums in another order differ in the last digits, and depth multiplies that.
_TOLERANCE = 1e-8

_STEPS = 100

_PARTS = ("losses", "buffers", "gradients")


def check_backbone(backbone: Any) -> None:
    """Runs every check; raises an AssertionError that says which rule is broken, and how."""
    for check in BACKBONE_CHECKS.values():
        check(backbone)


def _check(function: Callable[[Any], None]) -> Callable[[Any], None]:
    BACKBONE_CHECKS[function.__name__] = function
    return function


@_check
def is_a_frozen_named_setting(backbone: Any) -> None:
    """A frozen dataclass with a kebab-case name, which survives pickling."""
    kind = type(backbone).__name__
    frozen = is_dataclass(backbone) and backbone.__dataclass_params__.frozen  # pyright: ignore
    assert frozen, f"{kind} is not a frozen dataclass"
    name = getattr(backbone, "name", None)
    spelt = isinstance(name, str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert spelt, f"the `name` of {kind} is {name!r}; it must be kebab-case"
    assert pickle.loads(pickle.dumps(backbone)) == backbone, f"{backbone} changes in a pickle"


@_check
def gives_logits(backbone: Any) -> None:
    """`encode` gives a row a graph, `head` a logit a class, and calling the network both."""
    network, batch = _built(backbone, _GRAPHS), _batch(_GRAPHS)
    hidden = network.encode(batch)
    assert hidden.ndim == 2, f"`encode` of {backbone} gives {tuple(hidden.shape)}, not (B, H)"
    assert len(hidden) == len(_GRAPHS), f"`encode` of {backbone} gives {len(hidden)} rows"
    logits = network.head(hidden)
    wanted = (len(_GRAPHS), 3)
    assert logits.shape == wanted, f"{backbone} gives {tuple(logits.shape)}, not {wanted}"
    _same(logits, network(batch), f"head(encode(batch)) of {backbone}", "called as a whole")
    again, losses = network.encode_with_losses(batch)
    _same(hidden, again, f"`encode` of {backbone}", "with losses")
    for name, loss in losses.items():
        single = loss.ndim == 0 and bool(loss.isfinite())
        assert single, f"the loss {name!r} of {backbone} is {loss}; it must be one finite number"


@_check
def takes_integer_features(backbone: Any) -> None:
    """Integer columns of nodes and edges, whose levels `build` is told, are taken too."""
    batch = _batch(_CATEGORIES)
    logits = _built(backbone, _CATEGORIES)(batch)
    assert bool(logits.isfinite().all()), f"{backbone} gives {logits} for integer features"


@_check
def starts_from_the_seed(backbone: Any) -> None:
    """Networks built after the same `torch.manual_seed` are equal, after another they differ."""
    batch = _batch(_GRAPHS)
    first, again, other = (_built(backbone, _GRAPHS, seed)(batch) for seed in (0, 0, 1))
    assert torch.equal(first, again), f"{backbone} starts otherwise from the same seed"
    assert not torch.equal(first, other), f"{backbone} starts the same from another seed"


@_check
def ignores_how_nodes_are_numbered(backbone: Any) -> None:
    """Relabelling the nodes of every graph changes nothing."""
    network = _built(backbone, _GRAPHS)
    wanted, found = network(_batch(_GRAPHS)), network(_batch(_renumbered(_GRAPHS)))
    _same(wanted, found, f"{backbone}", "relabelled")


@_check
def sees_each_graph_alone(backbone: Any) -> None:
    """Once trained, a graph's logits do not depend on the other graphs of the batch."""
    network = _built(backbone, _GRAPHS)
    wanted = network(_batch(_GRAPHS))
    for index in range(len(_GRAPHS)):
        alone = network(Batch.of(_GRAPHS, [index]))
        _same(wanted[index], alone[0], f"{backbone}", "alone")


@_check
def ignores_padding(backbone: Any) -> None:
    """Room that is left in a batch changes no logit, loss, gradient, or what norms remember."""
    nodes, edges = _GRAPHS.node_count, _GRAPHS.edge_count
    ids = [*range(4), -1, *range(4, len(_GRAPHS))]
    padded = Batch.of(_GRAPHS, ids, nodes=nodes + 37, edges=edges + 11)
    for training in (False, True):
        results = []
        for batch in (_batch(_GRAPHS), padded):
            network = _built(_undropped(backbone), _GRAPHS).train(training)
            hidden, losses = network.encode_with_losses(batch)
            assert bool(hidden.isfinite().all()), f"{backbone} gives {hidden} where padded"
            logits = network.head(hidden)
            logits = logits if batch.graph_mask is None else logits[batch.graph_mask]
            (logits.square().sum() + sum(losses.values())).backward()
            slopes = {k: v.grad for k, v in network.named_parameters() if v.grad is not None}
            results.append((logits, losses, network.state_dict(), slopes))
        wanted, found = results
        _same(wanted[0], found[0], f"{backbone}", "padded")
        for what, one, other in zip(_PARTS, wanted[1:], found[1:], strict=True):
            _same_values(one, other, f"the {what} of {backbone}", "padded")


@_check
def masks_are_removal(backbone: Any) -> None:
    """Dropped nodes and edges weigh as much as ones that never were."""
    batch = _batch(_GRAPHS)
    nodes = torch.rand(len(batch.x), generator=generator(1)) < 0.7
    nodes[[0, -1]] = True
    row, column = batch.edge_index
    edges = (row * column + row + column) % 4 != 0  # the same for both directions
    masked = batch.masked(Masks(node_keep=nodes, edge_keep=edges))
    removed = Batch.from_pyg(masked.to_pyg())
    for training in (False, True):
        networks = [_built(_undropped(backbone), _GRAPHS).train(training) for _ in range(2)]
        (wanted, losses), (found, other_losses) = (
            network.encode_with_losses(one)
            for network, one in zip(networks, (removed, masked), strict=True)
        )
        _same(wanted, found, f"{backbone}", "masked")
        _same_values(losses, other_losses, f"the losses of {backbone}", "masked")
        state, other_state = (network.state_dict() for network in networks)
        _same_values(state, other_state, f"the buffers of {backbone}", "masked")


@_check
def gradients_reach_every_parameter(backbone: Any) -> None:
    """No parameter is idle, and no gradient is lost in a division by zero."""
    network, graphs = _built(backbone, _CATEGORIES), _CATEGORIES
    hidden, losses = network.encode_with_losses(_batch(graphs))
    logits = network.head(hidden)
    (logits * torch.randn(logits.shape, generator=generator(2))).sum().backward(retain_graph=True)
    for loss in losses.values():
        loss.backward(retain_graph=True)
    for name, parameter in network.named_parameters():
        gradient = parameter.grad
        assert gradient is not None, f"no gradient reaches `{name}` of {backbone}"
        assert bool(gradient.isfinite().all()), f"the gradient of `{name}` of {backbone} is lost"
        assert bool((gradient != 0).any()), f"the gradient of `{name}` of {backbone} is zero"


@_check
def takes_small_graphs(backbone: Any) -> None:
    """One graph, one node, and graphs without an edge: all train, with finite gradients."""
    for sizes, density in (([7], 0.5), ([1], 0.0), ([5, 3, 1], 0.0)):
        graphs = _random_graphs(sizes, density)
        network = _built(backbone, graphs).train()
        hidden, losses = network.encode_with_losses(_batch(graphs))
        (network.head(hidden).square().sum() + sum(losses.values())).backward()
        for name, parameter in network.named_parameters():
            gradient = parameter.grad
            finite = gradient is None or bool(gradient.isfinite().all())
            assert finite, f"the gradient of `{name}` of {backbone} is lost on sizes {sizes}"


@_check
def learns_eight_graphs_by_heart(backbone: Any) -> None:
    """Adam fits eight graphs with arbitrary labels in a few dozen steps."""
    graphs = _random_graphs([6, 8, 10, 7, 9, 6, 8, 11], 0.4)
    labels = torch.tensor([0, 1, 1, 0, 1, 0, 0, 1])
    network, batch = _built(_undropped(backbone), graphs, outputs=2).float().train(), _batch(graphs)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(_STEPS):
        hidden, losses = network.encode_with_losses(batch)
        logits = network.head(hidden)
        if bool((logits.argmax(1) == labels).all()):
            return
        loss = torch.nn.functional.cross_entropy(logits, labels) + sum(losses.values())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    raise AssertionError(f"{backbone} has not learnt eight graphs after {_STEPS} steps")


def _random_graphs(sizes: list[int], density: float, integers: bool = False) -> GraphSet:
    """Graphs whose features are random numbers, or integer columns of nodes and edges."""
    rng, adjacencies = generator(len(sizes), str(density)), []
    for nodes in sizes:
        upper = (torch.rand(nodes, nodes, generator=rng) < density).triu(1)
        adjacencies.append((upper | upper.T).numpy())
    graphs = GraphSet.of(adjacencies)
    if not integers:
        x = torch.randn(graphs.node_count, 3, generator=rng, dtype=torch.float64)
        return replace(graphs, x=x)
    row, column = graphs.edge_index
    x = torch.randint(0, 4, (graphs.node_count, 2), generator=rng)
    return replace(graphs, x=x, edge_attr=torch.stack([(row + column) % 3, row * column % 2], 1))


_GRAPHS = _random_graphs([6, 40, 3, 12, 9, 1, 15], 0.3)
_CATEGORIES = _random_graphs([8, 12, 10, 35], 0.4, integers=True)


def _batch(graphs: GraphSet) -> Batch:
    return Batch.of(graphs, range(len(graphs)))


def _built(backbone: Any, graphs: GraphSet, seed: int = 0, outputs: int = 3) -> Any:
    """A network of float64, ready to be used, for graphs like these."""
    inputs, edge_inputs = inputs_of(graphs)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = backbone.build(inputs, outputs, edge_inputs)
    return network.double().eval()


def _undropped(backbone: Any) -> Any:
    # Dropout draws for each row: batches of another shape would get other draws.
    has = any(field.name == "dropout" for field in fields(backbone))
    return replace(backbone, dropout=0.0) if has else backbone


def _renumbered(graphs: GraphSet) -> GraphSet:
    assert graphs.x is not None
    parts = []
    for index in range(len(graphs)):
        part = graphs.subset([index])
        assert part.x is not None
        order = torch.randperm(part.node_count, generator=generator(index))
        matrix = part.adjacency()[order.numpy()][:, order.numpy()]
        parts.append(replace(GraphSet.of([matrix]), x=part.x[order]))
    return GraphSet.joined(parts)


def _same(wanted: Tensor, found: Tensor, what: str, how: str) -> None:
    assert wanted.shape == found.shape, f"{what} has shape {tuple(found.shape)} when {how}"
    wanted, found = wanted.detach(), found.detach()
    apart = float((wanted - found).abs().max()) if wanted.numel() else 0.0
    largest = max(1.0, float(wanted.abs().max()))
    # So put that NaN fails.
    assert apart <= _TOLERANCE * largest, f"{what} is {apart:.2g} apart when {how}"


def _same_values(wanted: dict[str, Tensor], found: dict[str, Tensor], what: str, how: str) -> None:
    assert set(wanted) == set(found), f"{what} are {sorted(found)} when {how}, not {sorted(wanted)}"
    for name, value in wanted.items():
        _same(value.double(), found[name].double(), f"`{name}` of {what}", how)
