"""Pairing: from records of runs to scores on the same fits, and to the comparison of methods.

A fit is a split, told by its seed and fold; its initialisations are told by the seed of the run. On
a data set's own split, the only one it has, every run is a fit, and nothing is said of new graphs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gmixup.evidence.comparison import Comparison, Controls, compare_scores
from gmixup.evidence.naming import default_controls, default_label
from gmixup.evidence.paired import LEVEL, on_this_collection, over_inits

Record = Mapping[str, Any]
Label = Callable[[Record], str]
Place = tuple[tuple[int, ...], int]  # the fit, and the seed of the initialisation


@dataclass(frozen=True)
class Fits:
    """Scores by method, (fits, inits), NaN where a run failed or is missing."""

    scores: dict[str, NDArray[np.float64]]
    repeats: NDArray[np.int64] | None  # (fits,) the cross-validation of each; None: no folds
    train: float | None  # graphs of a fit, on the average; None: one split for all
    test: float | None
    train_fraction: float


@dataclass(frozen=True)
class Summary:
    """One cell of a table: a method's scores over fits, and the interval of their mean."""

    mean: float | None
    sd: float | None
    fits: int
    failed: int
    interval: tuple[float, float] | None  # 95 %, over splits of this collection


def compare_records(
    records: Iterable[Record],
    baseline: str = "none",
    *,
    label: Label | None = None,
    controls: Controls | None = None,
    level: float = LEVEL,
) -> Comparison:
    """Compares the methods of these records, which are runs on the same data and kind of split.

    `label` names the method of a record; by default the augmentation, with the settings in which
    several of one name differ, and then nothing else may differ. `controls` are by default those of
    G-Mixup: `resample`, `soften`, G-Mixup with lambda 1 and with an Erdős–Rényi graphon.
    """
    records = list(records)
    _check_alike(records, everything=label is None)
    name = label or default_label(records)
    methods: dict[str, list[Record]] = {}
    for record in records:
        methods.setdefault(name(record), []).append(record)
    if baseline not in methods:
        raise ValueError(f"`baseline` is {baseline!r}; the records are of {sorted(methods)}")
    if controls is None:
        controls = default_controls(
            {method: own[0] for method, own in methods.items() if method != baseline}
        )
    named = controls.values() if isinstance(controls, Mapping) else [controls]
    known = set(chain.from_iterable(named))
    order = sorted(methods, key=lambda method: (method != baseline, method in known))
    fits = pair_up({method: methods[method] for method in order})
    return compare_scores(
        fits.scores,
        baseline,
        train=fits.train,
        test=fits.test,
        train_fraction=fits.train_fraction,
        controls=controls,
        repeats=fits.repeats,
        level=level,
    )


def pair_up(methods: Mapping[str, Sequence[Record]]) -> Fits:
    """The scores of each method's records, in the order of splits and seeds."""
    every = [record for own in methods.values() for record in own]
    seeds: dict[tuple[int, ...], list[int]] = {}
    for fit, seed in sorted({_place(record) for record in every}):
        seeds.setdefault(fit, []).append(seed)
    rows = {fit: row for row, fit in enumerate(seeds)}
    inits = max(len(own) for own in seeds.values())
    scores = {name: np.full((len(rows), inits), np.nan) for name in methods}
    for name, own in methods.items():
        seen: set[Place] = set()
        for record in own:
            fit, seed = place = _place(record)
            if place in seen:
                raise ValueError(
                    f"{name!r} has two records on the split {fit} with the seed {seed}; give one "
                    "record of each run, or a `label` that tells them apart"
                )
            seen.add(place)
            if record["status"] == "done":
                scores[name][rows[fit], seeds[fit].index(seed)] = record["scores"]["test"]
    return _with_sizes(scores, every, list(rows))


def summarise(records: Iterable[Record]) -> Summary:
    """Mean, deviation over fits and interval of runs of one method on one data set."""
    records = list(records)
    fits = pair_up({"": records})
    values = over_inits(fits.scores[""])
    kept = values[~np.isnan(values)]
    several = len(kept) > 1
    return Summary(
        mean=float(kept.mean()) if len(kept) else None,
        sd=float(kept.std(ddof=1)) if several else None,
        fits=len(kept),
        failed=sum(record["status"] != "done" for record in records),
        interval=on_this_collection(values, fits.repeats).interval() if several else None,
    )


def _place(record: Record) -> Place:
    """The fit and initialisation that runs to be paired have in common."""
    split, seed = record["cell"]["split"], record["cell"]["seed"]
    if split["kind"] == "own":
        return (split.get("seed", 0), seed), seed
    fold = split.get("fold")
    return (split["seed"], -1 if fold is None else fold), seed


def _with_sizes(
    scores: dict[str, NDArray[np.float64]], records: Sequence[Record], fits: Sequence[tuple]
) -> Fits:
    split = records[0]["cell"]["split"]
    fraction = split.get("train_fraction", 1.0)
    sizes = [record["graphs"] for record in records if record.get("graphs")]
    if split["kind"] == "own" or not sizes:
        return Fits(scores, None, None, None, fraction)
    train, validation, test = (
        float(np.mean([size[part] for size in sizes])) for part in ("train", "validation", "test")
    )
    repeats = None
    if split["kind"] == "k-fold":
        # Further cross-validations may go on counting folds or take the next seed. Each graph is
        # tested once in one of them, so that the sizes tell how many folds there are.
        folds = split.get("folds") or round((train / fraction + validation + test) / test)
        named = [(seed, fold // folds) for seed, fold in fits]
        repeats = np.unique(np.array(named), axis=0, return_inverse=True)[1].ravel()
    return Fits(scores, repeats, train, test, fraction)


def _check_alike(records: Sequence[Record], everything: bool) -> None:
    """Raises if the records are not of one data set and kind of split, and of one setting."""
    if not records:
        raise ValueError("there are no records to compare; train some first")
    cells = [record["cell"] for record in records]
    shared = ["data", "fingerprint"]
    if everything:
        shared += ["backbone", "recipe", "corruption", "features"]
    found = {name: [cell.get(name) for cell in cells] for name in shared}
    for name in ("kind", "train_fraction"):
        found[f"split.{name}"] = [cell["split"].get(name) for cell in cells]
    found["metric"] = [record["metric"] for record in records if record.get("metric")]
    for name, values in found.items():
        different = [value for value in values if value != values[0]]
        if different:
            raise ValueError(
                f"the records differ in `{name}`: {values[0]!r} and {different[0]!r}; compare "
                "methods on one data set with one network at a time, or name them by `label`"
            )
