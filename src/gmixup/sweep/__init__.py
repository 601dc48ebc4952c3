"""Sweep: runs the cells that have no record yet, over processes or a cluster, and survives."""

from gmixup.sweep.running import run, there

__all__ = ["run", "there"]
