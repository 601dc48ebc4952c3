"""Columns: what a feature matrix holds, and valid features back from means."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gmixup.columns import Columns
from gmixup.seeds import generator


def kinds(raw):
    return [(group.kind, group.places, group.width) for group in Columns.of(raw).groups]


def test_kinds_are_read_off_the_values():
    onehot = torch.eye(3)[[0, 1, 2, 1]]
    number = torch.tensor([[0.5], [1.0], [2.0], [0.0]])
    assert kinds(onehot) == [("one-hot", (0, 1, 2), 3)]
    assert kinds(torch.cat([number, onehot], 1)) == [("number", (0,), 1), ("one-hot", (1, 2, 3), 3)]
    assert kinds(torch.tensor([[1.0, 1.0], [0.0, 0.0]])) == [
        ("binary", (0,), 1),
        ("binary", (1,), 1),
    ]
    assert kinds(torch.tensor([[5, 0], [7, 0]])) == [("integer", (0,), 3), ("integer", (1,), 1)]
    assert kinds(torch.tensor([0, 3])) == [("integer", (0,), 4)]
    assert kinds(torch.tensor([[0], [100_000]])) == [("number", (0,), 1)]
    assert kinds(torch.zeros(0, 2)) == [("number", (0,), 1), ("number", (1,), 1)]


@given(st.integers(0, 2**31), st.sampled_from(["one-hot", "integer", "mixed", "flat"]))
def test_sharp_means_give_the_features_back(seed, form):
    random = torch.Generator().manual_seed(seed)
    level = torch.randint(0, 4, (8,), generator=random)
    raw = {
        "one-hot": torch.eye(4)[level],
        "integer": torch.stack([level + 2, 3 - level], 1),
        "mixed": torch.cat([torch.rand(8, 1, generator=random), torch.eye(4)[level]], 1),
        "flat": level,
    }[form]
    columns = Columns.of(raw)
    back = columns.draw(columns.encode(raw), generator(0))
    assert back.dtype == raw.dtype
    assert torch.allclose(back, raw)
    assert Columns.from_json(columns.to_json()) == columns


def test_categories_are_drawn_in_proportion():
    raw = torch.tensor([[0, 1], [1, 5], [2, 1]])
    columns = Columns.of(raw)
    means = torch.tensor([[0.5, 0.0, 0.5, 0.9, 0.0, 0.0, 0.0, 0.1]]).double().expand(20_000, -1)
    drawn = columns.draw(means, generator(1))
    first, second = drawn.T
    assert set(first.tolist()) == {0, 2}
    assert set(second.tolist()) == {1, 5}
    # Five standard errors of a frequency over 20 000 draws.
    assert float((first == 0).double().mean()) == pytest.approx(0.5, abs=0.018)
    assert float((second == 1).double().mean()) == pytest.approx(0.9, abs=0.011)


def test_binary_flags_and_numbers():
    raw = torch.tensor([[1.0, 1.0, 0.3], [0.0, 0.0, 0.7]])
    columns = Columns.of(raw)
    drawn = columns.draw(torch.tensor([[0.25, 1.0, 0.4]]).double().expand(8000, -1), generator(2))
    assert set(drawn[:, 0].tolist()) == {0.0, 1.0}
    assert float(drawn[:, 0].mean()) == pytest.approx(0.25, abs=0.025)
    assert (drawn[:, 1] == 1).all()
    assert torch.allclose(drawn[:, 2], torch.tensor(0.4))


def test_plain_columns_average_everything():
    raw = torch.eye(3).long()
    columns = Columns.plain(raw)
    means = torch.tensor([[0.2, 0.3, 0.5]]).double()
    assert columns.draw(means, generator(0)).tolist() == [[0, 0, 0]]
    floats = Columns.plain(torch.eye(3))
    assert torch.allclose(floats.draw(means, generator(0)), means.float())
    assert torch.equal(columns.encode(raw), raw.double())


def test_a_level_that_is_not_known_is_refused():
    columns = Columns.of(torch.tensor([[2], [4]]))
    for raw in (torch.tensor([[1]]), torch.tensor([[5]])):
        with pytest.raises(ValueError, match=r"known to hold \[2, 4\]; .*`pinned`"):
            columns.encode(raw)
