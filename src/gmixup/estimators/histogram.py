"""Histogram: block means in the pooled order of degrees, smoothed (placeholder for check)."""

from dataclasses import dataclass
from typing import ClassVar
from gmixup.estimators._base import AbstractEstimator
from gmixup.alignment import Alignment


@dataclass(frozen=True)
class Histogram(AbstractEstimator):
    """Block means."""

    name: ClassVar[str] = "histogram"
    alignment: Alignment = "pooled"

    def fit(self, graphs, resolution):
        aligned = self.align(graphs, resolution)
        return aligned.mean(), aligned
