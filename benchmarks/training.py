"""Training GIN and GCN: the usual PyG loop against ours, ms per epoch and run, both in one run.

The usual loop is what the paper's code does, written anew: PyG's DataLoader collates the graphs of
each batch, the loss is read on the host in every step, and validation and test follow each epoch.
Ours is `gmixup.training`, one run alone and ten side by side where there is an accelerator. Times
are of the process on a CPU, where others may be at work, and of the clock on an accelerator.

    python benchmarks/training.py [--data IMDB-BINARY REDDIT-BINARY] [--device cuda] [--epochs 5]
"""

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from torch import nn
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, GINConv, global_mean_pool

from gmixup import datasets
from gmixup.training import Cell, Recipe, SplitRule
from gmixup.training.fast import Engine
from gmixup.training.outcome import device_name, versions
from gmixup.training.run import Run
from gmixup.training.stores import Stores
from gmixup.training.telling import Seen


class UsualGIN(nn.Module):
    """Five GINConv with batch normalisation after the ReLU, mean pooling, two linear layers."""

    def __init__(self, inputs, classes, width=64, depth=5):
        super().__init__()
        widths = [inputs, *[width] * (depth - 1)]
        self.convolutions = nn.ModuleList(
            GINConv(nn.Sequential(nn.Linear(w, width), nn.ReLU(), nn.Linear(width, width)))
            for w in widths
        )
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for _ in widths)
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, classes)

    def forward(self, x, edge_index, batch):
        """Log-probabilities of the graphs of a batch."""
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = norm(convolution(x, edge_index).relu())
        return self.second(self.first(global_mean_pool(x, batch)).relu()).log_softmax(-1)


class UsualGCN(nn.Module):
    """Four GCNConv with ReLU, mean pooling, a linear layer."""

    def __init__(self, inputs, classes, width=64, depth=4):
        super().__init__()
        widths = [inputs, *[width] * (depth - 1)]
        self.convolutions = nn.ModuleList(GCNConv(w, width) for w in widths)
        self.last = nn.Linear(width, classes)

    def forward(self, x, edge_index, batch):
        """Log-probabilities of the graphs of a batch."""
        for convolution in self.convolutions:
            x = convolution(x, edge_index).relu()
        return self.last(global_mean_pool(x, batch)).log_softmax(-1)


USUAL = {"gin": UsualGIN, "gcn": UsualGCN}


def usual_epoch(model, optimizer, loaders, device):
    model.train()
    loss_all = 0.0
    for data in loaders["train"]:
        data = data.to(device)
        optimizer.zero_grad()
        loss = -(model(data.x, data.edge_index, data.batch) * data.y).sum(1).mean()
        loss.backward()
        loss_all += loss.item() * data.num_graphs
        optimizer.step()
    model.eval()
    for part in ("validation", "test"):
        right = 0
        with torch.no_grad():
            for data in loaders[part]:
                data = data.to(device)
                found = model(data.x, data.edge_index, data.batch).max(1)[1]
                right += found.eq(data.y.max(1)[1]).sum().item()
    return loss_all


def time_usual(kind, run, device, epochs):
    parts = {"train": run.train, "validation": run.validation, "test": run.test}
    loaders = {
        name: DataLoader(run.featured(part).to_pyg(), 128, shuffle=name == "train")
        for name, part in parts.items()
    }
    example = run.featured(run.train.subset([0]))
    model = kind(example.x.shape[1], run.train.num_classes).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    usual_epoch(model, optimizer, loaders, device)
    return per_epoch(lambda _: usual_epoch(model, optimizer, loaders, device), epochs, device)


def per_epoch(function, epochs, device):
    """Milliseconds: the median over epochs."""
    times = []
    for epoch in range(epochs):
        _wait(device)
        begin = _now(device)
        function(epoch)
        _wait(device)
        times.append(1000 * (_now(device) - begin))
    return sorted(times)[len(times) // 2]


def time_ours(runs, stores, device, epochs):
    if device != "cpu":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    begin = _now(device)
    engine = Engine(runs, stores, device)
    laid_out = _now(device)
    Seen.points([engine.epoch(0)], "accuracy")  # captures
    _wait(device)
    captured = _now(device)
    ms = epochs_together(engine, epochs, device)
    peak = torch.cuda.max_memory_allocated() / 2**30 if device != "cpu" else None
    return {
        "ms": ms / len(runs),
        "lay_out_s": laid_out - begin,
        "capture_s": captured - laid_out,
        "peak_gib": peak,
        "merged": engine.merged,
        "capacity": engine.plan.capacity,
    }


def epochs_together(engine, epochs, device):
    """Milliseconds an epoch: the median of three stretches, each told about at its end."""
    stretch, times = max(1, epochs // 3), []
    for first in (1, 1 + stretch, 1 + 2 * stretch):
        _wait(device)
        begin = _now(device)
        Seen.points([engine.epoch(e) for e in range(first, first + stretch)], "accuracy")
        times.append(1000 * (_now(device) - begin) / stretch)
    engine.captured = None
    return sorted(times)[1]


def _now(device):
    return time.process_time() if device == "cpu" else time.perf_counter()


def _wait(device):
    if device != "cpu":
        torch.cuda.synchronize()


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--data", nargs="+", default=["IMDB-BINARY"])
    words.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    words.add_argument("--epochs", type=int, default=30)
    words.add_argument("--root")
    words.add_argument("--methods", nargs="+", default=["none"])
    words.add_argument("--backbones", nargs="+", default=["gin"])
    words.add_argument("--precisions", nargs="+", default=["float32"])
    words.add_argument("--runs", nargs="+", type=int)
    words.add_argument("--no-usual", action="store_true")
    words.add_argument("--out", type=Path)
    given = words.parse_args()
    counts = given.runs or ([1] if given.device == "cpu" else [1, 10])
    rows = []
    for name in given.data:
        graphs = datasets.load(name, given.root)
        for backbone in given.backbones:
            usual = None
            for method in given.methods:
                for precision in given.precisions:
                    for count in counts:
                        recipe = Recipe(epochs=given.epochs + 4, precision=precision)
                        cells = [
                            Cell(name, name, backbone, method, recipe, SplitRule(seed=s), seed=s)
                            for s in range(count)
                        ]
                        runs = [Run.of(cell, graphs) for cell in cells]
                        if usual is None and backbone in USUAL and not given.no_usual:
                            epochs = min(given.epochs, 5)
                            usual = time_usual(USUAL[backbone], runs[0], given.device, epochs)
                            print(f"{name}: the usual loop {usual:.2f} ms an epoch", flush=True)
                        stores = Stores(runs[0].graphs)
                        row = {"data": name, "backbone": backbone, "method": method}
                        row |= {"precision": precision, "runs": count, "usual_ms": usual}
                        try:
                            row |= time_ours(runs, stores, given.device, given.epochs)
                            row["times"] = usual and usual / row["ms"]
                        except Exception as error:  # the other rows are worth having
                            row["error"] = f"{type(error).__name__}: {error}"[:300]
                        print(row, flush=True)
                        rows.append(row)
    if given.out:
        about = {"device": device_name(given.device), "versions": versions()}
        about["date"] = time.strftime("%Y-%m-%d")
        given.out.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
