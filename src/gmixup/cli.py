"""The commands: each one reads its words, calls one function and prints what came of it."""

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter
from cyclopts.validators import Number

from gmixup import __version__

# Small tensor work on two threads that share a core takes 5 to 70 times as long as on one. The
# libraries read these when they are first imported, so they are set before; the user's values win.
THREAD_SETTINGS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class WrongUseError(Exception):
    """What was asked for cannot be: exit code 2."""


# Errors whose words are meant for the user; others are told with their kind.
EXPECTED = (CycloptsError, WrongUseError, ValueError, OSError, ImportError)

Preset = Literal["paper", "authors"]
Labels = Literal["soft", "hard"]
Format = Literal["pyg", "tu"]
Positive = Annotated[int, Parameter(validator=Number(gte=1))]
Flag = Annotated[bool, Parameter(negative="")]
Quiet = Flag

app = App(
    name="gmixup",
    version=__version__,
    help="Graphon-based augmentation for graph classification.",
    help_epilogue="Each command takes --help, and --debug for the traceback of an error.",
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
)


@app.command
def estimate(
    data: str,
    /,
    *,
    root: Path | None = None,
    out: Path | None = None,
    estimator: str = "lg",
    alignment: str | None = None,
    resolution: Positive | None = None,
    fidelity: Flag = False,
    quiet: Quiet = False,
) -> None:
    """Estimate one graphon for each class of a data set.

    Writes a .npz file for each class and one picture of all of them, and prints a table.

    Parameters
    ----------
    data
        A name, such as IMDB-BINARY or two-and-eight-communities, or a path.
    root
        The folder that holds the data sets [default: $GMIXUP_DATA, else data].
    out
        The folder to write into [default: gmixup-DATA].
    estimator
        The name of an estimator, or your own as path.py:ClassName.
    alignment
        quantile, pooled, pad or truncate [default: as the estimator says].
    resolution
        K, the number of steps along one side [default: the mean number of nodes].
    fidelity
        Also compare graphs drawn from each graphon with the real ones; adds fidelity.md.
    quiet
        Show no progress.
    """
    from gmixup import datasets, estimators
    from gmixup.atomic import write_text
    from gmixup.portraits import compare_by_class, estimate_by_class, write_portraits

    given = {"alignment": alignment, "resolution": resolution}
    with _words_of_the_user():
        chosen = estimators.room.make(estimator, **_without_none(given))
    name = Path(data).resolve().stem
    title = f"{name} by {chosen.name}"
    graphs, progress = datasets.load(data, root), _progress(quiet)
    graphons = estimate_by_class(graphs, chosen, progress)
    files = write_portraits(graphons, out or f"gmixup-{name}", title)
    text = _table_of_portraits(title, graphons, files).markdown()
    if fidelity:
        text = "\n".join([text, *compare_by_class(graphs, graphons, progress)])
        write_text(Path(out or f"gmixup-{name}") / "fidelity.md", text)
    print(text, end="")


@app.command
def augment(
    data: str,
    /,
    *,
    out: Path,
    root: Path | None = None,
    augment: str = "g-mixup",
    preset: Preset | None = None,
    estimator: str | None = None,
    resolution: Positive | None = None,
    ratio: float | None = None,
    lam: tuple[float, float] | None = None,
    labels: Labels | None = None,
    format: Format = "pyg",
    seed: int = 0,
    quiet: Quiet = False,
) -> None:
    """Write a data set with synthetic graphs added, and a manifest of how they came to be.

    All graphs given are taken for the training set: graphs that a model is to be tested on must not
    be among them.

    Parameters
    ----------
    data
        A name, such as IMDB-BINARY or two-and-eight-communities, or a path.
    out
        The folder to write into.
    root
        The folder that holds the data sets [default: $GMIXUP_DATA, else data].
    augment
        What adds the graphs: g-mixup, resample, soften, edge-perturbation, or path.py:ClassName.
    preset
        paper: what the paper's text says; authors: what its code does [g-mixup alone].
    estimator
        The name of an estimator, or your own as path.py:ClassName.
    resolution
        K, the number of steps of a graphon [default: as the estimator says].
    ratio
        Synthetic graphs for each real one [default: 0.2].
    lam
        The ends LOW HIGH between which lambda is drawn [default: 0.1 0.2].
    labels
        soft: the weights of all classes; hard: the heaviest class alone [default: soft].
    format
        pyg: graphs.pt, read by GraphFolder and torch.load; tu: text, read by TUDataset.
    seed
        Decides everything that is drawn.
    quiet
        Show no progress.
    """
    from gmixup import augmentations, datasets
    from gmixup.augmented import check_adds_graphs, write_augmented

    given = _without_none(
        {"estimator": estimator, "resolution": resolution, "ratio": ratio, "lam": lam}
        | {"labels": labels}
    )
    with _words_of_the_user():
        make = augmentations.room.find(augment)
        if preset is not None:
            make = getattr(make, preset, None)
            if make is None:
                raise ValueError(f"`preset` is {preset!r}, but {augment} has none; leave it out")
        chosen = _made(augment, make, given)
        check_adds_graphs(chosen)
    with _steps(quiet, 2) as step:
        graphs = datasets.load(data, root)
        step("augmenting")
        manifest = write_augmented(graphs, chosen, out, seed, format)
        step("done")
    real, synthetic = manifest["graphs"]["real"], manifest["graphs"]["synthetic"]
    print(f"{out}: {real} real and {synthetic} synthetic graphs, {out / 'manifest.json'}")


