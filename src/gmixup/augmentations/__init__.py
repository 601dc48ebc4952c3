"""Augmentations: what is done to a training set, a batch or a hidden layer, one method per file."""

from gmixup.registry import Room

room = Room(__name__, "augmentation")
__getattr__ = room.attribute
__dir__ = room.listed
