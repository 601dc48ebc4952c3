"""Spelling: parts by the words of a command: `gin:depth=3`, `g-mixup:paper`, `my.py:MyNet`."""

import ast
import re
from collections.abc import Mapping, Sequence
from functools import partial
from inspect import signature
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
    found: Any = room.find(name)
    make, changes = partial(room.make, name), {}
    for setting in settings:
        key, sign, value = setting.partition("=")
        if sign:
            changes[key.strip().replace("-", "_")] = _value(value.strip())
        else:
            make = _preset(found, setting, room.noun, part)
    try:
        return make(**changes)
    except TypeError as error:
        why = _misfit(name, found, changes) or f"a setting is of a wrong kind ({error})"
        raise ValueError(f"`{room.noun}` is {part!r}, but {why}") from None


def _misfit(name: str, found: Any, changes: Mapping[str, Any]) -> str:
    """Which of the settings it does not have, if any."""
    parameters = signature(found).parameters.values()
    known = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    unknown = [word for word in changes if word not in known]
    if not unknown or len(known) < len(parameters):
        return ""
    told = f"its settings are {', '.join(known)}" if known else "it has none"
    return f"{unknown[0]!r} is no setting of {name}: {told}"


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
    """A number, a tuple, None, True or False (or true, false); what is none of these is a word."""
    if text in ("true", "false"):  # as words they would both be true
        return text == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
