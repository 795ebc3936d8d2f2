"""Parts on and off a robot: `robot.with_parts({"joint2": [lp.CrossedRollerBearing(...), ...]})`, `without_parts()`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.parts.catalogue import ask_of_joint, ask_of_motor
from loadpath.parts.gears.gear import Gear
from loadpath.parts.motors.motor import Motor
from loadpath.parts.part import Part, Place
from loadpath.quantities.carriers import Carrier, carrier
from loadpath.robot.drive_train.edit import with_data_of_parts
from loadpath.robot.measures import measures
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import nearest, positive
from loadpath.robot.parts import Fitted, Joint

# Ratings of the wheels and tyres of a rover: load standing and rolling, side force, speed and drive torque.

@dataclass(frozen=True, kw_only=True)
class WheelRating(Fitted):
    """What a wheel, tyre or caster may carry, as in its catalogue; what is not given is not checked.

    `load` (N) at any time, standing or not; `dynamic_load` (N) while it rolls; `speed` (m/s) along its rolling
    direction; `torque` (N m) of its drive or brake; `side_force` (N) across the rolling direction. Casters are rated
    by ISO 22883 and EN 12532 for a dynamic load at a speed, and a static load that is larger.

    >>> WheelRating(load=1500.0, dynamic_load=1200.0, speed=1.1, name="caster 100 mm").label
    'caster 100 mm'
    """

    kind: ClassVar[str] = "wheel"
    load: float | None = field(default=None, metadata=measures("force"))
    dynamic_load: float | None = field(default=None, metadata=measures("force"))
    speed: float | None = field(default=None, metadata=measures("speed of a slide"))
    torque: float | None = field(default=None, metadata=measures("torque"))
    side_force: float | None = field(default=None, metadata=measures("force"))
    name: str = ""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name != "name" and value is not None:
                object.__setattr__(self, each.name, positive(value, f"{each.name} of the rating of a {self.label}"))
        if self.load is not None and self.dynamic_load is not None and self.load < self.dynamic_load:
            warn(f"rating of a {self.label}: its load is {self.load:g} N, less than its dynamic_load of "
                 f"{self.dynamic_load:g} N: are they swapped?")

    @property
    def label(self) -> str:
        """Its name in tables: the user's, else its kind."""
        return self.name or self.kind


R = TypeVar("R", bound=RobotModel)

Fittings: TypeAlias = "Mapping[str, Part | WheelRating | Iterable[Part | WheelRating]]"
"""Parts by the names of their joints and loops, ratings by those of wheels: one, or several."""


def with_parts(robot: R, parts: Fittings) -> R:
    """The robot with parts at its joints, welds and loops, in addition to those that it has: bearings, gears, motors,
    brakes, bolted flanges, by the names of the joints. `verdict` examines them. Equations depend on them only through
    what the joint's drive train lacks and they know: a gear the ratio, a motor its rotor inertia and constants. A motor
    whose rotor has no ratio, of a drive train or a gear, is asked about: its rotor is not in the dynamics.

    Two parts of one kind at one joint need names of their own, `name="output bearing"`. What both the drive train and a
    part know, a ratio, a rotor, must be the same. Wheels of a rover take an `lp.WheelRating`, by the names of their
    contacts.

    >>> import loadpath as lp
    >>> bearing = lp.CrossedRollerBearing(C=5300, C0=6070, dp=0.036)
    >>> lp.catalog.planar(2).with_parts({"joint2": [bearing]}).parts[0][0]
    'joint2'
    >>> lp.catalog.lau_rover().with_parts({"wheel1": lp.WheelRating(load=80.0, speed=2.0)}).ratings[0][0]
    'wheel1'
    """
    if not isinstance(parts, Mapping):
        raise ModelError(f"parts of robot '{robot.name}' are {parts!r}: expected a dict from joints to parts, like "
                         "{'joint2': [lp.CrossedRollerBearing(...)]}")
    fitted = [*_known_parts(robot)]
    labels = {(name, part.label) for name, part in fitted}
    ratings = [*robot.ratings]
    for name, given in parts.items():
        if name in _wheels(robot):
            ratings += _rated(robot, name, given, ratings)
            continue
        _check_name(robot, name)
        for part in _several(name, given):
            if (name, part.label) in labels:
                raise ModelError(f"joint '{name}' of robot '{robot.name}' has two parts called '{part.label}': give one"
                                 " a name of its own, name='...', or take the parts off before, "
                                 f"without_parts({name!r})")
            if isinstance(part, Gear):
                part.at(place_of(robot, name))  # without output_ratio a joint that slides has no ratio
            fitted.append((name, part))
            labels.add((name, part.label))
    made = with_data_of_parts(replace(robot, parts=tuple(fitted), ratings=tuple(ratings)), parts)
    _ask(made, [joint for joint in made.joints if joint.name in parts], fitted[len(robot.parts) :])
    return made


