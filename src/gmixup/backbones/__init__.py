"""Backbones: networks that classify graphs, one architecture per file."""

from gmixup.backbones._base import Inputs, inputs_of
from gmixup.backbones._foreign import BackboneRoom

room = BackboneRoom(__name__, "backbone")
__getattr__ = room.attribute

__all__ = ["Inputs", "inputs_of", "room"]
