"""Parameters that follow from others, by functions whose arguments are their names, or by expressions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.robot.conditions import Expression
from loadpath.robot.numbers import nearest
from loadpath.studies.values import column_of

_PROBED = 3
"""Designs for which a function is asked at once and one by one, to see whether it takes arrays."""


@dataclass(frozen=True, eq=False)
class Dependent:
    """A parameter that follows from others."""

    function: Callable[..., Any]
    names: tuple[str, ...]
    """Those that it depends on, by the names of its arguments: dots of a parameter are `_` there."""

    def of(self, columns: Mapping[str, Any], name: str) -> Any:
        """Its values for these designs: all at once where the function takes arrays, else one by one."""
        arrays = [columns[of] for of in self.names]
        size = len(arrays[0])
        few = [array[:_PROBED] for array in arrays]
        try:
            at_once = np.asarray(self.function(*few))
            one_by_one = [self.function(*row) for row in zip(*few, strict=True)]
            takes_arrays = (at_once.shape == (len(few[0]),) and at_once.dtype.kind in "fiub"
                            and bool(np.array_equal(at_once, np.asarray(one_by_one))))
        except Exception:  # whatever a function of the user's does with arrays: then it is asked for numbers
            takes_arrays = False
        try:
            if takes_arrays:
                values = np.asarray(self.function(*arrays))
                if values.shape == (size,):
                    return values.astype(float) if values.dtype.kind != "b" else values
            rows = [self.function(*row) for row in zip(*arrays, strict=True)]
        except Exception as problem:
            raise ValueError(f"'{name}' follows from {', '.join(self.names)} by a function that failed: {problem!r}"
                             ) from problem
        return column_of(rows)


def dependent(what: str, function: Callable[..., Any], names: Sequence[str]) -> Dependent:
    """A function of parameters, by the names of its arguments."""
    known = {argument_of(name): name for name in names}
    wanted = []
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise ValueError(f"{what} is a function whose arguments are not known: expected one written in Python"
                         ) from None
    for argument in arguments:
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            raise ValueError(f"{what} is a function of any arguments: expected the names of parameters")
        if argument.name in known:
            wanted.append(known[argument.name])
        elif argument.default is argument.empty:
            raise ValueError(f"{what} is a function of '{argument.name}', which is no parameter"
                             f"{nearest(argument.name, list(known))}")
        else:
            break  # what follows has values of its own
    if not wanted:
        raise ValueError(f"{what} is a function of no parameter: expected arguments named {', '.join(known)}")
    return Dependent(function, tuple(wanted))


def following(what: str, text: str, names: Sequence[str]) -> Dependent:
    """An expression of parameters, like "3000 * link2.length * wall", as project files have it.

    >>> following("'mass'", "2 * arm + 1 kg", ["arm"]).of({"arm": np.array([1.0, 2.0])}, "mass").tolist()
    [3.0, 5.0]
    """
    expression = Expression(text)
    for name in expression.names:
        if name not in names:
            raise ValueError(f"{what} follows from '{name}', which is no parameter{nearest(name, list(names))}")
    if not expression.names:
        raise ValueError(f"{what} follows from no parameter: {text!r}; give its value instead")

    def value(*arrays: Any) -> Any:
        return expression(dict(zip(expression.names, arrays, strict=True)))

    return Dependent(value, expression.names)


def argument_of(name: str) -> str:
    """The name of an argument that stands for a parameter.

    >>> argument_of("payload.mass")
    'payload_mass'
    """
    return "".join(letter if letter.isidentifier() or letter.isdigit() else "_" for letter in name)


def order_of(axes: Mapping[str, object]) -> tuple[str, ...]:
    """Dependent parameters, each after those that it depends on."""
    left = {name: axis for name, axis in axes.items() if isinstance(axis, Dependent)}
    done: list[str] = []
    while left:
        ready = [name for name, axis in left.items() if not any(of in left for of in axis.names)]
        if not ready:
            raise ValueError(f"parameters depend on each other in a circle: {', '.join(left)}")
        done += ready
        left = {name: axis for name, axis in left.items() if name not in ready}
    return tuple(done)
