"""10 000 records: the seconds to write, read and compact them, and to read the compact file.

    python benchmarks/records.py [RECORDS [EPOCHS]]

A record holds the curve of 300 epochs in full precision, as a run of the paper's recipe leaves it.
Writing waits for the disk after each record. Reading begins with the files in the system's cache.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

from gmixup.records import Records, compact, key_of

PARTS = ("train", "validation", "test")


def record(number, epochs):
    rng = random.Random(number)
    cell = {
        "data": "IMDB-BINARY",
        "fingerprint": "0" * 64,
        "backbone": {"name": "gin", "depth": 5, "width": 64, "dropout": 0.5},
        "augmentation": {"name": "g-mixup", "estimator": "usvt", "lam": [0.1, 0.2], "ratio": 0.2},
        "recipe": {"name": "paper", "epochs": epochs, "rate": 0.01, "batch": 128},
        "split": {"kind": "ratios", "seed": number, "fold": None, "train_fraction": 1.0},
        "features": "auto",
        "seed": number,
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
        "seconds": {"prepare": 1.2, "fit": 33.0, "compile": 0.0},
        "date": "2026-01-01T00:00:00+00:00",
    }


def main():
    count, epochs = (*map(int, sys.argv[1:]), *(10_000, 300)[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as scratch:
        runs = Records(Path(scratch) / "runs")
        taken = 0.0
        for number in range(count):
            one = record(number, epochs)
            begin = time.perf_counter()
            file = runs.write(one)
            taken += time.perf_counter() - begin
        print(f"{count} records of {file.stat().st_size / 1e3:.1f} kB")
        print(f"write    {taken:6.2f} s ({1e3 * taken / count:.2f} ms each)")

        begin = time.perf_counter()
        records = runs.all()
        print(f"read     {time.perf_counter() - begin:6.2f} s")
        assert len(records) == count

        begin = time.perf_counter()
        short = compact(records, Path(scratch) / "compact" / "runs.jsonl")
        print(
            f"compact  {time.perf_counter() - begin:6.2f} s ({short.stat().st_size / 1e6:.1f} MB)"
        )

        begin = time.perf_counter()
        again = Records(short.parent).all()
        print(f"read it  {time.perf_counter() - begin:6.2f} s")
        assert [one["scores"] for one in again] == [one["scores"] for one in records]


if __name__ == "__main__":
    main()
