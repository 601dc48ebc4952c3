"""A training set enlarged by 20 %, end to end: the published procedure against gmixup.

    GMIXUP_DATA=ROOT python benchmarks/g_mixup.py [NAME...]

- published: as the authors' code goes about it, written anew: a dense matrix for each graph, sorted
  by degree and padded to the largest graph of its class; all of them held, cut to the median size,
  averaged, thresholded (USVT); ten mixtures; dense draws. Left out where the padded matrices would
  take more than MOST_BYTES: the table says how much they ask for.
- cut at once: the same, but each matrix is cut before the next is made, which nothing stops the
  published code from doing.
- gmixup: `GMixup(...).on_training_set` by several estimators, its default and `authors()`.

Each run is a process of its own, one thread, with the data loaded and a small part of it augmented
before the clock starts. The runs of a set take turns, and the best of REPEATS counts. Seconds are
those of the processor, which others on the machine do not lengthen by waiting for it. Memory is
the most that the process held above what it held when the clock started.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import json
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.utils import dense_to_sparse, to_dense_adj

from gmixup import GMixup, datasets
from gmixup.datasets.tu import NAMES
from gmixup.seeds import generator

REPEATS, RATIO, MIXES, MOST_BYTES = 3, 0.2, 10, 8e9
PUBLISHED = ("published", "cut at once")
OURS = {
    "histogram": lambda: GMixup(estimator="histogram"),
    "vem": lambda: GMixup(estimator="vem"),
    "default": GMixup,
    "authors()": lambda: GMixup.authors(ratio=RATIO),
}


def sorted_by_degree(data):
    matrix = to_dense_adj(data.edge_index, max_num_nodes=data.num_nodes)[0].double().numpy()
    order = np.argsort(matrix.sum(0))[::-1]
    return matrix[order][:, order]


def padded(matrix, size):
    out = np.zeros((size, size))
    out[: len(matrix), : len(matrix)] = matrix
    return out


def graphon(graphs, size, cut_at_once):
    if cut_at_once:
        mean = sum(padded(sorted_by_degree(data)[:size, :size], size) for data in graphs)
        mean = mean / len(graphs)
    else:
        largest = max(max(data.num_nodes for data in graphs), size)
        aligned = [padded(sorted_by_degree(data), largest) for data in graphs]
        mean = np.stack([matrix[:size, :size] for matrix in aligned]).mean(0)
    left, values, right = np.linalg.svd(mean)
    values[values < 0.2 * np.sqrt(size)] = 0
    return (left * values @ right).clip(0, 1)


def drawn(matrix, label, rng):
    edges = np.triu(rng.random(matrix.shape) < matrix, 1)
    edges = edges + edges.T
    edges = edges[edges.any(1)][:, edges.any(1)]
    index, _ = dense_to_sparse(torch.from_numpy(edges.astype(np.float32)))
    return Data(edge_index=index, num_nodes=len(edges), y=label)


def published(graphs, cut_at_once):
    size = int(np.median([data.num_nodes for data in graphs]))
    classes = max(int(data.y) for data in graphs) + 1
    parts = [[data for data in graphs if int(data.y) == label] for label in range(classes)]
    graphons = [graphon(part, size, cut_at_once) for part in parts]
    rng = np.random.default_rng(0)
    larger, count = list(graphs), int(RATIO * len(graphs) / MIXES)
    for lam in rng.uniform(0.005, 0.01, MIXES):
        one, two = rng.choice(classes, 2, replace=False)
        matrix = lam * graphons[one] + (1 - lam) * graphons[two]
        eye = torch.eye(classes)
        label = (lam * eye[one] + (1 - lam) * eye[two])[None].float()
        larger += [drawn(matrix, label, rng) for _ in range(count)]
    return larger


def peak_bytes(reset=False):
    """The most memory held so far, or since the last reset; Linux alone can forget a peak."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))


def smallest_of_each_class(graphs):
    order = graphs.num_nodes.argsort()
    labels = graphs.labels()[order]
    places = [(labels == label).nonzero()[:9, 0] for label in range(graphs.num_classes)]
    return graphs.subset(order[torch.cat(places)])


def measure(name, side):
    """Seconds and bytes of one side in this process."""
    torch.set_num_threads(1)
    graphs = datasets.load(name)
    small = smallest_of_each_class(graphs)
    if side in PUBLISHED:
        cut, listed, small = side != "published", graphs.to_pyg(), small.to_pyg()
        run, warm = (lambda: published(listed, cut)), (lambda: published(small, True))
    else:
        mixup = OURS[side]()
        run = lambda: mixup.on_training_set(graphs, generator(0, "benchmark"))  # noqa: E731
        warm = lambda: mixup.on_training_set(small, generator(0, "benchmark"))  # noqa: E731
    warm()
    before, begin = peak_bytes(reset=True), time.process_time()
    run()
    return time.process_time() - begin, peak_bytes() - before


def in_a_process(name, side):
    command = [sys.executable, __file__, "--measure", name, side]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def padded_bytes(name):
    """What the padded matrices of the class that needs most take."""
    return max(
        8 * len(p) * int(p.num_nodes.max()) ** 2 for p in datasets.load(name).by_class().values()
    )


def main(names):
    sides = [*PUBLISHED, *OURS]
    print(f"{platform.machine()}, one thread, torch {torch.__version__}; best of {REPEATS}:")
    print("seconds of the processor, and MiB above the loaded data\n")
    print(f"| data set | {' | '.join(sides)} | padded matrices |")
    print("|---" * (len(sides) + 2) + "|")
    for name in names:
        asked = padded_bytes(name)
        left_out = {"published"} if asked > MOST_BYTES else set()
        found = {side: [] for side in sides if side not in left_out}
        for repeat in range(REPEATS):
            for side, runs in found.items():
                if repeat == 0 or runs[0][0] < 60:
                    runs.append(in_a_process(name, side))
        cells = [
            f"{min(s for s, _ in found[side]):.2f} s, {min(b for _, b in found[side]) / 2**20:.0f}"
            if side in found
            else "not run"
            for side in sides
        ]
        print(f"| {name} | {' | '.join(cells)} | {asked / 1e9:.2g} GB |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*sys.argv[2:])))
    else:
        main(sys.argv[1:] or NAMES)
