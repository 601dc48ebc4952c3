"""Batches: gathered as PyG collates, padded and masked without a change of what is there."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Batch as PyGBatch

from gmixup.augmentations import DropEdge, DropNode, Subgraph
from gmixup.batch import Batch, Masks
from gmixup.graphs import GraphSet
from gmixup.seeds import generator
from tests.strategies import adjacencies, as_data, featured

GRAPHS = GraphSet.of(featured())
NAMES = ("x", "edge_index", "batch", "y", "edge_attr")


def same(batch, other, names=NAMES):
    for name in names:
        assert torch.equal(getattr(batch, name), getattr(other, name)), name


@given(st.lists(st.integers(0, 5), min_size=1, max_size=7))
def test_of_gathers_as_pyg_collates(ids):
    batch = Batch.of(GRAPHS, ids)
    wanted = PyGBatch.from_data_list([GRAPHS[index] for index in ids])
    same(batch, wanted)
    assert batch.num_graphs == wanted.num_graphs == len(ids)
    assert batch.node_mask is batch.edge_weight is batch.graph_mask is None


@given(adjacencies(), st.data())
def test_padding_keeps_what_is_there_and_masks_the_rest(matrices, data):
    graphs = GraphSet.of(matrices)
    x = torch.arange(1.0, graphs.node_count + 1)[:, None]
    graphs = replace(graphs, x=x, y=torch.arange(1, len(graphs) + 1))
    ids = data.draw(st.lists(st.integers(-1, len(graphs) - 1), min_size=1, max_size=6))
    real = [index for index in ids if index >= 0]
    plain = Batch.of(graphs, real)
    nodes = len(plain.x) + data.draw(st.integers(0, 3))
    edges = plain.edge_index.shape[1] + data.draw(st.integers(0, 3))
    if nodes == 0 or graphs.node_count == 0:
        return
    padded = Batch.of(graphs, ids, nodes=nodes, edges=edges)
    assert padded.x.shape == (nodes, 1)
    assert padded.edge_index.shape == (2, edges)
    assert padded.num_graphs == len(ids) + 1
    assert padded.graph_mask.tolist() == [*(index >= 0 for index in ids), False]
    assert bool((padded.batch.diff() >= 0).all())
    assert padded.edge_index.numel() == 0 or int(padded.edge_index.max()) < nodes
    same(Batch.from_pyg(padded.to_pyg()), plain, ("x", "edge_index", "batch", "y"))
    assert padded.y[~padded.graph_mask].tolist() == [0] * int((~padded.graph_mask).sum())
    assert torch.equal(padded.graph_sum(padded.x)[padded.graph_mask], plain.graph_sum(plain.x))
    sums = padded.neighbour_sum(padded.x)
    assert torch.equal(sums[padded.node_mask], plain.neighbour_sum(plain.x))
    assert not sums[~padded.node_mask].any()


def test_left_over_edges_are_spread_over_the_left_over_nodes():
    nodes, edges = GRAPHS.node_count + 4, GRAPHS.edge_count + 10
    batch = Batch.of(GRAPHS, range(6), nodes=nodes, edges=edges)
    ends = batch.edge_index[:, batch.edge_weight == 0] - GRAPHS.node_count
    assert ends.tolist() == [[0, 0, 0, 1, 1, 2, 2, 2, 3, 3]] * 2


def test_soft_labels_are_padded_too():
    graphs = replace(GRAPHS, y=torch.full((6, 2), 0.5))
    batch = Batch.of(graphs, [2, -1], nodes=20, edges=60)
    assert batch.y.tolist() == [[0.5, 0.5], [0, 0], [0, 0]]


def test_augmentations_see_a_padded_batch_as_they_see_the_graphs():
    batch = Batch.of(GRAPHS, range(6), nodes=GRAPHS.node_count + 9, edges=GRAPHS.edge_count + 8)
    for augmentation in (DropNode(0.4), Subgraph(0.4), DropEdge(0.4)):
        masked = batch.masked(augmentation.on_batch(batch, generator(0)))
        sizes = masked.sizes(torch.float64)[:6].long()
        wanted = GRAPHS.num_nodes
        if not isinstance(augmentation, DropEdge):
            wanted = wanted - (0.4 * wanted + 1e-9).long()
        assert torch.equal(sizes, wanted)
        assert int(masked.sizes(torch.float64)[6]) == 0


def test_masks_drop_the_edges_of_dropped_nodes():
    batch = Batch.of(GRAPHS, [0, 1])
    keep = torch.arange(len(batch.x)) % 3 != 0
    masked = batch.masked(Masks(node_keep=keep))
    wanted = keep[batch.edge_index[0]] & keep[batch.edge_index[1]]
    assert torch.equal(masked.edge_weight, wanted.float())
    assert torch.equal(masked.node_mask, keep)
    assert batch.node_mask is None
    assert batch.edge_weight is None


def test_masks_add_up():
    batch = Batch.of(GRAPHS, [0, 1])
    first = torch.arange(len(batch.x)) != 1
    second = torch.arange(len(batch.x)) != 2
    twice = batch.masked(Masks(node_keep=first)).masked(Masks(node_keep=second))
    once = batch.masked(Masks(node_keep=first & second))
    same(twice, once, ("node_mask", "edge_weight"))


def test_masked_features_are_zero_and_nothing_else_changes():
    batch = Batch.of(GRAPHS, [0, 1])
    keep = torch.arange(len(batch.x)) % 2 == 0
    masked = batch.masked(Masks(feature_keep=keep))
    assert not masked.x[~keep].any()
    assert torch.equal(masked.x[keep], batch.x[keep])
    assert masked.edge_weight is masked.node_mask is None
    assert batch.masked(None) is batch


def test_a_batch_becomes_the_pyg_batch_of_what_is_left():
    batch = Batch.of(GRAPHS, [3, 1, 4])
    keep = torch.arange(len(batch.x)) % 4 != 1
    data = batch.masked(Masks(node_keep=keep)).to_pyg()
    graphs = [GRAPHS[index] for index in (3, 1, 4)]
    cuts = keep.split([graph.num_nodes for graph in graphs])
    wanted = PyGBatch.from_data_list(
        [graph.subgraph(cut) for graph, cut in zip(graphs, cuts, strict=True)]
    )
    same(data, wanted)
    assert torch.equal(data.ptr, wanted.ptr)
    assert data.num_graphs == 3


def test_pyg_graphs_and_batches_become_batches():
    one = Batch.from_pyg(GRAPHS[2])
    assert one.num_graphs == 1
    same(one, Batch.of(GRAPHS, [2]))
    same(Batch.from_pyg(PyGBatch.from_data_list(list(GRAPHS))), Batch.of(GRAPHS, range(6)))


def test_sums_over_neighbours_are_the_matrix_product():
    batch = Batch.of(GRAPHS, range(6))
    keep = (batch.edge_index[0] * batch.edge_index[1]) % 3 != 0
    masked = batch.masked(Masks(edge_keep=keep))
    x = torch.randn(len(batch.x), 5, dtype=torch.float64)
    full = torch.zeros(len(x), len(x), dtype=torch.float64)
    full[batch.edge_index[1], batch.edge_index[0]] = 1.0
    torch.testing.assert_close(batch.neighbour_sum(x), full @ x)
    full[batch.edge_index[1][~keep], batch.edge_index[0][~keep]] = 0.0
    torch.testing.assert_close(masked.neighbour_sum(x), full @ x)
    torch.testing.assert_close(masked.degrees(x.dtype), full.sum(1))


def test_sums_by_the_matrix_are_sums_over_edges():
    padded = Batch.of(GRAPHS, [4, -1, 0], nodes=30, edges=90)
    keep = (padded.edge_index[0] * padded.edge_index[1]) % 3 != 0
    for batch in (Batch.of(GRAPHS, range(6)), padded, padded.masked(Masks(edge_keep=keep))):
        assert batch.adjacency is not None
        x = torch.randn(len(batch.x), 5, dtype=torch.float64, requires_grad=True)
        slope = torch.randn(len(x), 5, dtype=torch.float64)
        sums = [one.neighbour_sum(x) for one in (batch, replace(batch, adjacency=None))]
        torch.testing.assert_close(*sums)
        torch.testing.assert_close(*(torch.autograd.grad(one, x, slope)[0] for one in sums))
        for dtype in (torch.float32, torch.bfloat16):
            found = batch.neighbour_sum(x.to(dtype))
            assert found.dtype == dtype
            torch.testing.assert_close(found.double(), sums[0], rtol=0.05, atol=0.2)


def test_directed_graphs_are_summed_along_their_edges():
    arrow = np.array([[0.0, 1.0], [0.0, 0.0]])
    graphs = replace(GraphSet.of([arrow], directed="as-is"), x=torch.tensor([[3.0], [5.0]]))
    batch = Batch.of(graphs, [0])
    assert batch.adjacency is None
    assert batch.neighbour_sum(batch.x).tolist() == [[0.0], [3.0]]


def test_sums_and_means_over_graphs_leave_dropped_nodes_out():
    batch = Batch.of(GRAPHS, [0, 5])
    keep = torch.arange(len(batch.x)) % 2 == 0
    masked = batch.masked(Masks(node_keep=keep))
    for graph in range(2):
        rows = batch.x[keep & (batch.batch == graph)]
        torch.testing.assert_close(masked.graph_sum(batch.x)[graph], rows.sum(0))
        torch.testing.assert_close(masked.graph_mean(batch.x)[graph], rows.mean(0))


def test_a_batch_moves_whole():
    moved = Batch.of(GRAPHS, [0, -1], nodes=20, edges=60).to("meta")
    tensors = [value for value in vars(moved).values() if isinstance(value, torch.Tensor)]
    assert len(tensors) == 9
    assert moved.adjacency.weights.device.type == "meta"
    assert all(tensor.device.type == "meta" for tensor in tensors)


def test_it_says_what_is_missing():
    bare = replace(GRAPHS, x=None)
    with pytest.raises(ValueError, match=r"`graphs` has no node features `x`; give it some first"):
        Batch.of(bare, [0])
    with pytest.raises(ValueError, match=r"`nodes` is 9 and `edges` is None; a capacity needs bo"):
        Batch.of(GRAPHS, [0], nodes=9)
    with pytest.raises(ValueError, match=r"`nodes` is 2, but the graphs have \d+; give that"):
        Batch.of(GRAPHS, [0], nodes=2, edges=99)
    with pytest.raises(ValueError, match=r"`edges` is 1, but the graphs have \d+; give that"):
        Batch.of(GRAPHS, [0], nodes=99, edges=1)
    with pytest.raises(ValueError, match=r"`data` is Data\(.*without `x`; give the nodes features"):
        Batch.from_pyg(as_data(np.ones((2, 2)) - np.eye(2)))
