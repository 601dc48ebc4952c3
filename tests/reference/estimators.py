"""The five published estimators as plainly as they are described: dense, with loops over entries.

Every graph is an (n, n) tensor, and all of them are held at once. `gmixup.estimators` must agree
with this in the faithful forms; `benchmarks/estimators.py` times both.
"""

import math
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor


def sorted_stack(matrices):
    """(m, N, N): each graph by falling degree (ties: better joined neighbours first), padded."""
    largest = max(len(matrix) for matrix in matrices)
    stack = torch.zeros(len(matrices), largest, largest, dtype=torch.float64)
    for place, matrix in enumerate(matrices):
        matrix = torch.as_tensor(matrix, dtype=torch.float64)
        degree = matrix.sum(0) + matrix.sum(1)
        joined = matrix @ degree + matrix.T @ degree
        order = sorted(range(len(matrix)), key=lambda node: (-degree[node], -joined[node]))
        stack[place, : len(matrix), : len(matrix)] = matrix[order][:, order]
    return stack


def sba(stack, pivots, threshold=0.02):
    """Pivots in the given order; every other graph is in the first half."""
    graphs, nodes, _ = stack.shape
    first, second = stack[0::2].sum(0), stack[1::2].sum(0)
    weight = 1 / ((graphs // 2 + 1) * (nodes - graphs // 2))
    free, blocks = set(range(nodes)), []
    for pivot in (int(pivot) for pivot in pivots):
        if pivot not in free:
            continue
        block = [pivot]
        for other in free - {pivot}:
            distance = 0.0
            for one, two in ((first, second), (first.T, second.T)):
                distance += float((one[pivot] - one[other]) @ (two[pivot] - two[other]))
            if weight * distance / nodes <= threshold**2:
                block.append(other)
        free -= set(block)
        blocks.append(block)
    return _by_entry(stack.mean(0), blocks)


def lg(stack):
    """Cut where the degree, row by row, falls least."""
    mean = stack.mean(0)
    nodes = len(mean)
    count = nodes // (int(math.log2(nodes)) + 1)
    degrees = mean.sum(1)
    rises = [round(float(degrees[node + 1] - degrees[node]), 9) for node in range(nodes - 1)]
    places = sorted(range(nodes - 1), key=lambda node: -rises[node])[: count - 1]
    cuts = [0, *sorted(place + 1 for place in places), nodes]
    blocks = [list(range(low, high)) for low, high in pairwise(cuts)]
    return _by_entry(mean, blocks)


def _by_entry(mean, blocks):
    result = torch.zeros_like(mean)
    for rows in blocks:
        for columns in blocks:
            chance = mean[rows][:, columns].mean()
            for row in rows:
                for column in columns:
                    result[row, column] = chance
    return result


def mc(stack):
    """The leading singular values of edges as 1 and their absence as -1."""
    nodes = stack.shape[1]
    left, values, right = torch.linalg.svd(2 * stack.mean(0) - 1)
    rank = nodes // int(math.log(nodes))
    return ((left[:, :rank] * values[:rank] @ right[:rank] + 1) / 2).clamp(0, 1)


def usvt(stack, threshold=2.02):
    """The singular values above threshold · √n."""
    left, values, right = torch.linalg.svd(stack.mean(0))
    values = torch.where(values > threshold * math.sqrt(len(values)), values, 0.0)
    return (left * values @ right).clamp(0, 1)


def sas(stack):
    """Block means under scikit-image's total variation; (k, k), before it is laid over n."""
    from skimage.restoration import denoise_tv_chambolle

    mean = stack.mean(0)
    width = int(math.log2(len(mean))) + 1
    blocks = len(mean) // width
    means = np.empty((blocks, blocks))
    for row in range(blocks):
        for column in range(blocks):
            rows = slice(row * width, (row + 1) * width)
            columns = slice(column * width, (column + 1) * width)
            means[row, column] = mean[rows, columns].mean()
    return torch.from_numpy(denoise_tv_chambolle(means, weight=width))


def enlarged(values: Tensor, steps: int) -> Tensor:
    """(steps, steps) a matrix resized bilinearly."""
    from skimage.transform import resize

    return torch.from_numpy(resize(values.numpy(), (steps, steps), order=1, mode="edge"))


def runs_by_error(degrees, blocks):
    """The cuts, in order, each taking most off the squared distance from the means of the runs."""
    cuts = []
    while len(cuts) < blocks - 1:
        gains = {
            cut: _scatter(degrees, cuts) - _scatter(degrees, [*cuts, cut])
            for cut in range(1, len(degrees))
            if cut not in cuts
        }
        best = max(gains, key=lambda cut: gains[cut], default=None)
        if best is None or gains[best] < 1e-12:
            break
        cuts.append(best)
    return cuts


def _scatter(degrees, cuts):
    ends = [0, *sorted(cuts), len(degrees)]
    runs = [degrees[low:high] for low, high in pairwise(ends)]
    return sum(sum((value - sum(run) / len(run)) ** 2 for value in run) for run in runs)
