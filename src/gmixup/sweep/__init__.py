"""Sweep: runs the cells that have no record yet, over processes or a cluster, and survives."""

from gmixup.sweep.failures import FailedRunsWarning, failures, warn_of_failures
from gmixup.sweep.running import run, there

__all__ = ["FailedRunsWarning", "failures", "run", "there", "warn_of_failures"]
