"""Run: a cell made ready: its graphs by part, features and labels, and every random stream."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from gmixup import datasets
from gmixup.backbones import inputs_of
from gmixup.backbones._base import AbstractNetwork
from gmixup.datasets import Split
from gmixup.features import DegreeFeatures
from gmixup.graphs import GraphSet
from gmixup.mixing import Origin
from gmixup.seeds import derive, generator
from gmixup.training.cell import Cell, Corruption, SplitRule


@dataclass(frozen=True, eq=False)
class Run:
    """What one cell trains on; both loops begin from it and draw from its streams alone."""

    cell: Cell
    graphs: GraphSet  # the whole set as it came, with soft labels
    split: Split
    train: GraphSet  # real, spoilt where the cell says so, with soft labels
    validation: GraphSet
    test: GraphSet
    features: DegreeFeatures | None  # None: the graphs have features of their own

    @classmethod
    def of(cls, cell: Cell, graphs: GraphSet, own_split: Split | None = None) -> "Run":
        """The same split, spoilt graphs and features for every method that is compared."""
        graphs = graphs.pinned()
        split = split_of(cell.split, graphs, own_split)
        whole = cell.corruption.where == "all"
        spoilt = _spoil(graphs, cell.corruption, cell.split.seed) if whole else graphs
        train, validation, test = split.apply(spoilt)
        if not whole:
            train = _spoil(train, cell.corruption, cell.split.seed)
        for name, part in (("training", train), ("validation", validation), ("test", test)):
            if len(part) == 0:
                raise ValueError(
                    f"the {name} part of {len(graphs)} graphs is empty; give more graphs, or a "
                    "larger `train_fraction`"
                )
        given = cell.features
        own = graphs.x is not None
        if own and given != "auto":
            raise ValueError(
                f"`features` is {given!r}, but the graphs have features of their own; leave it "
                "'auto', or drop `x` first"
            )
        features = None if own else DegreeFeatures.fit(train, given)
        return cls(
            cell, _soft(graphs), split, _soft(train), _soft(validation), _soft(test), features
        )

    @property
    def name(self) -> str:
        """What tables call the method."""
        return self.cell.augmentation.name

    def training_graphs(self, epoch: int = 0) -> tuple[GraphSet, list[Origin] | None]:
        """Moment 1: the real graphs, then those that are added, and what these were mixed from."""
        augmentation, fresh = self.cell.augmentation, self.cell.augmentation.fresh
        stream = self.stream("training set", *([epoch] if fresh else []))
        if hasattr(augmentation, "enlarge"):
            larger, origins = augmentation.enlarge(self.train, stream)
        else:
            larger, origins = augmentation.on_training_set(self.train, stream), None
        _check_begins(larger, self.train, self.name)
        return _soft(larger), origins

    def featured(self, graphs: GraphSet) -> GraphSet:
        """The graphs with degree features, unless they have their own."""
        return graphs if self.features is None else self.features.apply(graphs)

    def network(self) -> AbstractNetwork:
        """A new network; from the same seed it has the same weights for every augmentation."""
        like = self.featured(self.train)
        inputs, edge_inputs = inputs_of(like)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(derive(self.cell.seed, "weights"))
            network = self.cell.backbone.build(inputs, self.train.num_classes, edge_inputs)
        double = self.cell.recipe.precision == "float64"
        return network.double() if double else network

    def batches(self, epoch: int, count: int) -> list[Tensor]:
        """The places of the graphs of each step, `count` being there to train on."""
        size = self.cell.recipe.batch_size
        order = torch.randperm(count, generator=self.stream("order", epoch))
        batches = list(order.split(size))
        equal = self.cell.recipe.steps == "equal"
        return batches[: -(-len(self.train) // size)] if equal else batches

    def class_weights(self) -> Tensor | None:
        """(C,) what a graph of each class weighs in the loss; None: all alike."""
        if self.cell.recipe.class_weights == "none":
            return None
        counts = torch.bincount(self.train.labels(), minlength=self.train.num_classes)
        return len(self.train) / (len(counts) * counts.clamp(min=1)).float()

    def stream(self, *purpose: object, device: str = "cpu") -> torch.Generator:
        """A generator for one purpose of this run."""
        return generator(self.cell.seed, "training", *purpose, device=device)

    def key(self, *purpose: object) -> int:
        """A number for one purpose of this run, for what draws by hashing."""
        return derive(self.cell.seed, "training", *purpose)


def split_of(rule: SplitRule, graphs: GraphSet, own_split: Split | None = None) -> Split:
    """The parts that a rule makes of a set; `own_split` is the one that the set brings along."""
    labels = graphs.labels()
    if rule.kind == "own":
        if own_split is None:
            raise ValueError(
                "`kind` is 'own', but the graphs bring no split along; choose 'ratios' or 'k-fold'"
            )
        split = own_split
    elif rule.kind == "k-fold":
        assert rule.fold is not None
        split = datasets.k_fold(labels, rule.seed, rule.folds)[rule.fold]
    elif rule.kind == "ratios":
        split = datasets.stratified(labels, rule.seed)
    else:
        split = datasets.unstratified(len(graphs), rule.seed)
    if rule.train_fraction < 1:
        split = replace(split, train=_fraction(split.train, labels, rule))
    return split


def _fraction(train: Tensor, labels: Tensor, rule: SplitRule) -> Tensor:
    """A share of the training graphs, by class; at least one of each."""
    order = train[torch.randperm(len(train), generator=generator(rule.seed, "train fraction"))]
    kept: Sequence[Tensor] = [
        mine[: max(1, round(rule.train_fraction * len(mine)))]
        for mine in (order[labels[order] == label] for label in labels[order].unique())
    ]
    return torch.cat(list(kept)).sort().values


def _spoil(graphs: GraphSet, corruption: Corruption, seed: int) -> GraphSet:
    if corruption.labels:
        graphs = datasets.corrupt_labels(graphs, corruption.labels, seed)
    if corruption.edges_removed:
        graphs = datasets.remove_edges(graphs, corruption.edges_removed, seed)
    if corruption.edges_added:
        graphs = datasets.add_edges(graphs, corruption.edges_added, seed)
    return graphs


def _check_begins(larger: GraphSet, train: GraphSet, name: str) -> None:
    """Raises unless the real graphs come first and as they were: they are laid out already."""
    edges, nodes = train.edge_index.shape[1], train.node_count
    pairs = [
        (larger.num_nodes[: len(train)], train.num_nodes),
        (larger.num_edges[: len(train)], train.num_edges),
        (larger.edge_index[:, :edges], train.edge_index),
    ]
    if train.x is not None and larger.x is not None and larger.x.dtype == train.x.dtype:
        pairs.append((larger.x[:nodes], train.x))
    if not all(torch.equal(found, wanted) for found, wanted in pairs):
        raise ValueError(
            f"the augmentation {name!r} changes real graphs in `on_training_set`, which may only "
            "add some behind them and soften labels; to change what is trained on write `on_batch`"
        )


def _soft(graphs: GraphSet) -> GraphSet:
    return replace(graphs, y=graphs.soft_labels(), classes=graphs.num_classes)
