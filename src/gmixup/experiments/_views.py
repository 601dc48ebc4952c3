"""Views: what the runs of a table say, as tables: means, beside the printed ones, differences."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan

from gmixup.evidence.beside import beside
from gmixup.evidence.comparison import HEADER, Comparison
from gmixup.evidence.pairing import compare_records
from gmixup.evidence.published import Cell as Place
from gmixup.evidence.published import Score, published, replicated
from gmixup.evidence.tables import NOT_RUN, Table
from gmixup.experiments._archive import Found, Results

BASELINE = "none"
NO_SUCH = "–"  # a place that the table does not have
Row = Callable[[Place], tuple[str, ...]]


def by_method(place: Place) -> tuple[str, ...]:
    """The row of a place in a table of networks and methods."""
    return place.group, place.method


def overview(
    results: Results,
    title: str,
    notes: Sequence[str] = (),
    row: Row = by_method,
    names: Sequence[str] = ("network", "method"),
) -> Table:
    """The table as the paper has it, of our runs alone, each cell with its interval."""
    columns = list(dict.fromkeys(place.column for place in results))
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for place, found in results.items():
        lines.setdefault(row(place), {})[place.column] = shown(found)
    rows = [(*key, *(line.get(c, NO_SUCH) for c in columns)) for key, line in lines.items()]
    metrics = sorted({record["metric"] for found in results.values() for record in found.done})
    what = f" ({', '.join(metrics)})" if metrics else ""
    told = f"Per cent on test{what}: mean ± sd over runs, and the 95 % interval of the mean."
    return Table(title, (*names, *columns), rows, (told, *_gaps(results), *notes))


def shown(found: Found) -> str:
    """Mean ± sd and interval; of how many runs, where some are missing."""
    score = found.score
    if score is None:
        return NOT_RUN
    text = f"{score.mean:.2f}"
    if not isnan(score.std):
        low, high = score.interval
        text += f" ± {score.std:.2f} [{low:.2f}, {high:.2f}]"
    return text if found.complete else f"{text} ({score.runs} of {found.wanted} runs)"


def beside_published(
    results: Results, table: str, title: str, remarks: Mapping[Place, str]
) -> Table:
    """Every cell beside what the paper prints and what others got."""
    ours: dict[Place, Score] = {p: f.score for p, f in results.items() if f.score is not None}
    wanted = dict.fromkeys(results)
    printed = {place: score for place, score in published(table).items() if place in wanted}
    others = {place: told for place, told in replicated(table).items() if place in wanted}
    return beside(ours, printed, others, remarks, title)


def differences(results: Results, title: str, names: Sequence[str] = ("network", "data")) -> Table:
    """Every method less the baseline, paired by split, within each network and data set."""
    within = "corrected within one group of rows here"
    return differences_table(comparisons(results), title, names, within)


def comparisons(results: Results) -> dict[tuple[str, str], Comparison]:
    """By group and column, where there is a baseline and something beside it."""
    found = {}
    for place, methods in _together(results).items():
        if BASELINE not in methods or len(methods) < 2:
            continue
        called = {r["key"]: method for method, found in methods.items() for r in found.done}
        records = [record for found in methods.values() for record in found.done]
        found[place] = compare_records(
            records, BASELINE, label=lambda r, called=called: called[r["key"]]
        )
    return found


def differences_table(
    found: Mapping[tuple[str, str], Comparison], title: str, names: Sequence[str], corrected: str
) -> Table:
    """The rows of several comparisons; `corrected` says over what Holm's correction is."""
    rows = [
        (*place, *line)
        for place, one in found.items()
        for line in one.table.rows
        if line[0] != BASELINE
    ]
    notes = (
        f"Points: each method less {BASELINE} on the same splits and initial weights. Verdict and "
        "p (Holm) are of the corrected resampled t-test, for new graphs of this kind, "
        f"{corrected}; “on this collection” is over splits of these graphs.",
    )
    return Table(title, (*names, *HEADER), rows, notes)


def _together(results: Results) -> dict[tuple[str, str], dict[str, Found]]:
    """The methods that have runs, by group and column."""
    found: dict[tuple[str, str], dict[str, Found]] = {}
    for place, runs in results.items():
        if runs.done:
            found.setdefault((place.group, place.column), {})[place.method] = runs
    return found


def _gaps(results: Results) -> list[str]:
    """What is not there, and why where a run failed."""
    wanted = sum(found.wanted for found in results.values())
    done = sum(len(found.done) for found in results.values())
    errors = [record["error"] for found in results.values() for record in found.failed]
    notes = [] if done == wanted else [f"{done} of {wanted} runs are there."]
    return [*notes, f"{len(errors)} runs failed, the first by: {errors[0]}"] if errors else notes
