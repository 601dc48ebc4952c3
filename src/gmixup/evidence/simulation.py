"""Simulated comparisons in which the truth is known: how often does a test find what is not there?

Two nulls. Methods that differ by seed only, on collections drawn anew; and symmetric learners,
which see two exchangeable views of the same graphs: on any one collection one of them may well be
the better, but neither is for graphs of this kind. The learners have closed forms, all fits at
once.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gmixup.evidence.correction import overlap_ratio
from gmixup.evidence.paired import LEVEL, for_new_graphs

Matrix = NDArray[np.float32]
# Features (graphs, features), classes (graphs,) 0 or 1, weights (fits, graphs) of training graphs
# -> (fits, graphs) whether each graph is put into class 1.
Learner = Callable[[Matrix, Matrix, Matrix], NDArray[np.bool_]]


@dataclass(frozen=True)
class Population:
    """Graphs as vectors: two classes of equal size, normal, seen in two noisy views."""

    graphs: int = 1000
    features: int = 10
    distance: float = 1.35  # between the classes, in standard deviations: 75 % are told apart
    own: float = 0.5  # deviation of a view's own noise, where that of both together is 1

    def draw(self, draw: np.random.Generator) -> tuple[Matrix, Matrix]:
        """(2, graphs, features) two exchangeable views of one collection, and (graphs,) classes."""
        classes = (np.arange(self.graphs) % 2).astype(np.float32)
        shape = self.graphs, self.features
        noise = draw.standard_normal(shape, np.float32)
        noise = noise + np.float32(self.own) * draw.standard_normal((2, *shape), np.float32)
        scaled = noise / np.float32(np.hypot(1, self.own))
        step = np.float32(self.distance / np.sqrt(self.features))
        centred = (classes - np.float32(0.5))[:, None] * step
        return (scaled + centred).astype(np.float32, copy=False), classes


@dataclass(frozen=True)
class Design:
    """Repeated k-fold cross-validation with its validation part, by class; or 7:1:2 splits."""

    repeats: int = 10
    folds: int | None = 10  # None: independent splits 7:1:2, `repeats` of them
    train_fraction: float = 1.0

    @property
    def fits(self) -> int:
        """How many splits there are."""
        return self.repeats * (self.folds or 1)

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of graphs to train on, where all of them are taken, and to test on."""
        if self.folds is None:
            return 0.7, 0.2
        test = 1 / self.folds
        return (1 - test) * 8 / 9, test

    @property
    def ratio(self) -> float:
        """The ratio by which the test is corrected."""
        train, test = self.shares
        return overlap_ratio(train * self.train_fraction, test, self.train_fraction)

    @property
    def cut_ratio(self) -> float:
        """The ratio of the cut-down training set, of which `ratio` makes no use."""
        return self.ratio / self.train_fraction

    def draw(self, graphs: int, draw: np.random.Generator) -> tuple[Matrix, NDArray[np.bool_]]:
        """(fits, graphs) weights 1 of training graphs, and whether a graph is tested."""
        train = np.zeros((self.fits, graphs), np.float32)
        test = np.zeros((self.fits, graphs), bool)
        for label in (0, 1):  # classes alternate
            test[:, label::2] = part = self._tested(len(range(label, graphs, 2)), draw)
            chance = draw.random(part.shape, np.float32) + part
            size = round(self.shares[0] * part.shape[1] * self.train_fraction)
            last = np.partition(chance, size - 1, axis=1)[:, size - 1 : size]
            train[:, label::2] = chance <= last
        return train, test

    def _tested(self, graphs: int, draw: np.random.Generator) -> NDArray[np.bool_]:
        orders = draw.permuted(np.tile(np.arange(graphs), (self.repeats, 1)), axis=1)
        if self.folds is None:
            return orders < round(self.shares[1] * graphs)
        of_fold = orders[:, None] % self.folds == np.arange(self.folds)[:, None]
        return of_fold.reshape(self.fits, graphs)


def nearest_mean(x: Matrix, classes: Matrix, weights: Matrix) -> NDArray[np.bool_]:
    """The class whose mean is nearer."""
    means = []
    for own in (weights * classes, weights * (1 - classes)):
        means.append(own @ x / np.maximum(own.sum(1, keepdims=True), 1))
    normal = means[0] - means[1]
    middle = ((means[0] + means[1]) / 2 * normal).sum(1, keepdims=True)
    return normal @ x.T > middle