@app.command
def reproduce(
    name: str,
    /,
    *,
    seeds: Positive | None = None,
    seed: int = 0,
    out: Path | None = None,
    quiet: Quiet = False,
) -> None:
    """Make a table or figure of the paper anew, beside the published one.

    Parameters
    ----------
    name
        The experiment, such as estimators or complexity.
    seeds
        How many seeds: SEED, SEED + 1, and so on [default: as the experiment says].
    seed
        The first of them.
    out
        A file to write the Markdown into, besides printing it.
    quiet
        Show no progress.
    """
    from gmixup import experiments
    from gmixup.atomic import write_text

    with _words_of_the_user():
        experiment = experiments.room.make(name, **_without_none({"seed": seed, "seeds": seeds}))
    tables = experiment.run(lambda line: None if quiet else print(line, file=sys.stderr))
    text = "\n".join(table.markdown() for table in tables)
    if out is not None:
        write_text(out, text)
    print(text, end="")


@app.command
def demo(*, out: Path = Path("gmixup-demo"), seed: int = 0) -> None:
    """Tell the whole story on an embedded data set, offline, in under a minute.

    Parameters
    ----------
    out
        The folder to write the pictures into.
    seed
        Decides which graphs are drawn.
    """
    from gmixup.demo import tell_story

    tell_story(out, seed)


def main(words: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code: 0 done, 1 failed, 2 wrong use."""
    for setting in THREAD_SETTINGS:
        os.environ.setdefault(setting, "1")
    words = list(sys.argv[1:] if words is None else words)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        app(words, exit_on_error=False, print_error=False, result_action="return_none")
        return 0
    except (CycloptsError, WrongUseError) as error:
        return _fail(error, 2, debug)
    except (Exception, KeyboardInterrupt) as error:
        return _fail(error, 1, debug)


def _fail(error: BaseException, code: int, debug: bool) -> int:
    """Says in one sentence what went wrong."""
    if debug:
        traceback.print_exception(error)
    else:
        sentence = " ".join(str(error).split())
        if not isinstance(error, EXPECTED):
            sentence = f"{type(error).__name__} {sentence}".rstrip()
        print(f"gmixup: {sentence}", file=sys.stderr)
    return code


@contextmanager
def _words_of_the_user() -> Iterator[None]:
    """A ValueError while settings are made speaks of the words given, not of the work."""
    try:
        yield
    except ValueError as error:
        raise WrongUseError(str(error)) from error


def _without_none(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


def _progress(quiet: bool):
    """A bar on stderr for what is iterated; none where nobody looks."""
    from tqdm import tqdm

    return lambda items: tqdm(items, unit="class", leave=False, disable=quiet or None)


def _made(name: str, make: Callable[..., Any], settings: dict[str, Any]) -> Any:
    try:
        return make(**settings)
    except TypeError:
        known = signature(make).parameters
        unknown = [word for word in settings if word not in known and "changes" not in known]
        if not unknown:
            raise
        raise ValueError(f"`{unknown[0]}` is no setting of {name}; leave it out") from None


@contextmanager
def _steps(quiet: bool, count: int) -> Iterator[Callable[[str], None]]:
    """A bar on stderr that moves on with each step that is told to it."""
    from tqdm import tqdm

    with tqdm(total=count, desc="loading", leave=False, disable=quiet or None) as bar:

        def step(what: str) -> None:
            bar.set_description(what)
            bar.update()

        yield step


def _table_of_portraits(title: str, graphons: Mapping[str, Any], files: Mapping[str, Path]):
    from gmixup.evidence.tables import Table

    rows = []
    for name, graphon in graphons.items():
        nodes, edges = graphon.sizes.mean().tolist()
        numbers = (f"{nodes:.2f}", f"{edges:.2f}", f"{graphon.edge_density:.4g}")
        rows.append((name, f"{graphon.sizes.weights.sum():.0f}", *numbers, str(files[name])))
    header = ("class", "graphs", "mean nodes", "mean edges", "density", "file")
    folder = next(iter(files.values())).parent
    return Table(title, header, rows, [f"all side by side: {folder / 'graphons.png'}"])
