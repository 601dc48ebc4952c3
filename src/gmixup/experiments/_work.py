"""Work: which experiments are asked for, what is there of them, and what each shows."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from gmixup import datasets
from gmixup.datasets._disk import places
from gmixup.evidence.tables import NOT_RUN, Table
from gmixup.experiments._archive import Archive
from gmixup.experiments._base import AbstractExperiment, Progress, View
from gmixup.experiments._cells import Place, Setting
from gmixup.experiments._choice import Choice, choice, chosen
from gmixup.experiments._computed import file_of, keep, kept
from gmixup.experiments._plan import Plan
from gmixup.experiments._trained import FOLDER, AbstractTrained
from gmixup.records import Records

ALL = "all"
CLAIMS = "claims"
FIRST = (CLAIMS, "performance")  # what most readers come for


@dataclass(frozen=True)
class Work:
    """What is asked for, where its records lie, and where the data sets do."""

    experiments: Mapping[str, AbstractExperiment]
    only: Choice = field(default_factory=dict)
    folder: str | Path = FOLDER
    root: str | Path | None = None

    @classmethod
    def of(
        cls,
        name: str = ALL,
        only: Sequence[str] = (),
        *,
        seeds: int | None = None,
        seed: int = 0,
        records: str | Path = FOLDER,
        root: str | Path | None = None,
    ) -> "Work":
        """By the name of an experiment, or `all`."""
        from gmixup.experiments import room

        every = sorted(room.names(), key=lambda one: (one not in FIRST, one))
        names = every if name == ALL else [name]
        given = {"seed": seed} if seeds is None else {"seed": seed, "seeds": seeds}
        made = {one: room.make(one, **given) for one in names}
        known = {"root": root, "folder": records}
        placed = {
            one: replace(part, **{key: value for key, value in known.items() if hasattr(part, key)})
            for one, part in made.items()
        }
        if only and not any(isinstance(part, AbstractTrained) for part in placed.values()):
            raise ValueError(
                f"`only` is {', '.join(only)}, but {name} trains nothing of which a part could be "
                "chosen; leave it out"
            )
        return cls(placed, _chosen_by(only), records, root)

    @cached_property
    def trained(self) -> dict[str, AbstractTrained]:
        """Those whose cells are runs, as far as they have what is asked for."""
        named = {n: e for n, e in self.experiments.items() if isinstance(e, AbstractTrained)}
        return {name: own for name, own in named.items() if self.settings(own)}

    @cached_property
    def computed(self) -> dict[str, AbstractExperiment]:
        """Those that train nothing; a part of a table is never one of them."""
        named = self.experiments.items()
        return {n: e for n, e in named if not isinstance(e, AbstractTrained) and not self.only}

    def settings(self, experiment: AbstractTrained) -> dict[Place, Setting]:
        """The places that are asked for."""
        return chosen(experiment.settings(), self.only)

    def plan(self) -> Plan:
        """What is there now."""
        needed = {s.data for e in self.trained.values() for s in self.settings(e).values()}
        at_hand = {data: is_at_hand(data, self.root) for data in sorted(needed)}
        archive = Archive.of(Records(self.folder).all(), self._fingerprints(at_hand))
        results = {
            name: archive.results(self.settings(own), own.each_seed)
            for name, own in self.trained.items()
        }
        there = {n: kept(self.folder, own) is not None for n, own in self.computed.items()}
        onlookers = [name for name, own in self.trained.items() if not own.trains]
        return Plan(archive, results, there, at_hand, onlookers)

    def _fingerprints(self, at_hand: Mapping[str, bool]) -> dict[str, str]:
        return {data: self._content[data] for data, there in at_hand.items() if there}

    @cached_property
    def _content(self) -> "_Content":
        return _Content(self.root)

    def views(
        self, plan: Plan, progress: Progress, *, compute: bool = True, out: Path | None = None
    ) -> dict[str, View]:
        """What every experiment shows, by name; what is not kept is computed, if it may be."""
        views = {
            name: self._computed(own, progress, out if compute else None, compute)
            for name, own in self.computed.items()
        }
        views |= {name: own.view(plan.trained[name]) for name, own in self.trained.items()}
        return {name: views[name] for name in self.experiments if name in views}

    def _computed(
        self, own: AbstractExperiment, progress: Progress, out: Path | None, compute: bool
    ) -> View:
        tables = kept(self.folder, own)
        if tables is not None:
            progress(f"{own.name}: as kept in {file_of(self.folder, own)}")
            return View(tables)
        absent = [data for data in _sets(own) if not is_at_hand(data, self.root)]
        if absent or not compute:
            why = f": {', '.join(absent)} not found" if absent else ""
            return View([Table(own.name, (NOT_RUN,), [], (f"{NOT_RUN}{why}",))])
        if out is not None and hasattr(own, "pictures"):
            own = replace(own, **{"pictures": out})
        begin = time.monotonic()
        tables = own.run(progress)
        keep(self.folder, own, tables, time.monotonic() - begin)
        return View(tables)


class _Content(dict[str, str]):
    """The fingerprint of each data set, loaded when first asked for."""

    def __init__(self, root: str | Path | None) -> None:
        super().__init__()
        self.root = root

    def __missing__(self, data: str) -> str:
        self[data] = datasets.fingerprint(datasets.load(data, self.root))
        return self[data]


def _chosen_by(only: Sequence[str]) -> Choice:
    from gmixup.experiments import room

    parts = [part for part in room.parts.values() if issubclass(part, AbstractTrained)]
    return choice(only, [part().settings() for part in parts]) if only else {}


def is_at_hand(data: str, root: str | Path | None = None) -> bool:
    """Whether a data set is there without being downloaded."""
    own = data in datasets.room.names()
    return own or any(place.is_dir() for place in places(data, root))


def _sets(experiment: AbstractExperiment) -> Iterable[str]:
    """The data sets that a computed experiment needs."""
    several = getattr(experiment, "sets", ())
    return [*several, *([experiment.data] if hasattr(experiment, "data") else [])]  # pyright: ignore[reportAttributeAccessIssue]
