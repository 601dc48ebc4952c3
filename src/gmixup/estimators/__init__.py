"""Estimators: from graphs to a graphon, one method per file."""

from gmixup.registry import Room

room = Room(__name__, "estimator")
__getattr__ = room.attribute
__dir__ = room.listed
