"""Repeated: one network and one augmentation trained from several seeds, and their mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gmixup import sweep
from gmixup.evidence.naming import shown
from gmixup.evidence.pairing import Summary, summarise
from gmixup.evidence.tables import Table
from gmixup.records import Record, Records
from gmixup.task import EdgeNoise, augmentation_of, task_of
from gmixup.training import Loop, Recipe
from gmixup.training.cell import FeatureKind, SplitKind
from gmixup.training.recipe import Precision

HEADER = ("seed", "test", "validation", "training", "epoch", "seconds")


@dataclass(frozen=True, eq=False)
class Result:
    """The records of runs that differ by their seed only."""

    records: tuple[Record, ...]
    folder: Path  # where they lie

    @property
    def mean(self) -> float | None:
        """The mean test score of the finished runs, a share; None if there is none."""
        return self._summary.mean

    @property
    def sd(self) -> float | None:
        """The standard deviation of the test score; None for fewer than two runs."""
        return self._summary.sd

    @property
    def failed(self) -> list[Record]:
        """The records of runs that failed, each with its `error`."""
        return [record for record in self.records if record["status"] != "done"]

    @property
    def title(self) -> str:
        """Data set, network and augmentation."""
        cell = self.records[0]["cell"]
        return ", ".join(
            [cell["data"], *(shown(cell[part]["name"]) for part in ("backbone", "augmentation"))]
        )

    @property
    def sentence(self) -> str:
        """Mean ± standard deviation in per cent, and of how many runs."""
        fits, metric = self._summary.fits, self._metric
        if self.mean is None:
            return f"{self.title}: no run of {len(self.records)} has finished"
        spread = "" if self.sd is None else f" ± {100 * self.sd:.2f}"
        runs = "1 run" if fits == 1 else f"{fits} runs"
        return f"{self.title}: test {metric} {100 * self.mean:.2f}{spread} % ({runs})"

    @property
    def table(self) -> Table:
        """A row for each run; scores in per cent, at the epoch that was best on validation."""
        note = f"{self._metric} in per cent, at the epoch that was best on validation."
        return Table(self.title, HEADER, [_line(record) for record in self.records], (note,))

    def __repr__(self) -> str:
        failed = f"; {len(self.failed)} failed" if self.failed else ""
        return f"<{self.sentence}{failed}; records in {self.folder}>"

    @property
    def _summary(self) -> Summary:
        return summarise(self.records)

    @property
    def _metric(self) -> str:
        return self.records[0]["cell"]["recipe"]["metric"]


def train(
    data: Any,
    backbone: Any = "gin",
    augment: Any = "none",
    seeds: int = 10,
    *,
    seed: int = 0,
    recipe: str | Recipe | None = None,
    epochs: int | None = None,
    precision: Precision | None = None,
    split: SplitKind | None = None,
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
    callbacks: Sequence[Any] = (),
) -> Result:
    """Trains from the seeds `seed`, ..., `seed` + `seeds` - 1; runs recorded in `out` are read.

    `data` is a name, a path or graphs; `backbone` a name or a function of inputs and outputs that
    gives a torch.nn.Module. A seed decides the split, the initial weights and all that is drawn.
    Sets of OGB come with their own split and recipe; all others are split 7:1:2.
    """
    if seeds < 1:
        raise ValueError(f"`seeds` is {seeds}; it must be at least 1")
    augmentation, records = augmentation_of(augment), Records(out)
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
    cells = [task.cell(augmentation, number) for number in range(seed, seed + seeds)]
    found = sweep.run(
        cells,
        records,
        **task.given,
        device=device,
        loop=loop,
        jobs=jobs,
        backend=backend,
        progress=progress,
        callbacks=callbacks,
    )
    sweep.warn_of_failures(found)
    return Result(tuple(found), records.folder)


def _line(record: Record) -> tuple[str, ...]:
    seed = str(record["cell"]["seed"])
    if record["status"] != "done":
        return (seed, "failed", *("–",) * (len(HEADER) - 2))
    scores = record["scores"]
    parts = (f"{100 * scores[part]:.2f}" for part in ("test", "validation", "train"))
    return (seed, *parts, str(scores["epoch"] + 1), f"{record['seconds']:.1f}")
