"""TU text: read as PyG reads it, written so that it comes back."""

import re
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from torch_geometric.datasets import TUDataset

from gmixup import GraphSet
from gmixup.datasets import fingerprint, load, save_graphs, save_tu, tu
from gmixup.datasets._collated import graph_set
from tests.real_data import real_folder
from tests.strategies import adjacencies, featured
from tests.text_sets import SMALL, labelled, soft, write


def test_tu_text_is_read_by_the_input_rules(tmp_path):
    graphs = load(write(tmp_path, "small", **SMALL))
    assert graphs.num_nodes.tolist() == [3, 2]  # an isolated node, and its self-loop dropped
    assert graphs.num_edges.tolist() == [2, 2]  # listed twice
    assert graphs.y.tolist() == [1, 0]
    assert "num_nodes" in graphs[0]


def test_tu_text_in_any_order_of_lines(tmp_path):
    folder = write(
        tmp_path / "set" / "raw",
        "set",
        A="4, 5\n1, 2\n5, 4\n2, 1\n2, 3\n3, 2\n",
        graph_indicator="1\n1\n1\n2\n2\n",
        graph_labels="7\n7\n",
        node_labels="5\n3\n5\n4\n3\n",
        edge_labels="2\n1\n2\n1\n0\n0\n",
        node_attributes="0.5, 1\n1.5, 1\n2.5, 1\n3.5, 1\n4.5, 1e-3\n",
    )
    theirs = GraphSet.of(TUDataset(str(tmp_path), "set"))
    assert fingerprint(graph_set(tu.read_tu(folder.parent))) == fingerprint(theirs)
    complete = load(folder.parent)
    assert torch.equal(complete.x[:, 2:], theirs.x)
    assert complete.x[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert load("set", tmp_path).x.shape == (5, 3)


@given(adjacencies(most_graphs=4))
def test_graphs_come_back_from_tu_text_and_from_the_saved_form(tmp_path_factory, matrices):
    folder = tmp_path_factory.mktemp("graphs")
    graphs = labelled(matrices)
    assert fingerprint(load(save_tu(graphs, folder / "text"))) == fingerprint(graphs)
    assert fingerprint(load(save_graphs(graphs, folder))) == fingerprint(graphs)


@pytest.mark.parametrize(
    "change",
    [
        lambda g: replace(g, edge_attr=None),
        lambda g: replace(g, edge_attr=torch.randn(g.edge_count, 2)),
        lambda g: replace(soft(g), x=torch.randn(g.node_count, 3), edge_attr=None),
        lambda g: replace(g, x=torch.cat([torch.randn(g.node_count, 2), g.x], 1), edge_attr=None),
    ],
    ids=["one-hot x", "numbers on edges", "soft labels", "numbers before one-hot"],
)
def test_features_and_labels_come_back_from_tu_text(tmp_path, change):
    graphs = change(GraphSet.of(featured()))
    assert fingerprint(load(save_tu(graphs, tmp_path / "set"))) == fingerprint(graphs)


def test_saved_tu_text_is_read_by_pyg(tmp_path):
    graphs = soft(GraphSet.of(featured()))
    save_tu(graphs, tmp_path / "mixed")
    theirs = GraphSet.of(TUDataset(str(tmp_path), "mixed"))
    assert torch.equal(theirs.edge_index, graphs.edge_index)
    assert torch.equal(theirs.x, graphs.x)
    assert torch.equal(theirs.y, graphs.labels().unique(return_inverse=True)[1])
    # Integer columns are categories: one-hot each, as the format has it.
    widths = [len(column.unique()) for column in graphs.edge_attr.T]
    assert theirs.edge_attr.shape[1] == sum(widths)
    assert bool((theirs.edge_attr.sum(1) == len(widths)).all())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"A": "1, 2\n2, x\n"}, "small_A.txt holds something other than whole numbers"),
        ({"A": "1, 2\n2\n"}, "small_A.txt holds 3 numbers in lines of 2"),
        ({"A": "1, 9\n9, 1\n"}, "speaks of nodes 1 to 9 but there are 5, numbered from 1"),
        ({"A": "1, 2\n2, 1\n1, 4\n4, 1\n"}, "line 3 of "),
        (
            {"A": "1, 2\n"},
            "the graphs are directed (an edge is listed in one direction only); pass",
        ),
        ({"graph_indicator": "1\n2\n1\n2\n2\n"}, "is not in ascending order from 1; list the"),
        ({"graph_labels": "1, 0\n0, 1\n"}, "has 2 labels a graph; a graph has one class"),
        ({"node_labels": "1\n2\n"}, "have 2 lines; 5 are needed, one for each node"),
    ],
)
def test_faults_in_tu_text_are_named(tmp_path, change, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        load(write(tmp_path, "small", **(SMALL | change)))


def test_directed_text_is_symmetrised_when_asked(tmp_path):
    folder = write(tmp_path, "small", **(SMALL | {"A": "1, 2\n4, 5\n"}))
    assert load(folder, directed="symmetrise").num_edges.tolist() == [2, 2]


def test_two_sets_in_one_folder_and_half_a_set_are_refused(tmp_path):
    write(tmp_path / "two", "first", **SMALL)
    with pytest.raises(ValueError, match=r"more than one data set \(first_A.txt, second_A.txt\)"):
        load(write(tmp_path / "two", "second", **SMALL))
    with pytest.raises(ValueError, match="lacks NAME_A"):
        load(write(tmp_path / "half", "half", A=SMALL["A"]))


@pytest.mark.parametrize("name", ["MUTAG", "PROTEINS", "IMDB-BINARY"])
def test_tu_sets_are_what_pyg_reads(name, tmp_path):
    folder = real_folder(name)
    (tmp_path / name).mkdir()
    (tmp_path / name / "raw").symlink_to((folder / "raw").resolve(), target_is_directory=True)
    theirs = GraphSet.of(TUDataset(str(tmp_path), name))
    ours = graph_set(tu.read_tu(folder))
    assert fingerprint(ours) == fingerprint(theirs)
    assert ours.explicit_num_nodes == theirs.explicit_num_nodes
    assert ours[0].keys() == theirs[0].keys()
