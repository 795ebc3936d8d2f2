"""Stability tests after standards and practice, as calculations: one call each, with where the numbers come from.

`limit_map` and `largest` have the largest slope, speed, payload and acceleration; `trucks`, `rollover`, `cranes` and
`driving` the tests, which are methods of `rover.standards`; `result` what they say.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Concatenate, ParamSpec, cast

from loadpath.mobile.motions import refuse_ground
from loadpath.mobile.standards import cranes, driving, rollover, trucks
from loadpath.mobile.standards.result import StandardTest

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


P = ParamSpec("P")


def of_rover(
    test: Callable[Concatenate[Rover, P], StandardTest],
) -> Callable[Concatenate[Standards, P], StandardTest]:
    """A test of a rover as a method of its `standards`."""

    @functools.wraps(test)
    def method(standards: Standards, *arguments: P.args, **options: P.kwargs) -> StandardTest:
        refuse_ground(standards.rover.ground, test.__name__, "surface", "patches", "motion")
        return test(standards.rover, *arguments, **options)

    return cast("Callable[Concatenate[Standards, P], StandardTest]", method)


@dataclass(frozen=True, eq=False)
class Standards:
    """Tests of a rover after standards and practice: `rover.standards.braking(...)`. Each gives an `lp.StandardTest`.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> rover.standards.cornering([0, 0, 0.5], speed=0.5, radius=1.0)["tips over"].passes
    True
    """

    rover: Rover

    tilt_table = of_rover(trucks.tilt_table)
    rollover_threshold = of_rover(rollover.rollover_threshold)
    crane_stability = of_rover(cranes.crane_stability)
    outrigger_pressure = of_rover(cranes.outrigger_pressure)
    braking = of_rover(driving.braking)
    cornering = of_rover(driving.cornering)
    parking_slope = of_rover(driving.parking_slope)
    emergency_stop = of_rover(driving.emergency_stop)
    kerb = of_rover(driving.kerb)

    def __repr__(self) -> str:
        return f"<tests of standards for '{self.rover.name}': {', '.join(TESTS)}>"


TESTS: dict[str, Callable[..., StandardTest]] = {function.__name__: function for function in (
    trucks.tilt_table, rollover.rollover_threshold, cranes.crane_stability, cranes.outrigger_pressure, driving.braking,
    driving.cornering, driving.parking_slope, driving.emergency_stop, driving.kerb)}
"""The tests by their names."""
