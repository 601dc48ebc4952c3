"""Failures: what is said of runs that failed."""

import warnings
from collections.abc import Sequence

from gmixup.records import Record


class FailedRunsWarning(UserWarning):
    """Some runs failed; what is shown leaves them out."""


def failures(records: Sequence[Record]) -> str | None:
    """How many of the runs failed, and the error of the first; None where all are done."""
    failed = [record for record in records if record["status"] != "done"]
    if not failed:
        return None
    return f"{len(failed)} of {len(records)} runs failed: {failed[0]['error']}"


def warn_of_failures(records: Sequence[Record]) -> None:
    """A warning to whoever called `train` or `compare`: a result without runs explains nothing."""
    told = failures(records)
    if told is not None:
        warnings.warn(f"{told} (all errors: `.failed`)", FailedRunsWarning, stacklevel=3)
