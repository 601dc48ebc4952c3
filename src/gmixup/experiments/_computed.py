"""Computed: the tables of experiments that train nothing, kept beside the records of runs."""

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

from gmixup import __version__
from gmixup.atomic import write_text
from gmixup.evidence.tables import Table
from gmixup.experiments._base import AbstractExperiment
from gmixup.record_format import key_of

PLACES = ("root", "pictures", "folder")  # fields that say where things lie, not what is done
DIGITS = 8


def file_of(folder: str | Path, experiment: AbstractExperiment) -> Path:
    """Where the tables of these very settings are kept."""
    return (
        Path(folder) / "tables" / f"{experiment.name}-{key_of(_settings(experiment))[:DIGITS]}.json"
    )


def kept(folder: str | Path, experiment: AbstractExperiment) -> list[Table] | None:
    """The tables, if they have been computed with these settings."""
    file = file_of(folder, experiment)
    if not file.is_file():
        return None
    tables = json.loads(file.read_text(encoding="utf-8"))["tables"]
    return [Table(t["title"], t["header"], t["rows"], t["notes"]) for t in tables]


def keep(
    folder: str | Path, experiment: AbstractExperiment, tables: Sequence[Table], seconds: float
) -> None:
    """Writes the tables with the settings that they are of."""
    content = {
        "experiment": experiment.name,
        "settings": _settings(experiment),
        "tables": [
            {name: getattr(table, name) for name in ("title", "header", "rows", "notes")}
            for table in tables
        ],
        "seconds": round(seconds, 1),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "gmixup": __version__,
    }
    write_text(file_of(folder, experiment), json.dumps(content, indent=1) + "\n")


def _settings(experiment: AbstractExperiment) -> dict[str, str]:
    own = {item.name: getattr(experiment, item.name) for item in fields(experiment)}
    return {name: repr(value) for name, value in own.items() if name not in PLACES}
