"""The verdict in words, and comparisons of scores: families, controls, tables."""

import json

import numpy as np
import pytest

from gmixup.evidence import verdict
from gmixup.evidence.comparison import compare_scores
from gmixup.evidence.correction import holm
from gmixup.evidence.paired import Difference, difference

SIZES = {"train": 720, "test": 100}


def against(mean=0.02, p=0.01, second="none", **changes):
    known = {
        "fits": 30,
        "dropped": 0,
        "on_collection": (mean - 0.01, mean + 0.01),
        "for_new": (mean - 0.015, mean + 0.015),
        "p": p,
        "smallest": 0.042,
    }
    return Difference("g-mixup", second, mean=mean, p_holm=p, **(known | changes))


@pytest.mark.parametrize(
    ("pair", "controls", "word"),
    [
        (against(), (), "helps"),
        (against(-0.02), (), "hurts"),
        (against(p=0.06), (), "no difference seen"),
        (against(p=0.05), (), "helps"),
        (against(p=None), (), "not tested"),
        (against(), [against(0.03, 0.001, "soften")], "helps"),
        (against(), [against(0.03, 0.2, "soften")], "no better than its control"),
        (against(), [against(-0.03, 0.001, "soften")], "no better than its control"),
        (against(), [against(0.03, None, "soften")], "no better than its control"),
        (against(-0.02), [against(-0.03, 0.001, "soften")], "hurts"),
    ],
)
def test_the_word(pair, controls, word):
    assert verdict.word(pair, controls) == word


def test_equal_scores_do_not_tell_what_could_have_been_seen():
    scores = np.full(30, 0.7)
    made = compare_scores({"none": scores, "a": scores}, **SIZES)
    assert made.rows[1].against.smallest is None
    assert made.verdict == "a: no difference to none seen, the same score in every fit."
    assert made.table.rows[1][5] == "–"


def test_the_level_is_asked_for():
    assert verdict.word(against(p=0.03), level=0.01) == "no difference seen"
    assert verdict.word(against(p=0.03), level=0.05) == "helps"


@pytest.mark.parametrize(
    ("pair", "controls", "words"),
    [
        (against(), None, "g-mixup helps: +2.0 points to none (95 % interval +0.5 to +3.5)."),
        (
            against(),
            [against(0.03, 0.001, "soften"), against(0.03, 0.001, "resample")],
            "g-mixup helps: +2.0 points to none (95 % interval +0.5 to +3.5); better than its "
            "controls too (soften and resample).",
        ),
        (
            against(),
            [],
            "g-mixup helps: +2.0 points to none (95 % interval +0.5 to +3.5); without a control "
            "beside it, the gain need not be the method's own.",
        ),
        (
            against(-0.02),
            None,
            "g-mixup hurts: −2.0 points to none (95 % interval −3.5 to −0.5).",
        ),
        (
            against(0.004, 0.8),
            None,
            "g-mixup: no difference to none seen (+0.4 points; the smallest difference that could "
            "have been seen: 4.2 points).",
        ),
        (
            against(),
            [against(0.01, 0.3, "soften")],
            "g-mixup: better than none (+2.0 points), but not seen to be better than its control "
            "soften (+1.0 points): the gain may not be the mixing's.",
        ),
        (
            against(),
            [against(-0.01, 0.3, "soften"), against(0.01, 0.3, "resample")],
            "g-mixup: better than none (+2.0 points), but no better than its control soften: the "
            "gain is not the mixing's.",
        ),
        (against(p=None, fits=3), None, "g-mixup: not tested, on 3 fits."),
        (
            against(p=None, fits=30),
            None,
            "g-mixup: not tested, on 30 fits that do not vary the split.",
        ),
    ],
)
def test_the_sentence(pair, controls, words):
    assert verdict.sentence(pair, controls) == words


def test_the_sentence_on_this_collection():
    other = Difference("drop-edge", "none", fits=1, dropped=29)
    assert verdict.collection_sentence([against(), other]) == (
        "On this collection: g-mixup +2.0 ± 1.0 points to none, over splits of these same graphs; "
        "too few runs for a difference of drop-edge."
    )
    assert verdict.collection_sentence([]) == ""


def test_what_rounds_to_zero_has_no_sign():
    assert [verdict.signed(value) for value in (0.012, -0.012, -0.0001, 0.0)] == [
        "+1.2",
        "−1.2",
        "0.0",
        "0.0",
    ]


