"""OGB's layout: read as the ogb package reads it."""

import gzip
import re
from dataclasses import replace

import pytest
import torch
from torch_geometric.data import Data

from gmixup import GMixup, GraphSet
from gmixup.datasets import fingerprint, load, ogb
from gmixup.datasets._collated import graph_set
from gmixup.seeds import generator
from tests.real_data import real, real_folder
from tests.text_sets import write_ogb


def test_ogb_edges_get_their_other_direction(tmp_path):
    graphs = load(write_ogb(tmp_path))
    assert graphs.num_nodes.tolist() == [4, 2]
    assert graphs.edge_index.tolist() == [[0, 1, 1, 2, 0, 1], [1, 0, 2, 1, 1, 0]]
    assert graphs.edge_attr.flatten().tolist() == [1, 1, 2, 2, 3, 3]
    assert graphs.x.tolist() == [[5, 0], [6, 0], [7, 1], [8, 1], [5, 0], [6, 1]]
    assert graphs.y.tolist() == [1, 0]
    assert load(write_ogb(tmp_path / "floats", edge_feat="1\n2.5\n3\n")).edge_attr.dtype


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"graph_label": "nan\n0\n"}, "lacks the labels of some graphs (NaN)"),
        ({"graph_label": '""\n0\n'}, "holds something other than numbers"),
        ({"graph_label": "\n0\n"}, "lacks the labels of some graphs (NaN)"),
        ({"graph_label": "0,1\n0,\n"}, "has 2 labels a graph; a graph has one class"),
    ],
)
def test_labels_that_ogb_lacks_are_an_error(tmp_path, change, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        load(write_ogb(tmp_path, **change))


def test_a_missing_csv_file_is_named(tmp_path):
    (write_ogb(tmp_path) / "raw" / "graph-label.csv.gz").unlink()
    with pytest.raises(ValueError, match=r"raw lacks graph-label \(.csv.gz\); add it"):
        load(tmp_path)


def test_ogb_sets_are_what_the_ogb_package_reads():
    folder = real_folder("ogbg-molbace")
    read_graph_raw = pytest.importorskip("ogb.io.read_graph_raw", reason="pip install ogb")
    raw = read_graph_raw.read_csv_graph_raw(str(folder / "raw"), add_inverse_edge=True)
    theirs = GraphSet.of(
        [
            Data(
                x=torch.from_numpy(graph["node_feat"]),
                edge_index=torch.from_numpy(graph["edge_index"]),
                edge_attr=torch.from_numpy(graph["edge_feat"]),
                num_nodes=graph["num_nodes"],
            )
            for graph in raw
        ]
    )
    ours = graph_set(ogb.read_ogb(folder))
    assert fingerprint(replace(ours, y=None)) == fingerprint(theirs)
    assert ours.x.dtype == ours.edge_attr.dtype == ours.y.dtype == torch.int64
    labels = gzip.decompress((folder / "raw" / "graph-label.csv.gz").read_bytes()).split()
    assert ours.y.tolist() == [int(label) for label in labels]


@pytest.mark.parametrize("settings", [{}, {"estimator": "vem"}], ids=["default", "vem"])
def test_augmented_molecules_have_columns_that_ogb_knows(settings):
    graphs = real("ogbg-molbace")
    larger = GMixup(**settings).on_training_set(graphs, generator(0, "ogb"))
    drawn = larger.subset(range(len(graphs), len(larger)))
    assert len(drawn) == round(0.2 * len(graphs))
    for mine, theirs in ((drawn.x, graphs.x), (drawn.edge_attr, graphs.edge_attr)):
        assert mine.dtype == theirs.dtype == torch.int64
        for column, known in zip(mine.T, theirs.T, strict=True):
            assert torch.isin(column, known.unique()).all()
