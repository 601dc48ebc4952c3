"""10 000 records: the seconds to write, read, fold into a report and compact them.

    python benchmarks/records.py [RECORDS [EPOCHS]]

They are of 5 data sets, 4 networks and 5 methods. A record holds the curve of 300 epochs in full
precision, as a run of the paper's recipe leaves it. Writing waits for the disk after each record.
Reading begins with the files in the system's cache. A report is made of what has been read, drawn,
and written as HTML, Markdown and LaTeX; `gmixup report` takes as long as reading and this together.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

from gmixup.evidence.folding import fold
from gmixup.records import Records, compact, key_of

SETS = ("IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY", "MUTAG", "PROTEINS")
NETWORKS = ("gcn", "gin", "top-k", "gmt")
METHODS = (
    {"name": "none"},
    {"name": "resample", "ratio": 0.2},
    {"name": "soften", "ratio": 0.2, "lam": [0.1, 0.2]},
    {"name": "g-mixup", "estimator": "usvt", "lam": [0.1, 0.2], "ratio": 0.2},
    {"name": "drop-edge", "share": 0.2},
)
PARTS = ("train", "validation", "test")


def record(number, epochs):
    rng = random.Random(number)
    rest, method = divmod(number, len(METHODS))
    rest, network = divmod(rest, len(NETWORKS))
    fit, data = divmod(rest, len(SETS))
    cell = {
        "data": SETS[data],
        "fingerprint": "0" * 64,
        "backbone": {"name": NETWORKS[network], "depth": 5, "width": 64, "dropout": 0.5},
        "augmentation": METHODS[method],
        "recipe": {"name": "paper", "epochs": epochs, "rate": 0.01, "batch": 128},
        "split": {
            "kind": "k-fold",
            "seed": fit // 10,
            "fold": fit % 10,
            "folds": 10,
            "train_fraction": 1.0,
        },
        "corruption": {"labels": 0.0, "edges_added": 0.0, "edges_removed": 0.0, "where": "train"},
        "features": "auto",
        "seed": 0,
    }
    return {
        "format": 1,
        "key": key_of(cell),
        "cell": cell,
        "status": "done",
        "error": None,
        "metric": "accuracy",
        "scores": {"epoch": epochs // 3, **{part: rng.random() for part in PARTS}},
        "curve": {
            "epoch": list(range(1, epochs + 1)),
            **{
                kind: {part: [rng.random() for _ in range(epochs)] for part in PARTS}
                for kind in ("loss", "score")
            },
        },
        "graphs": {"train": 800, "validation": 100, "test": 100, "added": 160},
        "device": "cpu",
        "versions": {"gmixup": "0.1.0", "torch": "2.13.0"},
        "seconds": {"prepare": 1.2, "fit": 33.0, "compile": 0.0},
        "date": "2026-01-01T00:00:00+00:00",
    }


class Watch:
    """Seconds by the clock, and those that this process had of a core."""

    def __init__(self):
        self.begin = time.perf_counter(), time.process_time()

    def __str__(self):
        clock, core = time.perf_counter() - self.begin[0], time.process_time() - self.begin[1]
        return f"{clock:6.2f} s, {core:6.2f} s of a core"


def main():
    count, epochs = (*map(int, sys.argv[1:]), *(10_000, 300)[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as scratch:
        runs = Records(Path(scratch) / "runs")
        made = (record(number, epochs) for number in range(count))
        watch = Watch()
        for one in made:
            file = runs.write(one)
        print(f"make and write {watch}; {count} records of {file.stat().st_size / 1e3:.1f} kB")

        watch = Watch()
        records = runs.all()
        print(f"read           {watch}")
        assert len(records) == count

        watch = Watch()
        page = fold(records, "Runs")
        for ending in ("html", "md", "tex"):
            page.save(Path(scratch) / f"report.{ending}")
        size = (Path(scratch) / "report.html").stat().st_size / 1e6
        print(f"report         {watch}; {size:.1f} MB of HTML")

        watch = Watch()
        short = compact(records, Path(scratch) / "compact" / "runs.jsonl")
        print(f"compact        {watch}; {short.stat().st_size / 1e6:.1f} MB")

        watch = Watch()
        again = Records(short.parent).all()
        print(f"read that      {watch}")
        assert [one["scores"] for one in again] == [one["scores"] for one in records]


if __name__ == "__main__":
    main()
