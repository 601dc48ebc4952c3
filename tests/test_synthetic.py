"""Synthetic data sets: drawn from the graphons that they name."""

import re
from dataclasses import replace

import pytest
import torch

from gmixup import GraphSet, datasets
from gmixup.datasets import fingerprint, ogb, tu

PARTS = datasets.room.parts
EXAMPLES = [example for part in PARTS.values() for example in part.examples()]


def test_the_synthetic_sets_are_there_by_name():
    assert {"two-and-eight-communities", "one-and-two-hubs"} <= set(PARTS)
    assert set(PARTS) | {*tu.NAMES, *ogb.NAMES} == set(datasets.names())
    with pytest.raises(AttributeError, match="has no attribute 'TwoAndNineCommunities'"):
        datasets.TwoAndNineCommunities  # noqa: B018


@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_synthetic_graphs_are_those_of_their_graphons(example):
    graphs, graphons = example.load(), example.graphons()
    assert len(graphs) == example.graphs
    assert fingerprint(graphs) == fingerprint(example.load())
    assert fingerprint(graphs) != fingerprint(replace(example, seed=99).load())
    assert fingerprint(GraphSet.of(graphs.to_pyg())) == fingerprint(graphs)
    counts = torch.bincount(graphs.labels())
    assert int(counts.max() - counts.min()) <= 1
    low, high = example.nodes
    assert low <= int(graphs.num_nodes.min()) <= int(graphs.num_nodes.max()) <= high
    assert (graphs.x is not None) == example.features
    densities = [graphon.edge_density for graphon in graphons]
    assert densities == pytest.approx([densities[0]] * len(graphons), rel=1e-9)
    for label, graphon in enumerate(graphons):
        assert graphon.label.argmax() == label
        assert float(graphon.marginal().diff().max()) < 1e-9  # the largest degrees come first
        drawn = graphs.subset(graphs.labels() == label)
        pairs = (drawn.num_nodes * (drawn.num_nodes - 1)).sum()
        assert int(drawn.num_edges.sum()) / int(pairs) == pytest.approx(densities[label], rel=0.15)


def test_communities_are_nested():
    two, eight = (graphon.edges for graphon in datasets.TwoAndEightCommunities().graphons())
    assert [len(edges.unique(dim=0)) for edges in (two, eight)] == [2, 8]
    assert bool((two[eight == eight.max()] == two.max()).all())


@pytest.mark.parametrize("label", [0, 1])
def test_hubs_are_one_and_two(label):
    graphs = datasets.OneAndTwoHubs(graphs=60).load()
    for data in graphs.subset(graphs.labels() == label):
        degrees = torch.bincount(data.edge_index[0], minlength=data.num_nodes)
        assert int((degrees > 0.25 * data.num_nodes).sum()) == 1 + label


def test_roles_of_nodes_are_one_hot():
    graphs = datasets.TwoAndEightCommunities(features=True).load()
    assert graphs.x.shape == (graphs.node_count, 3)
    assert bool((graphs.x.sum(1) == 1).all())
    assert [group.kind for group in graphs.columns.groups] == ["one-hot"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"nodes": (9, 3)}, "`nodes` is (9, 3); give the smallest and the largest number"),
        ({"nodes": (20, 60)}, "`nodes` is (20, 60); it must lie within (31, 50)"),
        ({"graphs": 1}, "`graphs` is 1; give at least 2, one a class"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        datasets.OneAndTwoHubs(**settings)
