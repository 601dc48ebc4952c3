"""The public checks: every one of them finds the fault that it is there for."""

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from gmixup import GraphSet
from gmixup.estimators import Histogram
from gmixup.testing import ESTIMATOR_CHECKS, check_estimator

CALLS = count()


@dataclass(frozen=True)
class Broken(Histogram):
    """The histogram with one fault: what is done to the graphs before, to the graphon after."""

    before: Any = field(default=None, compare=False)
    after: Any = field(default=None, compare=False)

    def estimate(self, graphs, *, directed="raise"):
        if self.before is not None:
            graphs = self.before(graphs)
        graphon = Histogram.estimate(
            replace(self, before=None, after=None), graphs, directed=directed
        )
        return graphon if self.after is None else self.after(graphon)

    def __reduce__(self):
        return Broken, (self.resolution, self.alignment)


class Thawed:
    name: ClassVar[str] = "thawed"


class TwoNames(Histogram):
    name: ClassVar[str] = "Two_Names"


def _edges(change):
    def after(graphon):
        changed = replace(graphon)
        # Past the checks of Graphon, as a part that builds its own object could.
        object.__setattr__(changed, "edges", change(graphon.edges.clone()))
        return changed

    return after


def _of_first_order(graphs):
    """Adds an edge at the node that happens to be listed first."""
    graphs = GraphSet.of(graphs)
    matrices = [matrix.toarray() for matrix in graphs.to_scipy()]
    for matrix in matrices:
        matrix[0, 1:] = matrix[1:, 0] = 1
    return replace(GraphSet.of(matrices), x=graphs.x)


def _scribble(graphs):
    graphs.edge_index.mul_(0)
    return graphs


def _without_empty(graphs):
    graphs = GraphSet.of(graphs)
    edgeless = graphs.num_edges == 0
    return GraphSet.of([np.ones((3, 3)) - np.eye(3)]) if bool(edgeless.all()) else graphs


def _only(form):
    def before(graphs):
        if isinstance(graphs, form):
            return [np.ones((4, 4)) - np.eye(4)]
        return graphs

    return before


def _refuse(condition):
    def before(graphs):
        assert not condition(GraphSet.of(graphs)), "refused"
        return graphs

    return before


FAULTS = {
    "is_a_frozen_named_setting": [Thawed(), TwoNames()],
    "gives_probabilities": [
        Broken(after=lambda graphon: graphon.edges),
        Broken(after=_edges(lambda edges: edges.float())),
        Broken(after=_edges(lambda edges: edges * torch.nan)),
        Broken(after=_edges(lambda edges: edges.triu())),
        Broken(after=_edges(lambda edges: edges - 1)),
    ],
    "is_deterministic": [Broken(after=lambda g: replace(g, edges=g.edges * 0.9 ** next(CALLS)))],
    "ignores_how_nodes_are_numbered": [Broken(before=_of_first_order)],
    "ignores_the_input_form": [Broken(before=_only(list))],
    "leaves_its_input_alone": [Broken(before=_scribble)],
    "takes_unequal_sizes": [
        Broken(before=_refuse(lambda graphs: len(graphs.num_nodes.unique()) > 1)),
        Broken(after=lambda graphon: replace(graphon, sizes=None)),
    ],
    "takes_one_graph": [Broken(before=_refuse(lambda graphs: len(graphs) == 1))],
    "takes_more_steps_than_nodes": [Broken(after=lambda graphon: graphon.resample(5))],
    "takes_single_nodes": [Broken(before=_refuse(lambda graphs: int(graphs.num_nodes.min()) == 1))],
    "counts_edgeless_graphs_as_zero": [Broken(before=_without_empty)],
    "refuses_directed_graphs": [
        Broken(before=lambda graphs: GraphSet.of(graphs, directed="symmetrise"))
    ],
    "puts_the_largest_degree_first": [
        Broken(after=_edges(lambda edges: edges.flip(0, 1))),
        Broken(after=_edges(lambda edges: edges / 2)),
    ],
    "keeps_features_with_their_nodes": [
        Broken(after=lambda graphon: replace(graphon, features=None)),
        Broken(after=lambda graphon: replace(graphon, features=graphon.features.flip(0))),
    ],
    "labels_what_has_one_class": [
        Broken(after=lambda graphon: replace(graphon, label=None)),
        Broken(after=lambda graphon: replace(graphon, label=torch.tensor([0.5, 0.5]))),
    ],
}
CASES = [(check, estimator) for check, faults in FAULTS.items() for estimator in faults]


def test_every_check_has_a_fault_that_it_finds():
    assert list(FAULTS) == list(ESTIMATOR_CHECKS)


@pytest.mark.parametrize(("check", "estimator"), CASES, ids=[check for check, _ in CASES])
def test_a_fault_is_found(check, estimator):
    with pytest.raises(AssertionError):
        ESTIMATOR_CHECKS[check](estimator)


def test_a_good_estimator_passes_and_a_faulty_one_is_told_why():
    check_estimator(Histogram(resolution=6))
    with pytest.raises(AssertionError, match=r"rises from .* along its positions"):
        check_estimator(Broken(after=_edges(lambda edges: edges.flip(0, 1))))
