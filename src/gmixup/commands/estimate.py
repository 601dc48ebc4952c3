"""The command `estimate`: one graphon for each class of a data set."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gmixup.commands._words import Flag, Positive, bar, without_none, words_of_the_user


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
    quiet: Flag = False,
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
    with words_of_the_user():
        chosen = estimators.room.make(estimator, **without_none(given))
    name = Path(data).resolve().stem
    title = f"{name} by {chosen.name}"
    graphs, progress = datasets.load(data, root), bar(quiet)
    graphons = estimate_by_class(graphs, chosen, progress)
    files = write_portraits(graphons, out or f"gmixup-{name}", title)
    text = _table_of_portraits(title, graphons, files).markdown()
    if fidelity:
        text = "\n".join([text, *compare_by_class(graphs, graphons, progress)])
        write_text(Path(out or f"gmixup-{name}") / "fidelity.md", text)
    print(text, end="")


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
