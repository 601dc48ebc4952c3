"""Where data sets lie on disk: the root, the places looked at, and downloads into them."""

import http.client
import os
import re
import shutil
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

SECONDS_TO_WAIT = 60


def root_folder(root: str | Path | None = None) -> Path:
    """The folder that holds the data sets: `root`, else $GMIXUP_DATA, else data/."""
    return Path(root or os.environ.get("GMIXUP_DATA") or "data").expanduser()


def is_name(text: str) -> bool:
    """Whether a text can be the name of a data set rather than a path."""
    return re.fullmatch(r"[\w+-]+", text) is not None


def places(name: str, root: str | Path | None = None) -> list[Path]:
    """The folders where a data set is looked for, in order; OGB's have underscores for dashes."""
    folder = root_folder(root)
    spellings = dict.fromkeys([name, name.replace("-", "_")])
    return [base / s for base in (folder / "TU", folder, folder / "ogb") for s in spellings]


def download(url: str, target: Path) -> None:
    """The one folder in the zip archive at `url` becomes `target`, or nothing is left behind."""
    print(f"Downloading {url} to {target}", file=sys.stderr)
    try:
        with tempfile.TemporaryFile() as archive:
            with urllib.request.urlopen(url, timeout=SECONDS_TO_WAIT) as answer:
                shutil.copyfileobj(answer, archive)
            _unpack(archive, target)
    except (OSError, http.client.HTTPException, zipfile.BadZipFile) as error:
        raise ConnectionError(f"the download of {url} failed ({error})") from error


def _unpack(archive, target: Path) -> None:
    with zipfile.ZipFile(archive) as content:
        tops = {name.split("/", 1)[0] for name in content.namelist()} - {"__MACOSX"}
        if len(tops) != 1:
            raise zipfile.BadZipFile(f"{len(tops)} folders in the archive where one is expected")
        # On the target's disk, where a move is one step, but not in a folder made for it too early.
        near = next(folder for folder in target.absolute().parents if folder.is_dir())
        with tempfile.TemporaryDirectory(dir=near, prefix=".download-") as scratch:
            content.extractall(scratch)
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                (Path(scratch) / tops.pop()).replace(target)
            except OSError:
                if not (target.is_dir() and any(target.iterdir())):
                    raise  # else another process has put it there meanwhile
