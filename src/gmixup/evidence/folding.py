"""Folding: any records, of one comparison or of hundreds, made into one page.

    page = fold(Records("runs").all(), "My runs")
    page.save("report.html")    # or .md, or .tex for its tables

Runs that share data, network, recipe, kind of split and corruption are a group. A group with a
baseline and something beside it is compared, any other is a table of means.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gmixup.evidence.answer import answers, methods
from gmixup.evidence.comparison import HEADER, Comparison
from gmixup.evidence.curves import drawable
from gmixup.evidence.drawings import forest, training
from gmixup.evidence.groups import Group, brief, group, in_words
from gmixup.evidence.naming import default_label, is_control
from gmixup.evidence.page import Facts, Headline, Note, Page, Part, Section, Text
from gmixup.evidence.pairing import Summary, compare_records, summarise
from gmixup.evidence.planner import floor
from gmixup.evidence.tables import Table
from gmixup.evidence.verdict import points

Record = Mapping[str, Any]

MOST_DRAWN = 100  # groups whose training curves are drawn: each makes the page 40 kB larger
SPOILT = ("corruption.labels", "corruption.edges_added", "corruption.edges_removed")
LONGEST_ERROR = 160  # characters of an error that a table shows
DONE = "done"
UP_TO_FITS = HEADER.index("fits") + 1  # the columns of a comparison that the overview has too


def fold(records: Iterable[Record], title: str = "Runs", baseline: str = "none") -> Page:
    """The page of these records: the verdict first, then a section for each group of runs."""
    records = list(records)
    if not records:
        return Page(title, Headline("No runs yet: no record was found."), [])
    groups = group(records)
    compared = {
        one.name: compare_records(one.records, baseline)
        for one in groups
        if _comparable(one, baseline)
    }
    sections = [_overview(groups, compared)] if len(groups) > 1 else []
    for place, one in enumerate(groups):
        sections.append(_section(one, compared.get(one.name), len(groups), place < MOST_DRAWN))
    sections += _failed(groups)
    sections.append(Section("How it was made", [Facts(_made(records))]))
    head = answers(compared) if compared else _uncompared(records, len(groups), baseline)
    return Page(title, head, sections)


def _comparable(one: Group, baseline: str) -> bool:
    label = default_label(one.records)
    return len(names := {label(record) for record in one.records}) > 1 and baseline in names


def _uncompared(records: Sequence[Record], groups: int, baseline: str) -> Headline:
    done = sum(record["status"] == DONE for record in records)
    words = f"{done} runs in {groups} groups" if groups > 1 else f"{done} runs"
    remark = "Nothing is compared: no group holds both the baseline"
    return Headline(words, (f"{remark} `{baseline}` and something beside it.",))


def _section(one: Group, comparison: Comparison | None, groups: int, drawn: bool) -> Section:
    parts: list[Part] = []
    if comparison is None:
        parts.append(_means(one))
    else:
        if groups > 1 and methods(comparison):  # of a single group the head says it
            parts.append(Text(f"{comparison.verdict}\n\n{comparison.on_collection}"))
        parts += [comparison.table, *_forest(comparison), *_sight(comparison)]
    if drawn:
        parts += _curves(one)
    return Section(one.name, [*parts, Facts(_settings(one), "Settings of all these runs")])


def _settings(one: Group) -> dict[str, object]:
    """What all its runs share; a corruption that there is not is left out."""
    spoilt = any(one.settings.get(path) for path in SPOILT)
    return {
        in_words(path): "–" if value is None else brief(path, value)
        for path, value in one.settings.items()
        if value or path not in SPOILT
        if spoilt or not path.startswith("corruption.")
    }


def _overview(groups: Sequence[Group], compared: Mapping[str, Comparison]) -> Section:
    """Every method of every group in one table that can be sorted."""
    rows = []
    for one in groups:
        if comparison := compared.get(one.name):
            told = {line[0]: line for line in comparison.table.rows}
            rows += [(one.name, *told[row.method][:UP_TO_FITS]) for row in methods(comparison)]
        else:
            rows += [
                (one.name, name, "not compared", "–", "–", "–", "–", *_score(own))
                for name, own in _summaries(one).items()
            ]
    notes = (
        "Score: mean ± standard deviation over fits, per cent. Difference to the baseline in "
        "points; for new graphs: 95 % interval of the corrected resampled t-test. Holm's "
        "correction is within a group of runs.",
    )
    table = Table("Every method in every group", ("runs", *HEADER[:UP_TO_FITS]), rows, notes)
    return Section("All groups", [table])


def _means(one: Group) -> Table:
    rows = [
        (name, *_score(own), _interval(own), str(own.failed))
        for name, own in _summaries(one).items()
    ]
    notes = (
        "Per cent: mean ± standard deviation over fits; the interval is of the mean over splits "
        "of these same graphs. Nothing is compared: there is no baseline with a method beside it.",
    )
    return Table("Means", ("method", "score", "fits", "95 % interval", "failed"), rows, notes)


def _summaries(one: Group) -> dict[str, Summary]:
    label = default_label(one.records)
    named: dict[str, list[Record]] = {}
    for record in one.records:
        named.setdefault(label(record), []).append(record)
    return {name: summarise(own) for name, own in named.items()}


def _score(own: Summary) -> tuple[str, str]:
    score = "–" if own.mean is None else f"{100 * own.mean:.2f}"
    return score + ("" if own.sd is None else f" ± {100 * own.sd:.2f}"), str(own.fits)


def _interval(own: Summary) -> str:
    if own.interval is None:
        return "–"
    return f"{100 * own.interval[0]:.2f} to {100 * own.interval[1]:.2f}"


def _forest(comparison: Comparison) -> Iterator[Part]:
    known = {
        row.method: (100 * pair.mean, 100 * pair.for_new[0], 100 * pair.for_new[1])
        for row in comparison.rows
        if (pair := row.against) and pair.for_new and pair.mean is not None
    }
    if known:
        yield forest(
            known,
            f"Each method less `{comparison.baseline}`, with its 95 % interval for new graphs of "
            "this kind, each by itself.",
        )


def _sight(comparison: Comparison) -> Iterator[Part]:
    """What such runs can show, of the method whose differences vary most."""
    rows = methods(comparison) or comparison.rows
    seen = [row.against for row in rows if row.against and row.against.smallest]
    if comparison.ratio is None:
        yield Note("All runs share one split: nothing can be said of new graphs of this kind.")
    elif seen:
        widest = max(seen, key=lambda pair: pair.smallest or 0)
        end = floor(widest.sd or 0, comparison.ratio, comparison.level, tests=comparison.tests)
        yield Note(
            f"**What could have been seen.** With {comparison.tests} differences tested together, "
            f"{widest.fits} fits show one of {points(widest.smallest)} with a chance of 80 %; more "
            f"splits of these graphs end at {points(end)}: beyond that it takes more graphs."
        )


def _curves(one: Group) -> Iterator[Part]:
    label = default_label(one.records)
    curves: dict[str, list[Any]] = {}
    controls: set[str] = set()
    for record in one.records:
        if record["status"] == DONE:
            curves.setdefault(name := label(record), []).append(record.get("curve"))
            controls |= {name} if is_control(record["cell"]["augmentation"]) else set()
    runs = {name: own for name, own in curves.items() if drawable(own)}
    if runs:
        runs = {name: runs[name] for name in sorted(runs, key=lambda name: name in controls)}
        but = " Controls without their band." if controls & runs.keys() else ""
        yield training(runs, f"Score by epoch, mean ± sd over runs.{but}", bare=controls)


def _failed(groups: Sequence[Group]) -> list[Section]:
    """What failed, the same error of a method once."""
    told: Counter[tuple[str, str, str]] = Counter()
    for one in groups:
        label = default_label(one.records)
        for record in one.records:
            if record["status"] != DONE:
                error = " ".join(str(record.get("error") or "no error told").split())
                told[one.name, label(record), error[:LONGEST_ERROR]] += 1
    if not told:
        return []
    rows = [(*what, str(times)) for what, times in told.most_common()]
    note = "A failed run is left out of every number above; it is tried again when next asked for."
    return [
        Section("Failed", [Table("Failed", ("runs", "method", "error", "times"), rows, (note,))])
    ]


def _made(records: Sequence[Record]) -> dict[str, object]:
    """Runs, time, devices, versions; where several were used, how often each."""
    done = sum(record["status"] == DONE for record in records)
    dates = sorted(str(record["date"])[:10] for record in records if record.get("date"))
    values: dict[str, object] = {"runs": done, "failed": len(records) - done}
    if dates:
        values["dates"] = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    seconds = sum(_seconds(record.get("seconds")) for record in records)
    values["time of all runs"] = f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 3600:.1f} h"
    values["devices"] = _often([record.get("device") for record in records])
    names = dict.fromkeys(name for record in records for name in record.get("versions") or {})
    for name in names:
        values[name] = _often([(record.get("versions") or {}).get(name) for record in records])
    return values


def _seconds(told: Any) -> float:
    if isinstance(told, Mapping):
        return sum(_seconds(part) for part in told.values())
    return float(told) if isinstance(told, int | float) else 0.0


def _often(values: Sequence[Any]) -> str:
    counts = Counter("not told" if value is None else str(value) for value in values)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{value} ({times})" for value, times in counts.most_common())
