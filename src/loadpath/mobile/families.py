"""Families of rovers: the robots on the base as one family of their own, and of each design the rover that carries
them, with its own wheels, friction and ground.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.engine.attached import ByAttachment
from loadpath.engine.family import Member, become_member
from loadpath.families import Family
from loadpath.families import family as family_of_robots
from loadpath.families.values import rows_of
from loadpath.robot.numbers import nearest
from loadpath.robot.parameters import GRAVITY, Parameter, every_parameter, parameters_of
from loadpath.robot.wheels.ground import WheelFriction
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.reading import loads_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

WITH_CONTACTS = frozenset({"force_along", "inverse_dynamics", "joint_wrenches", "load_breakdown", "load_cases",
                           "load_spectra", "load_terms", "motor_loads", "peak_loads", "plot", "reduce_loads",
                           "torque_about"})
"""What counts the forces of the ground on wheels that are on links of the robots, as wrenches on these links."""
_OF_WHEELS = ("position", "radius", "compliance", "grip_compliance", "stiffness", "grip_stiffness")
_LEAST = 1e-12
GROUND_SLOPE, GROUND_GRAVITY = "ground.slope", "ground.gravity"
OF_PLANE = (GROUND_SLOPE, GROUND_GRAVITY)
"""Numbers of the ground that are arguments of kernels, as those of robots are."""


def wheel_parameters(rover: Rover) -> dict[str, Parameter]:
    """What wheels and ground bring to the parameters of a rover: `wheel1.position`, `wheel1.radius`,
    `wheel1.friction.static`, `rover.friction.sliding`, `ground.slope`, `ground.gravity`.

    >>> import loadpath as lp
    >>> list(wheel_parameters(lp.catalog.lau_rover(friction=lp.WheelFriction(0.6))))[-4:]
    ['rover.friction.static', 'rover.friction.rolling', 'ground.slope', 'ground.gravity']
    """
    found: dict[str, Parameter] = {}

    def add(owner: str, field: str, value: object, unit: str, least: float) -> None:
        if isinstance(value, (int, float, tuple)) and not isinstance(value, bool):
            numbers = tuple(map(float, value)) if isinstance(value, tuple) else (float(value),)
            shape = (len(numbers),) if isinstance(value, tuple) else ()
            words = f"{field.replace('_', ' ')} of '{owner}'"
            found[f"{owner}.{field}"] = Parameter(f"{owner}.{field}", shape, numbers, unit, words, least, there=False)

    for wheel in rover.base.wheels:
        for field in _OF_WHEELS:
            add(wheel.name, field, getattr(wheel, field, None), "SI", -np.inf if field == "position" else _LEAST)
    for owner, friction in _frictions(rover).items():
        for part in fields(friction):
            add(f"{owner}.friction", part.name, getattr(friction, part.name), "", 0.0)
    add("ground", "slope", rover.ground.slope, "rad", -np.inf)
    add("ground", "gravity", rover.ground.gravity, "m/s^2", 0.0)
    return found


def _frictions(rover: Rover) -> dict[str, WheelFriction]:
    given = {wheel.name: wheel.friction for wheel in rover.base.wheels}
    given |= {rover.base.name: rover.base.friction, "ground": rover.ground.friction}
    return {owner: friction for owner, friction in given.items() if friction is not None}


def rover_with(rover: Rover, given: Mapping[str, Sequence[float]]) -> Rover:
    """A rover with other numbers for wheels, friction and ground, given flat."""
    if not given:
        return rover

    def friction_of(owner: str, friction: WheelFriction | None) -> WheelFriction | None:
        of = f"{owner}.friction."
        changed = {key[len(of):]: float(value[0]) for key, value in given.items() if key.startswith(of)}
        return friction if friction is None or not changed else replace(friction, **changed)

    wheels = []
    for wheel in rover.base.wheels:
        changed: dict[str, Any] = {}
        for field in _OF_WHEELS:
            if (key := f"{wheel.name}.{field}") in given:
                changed[field] = tuple(given[key]) if field == "position" else float(given[key][0])
        wheels.append(replace(wheel, friction=friction_of(wheel.name, wheel.friction), **changed))
    base = replace(rover.base, wheels=tuple(wheels), friction=friction_of(rover.base.name, rover.base.friction))
    ground = replace(
        rover.ground, friction=friction_of("ground", rover.ground.friction),
        slope=float(given.get("ground.slope", [rover.ground.slope])[0]),
        gravity=float(given.get("ground.gravity", [rover.ground.gravity])[0]),
    )
    return replace(rover, wheeled_base=base, ground=ground)


class RoverOfDesigns:
    """What makes rovers of the designs of a family of the robots on their base."""

    def __init__(self, rover: Rover, wheels: Sequence[str]) -> None:
        self.rover, self.wheels = rover, tuple(wheels)

    def has(self, name: str) -> bool:
        """Whether a name means something else on a rover than of the robots on a base at rest."""
        line: Any = inspect.getattr_static(type(self.rover), name, None)
        return (isinstance(line, ByAttachment) and line.wheels is not None) or (
            self.rover.base.on_links and name in WITH_CONTACTS
        )

    @property
    def tilts(self) -> bool:
        """Whether gravity is another in each design."""
        return any(key in OF_PLANE for key in self.wheels)

    def whole(self, robot: Any, member: Member) -> Rover:
        """The rover of a design, from its robots, with the numbers of all parameters."""
        numbers = {}
        start = 0
        for parameter in member.parameters:
            numbers[parameter.key] = member.design[start : start + parameter.size].tolist()
            start += parameter.size
        made: Rover = rover_with(self.rover._with_robot(robot), {key: numbers[key] for key in self.wheels})
        carried = made.on_fixed_base
        if self.tilts:  # in a family with gravity as one more number
            member = Member(member.robot, (*member.parameters, *parameters_of(carried, [GRAVITY])),
                            np.concatenate([member.design, carried.gravity]))
        become_member(carried, member)
        if not self.worn and not self.rover.base.on_links:
            become_member(made, member._replace(robot=self.rover))
        return made

    @property
    def worn(self) -> tuple[str, ...]:
        """Parameters of wheels and friction, which no kernel has as arguments."""
        return tuple(key for key in self.wheels if key not in OF_PLANE)

    def robots(self, family: Family[Any]) -> Family[Any]:
        """The robots on the bases at rest, under gravity as it acts there in each design."""
        if not self.tilts:
            return family
        ground, values = self.rover.ground, family.values
        strength, slope = (np.asarray(values.get(key, own)) for key, own in zip(
            (GROUND_GRAVITY, GROUND_SLOPE), (ground.gravity, ground.slope), strict=True))
        along, down = strength * np.sin(slope), strength * np.cos(slope)
        gravity = np.stack(np.broadcast_arrays(-along, 0.0, -down), axis=-1)  # uphill ahead
        gravity = np.broadcast_to(gravity, (*family.shape, 3))
        parameters = (*family.parameters, *parameters_of(self.rover.on_fixed_base, [GRAVITY]))
        rows = np.concatenate([family.rows, gravity], axis=-1)
        return Family._made(family.robot, parameters, rows, paired=family.paired, possible=family._possible)

    def wholes(self, family: Family[Any]) -> Family[Any]:
        """The rovers of all designs as one family, for what the numbers of robots and base decide alone."""
        return Family._made(self.rover, family.parameters, family.rows, paired=family.paired, possible=family._possible)


def reads_more(family: Any, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> bool:
    """Whether a call reads more of its rovers than the wrench of the ground on them and their wheels, which are the
    same in all: where wheels are on links or springs, the ground is no plane at rest, or motions bring more.
    """
    carrier, states = family._carrier, arguments[0] if arguments else options.get("q")
    rover = carrier.rover
    if carrier.worn or rover.base.on_links or rover.base.on_tyres or rover.ground.plane is not rover.ground:
        return True
    if any(options.get(name) is not None for name in _SINGLE) or options.get("deflected"):
        return True
    return getattr(states, "base_velocity", None) is not None or bool(loads_of(states)) or hasattr(states, "motions")


_SINGLE = ("heights", "in_space", "position", "time", "ground_state")
"""How a base stands on ground that is no plane at rest."""


def family(
    rover: Rover, parameters: Sequence[str] | Mapping[str, ArrayLike] | str, *, paired: bool = False
) -> Family[Rover]:
    """The rovers that differ from this one in some numbers: of its robots and base (`payload.mass`, `rover.mass`), of
    its wheels (`wheel1.position`, `wheel1.radius`, `wheel1.friction.static`, `rover.friction.sliding`) and of its
    ground (`ground.slope`, `ground.gravity`).

    What the robots on a base at rest have is one program for all designs. `wheel_loads` and `slip` of designs that
    stand on the same wheels are computed at once; what else base and wheels bring (`stability`, `ground_wrench`, ...)
    design by design: their equations are compiled once for other numbers of robots, base and slope, and anew for other
    wheels. Results are stacked, with the designs' axes in front.

    >>> import loadpath as lp
    >>> heavier = lp.catalog.lau_rover().family({"rover.mass": [10.0, 20.0, 40.0]})
    >>> heavier.wheel_loads([0, 0, 0.5]).normal.sum(-1).round(2).tolist()
    [117.72, 215.82, 412.02]
    """
    if isinstance(parameters, str) or not isinstance(parameters, Iterable):
        robots: Any = family_of_robots(rover.on_fixed_base, parameters, paired=paired)
        whole: Family[Rover] = robots.carried_by(RoverOfDesigns(rover, ()))
        return whole
    keys, wheels = list(parameters), wheel_parameters(rover)
    if GRAVITY in keys:
        raise ValueError("family: 'gravity' of a rover is that of its ground: name 'ground.gravity' or 'ground.slope'")
    known = {**every_parameter(rover.on_fixed_base), **wheels}
    of_robots = [key for key in keys if key not in wheels]
    for key in of_robots:
        if key not in known and ".beam" not in str(key) and not str(key).endswith(".length"):
            raise ValueError(f"family: no parameter {key!r}{nearest(str(key), known, 'there are')}")
    found = {parameter.key: parameter for parameter in parameters_of(rover.on_fixed_base, of_robots)}
    chosen = tuple(found[key] if key in found else wheels[key] for key in keys)
    if not chosen:
        raise ValueError("family: no parameters: expected names like 'payload.mass', or \"all\"")
    given = parameters if isinstance(parameters, Mapping) else {}
    rows: Floats = rows_of(chosen, given)
    made: Any = Family._made(rover.on_fixed_base, chosen, rows, paired=paired)
    of_rovers: Family[Rover] = made.carried_by(RoverOfDesigns(rover, [key for key in keys if key in wheels]))
    return of_rovers
