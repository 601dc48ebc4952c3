"""Every network on real sets, on a CPU: ms per epoch, and whether the training loss falls.

    python benchmarks/networks.py [--data IMDB-BINARY PROTEINS REDDIT-BINARY] [--epochs 3]
        [--train-fraction 0.1] [--backbones gin gmt] [--out FILE.json]

An epoch is training on the training part and evaluating the others, which is measured once. Times
are of the process, on one thread; batches of 32, so that a fraction is several steps.
"""

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch

from gmixup import backbones, datasets
from gmixup.evidence.tables import Table
from gmixup.spelling import spelt
from gmixup.training import Cell, Recipe, SplitRule
from gmixup.training.fast import Engine
from gmixup.training.objective import soft_cross_entropy
from gmixup.training.outcome import versions
from gmixup.training.run import Run
from gmixup.training.stores import Stores

NETWORKS = ("gcn", "gcn2", "gin", "top-k", "diff-pool", "min-cut", "gmt", "ogb-gcn",
            "ogb-gcn:virtual_node=True", "ogb-gin", "ogb-gin:virtual_node=True")  # fmt: skip
HEADER = ("network", "training, ms", "evaluation, ms", "loss of the first epoch", "of the last")


def measured(run, stores, epochs):
    engine, losses, times = Engine([run], stores, "cpu"), [], []
    for epoch in range(epochs):
        begin = time.process_time()
        engine.plan.begin(epoch)
        steps = []
        for step in range(engine.plan.steps):
            engine.seed(epoch, step)
            steps.append(engine.train_step(step))
        times.append(1000 * (time.process_time() - begin))
        logits, y = (torch.cat(parts, 1)[0] for parts in zip(*steps, strict=True))
        losses.append(float(soft_cross_entropy(logits, y).mean()))
    begin = time.process_time()
    for step in range(engine.plan.rest_steps):
        engine.evaluate(step)
    return {"training_ms": min(times), "evaluation_ms": 1000 * (time.process_time() - begin),
            "losses": losses}  # fmt: skip


def main():
    words = argparse.ArgumentParser()
    sets = ["IMDB-BINARY", "PROTEINS", "REDDIT-BINARY"]
    words.add_argument("--data", nargs="+", default=sets)
    words.add_argument("--backbones", nargs="+", default=NETWORKS)
    words.add_argument("--epochs", type=int, default=3)
    words.add_argument("--train-fraction", type=float, default=1.0)
    words.add_argument("--root")
    words.add_argument("--out", type=Path)
    given = words.parse_args()
    torch.set_num_threads(1)
    rows = []
    for name in given.data:
        graphs, stores, table = datasets.load(name, given.root), None, []
        for backbone in given.backbones:
            network = spelt(backbones.room, backbone)
            recipe = Recipe(epochs=given.epochs, batch_size=32, learning_rate=0.001)
            split = SplitRule(train_fraction=given.train_fraction)
            run = Run.of(Cell(name, name, network, recipe=recipe, split=split), graphs)
            stores = stores or Stores(run.graphs)
            row = {"data": name, "backbone": backbone, "train": len(run.train)}
            rows.append(row | measured(run, stores, given.epochs))
            print(rows[-1], flush=True)
            own, losses = rows[-1], rows[-1]["losses"]
            numbers = (f"{own['training_ms']:.0f}", f"{own['evaluation_ms']:.0f}")
            table.append((backbone, *numbers, f"{losses[0]:.3f}", f"{losses[-1]:.3f}"))
        print(Table(f"{name}, {rows[-1]['train']} training graphs", HEADER, table, ()).markdown())
    if given.out:
        about = {"device": "cpu", "versions": versions(), "date": time.strftime("%Y-%m-%d")}
        given.out.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
