"""Choices: refuses a word that a setting does not know, and says which it knows."""

from typing import Any, get_args


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Raises unless `value` is one of the words of a `Literal` type."""
    words = get_args(choices)
    if value not in words:
        raise ValueError(f"`{name}` is {value!r}; it is one of {', '.join(map(str, words))}")
