"""The format of a record: what a run's one JSON object must hold, and the key that names it."""

import hashlib
import json
from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any

Record = dict[str, Any]

FORMAT = 1
DONE, FAILED = "done", "failed"
NEEDED = ("format", "key", "cell", "status")
NEEDED_WHEN_DONE = ("metric", "scores", "date")


def key_of(cell: Mapping[str, Any]) -> str:
    """The name of a run: 24 hexadecimal digits of a hash of its settings.

    Two spellings of the same settings are one run: the order of names does not matter, a tuple is
    a list, and 1.0 is 1 (but not `True`).
    """
    settings = plain(cell, "cell", whole=True)
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def plain(value: Any, place: str, *, whole: bool = False) -> Any:
    """The same in the words of JSON, in which 1.0 becomes 1 where `whole`; refuses all else."""
    kind = type(value)
    if value is None or kind in (int, str, bool):
        return value
    if kind is float:
        return _number(value, place, whole)
    if isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return _number(float(value), place, whole)
    if isinstance(value, list | tuple):
        return [plain(part, f"{place}[{i}]", whole=whole) for i, part in enumerate(value)]
    if isinstance(value, Mapping):
        return {
            _name(name, place): plain(part, f"{place}.{name}", whole=whole)
            for name, part in value.items()
        }
    raise TypeError(
        f"`{place}` is {value!r}, a {type(value).__name__}; a record holds JSON only: "
        "numbers, text, true, false, null, lists and objects"
    )


def _number(value: float, place: str, whole: bool) -> float | int:
    if not isfinite(value):
        raise ValueError(f"`{place}` is {value}; a record holds finite numbers only")
    # Beyond 2 ** 53 a float no longer says which whole number it is.
    return int(value) if whole and value.is_integer() and abs(value) <= 2**53 else value


def _name(name: Any, place: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"`{place}` has the name {name!r}; names in a record are text")
    return name


def check(record: Mapping[str, Any]) -> Record:
    """The record in plain JSON, once it holds what a record must; raises in one sentence.

    Points of the curve keep six digits, which halves the file, and one that is no finite number
    becomes null: a loss may overflow in a run whose best epoch is sound. Scores stay as they are.
    """
    curve = {"curve": _rounded(record["curve"])} if "curve" in record else {}
    checked: Record = plain({**record, **curve}, "record")
    check_shape(checked)
    if checked["key"] != key_of(checked["cell"]):
        raise ValueError(
            f"`record.key` is {checked['key']!r}, but the hash of `record.cell` is "
            f"{key_of(checked['cell'])!r}; take the key from `key_of(cell)`"
        )
    if checked["status"] == DONE:
        _check_scores(checked["scores"])
    return checked


def check_shape(record: Any) -> None:
    """Raises unless it looks like a record: quick, for reading many."""
    if not isinstance(record, dict):
        raise ValueError(f"a record is a JSON object, not a {type(record).__name__}")
    done = record.get("status") == DONE
    for name in NEEDED + (NEEDED_WHEN_DONE if done else ("error",)):
        if name not in record:
            raise ValueError(f"the record has no `{name}`, which every record has")
    if record["format"] != FORMAT:
        raise ValueError(
            f"`record.format` is {record['format']!r}, this gmixup reads {FORMAT}; update gmixup"
        )
    if record["status"] not in (DONE, FAILED):
        raise ValueError(f"`record.status` is {record['status']!r}; it is one of {DONE}, {FAILED}")
    if not isinstance(record["key"], str) or not isinstance(record["cell"], dict):
        raise ValueError("`record.key` is a text and `record.cell` an object in every record")
    if done and not isinstance(record["scores"], dict):
        raise ValueError("`record.scores` is an object in every record of a finished run")


def _check_scores(scores: Record) -> None:
    if scores.get("test") is None:
        raise ValueError("`record.scores` has no `test`, which a finished run has")
    for name, score in scores.items():
        if name == "epoch" or score is None:
            continue
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            raise ValueError(
                f"`record.scores.{name}` is {score!r}; a score is a number in [0, 1] "
                "(per cent are for tables)"
            )


def _rounded(curve: Any) -> Any:
    if isinstance(curve, list | tuple):
        return [_point(part) if type(part) is float else _rounded(part) for part in curve]
    if isinstance(curve, Mapping):
        return {name: _rounded(part) for name, part in curve.items()}
    if isinstance(curve, Real) and not isinstance(curve, Integral):
        return _point(float(curve))
    return curve


def _point(value: float) -> float | None:
    return float(f"{value:.6g}") if isfinite(value) else None
