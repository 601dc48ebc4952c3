"""The command `compare`: does augmentation help on these graphs? A tested answer."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from gmixup.commands._words import (
    Flag,
    Positive,
    Running,
    SplitKind,
    Whole,
    seconds_of,
    tell_failures,
    words_of_the_user,
)

USUAL = Running()


def compare(
    data: str,
    /,
    *,
    backbone: str = "gin",
    augment: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    splits: Positive | None = None,
    inits: Positive = 1,
    budget: str | None = None,
    wish: float | None = None,
    seed: Whole = 0,
    split: SplitKind = "k-fold",
    running: Running = USUAL,
    report: Path | None = None,
    quiet: Flag = False,
) -> None:
    """Test whether augmentation helps on a data set, beside no augmentation and controls.

    Every method trains on the same splits from the same initial weights. A mixup of graphs is also
    tested against its controls: real graphs drawn again, the same with softened labels, no mixing,
    and graphons that are mere densities.

    Parameters
    ----------
    data
        A name, such as IMDB-BINARY or two-and-eight-communities, or a path.
    backbone
        A network such as gin, gcn, ogb-gin, gin:depth=3,width=32, or your own as path.py:MyNet.
    augment
        Methods such as g-mixup, g-mixup:paper, g-mixup:ratio=1, drop-edge, or your own as
        path.py:MyMethod [default: g-mixup].
    splits
        Fits of repeated stratified 10-fold cross-validation [default: 30].
    inits
        Initial weights on each split; scores are averaged over them.
    budget
        A time such as 10min: as many splits as fit into it, instead of a number.
    wish
        A difference in points: says what it would take to see it.
    seed
        The first cross-validation.
    split
        k-fold; or ratios, ratios-unstratified or own, with a seed for each fit.
    report
        The page to write: .html, .md or .tex [default: OUT/report.html].
    quiet
        Show no table while runs come in.
    """
    from gmixup.comparing import compare as answer_by_runs
    from gmixup.evidence.page import check_path

    page = report or running.out / "report.html"
    with words_of_the_user():
        check_path(page)
        answer = answer_by_runs(
            data,
            backbone,
            augment or ["g-mixup"],
            splits,
            inits=inits,
            budget=seconds_of(budget),
            wish=wish,
            seed=seed,
            split=split,
            progress=False if quiet else None,
            **vars(running),
        )
    answer.save(page)
    told = [answer.verdict, answer.on_collection, answer.sight, answer.plan, f"report: {page}"]
    print(answer.table.markdown(), *filter(None, told), sep="\n")
    tell_failures(answer.failed, len(answer.records))
