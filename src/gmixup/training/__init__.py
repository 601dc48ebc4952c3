"""Training: from a cell (data, network, augmentation, recipe, split, seed) to one record."""

from gmixup.training.cell import Cell, Corruption, SplitRule
from gmixup.training.loops import Loop, device_of, train_cells
from gmixup.training.recipe import Recipe
from gmixup.training.tensor_board import TensorBoard

__all__ = [
    "Cell",
    "Corruption",
    "Loop",
    "Recipe",
    "SplitRule",
    "TensorBoard",
    "device_of",
    "train_cells",
]
