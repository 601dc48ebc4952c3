"""Statistics written out from their definitions, slowly."""

from math import sqrt

import numpy as np
from scipy import integrate, special


def holm(p):
    """Holm (1979): the level at which each hypothesis falls, stepping down from the smallest p.

    At a level, hypotheses are rejected in order of p as long as p <= level / (those left); the
    adjusted p-value of each is the smallest level that rejects it, sought here among all that can.
    """
    count = len(p)
    candidates = sorted({min(1.0, value * factor) for value in p for factor in range(1, count + 1)})

    def rejected(level):
        order = sorted(range(count), key=lambda place: p[place])
        fallen = set()
        for step, place in enumerate(order):
            # A sliver for rounding: the candidate is the product, compared with the quotient.
            if p[place] * (count - step) > level * (1 + 1e-12) and level < 1:
                break
            fallen.add(place)
        return fallen

    return [next(c for c in [*candidates, 1.0] if place in rejected(c)) for place in range(count)]


def student_tail(t, degrees):
    """The chance that Student's t lies above t, from its density."""
    scale = special.gamma((degrees + 1) / 2) / (sqrt(degrees * np.pi) * special.gamma(degrees / 2))
    area, _ = integrate.quad(
        lambda x: scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2), 0, abs(t), epsabs=1e-13
    )
    return 0.5 - area


def corrected_t(differences, train, test):
    """Nadeau and Bengio (2003), the statistic of their corrected resampled t-test."""
    runs = len(differences)
    mean = sum(differences) / runs
    variance = sum((value - mean) ** 2 for value in differences) / (runs - 1)
    return mean / sqrt((1 / runs + test / train) * variance)