def _ask(robot: RobotModel, joints: Iterable[Joint], fitted: Sequence[tuple[str, Part]]) -> None:
    """Whether torques at joints that turn are of one unit, those of parts that are fitted and of parts before them."""
    trains = dict(robot.drive_trains)
    here, new = _by_joint(_known_parts(robot)), _by_joint(fitted)
    for joint in joints:
        if joint.motion.dof == 1 and joint.motion.angular[0]:
            train = trains.get(joint.name)
            ask_of_joint(joint, None if train is None else train.ratio, here[joint.name], new[joint.name])
            for part in new[joint.name]:
                if train is not None and isinstance(part, Motor):
                    ask_of_motor(part.with_drive_data(train), part)


def _by_joint(parts: Iterable[tuple[str, Part]]) -> defaultdict[str, list[Part]]:
    found = defaultdict[str, list[Part]](list)
    for name, part in parts:
        found[name].append(part)
    return found


def without_parts(robot: R, *joints: str) -> R:
    """The robot without any parts, or without those at the joints (of a rover: and wheels) that are named.

    >>> import loadpath as lp
    >>> lp.catalog.planar(2).without_parts().parts
    ()
    """
    having = tuple(dict.fromkeys(name for name, _ in (*robot.parts, *robot.ratings)))
    for name in joints:
        if name not in having:
            where = nearest(name, having) if having else "; it has none at all"
            raise ModelError(f"robot '{robot.name}' has no parts at a joint '{name}'{where}")
    parts, ratings = (tuple(pair for pair in pairs if joints and pair[0] not in joints)
                      for pairs in (robot.parts, robot.ratings))
    return with_data_of_parts(replace(robot, parts=parts, ratings=ratings), joints or having)


def parts_of(robot: RobotModel) -> tuple[tuple[str, Part], ...]:
    """The parts of a robot, each with the name of its joint and what only the drive train there knows of it; refused
    where that joint is gone.
    """
    trains = dict(robot.drive_trains)
    return tuple((name, part.with_drive_data(trains[name]) if name in trains else part)
                 for name, part in _known_parts(robot))


def _known_parts(robot: RobotModel) -> tuple[tuple[str, Part], ...]:
    names = set(robot.closed_joint_names) if robot.parts else ()
    for name, part in robot.parts:
        if not isinstance(part, Part):
            raise ModelError(f"joint '{name}' of robot '{robot.name}': {part!r} is no part that can be examined: parts "
                             "are made from lp.Part")
        if name not in names:
            raise ModelError(f"{part.label} sits at joint '{name}', which robot '{robot.name}' has no more: take it "
                             f"off, robot.without_parts({name!r})")
    return cast("tuple[tuple[str, Part], ...]", robot.parts)


def place_of(robot: RobotModel, name: str) -> Place:
    """Where the parts of a joint, weld or loop sit."""
    found = carrier(robot, name)
    axis = found.motion.axis_direction()
    none = (np.nan, np.nan, np.nan)
    moves = axis is not None and bool(found.motion.dof)
    return Place(name, np.array(axis or none, dtype=float), moves and _turns(found), moves)


def _turns(found: Carrier) -> bool:
    return found.motion.turns_about_line()


def _check_name(robot: RobotModel, name: object) -> None:
    names, wheels = robot.closed_joint_names, _wheels(robot)
    if not isinstance(name, str) or name not in names:
        missing = (f"'{name}', which is no joint and no wheel of rover '{robot.name}'" if wheels else
                   f"a joint '{name}', which robot '{robot.name}' does not have")
        raise ModelError(f"parts are given for {missing}{nearest(str(name), (*names, *wheels))}")


def _wheels(robot: RobotModel) -> tuple[str, ...]:
    """The names of contacts that no joint has."""
    contacts = () if robot.wheeled_base is None else robot.wheeled_base.contact_names
    return tuple(name for name in contacts if name not in robot.closed_joint_names)


def _rated(robot: RobotModel, wheel: str, given: object, known: Sequence[tuple[str, object]]) -> list[tuple[str, Any]]:
    """The rating of a wheel, the only one that it has."""
    found = list(given) if isinstance(given, (list, tuple)) else [given]
    for rating in found:
        if not isinstance(rating, WheelRating):
            raise ModelError(f"wheel '{wheel}' of rover '{robot.name}': {rating!r} is no rating of a wheel: give an "
                             "lp.WheelRating(load=...)")
    if len(found) > 1 or (found and wheel in dict(known)):
        raise ModelError(f"wheel '{wheel}' of rover '{robot.name}' has a rating already: take it off with "
                         f"without_parts({wheel!r})")
    return [(wheel, rating) for rating in found]


def _several(name: str, given: object) -> list[Part]:
    """The parts of one joint, one or several of them."""
    several = [given] if isinstance(given, Part) else given
    if isinstance(several, (str, bytes, Mapping)) or not isinstance(several, Iterable):
        raise ModelError(f"joint '{name}': its parts are {given!r}: expected parts like [lp.CrossedRollerBearing(...)]")
    found = list[Any](several)
    for part in found:
        if not isinstance(part, Part):
            made = f"{part!r} is no part: parts are made like lp.CrossedRollerBearing(...)"
            if isinstance(part, type):
                made = f"{part.__name__} is a class: give its numbers, {part.__name__}(...)"
            raise ModelError(f"joint '{name}': {made}")
    return found
