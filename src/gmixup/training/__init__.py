"""Training: from a cell (data, network, augmentation, recipe, split, seed) to one record."""
