"""The command `demo`: the whole story on an embedded data set."""

from pathlib import Path

from gmixup.commands._words import Whole


def demo(*, out: Path = Path("gmixup-demo"), seed: Whole = 0) -> None:
    """Tell the whole story on an embedded data set, offline, in under a minute.

    Estimates a graphon for each class, mixes them, draws graphs, measures how like the real ones
    they are, trains with and without them beside controls, and writes a report.

    Parameters
    ----------
    out
        The folder to write the report and its records into.
    seed
        Decides which graphs are drawn.
    """
    from gmixup.demo import tell_story

    tell_story(out, seed)
