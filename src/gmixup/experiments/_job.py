"""Job: what is missing of tables as a file for `python -m gmixup.training`, for another machine."""

import json
from pathlib import Path

from gmixup.atomic import write_text
from gmixup.experiments._cells import UNKNOWN
from gmixup.experiments._plan import Plan
from gmixup.training import Cell


def write_job(plan: Plan, file: str | Path) -> int:
    """Writes the missing runs, also of sets that are not at hand here; tells how many they are."""
    runs = [_told(cell) for cell in plan.missing(at_hand=False)]
    lines = ",\n".join(json.dumps(run, sort_keys=True) for run in runs)
    write_text(file, f'{{"out": "records", "runs": [\n{lines}\n]}}\n')
    return len(runs)


def _told(cell: Cell) -> dict[str, object]:
    # Where a set is not at hand, its content is what is found over there.
    known = cell.fingerprint != UNKNOWN
    return {k: v for k, v in cell.config.items() if known or k != "fingerprint"}
