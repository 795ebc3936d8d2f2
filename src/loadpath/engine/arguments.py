"""Reading a call: what the user gave becomes arrays, and the variant of the quantity that computes them.

A bound quantity (`quantity.CompiledMethod`) sends every call here that is more than plain arrays in their places:
keywords, links, external wrenches, formulations, choices, Dask arrays, labelled tables, motions, and mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from loadpath.engine.attached import lines_of
from loadpath.engine.program import Operand
from loadpath.robot.arrays import batch_shape
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.units import MANY_TURNS

if TYPE_CHECKING:
    from loadpath.engine.method import CompiledMethod

DEFAULT = "newton-euler"
"""The formulation where none is named."""

Wrenches: TypeAlias = tuple[tuple[str, bool], ...]
"""Links with external wrenches, and whether these are in world axes."""

StateReader: TypeAlias = Callable[
    ["CompiledMethod", tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]
]

Asking: TypeAlias = Callable[["CompiledMethod", tuple[Any, ...], dict[str, Any]], None]

_ORIGIN = np.zeros(3)
_UFUNC_OPTIONS = frozenset({"out", "where", "dtype", "casting", "order", "axes", "axis", "keepdims", "subok"})
_NUMBERS = frozenset({float, int, bool, np.float64, np.float32, np.int64, np.int32, np.bool_})
_NOT_STATES = frozenset({str, type(None)})


@dataclass(frozen=True)
class Variant:
    """What a quantity can be compiled for in addition to the robot itself."""

    formulation: str = DEFAULT
    link: str | None = None
    external: Wrenches = ()
    given: tuple[str, ...] = ()
    """Which of the arrays that may be left out are given."""
    choices: tuple[tuple[str, Hashable], ...] = ()
    """Choices that differ from the quantity's own."""


class Call(NamedTuple):
    """A call that has been read."""

    arrays: list[Any]
    """The arrays in the order of the operands."""
    variant: Variant
    options: dict[str, Any]
    """Options of the ufunc, such as `out`."""


# What users hand in


def is_plain(value: object) -> bool:
    """Whether NumPy reads this as the numbers that it shows: an array, a number, or lists of them.

    Everything else (a table with labels, a masked array, a motion) must not meet a ufunc unread: it would be taken by
    position, or take over the call itself by `__array_ufunc__`.

    >>> is_plain(np.zeros(3)), is_plain([[1.0, 2.0]]), is_plain(np.ma.masked_array([1.0]))
    (True, True, False)
    """
    while type(value) is list or type(value) is tuple:
        if not value:
            return True
        value = value[0]
    return type(value) is np.ndarray or type(value) in _NUMBERS