def table_of(levels, fits=30, spread=0.02, seed=0):
    stream = np.random.default_rng(seed)
    split = stream.normal(0, 0.03, fits)
    return {name: level + split + stream.normal(0, spread, fits) for name, level in levels.items()}


def test_one_family_holds_every_difference():
    scores = table_of({"none": 0.7, "soften": 0.72, "resample": 0.7, "g-mixup": 0.76})
    controls = {"g-mixup": ["soften", "resample"]}
    made = compare_scores(scores, controls=controls, **SIZES)
    assert made.tests == 5
    assert [row.role for row in made.rows] == ["baseline", "control", "control", "method"]
    p = [pair.p for pair in made.differences]
    assert [pair.p_holm for pair in made.differences] == pytest.approx(list(holm(p)))
    assert [pair.second for pair in made.differences] == ["none"] * 3 + ["soften", "resample"]
    pair = (scores["soften"], scores["none"])
    assert made.differences[0].smallest == difference(("", ""), pair, 100 / 720, tests=5).smallest
    assert made.rows[3].verdict == "helps"
    assert made.verdict.startswith("g-mixup helps: +")
    assert "better than its controls too (soften and resample)" in made.verdict


def test_a_gain_that_a_control_has_too_is_not_the_methods():
    scores = table_of({"none": 0.7, "soften": 0.76, "g-mixup": 0.76})
    made = compare_scores(scores, controls=["soften"], **SIZES)
    assert made.rows[2].verdict == "no better than its control"
    assert made.rows[1].role == "control"
    assert "soften" not in {row.method for row in made.rows if row.role == "method"}


def test_a_table_that_fills_up_never_promises_more_than_the_full_one():
    scores = table_of({"none": 0.7, "a": 0.74, "b": 0.74})
    alone = compare_scores({name: scores[name] for name in ("none", "a")}, **SIZES)
    later = {**scores, "b": np.full(30, np.nan)}
    made = compare_scores(later, **SIZES)
    assert made.rows[1].against.p_holm == pytest.approx(2 * alone.rows[1].against.p_holm)
    assert made.rows[2].verdict == "not tested"
    assert made.rows[2].mean is None


def test_the_table_has_a_row_for_each_and_for_each_control():
    scores = table_of({"none": 0.7, "soften": 0.7, "g-mixup": 0.76})
    scores["soften"][:2] = np.nan
    made = compare_scores(scores, controls=["soften"], **SIZES)
    names = [row[0] for row in made.table.rows]
    assert names == ["none", "soften (control)", "g-mixup", "g-mixup beside soften"]
    words = [row[1] for row in made.table.rows]
    assert words == ["baseline", "no difference seen", "helps", "better"]
    assert "4 pairs of runs are left out: a run failed or is missing." in made.table.notes
    assert "all 3 differences together" in made.table.notes[0]
    assert "| g-mixup" in made.markdown()
    assert json.loads(json.dumps(made.as_json()))["tests"] == 3


def test_one_split_gives_no_verdict():
    scores = table_of({"none": 0.7, "g-mixup": 0.8})
    made = compare_scores(scores, train=None, test=None)
    assert made.ratio is None
    assert made.verdict == "g-mixup: not tested, on 30 fits that do not vary the split."
    assert made.on_collection.startswith("On this collection: g-mixup +")


def test_few_labels_keep_the_ratio_of_the_whole_part():
    scores = table_of({"none": 0.7, "g-mixup": 0.8})
    cut = compare_scores(scores, train=72, test=100, train_fraction=0.1)
    assert cut.ratio == pytest.approx(compare_scores(scores, **SIZES).ratio)


def test_wrong_names_are_named():
    scores = table_of({"none": 0.7, "a": 0.7, "b": 0.7})
    with pytest.raises(
        ValueError, match=r"`baseline` is 'x'; the methods are \['a', 'b', 'none'\]"
    ):
        compare_scores(scores, "x", **SIZES)
    with pytest.raises(ValueError, match=r"`controls` names \['c'\]; it may name \['a', 'b'\]"):
        compare_scores(scores, controls={"a": ["c"]}, **SIZES)
    with pytest.raises(ValueError, match=r"`controls` names \['none'\]; it may name"):
        compare_scores(scores, controls={"a": ["none"]}, **SIZES)
