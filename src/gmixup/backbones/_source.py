"""Source: a hash of somebody's function or class, by which one part is told from another."""

import dis
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

DIGITS = 16

_LOOKED_UP = ("LOAD_GLOBAL", "LOAD_NAME")


def source_hash(function: Callable[..., Any]) -> str:
    """A hash of the function, and of the functions and classes of its module that it names.

    The settings that they read count too: defaults, what a closure, a module or an object that is
    called holds, as far as these are numbers, texts, names of code, or made of such. What lies in
    other modules is taken as it is.
    """
    texts = dict(_texts(function.func if isinstance(function, partial) else function, {}))
    if isinstance(function, partial):
        texts["given"] = _told([function.args, function.keywords])
    content = "\n".join(texts[name] for name in sorted(texts))
    return hashlib.sha256(content.encode()).hexdigest()[:DIGITS]


def _texts(thing: Any, seen: dict[int, Any]) -> Iterator[tuple[str, str]]:
    """Every piece of code by its name, each once."""
    if id(thing) in seen:
        return
    seen[id(thing)] = thing
    held: list[Any] = []
    if not isinstance(thing, type | FunctionType):  # of an object that can be called, its class
        held.append(getattr(thing, "__dict__", {}))
        thing = type(thing)
    functions = [thing] if isinstance(thing, FunctionType) else _methods(thing)
    try:
        text = inspect.getsource(thing)
    except (OSError, TypeError):  # typed at a prompt
        text = repr([_of_code(function.__code__) for function in functions])
    yield f"{thing.__module__}.{thing.__qualname__}", text
    for function in functions:
        read = _read_by(function)
        for found in [*read.values(), *(thing.__bases__ if isinstance(thing, type) else ())]:
            if isinstance(found, type | FunctionType) and found.__module__ == thing.__module__:
                yield from _texts(found, seen)
        held += [read, function.__defaults__, function.__kwdefaults__]
    yield f"{thing.__module__}.{thing.__qualname__} holds", _told(held)


def _methods(kind: type) -> list[FunctionType]:
    return [member for member in vars(kind).values() if isinstance(member, FunctionType)]


def _read_by(function: FunctionType) -> dict[str, Any]:
    """What a function finds outside of itself, by name: in its closure and in its module."""
    code = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    space = function.__globals__
    named = {name: space[name] for name in sorted(_names(code)) if name in space}
    return named | {name: cell.cell_contents for name, cell in cells if _filled(cell)}


def _names(code: CodeType) -> set[str]:
    """The names that a piece of code looks up in its module, and those within it."""
    own = {step.argval for step in dis.get_instructions(code) if step.opname in _LOOKED_UP}
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return own.union(*map(_names, inner))


def _told(value: Any) -> str:
    """A setting as text that is the same in every process; else a name."""
    if value is None or isinstance(value, int | float | complex | str | bytes):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_told, value))}]"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_told, value)))}}}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_told(key)}: {_told(part)}' for key, part in value.items())}}}"
    if isinstance(value, partial):
        return _told([value.func, value.args, value.keywords])
    kind = value if isinstance(value, type | FunctionType | BuiltinFunctionType) else type(value)
    return kind.__qualname__  # without its module, which is named by where a person's file lies


def _of_code(code: CodeType) -> list[Any]:
    constants = [_of_code(c) if isinstance(c, CodeType) else _told(c) for c in code.co_consts]
    return [code.co_code.hex(), code.co_names, constants]


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