def prepared(
    method: CompiledMethod, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments and options of a call, with everything that holds states made into plain arrays.

    This is the one place where what users hand in is turned into arrays. Calls with plain arrays, lists and numbers
    alone do not pass here on their fast path, and come through unchanged. All other calls go to the reader that
    `read_states_with` has set. It gets the bound quantity (`method.robot`, `method.quantity.argument_names`), the
    positional arguments and the keywords as they were given, and returns both with arrays in place of motions and
    labelled tables, or raises. Dask arrays, links, external wrenches and choices it leaves as they are.
    """
    arrays = method.quantity.array_names
    # Weights of drives: not every number will do. By name, or a whole load case: its parts become arrays.
    if method.quantity.by_name or "under" in options or ("weights" in options and "weights" in arrays):
        return _readers[0](method, arguments, options)
    for value in (*arguments, *(options[name] for name in options if name in arrays)):
        if type(value) is not np.ndarray and type(value) not in _NOT_STATES and not is_plain(value):
            return _readers[0](method, arguments, options)
    return arguments, options


def read_states_with(reader: StateReader) -> None:
    """Set the function that reads states which are not plain arrays (see `prepared`)."""
    _readers[:] = [reader]


def ask_with(asking: Asking) -> None:
    """Set the function that looks at the arguments of the first call of a quantity."""
    _asking[:] = [asking]


def ask_about(method: CompiledMethod, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Look at the arguments of a first call that was answered."""
    for asking in _asking:
        asking(method, arguments, options)


def ask_about_typed(method: CompiledMethod, arguments: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Look at a state given as lists if a position or speed in it is large; whether it was looked at."""
    typed = [argument for argument in arguments[:2] if type(argument) is list]
    try:
        far = max(max(map(abs, argument), default=0.0) for argument in typed) > MANY_TURNS
    except (TypeError, ValueError):  # a batch
        return False
    if far:
        ask_about(method, arguments, options)
    return far



_asking: list[Asking] = []


def _as_given(
    method: CompiledMethod, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return arguments, options


_readers: list[StateReader] = [_as_given]


def is_lazy(array: object) -> bool:
    """Whether it is a Dask array, which is computed later and elsewhere."""
    return type(array).__module__.startswith("dask.")


# Reading a call


def read_call(method: CompiledMethod, arguments: tuple[Any, ...], options: dict[str, Any]) -> Call:
    """Arrays, variant and ufunc options of a call, or an error that says what is wrong with it."""
    arguments, options = prepared(method, arguments, options)
    quantity = method.quantity
    given, remaining = _by_name(method, arguments, options)
    _check_complete(method, given)
    _check_options(method, remaining)
    extra = tuple(name for name in quantity.optional if given.get(name) is not None)
    arrays = [_as_array(method.__name__, given[name], name) for name in (*quantity.argument_names, *extra)]
    chosen = quantity.chosen(given)
    link = link_name(method, given.get("link")) if quantity.takes_link else None
    spec, wrenches = external_wrenches(method, given.get("external"))
    formulation = formulation_name(method, given.get("formulation"))
    check_taken(method, formulation, (*extra, *(key for key, _ in chosen)))
    return Call([*arrays, wrenches] if spec else arrays, Variant(formulation, link, spec, extra, chosen), remaining)


def _by_name(
    method: CompiledMethod, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is given, by the names that the quantity knows, and the other keywords."""
    quantity, title = method.quantity, method.__name__
    names = quantity.names_in_place
    if len(arguments) > len(names):
        raise TypeError(f"{title} takes {', '.join(names)}: {len(arguments)} arguments were given")
    given = dict(zip(names, arguments, strict=False))
    remaining: dict[str, Any] = {}
    for key, value in options.items():
        if key in given:
            raise TypeError(f"{title} got '{key}' twice")
        (given if key in quantity.known_names else remaining)[key] = value
    return given, remaining


def _check_complete(method: CompiledMethod, given: Mapping[str, Any]) -> None:
    quantity = method.quantity
    missing = [name for name in quantity.argument_names if name not in given]
    if missing:
        raise TypeError(f"{method.__name__} needs {', '.join(missing)} as well: {quantity.signature}")


def _check_options(method: CompiledMethod, remaining: Mapping[str, Any]) -> None:
    """Refuse keywords that neither the quantity nor a ufunc knows."""
    unknown = [key for key in remaining if key not in _UFUNC_OPTIONS]
    if unknown:
        raise TypeError(f"{method.__name__} takes no '{unknown[0]}'{_who_takes(method, unknown[0])}")
    if "out" in remaining:
        _check_out(method.__name__, remaining["out"])


def _as_array(title: str, value: Any, name: str) -> Any:
    """What may go to a ufunc as it is, or an array of it."""
    if type(value) is np.ndarray or is_plain(value) or is_lazy(value):
        return value
    return _array(title, value, name)


def _who_takes(method: CompiledMethod, keyword: str) -> str:
    """Why a quantity does not take a keyword, or which quantities of the same robot do, where there are any."""
    if why := method.quantity.not_with.get(keyword):
        return f": {why}"
    able = []
    for name, other in lines_of(method.robot).items():
        if isinstance(other, type(method.quantity)) and keyword in other.known_names.difference(other.names_in_place):
            able.append(name)
    others = f" and {len(able) - 4} others do" if len(able) > 4 else " do" if len(able) > 1 else " does"
    return f"; {', '.join(able[:4])}{others}" if able else ""


def check_taken(method: CompiledMethod, formulation: str, keywords: Sequence[str]) -> None:
    """Refuse arrays and choices that a formulation knows nothing of."""
    quantity = method.quantity
    for key in keywords:
        if not quantity.takes(formulation, key):
            able = [name for name in quantity.formulations if quantity.takes(name, key)]
            raise ValueError(f"{method.__name__} by '{formulation}' takes no '{key}'; by {', '.join(able)} it does")


def formulation_name(method: CompiledMethod, name: str | None) -> str:
    """A formulation of the quantity by its name; the usual one where none is named."""
    if name is None:
        return DEFAULT
    if not isinstance(name, str) or name not in method.quantity.formulations:
        known = ", ".join(method.quantity.formulations)
        raise ValueError(f"{method.__name__} has no formulation {name!r}; it has {known}")
    return name


def link_name(method: CompiledMethod, name: str | None) -> str:
    """A link of the robot by its name; the only end of the robot where none is named."""
    return link_or_only_end(method.robot, name)


def external_wrenches(method: CompiledMethod, external: object) -> tuple[Wrenches, Any]:
    """The links that external wrenches act on, and an array (..., links, 6) of these wrenches at the links' origins."""
    if external is None:
        return (), None
    title, robot = method.__name__, method.robot
    if not isinstance(external, Mapping):
        raise ValueError(f"{title}: 'external' is a {type(external).__name__}: expected a mapping from "
                         "link names to lp.Wrench(force=, torque=)")
    spec, parts = [], []
    # In the order of the links, so that the order in which they are given does not ask for another compilation.
    for link in sorted(external, key=lambda name: robot.link_names.index(robot.link(name).name)):
        wrench = external[link]
        if not (hasattr(wrench, "force") and hasattr(wrench, "torque")):
            raise ValueError(f"{title}: external wrench on '{link}' is a {type(wrench).__name__}: "
                             "expected an lp.Wrench")
        axes = getattr(wrench, "axes", "world")
        if axes not in ("world", "link"):
            raise ValueError(f"{title}: external wrench on '{link}' has the axes {axes!r}: "
                             "expected 'world' or 'link'")
        if hasattr(wrench, "at"):
            wrench = wrench.at(_ORIGIN)  # of the link's frame
        spec.append((link, axes == "world"))
        pair: tuple[Any, ...] = (wrench.force, wrench.torque)
        if pair[0].shape != pair[1].shape:
            pair = np.broadcast_arrays(*pair)  # slow, and seldom needed
        parts.append(np.concatenate(pair, axis=-1))
    if not spec:
        return (), None
    if len(parts) == 1:
        return tuple(spec), parts[0][..., None, :]
    batch_shape({f"external on {link}": part.shape[:-1] for (link, _), part in zip(spec, parts, strict=True)}, title)
    return tuple(spec), np.stack(np.broadcast_arrays(*parts), axis=-2)


# Checking arrays


def checked_arrays(title: str, arrays: Sequence[Any], operands: Sequence[Operand]) -> list[Any]:
    """Arrays of real numbers with the core shapes of the operands and batch shapes that broadcast, or an error."""
    checked = [_checked(title, a, operand) for a, operand in zip(arrays, operands, strict=True)]
    together = zip(checked, operands, strict=True)
    batch_shape({operand.name: a.shape[: a.ndim - len(operand.shape)] for a, operand in together}, title)
    return checked


def _checked(title: str, value: Any, operand: Operand) -> Any:
    array = value if is_lazy(value) else _array(title, value, operand.name)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ValueError(f"{title}: '{operand.name}' has the dtype {array.dtype}: expected float64 or float32")
    core = len(operand.shape)
    if array.ndim < core or array.shape[array.ndim - core :] != operand.shape:
        wanted = ", ".join(["...", *(str(size) for size in operand.shape)])
        raise ValueError(f"{title}: '{operand.name}' has the shape {array.shape}: expected ({wanted})")
    return array


def _array(title: str, value: object, name: str) -> Any:
    try:
        return np.asanyarray(value)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{title}: '{name}' is not an array of numbers: {problem}") from problem


def _check_out(title: str, out: object) -> None:
    targets = out if isinstance(out, tuple) else (out,)
    for target in targets:
        if target is not None and not isinstance(target, np.ndarray):
            raise TypeError(f"{title}: 'out' is a {type(target).__name__}: expected a NumPy array")
