"""Fidelity: how far synthetic graphs are from the real ones, beside how far the real ones differ.

A property is one number a graph (its nodes, its triangles, ...) or a law within each graph (of the
degrees, the local clustering, the eigenvalues of the normalised Laplacian). Two sets of graphs
differ by

- W1: the Wasserstein-1 distance between the numbers, in standard deviations of the real ones (as a
  share of the real number where all are alike, as it is where they are all 0);
- MMD: the maximum mean discrepancy between the histograms, by a Gaussian kernel on total variation.
  It is the root of the biased (V-) estimate: never negative, and 0 between a set and itself.

Both are norms of the difference of two empirical measures, so even two samples of one law, of n and
m graphs, are some way apart, and that way goes as sqrt(1/n + 1/m). The floor is the mean distance
between random halves of the real set, brought from the sizes of the halves to n and m by that root.
The ratio distance / floor is therefore about 1 for graphs of the same law, whatever n and m; less
where the synthetic graphs take the property from the real ones themselves, as sizes often do.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist

from gmixup.graphs import GraphSet
from gmixup.properties import LAWS, Law, numbers, simple
from gmixup.properties import properties as properties
from gmixup.seeds import numpy_generator

Kind = Literal["W1", "MMD"]

HALVINGS = 20

BANDWIDTH = 1.0  # of the Gaussian, on the total variation in [0, 1]

NEGLIGIBLE = 1e-6  # a floor or a relative spread below this is rounding

INDEPENDENCE = (
    "A graphon draws edges independently, given the positions of the nodes: it cannot make a "
    "sparse graph of cliques (clustering near 1), nor rings without triangles. Expect clustering, "
    "triangles and squares of such graphs to be missed."
)
HEADER = ("property", "real", "synthetic", "kind", "distance", "floor", "ratio")


@dataclass(frozen=True)
class Row:
    """One property: mean and standard deviation over graphs, distance, floor and their ratio.

    A law's number is the standard deviation within a graph. Where one is None, `reason` says why.
    """

    name: str
    kind: Kind
    real: float | None = None
    real_sd: float | None = None
    synthetic: float | None = None
    synthetic_sd: float | None = None
    distance: float | None = None
    floor: float | None = None
    ratio: float | None = None
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class Fidelity:
    """The comparison of two sets of graphs, a row for each property."""

    rows: tuple[Row, ...]
    graphs: tuple[int, int]  # real, synthetic
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Row:
        """The row of a property, by its name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"no property {name!r}; there are {', '.join(r.name for r in self.rows)}")

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """Title, rows and notes as text in columns."""
        lines = [HEADER, *map(_cells, self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
        return "\n".join([self._title(), *text, *self._remarks()])

    def markdown(self) -> str:
        """Title, rows and notes as Markdown."""
        lines = [HEADER, ("---",) * len(HEADER), *map(_cells, self.rows)]
        text = (f"| {' | '.join(line)} |" for line in lines)
        remarks = (f"- {remark}" for remark in self._remarks())
        return "\n".join([self._title(), "", *text, "", *remarks])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings and None, fit for json."""
        return {
            "graphs": {"real": self.graphs[0], "synthetic": self.graphs[1]},
            "properties": {row.name: asdict(row) for row in self.rows},
            "notes": list(self.notes),
        }

    def _title(self) -> str:
        real, synthetic = self.graphs
        return f"{real} real against {synthetic} synthetic graphs (mean ± sd)"

    def _remarks(self) -> list[str]:
        """The notes, after the reasons for missing numbers, each with all its rows."""
        reasons = dict.fromkeys(row.reason for row in self.rows if row.reason)
        names = {r: ", ".join(row.name for row in self.rows if row.reason == r) for r in reasons}
        return [*(f"{names[reason]}: {reason}." for reason in reasons), *self.notes]


def compare(real: Any, synthetic: Any, seed: int = 0, *, halvings: int = HALVINGS) -> Fidelity:
    """Compares two sets of graphs, each in any form that `GraphSet.of` takes.

    `seed` decides the `halvings` of the real set and, for laws, which graphs of large sets are
    looked at. Self-loops are counted, and play no other part.
    """
    if halvings < 1:
        raise ValueError(f"`halvings` is {halvings}; the floor needs at least 1")
    first, first_loops = simple(real, "real")
    second, second_loops = simple(synthetic, "synthetic")
    rng = numpy_generator(seed, "fidelity", "halvings")
    weights = _signed_weights(len(first), len(second), halvings, rng)
    ours, theirs = numbers(first, first_loops), numbers(second, second_loops)
    rows = [_number_row(name, ours[name], theirs[name], weights) for name in ours]
    notes = [INDEPENDENCE]
    for law in LAWS:
        parts = law.part(first, seed), law.part(second, seed)
        rows.append(_law_row(law, *parts, halvings, rng))
        if len(parts[0]) < len(first) or len(parts[1]) < len(second):
            notes.append(law.limits(len(parts[0]), len(parts[1])))
    return Fidelity(tuple(rows), (len(first), len(second)), tuple(notes))


def _signed_weights(
    real: int, synthetic: int, halvings: int, rng: np.random.Generator
) -> np.ndarray:
    """(real + synthetic, 1 + H): real minus synthetic, then half of the real minus the rest."""
    weights = np.zeros((real + synthetic, 1 + (halvings if real > 1 else 0)))
    weights[:real, 0], weights[real:, 0] = 1 / real, -1 / synthetic
    if real > 1:
        half = real // 2
        signs = np.repeat([1 / half, -1 / (real - half)], [half, real - half])
        weights[:real, 1:] = rng.permuted(np.tile(signs, (halvings, 1)), axis=1).T
    return weights


def _wasserstein(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(D,) the area between two distribution functions, for (S,) values and (S, D) weights."""
    order = np.argsort(values)
    between = np.cumsum(weights[order], axis=0)[:-1]
    return np.diff(values[order]) @ np.abs(between)


def _discrepancy(histograms: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(D,) the MMD, for (S, B) histograms and (S, D) weights."""
    variation = cdist(histograms, histograms, "cityblock") / 2
    kernel = np.exp(-((variation / BANDWIDTH) ** 2) / 2)
    return np.sqrt((weights * (kernel @ weights)).sum(0).clip(min=0))


def _number_row(name: str, real: np.ndarray, synthetic: np.ndarray, weights: np.ndarray) -> Row:
    distances = _wasserstein(np.concatenate([real, synthetic]), weights) / _scale(real)
    return _row(name, "W1", real, synthetic, distances)


def _law_row(
    law: Law, real: GraphSet, synthetic: GraphSet, halvings: int, rng: np.random.Generator
) -> Row:
    if not len(real) or not len(synthetic):
        return Row(law.name, "MMD", reason=f"a set has no graph of at most {law.most_nodes} nodes")
    (first, of_real), (second, of_synthetic) = law.of(real), law.of(synthetic)
    weights = _signed_weights(len(real), len(synthetic), halvings, rng)
    distances = _discrepancy(np.concatenate([of_real, of_synthetic]), weights)
    return _row(law.name, "MMD", first, second, distances)


def _scale(real: np.ndarray) -> float:
    """The unit of W1: the standard deviation, else (all alike) the value, else 1."""
    spread, size = float(real.std()), float(np.abs(real.mean()))
    return spread if spread > NEGLIGIBLE * size else size or 1.0


def _row(
    name: str, kind: Kind, real: np.ndarray, synthetic: np.ndarray, distances: np.ndarray
) -> Row:
    """The row of (G,) numbers in either set and (1 + H,) distances, the first between the sets."""
    n, m, half = len(real), len(synthetic), len(real) // 2
    floor = ratio = reason = None
    if half == 0:
        reason = "one real graph has no halves, so there is no floor"
    else:
        shrink = np.sqrt((1 / n + 1 / m) / (1 / half + 1 / (n - half)))
        floor = float(distances[1:].mean() * shrink)
        if floor > NEGLIGIBLE:
            ratio = float(distances[0]) / floor
        else:
            floor = 0.0
            reason = "the real graphs are all alike, so there is no ratio to the floor"
    return Row(
        name,
        kind,
        real=float(real.mean()),
        real_sd=float(real.std()),
        synthetic=float(synthetic.mean()),
        synthetic_sd=float(synthetic.std()),
        distance=float(distances[0]),
        floor=floor,
        ratio=ratio,
        reason=reason,
    )


def _cells(row: Row) -> tuple[str, ...]:
    sets = ((row.real, row.real_sd), (row.synthetic, row.synthetic_sd))
    spreads = ("–" if mean is None else f"{mean:.3g} ± {sd:.3g}" for mean, sd in sets)
    numbers = (row.distance, row.floor, row.ratio)
    return (row.name, *spreads, row.kind, *("–" if n is None else f"{n:.3g}" for n in numbers))
