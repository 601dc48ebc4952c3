"""Joining: every node has an edge, drawn by the probabilities, and the total comes out right."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gmixup.sampling import sample_graphs
from gmixup.seeds import generator
from tests.strategies import step_functions


def degrees(sample):
    start = sample.num_nodes.cumsum(0) - sample.num_nodes
    row = sample.edge_index[0] + start.repeat_interleave(sample.num_edges)
    return torch.bincount(row, minlength=int(sample.num_nodes.sum()))


@given(step_functions(), st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(0, 99))
def test_only_a_node_alone_in_its_graph_stays_alone(edges, nodes, seed):
    sample = sample_graphs(edges * 0.1, torch.tensor(nodes), generator(seed), isolated="join")
    alone = (degrees(sample) == 0).long()
    assert int(alone.sum()) == nodes.count(1)
    local, owner = sample.edge_index, torch.arange(len(nodes)).repeat_interleave(sample.num_edges)
    assert (local[0] != local[1]).all()
    assert (local < sample.num_nodes[owner]).all()
    forward = {(g, i, j) for g, (i, j) in zip(owner.tolist(), local.T.tolist(), strict=True)}
    assert len(forward) == local.shape[1]
    assert all((g, j, i) in forward for g, i, j in forward)


def test_nothing_is_joined_where_nobody_is_alone():
    edges = torch.full((3, 3), 0.9, dtype=torch.float64)
    kept, joined = (
        sample_graphs(edges, torch.full((5,), 20), generator(1), isolated=how)
        for how in ("keep", "join")
    )
    assert torch.equal(kept.edge_index, joined.edge_index)


def test_partners_are_drawn_in_proportion_to_their_probabilities():
    # Nodes 1 and 2 are always joined, so that node 0 alone looks for a partner.
    edges = torch.tensor([[0.0, 1e-9, 3e-9], [1e-9, 0.0, 1.0], [3e-9, 1.0, 0.0]]).double()
    sample = sample_graphs(
        edges, torch.full((20_000,), 3), generator(2), isolated="join", positions="grid"
    )
    partner = sample.edge_index[1, sample.edge_index[0] == 0]
    assert len(partner) == 20_000
    # Five standard errors of a frequency.
    assert float((partner == 2).double().mean()) == pytest.approx(0.75, abs=0.016)


def test_where_all_is_impossible_partners_are_uniform():
    sample = sample_graphs(
        torch.zeros(2, 2).double(), torch.full((20_000,), 4), generator(3), isolated="join"
    )
    counts = torch.bincount(sample.edge_index[0] * 4 + sample.edge_index[1], minlength=16)
    shares = counts.view(4, 4) / counts.sum()
    assert (shares.diagonal() == 0).all()
    off = shares[~torch.eye(4, dtype=torch.bool)]
    assert off.tolist() == pytest.approx([1 / 12] * 12, abs=0.004)


def test_the_weights_of_a_free_choice():
    # One hub cell and a crowd: the only partner a node of the crowd can have is a hub.
    edges = torch.tensor([[0.0, 1e-6], [1e-6, 0.0]]).double()
    sample = sample_graphs(edges, torch.full((500,), 10), generator(4), isolated="join")
    start = sample.num_nodes.cumsum(0) - sample.num_nodes
    row, column = sample.edge_index + start.repeat_interleave(sample.num_edges)
    both = torch.bincount(torch.arange(500).repeat_interleave(10) * 2 + sample.cells)
    mixed = (both.view(500, 2) > 0).all(1).repeat_interleave(sample.num_edges)
    assert (sample.cells[row] != sample.cells[column])[mixed].all()


@pytest.mark.parametrize(("nodes", "target"), [(60, 70.0), (400, 470.0), (30, 120.0)])
def test_as_many_edges_as_asked_for(nodes, target):
    grid = (torch.arange(20).double() + 0.5) / 20
    edges = 0.5 * torch.exp(-3 * (grid[:, None] + grid[None]))
    sample = sample_graphs(
        edges, torch.full((400,), nodes), generator(5), isolated="join", target_edges=target
    )
    assert float(sample.num_edges.double().mean()) / 2 == pytest.approx(target, rel=0.03)
