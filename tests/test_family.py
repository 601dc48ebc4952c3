"""Several comparisons tested together: Holm's correction is over all of their differences."""

import numpy as np
import pytest
from scipy import stats

from gmixup.evidence.comparison import compare_scores
from gmixup.evidence.correction import holm
from gmixup.evidence.family import together
from gmixup.evidence.paired import detectable


def compared(seed, gain):
    rng = np.random.default_rng(seed)
    scores = {name: rng.normal(0.7, 0.02, 30) for name in ("none", "method", "control")}
    scores["method"] = scores["none"] + rng.normal(gain, 0.02, 30)
    return compare_scores(scores, train=800, test=100, controls={"method": ["control"]})


def test_p_values_are_those_of_all_differences_at_once():
    apart = {"one": compared(0, 0.1), "two": compared(1, 0.03), "three": compared(2, 0.0)}
    every = [pair.p for one in apart.values() for pair in one.differences]
    found = together(apart)
    told = [pair.p_holm for one in found.values() for pair in one.differences]
    assert told == pytest.approx(holm(every))
    assert [row.method for row in found["two"].rows] == [row.method for row in apart["two"].rows]


def test_one_comparison_is_left_as_it_is():
    alone = compared(3, 0.05)
    (same,) = together({"": alone}).values()
    for before, after in zip(alone.differences, same.differences, strict=True):
        assert after.p_holm == pytest.approx(before.p_holm)
        assert after.smallest == pytest.approx(before.smallest)
    assert [row.verdict for row in same.rows] == [row.verdict for row in alone.rows]


def test_verdicts_and_what_could_be_seen_are_of_the_whole_family():
    one = compared(4, 0.035)
    row = one.rows[1]
    assert row.verdict == "helps"
    others = {str(seed): compared(seed, 0.0) for seed in range(10, 60)}
    found = together({"one": one, **others})["one"].rows[1]
    assert found.verdict == "no better than its control"
    error = row.against.sd * np.sqrt(1 / 30 + one.ratio)
    level = 0.05 / (3 * 51)
    assert found.against.smallest == pytest.approx(detectable(error, 29, level))
    assert found.against.smallest > row.against.smallest
    assert found.against.for_new == row.against.for_new
    wanted = stats.t.isf(level / 2, 29) + stats.t.ppf(0.8, 29)
    assert found.against.smallest == pytest.approx(error * wanted)


def test_what_is_not_tested_yet_stays_so():
    short = compare_scores({"none": [0.5, 0.6], "method": [0.6, 0.6]}, train=80, test=10)
    found = together({"short": short, "long": compared(5, 0.1)})
    assert found["short"].rows[1].verdict == "not tested"
    assert found["short"].rows[1].against.p_holm is None


def test_of_equal_scores_nobody_knows_what_could_have_been_seen():
    equal = compare_scores({"none": [0.5] * 6, "method": [0.5] * 6}, train=80, test=10)
    found = together({"equal": equal, "long": compared(5, 0.1)})["equal"]
    assert found.rows[1].against.smallest is None
    assert found.rows[1].against.p_holm == 1
    assert found.verdict == equal.verdict
