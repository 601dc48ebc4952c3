"""Numbers out of large text files, plain or gzipped, commas or blanks between them."""

import gzip
import re
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# Bytes that are parsed at once: enough to be quick, little enough to need no memory to speak of.
BLOCK = 1 << 25


def read_numbers(path: Path, dtype: type = np.int64, columns: int = 0) -> NDArray:
    """The numbers of a text file as (lines, columns); 0 columns: as many as its first line has."""
    parts = []
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        while block := file.read(BLOCK):
            block += file.readline()
            columns = columns or len(re.findall(rb"[^\s,]+", block.lstrip().split(b"\n", 1)[0]))
            parts.append(_parsed(block, dtype, path))
    numbers = np.concatenate(parts) if parts else np.empty(0, dtype)
    if columns and len(numbers) % columns:
        raise ValueError(
            f"{path} holds {len(numbers)} numbers in lines of {columns}; give every line alike"
        )
    return numbers.reshape(-1, max(columns, 1))


def _parsed(block: bytes, dtype: type, path: Path) -> NDArray:
    with warnings.catch_warnings():
        # Older versions of numpy warn, and return what they have, where newer ones raise.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(block.replace(b",", b" "), dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            kind = "whole numbers" if dtype is np.int64 else "numbers"
            raise ValueError(f"{path} holds something other than {kind}; correct it") from None
