"""Reading the catalogue numbers of gears, motors and brakes, and holding a demand against one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.parts.part import Check, Direction, Instant, Part, not_checked
from loadpath.robot.numbers import number, numbers, positive
from loadpath.robot.units import meant
from loadpath.scalars.types import Floats

FASTEST = 1500.0
"""rad/s, 14,000 rpm: hardly an input of a gear or a motor at a joint turns faster. What is above was meant in rpm."""


def titled(part: Part) -> str:
    """What a part is called in messages: "strain wave gear 'CSF-25'"."""
    return f"{part.kind} '{part.name}'" if part.name else part.kind


def check_name(part: Part) -> None:
    """The user's word for a part is a string."""
    if not isinstance(part.name, str):
        raise ModelError(f"name of a {part.kind} is {part.name!r}: expected a string")


def check_positive(part: Part, fields: Iterable[str], *, needed: Iterable[str] = ()) -> None:
    """All fields that are given are numbers above zero, and those that are needed are given."""
    for field in needed:
        if getattr(part, field) is None:
            raise ModelError(f"{titled(part)}: {field} is missing, expected a number above zero")
    for field in fields:
        value = getattr(part, field)
        if value is not None:
            object.__setattr__(part, field, positive(value, f"{field} of {titled(part)}"))


def check_not_negative(part: Part, fields: Iterable[str]) -> None:
    """All fields that are given are numbers from zero on."""
    for field in fields:
        value = getattr(part, field)
        if value is None:
            continue
        found = number(value, f"{field} of {titled(part)}")
        if found < 0:
            raise ModelError(f"{field} of {titled(part)} is {found}: expected zero or more")
        object.__setattr__(part, field, found)


def warn_of_rpm(part: Part, fields: Iterable[str], fastest: float = FASTEST) -> None:
    """Catalogues have speeds in rpm, this library in rad/s."""
    for field in fields:
        value = getattr(part, field)
        if value is not None and value > fastest:
            warn(question_of_rpm(field, titled(part), value))


def question_of_rpm(field: str, whose: str, value: float) -> str:
    """Of a speed that is one in rpm, most likely."""
    return (f"{field} of {whose} is {value:g} rad/s, {value * 30 / np.pi:.0f} rpm: if {value:g} rpm was meant, "
            f"{meant(field, value, 'rpm', 'math.pi / 30')}")


def curve(part: Part, field: str, of: str) -> tuple[tuple[float, float], ...]:
    """Points of a curve, the first number rising from zero or more, the second not negative; `of` names both."""
    given = getattr(part, field)
    what = f"{field} of {titled(part)}"
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ModelError(f"{what} is {given!r}: expected pairs {of}")
    points = [numbers(point, f"a point of the {what}", 2) for point in given]
    if len(points) < 2:
        raise ModelError(f"{what} has {len(points)} points: expected two or more pairs {of}")
    for (x, y), (further, _) in zip(points, [*points[1:], (np.inf, 0.0)], strict=True):
        if x < 0 or y < 0:
            raise ModelError(f"{what} has the point ({x:g}, {y:g}): expected pairs {of}, none negative")
        if further <= x:
            raise ModelError(f"{what} goes from {x:g} to {further:g}: expected pairs {of} in rising order")
    return tuple((point[0], point[1]) for point in points)


def at_curve(points: Sequence[tuple[float, float]], x: Floats) -> Floats:
    """A curve between its points; level before the first and zero beyond the last, where nothing is promised."""
    known, values = np.array(points).T
    return np.asarray(np.interp(x, known, values, right=0.0))


def compare(
    check: str,
    demand: float,
    capacity: float | None,
    unit: str,
    field: str,
    at: Instant | None = None,
    along: Direction | None = None,
    note: str = "",
) -> Check:
    """A demand against a catalogue number; not checked where that is not given.

    >>> compare("peak torque", 3.0, 4.0, "N m", "peak_torque").utilisation
    0.75
    >>> compare("peak torque", 3.0, None, "N m", "peak_torque").note
    'not checked: no peak_torque given'
    """
    if capacity is None:
        return not_checked(check, f"no {field} given", unit)
    used = demand / capacity if capacity > 0 else np.inf if demand > 0 else 0.0
    return Check(check, float(demand), float(capacity), unit, float(used), at, along, note=note)
