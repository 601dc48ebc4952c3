"""The public checks of augmentations: every one finds the faults that it is there for."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from gmixup.augmentations import DropEdge, DropNode, ManifoldMixup, Resample
from gmixup.augmentations._base import AbstractAugmentation
from gmixup.batch import Masks
from gmixup.testing import AUGMENTATION_CHECKS, check_augmentation

HARMLESS = Resample(ratio=1.0), DropNode(0.5), ManifoldMixup()


@dataclass(frozen=True)
class Broken(AbstractAugmentation):
    """Acts at all three moments; each function does one fault to what came of one of them."""

    name: ClassVar[str] = "broken"

    graphs: Any = field(default=lambda given, larger: larger, compare=False)
    masks: Any = field(default=lambda batch, masks: masks, compare=False)
    hidden: Any = field(default=lambda given, mixed: mixed, compare=False)

    def on_training_set(self, graphs, generator):
        return self.graphs(graphs, HARMLESS[0].on_training_set(graphs, generator))

    def on_batch(self, batch, generator=None):
        return self.masks(batch, HARMLESS[1].on_batch(batch, generator))

    def on_hidden(self, hidden, y, generator=None):
        return self.hidden((hidden, y), HARMLESS[2].on_hidden(hidden, y, generator))

    def __reduce__(self):
        return Broken, ()


class Thawed:
    name: ClassVar[str] = "thawed"
    fresh = False


class TwoNames(Broken):
    name: ClassVar[str] = "Two_Names"

    def __reduce__(self):
        return TwoNames, ()


class Undecided(Broken):
    fresh = None

    def __reduce__(self):
        return Undecided, ()


@dataclass(frozen=True)
class BrokenTransform(DropEdge):
    """DropEdge whose graphs are spoilt, and its own graph with them where it forgets to copy."""

    spoil: Any = field(default=lambda data: data, compare=False)
    copies: bool = field(default=True, compare=False)

    def forward(self, data):
        return self.spoil(super().forward(data) if self.copies else data)

    def __reduce__(self):
        return BrokenTransform, ()


def changed(**changes):
    """Replaces fields of the larger set by what functions of the set give."""
    return lambda given, larger: replace(
        larger, **{name: change(larger) for name, change in changes.items()}
    )


def scribbled(name):
    def spoil(given, larger):
        value = getattr(given, name)
        if value is not None and value.numel():
            value.view(-1)[0] = value.view(-1)[-1]
        return larger

    return spoil


def one_edge_turned(graphs):
    """The first edge in its other direction, beside the one that has it already."""
    edges = graphs.edge_index.clone()
    edges[:, 0] = edges[:, 0].flip(0)
    return edges


def one_loop(graphs):
    edges = graphs.edge_index.clone()
    edges[1, 0] = edges[0, 0]
    return edges


def one_end_outside(graphs):
    edges = graphs.edge_index.clone()
    edges[:, -1] = int(graphs.num_nodes[-1])
    return edges


def first_entry(graphs):
    """Edge features that tell in which place they stand."""
    return None if graphs.edge_attr is None else graphs.edge_attr.flip(0)


def only(refused):
    def check(given, larger):
        assert not refused(given), "refused"
        return larger

    return check


def shifted(data):
    data.edge_index += 100
    return data


def drawn_from_numpy(given, larger):
    np.random.rand()  # noqa: NPY002
    return larger


def drawn_from_torch(batch, masks):
    torch.rand(1)
    return masks


def edges_zeroed(batch, masks):
    batch.edge_index.zero_()
    return masks


def labels_zeroed(given, mixed):
    given[1].zero_()
    return mixed


def masks(**changes):
    return lambda batch, given: replace(given, **{k: v(given) for k, v in changes.items()})


def rows(change):
    return lambda given, mixed: change(*mixed)


FAULTS = {
    "is_a_frozen_named_setting": [Thawed(), TwoNames(), Undecided()],
    "keeps_the_real_graphs": [
        Broken(graphs=lambda given, larger: larger.subset(range(len(larger) - 1, 0, -1))),
        Broken(graphs=lambda given, larger: larger.subset([0])),
        Broken(graphs=changed(y=lambda graphs: graphs.y.flip(1))),
    ],
    "holds_what_real_graphs_hold": [
        Broken(graphs=changed(x=lambda graphs: None if graphs.x is None else graphs.x.double())),
        Broken(graphs=changed(edge_attr=lambda graphs: None)),
        Broken(graphs=changed(explicit_num_nodes=lambda graphs: True)),
        Broken(graphs=changed(x=lambda graphs: torch.ones(graphs.node_count, 1))),
    ],
    "draws_simple_graphs": [
        Broken(graphs=changed(edge_index=one_edge_turned)),
        Broken(graphs=changed(edge_index=one_loop)),
        Broken(graphs=changed(edge_index=one_end_outside)),
        Broken(graphs=changed(edge_attr=first_entry)),
    ],
    "conserves_label_mass": [
        Broken(graphs=changed(y=lambda graphs: graphs.y / 2)),
        Broken(graphs=changed(y=lambda graphs: graphs.y.double())),
        Broken(graphs=changed(y=lambda graphs: graphs.y * 3 - 1)),
        Broken(graphs=changed(y=lambda graphs: graphs.y[:, :1])),
        Broken(graphs=changed(y=lambda graphs: graphs.labels() + 1)),
        Broken(graphs=changed(y=lambda graphs: None)),
    ],
    "takes_soft_labels": [
        Broken(graphs=changed(y=lambda graphs: graphs.y.round())),
    ],
    "takes_small_graphs": [
        Broken(graphs=only(lambda given: int(given.num_edges.min()) == 0)),
        Broken(graphs=only(lambda given: given.num_classes == 1)),
    ],
    "masks_fit_the_batch": [
        Broken(masks=lambda batch, given: given.node_keep),
        Broken(masks=masks(node_keep=lambda given: given.node_keep[1:])),
        Broken(masks=masks(edge_keep=lambda given: given.node_keep)),
        Broken(masks=masks(edge_keep=lambda given: given.edge_keep.float())),
    ],
    "masks_drop_whole_pairs": [
        Broken(masks=lambda batch, given: Masks(edge_keep=batch.edge_index[0] > 3)),
        Broken(masks=masks(edge_keep=lambda given: None)),
        Broken(masks=masks(edge_keep=lambda given: torch.ones_like(given.edge_keep))),
    ],
    "mixes_rows_with_their_labels": [
        Broken(hidden=rows(lambda hidden, y: (hidden[1:], y))),
        Broken(hidden=rows(lambda hidden, y: (hidden.double(), y))),
        Broken(hidden=rows(lambda hidden, y: (hidden, y * 2))),
        Broken(hidden=rows(lambda hidden, y: (hidden.detach().requires_grad_(), y))),
    ],
    "leaves_its_input_alone": [
        Broken(graphs=scribbled("edge_index")),
        Broken(graphs=scribbled("x")),
        Broken(masks=edges_zeroed),
        Broken(hidden=labels_zeroed),
    ],
    "is_decided_by_its_generator": [
        Broken(graphs=drawn_from_numpy),
        Broken(masks=drawn_from_torch),
        Broken(hidden=rows(lambda hidden, y: (hidden * torch.rand(1), y))),
    ],
    "is_a_transform_if_it_says_so": [
        BrokenTransform(spoil=lambda data: data.update({"x": data.x.double()})),
        BrokenTransform(spoil=shifted),
        BrokenTransform(spoil=shifted, copies=False),
    ],
}
CASES = [(check, part) for check, faults in FAULTS.items() for part in faults]


def test_every_check_has_a_fault_that_it_finds():
    assert list(FAULTS) == list(AUGMENTATION_CHECKS)


@pytest.mark.parametrize(("check", "part"), CASES, ids=[check for check, _ in CASES])
def test_a_fault_is_found(check, part):
    with pytest.raises(AssertionError):
        AUGMENTATION_CHECKS[check](part)


def test_good_ones_pass_and_a_faulty_one_is_told_why():
    for part in (Broken(), BrokenTransform()):
        check_augmentation(part)
    with pytest.raises(AssertionError, match=r"`y` of .* labels must sum to one"):
        check_augmentation(Broken(graphs=changed(y=lambda graphs: graphs.y / 2)))
