"""What every estimator is: settings, and one step from graphs to a K x K matrix."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor

from gmixup.alignment import Aligned, align
from gmixup.choices import check_choice
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet
from gmixup.input_rules import Directed
from gmixup.placement import Alignment


@dataclass(frozen=True)
class AbstractEstimator(ABC):
    """An estimator is a frozen dataclass; `fit` is what a new one has to write."""

    name: ClassVar[str]

    resolution: int | None = None  # K; None: the mean number of nodes, as the paper has it
    alignment: Alignment = "quantile"

    def __post_init__(self) -> None:
        if self.resolution is not None and self.resolution < 1:
            raise ValueError(f"`resolution` is {self.resolution}; it must be at least 1, or None")
        check_choice("alignment", self.alignment, Alignment)

    @abstractmethod
    def fit(self, graphs: GraphSet, resolution: int) -> tuple[Tensor, Aligned]:
        """The (K, K) matrix of edge probabilities, and the aligned sums that carry the features."""

    def estimate(self, graphs: Any, *, directed: Directed = "raise") -> Graphon:
        """The graphon of graphs in any form that `GraphSet.of` takes.

        `directed="symmetrise"` takes directed edges as undirected; "as-is" is for the faithful
        forms alone. A label is set where all graphs have the same class.
        """
        graphs = GraphSet.of(graphs, directed=directed)
        if graphs.directed and not getattr(self, "faithful", False):
            raise ValueError(
                f"`directed` is 'as-is', which the sound form of {self.name} does not take; pass "
                "'symmetrise', or use faithful=True"
            )
        _check_sizes(graphs)
        edges, aligned = self.fit(graphs, self.resolution or self.default_resolution(graphs))
        return Graphon(
            edges=((edges + edges.T) / 2).clamp(0, 1),
            features=aligned.mean_features(),
            edge_features=aligned.mean_edge_features(),
            label=_common_label(graphs),
            sizes=aligned.sizes,
            columns=aligned.columns,
            edge_columns=aligned.edge_columns,
        )

    def default_resolution(self, graphs: GraphSet) -> int:
        """K where none is given: the mean number of nodes, but no more than keeps K² small."""
        return max(1, min(round(float(graphs.num_nodes.double().mean())), 1000))

    def align(self, graphs: GraphSet, resolution: int) -> Aligned:
        """The graphs aligned as the settings say."""
        return align(graphs, resolution, self.alignment)

    @classmethod
    def examples(cls) -> Iterator["AbstractEstimator"]:
        """Small settings on which the common checks are run."""
        yield cls()
        yield cls(resolution=7)


def _check_sizes(graphs: GraphSet) -> None:
    if graphs.node_count == 0:
        raise ValueError("no graph has a node; a graphon needs at least one")
    empty = int((graphs.num_edges == 0).sum())
    if empty:
        warnings.warn(
            f"{empty} of {len(graphs)} graphs have no edge; they count as zero density",
            stacklevel=3,
        )


def _common_label(graphs: GraphSet) -> Tensor | None:
    if (
        graphs.y is None
        or graphs.y.ndim not in (1, 2)
        or (graphs.y.ndim == 1 and graphs.y.is_floating_point())
    ):
        return None
    soft = graphs.y.double() if graphs.y.ndim == 2 else graphs.soft_labels().double()
    return soft[0] if bool((soft == soft[0]).all()) else None
