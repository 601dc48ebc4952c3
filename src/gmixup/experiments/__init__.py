"""Experiments: every table and figure of the paper that is re-made, one per file."""

from importlib import import_module
from typing import TYPE_CHECKING

from gmixup.registry import Room

if TYPE_CHECKING:
    from gmixup.experiments._compacting import compact_tables
    from gmixup.experiments._reproduce import reproduce
    from gmixup.experiments._results import write_results

__all__ = ["compact_tables", "reproduce", "room", "write_results"]

room = Room(__name__, "experiment")


# Loaded on first use, for the parts of the room import this package.
FUNCTIONS = {
    "compact_tables": "_compacting",
    "reproduce": "_reproduce",
    "write_results": "_results",
}


def __getattr__(name: str):
    if name in FUNCTIONS:
        return getattr(import_module(f"{__name__}.{FUNCTIONS[name]}"), name)
    return room.attribute(name)
