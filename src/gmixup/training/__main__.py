"""`python -m gmixup.training job.json` trains what the file tells and has no record yet.

    {"data": "IMDB-BINARY", "backbone": "gin", "augmentation": "g-mixup", "seeds": 10}

It does what `gmixup train` does, without the packages of the command line. Prints a line for each
record, then means and standard deviations. Exit codes: 0 done, 1 failed, 2 wrong use.
"""

import os
import sys
from collections.abc import Sequence
from statistics import fmean, stdev

import torch

from gmixup.records import Record
from gmixup.training.job import Job
from gmixup.training.loops import group_key


def main(words: Sequence[str] | None = None) -> int:
    """Trains the job of the one file that is named; returns the exit code."""
    words = list(sys.argv[1:] if words is None else words)
    if words in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    if len(words) != 1:
        return _fail("name one file: python -m gmixup.training job.json", 2)
    # Threads that share a core are slow, and torch has been imported already.
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(1)
    try:
        job = Job.read(words[0])
    except (ValueError, OSError) as error:
        return _fail(error, 2)
    records = []
    try:
        for record, there in job.train():
            records.append(record)
            print(line(record, there), flush=True)
    except (Exception, KeyboardInterrupt) as error:
        return _fail(error, 1)
    print(*means(records), sep="\n")
    failed = sum(record["status"] != "done" for record in records)
    return _fail(f"{failed} of {len(records)} runs failed", 1) if failed else 0


def line(record: Record, there: bool) -> str:
    """A run and what it scored."""
    head = f"{title(record)}, seed {record['cell']['seed']}: "
    if record["status"] != "done":
        return f"{head}failed: {record['error']}"
    scores = record["scores"]
    told = f"test {record['metric']} {100 * scores['test']:.2f} % in epoch {scores['epoch'] + 1}"
    return f"{head}{told}, " + ("was there" if there else f"{record['seconds']:.1f} s")


def means(records: Sequence[Record]) -> list[str]:
    """For runs that differ by seeds and splits only, their mean and standard deviation."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record["status"] == "done":
            groups.setdefault(group_key(record["cell"]), []).append(record)
    return [_mean(group) for group in groups.values()]


def title(record: Record) -> str:
    """Data set, network and augmentation."""
    cell = record["cell"]
    return ", ".join([cell["data"], cell["backbone"]["name"], cell["augmentation"]["name"]])


def _mean(group: Sequence[Record]) -> str:
    scores = [100 * record["scores"]["test"] for record in group]
    spread = f" ± {stdev(scores):.2f}" if len(scores) > 1 else ""
    runs = "1 run" if len(scores) == 1 else f"{len(scores)} runs"
    metric = group[0]["metric"]
    return f"{title(group[0])}: test {metric} {fmean(scores):.2f}{spread} % ({runs})"


def _fail(error: BaseException | str, code: int) -> int:
    """Says in one sentence what went wrong."""
    sentence = " ".join(str(error).split())
    if not isinstance(error, str | ValueError | OSError | ImportError):
        sentence = f"{type(error).__name__} {sentence}".rstrip()
    print(f"gmixup.training: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
