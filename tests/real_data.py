"""The real data sets, where they are at hand: the one place that looks for them."""

import os

import pytest

from gmixup import datasets
from gmixup.datasets._disk import places


def real_folder(name):
    """The folder of a real data set; skips the test where there is none."""
    root = os.environ.get("GMIXUP_DATA")
    folders = [place for place in places(name, root) if place.is_dir()] if root else []
    if not folders:
        pytest.skip(
            f"{name} is not at hand: set GMIXUP_DATA to a folder with TU/ and ogb/ in which PyG's "
            "TUDataset and ogb have put their data sets"
        )
    return folders[0]


def real(name):
    """The graphs of a real data set; skips the test where there is none."""
    real_folder(name)
    return datasets.load(name)
