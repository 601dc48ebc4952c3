"""What a record must hold, and the key that names it."""

import json
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmixup.record_format import check, check_shape, key_of, plain
from tests.runs import cell, done, failed

names = st.text(max_size=4)
leaves = st.none() | st.booleans() | st.integers() | st.floats(-1e6, 1e6) | names
settings = st.dictionaries(
    names,
    st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


def respelt(value):
    """The same settings: other order of names, tuples for lists, numpy for Python, 1.0 for 1."""
    if isinstance(value, dict):
        return {name: respelt(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return tuple(map(respelt, value))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
        return float(value)
    return np.float64(value) if isinstance(value, float) else value


@given(settings)
def test_a_key_does_not_depend_on_the_spelling(own):
    assert key_of(own) == key_of(respelt(own)) == key_of(json.loads(json.dumps(own)))


@given(settings, settings)
def test_keys_are_equal_where_settings_are(one, other):
    same = plain(one, "cell", whole=True) == plain(other, "cell", whole=True)
    # Python calls True and 1 equal, JSON does not.
    if json.dumps(plain(one, "c", whole=True), sort_keys=True) != json.dumps(
        plain(other, "c", whole=True), sort_keys=True
    ):
        assert key_of(one) != key_of(other)
    else:
        assert same
        assert key_of(one) == key_of(other)


@given(settings, names, leaves)
def test_another_setting_is_another_run(own, name, value):
    changed = own | {name: [value, "changed"]}
    assert (key_of(own) == key_of(changed)) == (own == changed)


def test_a_key_is_short_and_stays_as_it_is():
    assert key_of({"seed": 1, "lam": (0.1, 0.2)}) == "1f4ab3aa26e3386560cc2dd2"
    assert key_of({"flag": True}) != key_of({"flag": 1})
    # A float as large as that does not say which whole number is meant.
    assert key_of({"n": 2**53}) == key_of({"n": 2.0**53})
    assert key_of({"n": 2**60}) != key_of({"n": 2.0**60})


def test_a_record_becomes_plain_json():
    record = done(cell(), test=np.float64(0.5))
    record["cell"]["lam"] = (np.float32(0.5), np.int64(3))
    record["key"] = key_of(record["cell"])
    checked = check(record)
    assert json.loads(json.dumps(checked)) == checked
    assert checked["cell"]["lam"] == [0.5, 3]
    assert checked["scores"]["test"] == 0.5


def test_a_loss_that_overflows_becomes_a_gap():
    record = done(cell())
    record["curve"]["loss"]["train"] = [0.7, nan, inf]
    assert check(record)["curve"]["loss"]["train"] == [0.7, None, None]


def test_points_of_a_curve_keep_six_digits_and_scores_all():
    record = done(cell(), test=1 / 3)
    record["curve"]["score"]["test"] = [1 / 3, np.float32(2 / 3), 0.5]
    checked = check(record)
    assert checked["curve"]["score"]["test"] == [0.333333, 0.666667, 0.5]
    assert checked["curve"]["epoch"] == [1, 2, 3, 4, 5]
    assert checked["scores"]["test"] == 1 / 3


def test_checking_leaves_the_record_alone():
    record = done(cell())
    before = json.dumps(record)
    check(record)
    assert json.dumps(record) == before


def without(name, record):
    return {key: value for key, value in record.items() if key != name}


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (without("cell", done(cell())), "the record has no `cell`, which every record has"),
        (without("metric", done(cell())), "the record has no `metric`, which every record has"),
        (without("scores", done(cell())), "the record has no `scores`, which every record has"),
        (without("error", failed(cell())), "the record has no `error`, which every record has"),
        (
            done(cell(), format=2),
            "`record.format` is 2, this gmixup reads 1; update gmixup",
        ),
        (
            done(cell()) | {"status": "half", "error": ""},
            "`record.status` is 'half'; it is one of done, failed",
        ),
        (
            done(cell(), key=7),
            "`record.key` is a text and `record.cell` an object in every record",
        ),
        (done(cell(), scores=[0.7]), "`record.scores` is an object in every record of a finished"),
        (
            done(cell(), key="0" * 24),
            "`record.key` is '000000000000000000000000', but the hash of `record.cell` is "
            f"'{key_of(cell())}'; take the key from `key_of(cell)`",
        ),
        (done(cell(), scores={"train": 1}), "`record.scores` has no `test`, which a finished run"),
        (
            done(cell(), scores={"test": 73.0}),
            "`record.scores.test` is 73.0; a score is a number in [0, 1] (per cent are for tables)",
        ),
        (
            done(cell(), scores={"test": 0.7, "train": True}),
            "`record.scores.train` is True; a score is a number in [0, 1]",
        ),
        (
            done(cell(), scores={"test": nan}),
            "`record.scores.test` is nan; a record holds finite numbers only",
        ),
    ],
)
def test_what_a_record_lacks_is_said(record, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        check(record)
    assert words in str(error.value)


def test_what_is_no_record_is_said():
    with pytest.raises(ValueError, match="a record is a JSON object, not a list"):
        check_shape([1])


def test_what_json_cannot_say_is_refused():
    with pytest.raises(
        TypeError, match=r"`cell.recipe\[1\]` is .*, a set; a record holds JSON only: numbers, text"
    ):
        key_of({"recipe": [1, {2}]})
    with pytest.raises(TypeError, match="`cell` has the name 3; names in a record are text"):
        key_of({3: 4})
    with pytest.raises(ValueError, match=r"`cell.rate` is inf; a record holds finite numbers only"):
        key_of({"rate": inf})
