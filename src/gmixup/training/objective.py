"""Objective: the loss on soft labels, and the scores by which epochs are chosen and told."""

import torch
from torch import Tensor

from gmixup.training.recipe import Metric


def soft_cross_entropy(logits: Tensor, y: Tensor, weights: Tensor | None = None) -> Tensor:
    """(..., ) -Σ w · y · log softmax of each graph, for logits and label weights (..., C)."""
    terms = y * logits.log_softmax(-1)
    return -(terms if weights is None else terms * weights).sum(-1)


def in_full(logits: Tensor) -> Tensor:
    """Logits of half precision in float32; others as they are."""
    return logits if logits.dtype == torch.float64 else logits.float()


def score(metric: Metric, logits: Tensor, y: Tensor) -> float:
    """How well logits (G, C) tell the heaviest class of y (G, C), in [0, 1]."""
    labels, found = y.argmax(1), logits.argmax(1)
    if metric == "accuracy":
        return float((found == labels).double().mean())
    if metric == "macro-f1":
        return _macro_f1(found, labels)
    if logits.shape[1] != 2:
        raise ValueError(
            f"`metric` is 'roc-auc', which is for two classes; there are {logits.shape[1]}: choose "
            "'accuracy' or 'macro-f1'"
        )
    return _area_under_curve((logits[:, 1] - logits[:, 0]).double(), labels == 1)


def _macro_f1(found: Tensor, labels: Tensor) -> float:
    """The mean over the classes that appear of 2 · hits / (found + there)."""
    classes = int(torch.stack([found.max(), labels.max()]).max()) + 1
    hits, told, there = (
        torch.bincount(rows, minlength=classes).double()
        for rows in (labels[found == labels], found, labels)
    )
    both = told + there
    return float((2 * hits / both.clamp(min=1))[both > 0].mean())


def _area_under_curve(values: Tensor, positive: Tensor) -> float:
    """The share of pairs of a positive and a negative that are in order; ties count a half.

    Where one of the classes is missing nothing is told, which is a half.
    """
    ascending, place, counts = values.unique(return_inverse=True, return_counts=True)
    del ascending
    middle = counts.cumsum(0) - (counts - 1) / 2  # the mean rank of equal values, from 1
    some, rest = int(positive.sum()), int((~positive).sum())
    if some == 0 or rest == 0:
        return 0.5
    ranks = float(middle[place][positive].sum())
    return (ranks - some * (some + 1) / 2) / (some * rest)
