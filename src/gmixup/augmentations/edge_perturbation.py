"""Graphon-based edge perturbation: G-Mixup at lambda 0, each class by itself.

With the graphon W of the class and the adjacency A of a real graph, edges are drawn from
- `form="graphon"`: W (Hu et al. 2021), a new graph of the class;
- `form="product"`: A ⊙ W, DropEdge with the chance of each edge to stay read off the graphon.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import torch
from torch import Tensor

from gmixup import estimators
from gmixup.augmentations._base import AbstractEnlargement
from gmixup.augmentations._draw import pair_uniforms
from gmixup.conversion import ragged
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet
from gmixup.mixing import draw_pairs
from gmixup.placement import Membership, membership

Form = Literal["graphon", "product"]


@dataclass(frozen=True)
class EdgePerturbation(AbstractEnlargement):
    """Adds graphs of one class each, with edges drawn by the graphon of that class.

    A graphon of sparse graphs has small chances, so `product` leaves few of their edges.
    """

    name: ClassVar[str] = "edge-perturbation"

    estimator: Any = "histogram"  # a name, or an estimator
    form: Form = "graphon"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form not in get_args(Form):
            raise ValueError(f"`form` is {self.form!r}; it must be 'graphon' or 'product'")
        estimators.room.make(self.estimator)

    def draw(self, graphs: GraphSet, count: int, generator: torch.Generator) -> GraphSet:
        """`count` graphs, class after class, labelled as the real graphs of their class are."""
        classes = draw_pairs(graphs.num_classes, count, generator)[:, 1]
        counts = torch.bincount(classes, minlength=graphs.num_classes).tolist()
        parts = zip(graphs.pinned().by_class().values(), counts, strict=True)
        drawn = [self._draw_class(part, number, generator) for part, number in parts if number]
        return GraphSet.joined([graphs.subset([]), *drawn])

    def _draw_class(self, part: GraphSet, count: int, generator: torch.Generator) -> GraphSet:
        estimator = estimators.room.make(self.estimator)
        graphon = estimator.estimate(part)
        if self.form == "graphon":
            drawn = graphon.sample_many(count, seed=generator, density="matched")
            return replace(drawn, y=part.soft_labels().mean(0).expand(count, -1))
        member = membership(part, graphon.resolution, estimator.alignment)
        picked = torch.randint(len(part), (count,), generator=generator)
        return thinned(part, picked, member, graphon, generator)

    @classmethod
    def examples(cls) -> Iterator["EdgePerturbation"]:
        """Small settings on which the common checks are run."""
        yield cls()
        yield cls(form="product", ratio=1.0)


def thinned(
    graphs: GraphSet,
    picked: Tensor,  # (M,) places of the graphs to thin
    member: Membership,
    graphon: Graphon,
    generator: torch.Generator,
) -> GraphSet:
    """The picked graphs, each edge kept with the chance that the graphon has where its ends lie."""
    out = graphs.subset(picked)
    nodes = ragged(graphs.node_start[picked], graphs.num_nodes[picked])
    cells = draw_cells(member, nodes, generator)
    row, column = out.global_edge_index()
    chance = torch.where(
        (cells[row] < 0) | (cells[column] < 0), 0.0, graphon.edges[cells[row], cells[column]]
    )
    keep = pair_uniforms(torch.stack([row, column]), generator) < chance
    owner = torch.arange(len(out)).repeat_interleave(out.num_edges)
    return replace(
        out,
        num_edges=torch.bincount(owner[keep], minlength=len(out)),
        edge_index=out.edge_index[:, keep],
        edge_attr=None if out.edge_attr is None else out.edge_attr[keep],
    )


def draw_cells(member: Membership, nodes: Tensor, generator: torch.Generator) -> Tensor:
    """(N,) a cell for each of `nodes`, by its share in each; -1 for the share that is cut off."""
    group = member.group[nodes.numpy()]
    height = np.concatenate([[0.0], np.cumsum(member.spread.data)])
    first, end = (member.spread.indptr[group + after] for after in (0, 1))
    chance = torch.rand(len(nodes), generator=generator, dtype=torch.float64).numpy()
    place = np.searchsorted(height, height[first] + chance, side="right") - 1
    cells = np.append(member.spread.indices, -1)[place]
    return torch.from_numpy(np.where(place < end, cells, -1))
