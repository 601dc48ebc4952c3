"""Drawings: a page's own plots, differences and training curves, as SVG in the page's colours.

Matplotlib takes a third of a second for such a figure, and a page of many runs has hundreds; these
take a millisecond, and on a narrow screen their panels stand below each other.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Any

import numpy as np

from gmixup.evidence.curves import PARTS, together

SERIES = 12  # classes `series-1` to `series-12` of the page's style
MOST_POINTS = 100  # of a line
LETTER = 8.0  # pixels that a letter takes, at 13 pixels
LONGEST = 34  # letters of a name beside a plot


@dataclass(frozen=True)
class Drawing:
    """HTML of a plot, with the words below it and words for who cannot see it."""

    html: str
    caption: str = ""
    description: str = ""  # else the caption


def forest(
    differences: Mapping[str, tuple[float, float, float]], caption: str = "", unit: str = "points"
) -> Drawing:
    """Each difference (mean, low, high) as a mark with its interval, beside the line of none."""
    names = [name if len(name) <= LONGEST else name[: LONGEST - 1] + "…" for name in differences]
    left = 14 + LETTER * max(map(len, names))
    width, row, foot = left + 310, 30, 44
    height, right = row * len(differences) + foot, width - 14
    across = Scale.over([0.0, *(end for ends in differences.values() for end in ends)], left, right)
    bottom = height - foot
    parts = [
        _line(x, 4, x, bottom, "zero" if tick == 0 else "grid")
        + _text(x, bottom + 16, _number(tick, signed=True), "tick", "middle")
        for tick, x in across.ticks()
    ]
    for place, (name, (mean, low, high)) in enumerate(
        zip(names, differences.values(), strict=True)
    ):
        y = row * (place + 0.5)
        side = "above" if low > 0 else "below" if high < 0 else "open"
        parts.append(
            _text(left - 14, y + 4.5, name, "name", "end")
            + f'<g class="{side}">{_line(across(low), y, across(high), y, "interval")}'
            + f'<circle cx="{across(mean):.1f}" cy="{y:.1f}" r="4.5"/></g>'
        )
    parts.append(_text((left + right) / 2, height - 8, f"difference, {unit}", "name", "middle"))
    told = [f"{name} {mean:+.1f}" for name, (mean, _, _) in differences.items()]
    svg = _svg(width, height, "".join(parts), "differences: " + ", ".join(told))
    return Drawing(f'<div class="drawing" style="--natural: {width:.0f}px">{svg}</div>', caption)


def training(
    runs: Mapping[str, Sequence[Mapping[str, Any]]],
    caption: str = "",
    parts: Sequence[str] = PARTS,
    bare: Container[str] = (),
) -> Drawing:
    """Mean ± sd over runs of the score by epoch: a panel for each part, a line for each method.

    Methods that are `bare` have no band of deviation: many bands on each other hide the lines.
    """
    lines = {part: {name: _spread(own, part) for name, own in runs.items()} for part in parts}
    ends = [
        end
        for part in lines.values()
        for _, low, _, high in part.values()
        for end in (low.min(initial=100.0), high.max(initial=0.0))
    ]
    span = min(ends), max(ends)
    panels = "".join(_panel(part, own, span, bare) for part, own in lines.items())
    legend = "".join(
        f'<li><svg class="{_series(place)}" viewBox="0 0 30 8" aria-hidden="true">'
        f"{_line(0, 4, 30, 4, 'mean')}</svg>{escape(name)} (n = {len(own)})</li>"
        for place, (name, own) in enumerate(runs.items())
    )
    html = f'<div class="panels">{panels}</div><ul class="legend">{legend}</ul>'
    return Drawing(html, caption, "score by epoch of " + ", ".join(runs))


@dataclass(frozen=True)
class Scale:
    """From numbers to pixels."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, numbers: Sequence[float], start: float, end: float) -> "Scale":
        """A scale on which all these numbers lie, with some room at both ends."""
        low, high = min(numbers), max(numbers)
        room = 0.06 * (high - low) or 1.0
        return cls(low - room, high + room, start, end)

    def __call__(self, number: float) -> float:
        """Where a number lies."""
        share = (number - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int = 7) -> list[tuple[float, float]]:
        """Round numbers and where they lie; at most so many."""
        least = (self.high - self.low) / most
        power = 10.0 ** floor(log10(least))
        step = next(times * power for times in (1, 2, 5, 10) if times * power >= least)
        first, last = ceil(self.low / step), floor(self.high / step)
        return [(number * step, self(number * step)) for number in range(first, last + 1)]


Spread = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _spread(curves: Sequence[Mapping[str, Any]], part: str) -> Spread:
    """(T,) epochs, mean - sd, mean and mean + sd in per cent."""
    epochs, values = together(curves, "score", part)
    if len(epochs) > MOST_POINTS:
        kept = np.linspace(0, len(epochs) - 1, MOST_POINTS).round().astype(int)
        epochs, values = epochs[kept], values[:, kept]
    mean = 100 * values.mean(0)
    deviation = 100 * values.std(0, ddof=1) if len(values) > 1 else 0 * mean
    return epochs, mean - deviation, mean, mean + deviation


def _panel(
    part: str, lines: Mapping[str, Spread], ends: tuple[float, float], bare: Container[str]
) -> str:
    width, height, left, top, foot = 320, 230, 38, 24, 40
    up = Scale.over(ends, height - foot, top)
    epochs = [epoch for own, *_ in lines.values() for epoch in (own.min(), own.max())]
    along = Scale(min(epochs), max(max(epochs), min(epochs) + 1), left, width - 8)
    grid = [
        _line(left, y, width - 8, y, "grid") + _text(left - 6, y + 4, _number(tick), "tick", "end")
        for tick, y in up.ticks(6)
    ]
    grid += [
        _text(x, height - foot + 16, _number(tick), "tick", "middle") for tick, x in along.ticks(6)
    ]
    bands, means = [], []  # all lines lie above all bands
    for place, (name, (own, low, mean, high)) in enumerate(lines.items()):
        x, kind = [along(epoch) for epoch in own], _series(place)
        band = _points(x, low, up) + " " + _points(x[::-1], high[::-1], up)
        if name not in bare:
            bands.append(f'<polygon class="{kind} band" points="{band}"/>')
        line = f'<polyline class="mean" points="{_points(x, mean, up)}"/>'
        means.append(f'<g class="{kind}">{line}</g>')
    words = _text(left, 13, f"{part}, score in %", "name", "start") + _text(
        (left + width) / 2, height - 6, "epoch", "tick", "middle"
    )
    return _svg(width, height, "".join([*grid, *bands, *means, words]), f"{part} score by epoch")


def _series(place: int) -> str:
    return f"series-{place % SERIES + 1}"


def _points(x: Sequence[float], y: np.ndarray, up: Scale) -> str:
    return " ".join(f"{a:.1f},{up(b):.1f}" for a, b in zip(x, y, strict=True))


def _svg(width: float, height: float, inner: str, words: str) -> str:
    view = f"0 0 {width:.0f} {height:.0f}"
    return (
        f'<svg class="plot" role="img" aria-label="{escape(words)}" viewBox="{view}">{inner}</svg>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, words: str, kind: str, anchor: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(words)}</text>'


def _number(tick: float, signed: bool = False) -> str:
    text = f"{round(tick, 9):+g}" if signed and tick else f"{round(tick, 9):g}"
    return text.replace("-", "−")
