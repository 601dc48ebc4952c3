"""kill -9 at random moments: does `gmixup train` end with the records of a run never killed?

    python benchmarks/killed.py [--kills 20] [--seed 0] [--out FILE.json]

A sweep of a few seeds is started, killed after a random share of the processor time that it needs
as a whole, and started again, until it has been killed so often; then it is let come to its end. If
it ends before that, the next sweep begins. Checkpoints are written after every epoch instead of
every 20 seconds, so that many kills hit one that is being written, or a run that goes on from one.
Records are compared byte for byte, but for the date and the seconds.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DATA = "two-and-eight-communities:graphs=40,nodes=(8,20)"
WORDS = ["train", DATA, "--recipe", "quick", "--backbone", "gin:depth=2,width=8", "--quiet"]
WORDS += ["--augment", "g-mixup", "--epochs", "150", "--seeds", "5", "--device", "cpu"]
CHILD = """
import sys
from gmixup.training import state
state.Watch.due = lambda watch: watch.folder is not None
from gmixup.cli import main
sys.exit(main(sys.argv[1:]))
"""


def start(folder):
    command = [sys.executable, "-c", CHILD, *WORDS, "--out", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def seconds_of(process):
    """Processor time of a process so far (Linux)."""
    try:
        told = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def killed_after(folder, seconds):
    """Whether it was killed; it may have ended before that."""
    process = start(folder)
    while process.poll() is None and seconds_of(process) < seconds:
        time.sleep(0.002)
    process.kill()
    errors = process.communicate()[1]
    if process.returncode > 0:
        raise RuntimeError(errors.decode())
    return process.returncode < 0


def finished(folder):
    """Processor time of a whole sweep."""
    process, seconds = start(folder), 0.0
    while process.poll() is None:
        seconds = max(seconds, seconds_of(process))
        time.sleep(0.01)
    if process.returncode:
        raise RuntimeError(process.communicate()[1].decode())
    return seconds


def content(folder):
    """The bytes of every record, without what the clock says."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            record = json.loads(file.read_text())
            rest = {name: v for name, v in record.items() if name not in ("date", "seconds")}
            found[str(file.relative_to(folder))] = json.dumps(rest, sort_keys=True).encode()
    return found


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--kills", type=int, default=20)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--out", type=Path)
    given = words.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    draw = random.Random(given.seed)
    home = Path(tempfile.mkdtemp(prefix="gmixup-killed-"))
    whole, rows, sweeps, equal = home / "whole", [], 0, 0
    needed = finished(whole)
    begin = seconds_of_imports()
    print(
        f"a sweep takes {needed:.1f} s of the processor, {begin:.1f} of them to begin", flush=True
    )
    while len(rows) < given.kills:
        folder, sweeps = home / f"killed-{sweeps}", sweeps + 1
        while len(rows) < given.kills:
            moment = draw.uniform(0, 1.1 * begin + 0.4 * (needed - begin))
            if not killed_after(folder, moment):
                break
            rows.append(
                {
                    "seconds": round(moment, 2),
                    "records": len(list(folder.glob("*.json"))),
                    "checkpoints": len(list(folder.glob(".checkpoints/*.pt"))),
                }
            )
            print(rows[-1], flush=True)
        finished(folder)
        for rest in folder.glob(".*"):  # drafts of what was cut off hold no record
            shutil.rmtree(rest) if rest.is_dir() else rest.unlink()
        equal += content(folder) == content(whole)
    told = {
        "kills": len(rows),
        "sweeps": sweeps,
        "equal": equal,
        "before_the_first_record": sum(not row["records"] for row in rows),
        "with_a_checkpoint": sum(row["checkpoints"] > 0 for row in rows),
        "rows": rows,
    }
    print({name: value for name, value in told.items() if name != "rows"})
    if given.out:
        given.out.write_text(
            json.dumps({"date": time.strftime("%Y-%m-%d"), **told}, indent=1) + "\n"
        )
    shutil.rmtree(home)
    sys.exit(0 if equal == sweeps else 1)


def seconds_of_imports():
    """Processor time until a process has read the library."""
    code = "import time, gmixup.cli, gmixup.repeated; print(time.process_time())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


if __name__ == "__main__":
    main()
