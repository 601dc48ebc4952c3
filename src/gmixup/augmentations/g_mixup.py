"""G-Mixup: graphs drawn from mixtures of class graphons (Han, Jiang, Liu and Hu, 2022).

Each class of the training graphs gives a graphon (Algorithm 1 of the paper); two of them are mixed,
W = lam · W_G + (1 - lam) · W_H, and so are their labels, features and sizes; graphs are drawn from
the mixture (Algorithm 2). At the level of batches the graphons are those of a random part of the
training set, one part after the other (Algorithm 3).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from gmixup import estimators
from gmixup.alignment import peak_features
from gmixup.augmentations._base import AbstractEnlargement, whole_graphs
from gmixup.choices import check_choice
from gmixup.columns import Columns
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet
from gmixup.mixing import (
    Lambda,
    Origin,
    balancing_weights,
    check_lambda,
    draw_lambda,
    draw_pairs,
    mean_lambda,
)
from gmixup.sampling import Isolated, Positions
from gmixup.seeds import as_generator
from gmixup.stack import Stack
from gmixup.synthesis import Density, draw_graphs

# Bytes of mixed graphons that are held at once. A constant: where a chunk begins decides its draws.
CHUNK_BYTES = 1 << 26

# By name these estimators come without a search for the best start and smoothing: it takes most of
# their time, and brings the synthetic graphs hardly closer to the real ones (docs/fidelity.md).
QUICK = {"vem": {"bandwidth": 0.0, "spectral": False, "iterations": 5}}
QUICK_STEPS = 30  # the most that they choose

Nodes = Literal["class", "resolution"]
Steps = Literal["mean", "median"]
Features = Literal["distribution", "mean", "max"]
EdgeFeatures = Literal["cells", "random"]
Labels = Literal["soft", "hard"]
Level = Literal["class", "batch"]
CHOICES = {
    "density": Density,
    "positions": Positions,
    "isolated": Isolated,
    "features": Features,
    "edge_features": EdgeFeatures,
    "labels": Labels,
    "level": Level,
}


@dataclass(frozen=True)
class GMixup(AbstractEnlargement):
    """The settings of G-Mixup. `paper()` is what the paper says, `authors()` what its code does.

    The defaults were chosen by how like their class synthetic graphs are, hubs included, as it was
    measured (docs/fidelity.md).
    """

    name: ClassVar[str] = "g-mixup"

    estimator: Any = "sba"  # a name (vem: its quick form), or an estimator with its own settings
    resolution: int | Steps | None = None  # K; None: the estimator's choice
    lam: Lambda = (0.1, 0.2)
    mixes: int | None = None  # mixtures drawn; None: one for each synthetic graph
    nodes: Nodes | int = "class"  # drawn from the classes' sizes, K, fixed
    density: Density = "matched"  # edges as many as real graphs have, or as the graphon expects
    positions: Positions = "uniform"
    isolated: Isolated = "join"
    features: Features = "distribution"  # categories drawn, or pooled
    edge_features: EdgeFeatures = "cells"
    labels: Labels = "soft"
    level: Level = "class"
    batch_size: int = 128  # graphs to a batch, at the level of batches
    balance: bool = False  # draw rarer classes more often, so that all come out alike

    @classmethod
    def paper(cls, **changes: Any) -> "GMixup":
        """The paper's text: LG, K the mean number of nodes, every synthetic graph of K nodes."""
        said: dict[str, Any] = {
            "estimator": "lg",
            "nodes": "resolution",
            "density": "graphon",
            "isolated": "keep",
            "features": "mean",
            "edge_features": "random",
        }
        return cls(**(said | changes))

    @classmethod
    def authors(cls, **changes: Any) -> "GMixup":
        """The published code: USVT at 0.2·√K on graphs cut to the median size, hardly mixed."""
        coded: dict[str, Any] = {
            "estimator": estimators.USVT(faithful=True, threshold=0.2, alignment="truncate"),
            "resolution": "median",
            "lam": (0.005, 0.01),
            "mixes": 10,
            "ratio": 0.15,
            "nodes": "resolution",
            "density": "graphon",
            "positions": "grid",
            "isolated": "drop",
            "features": "mean",
            "edge_features": "random",
        }
        return cls(**(coded | changes))

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.estimator, str) and ":" in self.estimator:
            # One's own is told by its code in records, which a path would not show to have changed.
            object.__setattr__(self, "estimator", estimators.room.make(self.estimator))
        check_lambda(self.lam)
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        if not isinstance(self.nodes, int):
            check_choice("nodes", self.nodes, Nodes)
        if self.density == "matched" and self.nodes != "class":
            raise ValueError(
                f"`nodes` is {self.nodes!r} but `density='matched'` draws nodes and edges together "
                "from the classes; pass `nodes='class'` or `density='graphon'`"
            )
        if not isinstance(self.resolution, int | None):
            check_choice("resolution", self.resolution, Steps)
        for name, least in (("mixes", 1), ("batch_size", 2), ("resolution", 1), ("nodes", 1)):
            value = getattr(self, name)
            if isinstance(value, int) and value < least:
                raise ValueError(f"`{name}` is {value}; it must be at least {least}")

    def fit(self, train: Any, seed: int | torch.Generator = 0) -> "FittedGMixup":
        """One graphon per class; the seed matters at the level of batches alone."""
        graphs = whole_graphs(train).pinned()
        graphs = replace(graphs, y=graphs.soft_labels())
        graphs.by_class()  # raises where a class has no graph
        if self.features != "distribution" and graphs.x is not None:
            graphs = replace(graphs, columns=Columns.plain(graphs.x))
        estimator = estimators.room.make(self.estimator, **self._quick())
        estimator = replace(estimator, resolution=self._steps(estimator, graphs))
        batches = tuple(
            tuple(self._graphon(estimator, part) for part in _classes_in(batch))
            for batch in self._batches(graphs, as_generator(seed, self.name, "batches"))
        )
        return FittedGMixup(self, batches, graphs)

    def draw(self, graphs: GraphSet, count: int, generator: torch.Generator) -> GraphSet:
        """`count` synthetic graphs with soft labels."""
        return self.draw_with_origins(graphs, count, generator)[0]

    def draw_with_origins(
        self, graphs: GraphSet, count: int, generator: torch.Generator
    ) -> tuple[GraphSet, list[Origin]]:
        """The same, and of each graph what it was mixed from."""
        return self.fit(graphs, generator).draw(count, generator)

    def enlarge(
        self, graphs: GraphSet, generator: torch.Generator
    ) -> tuple[GraphSet, list[Origin] | None]:
        """The graphs given, then round(ratio · G) synthetic ones; and their origins."""
        larger, origins = super().enlarge(graphs, generator)
        return replace(larger, y=larger.labels()) if self.labels == "hard" else larger, origins

    def _steps(self, estimator: Any, graphs: GraphSet) -> int:
        if isinstance(self.resolution, int):
            return self.resolution
        if self.resolution == "median":
            return max(1, int(graphs.num_nodes.double().quantile(0.5)))
        if self.resolution == "mean":
            return max(1, round(float(graphs.num_nodes.double().mean())))
        chosen = estimator.resolution or estimator.default_resolution(graphs)
        return min(chosen, QUICK_STEPS) if self._quick() else chosen

    def _quick(self) -> dict[str, Any]:
        return QUICK.get(self.estimator, {}) if isinstance(self.estimator, str) else {}

    def _batches(self, graphs: GraphSet, generator: torch.Generator) -> Iterator[GraphSet]:
        if self.level == "class":
            yield graphs
            return
        for part in torch.randperm(len(graphs), generator=generator).split(self.batch_size):
            yield graphs.subset(part)

    def _graphon(self, estimator: Any, part: GraphSet) -> Graphon:
        graphon = estimator.estimate(part)
        assert part.y is not None
        graphon = replace(graphon, label=part.y.double().mean(0))
        if self.features == "max" and part.x is not None:
            peaks = peak_features(part, graphon.resolution, estimator.alignment)
            graphon = replace(graphon, features=peaks)
        if self.edge_features == "random" and graphon.edge_columns is not None:
            assert part.edge_attr is not None
            level = graphon.edge_columns.uniform(part.edge_attr)
            shape = (graphon.resolution, graphon.resolution, len(level))
            graphon = replace(graphon, edge_features=level.expand(shape))
        return graphon

    @classmethod
    def examples(cls) -> Iterator["GMixup"]:
        """Small settings on which the common checks are run."""
        small = {"estimator": "histogram", "resolution": 6}
        yield cls(**small)
        yield cls(**small, ratio=1.0, lam=0.5, labels="hard", density="graphon", isolated="drop")
        yield cls(**small, ratio=0.7, level="batch", batch_size=6, balance=True)
        yield cls.paper(ratio=0.5)


