"""Random streams depend on the seed and the purpose, and on nothing else."""

import subprocess
import sys

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from gmixup.seeds import as_generator, derive, generator, numpy_generator

seeds = st.integers(min_value=-(2**70), max_value=2**70)
purposes = st.lists(st.one_of(st.text("ab", max_size=3), st.integers(0, 3)), max_size=3)


def draws(stream: torch.Generator) -> list[float]:
    return torch.rand(4, generator=stream).tolist()


@given(seeds, purposes)
def test_a_derived_seed_fits_every_generator(seed, purpose):
    derived = derive(seed, *purpose)
    assert 0 <= derived < 2**63
    assert derived == derive(seed, *purpose)


@given(seeds, seeds, purposes, purposes)
def test_other_seeds_and_purposes_give_other_streams(first, second, one, two):
    same = first == second and [str(part) for part in one] == [str(part) for part in two]
    assert (derive(first, *one) == derive(second, *two)) == same


def test_words_of_a_purpose_do_not_run_together():
    assert derive(0, "split", "test") != derive(0, "splittest")
    assert derive(1, 2) != derive(12)


def test_the_stream_is_the_same_in_another_process():
    code = "from gmixup.seeds import derive; print(derive(7, 'split', 3))"
    answer = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert int(answer) == derive(7, "split", 3)


def test_a_draw_in_one_place_does_not_shift_another():
    alone = draws(generator(0, "sample"))
    draws(generator(0, "split"))
    assert draws(generator(0, "sample")) == alone
    assert draws(generator(0, "split")) != alone


def test_numpy_streams_follow_the_same_rule():
    first, again = (numpy_generator(3, "noise").random(3) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, numpy_generator(3, "other").random(3))


def test_a_generator_passes_through_and_a_seed_becomes_one():
    stream = generator(5)
    assert as_generator(stream, "anything") is stream
    assert draws(as_generator(5, "sample")) == draws(generator(5, "sample"))
