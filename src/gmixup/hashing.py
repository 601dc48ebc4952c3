"""Hashing: random numbers by counter, as Philox has them: a hash of a key and a place."""

from torch import Tensor

# Multipliers and shifts of the 64-bit finaliser of SplitMix64 (Steele, Lea and Flood 2014).
_MULTIPLIERS = (0xBF58476D1CE4E5B9 - (1 << 64), 0x94D049BB133111EB - (1 << 64))
_SHIFTS = (30, 27)


def hashed_uniforms(places: Tensor, key: Tensor) -> Tensor:
    """float64 in [0, 1), independent between different `places` (int64); the shape of places."""
    bits = places + key
    for shift, multiplier in zip(_SHIFTS, _MULTIPLIERS, strict=True):
        bits = (bits ^ _shifted(bits, shift)) * multiplier
    bits = bits ^ _shifted(bits, 31)
    return _shifted(bits, 11).double() * 2.0**-53


def _shifted(bits: Tensor, places: int) -> Tensor:
    """A shift to the right that fills with zeros; torch's own repeats the sign."""
    return (bits >> places) & ((1 << (64 - places)) - 1)
