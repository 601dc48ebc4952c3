"""Alignment: equal to the definition, additive, and blind to the order of nodes."""

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch_geometric.data import Data

from gmixup import GraphSet, alignment
from gmixup.alignment import align
from gmixup.placement import ALIGNMENTS, PooledOrder
from tests.reference import alignment as reference
from tests.strategies import adjacencies, featured, random_graph

hows = st.sampled_from(ALIGNMENTS)


def close(first, second):
    return all(
        torch.allclose(getattr(first, name), getattr(second, name), atol=1e-9)
        for name in ("edges", "pairs", "nodes", "features", "edge_features")
        if getattr(first, name) is not None
    )


@given(adjacencies(), st.integers(1, 8), hows)
def test_equal_to_the_definition(matrices, resolution, how):
    assume(max(len(matrix) for matrix in matrices) > 0)
    aligned = align(GraphSet.of(matrices), resolution, how)
    edges, pairs = reference.sums(matrices, resolution, how)
    assert np.allclose(aligned.edges, edges, atol=1e-9)
    assert np.allclose(aligned.pairs, pairs, atol=1e-9)


@given(adjacencies(least_nodes=1), st.integers(1, 8), hows, st.randoms())
def test_relabelling_nodes_changes_nothing(matrices, resolution, how, random):
    shuffled = []
    for matrix in matrices:
        order = list(range(len(matrix)))
        random.shuffle(order)
        shuffled.append(matrix[np.ix_(order, order)])
    assert close(
        align(GraphSet.of(matrices), resolution, how), align(GraphSet.of(shuffled), resolution, how)
    )


@given(adjacencies(least_nodes=1, most_graphs=6), st.integers(1, 8), hows)
def test_shards_add_up_to_the_whole(matrices, resolution, how):
    graphs = GraphSet.of(matrices)
    shards = [graphs.subset([i]) for i in range(len(graphs))]
    order = PooledOrder.of(shards[0])
    for shard in shards[1:]:
        order = order + PooledOrder.of(shard)
    largest = int(graphs.num_nodes.max())
    parts = align(shards, resolution, how, order=order, largest=largest)
    assert close(align(graphs, resolution, how), parts)
    assert parts.sizes.weights.sum() == len(graphs)


def test_chunks_change_nothing(monkeypatch):
    graphs = GraphSet.of(featured(count=20))
    whole = {how: align(graphs, 5, how) for how in ALIGNMENTS}
    monkeypatch.setattr(alignment, "CHUNK", 30)
    assert all(close(whole[how], align(graphs, 5, how)) for how in ALIGNMENTS)


def test_distinct_degrees_give_the_sorted_adjacency_matrix():
    matrix = np.zeros((4, 4))
    for i, j in [(0, 1), (1, 2), (1, 3), (2, 3)]:
        matrix[i, j] = matrix[j, i] = 1
    matrix = np.pad(matrix, ((0, 1), (0, 1)))
    matrix[2, 4] = matrix[4, 2] = matrix[1, 4] = matrix[4, 1] = 1  # degrees 1 4 3 2 2
    edges = align(GraphSet.of([matrix]), 5, "quantile").edges
    assert edges[0, 1] == 1
    assert edges[0, 4] == 1
    assert edges[1, 4] == 0


@pytest.mark.parametrize("how", ["truncate", "pad", "quantile"])
def test_a_clique_is_certain_however_its_ties_are_shared(how):
    aligned = align(GraphSet.of([np.ones((6, 6)) - np.eye(6)]), 6, how)
    assert torch.allclose(aligned.mean(), torch.ones(6, 6, dtype=torch.float64))


def test_cells_within_one_node_continue_the_surface_beside_them():
    path = GraphSet.of([np.diag(np.ones(2), 1) + np.diag(np.ones(2), -1)])
    mean = align(path, 12).mean()  # the middle node covers four cells, its ends share eight
    assert (mean[:4, 4:] == 1).all()
    assert (mean[:4, :4] == 1).all()


def test_features_follow_their_nodes():
    data = featured()
    for one in data:
        degree = torch.bincount(one.edge_index[0], minlength=one.x.shape[0]).double()
        one.x = degree[:, None]
        one.edge_attr = torch.stack([degree[one.edge_index].sum(0)], 1)
    aligned = align(GraphSet.of(data), 6, "pooled")
    assert aligned.features.sum() == pytest.approx(sum(float(one.x.sum()) for one in data))
    total = sum(float(one.edge_attr.sum()) for one in data)
    assert aligned.edge_features.sum() == pytest.approx(total)
    assert aligned.mean_features()[0, 0] > aligned.mean_features()[-1, 0]
    assert torch.equal(aligned.edge_features, aligned.edge_features.transpose(0, 1))


def test_cells_without_nodes_or_edges_are_filled():
    graphs = GraphSet.of(featured(count=1))
    truncated = align(graphs, 30, "truncate")
    assert torch.isfinite(truncated.mean_features()).all()
    assert torch.isfinite(truncated.mean_edge_features()).all()
    full = align(GraphSet.of([random_graph(np.random.default_rng(0), 6, 1.0)]), 6, "quantile")
    assert torch.allclose(full.mean(), torch.ones(6, 6, dtype=torch.float64))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g: align(g, 3, "sorted"), "`how` is 'sorted'; it is one of quantile"),
        (lambda g: align(g, 0), "`resolution` is 0; it must be at least 1"),
        (lambda g: align([g], 3, "pooled"), "pass `order`"),
        (lambda g: align([g], 3, "pad"), "pass `largest`"),
        (lambda g: align([], 3), "`graphs` holds no shard"),
        (lambda g: align(g, 3, "pad", largest=1), "`largest` is 1 but a graph has"),
        (lambda g: align(g, 3) + align(g, 4), "resolution 3 and 4 do not add up"),
        (
            lambda g: align([g, dataclasses.replace(g, x=2 * g.x + 1)], 3),
            "features of different meaning, which do not add up; .*`pinned`",
        ),
        (
            lambda g: align(g, 3, "pooled", order=PooledOrder(np.array([0.123]), np.array([1]))),
            "`order` does not hold these graphs",
        ),
    ],
)
def test_misuse_is_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call(GraphSet.of(featured()))


def test_shares_that_differ_by_little_are_no_ties():
    # Hubs of degree n - 2 in graphs of 6001 and 6002 nodes: apart by less than single precision.
    hubs = []
    for leaves in (5999, 6000):
        matrix = np.zeros((2, leaves), int)
        matrix[1] = np.arange(1, leaves + 1)
        hubs.append(Data(edge_index=torch.from_numpy(matrix), num_nodes=leaves + 2))
    order = PooledOrder.of(GraphSet.of(hubs, directed="symmetrise"))
    assert order.counts.tolist()[:2] == [1, 1]
