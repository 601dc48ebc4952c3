"""MC: matrix completion (Keshavan, Montanari and Oh 2010): low rank, fitted to what was seen."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmixup.estimators._classic import AbstractClassic, Halves, per_graph
from gmixup.estimators._spectrum import MARGIN, above, leading, noise


@dataclass(frozen=True)
class MC(AbstractClassic):
    """A matrix of low rank, fitted to each cell by the number of pairs that were seen in it.

    The rank is that of USVT: what stands out of the noise. But there the values stay as they are
    found, and here they are fitted anew, so that cells without a pair have no say. The faithful
    form completes nothing, and its rank grows with n and lets the noise in.
    """

    name: ClassVar[str] = "mc"

    rank: int | None = None  # at least 1; None: by noise; faithful: n / ln n

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rank is not None and self.rank < 1:
            raise ValueError(f"`rank` is {self.rank}; it must be at least 1, or None")

    def sound(self, halves: Halves) -> np.ndarray:
        """The completion of the aligned mean."""
        mean, pairs = (v.numpy() for v in (halves.whole.mean(), halves.whole.pairs))
        rank = self.rank or max(len(above(mean, MARGIN * noise(halves))[1]), 1)
        weight = pairs / max(float(pairs.max()), 1e-9)
        return complete(mean, weight, min(rank, len(mean))).clip(0, 1)

    def published(self, halves: Halves) -> np.ndarray:
        """The leading part of the mean, an edge as 1 and its absence as -1."""
        nodes = halves.whole.resolution
        rank = self.rank or nodes // max(int(np.log(nodes)), 1)
        left, values, right = leading(2 * per_graph(halves.whole) - 1, min(rank, nodes))
        return ((left * values @ right + 1) / 2).clip(0, 1)


def complete(
    seen: np.ndarray, weight: np.ndarray, rank: int, tolerance: float = 1e-6, sweeps: int = 100
) -> np.ndarray:
    """(K, K) of this rank, with least squares to a symmetric `seen` by weights in [0, 1].

    Each sweep fills what the weights leave open with the present fit (Srebro and Jaakkola 2003) and
    moves the subspace one power step on. Where nothing was seen, `seen` holds a first guess.
    """
    basis = leading(seen, rank)[0]
    fitted = seen
    for _ in range(sweeps):
        filled = weight * seen + (1 - weight) * fitted
        basis, _ = np.linalg.qr(filled @ basis)
        previous, fitted = fitted, basis @ (basis.T @ filled @ basis) @ basis.T
        if abs(fitted - previous).max() < tolerance:
            break
    return fitted
