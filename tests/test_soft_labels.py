"""The transform that turns classes into label weights."""

import pytest
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from gmixup.soft_labels import SoftLabels, soft_labels


@pytest.mark.parametrize("y", [torch.tensor(2), torch.tensor([2]), torch.tensor([[2]]), 2, 2.0])
def test_a_class_becomes_weights(y):
    data = Data(num_nodes=1, y=y)
    soft = SoftLabels(4)(data)
    assert soft.y.tolist() == [[0.0, 0.0, 1.0, 0.0]]
    assert soft.y.dtype == torch.float32
    assert data.y is y


def test_weights_stay_and_go_through_one_loader_with_classes():
    graphs = [
        Data(num_nodes=1, y=torch.tensor([1])),
        Data(num_nodes=1, y=torch.tensor([[0.3, 0.7]])),
    ]
    batch = next(iter(DataLoader([SoftLabels(2)(graph) for graph in graphs], batch_size=2)))
    assert torch.equal(batch.y, torch.tensor([[0.0, 1.0], [0.3, 0.7]]))


def test_many_classes_at_once():
    assert torch.equal(soft_labels(torch.tensor([1, 0]), 2), torch.tensor([[0.0, 1.0], [1.0, 0.0]]))


@pytest.mark.parametrize("y", [torch.tensor([3]), torch.tensor([-1]), torch.tensor([0.5])])
def test_what_is_no_class_is_refused(y):
    with pytest.raises(ValueError, match=r"`y` is .*; it must be a class 0, \.\.\., 2, or 3 label"):
        SoftLabels(3)(Data(num_nodes=1, y=y))


def test_a_graph_without_label_is_refused():
    with pytest.raises(ValueError, match="`data` has no `y`; SoftLabels needs a class"):
        SoftLabels(3)(Data(num_nodes=1))


def test_no_class_is_refused():
    with pytest.raises(ValueError, match="`num_classes` is 0; it must be at least 1"):
        SoftLabels(0)


@pytest.mark.parametrize("y", [torch.tensor([[0, 1]]), torch.tensor([0.0, 1.0])])
def test_weights_that_look_like_two_classes_are_refused(y):
    with pytest.raises(ValueError, match=r"a graph has one class, or label weights \(1, 2\)"):
        SoftLabels(2)(Data(num_nodes=1, y=y))


def test_a_batch_has_a_label_for_each_graph():
    batch = Batch.from_data_list([Data(num_nodes=1, y=torch.tensor([k])) for k in (0, 1)])
    assert SoftLabels(2)(batch).y.tolist() == [[1.0, 0.0], [0.0, 1.0]]
