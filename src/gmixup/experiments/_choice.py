"""Choice: which places of a table are asked for by words such as IMDB-BINARY, gin or g-mixup."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Literal

from gmixup.experiments._cells import Place, Setting, Settings

Kind = Literal["data", "network", "method", "column"]
Choice = Mapping[Kind, set[str]]


def choice(words: Sequence[str], tables: Iterable[Settings]) -> dict[Kind, set[str]]:
    """What kind of thing each word names in any of the tables; words of one kind are either-or."""
    known: dict[str, Kind] = {}
    for settings in tables:
        for place, setting in settings.items():
            for kind, names in _names(place, setting).items():
                known |= {name: known.get(name, kind) for name in names}
    found: dict[Kind, set[str]] = {}
    for word in words:
        if word not in known:
            close = get_close_matches(word, known, n=1, cutoff=0.5)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(
                f"`only` is {word!r}, which no table has; name data sets, networks, methods or "
                f"columns, as in `--only IMDB-BINARY gin`{hint}"
            )
        found.setdefault(known[word], set()).add(word)
    return found


def chosen(settings: Settings, only: Choice) -> dict[Place, Setting]:
    """The places that are asked for; all, if nothing is."""
    return {
        place: setting
        for place, setting in settings.items()
        if all(_names(place, setting)[kind] & words for kind, words in only.items())
    }


def _names(place: Place, setting: Setting) -> dict[Kind, set[str]]:
    """A group or a column may be the data set; then it is no name of its own."""
    data = {setting.data}
    group = place.group.rpartition(": ")[2]
    return {
        "data": data,
        "network": {setting.backbone.name, group} - data,
        "method": {place.method},
        "column": {place.column} - data,
    }
