"""Every backbone passes every common check, and none can silently drop out."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
import torch
from torch import nn
from torch_geometric.nn import GCNConv, global_add_pool

from gmixup import backbones
from gmixup.backbones._base import AbstractNetwork, Features
from gmixup.backbones._layers import MaskedBatchNorm
from gmixup.testing.backbone import BACKBONE_CHECKS, check_backbone

EXAMPLES = [example for part in backbones.room.parts.values() for example in part.examples()]


@pytest.mark.parametrize("check", BACKBONE_CHECKS.values(), ids=BACKBONE_CHECKS.keys())
@pytest.mark.parametrize("backbone", EXAMPLES, ids=repr)
def test_check(backbone, check):
    check(backbone)


def test_every_file_of_the_room_holds_a_backbone():
    folder = Path(backbones.__file__).parent
    files = {file.stem for file in folder.glob("*.py") if not file.name.startswith("_")}
    homes = {part.__module__.rpartition(".")[2] for part in backbones.room.parts.values()}
    assert homes == files


def test_the_names_are_the_published_ones():
    expected = {"gcn", "gcn2", "gin", "top-k", "diff-pool", "min-cut", "gmt", "ogb-gcn", "ogb-gin"}
    assert set(backbones.room.names()) == expected


@pytest.mark.parametrize("part", backbones.room.parts.values(), ids=backbones.room.names())
def test_every_backbone_has_examples_of_its_own_kind(part):
    examples = list(part.examples())
    assert examples
    assert {type(example) for example in examples} == {part}


class Network(AbstractNetwork):
    """The mean over a node and its neighbours, with faults on demand."""

    def __init__(self, fault, inputs, outputs):
        super().__init__()
        self.fault, self.features = fault, Features(inputs)
        width = self.features.width
        self.first = nn.Linear(width, 16)
        self.second = nn.Linear(16, 16)
        self.norm = nn.BatchNorm1d(16) if fault == "norm" else MaskedBatchNorm(16)
        self.head = nn.Linear(16, 2 if fault == "outputs" else outputs)
        if fault == "seed":
            for parameter in self.parameters():
                nn.init.uniform_(parameter, generator=torch.Generator().manual_seed(5))
        if fault == "idle":
            self.idle = nn.Parameter(torch.zeros(1))

    def encode(self, batch):
        x = self.features(batch.x)
        if self.fault == "categories" and not batch.x.is_floating_point():
            x = x * torch.nan
        x = self.first(x + batch.neighbour_sum(x)).relu()
        if self.fault == "edges":
            x = x + replace(batch, edge_weight=None, adjacency=None).neighbour_sum(x)
        if self.fault == "order":
            x = x * torch.linspace(0, 1, len(x), dtype=x.dtype)[:, None]
        x = self.second(x)
        x = self.norm(x) if self.fault == "norm" else self.norm(x, batch.node_mask)
        if self.fault == "others":
            x = x - x.mean(0)
        if self.fault == "mean":
            return replace(batch, node_mask=None).graph_mean(x.relu())
        if self.fault == "division":
            return batch.graph_sum(x.relu()) / batch.degrees(x.dtype).sum()
        return batch.graph_mean(x.relu())

    def forward(self, batch):
        return super().forward(batch) * (2 if self.fault == "halves" else 1)


@dataclass(frozen=True)
class Faulty:
    fault: str = ""
    name: ClassVar[str] = "faulty"

    def build(self, inputs, outputs, edge_inputs=None):
        return Network(self.fault, inputs, outputs)


class Thawed:
    name = "Thawed"


FAULTS = {
    "outputs": ("gives_logits", r"gives \(7, 2\), not \(7, 3\)"),
    "halves": ("gives_logits", "apart when called as a whole"),
    "categories": ("takes_integer_features", "(?s)gives tensor.*for integer features"),
    "seed": ("starts_from_the_seed", "starts the same from another seed"),
    "order": ("ignores_how_nodes_are_numbered", "apart when relabelled"),
    "others": ("sees_each_graph_alone", "apart when alone"),
    "norm": ("ignores_padding", "apart when padded"),
    "mean": ("masks_are_removal", "apart when masked"),
    "edges": ("masks_are_removal", "apart when masked"),
    "idle": ("gradients_reach_every_parameter", "no gradient reaches `idle`"),
    "division": ("takes_small_graphs", "is lost on sizes"),
}


def test_a_sound_backbone_passes():
    check_backbone(Faulty())


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found(fault):
    check, words = FAULTS[fault]
    with pytest.raises(AssertionError, match=words):
        BACKBONE_CHECKS[check](Faulty(fault))


def test_a_network_that_cannot_learn_is_found():
    class Still(Network):
        def encode(self, batch):
            return 0 * super().encode(batch)

    @dataclass(frozen=True)
    class Stuck(Faulty):
        def build(self, inputs, outputs, edge_inputs=None):
            return Still("", inputs, outputs)

    with pytest.raises(AssertionError, match="has not learnt eight graphs after 100 steps"):
        BACKBONE_CHECKS["learns_eight_graphs_by_heart"](Stuck())
    with pytest.raises(AssertionError, match=r"the gradient of `first.weight` of .* is zero"):
        BACKBONE_CHECKS["gradients_reach_every_parameter"](Stuck())


def test_settings_must_be_frozen_and_named():
    with pytest.raises(AssertionError, match="Thawed is not a frozen dataclass"):
        check_backbone(Thawed())


def test_a_persons_own_network_passes():
    check_backbone(backbones.room.make(OwnNetwork))


class OwnNetwork(nn.Module):
    """Somebody's network, which knows of no masks."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.convolution = GCNConv(inputs, 16)
        self.head = nn.Linear(16, outputs)

    def forward(self, data):
        x = self.convolution(data.x.to(self.head.weight.dtype), data.edge_index).relu()
        return self.head(global_add_pool(x, data.batch, size=data.num_graphs))
