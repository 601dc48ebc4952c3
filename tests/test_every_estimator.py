"""Every estimator passes every common check, and none can silently drop out."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gmixup import GraphSet, estimators
from gmixup.testing import ESTIMATOR_CHECKS
from tests.strategies import adjacencies

EXAMPLES = [example for part in estimators.room.parts.values() for example in part.examples()]


@pytest.mark.parametrize("check", ESTIMATOR_CHECKS.values(), ids=ESTIMATOR_CHECKS.keys())
@pytest.mark.parametrize("estimator", EXAMPLES, ids=repr)
def test_check(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:.*no edge:UserWarning")
@settings(max_examples=8)
@given(adjacencies(), st.sampled_from([None, 1, 2, 13]))
def test_any_graphs_give_a_symmetric_matrix_of_probabilities(matrices, resolution):
    assume(max(len(matrix) for matrix in matrices) > 0)
    graphs = GraphSet.of(matrices)
    for example in EXAMPLES:
        graphon = replace(example, resolution=resolution).estimate(graphs)
        edges = graphon.edges
        assert torch.isfinite(edges).all(), example
        assert 0 <= edges.min() <= edges.max() <= 1, example
        assert torch.equal(edges, edges.T), example
        assert resolution in (None, graphon.resolution), example


def test_every_file_of_the_room_is_one_estimator():
    folder = Path(estimators.__file__).parent
    files = {file.stem for file in folder.glob("*.py") if not file.name.startswith("_")}
    homes = [part.__module__.rpartition(".")[2] for part in estimators.room.parts.values()]
    assert sorted(homes) == sorted(files)


@pytest.mark.parametrize("part", estimators.room.parts.values(), ids=estimators.room.names())
def test_every_estimator_has_examples_of_its_own_kind(part):
    examples = list(part.examples())
    assert examples
    assert {type(example) for example in examples} == {part}


def test_the_names_are_the_published_ones():
    expected = {"sba", "lg", "sas", "mc", "usvt", "histogram", "vem"}
    assert expected <= set(estimators.room.names())
