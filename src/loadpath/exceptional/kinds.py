"""What can happen to a robot once in a while, and what each of these takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from loadpath.errors import ModelError
from loadpath.exceptional.static import static
from loadpath.motion.motion import Motion
from loadpath.parts.verdict.exceptions import Fact
from loadpath.quantities.wrench import Wrench
from loadpath.robot.numbers import nearest
from loadpath.scalars.types import Floats
from loadpath.simulate.power_off import BrakeLike
from loadpath.simulate.result import Simulation
from loadpath.stops import Stop, collision, jam, stop
from loadpath.stops.result import By
from loadpath.stops.stopping import LONGEST

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities


class Kind(NamedTuple):
    """What can happen."""

    function: Callable[..., Any]
    """Of a robot, a motion and options."""
    timed: bool
    """Whether it begins at an instant of a motion."""
    facts: Callable[[Any], Sequence[Fact]]
    """What is known of the result, in the order of importance."""


def _of_stop(found: Any) -> list[Fact]:
    return [Fact("instant of the motion", found.at, "s"), Fact("stopping time", found.time, "s"),
            Fact(f"way of '{found.tip}'", found.tip_distance, "m"),
            Fact("energy in all brakes", float(found.heat.sum()), "J"),
            *(Fact(f"gear of '{name}': torque over that of a stiff one", factor, "")
              for name, factor in found.elastic_factors.items())]


def _of_collision(found: Any) -> list[Fact]:
    return [Fact("instant of the motion", found.at, "s"), Fact("speed of the contact", found.speed, "m/s"),
            Fact("reflected mass", found.reflected_mass, "kg"), Fact("largest force", found.peak_force, "N"),
            Fact("reached after", found.peak_time, "s"), Fact("penetration", found.peak_penetration, "m"),
            Fact("contact lasts", found.contact_time, "s"), Fact("impulse", found.impulse, "N s"),
            Fact("energy given away", found.transferred_energy, "J")]


def _of_jam(found: Any) -> list[Fact]:
    return [Fact("instant of the motion", found.at, "s"), Fact("largest torque of the gear", found.peak_torque, "N m"),
            Fact("reached after", found.peak_time, "s")]


def power_loss(
    robot: RobotQuantities,
    motion: Motion | Simulation,
    at: float | str | Sequence[float] | Floats = "worst",
    *,
    brakes: Mapping[str, BrakeLike] | None = None,
    delay: float | Mapping[str, float] | None = None,
    gear_losses: bool = True,
    elastic: bool = True,
    external: Mapping[str, Wrench] | None = None,
    by: By = "distance",
    link: str | None = None,
    longest: float = LONGEST,
) -> Stop:
    """The power fails: a stop of category 0, with the brakes that there are; `brakes={}` for none."""
    return stop(robot, motion, at, category=0, brakes=brakes, delay=delay, gear_losses=gear_losses, elastic=elastic,
                external=external, by=by, link=link, longest=longest)


KINDS: Mapping[str, Kind] = {
    "stop": Kind(stop, True, _of_stop),
    "power loss": Kind(power_loss, True, _of_stop),
    "jam": Kind(jam, True, _of_jam),
    "collision": Kind(collision, True, _of_collision),
    "static": Kind(static, False, lambda _: ()),
}
"""By their words."""
_NOT_OPTIONS = ("robot", "motion", "progress")


def options_of(kind: str) -> dict[str, bool]:
    """What a kind takes, and whether it must be there.

    >>> list(options_of("stop"))[:4]
    ['at', 'category', 'brakes', 'delay']
    """
    every = inspect.signature(KINDS[kind].function).parameters.values()
    return {one.name: one.default is one.empty for one in every if one.name not in _NOT_OPTIONS}


def checked_kind(kind: object, options: Mapping[str, object], what: str) -> str:
    """The kind of a case, if there is one that takes its options."""
    if not isinstance(kind, str) or kind.lower() not in KINDS:
        raise ModelError(f"{what} is a {kind!r}{nearest(str(kind), KINDS, 'there are')}")
    takes = options_of(kind.lower())
    for option in options:
        if option not in takes:
            raise ModelError(f"{what}: a {kind} takes no '{option}'{nearest(option, takes, 'it takes')}")
    missing = [option for option, needed in takes.items() if needed and option not in options]
    if missing:
        raise ModelError(f"{what}: a {kind} needs {', '.join(missing)}")
    return kind.lower()