def ridge(x: Matrix, classes: Matrix, weights: Matrix) -> NDArray[np.bool_]:
    """The sign of a ridge regression on the classes -1 and 1, with an offset."""
    x = np.concatenate([x, np.ones((len(x), 1), np.float32)], 1)
    width = x.shape[1]
    products = (x[:, :, None] * x[:, None]).reshape(len(x), -1)
    gram = (weights @ products).reshape(-1, width, width) + np.eye(width, dtype=np.float32)
    target = (weights * (2 * classes - 1)) @ x
    return np.linalg.solve(gram, target[..., None])[..., 0] @ x.T > 0


def nearest_neighbour(x: Matrix, classes: Matrix, weights: Matrix) -> NDArray[np.bool_]:
    """The class of the nearest training graph."""
    far = (x**2).sum(1)[:, None] - 2 * x @ x.T + (x**2).sum(1)
    order = far.argsort(1)
    return classes[np.stack([_first(own > 0, order) for own in weights])] > 0


def fixed_rule(x: Matrix, classes: Matrix, weights: Matrix) -> NDArray[np.bool_]:  # noqa: ARG001
    """The side of the plane between the true means: a learner that learns nothing."""
    return np.broadcast_to(x.sum(1) > 0, weights.shape)


def _first(there: NDArray[np.bool_], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """(graphs,) of each row of `order` the first that is there: mostly among the first few."""
    width = min(16, len(there))
    while not (seen := there[order[:, :width]]).any(1).all():
        width *= 2
    return order[np.arange(len(order)), seen.argmax(1)]


LEARNERS: dict[str, Learner] = {
    "nearest-mean": nearest_mean,
    "ridge": ridge,
    "nearest-neighbour": nearest_neighbour,
}


def symmetric_learners(
    learner: Learner,
    population: Population,
    design: Design,
    collections: int,
    draw: np.random.Generator,
) -> NDArray[np.float64]:
    """(collections, fits) differences of accuracies of one learner on two exchangeable views."""
    differences = np.empty((collections, design.fits))
    for row in differences:
        views, classes = population.draw(draw)
        train, test = design.draw(population.graphs, draw)
        right = [_accuracies(learner, view, classes, train, test) for view in views]
        row[:] = right[0] - right[1]
    return differences


def seeds_only(
    learner: Learner,
    population: Population,
    design: Design,
    collections: int,
    draw: np.random.Generator,
) -> NDArray[np.float64]:
    """(collections, fits) the same learner on the same view twice, with weights drawn anew.

    The weights of training graphs are Poisson (a bootstrap): what a seed does to a network.
    """
    differences = np.empty((collections, design.fits))
    for row in differences:
        (view, _), classes = population.draw(draw)
        train, test = design.draw(population.graphs, draw)
        seeded = (train * draw.poisson(1, train.shape).astype(np.float32) for _ in range(2))
        right = [_accuracies(learner, view, classes, weights, test) for weights in seeded]
        row[:] = right[0] - right[1]
    return differences


def found(
    differences: NDArray[np.float64], ratio: float, shift: float = 0.0, level: float = LEVEL
) -> float:
    """The share of collections in which the test finds a difference, once `shift` is added.

    With no shift it is the false-positive rate, otherwise the power; a finding of the wrong sign
    is none.
    """
    tests = [for_new_graphs(row + shift, ratio) for row in differences]
    return float(np.mean([test.p <= level and test.mean * shift >= 0 for test in tests]))


def measured_ratio(differences: NDArray[np.float64]) -> float:
    """The ratio that would have been right: rho / (1 - rho), rho the correlation between fits.

    The true mean is 0, so that the mean of squares over collections is the variance of the mean.
    """
    within = differences.var(axis=1, ddof=1).mean()
    return float((differences.mean(1) ** 2).mean() / within - 1 / differences.shape[1])


def _accuracies(
    learner: Learner, view: Matrix, classes: Matrix, train: Matrix, test: NDArray[np.bool_]
) -> NDArray[np.float64]:
    right = learner(view, classes, train) == (classes > 0)
    return (right & test).sum(1) / test.sum(1)
