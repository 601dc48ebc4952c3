"""The saved form of graphs: plain tensors, a PyG dataset, no pickled objects."""

import re

import numpy as np
import pytest
import torch
from torch_geometric.data import InMemoryDataset
from torch_geometric.loader import DataLoader

from gmixup import GraphSet, datasets
from gmixup.datasets import fingerprint, load, save_graphs
from tests.strategies import featured
from tests.text_sets import soft


def test_the_saved_form_is_plain_tensors_and_a_pyg_dataset(tmp_path):
    graphs = soft(GraphSet.of(featured()))
    file = save_graphs(graphs, tmp_path / "mine")
    assert file == tmp_path / "mine" / "graphs.pt"
    assert [entry.name for entry in file.parent.iterdir()] == ["graphs.pt"]
    store, slices = torch.load(file, weights_only=True)
    assert set(store) == {"x", "edge_index", "edge_attr", "y"} == set(slices)
    dataset = datasets.GraphFolder(file.parent, transform=lambda data: data)
    assert isinstance(dataset, InMemoryDataset)
    for ours, theirs in zip(graphs, dataset, strict=True):
        assert set(ours.keys()) == set(theirs.keys())
        assert all(torch.equal(ours[key], theirs[key]) for key in store)
    batch = next(iter(DataLoader(dataset, batch_size=len(dataset))))
    assert torch.equal(batch.y, graphs.y)
    assert fingerprint(load(file)) == fingerprint(load(tmp_path / "mine")) == fingerprint(graphs)


def test_isolated_nodes_survive_the_saved_form(tmp_path):
    save_graphs([np.zeros((3, 3)), np.zeros((1, 1))], tmp_path / "alone.pt")
    dataset = datasets.GraphFolder(tmp_path / "alone.pt")
    assert [data.num_nodes for data in dataset] == [3, 1]


def test_what_pyg_users_save_by_hand_is_read(tmp_path):
    graphs = featured()
    data, slices = InMemoryDataset.collate(graphs)
    torch.save((data.to_dict(), slices), tmp_path / "set.pt")
    InMemoryDataset.save(graphs, str(tmp_path / "third.pt"))
    for file in ("set.pt", "third.pt"):
        assert fingerprint(load(tmp_path / file)) == fingerprint(GraphSet.of(graphs))


def test_a_pickled_list_is_refused_with_the_line_that_converts_it(tmp_path):
    graphs = featured()
    torch.save(graphs, tmp_path / "list.pt")
    with pytest.raises(ValueError, match="can run any code when it is loaded") as refusal:
        load(tmp_path / "list.pt")
    exec(re.search(r'python -c "(.*)"$', str(refusal.value))[1], {})
    assert fingerprint(load(tmp_path / "list.pt")) == fingerprint(GraphSet.of(graphs))


def test_graph_folder_says_where_it_found_nothing(tmp_path):
    with pytest.raises(ValueError, match="where no saved set of graphs is; give the"):
        datasets.GraphFolder(tmp_path)


def test_a_graph_set_of_our_own_is_read(tmp_path):
    graphs = GraphSet.of(featured())
    graphs.save(tmp_path / "set.npz")
    assert fingerprint(load(tmp_path / "set.npz")) == fingerprint(graphs)
