"""Degree features for graphs without node features, by statistics of the real training graphs.

They are made after sampling, of each graph's own edges, for real and synthetic graphs alike; what
they have to know of the data (bins, mean and spread) comes from the training graphs alone.
"""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from gmixup.graphs import GraphSet

Kind = Literal["one-hot", "standardised", "constant"]

# The paper's collections of movies have degrees below 150, those of threads up to 3062: above this
# many bins a column a degree is memory for degrees that hardly a node has.
MOST_BINS = 512


@dataclass(frozen=True)
class DegreeFeatures:
    """Node features (N, width) float32 from degrees.

    - `one-hot`: a column for each degree; the last one takes every degree from `largest` on.
    - `standardised`: one column, (degree - mean) / spread.
    - `constant`: one column of ones.
    """

    kind: Kind
    largest: int = 0
    mean: float = 0.0
    spread: float = 1.0

    @classmethod
    def fit(
        cls, train: GraphSet, kind: Kind | Literal["auto"] = "auto", largest: int | None = None
    ) -> "DegreeFeatures":
        """What the features need to know, from the real training graphs.

        `largest=None` gives the largest training degree its own column, the last: so that there is
        none that training has never seen. "auto" is one-hot if that needs no more than 512 columns,
        else standardised.
        """
        degrees = train.degrees()
        if len(degrees) == 0:
            raise ValueError("`train` has no node; give the training graphs")
        if kind not in ("auto", *get_args(Kind)):
            raise ValueError(f"`kind` is {kind!r}; it must be auto, {', '.join(get_args(Kind))}")
        if largest is not None and largest < 0:
            raise ValueError(f"`largest` is {largest}; it must be 0 or more, or None")
        top = int(degrees.max()) if largest is None else largest
        if kind == "auto":
            kind = "one-hot" if top < MOST_BINS else "standardised"
        if kind == "one-hot":
            return cls(kind, largest=top)
        if kind == "constant":
            return cls(kind)
        spread = float(degrees.double().std(correction=0))
        return cls(kind, mean=float(degrees.double().mean()), spread=spread or 1.0)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.largest + 1 if self.kind == "one-hot" else 1

    def of(self, degrees: Tensor) -> Tensor:
        """(N, width) float32 features of nodes with these degrees (N,)."""
        if self.kind == "one-hot":
            return one_hot(degrees.clamp(max=self.largest), self.width).float()
        if self.kind == "standardised":
            return ((degrees.double() - self.mean) / self.spread).float()[:, None]
        return torch.ones(len(degrees), 1)

    def apply(self, graphs: GraphSet) -> GraphSet:
        """The graphs with these features; they must have none of their own."""
        if graphs.x is not None:
            raise ValueError(
                f"`graphs` has {graphs.x.shape[1]} node features; degree features are for graphs "
                "without: leave them out, or drop `x` first"
            )
        return replace(graphs, x=self.of(graphs.degrees()))
