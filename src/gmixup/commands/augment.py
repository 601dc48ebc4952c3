"""The command `augment`: a data set with synthetic graphs added, written whole."""

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any, Literal

from gmixup.commands._words import Flag, Positive, Whole, steps, without_none, words_of_the_user

Preset = Literal["paper", "authors"]
Labels = Literal["soft", "hard"]
Format = Literal["pyg", "tu"]


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
    seed: Whole = 0,
    quiet: Flag = False,
) -> None:
    """Write a data set with synthetic graphs added, and a manifest of how they came to be.

    All graphs given are taken for the training set: graphs that a model is to be tested on must not
    be among them.

    Parameters
    ----------
    data
        A name, such as IMDB-BINARY or two-and-eight-communities, or a path.
    out
        The folder to write into: a new or an empty one, or one that this command has written.
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
    from gmixup.augmented import check_adds_graphs, check_is_free, write_augmented

    given = without_none(
        {"estimator": estimator, "resolution": resolution, "ratio": ratio, "lam": lam}
        | {"labels": labels}
    )
    with words_of_the_user():
        make = augmentations.room.find(augment)
        if preset is not None:
            make = getattr(make, preset, None)
            if make is None:
                raise ValueError(f"`preset` is {preset!r}, but {augment} has none; leave it out")
        chosen = _made(augment, make, given)
        check_adds_graphs(chosen)
        check_is_free(out)
    with steps(quiet, 2) as step:
        graphs = datasets.load(data, root)
        step("augmenting")
        manifest = write_augmented(graphs, chosen, out, seed, format)
        step("done")
    real, synthetic = manifest["graphs"]["real"], manifest["graphs"]["synthetic"]
    print(f"{out}: {real} real and {synthetic} synthetic graphs, {out / 'manifest.json'}")


def _made(name: str, make: Callable[..., Any], settings: dict[str, Any]) -> Any:
    try:
        return make(**settings)
    except TypeError:
        known = signature(make).parameters
        unknown = [word for word in settings if word not in known and "changes" not in known]
        if not unknown:
            raise
        raise ValueError(f"`{unknown[0]}` is no setting of {name}; leave it out") from None
