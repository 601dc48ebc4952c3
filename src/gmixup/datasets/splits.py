"""Splits into training, validation and test graphs: by seed alone, so the same for every method."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gmixup.graphs import GraphSet
from gmixup.seeds import generator

RATIOS = (7, 1, 2)


@dataclass(frozen=True, eq=False)
class Split:
    """The graphs of each part by their places, in ascending order where we draw them."""

    train: Tensor  # (n,) int64
    validation: Tensor
    test: Tensor

    def apply(self, graphs: GraphSet) -> tuple[GraphSet, GraphSet, GraphSet]:
        """The graphs of the three parts."""
        return graphs.subset(self.train), graphs.subset(self.validation), graphs.subset(self.test)


def stratified(labels: Tensor, seed: int, ratios: Sequence[float] = RATIOS) -> Split:
    """Parts in these ratios in which every class (G,) has its share, give or take a graph."""
    part = _deal(labels, _shares(ratios), generator(seed, "split", "stratified"))
    return Split(*((part == index).nonzero().flatten() for index in range(3)))


def unstratified(count: int, seed: int, ratios: Sequence[float] = RATIOS) -> Split:
    """Parts in these ratios of `count` shuffled graphs whatever their class, as the authors do."""
    shares = _shares(ratios)
    order = torch.randperm(count, generator=generator(seed, "split", "unstratified"))
    # Rounded down, as theirs are; the small number undoes 0.7 + 0.1 < 0.8.
    train, both = (int(count * share + 1e-9) for share in (shares[0], shares[0] + shares[1]))
    parts = order[:train], order[train:both], order[both:]
    return Split(*(part.sort().values for part in parts))


def k_fold(
    labels: Tensor, seed: int, folds: int = 10, validation: float = 1 / 9, repeats: int = 1
) -> list[Split]:
    """Stratified k-fold cross-validation, repeated: `folds` x `repeats` splits.

    Each fold is the test part once a repeat; the share `validation` of the others is cut off, by
    class too. Ten folds and 1/9 make parts of 8:1:1.
    """
    smallest = int(torch.bincount(labels)[labels.unique()].min())
    if not 2 <= folds <= len(labels):
        raise ValueError(f"`folds` is {folds}; it must lie in [2, {len(labels)}]")
    if smallest < 2:
        raise ValueError("a class has one graph only; every fold needs another to train on")
    if not 0 < validation < 1:
        raise ValueError(f"`validation` is {validation}; it must lie in (0, 1)")
    splits = []
    for repeat in range(repeats):
        order = _by_class(labels, generator(seed, "split", "k-fold", repeat))
        fold = torch.empty_like(order)
        fold[order] = torch.arange(len(order)) % folds
        for index in range(folds):
            rest = (fold != index).nonzero().flatten()
            draw = generator(seed, "split", "k-fold", repeat, "validation", index)
            part = _deal(labels[rest], [1 - validation, validation], draw)
            test = (fold == index).nonzero().flatten()
            splits.append(Split(rest[part == 0], rest[part == 1], test))
    return splits


def _shares(ratios: Sequence[float]) -> list[float]:
    if len(ratios) != 3 or min(ratios) < 0 or ratios[0] <= 0:
        raise ValueError(
            f"`ratios` is {tuple(ratios)}; give three numbers for training, validation and test, "
            "the first above 0 and none below"
        )
    return [ratio / sum(ratios) for ratio in ratios]


def _by_class(labels: Tensor, draw: torch.Generator) -> Tensor:
    """(G,) the graphs class by class, in random order within each."""
    order = torch.randperm(len(labels), generator=draw)
    return order[labels[order].argsort(stable=True)]


def _deal(labels: Tensor, shares: Sequence[float], draw: torch.Generator) -> Tensor:
    """(G,) the part of each graph.

    Going through the graphs class by class, each part takes every so many-th of what the parts
    before it left: any stretch of them, and so any class, has its share, give or take a graph.
    """
    part = torch.full_like(labels, len(shares) - 1)
    rest, left = _by_class(labels, draw), 1.0
    for index, share in enumerate(shares[:-1]):
        steps = (torch.arange(len(rest) + 1, dtype=torch.float64) * (share / left) + 0.5).floor()
        taken = steps.diff() > 0
        part[rest[taken]] = index
        rest, left = rest[~taken], left - share
    # There is no learning a class that has no graph to learn from.
    part[torch.bincount(labels)[labels] == 1] = 0
    return part
