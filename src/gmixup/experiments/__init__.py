"""Experiments: every table and figure of the paper that is re-made, one per file."""

from gmixup.registry import Room

room = Room(__name__, "experiment")
__getattr__ = room.attribute
