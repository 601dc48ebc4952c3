"""Spelling: parts by the words of a command: `gin:depth=3`, `g-mixup:paper`, `my.py:MyNet`."""

import ast
import re
from collections.abc import Sequence
from typing import Any

from gmixup.registry import Room

# Ways to make a part that bear a name of their own, where a part has them.
PRESETS = ("paper", "authors")


def spelt(room: Room, part: Any) -> Any:
    """The part that a word names, with the preset and settings after its colon; a part as it is.

    `g-mixup:authors,ratio=1,lam=(0.1,0.5)` is `GMixup.authors(ratio=1, lam=(0.1, 0.5))`.
    """
    if not isinstance(part, str):
        return room.make(part)
    name, *settings = _pieces(part)
    make: Any = room.find(name)
    changes: dict[str, Any] = {}
    for setting in settings:
        key, sign, value = setting.partition("=")
        if sign:
            changes[key.strip().replace("-", "_")] = _value(value.strip())
        else:
            make = _preset(make, setting, room.noun, part)
    try:
        return make(**changes) if settings else room.make(name)
    except TypeError as error:
        raise ValueError(
            f"`{room.noun}` is {part!r}, and {error}; settings follow a colon, as in "
            f"{name}:setting=value"
        ) from None


def _pieces(words: str) -> Sequence[str]:
    """The name, then the pieces that follow its colon; commas within brackets part nothing."""
    path = re.match(r".*\.py:\w+", words)
    name = path.group() if path else words.partition(":")[0]
    rest = words[len(name) + 1 :]
    return [name, *(piece for piece in re.split(r",(?![^(\[]*[)\]])", rest) if piece)]


def _preset(make: Any, word: str, noun: str, part: str) -> Any:
    known = [preset for preset in PRESETS if hasattr(make, preset)]
    if word in known:
        return getattr(make, word)
    told = f"its presets are {' and '.join(known)}" if known else "it has no presets"
    raise ValueError(f"`{noun}` is {part!r}, and {word!r} is no setting=value; {told}")


def _value(text: str) -> Any:
    """A number, a tuple, None, True or False; what is none of these is a word."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
