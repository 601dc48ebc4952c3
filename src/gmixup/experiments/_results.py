"""Results: a page of documentation of all that the records hold, written from them alone."""

from pathlib import Path

from gmixup.atomic import write_text
from gmixup.evidence.tables import NOT_RUN
from gmixup.experiments._archive import Archive
from gmixup.experiments._computed import kept
from gmixup.experiments._plan import Plan
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
    trained = {n: archive.results(e.settings(), e.each_seed) for n, e in work.trained.items()}
    computed = {name: kept(records, own) for name, own in work.computed.items()}
    name = Path(records).name or str(records)
    told = [HEAD.format(folder=name, file=Path(path).as_posix(), not_run=NOT_RUN)]
    # What is at hand on this machine is not in the records.
    settings = (own.settings().values() for own in work.trained.values())
    here = {one.data: True for several in settings for one in several}
    there = {name: tables is not None for name, tables in computed.items()}
    onlookers = [name for name, own in work.trained.items() if not own.trains]
    told += ["## All runs\n", Plan(archive, trained, there, here, onlookers).table().markdown()]
    for name, experiment in work.experiments.items():
        tables = computed.get(name)
        if isinstance(experiment, AbstractTrained):
            tables = experiment.view(trained[name]).tables
            if not any(found.done for found in trained[name].values()):
                tables = tables[:1]
        told.append(f"## {name}\n")
        told += [table.markdown() for table in tables or ()] or [f"{NOT_RUN}\n"]
    write_text(path, "\n".join(told))
