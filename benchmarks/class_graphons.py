"""REDDIT-MULTI-12K end to end: a graphon for each of its 11 classes, with time and peak memory.

    GMIXUP_DATA=ROOT python benchmarks/class_graphons.py [NAME]

Each estimator runs in a process of its own, which loads the data first; memory is what the process
came to hold at most beyond that. The last column is what m dense n x n matrices in float64 would
take, which is how the published code holds the graphs of a class padded to its largest.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import multiprocessing
import platform
import resource
import sys
import time
from pathlib import Path

import torch

from gmixup import datasets, estimators

ESTIMATORS = ("histogram", "lg", "usvt", "vem")
GIB = 2**30


def peak():
    """Bytes that this process has held at most since the last `forget`."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def forget():
    """Has the peak begin anew at what is held now, where the system can (Linux)."""
    refs = Path("/proc/self/clear_refs")
    if refs.exists():
        refs.write_text("5")


def measure(method, name):
    """Seconds, processor seconds and peak memory of all classes by one estimator."""
    torch.set_num_threads(1)
    graphs = datasets.load(name).pinned()
    forget()
    before, begun, worked = peak(), time.perf_counter(), time.process_time()
    part = estimators.room.make(method)
    graphons = [part.estimate(each) for each in graphs.by_class().values()]
    taken, worked = time.perf_counter() - begun, time.process_time() - worked
    return len(graphons), taken, worked, (peak() - before) / GIB


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "REDDIT-MULTI-12K"
    graphs = datasets.load(name)
    dense = max(
        len(part) * 8 * int(part.num_nodes.max()) ** 2 for part in graphs.by_class().values()
    )
    print(f"{name}: {graphs}")
    print(f"{platform.processor() or platform.machine()}, torch {torch.__version__}, one thread\n")
    print("| | class graphons | seconds | of the processor | peak, GiB | dense, GiB |")
    print("|---|---|---|---|---|---|")
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for method in ESTIMATORS:
            count, taken, worked, held = pool.apply(measure, (method, name))
            print(
                f"| {method} | {count} | {taken:.1f} | {worked:.1f} | {held:.2f} "
                f"| {dense / GIB:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
