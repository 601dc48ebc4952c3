"""SBA: stochastic block approximation (Airoldi, Costa and Chan 2013): like rows are one block.

A pivot takes into its block every free row within a distance of it. The distance multiplies the
differences in two halves of the graphs, whose noise is independent: it is right on average.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from gmixup.estimators._blocks import MOST_BLOCKS, block_means, merged, penalised_likelihood
from gmixup.estimators._classic import AbstractClassic, Halves, per_graph
from gmixup.seeds import numpy_generator

# Tried where no threshold is given: from half the range of chances down to fine noise.
THRESHOLDS = 0.5 * 0.8 ** np.arange(21)


@dataclass(frozen=True)
class SBA(AbstractClassic):
    """Blocks of like rows around pivots, taken from the largest degree on.

    Rows are alike up to `threshold`, the root mean square difference of their chances of an edge;
    None takes the one of best penalised likelihood. In the faithful form pivots are random, and the
    threshold (None: .02) has no unit: it is near a difference of .1 at n = 200, m = 10.
    """

    name: ClassVar[str] = "sba"

    threshold: float | None = None  # in (0, 1]
    seed: int = 0  # of the faithful form's pivots

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise ValueError(f"`threshold` is {self.threshold}; it must lie in (0, 1], or be None")

    def sound(self, halves: Halves) -> np.ndarray:
        """The blocks at the threshold, or at that of best penalised likelihood."""
        whole, second = halves.whole, halves.second or halves.first
        distance = row_distance(halves.first.mean().numpy(), second.mean().numpy())
        tried = []
        for threshold in THRESHOLDS if self.threshold is None else [self.threshold]:
            block = pivot_blocks(distance, threshold**2, range(whole.resolution))
            model = merged(whole, block)
            if tried and model.resolution > MOST_BLOCKS:
                break
            tried.append((penalised_likelihood(model), model, block))
        _, model, block = max(tried, key=lambda entry: entry[0])
        return model.mean().numpy()[np.ix_(block, block)]

    def published(self, halves: Halves) -> np.ndarray:
        """The blocks around random pivots at the published threshold."""
        nodes, graphs = halves.whole.resolution, int(halves.whole.sizes.weights.sum())
        second = halves.second or halves.first
        distance = row_distance(halves.first.edges.numpy(), second.edges.numpy())
        # The definition has (m/2)² here, and half of the sum of both directions.
        scale = 2 / ((graphs // 2 + 1) * max(nodes - graphs // 2, 1))
        reach = (self.threshold or 0.02) ** 2 / scale
        pivots = numpy_generator(self.seed, "sba", nodes).permutation(nodes)
        return block_means(per_graph(halves.whole), pivot_blocks(distance, reach, pivots))


def row_distance(first: np.ndarray, second: np.ndarray) -> Callable[[int], np.ndarray]:
    """The mean squared difference of row i from every row, (K,), as a function of i.

    The mean over rows and columns where the matrices are not symmetric. Computed when asked for.
    """
    pairs = [(first, second)]
    if not (np.array_equal(first, first.T) and np.array_equal(second, second.T)):
        pairs.append((np.ascontiguousarray(first.T), np.ascontiguousarray(second.T)))
    norms = [np.einsum("ik,ik->i", one, other) for one, other in pairs]

    @cache
    def distance(row: int) -> np.ndarray:
        directions = [
            norm + norm[row] - other @ one[row] - one @ other[row]
            for (one, other), norm in zip(pairs, norms, strict=True)
        ]
        return np.mean(directions, axis=0) / len(first)

    return distance


def pivot_blocks(
    distance: Callable[[int], np.ndarray], reach: float, pivots: Sequence[int] | np.ndarray
) -> np.ndarray:
    """(K,) the block of each row: a pivot that is still free takes all free rows within reach."""
    block = np.full(len(pivots), -1)
    for pivot in pivots:
        if block[pivot] < 0:
            near = distance(int(pivot)) <= reach
            near[pivot] = True
            block[near & (block < 0)] = block.max() + 1
    return block
