"""The command `report`: any folder of records as one page."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from gmixup.commands._words import WrongUseError


def report(
    folder: Annotated[Path, Parameter(name="dir")] = Path("runs"),
    /,
    *,
    out: Path | None = None,
    title: str | None = None,
    baseline: str = "none",
) -> None:
    """Fold a folder of records into one page: the verdict first, then each group of runs.

    Writes report.html, which opens from disk and fetches nothing, report.md and report.tex.

    Parameters
    ----------
    folder
        The folder in which records lie, or folders of them.
    out
        The folder to write into, or one file: .html, .md or .tex [default: DIR].
    title
        The title of the page [default: the name of DIR].
    baseline
        The method that all others are compared with.
    """
    from gmixup.atomic import check_folder
    from gmixup.evidence.folding import fold
    from gmixup.evidence.page import KINDS
    from gmixup.records import Records

    if not folder.is_dir():
        raise WrongUseError(f"`dir` is {str(folder)!r}, where no folder is; name one with records")
    records = sorted(Records(folder).all(), key=lambda record: str(record.get("date") or ""))
    out = out or folder
    alone = out.suffix.lower() in KINDS
    check_folder(out.parent if alone else out)
    page = fold(records, title or folder.resolve().name, baseline)  # as they came to be asked for
    for file in [out] if alone else [out / f"report{kind}" for kind in KINDS]:
        page.save(file)
    verdict = page.verdict
    told = [verdict] if isinstance(verdict, str) else [verdict.words, *verdict.remarks]
    print(*told, sep="\n")
    print(f"report: {out}" if alone else f"report: {out / 'report.html'} (also .md and .tex)")
