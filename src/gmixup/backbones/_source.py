"""Source: a hash of somebody's function or class, by which one network is told from another."""

import hashlib
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FunctionType
from typing import Any

DIGITS = 16


def source_hash(function: Callable[..., Any]) -> str:
    """A hash of the function, and of the functions and classes of its module that it names.

    What lies in other modules is taken as it is, as are the settings that a closure holds.
    """
    texts = dict(_texts(function.func if isinstance(function, partial) else function, {}))
    content = "\n".join(texts[name] for name in sorted(texts))
    return hashlib.sha256(content.encode()).hexdigest()[:DIGITS]


def _texts(thing: Any, seen: dict[int, Any]) -> Iterator[tuple[str, str]]:
    """Every piece of code by its name, each once."""
    if id(thing) in seen:
        return
    seen[id(thing)] = thing
    if not isinstance(thing, type | FunctionType):
        thing = type(thing)  # of an object that can be called, its class
    functions = [thing] if isinstance(thing, FunctionType) else _methods(thing)
    try:
        text = inspect.getsource(thing)
    except (OSError, TypeError):  # typed at a prompt
        text = repr([_of_code(function.__code__) for function in functions])
    yield f"{thing.__module__}.{thing.__qualname__}", text
    for function in functions:
        cells = [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
        named = [function.__globals__.get(name) for name in _names(function.__code__)]
        for found in [*cells, *named, *(thing.__bases__ if isinstance(thing, type) else ())]:
            if _code_of(found) and found.__module__ == thing.__module__:
                yield from _texts(found, seen)
    values = [c.cell_contents for f in functions for c in f.__closure__ or () if _filled(c)]
    plain = [repr(v) for v in values if isinstance(v, int | float | str | bool | tuple)]
    yield f"{thing.__module__}.{thing.__qualname__} holds", " ".join(plain)


def _code_of(found: Any) -> bool:
    return isinstance(found, type | FunctionType)


def _methods(kind: type) -> list[FunctionType]:
    return [member for member in vars(kind).values() if isinstance(member, FunctionType)]


def _names(code: CodeType) -> set[str]:
    """The names that a piece of code looks up, and those within it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _of_code(code: CodeType) -> list[Any]:
    constants = [_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return [code.co_code.hex(), code.co_names, constants]


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
