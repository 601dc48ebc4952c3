"""Comparing: does an augmentation help on these graphs, with this network? A tested answer."""

import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gmixup import sweep
from gmixup.controls import with_controls
from gmixup.evidence.comparison import Comparison
from gmixup.evidence.folding import fold
from gmixup.evidence.naming import shown
from gmixup.evidence.page import Note, Page, Part
from gmixup.evidence.pairing import compare_records
from gmixup.evidence.planner import plan
from gmixup.evidence.tables import Table
from gmixup.evidence.verdict import points
from gmixup.live import Live
from gmixup.records import Record, Records
from gmixup.task import FOLDS, EdgeNoise, Task, augmentation_of, task_of
from gmixup.training import Cell, Loop, Recipe
from gmixup.training.cell import FeatureKind, SplitKind
from gmixup.training.recipe import Precision

USUAL_SPLITS = 30
# What has no name of its own, as it is called before the person whose it is.
YOURS = {"own": "your network", "own graphs": "your graphs"}
MOST_SPLITS = 1000  # within a budget


@dataclass(frozen=True, eq=False)
class Answer:
    """What a comparison says, and what it says it from."""

    title: str
    records: tuple[Record, ...]
    comparison: Comparison
    plan: str = ""  # what a wished difference would take

    @property
    def verdict(self) -> str:
        """What the corrected test says of new graphs of this kind, a sentence for each method."""
        return self.comparison.verdict

    @property
    def on_collection(self) -> str:
        """What splits of these graphs say, which is no verdict."""
        return self.comparison.on_collection

    @property
    def table(self) -> Table:
        """Methods and controls, beside no augmentation and each beside its controls."""
        return self.comparison.table

    @property
    def failed(self) -> list[Record]:
        """The records of runs that failed, each with its `error`."""
        return [record for record in self.records if record["status"] != "done"]

    @property
    def page(self) -> Page:
        """The report."""
        page = fold(self.records, self.title)
        first, *rest = page.sections
        parts: list[Part] = [Note(self.plan)] if self.plan else []
        first = replace(first, parts=[*first.parts, *parts])
        return replace(page, sections=[first, *rest])

    def save(self, path: str | Path) -> None:
        """Writes the report: .html, .md or .tex by the ending."""
        self.page.save(path)

    @property
    def sight(self) -> str:
        """The smallest difference to the baseline that these fits could have shown."""
        rows = self.comparison.rows
        seen = [row.against for row in rows if row.role == "method" and row.against]
        fits = max((pair.fits for pair in seen), default=0)
        widest = max((pair.smallest or 0 for pair in seen), default=0)
        if not widest and any(pair.p is not None for pair in seen):
            return f"{fits} fits with equal scores: no telling what could have been seen."
        if not widest:
            return f"{fits} fits: too few to test, or on one split; nothing could have been seen."
        return f"{fits} fits could have shown a difference of {points(widest)}."

    def __repr__(self) -> str:
        return f"<{self.title} {self.verdict}>"


