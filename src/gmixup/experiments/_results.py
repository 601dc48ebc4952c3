"""Results: a page of documentation of all that the records hold, written from them alone."""

from pathlib import Path

from gmixup.atomic import write_text
from gmixup.evidence.tables import NOT_RUN
from gmixup.experiments._archive import Archive
from gmixup.experiments._computed import kept
from gmixup.experiments._trained import FOLDER, AbstractTrained
from gmixup.experiments._work import Work
from gmixup.records import Records

HEAD = """# Results

Written from the records in `{folder}/` by `gmixup reproduce all --results {file}`; no number in it
was typed. A cell that has not been run is shown as {not_run}. `gmixup reproduce NAME` runs what is
missing of a table and shows it.
"""


def write_results(
    records: str | Path = FOLDER, path: str | Path = "docs/results.md", seeds: int | None = None
) -> None:
    """Every table, trained or computed, with its intervals; the same records, the same bytes."""
    work = Work.of(seeds=seeds, records=records)
    archive = Archive.of(Records(records).all())
    name = Path(records).name or str(records)
    told = [HEAD.format(folder=name, file=Path(path).as_posix(), not_run=NOT_RUN)]
    for experiment in work.experiments.values():
        if isinstance(experiment, AbstractTrained):
            results = archive.results(experiment.settings(), experiment.each_seed)
            tables = experiment.view(results).tables
            if not any(found.done for found in results.values()):
                tables = tables[:1]
        else:
            tables = kept(records, experiment)
        told.append(f"## {experiment.name}\n")
        told += [table.markdown() for table in tables or ()] or [f"{NOT_RUN}\n"]
    write_text(path, "\n".join(told))
