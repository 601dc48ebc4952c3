"""The command `train`: one network and one augmentation from several seeds."""

from gmixup.commands._words import (
    Flag,
    Positive,
    Running,
    SplitKind,
    Whole,
    tell_failures,
    words_of_the_user,
)

USUAL = Running()


def train(
    data: str,
    /,
    *,
    backbone: str = "gin",
    augment: str = "none",
    seeds: Positive = 10,
    seed: Whole = 0,
    split: SplitKind | None = None,
    running: Running = USUAL,
    quiet: Flag = False,
) -> None:
    """Train a network, with or without augmentation, and print its mean test score.

    Writes one record for each run; a run whose record is there is not run again.

    Parameters
    ----------
    data
        A name, such as IMDB-BINARY or two-and-eight-communities, or a path.
    backbone
        A network such as gin, gcn, ogb-gin, gin:depth=3,width=32, or your own as path.py:MyNet.
    augment
        A method such as g-mixup, g-mixup:paper, g-mixup:authors, g-mixup:ratio=1, drop-edge, or
        your own as path.py:MyMethod.
    seeds
        How many seeds: SEED, SEED + 1, and so on; each has its own split.
    seed
        The first of them.
    split
        ratios (7:1:2 by class), ratios-unstratified, k-fold (seed 23 is fold 3 of repeat 2) or own
        [default: ratios; own for sets of OGB].
    quiet
        Show no progress.
    """
    from gmixup.repeated import train as train_repeatedly

    with words_of_the_user():
        result = train_repeatedly(
            data,
            backbone,
            augment,
            seeds,
            seed=seed,
            split=split,
            progress=False if quiet else None,
            **vars(running),
        )
    if result.mean is not None:
        print(result.sentence)
    tell_failures(result.failed, len(result.records))
