"""Corruption: as much as was asked for, anywhere alike, and nothing else touched."""

import re
from collections import Counter
from dataclasses import replace
from itertools import chain

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gmixup import GraphSet
from gmixup.datasets import add_edges, corrupt_labels, fingerprint, remove_edges
from gmixup.datasets.corruption import _distinct, _nth_missing
from tests.reference.corruption import all_pairs, edge_set, missing_pairs
from tests.strategies import adjacencies, featured

EMPTY = torch.zeros(1, 1)
ratios = st.sampled_from([0.0, 0.1, 0.4, 0.5, 1.0])
seeds = st.integers(0, 2**31)


def sound(graphs):
    """Whether a set survives the input rules as it is: sorted, simple, in both directions."""
    return fingerprint(GraphSet.of(graphs.to_pyg())) == fingerprint(graphs)


@given(adjacencies(), ratios, seeds)
def test_removing_leaves_a_part_of_the_edges(matrices, ratio, seed):
    graphs = GraphSet.of(matrices)
    before = fingerprint(graphs)
    for old, new in zip(graphs, remove_edges(graphs, ratio, seed), strict=True):
        count = len(edge_set(old))
        assert edge_set(new) <= edge_set(old)
        assert len(edge_set(new)) == count - round(ratio * count)
    assert sound(remove_edges(graphs, ratio, seed))
    assert fingerprint(graphs) == before


@given(adjacencies(), ratios, seeds)
def test_adding_joins_pairs_that_were_not_joined(matrices, ratio, seed):
    graphs = GraphSet.of(matrices)
    for old, new in zip(graphs, add_edges(graphs, ratio, seed), strict=True):
        count, room = len(edge_set(old)), len(missing_pairs(old))
        assert edge_set(old) <= edge_set(new) <= all_pairs(old)
        assert len(edge_set(new)) == count + min(round(ratio * count), room)
    assert sound(add_edges(graphs, ratio, seed))


@given(adjacencies())
def test_missing_pairs_are_numbered_row_by_row(matrices):
    graphs = GraphSet.of(matrices)
    expected = [missing_pairs(data) for data in graphs]
    owner = torch.tensor([g for g, pairs in enumerate(expected) for _ in pairs], dtype=torch.long)
    number = torch.tensor([n for pairs in expected for n in range(len(pairs))], dtype=torch.long)
    row, column = _nth_missing(graphs, owner, number)
    assert list(zip(row.tolist(), column.tolist(), strict=True)) == [*chain(*expected)]


