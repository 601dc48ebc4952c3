"""USVT: universal singular value thresholding (Chatterjee 2015): what stands out of noise."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmixup.estimators._classic import AbstractClassic, Halves, per_graph
from gmixup.estimators._spectrum import MARGIN, above, noise


@dataclass(frozen=True)
class USVT(AbstractClassic):
    """The aligned mean without the singular values that noise may have made.

    `threshold` counts in the largest singular value of the noise; in the faithful form, which does
    not ask how many graphs there are, in √n.
    """

    name: ClassVar[str] = "usvt"

    threshold: float | None = None  # positive; None: 1.15, in the faithful form 2.02

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is not None and not self.threshold > 0:
            raise ValueError(f"`threshold` is {self.threshold}; it must be positive, or None")

    def sound(self, halves: Halves) -> np.ndarray:
        """Cut at the noise of these graphs."""
        least = (self.threshold or MARGIN) * noise(halves)
        return keep_above(halves.whole.mean().numpy(), least)

    def published(self, halves: Halves) -> np.ndarray:
        """Cut at a multiple of √n."""
        least = (self.threshold or 2.02) * np.sqrt(halves.whole.resolution)
        return keep_above(per_graph(halves.whole), least)


def keep_above(mean: np.ndarray, least: float) -> np.ndarray:
    """(K, K) the matrix from its singular values larger than `least`, clipped to [0, 1]."""
    left, values, right = above(mean, least)
    return (left * values @ right).clip(0, 1)
