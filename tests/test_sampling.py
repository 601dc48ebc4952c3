"""Sampling: the law of the matrix, graphs that are well formed, and only the seed decides."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from torch_geometric.utils import stochastic_blockmodel_graph

from gmixup import sparse_sampling
from gmixup.sampling import edge_scale, sample_graphs
from tests.reference import sampling as reference
from tests.strategies import step_functions

METHODS = ["auto", "dense", "sparse"]
# Certain, impossible and rare edges, and both sides of the bound from which tiles are listed.
MIXED = torch.tensor(
    [[0.25, 1, 0, 0.05], [1, 0.28, 0.5, 0.001], [0, 0.5, 1, 0.9], [0.05, 0.001, 0.9, 0.31]],
    dtype=torch.float64,
)


def rough(size, most, seed=0):
    """A matrix without any smoothness: neighbouring cells have nothing in common."""
    matrix = np.random.default_rng(seed).random((size, size)) ** 2 * most
    return torch.from_numpy(np.triu(matrix) + np.triu(matrix, 1).T)


def many(nodes, graphs):
    return torch.full((graphs,), nodes)


def indicators(sample, nodes):
    """For graphs of one size: which pairs i < j are edges (G, pairs)."""
    graphs = len(sample.num_nodes)
    graph = torch.arange(graphs).repeat_interleave(sample.num_edges)
    dense = torch.zeros(graphs, nodes, nodes, dtype=torch.float64)
    dense[graph, sample.edge_index[0], sample.edge_index[1]] = 1
    row, column = torch.triu_indices(nodes, nodes, 1)
    return dense[:, row, column].numpy()


def scores_by_cells(edges, sample, nodes, scale=1.0):
    """Standard scores of the number of edges between each pair of cells, for graphs of one size."""
    size = len(edges)
    row, column = torch.triu_indices(nodes, nodes, 1)
    cells = sample.cells.view(-1, nodes)
    low = torch.minimum(cells[:, row], cells[:, column])
    key = (low * size + torch.maximum(cells[:, row], cells[:, column])).ravel().numpy()
    chance = np.minimum(1, scale * edges.ravel().numpy())[key]
    found = np.bincount(key, indicators(sample, nodes).ravel(), size**2)
    expected = np.bincount(key, chance, size**2)
    variance = np.bincount(key, chance * (1 - chance), size**2)
    certain = variance == 0
    np.testing.assert_allclose(found[certain], expected[certain])
    return (found - expected)[~certain] / np.sqrt(variance[~certain])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("nodes", [5, 70])
def test_edges_come_as_often_as_the_matrix_says(method, nodes):
    sample = sample_graphs(MIXED, many(nodes, 20_000 // nodes), 0, method=method)
    assert np.abs(scores_by_cells(MIXED, sample, nodes)).max() < 4.5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("most", [0.2, 1.0])
def test_a_rough_matrix_of_many_cells_keeps_its_law(method, most):
    edges = rough(60, most)
    assert len(edges) > sparse_sampling.GROUPS
    sample = sample_graphs(edges, many(100, 200), 1, method=method)
    scores = scores_by_cells(edges, sample, 100)
    assert abs((scores**2).sum() - len(scores)) < 4.5 * np.sqrt(2 * len(scores))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "edges", [torch.tensor([[0.25]]), 0.05 + rough(7, 0.2), 0.05 + rough(30, 0.9)]
)
def test_single_pairs_are_independent_given_the_cells(method, edges):
    graphs, nodes = 4000, 7
    sample = sample_graphs(edges, many(nodes, graphs), 2, positions="grid", method=method)
    drawn = indicators(sample, nodes)
    chance = np.array(reference.probabilities(edges, sample.cells[:nodes]))
    scores = (drawn.mean(0) - chance) / np.sqrt(chance * (1 - chance) / graphs)
    assert np.abs(scores).max() < 4.5
    related = np.corrcoef(drawn.T)[np.triu_indices(len(chance), 1)]
    assert np.abs(related).max() * np.sqrt(graphs) < 4.5


@pytest.mark.parametrize("method", METHODS)
def test_rare_edges_of_large_graphs(method):
    nodes, chance, graphs = 1500, 2e-6, 40
    edges = torch.full((1, 1), chance, dtype=torch.float64)
    sample = sample_graphs(edges, many(nodes, graphs), 3, method=method)
    expected = graphs * nodes * (nodes - 1) / 2 * chance
    assert abs(sample.num_edges.sum() / 2 - expected) < 4.5 * np.sqrt(expected)


@pytest.mark.parametrize("method", METHODS)
def test_same_law_as_pyg_given_the_positions(method):
    graphs, nodes, edges = 600, 30, rough(5, 0.6, seed=3)
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    ours = sample_graphs(edges, many(nodes, graphs), generator, method=method)
    theirs = []
    for _ in range(graphs):
        sizes = torch.bincount((torch.rand(nodes) * 5).long(), minlength=5)
        edge_index = stochastic_blockmodel_graph(sizes, edges)
        dense = torch.zeros(nodes, nodes, dtype=torch.float64)
        dense[edge_index[0], edge_index[1]] = 1
        theirs.append(dense)
    row, column = torch.triu_indices(nodes, nodes, 1)
    mine = torch.zeros(graphs, nodes, nodes, dtype=torch.float64)
    mine[:, row, column] = torch.from_numpy(indicators(ours, nodes))
    mine += mine.mT.clone()
    for statistic in (
        lambda a: a.sum((1, 2)),
        lambda a: a.sum(2).var(1),
        lambda a: a.sum(2).max(1).values,
        lambda a: (a @ a * a).sum((1, 2)),
    ):
        pair = [statistic(some).numpy() for some in (mine, torch.stack(theirs))]
        assert stats.ks_2samp(*pair).pvalue > 1e-3


def test_uniform_positions_are_uniform_and_name_their_cells():
    sample = sample_graphs(rough(7, 0.1), many(10, 500), 4)
    assert stats.kstest(sample.position.numpy(), "uniform").pvalue > 1e-3
    assert torch.equal(sample.cells, (7 * sample.position).long())


def test_a_grid_puts_nodes_in_the_middle_of_equal_steps():
    sample = sample_graphs(MIXED, torch.tensor([4, 2, 8]), 0, positions="grid")
    assert sample.cells.tolist() == [0, 1, 2, 3, 1, 3, 0, 0, 1, 1, 2, 2, 3, 3]
    assert sample.position[:6].tolist() == [0.125, 0.375, 0.625, 0.875, 0.25, 0.75]


@pytest.mark.parametrize("size", [49, 98, 107])
def test_a_grid_node_on_the_border_of_cells_is_in_the_upper_one(size):
    """Where (i + 1/2) / n * K is whole but its floating-point value may be less."""
    nodes = torch.arange(1, 60)
    sample = sample_graphs(torch.zeros(size, size), nodes, 0, positions="grid")
    exact = [(2 * i + 1) * size // (2 * n) for n in nodes.tolist() for i in range(n)]
    assert sample.cells.tolist() == exact


@given(
    edges=step_functions(most=30),
    nodes=st.lists(st.integers(0, 40), max_size=5),
    seed=st.integers(0, 2**32),
    method=st.sampled_from(METHODS),
    positions=st.sampled_from(["uniform", "grid"]),
    isolated=st.sampled_from(["keep", "drop", "join"]),
    scale=st.sampled_from([None, 0.1, 3.0]),
)
def test_graphs_are_simple_symmetric_and_in_order(
    edges, nodes, seed, method, positions, isolated, scale
):
    counts = torch.tensor(nodes, dtype=torch.int64)
    before = edges.clone()
    sample = sample_graphs(
        edges, counts, seed, method=method, positions=positions, isolated=isolated, scale=scale
    )
    assert torch.equal(edges, before)
    assert len(sample.cells) == len(sample.position) == sample.num_nodes.sum()
    assert sample.edge_index.shape == (2, sample.num_edges.sum())
    assert {sample.edge_index.dtype, sample.num_nodes.dtype, sample.cells.dtype} == {torch.int64}
    assert sample.position.dtype == torch.float64
    if isolated != "drop":
        assert torch.equal(sample.num_nodes, counts)
    parts = sample.edge_index.split(sample.num_edges.tolist(), dim=1)
    for count, part in zip(sample.num_nodes.tolist(), parts, strict=True):
        pairs = list(zip(*part.tolist(), strict=True))
        assert pairs == sorted(set(pairs))
        assert set(pairs) == {(j, i) for i, j in pairs}
        assert all(0 <= i < count and i != j for i, j in pairs)
        if isolated == "drop" or (isolated == "join" and count > 1):
            assert {i for i, _ in pairs} == set(range(count))


@pytest.mark.parametrize("method", METHODS)
def test_dropping_isolated_nodes_only_renumbers(method):
    arguments = {"edges": rough(40, 0.1), "nodes": torch.tensor([30, 0, 1, 90]), "generator": 5}
    kept = sample_graphs(**arguments, method=method)
    dropped = sample_graphs(**arguments, method=method, isolated="drop")
    assert 0 < dropped.num_nodes.sum() < kept.num_nodes.sum()
    assert torch.equal(dropped.num_edges, kept.num_edges)
    for name in ("cells", "position"):
        pairs = []
        for sample in (kept, dropped):
            start = sample.num_nodes.cumsum(0) - sample.num_nodes
            number = sample.edge_index + start.repeat_interleave(sample.num_edges)
            pairs.append(getattr(sample, name)[number])
        assert torch.equal(*pairs)


@pytest.mark.parametrize("method", METHODS)
def test_only_the_seed_decides(method):
    def draw(seed):
        torch.rand(3)  # the global stream is not ours
        sample = sample_graphs(rough(30, 0.4), torch.tensor([20, 150]), seed, method=method)
        return b"".join(part.numpy().tobytes() for part in vars(sample).values())

    generator = torch.Generator().manual_seed(9)
    first, second = draw(generator), draw(generator)
    assert first != second
    assert draw(torch.Generator().manual_seed(9)) == first
    assert draw(1) == draw(1) != draw(2)


@pytest.mark.parametrize("method", ["dense", "sparse"])
@pytest.mark.parametrize("nodes", [20, 70])
def test_small_chunks_keep_the_law(monkeypatch, method, nodes):
    monkeypatch.setattr(sparse_sampling, "CHUNK", 500)
    sample = sample_graphs(MIXED, many(nodes, 100), 6, method=method)
    assert np.abs(scores_by_cells(MIXED, sample, nodes)).max() < 4.5


def test_graphs_abreast_and_in_rows_come_in_their_own_order():
    sizes = torch.tensor([7, 3, 7, 90] * sparse_sampling.ABREAST)
    sample = sample_graphs(torch.ones(2, 2), sizes, 0)
    assert torch.equal(sample.num_nodes, sizes)
    assert torch.equal(sample.num_edges, sizes * (sizes - 1))


def test_each_graph_follows_the_matrix_of_its_owner():
    stack = torch.stack([torch.zeros(3, 3), torch.ones(3, 3), torch.full((3, 3), 0.5)])
    owner = torch.tensor([1, 0, 2, 1])
    sample = sample_graphs(stack, 150, 0, owner=owner)
    complete = 150 * 149
    assert sample.num_edges[[0, 1, 3]].tolist() == [complete, 0, complete]
    assert abs(sample.num_edges[2] / complete - 0.5) < 0.03


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [0.2, 3.0])
def test_scale_multiplies_the_probabilities_up_to_one(method, scale):
    sample = sample_graphs(MIXED, many(60, 300), 7, method=method, scale=scale)
    assert np.abs(scores_by_cells(MIXED, sample, 60, scale)).max() < 4.5


@given(
    edges=step_functions(most=8),
    nodes=st.lists(st.integers(0, 12), min_size=1, max_size=4),
    share=st.floats(0, 0.999),
    seed=st.integers(0, 2**32),
)
def test_the_scale_meets_the_expected_edges(edges, nodes, share, seed):
    counts = torch.tensor(nodes)
    cells = torch.from_numpy(np.random.default_rng(seed).integers(0, len(edges), sum(nodes)))
    parts = cells.split(nodes)
    targets = torch.tensor([share * reference.most_edges(edges, part) for part in parts])
    scale = edge_scale(edges, cells, counts, targets)
    for part, target, factor in zip(parts, targets, scale.tolist(), strict=True):
        found = reference.expected_edges(edges, part, factor)
        assert found == pytest.approx(float(target), rel=1e-6, abs=1e-9)


def test_a_target_out_of_reach_makes_every_possible_edge_certain():
    edges = torch.tensor([[0.5, 0.01], [0.01, 0.0]])
    cells = torch.tensor([0, 0, 1, 1, 1])
    scale = edge_scale(edges, cells, torch.tensor([2, 3]), torch.tensor([100.0, 100.0]))
    assert scale[1] == 1  # three nodes without any possible edge
    assert (
        reference.expected_edges(
            edges, [0, 0, 1, 1], float(edge_scale(edges, torch.tensor([0, 0, 1, 1]), 4, 100.0))
        )
        == 5
    )


@pytest.mark.parametrize("method", METHODS)
def test_target_edges_are_met_on_average(method):
    stack = torch.stack([rough(50, 0.2), rough(50, 1.0, seed=8)])
    targets = torch.tensor([40.0, 2000.0]).repeat(100)
    owner = torch.tensor([0, 1]).repeat(100)
    sample = sample_graphs(stack, 80, 8, owner=owner, target_edges=targets, method=method)
    mean = sample.num_edges.view(100, 2).double().mean(0) / 2
    # Given its nodes, the edges of a graph vary by at most their expected number.
    assert ((mean - targets[:2]).abs() < 4.5 * (targets[:2] / 100).sqrt()).all()


def test_one_number_of_nodes_is_one_graph_unless_others_say_more():
    assert sample_graphs(MIXED, 5, 0).num_nodes.tolist() == [5]
    assert sample_graphs(MIXED, 5, 0, target_edges=torch.ones(3)).num_nodes.tolist() == [5, 5, 5]
    assert len(sample_graphs(MIXED, torch.empty(0, dtype=torch.int64), 0).num_nodes) == 0


NAN = torch.tensor([[float("nan")]])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"edges": torch.zeros(2, 3)}, r"`edges` has shape \(2, 3\); give \(K, K\) or a stack"),
        ({"edges": torch.zeros(0, 0)}, r"`edges` has shape \(0, 0\)"),
        ({"edges": torch.tensor([[1.5]])}, r"`edges` has values from 1.5 to 1.5; give finite"),
        ({"edges": -MIXED}, r"`edges` has values from -1 to -?0"),
        ({"edges": NAN}, r"`edges` has values from nan to nan; .* in \[0, 1\]"),
        ({"edges": MIXED.triu()}, r"`edges` differs from its transpose by up to 1; .*edges\.mT"),
        ({"edges": MIXED.expand(2, 4, 4)}, "`edges` is a stack of 2 matrices; say by `owner`"),
        ({"owner": torch.tensor([0, 1])}, "`owner` has the index 1; `edges` has 1 matrices"),
        (
            {"owner": torch.zeros(3, dtype=torch.int64)},
            r"`owner` has shape \(3,\); .* the 2 graphs",
        ),
        ({"nodes": torch.tensor([3, -1])}, r"`nodes` is tensor\(\[ 3, -1\]\); give whole numbers"),
        ({"nodes": torch.tensor([3.0, 1.0])}, "`nodes` is .*; give whole numbers, 0 or more"),
        ({"scale": -1.0}, r"`scale` is -1.0; give finite numbers, 0 or more"),
        ({"scale": float("inf")}, "`scale` is inf; give finite numbers"),
        ({"target_edges": torch.ones(3)}, r"`target_edges` has shape \(3,\)"),
        ({"scale": 1, "target_edges": 9}, r"`scale` \(1\) and `target_edges` \(9\) are both given"),
        ({"positions": "middle"}, "`positions` is 'middle'; choose one of: uniform, grid"),
        ({"isolated": "hide"}, "`isolated` is 'hide'; choose one of: keep, drop, join"),
        ({"method": "fast"}, "`method` is 'fast'; choose one of: auto, dense, sparse"),
    ],
)
def test_wrong_arguments_are_told_in_one_sentence(changes, words):
    arguments = {"edges": MIXED, "nodes": torch.tensor([3, 4]), "generator": 0} | changes
    with pytest.raises(ValueError, match=words):
        sample_graphs(**arguments)


def test_edge_scale_wants_one_cell_for_each_node():
    with pytest.raises(ValueError, match="`cells` has 3 nodes, but `num_nodes` adds up to 4"):
        edge_scale(MIXED, torch.zeros(3, dtype=torch.int64), 4, 1.0)
