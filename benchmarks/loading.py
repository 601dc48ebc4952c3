"""Loading a TU data set: PyG's `TUDataset` against gmixup, from text and from what each keeps.

    GMIXUP_DATA=ROOT python benchmarks/loading.py [NAME...]

Each reads the same files into its own form: PyG into its collated tensors, gmixup into a GraphSet,
which has been checked by the input rules. PyG keeps `processed/`, gmixup `packed/`. Times are those
of the processor: the disk's share is that of the machine, and the same for both.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path

import torch
from torch_geometric.datasets import TUDataset

from gmixup import GraphSet, datasets
from gmixup.datasets._disk import places
from gmixup.datasets.folder import read_path

DEFAULT = ("IMDB-BINARY", "REDDIT-BINARY", "REDDIT-MULTI-12K")


def seconds(action):
    """The result of an action and how long it took."""
    begun = time.process_time()
    result = action()
    return result, time.process_time() - begun


def measure(name, scratch):
    """Seconds of the four ways, in the order of the table."""
    source = next(place / "raw" for place in places(name) if (place / "raw").is_dir())
    times, found = [], []
    for side in ("theirs", "ours"):
        shutil.copytree(source, scratch / side / name / "raw")
    for _ in ("text", "kept"):
        theirs, taken = seconds(lambda: TUDataset(str(scratch / "theirs"), name))
        found.append(GraphSet.of(theirs))
        times.append(taken)
    for _ in ("text", "kept"):
        ours, taken = seconds(lambda: read_path(scratch / "ours" / name, attributes=False))
        found.append(ours)
        times.append(taken)
    assert len({datasets.fingerprint(graphs) for graphs in found}) == 1
    return times


def main():
    """Prints one line a data set."""
    print("Processor seconds to load; speed-up is PyG's time over ours.\n")
    print(
        "| data set | PyG, text | gmixup, text | speed-up | PyG, kept | gmixup, kept | speed-up |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or DEFAULT:
        with tempfile.TemporaryDirectory() as scratch:
            times = measure(name, Path(scratch))
        text, kept = times[0] / times[2], times[1] / times[3]
        cells = [times[0], times[2], text, times[1], times[3], kept]
        print(f"| {name} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |", flush=True)
    print(f"\n{platform.processor() or platform.machine()}, torch {torch.__version__}, one thread")


if __name__ == "__main__":
    main()
