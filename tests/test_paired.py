"""Paired differences, both answers, Holm, the ratio of overlap and the planner."""

from math import inf, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gmixup.evidence.correction import holm, overlap_ratio
from gmixup.evidence.paired import (
    Estimate,
    detectable,
    difference,
    for_new_graphs,
    on_this_collection,
    over_inits,
    paired,
)
from gmixup.evidence.planner import floor, plan, smallest_difference
from tests.reference import statistics as reference

chances = st.lists(st.floats(0, 1), min_size=1, max_size=7)


def scores(seed=0, fits=30, level=0.7):
    return np.random.default_rng(seed).normal(level, 0.03, fits)


def test_scores_are_subtracted_fit_by_fit():
    assert paired([0.5, nan, 0.75], [0.25, 0.5, 0.75]) == pytest.approx([0.25, nan, 0], nan_ok=True)


def test_inits_are_paired_one_by_one():
    first = [[0.5, 0.7], [nan, 0.6], [nan, 0.9]]
    second = [[0.4, 0.4], [0.1, 0.5], [0.2, nan]]
    assert paired(first, second) == pytest.approx([0.2, 0.1, nan], nan_ok=True)
    assert over_inits(np.array(first)) == pytest.approx([0.6, 0.6, 0.9])


@pytest.mark.parametrize("shapes", [((3,), (4,)), ((3, 2), (3,)), ((1, 1, 1), (1, 1, 1))])
def test_scores_that_do_not_pair_are_named(shapes):
    with pytest.raises(ValueError, match=r"scores to be paired have the shapes \(.*\) and \(.*\);"):
        paired(*(np.zeros(shape) for shape in shapes))


def test_the_corrected_test_is_that_of_its_definition():
    values = scores(1, 10, 0.02)
    found = for_new_graphs(values, 100 / 720)
    t = reference.corrected_t(values, 720, 100)
    assert found.mean / found.error == pytest.approx(t, rel=1e-12)
    assert found.p == pytest.approx(2 * reference.student_tail(t, 9), abs=1e-10)


def test_the_corrected_test_by_hand():
    # Mean 2, variance 2.5; error sqrt((1/5 + 1/8) * 2.5) = 0.901388; t = 2.21880, 4 degrees.
    found = for_new_graphs([0, 1, 2, 3, 4], 1 / 8)
    assert found.error == pytest.approx(0.9013878)
    assert found.mean / found.error == pytest.approx(2.2188007)
    assert found.p == pytest.approx(0.0907, abs=5e-5)
    assert found.interval() == pytest.approx((-0.50267, 4.50267), abs=1e-4)


def test_without_overlap_it_is_the_naive_test():
    first, second = scores(2), scores(3)
    values = paired(first, second)
    naive = stats.ttest_rel(first, second)
    found = for_new_graphs(values, 0)
    assert found.p == pytest.approx(naive.pvalue, rel=1e-10)
    assert found.interval() == pytest.approx(tuple(naive.confidence_interval()), rel=1e-9)
    again = on_this_collection(values)
    assert (again.p, again.interval()) == (found.p, found.interval())


def test_failed_fits_are_left_out():
    values = np.append(scores(), nan)
    assert for_new_graphs(values, 0.125) == for_new_graphs(values[:-1], 0.125)
    assert on_this_collection(values) == on_this_collection(values[:-1])


def test_on_this_collection_whole_cross_validations_are_independent():
    values, repeats = scores(fits=50), np.repeat(np.arange(5), 10)
    means = values.reshape(5, 10).mean(1)
    found = on_this_collection(values, repeats)
    assert found.over == "repeats"
    assert found.mean == pytest.approx(means.mean())
    assert found.error == pytest.approx(means.std(ddof=1) / sqrt(5))
    assert found.degrees == 4


