"""The command `reproduce`: a table or figure of the paper anew, beside the published one."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from gmixup.commands._words import Flag, Positive, Whole, tell_failures, words_of_the_user


def reproduce(
    name: str,
    /,
    *,
    only: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    dry_run: Flag = False,
    show: Flag = False,
    job: Path | None = None,
    seeds: Positive | None = None,
    seed: Whole = 0,
    records: Path = Path("records"),
    out: Path | None = None,
    results: Path | None = None,
    compact: Flag = False,
    root: Path | None = None,
    device: str = "auto",
    jobs: Positive = 1,
    quiet: Flag = False,
) -> None:
    """Make a table or figure of the paper anew, beside the published one.

    Runs that have a record are not run again; what is missing is run where its data set is at hand,
    and else shown as not run. Nothing is downloaded.

    Parameters
    ----------
    name
        The experiment, such as performance, estimators or claims; all: every one.
    only
        Data sets, networks, methods or columns: the part of the tables to run and to show.
    dry_run
        List what there is, what is missing and how long it will take; run nothing.
    show
        Show what the records hold; train and compute nothing.
    job
        A file to write the missing runs into, for `python -m gmixup.training` on another machine;
        run nothing.
    seeds
        How many seeds: SEED, SEED + 1, and so on [default: as the experiment says].
    seed
        The first of them.
    records
        The folder of the records.
    out
        A folder to write Markdown, LaTeX, HTML and figures (PNG, SVG) into.
    results
        A file to write the page of all results into, from the records alone.
    compact
        Join the single files of runs into one file a table, NAME.jsonl, to be kept.
    root
        The folder that holds the data sets [default: $GMIXUP_DATA, else data].
    device
        auto, cpu or cuda.
    jobs
        How many processes train at once.
    quiet
        Show no progress.
    """
    from gmixup import experiments
    from gmixup.experiments._job import write_job
    from gmixup.experiments._reproduce import carry_out, tables_of
    from gmixup.experiments._work import Work

    with words_of_the_user():
        work = Work.of(name, only or (), seeds=seeds, seed=seed, records=records, root=root)

    def progress(line: str) -> None:
        if not quiet:
            print(line, file=sys.stderr)

    if job is not None:
        count = write_job(work.plan(), job)
        print(f"{count} runs in {job}: python -m gmixup.training {job}")
        return
    running = {"device": device, "jobs": jobs, "progress": progress}
    page, made = carry_out(work, name, dry_run=dry_run, show=show, out=out, **running)
    if compact:
        experiments.compact_tables(records)
    if results is not None:
        experiments.write_results(records, results, seeds)
    print(tables_of(page), end="")
    tell_failures([record for record in made if record["status"] == "failed"], len(made))
