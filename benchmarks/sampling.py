"""Sampling against a plain dense sampler: one thread, one process, both in turn.

    python benchmarks/sampling.py

The dense sampler is written from the description of the published one: node i is cell i, and graph
by graph a K x K matrix of uniform numbers is compared with the probabilities, its upper triangle
mirrored, isolated nodes are cut out and PyG's `dense_to_sparse` lists the edges. Ours draws all
graphs in one call: at uniform positions (the default), and in the law of the dense sampler, grid
positions without isolated nodes; the edges a graph has on average show that it is the same law (the
diagonal aside, where the dense sampler draws self-loops). Times are those of the processor.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform
import time

import numpy as np
import torch
from torch_geometric.utils import dense_to_sparse

from gmixup.sampling import sample_graphs
from gmixup.seeds import generator, numpy_generator

MIXES, SECONDS = 10, 10


def mixes(first, second):
    """Ten mixed graphons, as one mixup of two classes draws them."""
    return np.stack([(1 - lam) * first + lam * second for lam in np.linspace(0.1, 0.2, MIXES)])


def of_degree(degree, resolution, nodes):
    """Two laws with heads of different weight, whose graphs have the given mean degree."""
    x = (np.arange(resolution) + 0.5) / resolution
    pair = []
    for head in (0.7, 0.5):
        shape = np.outer((x + 0.01) ** -head, (x + 0.01) ** -head)
        scale = 1.0
        for _ in range(50):  # the clipping at 1 takes some away
            matrix = np.minimum(1, scale * shape)
            scale *= degree / ((nodes - 1) * matrix.mean())
        pair.append(matrix)
    return mixes(*pair)


def dense_sampler(matrix, rng):
    adjacency = (rng.random(matrix.shape) <= matrix).astype(np.int32)
    adjacency = np.triu(adjacency)
    adjacency = adjacency + adjacency.T - np.diag(np.diag(adjacency))
    linked = adjacency.sum(1) != 0
    adjacency = adjacency[linked][:, linked]
    edge_index, _ = dense_to_sparse(torch.from_numpy(adjacency))
    return edge_index, int(edge_index.max()) + 1


def shortest(runs):
    """The shortest time of each run, five times in turn, so that they share the machine's moods."""
    best = dict.fromkeys(runs, float("inf"))
    end = time.process_time() + SECONDS
    while time.process_time() < end:
        for name in sorted(5 * list(runs)):
            begin = time.process_time()
            runs[name]()
            best[name] = min(best[name], time.process_time() - begin)
    return best


def row(title, matrices, nodes, graphs, plain_graphs):
    resolution = matrices.shape[1]
    stack, owner = torch.from_numpy(matrices), torch.arange(graphs) * MIXES // graphs
    count = torch.full((graphs,), nodes)
    cell = np.arange(nodes) * resolution // nodes
    fine = [matrix[cell][:, cell] for matrix in matrices[:plain_graphs]]
    rng, stream = numpy_generator(0, "dense"), generator(0, "ours")

    def plain():
        return [dense_sampler(fine[i % len(fine)], rng) for i in range(plain_graphs)]

    def ours(**law):
        return sample_graphs(stack, count, stream, owner=owner, **law)

    same = {"positions": "grid", "isolated": "drop"}
    best = shortest({"plain": plain, "ours": ours, "same": lambda: ours(**same)})
    each = {name: 1e3 * best[name] / (plain_graphs if name == "plain" else graphs) for name in best}
    drawn = [int((edges[0] < edges[1]).sum()) for edges, _ in plain()]
    edges = f"{np.mean(drawn):.0f} / {ours(**same).num_edges.sum() / 2 / graphs:.0f}"
    print(
        f"| {title} | {graphs} | {edges} | {each['plain']:.4f} | {each['ours']:.5f} | "
        f"**x{each['plain'] / each['ours']:.0f}** | {each['same']:.5f} | "
        f"x{each['plain'] / each['same']:.0f} |",
        flush=True,
    )


def main():
    torch.set_num_threads(1)
    # Until the C library has seen a large block go, it hands freed memory back to the system and
    # asks for it again page by page; a process that has loaded any data set is past that.
    block = np.empty(30 << 17)
    del block
    print(f"{platform.processor() or platform.machine()}, torch {torch.__version__}, one thread\n")
    print("| | graphs a call | edges, dense / ours | dense, ms a graph | ours | | same law | |")
    print("|---|---|---|---|---|---|---|---|")
    row("n = 20, K = 20, degree 2.3", of_degree(2.3, 20, 20), 20, 1000, 100)
    row("n = 20, K = 20, degree 9.8", of_degree(9.8, 20, 20), 20, 1000, 100)
    row("n = 430, K = 430, degree 2.3", of_degree(2.3, 430, 430), 430, 200, 10)
    row("n = 4000, K = 20, degree 2.3", of_degree(2.3, 20, 4000), 4000, 100, 1)


if __name__ == "__main__":
    main()
