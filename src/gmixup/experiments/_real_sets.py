"""What experiments on real data share: sets that may be missing, and graphs of pure classes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

import torch

from gmixup import datasets
from gmixup.augmentations.g_mixup import FittedGMixup
from gmixup.experiments._base import Progress
from gmixup.graphs import GraphSet
from gmixup.seeds import generator

# Mixtures and graphs of one draw; at λ = 1 and at λ = 0 mixtures differ by the classes alone.
MIXES, DRAWN = 8, 400


@dataclass(frozen=True)
class RealSets:
    """The sets that are at hand, and why others are not."""

    graphs: dict[str, GraphSet]
    missing: tuple[str, ...]

    @classmethod
    def load(
        cls, names: Sequence[str], root: str | Path | None, progress: Progress = print
    ) -> "RealSets":
        """The sets by name, without features of nodes and edges."""
        found, missing = {}, []
        for name in names:
            try:
                found[name] = without_features(datasets.load(name, root))
            except FileNotFoundError as error:
                missing.append(f"{name} is left out: {error}.")
                progress(missing[-1])
        return cls(found, tuple(missing))


def without_features(graphs: GraphSet) -> GraphSet:
    """The nodes, edges and labels alone."""
    return replace(graphs, x=None, edge_attr=None, columns=None, edge_columns=None).pinned()


def pure_graphs(fitted: FittedGMixup, count: int, seed: int = 0) -> dict[int, GraphSet]:
    """Class -> `count` synthetic graphs: the first of a pair at λ = 1, the second at λ = 0."""
    stream = generator(seed, "experiments", "pure graphs")
    drawn = {label: [] for label in range(fitted.train.num_classes)}
    for lam in cycle((1.0, 0.0)):
        settings = replace(fitted.settings, lam=lam, mixes=MIXES, balance=False)
        graphs, origins = replace(fitted, settings=settings).draw(DRAWN, stream)
        source = torch.tensor([origin.classes[0 if lam else 1] for origin in origins])
        for label, parts in drawn.items():
            parts.append(graphs.subset(source == label))
        if all(sum(map(len, parts)) >= count for parts in drawn.values()):
            break
    return {label: GraphSet.joined(parts).subset(range(count)) for label, parts in drawn.items()}
