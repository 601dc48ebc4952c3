"""Estimators against a plain dense implementation of the same methods: one thread, one process.

    python benchmarks/estimators.py

The other side is `tests/reference/estimators.py`: every graph a dense matrix, sorted, padded and
stacked, and block models filled entry by entry on tensors, as the published code has it. Ours are
the faithful forms, which give the same matrices (the largest difference is shown); the last column
has the sound forms. "Estimate" begins at aligned graphs, "all" at the graphs. Times are those of
the processor: what else the machine does meanwhile does not count.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.reference import estimators as dense

from gmixup import Graphon, GraphSet, estimators
from gmixup.alignment import Aligned, align
from gmixup.estimators._classic import Halves, in_single_cells
from gmixup.seeds import numpy_generator
from gmixup.sizes import SizeLaw

METHODS = ("sba", "lg", "mc", "usvt", "sas")


def seconds(run, repeats):
    """The shortest processor time of several runs, and what the last one gave."""
    taken, result = [], None
    for _ in range(repeats):
        begin = time.process_time()
        result = run()
        taken.append(time.process_time() - begin)
    return min(taken), result


def dense_estimate(method, stack):
    if method == "sba":
        nodes = stack.shape[1]
        return dense.sba(stack, numpy_generator(0, "sba", nodes).permutation(nodes))
    if method == "sas":
        return dense.enlarged(dense.sas(stack), stack.shape[1])
    return getattr(dense, method)(stack)


def sums_of(stack):
    """What ours begins with, from the other side's graphs: their orders differ where nodes tie."""
    sizes = SizeLaw.of(torch.tensor([[stack.shape[1], 0]] * len(stack)))
    ones = torch.ones(stack.shape[1:], dtype=torch.float64)
    return Aligned(stack.sum(0), len(stack) * ones, len(stack) * ones[0], sizes)


def compare_estimators(nodes, repeats):
    graphs = Graphon.named("product", 1000).sample_many(10, nodes, seed=0)
    matrices = [matrix.toarray() for matrix in graphs.to_scipy()]
    sort, stack = seconds(lambda: dense.sorted_stack(matrices), repeats)
    halves = [graphs.subset(range(part, 10, 2)) for part in (0, 1)]
    place, _ = seconds(lambda: [in_single_cells(half, nodes) for half in halves], repeats)
    sums = sums_of(stack[0::2]), sums_of(stack[1::2])
    for method in METHODS:
        part = estimators.room.find(method)
        plain, wanted = seconds(lambda m=method: dense_estimate(m, stack), 1)
        ours, given = seconds(lambda p=part: p(faithful=True).published(Halves(*sums)), repeats)
        sound, _ = seconds(lambda p=part: p(resolution=nodes).fit(graphs, nodes), repeats)
        gap = float(np.abs(given - wanted.numpy()).max())
        print(
            f"| {method}, n = {nodes} | {1e3 * plain:.1f} | {1e3 * ours:.2f} | ×{plain / ours:.0f} "
            f"| {1e3 * (sort + plain):.0f} | {1e3 * (place + ours):.0f} "
            f"| ×{(sort + plain) / (place + ours):.1f} | {gap:.0e} | {1e3 * sound:.0f} |",
            flush=True,
        )


def sorted_and_padded(graphs):
    """The mean of all graphs, each made dense, sorted and padded; all of them are held."""
    largest, matrices, aligned = int(graphs.num_nodes.max()), [], []
    edges = graphs.edge_index.split(graphs.num_edges.tolist(), 1)
    for nodes, (row, column) in zip(graphs.num_nodes.tolist(), edges, strict=True):
        matrix = np.zeros((nodes, nodes))
        matrix[row, column] = 1
        matrices.append(matrix)
    for matrix in matrices:
        order = np.argsort(matrix.sum(0) / 2 + matrix.sum(1) / 2)[::-1]
        padded = np.zeros((largest, largest))
        padded[: len(matrix), : len(matrix)] = matrix[order, :][:, order]
        aligned.append(padded)
    return torch.from_numpy(np.stack(aligned)).float().mean(0)


def compare_means(count, nodes, degree, steps):
    graphon = Graphon.named("product", 500)
    graphon = Graphon(graphon.edges * degree / (nodes - 1) / graphon.edge_density)
    graphs: GraphSet = graphon.sample_many(count, nodes, seed=0)
    plain, _ = seconds(lambda: sorted_and_padded(graphs), 2)
    ours, _ = seconds(lambda: align(graphs, steps).mean(), 5)
    print(
        f"| {count} graphs, {nodes} nodes, mean degree {degree}, K = {steps} "
        f"| {1e3 * plain:.0f} | {1e3 * ours:.1f} | ×{plain / ours:.0f} |",
        flush=True,
    )


def main():
    torch.set_num_threads(1)
    print(f"{platform.machine()}, one thread, torch {torch.__version__}, numpy {np.__version__};")
    print(
        "10 simple graphs drawn from the surface `product`; milliseconds, the shortest of several"
    )
    print("\n| | dense: estimate | ours | | dense: all | ours | | difference | sound, all |")
    print("|---|---|---|---|---|---|---|---|---|")
    for nodes, repeats in ((200, 10), (1000, 3)):
        compare_estimators(nodes, repeats)
    print("\n| aligned mean from edge lists | dense | ours | |")
    print("|---|---|---|---|")
    for steps in (20, 430):
        compare_means(500, 430, 2.4, steps)


if __name__ == "__main__":
    main()
