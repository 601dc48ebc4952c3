"""SoftLabels: a PyG transform that turns class labels into label weights."""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.transforms import BaseTransform


class SoftLabels(BaseTransform):
    """Turns `y` from a class into float weights (1, C), as augmented graphs carry them.

    With it graphs as they came and augmented ones go through one loader, and
    `torch.nn.functional.cross_entropy` takes the labels as they are.
    """

    def __init__(self, num_classes: int) -> None:
        if num_classes < 1:
            raise ValueError(f"`num_classes` is {num_classes}; it must be at least 1")
        self.num_classes = num_classes

    def forward(self, data: Any) -> Any:
        """The graph with soft labels; labels that are soft already stay as they are."""
        y = data.get("y")
        if y is None:
            raise ValueError("`data` has no `y`; SoftLabels needs a class to turn into weights")
        weights = soft_labels(torch.as_tensor(y), self.num_classes)
        # A graph on its own has one label; only a batch has several, and it alone knows `batch`.
        if len(weights) != 1 and data.get("batch") is None:
            raise ValueError(
                f"`y` is {torch.as_tensor(y).tolist()}; a graph has one class, or label "
                f"weights (1, {self.num_classes}) that are float"
            )
        data.y = weights
        return data

    def __repr__(self) -> str:
        return f"SoftLabels({self.num_classes})"


def soft_labels(y: Tensor, num_classes: int) -> Tensor:
    """(G, C) float32 label weights of classes (G,) or (G, 1), or of weights (G, C) themselves."""
    if y.is_floating_point() and y.ndim == 2 and y.shape[1] == num_classes > 1:
        return y.float()
    classes = y.reshape(-1).long()
    if bool(
        (classes != y.reshape(-1)).any() | (classes < 0).any() | (classes >= num_classes).any()
    ):
        raise ValueError(
            f"`y` is {y.tolist()}; it must be a class 0, ..., {num_classes - 1}, or "
            f"{num_classes} label weights"
        )
    return torch.nn.functional.one_hot(classes, num_classes).float()
