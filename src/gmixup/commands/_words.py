"""Words of commands: types that several share, and what is wrong use rather than a failure."""

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter, Token
from cyclopts.validators import Number


def _whole(_: Any, tokens: Sequence[Token]) -> int:
    """A whole number; by itself cyclopts would take 2.5 for 2."""
    word = tokens[0].value
    if not re.fullmatch(r"[+-]?\d+", word):
        raise ValueError(f"{word!r} is not a whole number")
    return int(word)


Whole = Annotated[int, Parameter(converter=_whole, validator=Number(gte=0))]
Positive = Annotated[int, Parameter(converter=_whole, validator=Number(gte=1))]
Flag = Annotated[bool, Parameter(negative="")]

SplitKind = Literal["ratios", "ratios-unstratified", "k-fold", "own"]
EdgeNoise = tuple[Literal["add", "remove"], float]
UNITS = {"s": 1, "min": 60, "h": 3600}


class WrongUseError(Exception):
    """What was asked for cannot be: exit code 2."""


class FailedRunsError(Exception):
    """Some runs failed, and what they say is told: exit code 1."""


@Parameter(name="*")
@dataclass(frozen=True)
class Running:
    """What every command that trains takes.

    Parameters
    ----------
    recipe
        paper, authors, ogb, gmt or quick [default: paper; ogb for sets of OGB].
    epochs
        How many epochs [default: as the recipe says].
    precision
        float32, bfloat16 or float64.
    train_fraction
        The share of the training graphs that is kept: few labels.
    label_noise
        The share of the training labels that is wrong.
    edge_noise
        add or remove, and the share of the edges of the training graphs.
    features
        Of graphs that have none: auto, one-hot, standardised or constant.
    device
        auto, cpu or cuda.
    jobs
        How many processes train at once.
    backend
        What spreads them: loky, dask or ray [default: loky].
    out
        The folder of the records; runs that have one there are not run again.
    root
        The folder that holds the data sets [default: $GMIXUP_DATA, else data].
    """

    recipe: str | None = None
    epochs: Positive | None = None
    precision: Literal["float32", "bfloat16", "float64"] | None = None
    train_fraction: float = 1.0
    label_noise: float = 0.0
    edge_noise: Annotated[EdgeNoise | None, Parameter(negative="")] = None
    features: Literal["auto", "one-hot", "standardised", "constant"] = "auto"
    device: str = "auto"
    jobs: Positive = 1
    backend: Literal["loky", "dask", "ray"] | None = None
    out: Path = Path("runs")
    root: Path | None = None


@contextmanager
def words_of_the_user() -> Iterator[None]:
    """A ValueError while settings are made speaks of the words given, not of the work."""
    from gmixup.sweep import FailedRunsWarning

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FailedRunsWarning)  # `tell_failures` says it last
            yield
    except ValueError as error:
        raise WrongUseError(str(error)) from error


def without_none(settings: dict[str, Any]) -> dict[str, Any]:
    """Leaves out what was not given."""
    return {name: value for name, value in settings.items() if value is not None}


def seconds_of(words: str | None) -> float | None:
    """600 for 10min, 90 for 90s or 90, 7200 for 2h."""
    if words is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|min|h)?", words)
    if found is None:
        raise WrongUseError(f"`budget` is {words!r}; give a time such as 90s, 10min or 2h")
    return float(found[1]) * UNITS[found[2] or "s"]


def tell_failures(records: list[dict[str, Any]], total: int) -> None:
    """Raises if some runs failed, with the error of the first."""
    if records:
        raise FailedRunsError(f"{len(records)} of {total} runs failed: {records[0]['error']}")


def bar(quiet: bool) -> Callable[[Any], Any]:
    """A bar on stderr for what is iterated; none where nobody looks."""
    from tqdm import tqdm

    return lambda items: tqdm(items, unit="class", leave=False, disable=quiet or None)


@contextmanager
def steps(quiet: bool, count: int) -> Iterator[Callable[[str], None]]:
    """A bar on stderr that moves on with each step that is told to it."""
    from tqdm import tqdm

    with tqdm(total=count, desc="loading", leave=False, disable=quiet or None) as shown:

        def step(what: str) -> None:
            shown.set_description(what)
            shown.update()

        yield step
