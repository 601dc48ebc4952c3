"""What any data set must do, whatever its graphs."""

import pickle
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import torch

from gmixup.datasets import fingerprint, stratified
from gmixup.graphs import GraphSet

DATASET_CHECKS: dict[str, Callable[[Any], None]] = {}


def check_dataset(dataset: Any) -> None:
    """Runs every check; raises an AssertionError that says which rule is broken, and how."""
    for check in DATASET_CHECKS.values():
        check(dataset)


def _check(function: Callable[[Any], None]) -> Callable[[Any], None]:
    DATASET_CHECKS[function.__name__] = function
    return function


@_check
def is_a_frozen_named_setting(dataset: Any) -> None:
    """A frozen dataclass with a kebab-case name, which survives pickling."""
    kind = type(dataset).__name__
    frozen = is_dataclass(dataset) and dataset.__dataclass_params__.frozen  # pyright: ignore
    assert frozen, f"{kind} is not a frozen dataclass"
    name = getattr(dataset, "name", None)
    spelt = isinstance(name, str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert spelt, f"the `name` of {kind} is {name!r}; it must be kebab-case"
    assert pickle.loads(pickle.dumps(dataset)) == dataset, f"{dataset} changes in a pickle"


@_check
def loads_the_same_graphs_each_time(dataset: Any) -> None:
    """A GraphSet, equal however often it is loaded; another seed, where it has one, is another."""
    graphs = dataset.load()
    kind = type(graphs).__name__
    assert isinstance(graphs, GraphSet), f"`load` of {dataset} gives {kind}, not a GraphSet"
    same = fingerprint(dataset.load()) == fingerprint(graphs)
    assert same, f"{dataset} loads other graphs each time"
    if "seed" in {item.name for item in fields(dataset)}:
        other = replace(dataset, seed=dataset.seed + 1).load()
        assert fingerprint(other) != fingerprint(graphs), f"{dataset} is the same for every seed"


@_check
def has_labels_to_learn(dataset: Any) -> None:
    """A class for each graph, two classes at least, and some of each in every part of a split."""
    graphs = dataset.load()
    assert graphs.y is not None, f"the graphs of {dataset} have no labels `y`"
    counts = torch.bincount(graphs.labels(), minlength=graphs.num_classes)
    assert len(counts) > 1, f"{dataset} has one class; there is nothing to learn"
    least = int(counts.min())
    assert least > 0, f"the classes of {dataset} have {counts.tolist()} graphs; none may be empty"
    for part in stratified(graphs.labels(), 0).apply(graphs):
        assert len(part) > 0, f"{dataset} has too few graphs to split 7:1:2"


@_check
def holds_simple_graphs(dataset: Any) -> None:
    """Undirected edges without self-loops, and the same graphs after a way through PyG."""
    graphs = dataset.load()
    assert not graphs.directed, f"{dataset} has directed edges"
    row, column = graphs.global_edge_index()
    assert not bool((row == column).any()), f"{dataset} has self-loops"
    again = GraphSet.of(graphs.to_pyg())
    assert fingerprint(again) == fingerprint(graphs), f"{dataset} changes on its way through PyG"