@pytest.mark.parametrize(
    ("fits", "spoil"),
    [(40, False), (50, True), (49, False)],
    ids=["too few repeats", "a failed run", "an incomplete one"],
)
def test_otherwise_the_interval_is_over_fits(fits, spoil):
    values = scores(fits=fits)
    if spoil:
        values[7] = nan
    found = on_this_collection(values, np.arange(fits) // 10)
    assert found.over == "fits"
    assert found.degrees == fits - 1 - spoil


def test_a_difference_that_never_varies_is_certain():
    assert Estimate(0.0, 0.0, 9).p == 1
    assert Estimate(0.1, 0.0, 9).p == 0
    assert Estimate(0.1, 0.0, 9).interval() == (0.1, 0.1)


def test_what_the_test_finds_with_a_chance_of_80_per_cent():
    assert detectable(1, inf) == pytest.approx(2.8016, abs=1e-4)
    effect, degrees = detectable(1, 29), 29
    power = stats.nct.sf(stats.t.isf(0.025, degrees), degrees, effect)
    assert power == pytest.approx(0.8, abs=0.01)


def test_too_few_fits_are_named():
    with pytest.raises(ValueError, match="1 fits are left; an interval needs at least 2"):
        for_new_graphs([0.1, nan], 0.1)
    with pytest.raises(ValueError, match="`ratio` is -1; it is test graphs over training graphs"):
        for_new_graphs([0.1, 0.2], -1)


def test_a_difference_holds_both_answers():
    first, second = scores(4), scores(5)
    first[3] = nan
    found = difference(("a", "b"), (first, second), 0.125, tests=4)
    values = paired(first, second)
    new = for_new_graphs(values, 0.125)
    assert (found.fits, found.dropped) == (29, 1)
    assert found.mean == pytest.approx(np.nanmean(values))
    assert found.sd == pytest.approx(np.nanstd(values, ddof=1))
    assert found.for_new == new.interval()
    assert found.p == new.p
    assert found.smallest == pytest.approx(new.smallest(0.05 / 4))
    assert found.on_collection == on_this_collection(values).interval()


def test_few_fits_are_not_tested():
    two = difference(("a", "b"), ([0.7, 0.8], [0.6, 0.6]), 0.125)
    assert two.mean == pytest.approx(0.15)
    assert two.on_collection is not None
    assert (two.p, two.for_new, two.smallest) == (None, None, None)
    one = difference(("a", "b"), ([0.7, nan], [0.6, 0.6]), 0.125)
    assert (one.fits, one.dropped, one.mean) == (1, 1, None)


def test_one_split_says_nothing_of_new_graphs():
    found = difference(("a", "b"), (scores(4), scores(5)), None)
    assert found.on_collection is not None
    assert (found.p, found.for_new) == (None, None)


@given(chances)
def test_holm_is_that_of_its_definition(p):
    assert holm(p) == pytest.approx(reference.holm(p), abs=1e-9)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == pytest.approx([1, 1])


def test_tests_to_come_count_in_holm():
    assert holm([0.01, nan, 0.02]) == pytest.approx([0.03, nan, 0.04], nan_ok=True)


@given(chances, st.permutations(range(7)))
def test_holm_does_not_depend_on_the_order(p, order):
    order = [place for place in order if place < len(p)]
    assert holm([p[place] for place in order]) == pytest.approx(holm(p)[order])


def test_the_ratio_counts_graphs_that_weights_are_fitted_to():
    assert overlap_ratio(720, 100) == pytest.approx(100 / 720)
    assert overlap_ratio(700, 200) == pytest.approx(2 / 7)


@given(st.floats(0.01, 1), st.integers(100, 10_000))
def test_with_few_labels_the_ratio_is_that_of_the_whole_part(fraction, train):
    assert overlap_ratio(train * fraction, 100, fraction) == pytest.approx(100 / train)


def test_wrong_sizes_are_named():
    with pytest.raises(ValueError, match=r"`train_fraction` is 0; it must lie in \(0, 1\]"):
        overlap_ratio(700, 200, 0)
    with pytest.raises(ValueError, match="`train` is 0 and `test` is 200; both must be above 0"):
        overlap_ratio(0, 200)


@given(st.floats(0.1, 20), st.floats(0.01, 1))
def test_the_floor_is_that_of_splits_without_end(sd, ratio):
    end = floor(sd, ratio)
    assert end == pytest.approx(2.8016 * sd * sqrt(ratio), rel=1e-4)
    seen = [smallest_difference(sd, fits, ratio) for fits in (2, 10, 30, 100, 10**7)]
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] == pytest.approx(end, rel=1e-4)


def test_the_floor_at_the_deviation_of_imdb_binary():
    ten_folds = 100 / 900  # test over what is not tested
    assert smallest_difference(3.6, 30, ten_folds) == pytest.approx(4.0, abs=0.05)
    assert smallest_difference(3.6, 100, ten_folds) == pytest.approx(3.5, abs=0.05)
    assert floor(3.6, 2 / 7) == pytest.approx(5.4, abs=0.05)


@given(st.floats(0.2, 20), st.floats(0.5, 10), st.floats(0.02, 0.5), st.integers(1, 8))
def test_a_plan_has_the_fewest_fits_that_show_the_wish(wish, sd, ratio, tests):
    made = plan(wish, sd, ratio, graphs=1000, tests=tests)
    if made.fits is None:
        assert smallest_difference(sd, 10_000, ratio, tests=tests) > wish
        assert made.graphs > 1000
        more = sd * sqrt(1000 / made.graphs)
        assert smallest_difference(more, 100, ratio, tests=tests) <= wish * (1 + 1e-9)
    else:
        assert smallest_difference(sd, made.fits, ratio, tests=tests) <= wish
        if made.fits > 2:
            assert smallest_difference(sd, made.fits - 1, ratio, tests=tests) > wish


def test_a_plan_in_words():
    assert plan(5.0, 3.6, 0.125).sentence == "13 fits show a difference of 5.0 points."
    assert plan(2.0, 3.6, 0.125, graphs=1000).sentence == (
        "A difference of 2.0 points is not reachable by more splits, which end at 3.6: it needs "
        "about 3502 graphs."
    )
    assert plan(2.0, 3.6, 0.125).sentence.endswith("it needs more graphs.")


def test_a_plan_for_nothing_is_refused():
    with pytest.raises(ValueError, match=r"`wish` is 0 and `sd` is 3\.6; both must be above 0"):
        plan(0, 3.6, 0.125)
    with pytest.raises(ValueError, match="`fits` is 1; a test needs at least 2"):
        smallest_difference(3.6, 1, 0.125)