def compare(
    data: Any,
    backbone: Any = "gin",
    augment: Any = "g-mixup",
    splits: int | None = None,
    *,
    inits: int = 1,
    budget: float | None = None,
    wish: float | None = None,
    seed: int = 0,
    recipe: str | Recipe | None = None,
    epochs: int | None = None,
    precision: Precision | None = None,
    split: SplitKind = "k-fold",
    train_fraction: float = 1.0,
    label_noise: float = 0.0,
    edge_noise: EdgeNoise | None = None,
    features: FeatureKind = "auto",
    device: str = "auto",
    loop: Loop = "auto",
    jobs: int = 1,
    backend: str | None = None,
    out: str | Path = "runs",
    root: str | Path | None = None,
    progress: bool | None = None,
) -> Answer:
    """Trains every method, no augmentation and controls on the same splits and initial weights.

    `splits` are fits of repeated stratified 10-fold cross-validation [30], `inits` the initial
    weights on each. A `budget` in seconds takes as many splits as fit into it. `wish` is a
    difference in points: the answer then says what it would take to see it. Runs recorded in `out`
    are not run again.
    """
    _check(splits, inits, budget, wish)
    given = [augment] if isinstance(augment, str) or not isinstance(augment, Sequence) else augment
    methods = with_controls(map(augmentation_of, given))
    task = task_of(
        data,
        backbone=backbone,
        recipe=recipe,
        epochs=epochs,
        precision=precision,
        split=split,
        train_fraction=train_fraction,
        label_noise=label_noise,
        edge_noise=edge_noise,
        features=features,
        root=root,
    )
    fits = range(FOLDS * seed, FOLDS * seed + _count(splits, budget))
    arms = Arms(task, tuple(methods), inits)
    records = Records(out)
    known = sweep.there(arms.cells(fits), records)
    live = Live(None if budget else len(arms.cells(fits)), list(known.values()), progress)
    found: list[Record] = []
    try:
        for part in _rounds(fits, budget, jobs, lambda some: arms.missing(some, known)):
            found += sweep.run(
                arms.cells(part),
                records,
                **task.given,
                device=device,
                loop=loop,
                jobs=jobs,
                backend=backend,
                progress=False,
                on_record=live.add,
            )
    finally:
        live.clear()
    sweep.warn_of_failures(found)
    return answer_of(found, len(task.graphs), wish)


@dataclass(frozen=True)
class Arms:
    """The methods and controls of a comparison, which share every split and its initial weights."""

    task: Task
    methods: tuple[Any, ...]
    inits: int = 1

    def cells(self, fits: Iterable[int]) -> list[Cell]:
        """Their runs, fit by fit, so that a comparison that is cut off is of whole fits."""
        return [
            self.task.cell(method, fit, init)
            for fit in fits
            for init in range(self.inits)
            for method in self.methods
        ]

    def missing(self, fits: Iterable[int], known: Container[str]) -> int:
        """How many of their runs have no record."""
        return sum(cell.key not in known for cell in self.cells(fits))


def answer_of(records: Sequence[Record], graphs: int, wish: float | None = None) -> Answer:
    """The answer that records of one comparison give, on a data set of so many graphs."""
    cell = records[0]["cell"]
    comparison = compare_records(records)
    network, data = shown(cell["backbone"]["name"]), cell["data"]
    title = f"Does augmentation help {YOURS.get(network, network)} on {YOURS.get(data, data)}?"
    return Answer(title, tuple(records), comparison, _plan(comparison, graphs, wish))


def _plan(comparison: Comparison, graphs: int, wish: float | None) -> str:
    """What it takes to see the wished difference, of the method that varies most."""
    spread = max((row.against.sd or 0 for row in comparison.rows if row.against), default=0)
    if wish is None or comparison.ratio is None or spread == 0:
        return ""
    made = plan(wish, 100 * spread, comparison.ratio, graphs, tests=comparison.tests)
    return made.sentence


def _rounds(
    fits: Sequence[int], budget: float | None, first: int, missing: Callable[[Sequence[int]], int]
) -> Iterator[Sequence[int]]:
    """Fits to run one after another; with a budget in seconds as many as are likely to fit."""
    if budget is None:
        yield fits
        return
    end, rate = time.monotonic() + budget, 0.0  # seconds a run
    while fits:
        cost = rate * missing(fits[:1])
        count = max(first, 1) if rate == 0 else FOLDS
        if cost > 0:
            count = min(FOLDS, int((end - time.monotonic()) / cost))
        if count < 1:
            return
        part, fits = fits[:count], fits[count:]
        made, begin = missing(part), time.monotonic()
        yield part
        if made:
            rate = (time.monotonic() - begin) / made


def _count(splits: int | None, budget: float | None) -> int:
    return splits or (USUAL_SPLITS if budget is None else MOST_SPLITS)


def _check(splits: int | None, inits: int, budget: float | None, wish: float | None) -> None:
    for name, value in (("splits", splits), ("inits", inits)):
        if value is not None and value < 1:
            raise ValueError(f"`{name}` is {value}; it must be at least 1")
    for name, amount in (("budget", budget), ("wish", wish)):
        if amount is not None and not amount > 0:
            raise ValueError(f"`{name}` is {amount}; it must be above 0")
