"""SAS: sorting and smoothing (Chan and Airoldi 2014): block means under total variation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmixup.estimators._blocks import merged
from gmixup.estimators._classic import AbstractClassic, Halves, per_graph

# The weight of the total variation in standard deviations of a block's mean; between 1 and 3 the
# errors hardly change. The published weight is the width of a block, a hundred times as much.
WEIGHT = 2.0


@dataclass(frozen=True)
class SAS(AbstractClassic):
    """Means of blocks of `width` positions, smoothed, then laid bilinearly over the positions."""

    name: ClassVar[str] = "sas"

    width: int | None = None  # positions, at least 1; None: log2 K + 1
    weight: float | None = None  # of the variation, > 0; None: by noise; faithful: the width

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width is not None and self.width < 1:
            raise ValueError(f"`width` is {self.width}; it must be at least 1, or None")
        if self.weight is not None and not self.weight > 0:
            raise ValueError(f"`weight` is {self.weight}; it must be positive, or None")

    def sound(self, halves: Halves) -> np.ndarray:
        """Smoothed by as much as the blocks are noisy."""
        steps = halves.whole.resolution
        blocks = max(round(steps / self._width(steps)), 1)
        sums = merged(halves.whole, np.arange(steps) * blocks // steps)
        means, pairs = sums.mean().numpy(), sums.pairs.numpy()
        deviation = np.sqrt((means * (1 - means) / np.maximum(pairs, 1)).mean())
        weight = self.weight or WEIGHT * deviation
        return interpolated(least_variation(means, weight, tolerance=1e-6), steps)

    def published(self, halves: Halves) -> np.ndarray:
        """Smoothed by as much as the blocks are wide."""
        width = self._width(halves.whole.resolution)
        return sort_and_smooth(per_graph(halves.whole), width, self.weight or float(width))

    def _width(self, steps: int) -> int:
        return min(self.width or int(np.log2(steps)) + 1, steps)


def sort_and_smooth(mean: np.ndarray, width: int, weight: float) -> np.ndarray:
    """(K, K) as published; what fills no block at the end is left out."""
    blocks = len(mean) // width
    means = mean[: blocks * width, : blocks * width].reshape(blocks, width, blocks, width)
    # The smoothest image at such a weight is a constant. The table shows what the iteration has
    # reached when it gives up: the tolerance and the number of sweeps belong to the method.
    smooth = least_variation(means.mean((1, 3)), weight, tolerance=2e-4)
    return interpolated(smooth, len(mean))


def least_variation(
    noisy: np.ndarray, weight: float, tolerance: float, sweeps: int = 200
) -> np.ndarray:
    """The u for which |u - noisy|²/2 + weight * (the sum of its gradients' lengths) is least.

    u = noisy - div p, with Chambolle's iteration (2004) for the field p of vectors no longer than
    `weight`. It stops where the energy changes by no more than `tolerance` of the first energy (in
    which the square counts whole, as in scikit-image: the published form depends on the halt).
    """
    smooth, energies = noisy, []
    field, step = np.zeros((2, *noisy.shape)), 1 / 4
    for _ in range(sweeps if weight > 0 else 0):
        divergence = _divergence(field)
        smooth = noisy - divergence
        gradient = _gradient(smooth)
        length = np.hypot(*gradient)
        energies.append(float((divergence**2).sum() + weight * length.sum()))
        if len(energies) > 1 and abs(energies[-1] - energies[-2]) <= tolerance * energies[0]:
            break
        field = (field - step * gradient) / (1 + step / weight * length)
    return smooth


def interpolated(values: np.ndarray, steps: int) -> np.ndarray:
    """A matrix of any resolution on `steps` positions, bilinear between the middles of cells."""
    middles, places = ((np.arange(cells) + 0.5) / cells for cells in (len(values), steps))
    share = np.stack([np.interp(places, middles, unit) for unit in np.eye(len(values))], axis=1)
    return share @ values @ share.T


def _gradient(image: np.ndarray) -> np.ndarray:
    """(2, h, w) the differences to the next pixel below and beside; none beyond the border."""
    below, beside = np.diff(image, axis=0), np.diff(image, axis=1)
    return np.stack([np.pad(below, ((0, 1), (0, 0))), np.pad(beside, ((0, 0), (0, 1)))])


def _divergence(field: np.ndarray) -> np.ndarray:
    """(h, w) minus the transpose of the gradient."""
    return np.diff(field[0], axis=0, prepend=0) + np.diff(field[1], axis=1, prepend=0)
