"""LG: blocks cut at the gaps of the degree function (Channarond, Daudin and Robin 2012)."""

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import ClassVar

import numpy as np

from gmixup.alignment import Aligned
from gmixup.estimators._blocks import MOST_BLOCKS, block_means, merged, penalised_likelihood
from gmixup.estimators._classic import AbstractClassic, Halves, per_graph


@dataclass(frozen=True)
class LG(AbstractClassic):
    """Blocks parted where the degree falls most from one side to the other.

    Between two neighbours a gap is mostly noise, so the gaps here are between the means of two
    sides. The faithful form cuts at the smallest gaps between neighbours, as published.
    """

    name: ClassVar[str] = "lg"

    blocks: int | None = None  # at least 1; None: by likelihood; faithful: n / (log2 n + 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.blocks is not None and self.blocks < 1:
            raise ValueError(f"`blocks` is {self.blocks}; it must be at least 1, or None")

    def sound(self, halves: Halves) -> np.ndarray:
        """The clearest blocks: as many as asked for, or as the penalised likelihood bears."""
        cuts = largest_gaps(halves.whole.mean().numpy().mean(1), self.blocks or MOST_BLOCKS)
        kept = len(cuts) if self.blocks else best_number(halves.whole, cuts)
        block = between(cuts[:kept], np.arange(halves.whole.resolution))
        return merged(halves.whole, block).mean().numpy()[np.ix_(block, block)]

    def published(self, halves: Halves) -> np.ndarray:
        """Block means between the smallest gaps of the degrees."""
        return cut_at_smallest_gaps(per_graph(halves.whole), self.blocks)


def between(cuts: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """The block of each position; a cut is the first position beyond it."""
    return np.searchsorted(np.sort(cuts), positions, side="right")


def largest_gaps(degrees: np.ndarray, blocks: int) -> np.ndarray:
    """The cuts of (K,) degrees into at most so many runs, the clearest first.

    Each parts the run, and at the place, where two means for one take most off the squared errors.
    """
    degrees = degrees.round(12)  # what differs by rounding is equal
    total = np.append(0, degrees.cumsum())
    cuts: list[int] = []
    runs: list[tuple[float, int, int, int]] = []

    def offer(low: int, high: int) -> None:
        if high - low > 1:
            cut = np.arange(low + 1, high)
            left, right = cut - low, high - cut
            gap = (total[cut] - total[low]) / left - (total[high] - total[cut]) / right
            gain = gap**2 * left * right / (high - low)
            best = int(gain.argmax())
            heappush(runs, (-float(gain[best]), low, int(cut[best]), high))

    offer(0, len(degrees))
    while runs and len(cuts) < blocks - 1:
        loss, low, cut, high = heappop(runs)
        if loss > -1e-18:  # all that is left is flat
            break
        cuts.append(cut)
        offer(low, cut)
        offer(cut, high)
    return np.array(cuts, dtype=np.int64)


def best_number(sums: Aligned, cuts: np.ndarray) -> int:
    """How many of the cuts, from the first on, the penalised likelihood bears."""
    # Block sums of fewer cuts are sums of those of all cuts, which are small.
    finest = merged(sums, between(cuts, np.arange(sums.resolution)))
    starts = np.append(0, np.sort(cuts))
    models = [merged(finest, between(cuts[:kept], starts)) for kept in range(len(cuts) + 1)]
    return int(np.argmax([penalised_likelihood(model) for model in models]))


def cut_at_smallest_gaps(mean: np.ndarray, blocks: int | None = None) -> np.ndarray:
    """(K, K) block means of a sorted matrix, cut as published.

    Each degree is taken from the next, in falling order, and the largest differences make the cuts:
    where degrees fall least. They are sums of rows alone, hence not quite sorted where the graphs
    are directed: with sums of both directions the published errors do not come.
    """
    nodes = len(mean)
    blocks = blocks or max(nodes // (int(np.log2(nodes)) + 1), 1)
    rises = np.diff(mean.sum(1)).round(9)  # what differs by rounding is equal
    cuts = np.argsort(-rises, kind="stable")[: blocks - 1] + 1
    return block_means(mean, between(cuts, np.arange(nodes)))
