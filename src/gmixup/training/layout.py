"""Layout: the graphs of several runs in one store, and where each run finds its own.

The graphs of the set are there once, however many runs train on them; what a run adds or spoils
follows. Each run counts its graphs from 0: training graphs, those added, validation, test.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import one_hot, pad

from gmixup.graphs import GraphSet
from gmixup.refinement import Merged
from gmixup.store import Store
from gmixup.training.run import Run


@dataclass(frozen=True, eq=False)
class Features:
    """Node features of each run from what the store holds: degrees, or features as they are."""

    kind: str  # of degree features; own: the graphs have features themselves
    width: int  # of the widest run; columns beyond a run's own stay 0
    largest: Tensor  # (R, 1)
    mean: Tensor  # (R, 1) float64
    spread: Tensor  # (R, 1) float64

    @classmethod
    def of(cls, runs: Sequence[Run]) -> "Features":
        """What the training graphs of each run say."""
        found = [run.features for run in runs]
        if found[0] is None:
            nothing = torch.zeros(len(runs), 1)
            return cls("own", 0, nothing, nothing, nothing)
        kept = [features for features in found if features is not None]
        columns = (
            torch.tensor([[getattr(one, name)] for one in kept])
            for name in ("largest", "mean", "spread")
        )
        largest, mean, spread = columns
        width = max(one.width for one in kept)
        return cls(kept[0].kind, width, largest, mean.double(), spread.double())

    def to(self, device: str) -> "Features":
        """The same on another device."""
        parts = {name: getattr(self, name).to(device) for name in ("largest", "mean", "spread")}
        return replace(self, **parts)

    def __call__(self, x: Tensor) -> Tensor:
        """(R · N, F) features of rows of all runs (R · N, ...), as DegreeFeatures has them."""
        if self.kind == "own":
            return x
        degrees = x.view(len(self.largest), -1)
        if self.kind == "one-hot":
            return one_hot_rows(degrees.minimum(self.largest), self.width).flatten(0, 1)
        if self.kind == "standardised":
            return ((degrees.double() - self.mean) / self.spread).float().view(-1, 1)
        return torch.ones(degrees.numel(), 1, device=x.device)


def one_hot_rows(places: Tensor, width: int) -> Tensor:
    """(..., width) float32; unlike torch's own it never looks at a value on the host."""
    if places.device.type == "cpu":
        return one_hot(places, width).float()
    out = torch.zeros(*places.shape, width, device=places.device)
    return out.scatter_(-1, places[..., None], 1.0)


@dataclass(frozen=True, eq=False)
class Layout:
    """Several runs over one store."""

    store: Store
    place: Tensor  # (R, L) int64 where in the store each graph of a run is
    y: Tensor  # (R, L, C) label weights, 0 where a run has no such graph
    total: tuple[int, ...]  # of each run, the graphs to train on
    validation: tuple[int, ...]
    test: tuple[int, ...]

    @classmethod
    def of(cls, runs: Sequence[Run], shared: Store, merged: bool, epoch: int = 0) -> "Layout":
        """The runs' graphs as they are in an epoch; `shared` is the store of the whole set."""
        stores, places, labels, totals, count = [shared], [], [], [], len(shared)
        for run in runs:
            larger = run.training_graphs(epoch)[0]
            own, place = _own_graphs(run, larger, count)
            if len(own):
                stores.append(store_of(own, merged, run.features is not None))
                count += len(own)
            places.append(place)
            parts = (larger.y, run.validation.y, run.test.y)
            labels.append(torch.cat([y for y in parts if y is not None]))
            totals.append(len(larger))
        longest = max(map(len, places))
        whole = [replace(store, y=None) for store in stores]
        return cls(
            Store.joined(whole),
            torch.stack([pad(place, (0, longest - len(place))) for place in places]),
            torch.stack([pad(y, (0, 0, 0, longest - len(y))) for y in labels]),
            tuple(totals),
            tuple(len(run.validation) for run in runs),
            tuple(len(run.test) for run in runs),
        )

    def to(self, device: str) -> "Layout":
        """The same on another device."""
        parts = {name: getattr(self, name).to(device) for name in ("store", "place", "y")}
        return replace(self, **parts)

    def sizes(self) -> Tensor:
        """(2, R, L) nodes and edges of each run's graphs."""
        return torch.stack([self.store.num_nodes, self.store.num_edges])[:, self.place]

    def rest(self) -> list[Tensor]:
        """For each run the places of its validation graphs, then of its test graphs."""
        return [
            torch.arange(total, total + validation + test)
            for total, validation, test in zip(self.total, self.validation, self.test, strict=True)
        ]


def store_of(graphs: GraphSet, merged: bool, by_degree: bool) -> Store:
    """A store of graphs, alike nodes merged if asked; `by_degree`, with degrees for features."""
    graphs = replace(graphs, x=None, columns=None) if by_degree else graphs
    if merged:
        found = Merged.of(graphs)
        x = graphs.degrees()[found.representative][:, None] if by_degree else None
        return found.store if x is None else found.store.with_x(x)
    return Store.of(replace(graphs, x=graphs.degrees()[:, None]) if by_degree else graphs)


def _own_graphs(run: Run, larger: GraphSet, count: int) -> tuple[GraphSet, Tensor]:
    """The graphs that a run does not share, to be placed from `count` on; where all of its are."""
    corruption = run.cell.corruption
    spoilt = corruption.edges_added > 0 or corruption.edges_removed > 0
    own_rest = spoilt and corruption.where == "all"
    parts = [larger if spoilt else larger.subset(range(len(run.train), len(larger)))]
    parts += [run.validation, run.test] if own_rest else []
    own = GraphSet.joined(parts)
    fresh = torch.arange(count, count + len(own))
    if own_rest:
        return own, fresh
    rest = torch.cat([run.split.validation, run.split.test])
    real = [] if spoilt else [run.split.train]
    return own, torch.cat([*real, fresh, rest])
