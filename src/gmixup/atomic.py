"""Atomic: files that appear whole or not at all, so that a killed run leaves nothing half made."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_files(folder: str | Path, last: str | None = None) -> Iterator[Path]:
    """A hidden draft to write into; what it holds moves into `folder` once the block ends well.

    Each file or folder moves in one step; the one called `last` says by being there that all are.
    """
    folder = Path(folder)
    check_folder(folder)
    new = not folder.exists()
    # Beside a new folder, which then appears in one step; inside one that is there, whose parent
    # may be another file system.
    home = folder.parent if new else folder
    home.mkdir(parents=True, exist_ok=True)
    draft = home / f".{folder.name}-{secrets.token_hex(6)}"
    draft.mkdir()
    try:
        yield draft
        _to_disk(draft)
        if new and not folder.exists():
            draft.rename(folder)
            _names_to_disk(home)
            return
        if last is not None:
            (folder / last).unlink(missing_ok=True)
        for file in sorted(draft.iterdir(), key=lambda file: (file.name == last, file.name)):
            _replace(file, folder / file.name)
        draft.rmdir()  # now, for the disk may take long, and who is killed then leaves no draft
        _names_to_disk(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def check_folder(folder: str | Path) -> None:
    """Raises where no folder can be: to be asked before the work of hours is to be written."""
    for place in (Path(folder), *Path(folder).parents):
        if place.exists() and not place.is_dir():
            raise NotADirectoryError(
                f"`out` is {str(folder)!r}, but {str(place)!r} is a file; name a folder"
            )


def write_text(file: str | Path, text: str) -> None:
    """Writes a text file in one step."""
    file = Path(file)
    with whole_files(file.parent) as draft:
        (draft / file.name).write_text(text, encoding="utf-8")


def _replace(source: Path, target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    source.replace(target)


def _to_disk(draft: Path) -> None:
    """Files reach the disk before their names do, or a power cut could leave names of nothing."""
    for file in draft.rglob("*"):
        if file.is_file():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())


def _names_to_disk(folder: Path) -> None:
    """A new name lies in its folder, which has to reach the disk as well."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    entry = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems refuse it
            os.fsync(entry)
    finally:
        os.close(entry)
