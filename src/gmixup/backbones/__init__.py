"""Backbones: networks that classify graphs, one architecture per file."""

from gmixup.backbones._base import Inputs, inputs_of
from gmixup.backbones._foreign import BackboneRoom
from gmixup.backbones._layers import numbered_dropouts

room = BackboneRoom(__name__, "backbone")
__getattr__ = room.attribute
__dir__ = room.listed

__all__ = ["Inputs", "inputs_of", "numbered_dropouts", "room"]
