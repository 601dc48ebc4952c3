"""Random streams by seed and purpose: one split for all methods, a stream for every use.

A stream depends on nothing but the seed and the words that name its purpose, so a new draw in one
place never shifts the numbers in another.
"""

import hashlib

import numpy as np
import torch


def derive(seed: int, *purpose: object) -> int:
    """A 63-bit seed from a seed and the words that name its purpose."""
    text = "\x1f".join([str(int(seed)), *(str(part) for part in purpose)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(seed: int, *purpose: object, device: str = "cpu") -> torch.Generator:
    """A torch generator for one purpose, e.g. `generator(0, "split")`."""
    return torch.Generator(device).manual_seed(derive(seed, *purpose))


def numpy_generator(seed: int, *purpose: object) -> np.random.Generator:
    """The same for code that draws with numpy."""
    return np.random.default_rng(derive(seed, *purpose))


def as_generator(seed: int | torch.Generator, *purpose: object) -> torch.Generator:
    """A generator as it is, or the one that a plain seed and a purpose stand for."""
    return seed if isinstance(seed, torch.Generator) else generator(seed, *purpose)
