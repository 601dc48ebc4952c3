"""The command `doctor`: what is installed, found and missing."""

from pathlib import Path


def doctor(*, root: Path | None = None) -> None:
    """Say which versions, threads, devices and data are there, and what is missing for what.

    Parameters
    ----------
    root
        The folder that holds the data sets [default: $GMIXUP_DATA, else data].
    """
    from gmixup.doctor import examine

    print("\n".join(examine(root)))
