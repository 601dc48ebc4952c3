"""Runs of a moment: cells on twenty small graphs, and a method that kills its process."""

import json

from gmixup import backbones, datasets
from gmixup.datasets import TwoAndEightCommunities
from gmixup.spelling import spelt
from gmixup.training import Cell, Recipe, SplitRule

GRAPHS = TwoAndEightCommunities(graphs=20, nodes=(8, 12)).load()
MARK = datasets.fingerprint(GRAPHS)
GIVEN = {"graphs": {MARK: GRAPHS}, "device": "cpu", "progress": False}
RECIPE = Recipe.quick(epochs=1)


def cells(seeds=3, methods=("none",), backbone="gin:depth=1,width=4"):
    network = spelt(backbones.room, backbone)
    return [
        Cell("small", MARK, network, method, RECIPE, SplitRule(seed=seed), seed=seed)
        for seed in range(seeds)
        for method in methods
    ]


OWN = """
import os, signal
from dataclasses import dataclass
from pathlib import Path
from gmixup.augmentations import Resample

@dataclass(frozen=True)
class Deadly(Resample):
    "Kills its process: always, or the first time; tells the threads of the process."
    name = "deadly"
    folder: str = ""
    always: bool = False

    def draw(self, graphs, count, generator):
        mark = Path(self.folder) / "was-here"
        if self.always or not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        Path(self.folder, "threads").write_text(os.environ["OMP_NUM_THREADS"])
        return super().draw(graphs, count, generator)
"""


def same(record):
    """What does not depend on when and where a run was made."""
    return json.dumps(
        {k: v for k, v in record.items() if k not in ("date", "seconds")}, sort_keys=True
    )
