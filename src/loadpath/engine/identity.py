"""What a kernel computes, as text: equal text means equal machine code.

Loadpath's own functions and classes go in by name, since all of their source is in the library's own hash
(`_sources.digest`). So the key of a built-in quantity is made without tracing anything. A function or a class from
anywhere else can compute whatever it likes, today this and tomorrow that, so where one takes part there is no such key:
the equations are traced, and the kernel is kept under the traced program itself (`program_key`).
"""

from __future__ import annotations

import enum
import functools
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from loadpath import _sources

if TYPE_CHECKING:
    from loadpath.engine.arguments import Variant
    from loadpath.engine.program import Operand, Tape
    from loadpath.engine.quantity import Compiled, Subject

_LIBRARY = __name__.partition(".")[0]
_PLAIN: frozenset[type] = frozenset({float, int, str, bool, bytes, complex, type(None)})
_STORED = "_kernel_identity"

_Write: TypeAlias = Callable[[str], object]


class ForeignError(Exception):
    """Something takes part that is not Loadpath's own, so that its name does not say what it computes."""


def kernel_key(
    robot: Subject, quantity: Compiled, variant: Variant, inputs: Sequence[Operand], outputs: Sequence[Operand]
) -> str | None:
    """Everything that a kernel of Loadpath's own equations depends on; None if something foreign takes part."""
    try:
        parts = [_subject_identity(robot), quantity_identity(quantity, variant)]
    except ForeignError:
        return None
    return "\n".join([*parts, _shapes(quantity.name, inputs, outputs)])


def program_key(name: str, tape: Tape, inputs: Sequence[Operand], outputs: Sequence[Operand]) -> str:
    """The key of a traced program: its own instructions."""
    content = repr((tape.inputs, tape.constants, tape.operations, tape.angles, tape.outputs))
    return f"program {hashlib.sha256(content.encode()).hexdigest()}\n{_shapes(name, inputs, outputs)}"


def quantity_identity(quantity: Compiled, variant: Variant) -> str:
    """Which equations, on which mechanism, with which choices; `ForeignError` if any of these is not Loadpath's own."""
    if type(quantity).__module__ != f"{_LIBRARY}.engine.quantity":
        raise ForeignError(type(quantity))
    on = quantity.formulations[variant.formulation]
    choices = {**quantity.choices, **dict(variant.choices)}
    equations = on.formulation, on.closing, on.mechanism, quantity.check
    return identity((*equations, variant.link, variant.external, variant.given, choices))


def identity(value: object) -> str:
    """A value as text that is equal for equal values only, down to the last of its parts.

    >>> identity((1.0, {"a": None}))
    '(1.0,{str(1)a:None,},)'
    >>> identity(identity)
    'loadpath.engine.identity:identity'
    >>> identity(lambda: 1.0)                                          # doctest: +ELLIPSIS
    Traceback (most recent call last):
    loadpath.engine.identity.ForeignError: ...
    """
    text: list[str] = []
    _write(value, text.append)
    return "".join(text)


def _subject_identity(robot: Subject) -> str:
    stored: str | None = robot.__dict__.get(_STORED)
    if stored is None:
        content = identity((type(robot), robot.defined_by))
        stored = robot.__dict__[_STORED] = hashlib.sha256(content.encode()).hexdigest()
    return stored


def _shapes(name: str, inputs: Sequence[Operand], outputs: Sequence[Operand]) -> str:
    shapes = [(o.name, o.shape, "pinned") if o.pinned else (o.name, o.shape) for o in inputs]
    return f"{name} {shapes} -> {[o.shape for o in outputs]}"


def _write(value: Any, write: _Write) -> None:
    _WRITERS.get(type(value), _write_instance)(value, write)


def _write_plain(value: object, write: _Write) -> None:
    write(repr(value))


def _write_text(value: str, write: _Write) -> None:
    write(f"str({len(value)}){value}")


