"""Atomic: files that appear whole or not at all, so that a killed run leaves nothing half made."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_files(folder: str | Path) -> Iterator[Path]:
    """A hidden draft to write into; its files move into `folder` once the block ends well."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"`out` is {str(folder)!r}, which is a file; name a folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, because only within one file system is a move a single step.
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield draft
        folder.mkdir(exist_ok=True)
        for file in sorted(draft.iterdir()):
            file.replace(folder / file.name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_text(file: str | Path, text: str) -> None:
    """Writes a text file in one step."""
    file = Path(file)
    with whole_files(file.parent) as draft:
        (draft / file.name).write_text(text, encoding="utf-8")
