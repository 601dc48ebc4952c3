"""Records: one JSON file for each run, named by a hash of its settings; written whole, read many.

    records = Records("runs")
    records.write(record)       # runs/KEY.json, there whole or not at all
    records.all()               # what lies in the folder and below, each run once

A folder may also hold compact files, `*.jsonl`, one record a line (see `compact`): plain text, out
of which a person can delete a line. A run is the same run wherever its record lies.
"""

import json
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gmixup.atomic import write_text
from gmixup.record_format import DONE, Record, check, check_shape, key_of

__all__ = ["Record", "Records", "compact", "key_of", "latest"]

_NAME = re.compile(r"[0-9a-f]{24}\.json")


@dataclass(frozen=True)
class Records:
    """The records of a folder and of the folders in it; a new record goes into the folder itself.

    Many processes may write at once: a file appears in one step, and the same run has the same
    name. A run that failed does not count as done, so that it is tried again.
    """

    folder: Path

    def __init__(self, folder: str | Path):
        # Workers may stand in another folder.
        object.__setattr__(self, "folder", Path(folder).expanduser().absolute())
        if self.folder.is_file():
            raise NotADirectoryError(
                f"`folder` is {str(folder)!r}, a file; name the folder in which it lies"
            )

    def write(self, record: Mapping[str, Any]) -> Path:
        """Writes KEY.json; a failure never takes the place of a finished run."""
        checked = check(record)
        file = self.file(checked["key"])
        if checked["status"] == DONE or not self.wrote(checked["key"]):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_text(file, _line(checked))
        return file

    def file(self, key: str) -> Path:
        """Where the record of a run is written."""
        return self.folder / f"{key}.json"

    def wrote(self, key: str) -> Record | None:
        """The finished record in the run's own file, if there is one: one file, whatever else."""
        try:
            record = _parsed(self.file(key).read_bytes(), key)
        except (OSError, ValueError):
            return None
        return record if record["status"] == DONE else None

    def has(self, key: str, *, failed: bool = False) -> bool:
        """Whether the run is done; with `failed`, whether it has been tried."""
        return bool(self.wrote(key)) or key in self.keys(failed=failed)

    def keys(self, *, failed: bool = False) -> set[str]:
        """The runs that are done; with `failed`, those that failed too."""
        return {record["key"] for record in self.all() if failed or record["status"] == DONE}

    def read(self, key: str) -> Record:
        """The record of one run."""
        found = self.wrote(key)
        found = found or next((one for one in self.all() if one["key"] == key), None)
        if found is None:
            raise KeyError(f"no record of the run {key!r} lies in {str(self.folder)!r}")
        return found

    def all(self) -> list[Record]:
        """Every run once, by key; what cannot be read is left out and said in a warning."""
        damaged: list[str] = []
        records = latest(self._read(damaged))
        if damaged:
            some = "1 record is" if len(damaged) == 1 else f"{len(damaged)} records are"
            warnings.warn(
                f"{some} damaged and left out: {damaged[0]}"
                f"{' and others' if len(damaged) > 1 else ''}; delete them, or run them again",
                stacklevel=2,
            )
        return records

    def _read(self, damaged: list[str]) -> Iterator[Record]:
        for path in _files(self.folder):
            try:
                content = Path(path).read_bytes()
            except FileNotFoundError:  # taken away while we read
                continue
            except OSError as error:
                damaged.append(f"{path} ({error.strerror})")
                continue
            for place, line, key in _pieces(path, content):
                try:
                    yield _parsed(line, key)
                except ValueError as error:
                    damaged.append(f"{place} ({error})")


def latest(records: Iterable[Record]) -> list[Record]:
    """Each run once, by key: one that is done before one that failed, then the later one."""
    best: dict[str, Record] = {}
    for record in records:
        rival = best.get(record["key"])
        if rival is None or _rank(record) > _rank(rival):
            best[record["key"]] = record
    return [best[key] for key in sorted(best)]


def compact(records: Iterable[Mapping[str, Any]], file: str | Path, most_points: int = 30) -> Path:
    """Writes records into one file, a line each, by key; curves thinned, scores as they are.

    A curve keeps at most `most_points` epochs, evenly spread, the best one always among them, and
    its numbers four significant digits.
    """
    if most_points < 1:
        raise ValueError(f"`most_points` is {most_points}; a curve keeps at least 1 point")
    file = Path(file)
    if file.suffix != ".jsonl":
        raise ValueError(f"`file` is {str(file)!r}; compact records lie in files named *.jsonl")
    kept = latest(check(_thinned(record, most_points)) for record in records)
    write_text(file, "".join(map(_line, kept)))
    return file


def _rank(record: Record) -> tuple[bool, str]:
    return record["status"] == DONE, str(record.get("date") or "")


def _line(record: Record) -> str:
    return json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"


def _pieces(path: str, content: bytes) -> Iterator[tuple[str, bytes, str | None]]:
    """What should be a record each: where it is, what it says, and the key that it must have."""
    if path.endswith(".json"):
        yield path, content, Path(path).stem
        return
    for number, line in enumerate(content.splitlines(), 1):
        if line.strip():
            yield f"{path}, line {number}", line, None


def _parsed(content: bytes, key: str | None = None) -> Record:
    try:
        record = json.loads(content, parse_constant=_refuse)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError("it is empty, breaks off, or is no JSON") from None
    check_shape(record)
    if key not in (None, record["key"]):
        raise ValueError(f"it is the record of the run {record['key']}, which its name denies")
    return record


def _refuse(constant: str) -> None:
    raise ValueError(f"it holds {constant}, which is no number")


def _files(folder: str | Path) -> Iterator[str]:
    """Records and compact files, in one order; hidden ones are drafts of a write that was cut."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _files(entry.path)
        elif _NAME.fullmatch(entry.name) or entry.name.endswith(".jsonl"):
            yield entry.path


def _thinned(record: Mapping[str, Any], most_points: int) -> Mapping[str, Any]:
    curve, scores = record.get("curve"), record.get("scores")
    if not isinstance(curve, dict) or not isinstance(curve.get("epoch"), list):
        return record
    epochs = curve["epoch"]
    best = scores.get("epoch") if isinstance(scores, dict) else None
    kept = _spread(len(epochs), most_points, epochs.index(best) if best in epochs else None)
    return {**record, "curve": _picked(curve, len(epochs), kept)}


def _spread(length: int, most: int, always: int | None) -> list[int]:
    """At most `most` places out of `length`, evenly spread, with the one that must be there."""
    if length <= most:
        return list(range(length))
    places = [] if always is None else [always]
    room = most - len(places)
    steps = max(room - 1, 1)
    return sorted({*places, *(round(i * (length - 1) / steps) for i in range(room))})


def _picked(curve: Any, length: int, kept: list[int]) -> Any:
    if isinstance(curve, dict):
        return {name: _picked(part, length, kept) for name, part in curve.items()}
    if isinstance(curve, list) and len(curve) == length:
        return [_short(curve[place]) for place in kept]
    return curve


def _short(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value
