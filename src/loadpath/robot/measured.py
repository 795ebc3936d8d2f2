"""Numbers with units wherever a class says what its fields measure: `lp.Motor(max_speed="5000 rpm")`, as a project file
writes them, or a quantity of a library of units. Each field takes the units of what it measures, and no others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ParamSpec, TypeVar

from loadpath.errors import ModelError
from loadpath.robot.measures import Measures, measured_by
from loadpath.robot.units_of_text import has_unit, in_si

P = ParamSpec("P")
T = TypeVar("T")


class Measured:
    """Base of dataclasses whose fields say what they measure (`field(metadata=measures("force"))`): text with a unit
    and quantities are SI numbers before `__post_init__` reads them, here and in classes below.

    >>> import loadpath as lp
    >>> lp.Motor(max_speed="3000 rpm", rotor_inertia="2 kg cm^2").rotor_inertia
    0.0002
    >>> lp.Motor(max_speed="3000 N m", name="EC")
    Traceback (most recent call last):
        ...
    loadpath.errors.ModelError: max_speed of motor 'EC' is '3000 N m', a torque: expected a speed, in rad/s, deg/s, rpm or 1/min
    """  # noqa: E501

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        read = cls.__dict__.get("__post_init__")
        if read is not None:
            setattr(cls, "__post_init__", _after_units(read))  # noqa: B010  an assignment has another type

    def __post_init__(self) -> None:
        _read_units(self)


def _after_units(read: Callable[[Any], None]) -> Callable[[Any], None]:
    @functools.wraps(read)
    def units_first(self: Any) -> None:
        _read_units(self)
        read(self)

    return units_first


def _read_units(self: Any) -> None:
    """Fields with units as SI numbers; of a linear motor, those of what slides."""
    values = self.__dict__
    if not any(has_unit(value) for value in values.values()):
        return
    slides = bool(values["linear"]) if "linear" in values else None
    kind: type = type(self)
    for field, what in _fields(kind).items():
        value = values.get(field)
        if has_unit(value) and any(isinstance(one, str) for one in what):
            object.__setattr__(self, field, _in_si(value, what, f"{field} of {_titled(self)}", slides))


@functools.cache
def _fields(kind: type) -> dict[str, Measures]:
    """What fields measure, by their own names."""
    known = measured_by(kind)
    return {part.name: known[part.name.removesuffix("_")] for part in fields(kind)
            if part.name.removesuffix("_") in known}


def _titled(self: Any) -> str:
    """What an object is called in messages: "motor 'EC'", "a Friction"."""
    kind = getattr(type(self), "kind", None)
    called = kind if isinstance(kind, str) else f"a {type(self).__name__}"
    name = self.__dict__.get("name")
    return f"{called} '{name}'" if isinstance(name, str) and name else called


def _in_si(value: object, what: Measures, key: str, slides: bool | None = None) -> object:
    try:
        return in_si(value, what, key, slides)
    except ValueError as problem:
        raise ModelError(str(problem)) from None


def takes_units(of: Mapping[str, Measures]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorator of a function whose arguments of these names measure something.

    >>> @takes_units({"mass": ("mass",)})
    ... def weight(mass: object) -> object:
    ...     return 9.81 * mass
    >>> weight("2 t"), weight(mass=1.0)
    (19620.0, 9.81)
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        code: Any = function
        names = code.__code__.co_varnames[: code.__code__.co_argcount]

        @functools.wraps(function)
        def with_units(*args: P.args, **kwargs: P.kwargs) -> T:
            if any(map(has_unit, args)) or any(map(has_unit, kwargs.values())):
                args = tuple(_in_si(value, of.get(name, ()), name) if has_unit(value) else value  # type: ignore[assignment]
                             for name, value in zip(names, args, strict=False)) + args[len(names):]
                kwargs = {name: _in_si(value, of.get(name, ()), name) if has_unit(value) else value  # type: ignore[assignment]
                          for name, value in kwargs.items()}
            return function(*args, **kwargs)

        return with_units

    return decorated
