"""SizeLaw: sizes drawn as observed, mixed in the proportion of the labels."""

import pytest
import torch

from gmixup.seeds import generator
from gmixup.sizes import SizeLaw

FIRST = SizeLaw.of(torch.tensor([[3, 2], [3, 2], [5, 4]]))
SECOND = SizeLaw.of(torch.tensor([[10, 9]]))


def test_draws_are_observed_pairs_in_their_proportion():
    drawn = FIRST.draw(6000, generator(0))
    assert {tuple(pair) for pair in drawn.tolist()} == {(3, 2), (5, 4)}
    assert float((drawn[:, 0] == 3).double().mean()) == pytest.approx(2 / 3, abs=0.03)


def test_mixture_has_the_odds_of_the_labels():
    drawn = FIRST.mix(SECOND, 0.3).draw(6000, generator(0))
    assert float((drawn[:, 0] == 10).double().mean()) == pytest.approx(0.7, abs=0.03)
    assert FIRST.mix(SECOND, 1.0).mean().tolist() == FIRST.mean().tolist()
    assert FIRST.mix(SECOND, 0.0).mean().tolist() == SECOND.mean().tolist()


def test_laws_add_up():
    whole = SizeLaw.of(torch.tensor([[3, 2], [3, 2], [5, 4], [10, 9]]))
    total = FIRST + SECOND
    assert torch.equal(total.pairs, whole.pairs)
    assert torch.equal(total.weights, whole.weights)
    assert total.mean().tolist() == pytest.approx([21 / 4, 17 / 4])
