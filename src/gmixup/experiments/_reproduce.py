"""Reproduce: runs what is missing of a table or of all, and shows it from records."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gmixup import sweep
from gmixup.atomic import check_folder, whole_files
from gmixup.evidence.page import Headline, Page, Section
from gmixup.evidence.pictures import Picture
from gmixup.experiments._base import Progress, View
from gmixup.experiments._plan import Plan
from gmixup.experiments._trained import FOLDER
from gmixup.experiments._work import ALL, CLAIMS, Work
from gmixup.plots import save_figure
from gmixup.records import Record, Records


def reproduce(
    name: str = ALL,
    only: Sequence[str] = (),
    *,
    seeds: int | None = None,
    seed: int = 0,
    records: str | Path = FOLDER,
    root: str | Path | None = None,
    **doing: Any,
) -> Page:
    """A table or figure of the paper, or all, beside the printed numbers; see `carry_out`."""
    work = Work.of(name, only, seeds=seeds, seed=seed, records=records, root=root)
    return carry_out(work, name, **doing)[0]


def carry_out(
    work: Work,
    name: str,
    *,
    dry_run: bool = False,
    show: bool = False,
    out: str | Path | None = None,
    progress: Progress = print,
    **running: Any,
) -> tuple[Page, list[Record]]:
    """Runs what is missing where its data set is at hand, unless `show`: the page, and those runs.

    `dry_run` only tells what is there. `out` is a folder for Markdown, LaTeX, HTML, PNG and SVG.
    `running` goes to the sweep: device, jobs, loop.
    """
    folder = None if out is None else Path(out)
    if folder is not None:
        check_folder(folder)
    plan, made = work.plan(), []
    views: Mapping[str, View] = {}
    if dry_run:
        page = dry(plan, name)
    else:
        missing = [] if show else plan.missing()
        _tell(plan, progress)
        if missing:
            progress(f"{len(missing)} run{'s are' if len(missing) > 1 else ' is'} missing")
            made = sweep.run(missing, Records(work.folder), root=work.root, **running)
            plan = work.plan()
        views = work.views(plan, progress, compute=not show, out=folder)
        page = page_of(views, name, plan)
    if folder is not None:
        write(page, views, folder, name)
    return page, made


def _tell(plan: Plan, progress: Progress) -> None:
    """What will be missing from the tables, and why."""
    absent = {cell.data for cell in plan.missing(at_hand=False) if not plan.at_hand[cell.data]}
    for data in sorted(absent):
        progress(f"{data} is not among the data sets: what is missing of it is not run")
    for data in plan.archive.strangers:
        progress(f"{data} at hand is not the set that its records are of: they do not count")


def dry(plan: Plan, name: str) -> Page:
    """What is there, as a page; of one table each of its places."""
    tables = [plan.table(), *([plan.places(name)] if name in plan.trained else [])]
    missing = len(plan.missing(at_hand=False))
    return Page("What is there", f"{missing} runs are missing.", [Section(name, tables)])


def page_of(views: Mapping[str, View], name: str, plan: Plan) -> Page:
    """One page with a section for each experiment."""
    sections = [
        Section(own, [*view.tables, *(Picture(f, title) for title, f in view.figures.items())])
        for own, view in views.items()
    ]
    left = len(plan.missing(at_hand=False))
    words = f"{left} runs are missing." if left else "All runs are there."
    # Of the claims the count of each answer, which is the first note below their table.
    seen = [views[CLAIMS]] if CLAIMS in views else []
    told = [f"Observations: {view.tables[0].notes[0]}" for view in seen]
    return Page(f"Reproduced: {name}", Headline(words, told), sections)


def tables_of(page: Page) -> str:
    """All tables of a page in Markdown."""
    return "\n".join(table.markdown() for table in page.tables)


def write(page: Page, views: Mapping[str, View], folder: Path, name: str) -> None:
    """NAME.md, .tex and .html, and each figure as .png and .svg."""
    with whole_files(folder) as draft:
        for kind in ("md", "tex", "html"):
            page.save(draft / f"{name}.{kind}")
        for view in views.values():
            for title, figure in view.figures.items():
                for kind in ("png", "svg"):
                    save_figure(figure, draft / f"{title}.{kind}")
