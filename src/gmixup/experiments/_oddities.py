"""Oddities of the printed tables, said beside the numbers: nobody should chase them."""

from collections.abc import Mapping
from math import ceil, floor

from gmixup.evidence.published import RUNS, Score, published
from gmixup.evidence.published import Cell as Place

TABLES = (
    "performance",
    "pooling",
    "gmt",
    "label-corruption",
    "topology-corruption",
)
# Graphs in the test part of each set: 20 %.
TESTED = {"IMDB-BINARY": 200, "IMDB-MULTI": 300, "REDDIT-BINARY": 400, "REDDIT-MULTI-5K": 1000}
# What must be known beside a printed number, and is not told by the numbers alone.
SAID = {
    ("performance", Place("gcn", "none", "REDDIT-BINARY")): "others get above 90 with a plain GCN",
    ("pooling", Place("diff-pool", "none", "REDDIT-BINARY")): "others get 91.9: hurt by a node cap",
    ("pooling", Place("diff-pool", "none", "REDDIT-MULTI-5K")): "others get 55.7: a node cap",
    ("label-corruption", Place("IMDB-BINARY", "g-mixup", "30%")): "bold, though M-Mixup is higher",
}


def remarks(table: str) -> dict[Place, str]:
    """What is odd about each printed number of a table, where anything is."""
    mine = published(table)
    everywhere = {(name, place): s for name in TABLES for place, s in published(name).items()}
    found = {}
    for place, score in mine.items():
        told = [SAID.get((table, place), ""), *_of(table, place, score, everywhere)]
        if words := "; ".join(filter(None, told)):
            found[place] = words
    return found


def _of(
    table: str, place: Place, score: Score, everywhere: Mapping[tuple[str, Place], Score]
) -> list[str]:
    told = []
    if score.std == 0:
        told.append("printed without any deviation: one class for every graph")
    else:
        told += [
            f"the same mean and deviation are printed for {'' if name == table else name + ': '}"
            f"{other}"
            for (name, other), rival in everywhere.items()
            if table in TABLES and (name, other) != (table, place)
            if (rival.mean, rival.std) == (score.mean, score.std)
        ]
    tested = TESTED.get(place.column)
    if table in ("performance", "pooling") and tested and not possible(score.mean, tested):
        told.append(f"no mean of {RUNS} runs on {tested} test graphs")
    return told


def possible(mean: float, graphs: int, runs: int = RUNS) -> bool:
    """Whether a mean accuracy of two decimals, rounded or cut, can be that of so many test graphs.

    Right answers are counted: the mean is a whole number of them over runs · graphs (Brown and
    Heathers 2017).
    """
    total = runs * graphs
    low, high = (total * (mean + half) / 100 for half in (-0.005, 0.01))
    return ceil(low - 1e-6) <= floor(high + 1e-6)
