"""Compacting: the single files of runs become one file a table, to be kept with the project."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gmixup.experiments._trained import FOLDER, AbstractTrained
from gmixup.record_format import DONE, key_of
from gmixup.records import Record, Records, compact

OF_A_RUN = ("fingerprint", "seed")  # what the runs of one place do not share
OF_A_SPLIT = ("seed", "fold")


def compact_tables(folder: str | Path = FOLDER) -> list[Path]:
    """Writes NAME.jsonl for each table, curves thinned, and takes the runs' own files away.

    A run that several tables share lies with the first of them: printed tables before others, small
    ones before large. What belongs to no table stays where it is, and so does a run that failed.
    """
    folder, homes = Path(folder), _homes()
    by_table: dict[str, list[Record]] = {}
    for record in Records(folder).all():
        name = homes.get(_identity(record["cell"]))
        if name is not None and record["status"] == DONE:
            by_table.setdefault(name, []).append(record)
    files = []
    for name, records in by_table.items():
        file = folder / f"{name}.jsonl"
        # Whatever else someone has put into that file.
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        files.append(compact([*map(json.loads, filter(str.strip, lines)), *records], file))
        for record in records:
            Records(folder).file(record["key"]).unlink(missing_ok=True)
    return files


def _homes() -> dict[str, str]:
    """Which table the runs of each place lie with."""
    from gmixup.experiments import room

    trained = [
        part() for part in room.parts.values() if issubclass(part, AbstractTrained) and part.trains
    ]
    named = [(own.published is None, len(own.settings()), own) for own in trained]
    found: dict[str, str] = {}
    # Smaller tables first, for the largest are made of others.
    for _, _, own in sorted(named, key=lambda each: each[:2]):
        for setting in own.settings().values():
            found.setdefault(_identity(setting.cell(0).config), own.name)
    return found


def _identity(cell: Mapping[str, Any]) -> str:
    """The settings of a place, by which its runs are told from those of others."""
    shared = {name: value for name, value in cell.items() if name not in OF_A_RUN}
    split = {name: value for name, value in cell["split"].items() if name not in OF_A_SPLIT}
    return key_of(shared | {"split": split})
