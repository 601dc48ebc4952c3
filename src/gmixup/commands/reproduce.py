"""The command `reproduce`: a table or figure of the paper anew, beside the published one."""

import sys
from pathlib import Path

from gmixup.commands._words import Flag, Positive, without_none, words_of_the_user


def reproduce(
    name: str,
    /,
    *,
    seeds: Positive | None = None,
    seed: int = 0,
    out: Path | None = None,
    quiet: Flag = False,
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

    with words_of_the_user():
        experiment = experiments.room.make(name, **without_none({"seed": seed, "seeds": seeds}))
    tables = experiment.run(lambda line: None if quiet else print(line, file=sys.stderr))
    text = "\n".join(table.markdown() for table in tables)
    if out is not None:
        write_text(out, text)
    print(text, end="")
