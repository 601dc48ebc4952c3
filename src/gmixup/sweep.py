"""Sweep: which cells have no record yet, and running them."""
