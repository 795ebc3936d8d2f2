"""What a study depends on as one fingerprint: robots, motions, spaces, answers, and functions by what they do."""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_DEEPEST = 60


def fingerprint(*values: object) -> str:
    """Equal for equal content, in any process.

    >>> fingerprint([1.0, "a"]) == fingerprint([1.0, "a"]), fingerprint(1.0) == fingerprint(2.0)
    (True, False)
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    digest = hashlib.sha256()
    for value in values:
        for part in _parts(value, 0):
            digest.update(part)
            digest.update(b"\0")
    return digest.hexdigest()


def _parts(value: Any, depth: int) -> Iterator[bytes]:  # noqa: PLR0912
    if depth > _DEEPEST:
        raise ValueError("what a study is of is nested too deeply")
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, (str, int, float, bool, bytes, complex, type(None))):
        yield f"{name} {value!r}".encode()
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"array {value.dtype.str} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, np.generic):
        yield f"{value.dtype.str} {value.item()!r}".encode()
    elif isinstance(value, (FunctionType, MethodType, functools.partial)):
        yield from _of_function(value, depth)
    elif isinstance(value, (type, ModuleType)) or inspect.isbuiltin(value):
        yield f"{getattr(value, '__module__', '')} {getattr(value, '__qualname__', value.__name__)}".encode()
    elif is_dataclass(value):
        yield name.encode()
        for part in fields(value):
            if part.compare or part.name in ("drives",):
                yield part.name.encode()
                yield from _parts(getattr(value, part.name), depth + 1)
        if type(value).__eq__ is object.__eq__:  # of such a class `compare` says nothing
            for part in fields(value):
                if not part.compare:
                    yield from _parts(getattr(value, part.name), depth + 1)
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)}".encode()
        for key, entry in value.items():
            yield from _parts(key, depth + 1)
            yield from _parts(entry, depth + 1)
    elif isinstance(value, (set, frozenset)):
        yield from sorted(b"".join(_parts(entry, depth + 1)) for entry in value)
    elif isinstance(value, (list, tuple, np.ndarray)):
        yield f"{name} {len(value)}".encode()
        for entry in value:
            yield from _parts(entry, depth + 1)
    else:
        yield name.encode()
        yield from _of_object(value, depth)


def _of_object(value: Any, depth: int) -> Iterator[bytes]:
    """An object by its data; what has none that is plain, by how it is pickled."""
    data = getattr(value, "__dict__", None)
    if data is not None:
        for key in sorted(data):
            if not key.startswith("_"):
                yield key.encode()
                yield from _parts(data[key], depth + 1)
        hidden = {key: entry for key, entry in data.items() if key.startswith("_") and _is_plain(entry)}
        for key in sorted(hidden):
            yield key.encode()
            yield from _parts(hidden[key], depth + 1)
        return
    try:
        yield pickle.dumps(value, protocol=4)
    except Exception:  # whatever refuses to be pickled
        raise ValueError(f"a study depends on {value!r}, whose content cannot be told: give numbers, text, robots, "
                         "motions or functions") from None


def _is_plain(value: object) -> bool:
    return isinstance(value, (str, int, float, bool)) or (isinstance(value, np.ndarray) and value.dtype.kind != "O")


def _of_function(function: Any, depth: int) -> Iterator[bytes]:
    """A function by its code, its own values, and what it holds of the functions around it."""
    if isinstance(function, functools.partial):
        yield b"partial"
        for part in (function.func, function.args, function.keywords):
            yield from _parts(part, depth + 1)
        return
    if isinstance(function, MethodType):
        yield b"method"
        yield from _parts(function.__func__, depth + 1)
        yield from _parts(function.__self__, depth + 1)
        return
    yield f"function {function.__qualname__}".encode()
    if function.__module__.partition(".")[0] in ("loadpath", "numpy", "scipy") and "<" not in function.__qualname__:
        yield function.__module__.encode()  # whose versions are noted
        return
    yield from _of_code(function.__code__)
    yield from _parts(function.__defaults__ or (), depth + 1)
    yield from _parts(function.__kwdefaults__ or {}, depth + 1)
    for cell in function.__closure__ or ():
        yield from _parts(cell.cell_contents, depth + 1)
    names = _names_of(function.__code__)
    for name in sorted(names & function.__globals__.keys()):
        held = function.__globals__[name]
        if held is not function and _counts(held):
            yield name.encode()
            yield from _parts(held, depth + 1)


def _counts(held: object) -> bool:
    """Whether a name of a module changes what a function does: numbers, text, robots, functions of the user's own."""
    if isinstance(held, (ModuleType, type)):
        return False
    if isinstance(held, FunctionType):
        return True
    return isinstance(held, (str, int, float, bool, tuple, list, dict, np.ndarray)) or (
        is_dataclass(held) and not isinstance(held, type))


def _names_of(code: CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names_of(constant)
    return found


def _of_code(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_names, code.co_varnames, code.co_freevars)).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _of_code(constant)
        elif isinstance(constant, frozenset):
            yield repr(sorted(constant, key=repr)).encode()
        else:
            yield repr(constant).encode()