def test_places_of_large_graphs_are_exact():
    nodes = 200_000
    graphs = GraphSet.of([EMPTY])
    graphs = replace(graphs, num_nodes=torch.tensor([nodes]))
    for row in (nodes - 1, nodes - 2, 1):
        for column in (0, row - 1):
            place = torch.tensor([row * (row - 1) // 2 + column])
            found = _nth_missing(graphs, torch.tensor([0]), place)
            assert [int(end) for end in found] == [row, column]


@pytest.mark.parametrize(("total", "count"), [(6, 2), (20, 2), (5, 4)])
def test_any_distinct_numbers_are_as_likely_as_any_others(total, count):
    repeats = 6000
    generator = torch.Generator().manual_seed(0)
    totals, counts = torch.full((repeats,), total), torch.full((repeats,), count)
    owner, number = _distinct(totals, counts, generator)
    order = owner.argsort(stable=True)
    sets = number[order].reshape(repeats, count).sort(1).values
    seen = Counter(map(tuple, sets.tolist()))
    combinations = torch.combinations(torch.arange(total), count)
    expected = repeats / len(combinations)
    # Chi-squared with c - 1 degrees of freedom: mean c - 1, sd √(2 (c - 1)).
    freedom = len(combinations) - 1
    counted = torch.tensor([seen[tuple(one)] for one in combinations.tolist()]).double()
    statistic = float(((counted - expected) ** 2 / expected).sum())
    assert abs(statistic - freedom) < 5 * (2 * freedom) ** 0.5


def test_features_follow_their_edges():
    graphs = GraphSet.of(featured(count=12))
    known = {
        (place, *edge): tuple(attr)
        for place, data in enumerate(graphs)
        for edge, attr in zip(data.edge_index.T.tolist(), data.edge_attr.tolist(), strict=True)
    }
    for place, data in enumerate(remove_edges(graphs, 0.4, 0)):
        for edge, attr in zip(data.edge_index.T.tolist(), data.edge_attr.tolist(), strict=True):
            assert known[place, *edge] == tuple(attr)
    for place, data in enumerate(add_edges(graphs, 0.4, 0)):
        own = {attr for (graph, *_), attr in known.items() if graph == place}
        listed = dict(zip(map(tuple, data.edge_index.T.tolist()), data.edge_attr, strict=True))
        for (row, column), attr in listed.items():
            assert known.get((place, row, column), tuple(attr.tolist())) == tuple(attr.tolist())
            assert tuple(attr.tolist()) in own
            assert torch.equal(attr, listed[column, row])
    assert add_edges(graphs, 0.4, 0).edge_attr.dtype == graphs.edge_attr.dtype


@given(st.integers(2, 5), st.integers(1, 40), ratios, seeds)
def test_so_many_labels_become_another_class(classes, count, ratio, seed):
    y = torch.arange(count) % classes
    graphs = replace(GraphSet.of([EMPTY] * count), y=y, classes=classes)
    corrupted = corrupt_labels(graphs, ratio, seed)
    assert int((corrupted.y != y).sum()) == round(ratio * count)
    assert 0 <= int(corrupted.y.min()) <= int(corrupted.y.max()) < classes
    assert corrupted.num_classes == classes
    assert torch.equal(graphs.y, torch.arange(count) % classes)


def test_any_other_class_is_as_likely():
    count = 9000
    graphs = replace(GraphSet.of([EMPTY] * count), y=torch.zeros(count).long(), classes=4)
    seen = torch.bincount(corrupt_labels(graphs, 1, 0).y, minlength=4)
    assert seen[0] == 0
    assert float((seen[1:] - 3000).abs().max()) < 5 * 45


@pytest.mark.parametrize("corrupt", [corrupt_labels, remove_edges, add_edges])
def test_a_seed_decides_everything(corrupt):
    graphs = GraphSet.of(featured(count=12))
    assert fingerprint(corrupt(graphs, 0.4, 7)) == fingerprint(corrupt(graphs, 0.4, 7))
    others = {fingerprint(corrupt(graphs, 0.4, seed)) for seed in range(5)}
    assert len(others) > 1
    generator = torch.Generator().manual_seed(0)
    assert fingerprint(corrupt(graphs, 0.4, generator)) != fingerprint(graphs)


@pytest.mark.parametrize("corrupt", [add_edges, remove_edges])
def test_no_graphs_have_nothing_to_lose(corrupt):
    nothing = GraphSet.of([torch.tensor([[0, 1], [1, 0]]).numpy()]).subset([])
    assert len(corrupt(nothing, 0.5, seed=0)) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g: corrupt_labels(g, 1.5, 0), "`ratio` is 1.5; it must lie in [0, 1]"),
        (lambda g: remove_edges(g, -0.1, 0), "`ratio` is -0.1; it must lie in [0, 1]"),
        (lambda g: corrupt_labels(replace(g, y=g.soft_labels()), 0.1, 0), "has soft labels"),
        (lambda g: corrupt_labels(replace(g, y=g.y * 0), 0.1, 0), "has one class only"),
        (lambda g: add_edges(replace(g, directed=True), 0.1, 0), "is directed; symmetrise it"),
    ],
)
def test_errors_say_what_to_do(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call(GraphSet.of(featured()))
