"""Surfaces: the synthetic graphons on which estimators are compared (Xu et al., 2021), by name.

Each is a function of two arrays in [0, 1]. Where the published formula grows with its arguments
both axes are reversed, so that position 0 has the largest degree, as for every estimate.
"""

from collections.abc import Callable

import numpy as np

Surface = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _reversed(surface: Surface) -> Surface:
    return lambda u, v: surface(1 - u, 1 - v)


def _logistic(steepness: float) -> Surface:
    return lambda u, v: 1 / (1 + np.exp(-steepness * (u**2 + v**2)))


def _same_half(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return (u < 0.5) == (v < 0.5)


SURFACES: dict[str, Surface] = {
    "product": _reversed(lambda u, v: u * v),
    "exponential-sum": lambda u, v: np.exp(-(u**0.7 + v**0.7)),
    "square-and-root": _reversed(lambda u, v: (u**2 + v**2 + np.sqrt(u) + np.sqrt(v)) / 4),
    "mean": _reversed(lambda u, v: (u + v) / 2),
    "logistic-2": _reversed(_logistic(2)),
    "logistic-max-min": _reversed(
        lambda u, v: 1 / (1 + np.exp(-(np.maximum(u, v) ** 2 + np.minimum(u, v) ** 4)))
    ),
    "exponential-max": lambda u, v: np.exp(-(np.maximum(u, v) ** 0.75)),
    "exponential-min-root": lambda u, v: np.exp(-(np.minimum(u, v) + np.sqrt(u) + np.sqrt(v)) / 2),
    "log-max": _reversed(lambda u, v: np.log1p(np.maximum(u, v) / 2)),
    "distance": lambda u, v: np.abs(u - v),
    "closeness": lambda u, v: 1 - np.abs(u - v),
    "two-blocks": lambda u, v: 0.8 * _same_half(u, v),
    "bipartite": lambda u, v: 0.8 * ~_same_half(u, v),
    # The paper prints the fifth row of its table so; the numbers in it belong to logistic-2.
    "logistic-10": _reversed(_logistic(10)),
}


def surface(name: str) -> Surface:
    """The synthetic graphon called `name`."""
    if name not in SURFACES:
        raise ValueError(f"`name` is {name!r}; the synthetic graphons are {', '.join(SURFACES)}")
    return SURFACES[name]
