"""A data set read from text is kept as one `.npz` file, so that the next reading is quick."""

import contextlib
import hashlib
import os
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from gmixup.atomic import whole_files
from gmixup.graphs import GraphSet

# Raised whenever a reader changes what it makes of the same files.
FORMAT = 1
# Below so many bytes of text, reading it again takes no time worth a file.
WORTH_PACKING = 1 << 20
# A file that cannot be read, because it is broken or of another version, is as good as none.
UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile)


def cache_folder() -> Path:
    """$GMIXUP_CACHE, else the place where this platform keeps what can be made again."""
    if given := os.environ.get("GMIXUP_CACHE"):
        return Path(given).expanduser()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local"
        return Path(local) / "gmixup/Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/gmixup"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gmixup"


def packed(files: Sequence[Path], settings: str, read: Callable[[], GraphSet]) -> GraphSet:
    """What `read` makes of the files, from the packed file if they have not changed since.

    It lies in `packed/` beside a folder `raw/` (the layout of loaders, who write there anyway),
    or in the cache folder where that is not writable or the files are a person's own.
    """
    states = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in sorted(files)]
    if sum(size for _, size, _ in states) < WORTH_PACKING:
        return read()
    settings_key, key = (_short_hash(part) for part in (settings, (FORMAT, settings, states)))
    shelves = _shelves(files[0].absolute().parent)
    for shelf in shelves:
        with contextlib.suppress(*UNREADABLE):
            return GraphSet.load(shelf / f"{settings_key}-{key}.npz")
    graphs = read()
    for shelf in shelves:
        with contextlib.suppress(OSError):
            _put(graphs, shelf, settings_key, key)
            break
    return graphs


def _put(graphs: GraphSet, shelf: Path, settings_key: str, key: str) -> None:
    with whole_files(shelf) as draft:
        graphs.save(draft / f"{settings_key}-{key}.npz")
    for file in shelf.glob(f"{settings_key}-*.npz"):
        if key not in file.name:
            file.unlink()  # made from files that have changed since


def _shelves(folder: Path) -> list[Path]:
    beside = [folder.parent / "packed"] if folder.name == "raw" else []
    return [*beside, cache_folder() / f"{folder.name}-{_short_hash(str(folder))}"]


def _short_hash(content: object) -> str:
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]