@dataclass(frozen=True, eq=False)
class FittedGMixup:
    """Class graphons, ready to be mixed and sampled."""

    settings: GMixup
    batches: tuple[tuple[Graphon, ...], ...]  # the classes of each part; one part at class level
    train: GraphSet

    @property
    def graphons(self) -> tuple[Graphon, ...]:
        """One graphon per class, in order; at the level of batches those of each part in turn."""
        return tuple(graphon for batch in self.batches for graphon in batch)

    def sample(
        self, count: int, seed: int | torch.Generator = 0, return_origin: bool = False
    ) -> Any:
        """`count` synthetic graphs as PyG `Data` with the training graphs' keys, dtypes and widths.

        With `return_origin` also a list that says of each what it was mixed from.
        """
        if count < 0:
            raise ValueError(f"`count` is {count}; it must be 0 or more")
        graphs, origins = self.draw(count, as_generator(seed, self.settings.name, "sample"))
        if self.settings.labels == "hard":
            graphs = replace(graphs, y=graphs.labels())
        return (graphs.to_pyg(), origins) if return_origin else graphs.to_pyg()

    def draw(self, count: int, generator: torch.Generator) -> tuple[GraphSet, list[Origin]]:
        """`count` synthetic graphs with soft labels, and where they come from."""
        graphons = Stack.of(self.graphons)
        mixes = min(self.settings.mixes or count, count)
        lam = draw_lambda(self.settings.lam, mixes, generator)
        pairs = self._draw_pairs(mixes, count, generator)
        which = torch.arange(count) % max(mixes, 1)
        which = which.sort().values  # the graphs of one mixture lie together
        nodes, targets = self._draw_sizes(lam[which], pairs[which], generator)
        per_chunk = max(1, CHUNK_BYTES // _bytes_of_one(graphons))
        parts = [self.train.subset([])]
        for begin in range(0, mixes, per_chunk):
            rows = slice(begin, begin + per_chunk)
            mine = (which >= begin) & (which < begin + per_chunk)
            part = draw_graphs(
                graphons.mix(pairs[rows, 0], pairs[rows, 1], lam[rows]),
                which[mine] - begin,
                nodes[mine],
                generator,
                None if targets is None else targets[mine],
                self.settings.positions,
                self.settings.isolated,
            )
            parts.append(part)
        classes = self._class_of_graphon()[pairs][which].tolist()
        shares = zip(lam[which].tolist(), classes, strict=True)
        origins = [Origin(share, (first, second)) for share, (first, second) in shares]
        return GraphSet.joined(parts), origins

    def _class_of_graphon(self) -> Tensor:
        return torch.stack([graphon.label for graphon in self.graphons]).argmax(1)  # pyright: ignore

    def _draw_pairs(self, mixes: int, count: int, generator: torch.Generator) -> Tensor:
        """(M, 2) ordered pairs of graphons of one batch, the batches taken in turn."""
        pairs = torch.zeros(mixes, 2, dtype=torch.long)
        first = 0
        for number, batch in enumerate(self.batches):
            mine = torch.arange(mixes) % len(self.batches) == number
            weights, flip = None, False
            if self.settings.balance:
                mass = self.train.soft_labels().double().sum(0)
                kept = 1 - mean_lambda(self.settings.lam)
                flip = kept < 0.5
                present = self._class_of_graphon()[first : first + len(batch)]
                weights = balancing_weights(mass, count, max(kept, 1 - kept))[present]
                weights = weights if bool(weights.sum() > 0) else None
            drawn = first + draw_pairs(len(batch), int(mine.sum()), generator, weights)
            pairs[mine] = drawn.flip(1) if flip else drawn
            first += len(batch)
        return pairs

    def _draw_sizes(
        self, lam: Tensor, pairs: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor | None]:
        """(G,) nodes, and edges to expect: of the first class with chance lam, else the second."""
        nodes = self.settings.nodes
        if nodes != "class":
            fixed = self.graphons[0].resolution if nodes == "resolution" else nodes
            return torch.full((len(lam),), fixed), None
        chance = torch.rand(len(lam), generator=generator, dtype=torch.float64)
        source = torch.where(chance < lam, pairs[:, 0], pairs[:, 1])
        sizes = torch.zeros(len(lam), 2, dtype=torch.long)
        for index, graphon in enumerate(self.graphons):
            mine = source == index
            if graphon.sizes is not None:
                sizes[mine] = graphon.sizes.draw(int(mine.sum()), generator)
        matched = self.settings.density == "matched"
        return sizes[:, 0], sizes[:, 1].double() if matched else None


def _classes_in(batch: GraphSet) -> Iterator[GraphSet]:
    """The graphs of each class that the batch holds."""
    labels = batch.labels()
    for label in labels.unique().tolist():
        yield batch.subset(labels == label)


def _bytes_of_one(stack: Stack) -> int:
    parts = (stack.edges, stack.features, stack.edge_features)
    return sum(part[0].numel() * part.element_size() for part in parts if part is not None)
