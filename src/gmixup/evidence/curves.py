"""Curves: training with and without augmentation, and scores by one setting, over many runs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gmixup.colours import FAINT, FRAME, INK, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Told apart by dash and mark too, where colours are not seen or not printed.
DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (9, 2)), (0, (2, 2)))
MARKS = ("o", "s", "^", "D", "v", "P")
PARTS = ("train", "validation", "test")
TICKS = (0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100)  # of multiples
MEASURES = {"loss": "loss", "score": "score, %"}


def draw_training(
    runs: Mapping[str, Sequence[Mapping[str, Any]]],
    measure: str = "score",
    parts: Sequence[str] = PARTS,
    title: str = "",
) -> "Figure":
    """Mean ± sd over runs by epoch: a panel for each part, a line for each method.

    `runs` holds the curves of each method's records. A mean is over all its runs: epochs that one
    of them has not reached are left out.
    """
    if measure not in MEASURES:
        raise ValueError(f"`measure` is {measure!r}; curves hold {', '.join(MEASURES)}")
    figure = _figure(3.5 * len(parts) + 0.3, 3.1 + (0.3 if title else 0), title)
    panels = figure.subplots(1, len(parts), squeeze=False, sharey=measure == "score")[0]
    for axes, part in zip(panels, parts, strict=True):
        for place, (name, curves) in enumerate(runs.items()):
            epochs, values = together(curves, measure, part)
            values = 100 * values if measure == "score" else values
            _line(axes, place, epochs, values, f"{name} (n = {len(curves)})")
        _finish(axes, part, "epoch")
    panels[0].set_ylabel(MEASURES[measure], color=INK)
    _legend(figure, panels[0], "mean ± sd over runs")
    return figure


def drawable(curves: Sequence[Any], measure: str = "score", parts: Sequence[str] = PARTS) -> bool:
    """Whether all of these are curves that have these parts, and some epochs in common."""
    for curve in curves:
        if not isinstance(curve, Mapping) or not curve.get("epoch"):
            return False
        numbers, epochs = curve.get(measure), len(curve["epoch"])
        if not isinstance(numbers, Mapping):
            return False
        if any(len(numbers.get(part) or ()) != epochs for part in parts):
            return False
    return bool(curves) and all(len(together(curves, measure, part)[0]) for part in parts)


def together(
    curves: Sequence[Mapping[str, Any]], measure: str, part: str
) -> tuple[np.ndarray, np.ndarray]:
    """(T,) epochs that every run has a number for, and (runs, T) the numbers."""
    if not curves:
        raise ValueError("`runs` names a method without curves; leave it out")
    epochs = curves[0]["epoch"]
    if all(curve["epoch"] == epochs for curve in curves):
        values = np.array([curve[measure][part] for curve in curves], dtype=np.float64)
        there = ~np.isnan(values).any(0)
        return np.array(epochs)[there], values[:, there]
    numbers = [
        {
            epoch: value
            for epoch, value in zip(curve["epoch"], curve[measure][part], strict=True)
            if value is not None
        }
        for curve in curves
    ]
    shared = sorted(set.intersection(*map(set, numbers)))
    return np.array(shared), np.array([[run[epoch] for epoch in shared] for run in numbers])


def draw_scores(
    scores: Mapping[str, Mapping[float, Sequence[float]]],
    setting: str,
    published: Mapping[str, Mapping[float, float]] | None = None,
    title: str = "",
) -> "Figure":
    """Mean ± sd over runs by a setting such as K, depth or λ; a line for each method.

    Scores are in [0, 1] as in records; `published` has the paper's means, in per cent, of the same
    names: hollow marks.
    """
    figure = _figure(5.4, 3.6 + (0.3 if title else 0), title)
    axes = figure.subplots()
    for place, (name, by_value) in enumerate(scores.items()):
        points = sorted(by_value)
        means = np.array([100 * np.mean(by_value[point]) for point in points])
        spread = np.array([_deviation(100 * np.asarray(by_value[point])) for point in points])
        style = {"color": _colour(place), "marker": _turn(MARKS, place), "markersize": 5}
        axes.plot(points, means, linestyle=_turn(DASHES, place), label=name, **style)
        axes.fill_between(points, means - spread, means + spread, **_band(place))
    for name, by_value in (published or {}).items():
        place = list(scores).index(name) if name in scores else len(scores)
        style = {"color": _colour(place), "marker": _turn(MARKS, place), "markersize": 5}
        points = sorted(by_value)
        means = [by_value[point] for point in points]
        label = f"{name}, published"
        axes.plot(
            points, means, linewidth=0.8, linestyle=":", fillstyle="none", label=label, **style
        )
    if all(float(point).is_integer() for by_value in scores.values() for point in by_value):
        axes.locator_params(axis="x", integer=True)
    _finish(axes, "", setting)
    axes.set_ylabel(MEASURES["score"], color=INK)
    _legend(figure, axes, "mean ± sd over runs")
    return figure


def draw_differences(
    differences: Mapping[str, tuple[float, float, float]], unit: str = "points", title: str = ""
) -> "Figure":
    """Each difference (mean, low, high) as a mark with its interval, beside the line of none."""
    figure = _figure(5.4, 0.36 * len(differences) + 0.9 + (0.3 if title else 0), title)
    axes = figure.subplots()
    axes.axvline(0, color=FAINT, linewidth=1)
    for place, (mean, low, high) in enumerate(differences.values()):
        # Blue above zero, vermilion below, grey where the interval holds zero.
        colour = SERIES[0] if low > 0 else SERIES[1] if high < 0 else FAINT
        axes.plot([low, high], [place, place], color=colour, linewidth=2, solid_capstyle="round")
        axes.plot([mean], [place], color=colour, marker="o", markersize=7)
    _finish(axes, "", f"difference, {unit}")
    axes.set_yticks(range(len(differences)), list(differences), color=INK, fontsize=9)
    axes.set_ylim(len(differences) - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    return figure


def draw_points(
    points: Mapping[str, tuple[float, tuple[float, float, float]]],
    across: str,
    up: str,
    title: str = "",
) -> "Figure":
    """Named points: where each lies across, and up with its interval (mean, low, high)."""
    figure = _figure(6.4, 4.4 + (0.3 if title else 0), title)
    axes = figure.subplots()
    axes.axhline(0, color=FAINT, linewidth=1)
    for place, (name, (x, (mean, low, high))) in enumerate(points.items()):
        style = {"color": _colour(place), "marker": _turn(MARKS, place // len(SERIES))}
        axes.plot([x, x], [low, high], color=_colour(place), linewidth=1, alpha=0.5)
        axes.plot([x], [mean], linestyle="none", markersize=6, label=name, **style)
    _finish(axes, "", across)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    ticks = [tick for tick in TICKS if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_ylabel(up, color=INK)
    handles, names = axes.get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside right center", frameon=False, labelcolor=INK, fontsize=8
    )
    return figure


def _figure(width: float, height: float, title: str) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained", facecolor="white")
    if title:
        figure.suptitle(title, fontsize=12, color=INK)
    return figure


def _line(axes: "Axes", place: int, points: np.ndarray, values: np.ndarray, name: str) -> None:
    mean = values.mean(0)
    spread = _deviation(values)
    style = {"color": _colour(place), "linestyle": _turn(DASHES, place), "linewidth": 1.6}
    axes.plot(points, mean, label=name, **style)
    axes.fill_between(points, mean - spread, mean + spread, **_band(place))


def _deviation(values: np.ndarray) -> Any:
    """Over runs; of one run there is none to show."""
    return values.std(0, ddof=1) if len(values) > 1 else 0 * values[0]


def _band(place: int) -> dict[str, Any]:
    return {"color": _colour(place), "alpha": 0.16, "linewidth": 0}


def _colour(place: int) -> str:
    return _turn(SERIES, place)


def _turn(choices: Sequence[Any], place: int) -> Any:
    return choices[place % len(choices)]


def _finish(axes: "Axes", name: str, across: str) -> None:
    axes.set_title(name, fontsize=10, color=INK)
    axes.set_xlabel(across, color=INK)
    axes.tick_params(length=0, labelsize=8, colors=FAINT)
    axes.grid(True, color=FRAME, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set(color=FRAME)


def _legend(figure: "Figure", axes: "Axes", title: str) -> None:
    """Below the panels, so that it hides no line."""
    handles, names = axes.get_legend_handles_labels()
    columns = min(len(names), 4)
    legend = figure.legend(
        handles, names, loc="outside lower center", ncols=columns, frameon=False, title=title,
        labelcolor=INK, fontsize=9, title_fontsize=8, handlelength=2.6,
    )  # fmt: skip
    legend.get_title().set_color(FAINT)
