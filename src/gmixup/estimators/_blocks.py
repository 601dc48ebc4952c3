"""Block models: means over blocks of positions, and how well so many blocks explain the graphs."""

import numpy as np
import scipy.sparse as sp
import torch

from gmixup.alignment import Aligned

# A likelihood chooses among so many blocks at most; its penalty has long set in by then.
MOST_BLOCKS = 64


def block_sums(matrix: np.ndarray, block: np.ndarray) -> np.ndarray:
    """(B, B) the sums of (K, K) over the blocks 0, 1, ..., B - 1 that the positions (K,) are in."""
    hold = sp.csr_array((np.ones(len(block)), (block, np.arange(len(block)))))
    return (hold @ (hold @ matrix).T).T


def block_means(matrix: np.ndarray, block: np.ndarray) -> np.ndarray:
    """(K, K) at each pair of positions the mean over its pair of blocks."""
    size = np.bincount(block)
    return (block_sums(matrix, block) / np.outer(size, size))[np.ix_(block, block)]


def merged(sums: Aligned, block: np.ndarray) -> Aligned:
    """The edges and pairs of aligned graphs with blocks for cells; features are left behind."""
    edges, pairs = (block_sums(value.numpy(), block) for value in (sums.edges, sums.pairs))
    return Aligned(
        edges=torch.from_numpy(edges),
        pairs=torch.from_numpy(pairs),
        nodes=torch.from_numpy(np.bincount(block, sums.nodes.numpy())),
        sizes=sums.sizes,
    )


def penalised_likelihood(sums: Aligned) -> float:
    """How well a chance for each pair of cells explains the graphs, less one for each (Akaike)."""
    edges, pairs = sums.edges.numpy(), sums.pairs.numpy()
    chance = np.clip(edges / np.maximum(pairs, 1e-9), 1e-12, 1 - 1e-12)
    likelihood = edges * np.log(chance) + (pairs - edges) * np.log1p(-chance)
    # Both directions of a pair are listed, but it is one pair.
    return float(likelihood.sum()) / 2 - len(edges) * (len(edges) + 1) / 2
