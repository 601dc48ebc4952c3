"""Experiments: every table and figure of the paper that is re-made, one per file."""

from typing import TYPE_CHECKING

from gmixup.registry import Room

if TYPE_CHECKING:
    from gmixup.experiments._reproduce import reproduce
    from gmixup.experiments._results import write_results

__all__ = ["reproduce", "room", "write_results"]

room = Room(__name__, "experiment")


def __getattr__(name: str):
    if name == "reproduce":  # on first use, for the parts of the room need it to be importable
        from gmixup.experiments._reproduce import reproduce

        return reproduce
    if name == "write_results":
        from gmixup.experiments._results import write_results

        return write_results
    return room.attribute(name)
