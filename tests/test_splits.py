"""Splits: parts that share nothing and leave nothing, and every class in each by its share."""

import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gmixup import datasets
from gmixup.datasets import k_fold, stratified, unstratified
from tests.real_data import real, real_folder

label_lists = st.lists(st.integers(0, 3), min_size=1, max_size=60).map(torch.tensor)
seeds = st.integers(0, 2**31)


def parts(split):
    return split.train, split.validation, split.test


def is_partition(split, count):
    return torch.cat(parts(split)).sort().values.tolist() == list(range(count))


@given(label_lists, seeds)
def test_stratified_parts_hold_everything_once_and_classes_by_their_share(labels, seed):
    split = stratified(labels, seed)
    assert is_partition(split, len(labels))
    for label in labels.unique():
        size = int((labels == label).sum())
        if size == 1:
            assert label in labels[split.train]
            continue
        for part, share in zip(parts(split), (0.7, 0.1, 0.2), strict=True):
            assert abs(int((labels[part] == label).sum()) - share * size) <= 4 / 3


def test_stratified_is_exact_where_it_can_be():
    labels = torch.arange(2).repeat(500)
    split = stratified(labels, seed=3)
    assert [torch.bincount(labels[part]).tolist() for part in parts(split)] == [
        [350, 350],
        [50, 50],
        [100, 100],
    ]


def test_every_graph_is_as_likely_in_each_part():
    labels = torch.tensor([0] * 13 + [1] * 7)
    counts = torch.zeros(20)
    for seed in range(2000):
        counts[stratified(labels, seed).test] += 1
    # 2.8 and 1.2 tests a draw on average; the counts of one class are alike, sd about 18.
    for members in (counts[:13], counts[13:]):
        assert float((members - members.mean()).abs().max()) < 5 * 20


@given(label_lists, seeds)
def test_a_seed_gives_one_split_and_the_next_another(labels, seed):
    first, again = stratified(labels, seed), stratified(labels, seed)
    assert all(torch.equal(a, b) for a, b in zip(parts(first), parts(again), strict=True))
    if len(labels) > 30:
        others = [stratified(labels, seed + 1 + step).test.tolist() for step in range(3)]
        assert any(first.test.tolist() != other for other in others)


@pytest.mark.parametrize(
    ("count", "sizes"),
    [(1000, (700, 100, 200)), (1500, (1050, 150, 300)), (188, (131, 19, 38)), (3, (2, 0, 1))],
)
def test_unstratified_rounds_down_as_the_authors_do(count, sizes):
    split = unstratified(count, seed=0)
    assert is_partition(split, count)
    assert tuple(len(part) for part in parts(split)) == sizes


def test_unstratified_does_not_look_at_classes():
    labels = torch.arange(2).repeat_interleave(50)
    balance = {int(labels[unstratified(100, seed).test].sum()) for seed in range(20)}
    assert len(balance) > 3


@given(st.lists(st.integers(0, 2), min_size=4, max_size=50).map(torch.tensor), seeds)
def test_k_fold_tests_every_graph_once_a_repeat(labels, seed):
    labels = torch.cat([labels, labels])  # no class of one
    splits = k_fold(labels, seed, folds=4, repeats=2)
    assert len(splits) == 8
    assert all(is_partition(split, len(labels)) for split in splits)
    for repeat in (splits[:4], splits[4:]):
        tested = torch.cat([split.test for split in repeat])
        assert tested.sort().values.tolist() == list(range(len(labels)))
    for split in splits:
        for label in labels.unique():
            size = int((labels == label).sum())
            assert abs(int((labels[split.test] == label).sum()) - size / 4) < 1
            assert label in labels[split.train]


def test_ten_folds_are_eight_to_one_to_one_and_repeats_differ():
    labels = torch.arange(2).repeat(500)
    splits = k_fold(labels, seed=0, repeats=2)
    assert {tuple(len(part) for part in parts(split)) for split in splits} == {(800, 100, 100)}
    assert splits[0].test.tolist() != splits[10].test.tolist()


def test_apply_gives_the_graphs_of_the_parts():
    graphs = datasets.load("one-and-two-hubs")
    split = stratified(graphs.labels(), seed=1)
    train, validation, test = split.apply(graphs)
    assert (len(train), len(validation), len(test)) == (140, 20, 40)
    assert torch.equal(test.num_nodes, graphs.num_nodes[split.test])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda y: stratified(y, 0, (7, 3)), "`ratios` is (7, 3); give three numbers"),
        (lambda y: stratified(y, 0, (0, 1, 2)), "`ratios` is (0, 1, 2); give three numbers"),
        (lambda y: unstratified(9, 0, (7, -1, 2)), "`ratios` is (7, -1, 2); give three numbers"),
        (lambda y: k_fold(y, 0, folds=1), "`folds` is 1; it must lie in [2, 6]"),
        (lambda y: k_fold(y, 0, folds=7), "`folds` is 7; it must lie in [2, 6]"),
        (lambda y: k_fold(y, 0, folds=2, validation=0), "`validation` is 0; it must lie in (0, 1)"),
        (lambda y: k_fold(torch.tensor([0, 0, 1]), 0, folds=2), "a class has one graph only"),
    ],
)
def test_errors_say_what_to_do(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call(torch.tensor([0, 0, 0, 1, 1, 1]))


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("ogbg-molbbbp", (1631, 204, 204)), ("ogbg-molbace", (1210, 151, 152))],
)
def test_the_scaffold_split_of_ogb(name, sizes):
    real_folder(name)
    split = datasets.own_split(name)
    assert tuple(len(part) for part in parts(split)) == sizes
    assert is_partition(split, len(real(name)))


def test_own_split_says_who_has_none(tmp_path):
    with pytest.raises(ValueError, match="'MUTAG' has no split of its own"):
        datasets.own_split("MUTAG", tmp_path)
