"""Recipe: how a network is trained, whatever the network and the augmentation."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch

from gmixup.choices import check_choice

Metric = Literal["accuracy", "macro-f1", "roc-auc"]
Steps = Literal["per-epoch", "equal"]
Weights = Literal["none", "balanced"]
Precision = Literal["float32", "bfloat16", "float64"]
CHOICES = {
    "metric": Metric,
    "steps": Steps,
    "class_weights": Weights,
    "precision": Precision,
}


@dataclass(frozen=True)
class Recipe:
    """Adam on the cross-entropy of soft labels; the epoch that is best on validation is kept.

    The defaults are the paper's appendix.
    """

    epochs: int = 300
    batch_size: int = 128
    learning_rate: float = 0.01
    halve_every: int | None = 100  # epochs after which the learning rate is halved; None: never
    weight_decay: float = 0.0
    metric: Metric = "accuracy"  # on validation it chooses the epoch, on test it is the score
    patience: int | None = None  # epochs without a better one after which training stops
    steps: Steps = "per-epoch"  # equal: as many as without the graphs that are added
    class_weights: Weights = "none"  # balanced: rare classes weigh more in the loss
    precision: Precision = "float32"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        for name in ("epochs", "batch_size", "halve_every", "patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"`{name}` is {value}; it must be at least 1")
        if self.learning_rate <= 0 or self.weight_decay < 0:
            raise ValueError(
                f"`learning_rate` is {self.learning_rate} and `weight_decay` is "
                f"{self.weight_decay}; the first must be above 0, the second not below"
            )

    def autocast(self, device: str) -> AbstractContextManager[Any]:
        """Half precision for the network where that is asked for; else nothing."""
        if self.precision != "bfloat16":
            return nullcontext()
        return torch.autocast(device.split(":")[0], torch.bfloat16)

    @classmethod
    def paper(cls, **changes: Any) -> "Recipe":
        """The paper's appendix: 300 epochs, Adam at 0.01, halved every 100 epochs, batches of 128.

        It does not say how many epochs; its figures of training curves end at 300.
        """
        return replace(cls(), **changes)

    @classmethod
    def authors(cls, **changes: Any) -> "Recipe":
        """The published code: 800 epochs and weight decay."""
        return replace(cls(epochs=800, weight_decay=5e-4), **changes)

    @classmethod
    def ogb(cls, **changes: Any) -> "Recipe":
        """OGB's reference code for molecules: 100 epochs, Adam at 0.001, batches of 32."""
        settings: dict[str, Any] = {"epochs": 100, "batch_size": 32, "learning_rate": 0.001}
        return replace(cls(**settings, halve_every=None, metric="roc-auc"), **changes)

    @classmethod
    def gmt(cls, **changes: Any) -> "Recipe":
        """The published code of GMT: 500 epochs at most, Adam at 0.0005 with decay, patience 50."""
        settings: dict[str, Any] = {"epochs": 500, "learning_rate": 5e-4, "weight_decay": 1e-4}
        return replace(cls(**settings, halve_every=None, patience=50), **changes)

    @classmethod
    def quick(cls, **changes: Any) -> "Recipe":
        """A few epochs of small batches, for tests and first looks."""
        return replace(cls(epochs=10, batch_size=32), **changes)

    @classmethod
    def presets(cls) -> tuple[str, ...]:
        """The names of the presets."""
        return ("paper", "authors", "ogb", "gmt", "quick")

    def rate(self, epoch: int) -> float:
        """The learning rate of an epoch, counted from 0."""
        halved = 0 if self.halve_every is None else epoch // self.halve_every
        return self.learning_rate * 0.5**halved
