"""GraphSet: from and to every form, and the input rules in their words."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from torch_geometric.data import Batch, Data, InMemoryDataset

from gmixup import GraphSet
from tests.strategies import adjacencies, as_data, featured


class InMemory(InMemoryDataset):
    def __init__(self, graphs):
        super().__init__()
        self.data, self.slices = self.collate(graphs)


def same(first, second):
    """Whether two sets hold the same tensors."""
    for name in ("num_nodes", "num_edges", "edge_index", "x", "edge_attr", "y"):
        a, b = getattr(first, name), getattr(second, name)
        if (a is None) != (b is None) or (a is not None and not torch.equal(a, b)):
            return False
    return True


@given(adjacencies())
def test_every_form_gives_the_same_set(matrices):
    dense = GraphSet.of(matrices)
    assert same(dense, GraphSet.of([sp.csr_matrix(m) for m in matrices]))
    assert same(dense, GraphSet.of([nx.from_numpy_array(m) for m in matrices]))
    assert same(dense, GraphSet.of([as_data(m) for m in matrices]))
    assert same(dense, GraphSet.of(InMemory([as_data(m) for m in matrices])))
    assert same(dense, GraphSet.of([torch.from_numpy(m) for m in matrices]))


@given(adjacencies())
def test_what_goes_in_comes_out(matrices):
    graphs = GraphSet.of(matrices)
    for matrix, back in zip(matrices, graphs.to_scipy(), strict=True):
        assert np.array_equal(matrix, back.toarray())
    for matrix, data in zip(matrices, graphs.to_pyg(), strict=True):
        assert data.num_nodes == len(matrix)
        assert np.array_equal(np.stack(np.nonzero(matrix)), data.edge_index)
    for matrix, graph in zip(matrices, graphs.to_networkx(), strict=True):
        assert nx.utils.graphs_equal(nx.from_numpy_array(matrix, edge_attr=None), graph) or (
            set(graph.edges) == set(nx.from_numpy_array(matrix).edges) and len(graph) == len(matrix)
        )


@given(adjacencies())
def test_degrees_sizes_and_densities(matrices):
    graphs = GraphSet.of(matrices)
    assert graphs.degrees().tolist() == [int(d) for m in matrices for d in m.sum(1)]
    assert graphs.sizes().tolist() == [[len(m), int(m.sum() / 2)] for m in matrices]
    expected = [m.sum() / max(len(m) * (len(m) - 1), 1) for m in matrices]
    assert graphs.densities().tolist() == pytest.approx(expected)


@given(adjacencies(most_graphs=4))
def test_saved_and_loaded_and_joined(matrices):
    import tempfile
    from pathlib import Path

    graphs = GraphSet.of(matrices)
    with tempfile.TemporaryDirectory() as folder:
        graphs.save(Path(folder) / "graphs.npz")
        assert same(graphs, GraphSet.load(Path(folder) / "graphs.npz"))
    assert same(graphs, GraphSet.joined([graphs.subset([i]) for i in range(len(graphs))]))


def test_features_labels_and_keys_survive(tmp_path):
    data = featured()
    graphs = GraphSet.of(data)
    graphs.save(tmp_path / "graphs")
    for original, back in zip(data, GraphSet.load(tmp_path / "graphs"), strict=True):
        assert set(original.keys()) == set(back.keys())
        for key in original.keys():  # noqa: SIM118 (PyG's Data iterates over pairs)
            assert torch.equal(original[key], back[key])
            assert original[key].dtype == back[key].dtype


def test_a_subset_of_a_dataset_is_the_subset_of_the_set():
    dataset = InMemory(featured(count=9))
    index = torch.tensor([7, 2, 2, 0])
    assert same(GraphSet.of(dataset[index]), GraphSet.of(dataset).subset(index))
    assert same(GraphSet.of(dataset).subset([7, 2, 2, 0]), GraphSet.of([dataset[i] for i in index]))
    mask = torch.arange(9) % 2 == 0
    assert same(GraphSet.of(dataset).subset(mask), GraphSet.of(dataset).subset([0, 2, 4, 6, 8]))


def test_a_dataset_with_a_transform_is_read_through_it():
    dataset = InMemory(featured())
    dataset.transform = lambda data: Data(edge_index=data.edge_index, num_nodes=50)
    assert GraphSet.of(dataset).num_nodes.tolist() == [50] * 6


def test_self_loops_go_duplicates_merge_and_isolated_nodes_stay():
    edges = torch.tensor([[1, 0, 0, 1, 2, 0], [0, 1, 1, 0, 2, 0]])
    data = Data(edge_index=edges, num_nodes=5, edge_attr=torch.arange(6))
    graphs = GraphSet.of([data])
    assert graphs.edge_index.tolist() == [[0, 1], [1, 0]]
    assert graphs.edge_attr.tolist() == [1, 0]  # the first one's features
    assert graphs.num_nodes.tolist() == [5]
    assert torch.equal(data.edge_index, edges)


def test_directed_input_raises_or_is_mended_as_asked():
    data = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3, edge_attr=torch.arange(2))
    with pytest.raises(ValueError, match=r'directed .* pass `directed="symmetrise"`'):
        GraphSet.of([data])
    graphs = GraphSet.of([data], directed="symmetrise")
    assert graphs.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert graphs.edge_attr.tolist() == [0, 0, 1, 1]
    assert GraphSet.of([data], directed="as-is").edge_index.tolist() == [[0, 1], [1, 2]]
    with pytest.raises(ValueError, match="`directed` is 'yes'; it is one of"):
        GraphSet.of([data], directed="yes")


def test_weights_raise_or_are_binarised_as_asked():
    matrix = np.array([[0, 0.5, 0], [0.5, 0, 1], [0, 1, 0]])
    with pytest.raises(ValueError, match=r'weights other than 0 and 1.*`weights="binarise"`'):
        GraphSet.of([matrix])
    assert GraphSet.of([matrix], weights="binarise").num_edges.tolist() == [4]
    stored_zero = sp.csr_matrix(([1.0, 1.0, 0.0], ([0, 1, 0], [1, 0, 2])), shape=(3, 3))
    assert GraphSet.of([stored_zero]).num_edges.tolist() == [2]
    assert stored_zero.nnz == 3
    with pytest.raises(ValueError, match="NaN or infinite"):
        GraphSet.of([np.array([[0, np.nan], [np.nan, 0]])])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "`data` holds no graph"),
        ("IMDB-BINARY", "`data` is a str|holds str"),
        (7, "`data` is a int; give a list of PyG Data"),
        ([np.eye(2), nx.path_graph(2)], "all of one kind"),
        ([np.ones((2, 3))], "ndarray; give|2 x 3"),
        ([sp.csr_matrix((2, 3))], "matrix 0 is 2 x 3; adjacency is square"),
        (
            [Data(edge_index=torch.tensor([[0], [5]]), num_nodes=3)],
            r"graph 0 has the edge \(0, 5\)",
        ),
        (
            [Data(edge_index=torch.tensor([[-1], [0]]), num_nodes=3)],
            r"must lie in \[0, num_nodes\)",
        ),
        ([Data(edge_index=torch.zeros(3, 2), num_nodes=3)], r"`edge_index` has shape \(3, 2\)"),
        ([Data(x=torch.tensor([[float("nan")]]))], "`x` holds NaN"),
        ([Data(x=torch.ones(2, 1)), Data(x=torch.ones(2, 3))], "`x` has more than one width"),
        ([Data(x=torch.ones(2, 1)), Data(num_nodes=2)], "`x` is given for 1 of 2 graphs"),
        ([Data(x=torch.ones(2), num_nodes=2)], r"`x` has shape \(2,\)"),
        ([Data(x=torch.ones(3, 1), num_nodes=2)], "`x` has 3 rows; 2 are needed"),
        ([Data(num_nodes=2, y=torch.tensor([-1]))], "`y` holds the class -1"),
        (
            [Data(num_nodes=2, edge_index=torch.zeros(2, 1).long(), edge_attr=torch.ones(1, 1, 2))],
            r"`edge_attr` has shape \(1, 1, 2\); give \(E,\) or \(E, width\)",
        ),
        ([Data(num_nodes=2, y=torch.tensor([float("nan")]))], "`y` holds NaN"),
    ],
)
def test_malformed_input_is_refused_in_words(data, words):
    with pytest.raises(ValueError, match=words):
        GraphSet.of(data)


def test_nodes_that_nobody_counted_are_warned_about():
    with pytest.warns(UserWarning, match="1 graphs state no `num_nodes`"):
        graphs = GraphSet.of([Data(edge_index=torch.tensor([[0, 3], [3, 0]]))])
    assert graphs.num_nodes.tolist() == [4]


def test_labels_hard_and_soft():
    graphs = GraphSet.of(featured())
    assert graphs.num_classes == 2
    assert graphs.soft_labels().tolist() == [[1, 0], [0, 1]] * 3
    assert [len(part) for part in graphs.by_class().values()] == [3, 3]
    assert graphs.subset([0, 2]).num_classes == 2
    with pytest.raises(ValueError, match="no graph has class 1 of 2"):
        graphs.subset([0, 2]).by_class()
    soft = [Data(num_nodes=1, y=torch.tensor([[0.3, 0.7]])) for _ in range(2)]
    assert GraphSet.of(soft).labels().tolist() == [1, 1]
    assert GraphSet.of([Data(num_nodes=1, y=torch.tensor([2.0]))]).labels().tolist() == [2]
    with pytest.raises(ValueError, match="no class labels"):
        _ = GraphSet.of([Data(num_nodes=1)]).num_classes


def test_editing_a_returned_graph_leaves_the_set_alone():
    graphs = GraphSet.of(featured())
    before = graphs.x.clone()
    graphs[0].x.zero_()
    assert torch.equal(graphs.x, before)


def test_joining_unlike_sets_is_refused():
    with pytest.raises(ValueError, match="`x` differs in kind"):
        GraphSet.joined([GraphSet.of(featured()), GraphSet.of([np.ones((2, 2))])])


def test_joining_directed_and_undirected_sets_is_refused():
    one_way = GraphSet.of([np.triu(np.ones((3, 3)))], directed="as-is")
    with pytest.raises(ValueError, match="some of the sets are directed"):
        GraphSet.joined([GraphSet.of([np.ones((2, 2))]), one_way])


def test_joining_features_of_unequal_width_is_refused():
    narrow, wide = (GraphSet.of([Data(x=torch.ones(2, width))]) for width in (1, 3))
    with pytest.raises(ValueError, match="`x` differs in kind"):
        GraphSet.joined([narrow, wide])


def test_a_batch_is_its_graphs_and_not_one_large_graph():
    data = featured()
    assert same(GraphSet.of(Batch.from_data_list(data)), GraphSet.of(data))
    with pytest.raises(ValueError, match="batches of graphs; give their graphs, `to_data_list"):
        GraphSet.of([Batch.from_data_list(data)])


def test_tensors_with_gradients_are_taken_as_they_are():
    edges = torch.tensor([[0, 1], [1, 0]])
    graphs = GraphSet.of([Data(edge_index=edges, x=torch.ones(2, 3, requires_grad=True))])
    assert not graphs.x.requires_grad


def test_a_directed_set_is_symmetrised_when_asked():
    data = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 2]]), edge_attr=torch.arange(3))
    data.num_nodes, data.y = 3, torch.tensor([1])
    kept = GraphSet.of([data], directed="as-is")
    assert GraphSet.of(kept) is kept
    mended = GraphSet.of(kept, directed="symmetrise")
    assert same(mended, GraphSet.of([data], directed="symmetrise"))
    assert not mended.directed


@pytest.mark.filterwarnings("error")
def test_any_index_is_taken_and_a_mask_has_one_entry_for_each_graph():
    with pytest.raises(ValueError, match="`index` is a mask of 2 for 6 graphs"):
        GraphSet.of(featured()).subset([True, False])
    graphs, fixed = GraphSet.of(featured()), np.array([5, 0])
    fixed.flags.writeable = False
    for index in (fixed, fixed.tolist(), torch.tensor([5, 0]), range(5, -1, -5)):
        assert same(graphs.subset(index), graphs.subset([-1, 0]))


def test_identifiers_are_no_classes():
    graphs = GraphSet.of([Data(num_nodes=1, y=torch.tensor([y])) for y in (0, 10**9)])
    for question in (graphs.by_class, graphs.soft_labels):
        with pytest.raises(ValueError, match=r"holds the class 1000000000; .* renumber them"):
            question()