def _write_tuple(values: tuple[object, ...], write: _Write) -> None:
    if set(map(type, values)) == {float}:  # as most are
        write(repr(values))
    else:
        _write_sequence(values, write)


def _write_list(values: list[object], write: _Write) -> None:
    write("list")
    _write_sequence(values, write)


def _write_set(values: frozenset[object], write: _Write) -> None:
    write("set{" + ",".join(sorted(identity(entry) for entry in values)) + "}")


def _write_array(value: Any, write: _Write) -> None:
    if value.dtype == object:
        write(f"array{value.shape}")
        _write_sequence(value.ravel().tolist(), write)
    else:
        write(f"array{value.dtype.str}{value.shape}{value.tobytes().hex()}")


def _write_partial(value: functools.partial[object], write: _Write) -> None:
    write("partial")
    _write_sequence((value.func, value.args, value.keywords), write)


def _write_method(value: MethodType, write: _Write) -> None:
    write("method")
    _write_sequence((value.__func__, value.__self__), write)


def _write_instance(value: Any, write: _Write) -> None:
    """A class of Loadpath, or an instance of one with all its parts."""
    kind = type(value)
    if isinstance(value, np.generic):
        write(f"{value.dtype.str}({value.item()!r})")
    elif isinstance(value, type):
        write(_name(value))
    elif isinstance(value, enum.Enum):
        write(f"{_name(kind)}.{value.name}")
    elif isinstance(value, tuple):  # a named one
        write(_name(kind))
        _write_sequence(value, write)
    elif is_dataclass(value):
        write(_name(kind))
        _write_sequence([getattr(value, part.name) for part in fields(value)], write)
    else:
        raise ForeignError(value)


def _write_sequence(values: Sequence[object], write: _Write) -> None:
    write("(")
    for value in values:
        _write(value, write)
        write(",")
    write(")")


def _write_mapping(values: Mapping[Any, object], write: _Write) -> None:
    write("{")
    for key, value in values.items():
        _write(key, write)
        write(":")
        _write(value, write)
        write(",")
    write("}")


def _write_function(function: FunctionType, write: _Write) -> None:
    """A function of a module by its name; one made in a function by where its code is and what it holds."""
    if "<" not in function.__qualname__:
        write(_name(function))
        return
    code: CodeType = function.__code__
    module = sys.modules.get(function.__module__)
    if not _is_library(module) or code.co_filename != getattr(module, "__file__", None):
        raise ForeignError(function)
    constants = [constant for constant in code.co_consts if type(constant) in _PLAIN]
    write(f"{function.__module__}:{function.__qualname__}:{code.co_firstlineno}")
    write(repr((code.co_code, code.co_names, constants)))  # there may be two in a line
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    _write_sequence((cells, function.__defaults__ or ()), write)
    _write_mapping(function.__kwdefaults__ or {}, write)


def _name(thing: Any) -> str:
    """Module and name of a class or function of Loadpath, if that is what the module holds under this name."""
    module = sys.modules.get(thing.__module__)
    found: Any = module
    for part in thing.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is not thing or not _is_library(module):
        raise ForeignError(thing)
    return f"{thing.__module__}:{thing.__qualname__}"


def _is_library(module: Any) -> bool:
    if module is None or module.__name__.partition(".")[0] != _LIBRARY:
        return False
    return str(getattr(module, "__file__", "")).startswith(_sources.PACKAGE)


_WRITERS: dict[type, Callable[[Any, _Write], None]] = {
    **dict.fromkeys(_PLAIN, _write_plain),
    str: _write_text,
    tuple: _write_tuple,
    list: _write_list,
    dict: _write_mapping,
    MappingProxyType: _write_mapping,
    set: _write_set,
    frozenset: _write_set,
    np.ndarray: _write_array,
    functools.partial: _write_partial,
    MethodType: _write_method,
    FunctionType: _write_function,
}
