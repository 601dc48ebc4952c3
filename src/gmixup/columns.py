"""Columns: what a feature matrix holds (numbers, one-hot groups, binary flags, integer categories).

A graphon keeps features as means by position. For a category the mean of its one-hot form is a
distribution, which mixes linearly like everything else, and from which a valid category is drawn.
"""

import json
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Kind = Literal["number", "binary", "one-hot", "integer"]

# More levels than this are a count or an identifier rather than a category.
MOST_LEVELS = 512


@dataclass(frozen=True)
class Group:
    """Columns that belong together: `places` in the raw matrix, `width` columns in the means."""

    kind: Kind
    places: tuple[int, ...]
    width: int
    offset: int = 0  # the smallest integer of an integer column


@dataclass(frozen=True)
class Columns:
    """The groups of a raw feature matrix (N, F), its dtype, and the way there and back."""

    groups: tuple[Group, ...]
    dtype: torch.dtype
    flat: bool = False  # the raw features are one-dimensional: (N,)

    @classmethod
    def of(cls, raw: Tensor) -> "Columns":
        """Reads off a raw matrix (N, F) or (N,) what each of its columns holds."""
        flat, raw = raw.ndim == 1, _two_dimensional(raw)
        if not raw.is_floating_point() and raw.dtype != torch.bool:
            groups = [_integer_group(raw[:, place], place) for place in range(raw.shape[1])]
        else:
            groups = _float_groups(raw.double())
        return cls(tuple(groups), raw.dtype, flat)

    @classmethod
    def plain(cls, raw: Tensor) -> "Columns":
        """Every column as a number: features are averaged (integers rounded), nothing is drawn."""
        width = 1 if raw.ndim == 1 else raw.shape[1]
        groups = tuple(Group("number", (place,), 1) for place in range(width))
        return cls(groups, raw.dtype, raw.ndim == 1)

    @property
    def width(self) -> int:
        """How many columns the means have."""
        return sum(group.width for group in self.groups)

    def encode(self, raw: Tensor) -> Tensor:
        """Raw features (N, F) as (N, width) float64, ready to be averaged."""
        raw = _two_dimensional(raw)
        parts = []
        for group in self.groups:
            part = raw[:, list(group.places)]
            if group.kind == "integer":
                level = part[:, 0].long() - group.offset
                if bool(((level < 0) | (level >= group.width)).any()):
                    low, high = group.offset, group.offset + group.width - 1
                    raise ValueError(
                        f"column {group.places[0]} of the features spans [{int(part.min())}, "
                        f"{int(part.max())}] but is known to hold [{low}, {high}]; read the "
                        "columns off all graphs at once: `pinned` before they are parted"
                    )
                part = torch.nn.functional.one_hot(level, group.width)
            parts.append(part.double())
        return torch.cat(parts, 1) if parts else torch.zeros(len(raw), 0, dtype=torch.float64)

    def draw(self, means: Tensor, generator: torch.Generator) -> Tensor:
        """Features in the raw form (N, F): numbers as they are, categories drawn from the means."""
        count = len(means)
        raw = torch.zeros(count, sum(len(g.places) for g in self.groups), dtype=torch.float64)
        start = 0
        for group in self.groups:
            mean, start = means[:, start : start + group.width], start + group.width
            if group.kind == "number":
                raw[:, group.places[0]] = mean[:, 0]
            elif group.kind == "binary":
                chance = torch.rand(count, generator=generator, dtype=torch.float64)
                raw[:, group.places[0]] = (chance < mean[:, 0]).double()
            else:
                level = _draw_levels(mean, generator)
                if group.kind == "integer":
                    raw[:, group.places[0]] = level.double() + group.offset
                else:
                    places = torch.tensor(group.places)
                    raw[torch.arange(count), places[level]] = 1.0
        if not self.dtype.is_floating_point:
            raw = raw.round()
        raw = raw.to(self.dtype)
        return raw[:, 0] if self.flat else raw

    def uniform(self, raw: Tensor) -> Tensor:
        """(width,) means under which every level is equally likely; numbers keep their mean."""
        parts = []
        for group in self.groups:
            if group.kind == "number":
                values = _two_dimensional(raw)[:, group.places[0]].double()
                parts.append(values.sum().view(1) / max(len(values), 1))
            else:
                chance = 0.5 if group.kind == "binary" else 1 / group.width
                parts.append(torch.full((group.width,), chance, dtype=torch.float64))
        return torch.cat(parts) if parts else torch.zeros(0, dtype=torch.float64)

    def to_json(self) -> str:
        """A line of text that `from_json` reads."""
        groups = [[g.kind, list(g.places), g.width, g.offset] for g in self.groups]
        return json.dumps({"groups": groups, "dtype": str(self.dtype), "flat": self.flat})

    @classmethod
    def from_json(cls, text: str) -> "Columns":
        """The Columns that `to_json` wrote."""
        stored = json.loads(text)
        groups = [Group(k, tuple(p), w, o) for k, p, w, o in stored["groups"]]
        dtype = getattr(torch, stored["dtype"].removeprefix("torch."))
        return cls(tuple(groups), dtype, stored["flat"])


def _two_dimensional(raw: Tensor) -> Tensor:
    return raw[:, None] if raw.ndim == 1 else raw


def _integer_group(column: Tensor, place: int) -> Group:
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    if high - low >= MOST_LEVELS:
        return Group("number", (place,), 1)
    return Group("integer", (place,), high - low + 1, low)


def _float_groups(raw: Tensor) -> list[Group]:
    """All 0/1 columns that together hold exactly one 1 a row are one one-hot group."""
    flags = [bool(((c == 0) | (c == 1)).all()) for c in raw.T] if len(raw) else []
    binary = tuple(place for place, flag in enumerate(flags) if flag)
    together = len(binary) > 1 and bool((raw[:, list(binary)].sum(1) == 1).all())
    groups = [
        Group("binary" if place in binary else "number", (place,), 1)
        for place in range(raw.shape[1])
        if not (together and place in binary)
    ]
    return [*groups, Group("one-hot", binary, len(binary))] if together else groups


def _draw_levels(weights: Tensor, generator: torch.Generator) -> Tensor:
    """(N,) a level per row with chances in proportion to `weights` (N, L)."""
    heights = weights.clamp(min=0).cumsum(1)
    chance = torch.rand(len(weights), 1, generator=generator, dtype=torch.float64)
    level = (heights < chance * heights[:, -1:]).sum(1)
    return level.clamp(max=weights.shape[1] - 1)
