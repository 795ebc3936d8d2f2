"""`rover.family`: the robots on a base at rest, with numbers as arrays."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loadpath import families
from loadpath.engine.attached import ByAttachment
from loadpath.engine.quantity import quantities_of
from loadpath.families import Family
from loadpath.mobile.on_base import WITH_CONTACTS
from loadpath.scalars.types import ArrayLike

if TYPE_CHECKING:
    from loadpath.api import Robot
    from loadpath.mobile.rover import Rover


def family(
    rover: Rover, parameters: Sequence[str] | Mapping[str, ArrayLike] | str, *, paired: bool = False
) -> Family[Robot]:
    """The robots on the base at rest that differ in some numbers, as one (see `lp.Robot.family`): what on a rover means
    base and robots together, or counts what wheels on their links carry, it has not.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> rover.family({"rod.mass": [1.0, 2.0]}).gravity_forces([0.0, 0.0, 0.5]).shape
    (2, 3)
    >>> rover.family(["rod.mass"]).mass_matrix
    Traceback (most recent call last):
    AttributeError: this family has no 'mass_matrix': on a rover it is of base and robots together...
    """
    robot = rover.on_fixed_base
    reasons: dict[str, str] = {}
    for name in quantities_of(robot):
        line: Any = inspect.getattr_static(type(rover), name, None)
        if isinstance(line, ByAttachment) and line.wheels is not None:
            reasons[name] = ("on a rover it is of base and robots together: rover.on_fixed_base.family(...) has that "
                             "of the robots on a base at rest")
        elif rover.base.on_links and name in WITH_CONTACTS:
            reasons[name] = ("wheels are on links of the robots, and what they carry depends on the design: ask rovers "
                             "one by one")
    return families.family(robot, parameters, paired=paired).without(reasons)
