"""Numbers of a robot that look like ones in another unit: millimetres, degrees, g mm^2. Only questions are asked.

There is no absolute truth here: cranes reach 100 m, and there are robots of a few millimetres. So a number is compared
with the robot's own size and mass. Every real arm weighs more than a fishing rod: 0.05 kg for each metre of its longest
link; with lengths in millimetres a UR5 weighs 0.02 kg per metre.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from loadpath.robot.inertia import Inertia

if TYPE_CHECKING:
    from loadpath.robot.drive_train.drive import Drive
    from loadpath.robot.parts import Joint, Limits, Link

_IN_PROJECT_FILE: ContextVar[bool] = ContextVar("in_project_file", default=False)
"""Whether the numbers come from a project file, where they may have units: hints are then written as it writes them."""


_TRIED: ContextVar[bool] = ContextVar("tried", default=False)
"""Whether the mass of a load is one that the library tries, as in its search for the largest: not to be asked about."""


@contextmanager
def _set(flag: ContextVar[bool]) -> Iterator[None]:
    before = flag.set(True)
    try:
        yield
    finally:
        flag.reset(before)


def in_project_file() -> AbstractContextManager[None]:
    """Hints are written as a project file writes numbers, with their units."""
    return _set(_IN_PROJECT_FILE)


def tried_loads() -> AbstractContextManager[None]:
    """Masses of loads are not asked about: the library itself tries them."""
    return _set(_TRIED)


LONGEST_LINK = 200.0
"""m: from joint to joint no machine is longer."""
LONG_LINK = 5.0
"""m: shorter ones are not asked about, whatever they weigh."""
LIGHTEST = 0.05
"""kg/m: less for each metre of the longest link is too light for what it is long."""
SLENDER = 10.0
"""m: what is longer has to weigh more for each metre, in proportion, to hold itself."""
LIGHT = 1.0
"""kg/m: the same where one length is far from all others."""
OUTLIER = 30.0
"""A length so many times as long as the longest other one is far from all others."""
SEVERAL = 5.0
"""A point so many times as far from a link as the robot is long is far from the robot."""
HEAVY_SHARE = 0.01
"""Of the robot's mass: the inertia of lighter links is not asked about. Files have made-up ones for bare frames."""
MANY_TURNS, DEGREES = 20.0, 720.0
"""rad: limits between three turns and this number of them in degrees may be degrees."""
FASTEST_JOINT, FASTEST_SLIDE = 30.0, 20.0
"""rad/s (290 rpm), m/s: a joint that moves faster may be in degrees, or millimetres."""
FASTEST_IN_DEGREES, FASTEST_IN_MILLIMETRES = 2000.0, 20e3
"""Per second: what is more is no speed of a joint in these units, but one that does not limit."""
STRONG = 2000.0
"""m/s^2: no centrifuge for robots is as strong; 9810 mm/s^2 is gravity."""

LARGEST_TORQUE_CONSTANT = 50.0
"""N m/A: large torque motors have 20."""
LAZY = 0.5
"""rad/s^2: what the limit of effort gives the rotor alone; arms have 50 and more."""
HEAVY_ROTOR = 0.1
"""kg m^2: a rotor before a gear, where the joint has no limit of effort to compare it with."""
MANY_TIMES = 100.0
"""As much as the limit of effort a brake or a gear's friction is not, seen from the joint."""
LIGHTEST_ROBOT = 1e-3
"""kg of all that moves: lighter ones are models without masses."""
HEAVY_LOAD = 15.0
"""Of the mass of all that moves: no arm carries as much."""


class Length(NamedTuple):
    """A length of a robot (m), and where it stands."""

    value: float
    where: str
    link: str
    """That it is a length of."""


def lengths_of(links: Iterable[Link], joints: Sequence[Joint]) -> list[Length]:
    """Lengths that count in the dynamics: from joint to joint and to mass centers, on links that move. What stands
    still is not measured: a robot may stand anywhere in the world.
    """
    inertia = {link.name: link.inertia for link in links}
    moving: set[str] = set()
    found = []
    for joint in joints:
        if joint.parent in moving:
            found.append(Length(_norm(joint.origin.translation), f"origin of joint '{joint.name}'", joint.parent))
        elif not joint.motion.dof:
            continue
        moving.add(joint.child)
        offset = _norm(joint.link_offset.translation)
        found.append(Length(offset, f"link offset of joint '{joint.name}'", joint.child))
        center = inertia[joint.child].center_of_mass
        found.append(Length(_norm(center), f"center of mass of link '{joint.child}'", joint.child))
    return found


def _norm(vector: Sequence[float]) -> float:
    return math.hypot(*vector)


def size_of(links: Iterable[Link], joints: Sequence[Joint]) -> float:
    """A length (m) of the size of a robot: the sum of the lengths from the base to its farthest link, slides at the
    end of their range, or the largest distance of a mass center; 0 where nothing has a length.
    """
    links = tuple(links)
    reach: dict[str, float] = {}
    farthest = 0.0
    inertia = {link.name: link.inertia for link in links}
    for joint in joints:
        step = _norm(joint.origin.translation) + _norm(joint.link_offset.translation)
        for limits, angular in zip(joint.limits, joint.motion.angular, strict=False):
            if not angular:
                step += max((abs(x) for x in (limits.lower, limits.upper) if math.isfinite(x)), default=0.0)
        reach[joint.child] = reach.get(joint.parent, 0.0) + step
        body = inertia[joint.child]
        farthest = max(farthest, reach[joint.child] + _norm(body.center_of_mass), _gyration(body.mass, body.tensor))
    return farthest


def _gyration(mass: float, tensor: Sequence[Sequence[float]]) -> float:
    """Radius of gyration (m) of the largest entry on the diagonal."""
    return math.sqrt(max(0.0, *(tensor[k][k] for k in range(3))) / mass) if mass > 0 else 0.0


def unit_questions(links: Sequence[Link], joints: Sequence[Joint]) -> list[str]:
    """What of a robot (joints with parents first) looks like a number in another unit."""
    return [*_questions_of_lengths(links, joints), *_questions_of_limits(joints)]


def _questions_of_lengths(links: Sequence[Link], joints: Sequence[Joint]) -> Iterator[str]:
    lengths = sorted(lengths_of(links, joints), reverse=True)
    moved = {joint.child for joint in joints}
    mass = sum(link.inertia.mass for link in links if link.name in moved)
    if lengths and (why := _too_long(lengths[0], lengths, mass)):
        yield f"{lengths[0].where} is {lengths[0].value:.6g} m away, {why}: millimetres?"
        return  # what the others are compared with is not known
    longest = lengths[0].value if lengths else 0.0
    for link in links:
        body = link.inertia
        radius = _gyration(body.mass, body.tensor)
        if link.name in moved and radius > OUTLIER * longest > 0 and body.mass > HEAVY_SHARE * mass:
            yield (
                f"link '{link.name}': its inertia of {max(body.tensor[k][k] for k in range(3)):.6g} kg m^2 is that of "
                f"{body.mass:.6g} kg at a distance of {radius:.3g} m, where no length of the robot is more than "
                f"{longest:.3g} m: kg mm^2 or g mm^2?"
            )


def _too_long(longest: Length, all_of_them: Sequence[Length], mass: float) -> str:
    """Why a length is more than can be believed, if it is."""
    length = longest.value
    if length > LONGEST_LINK:
        return "more than from joint to joint of any machine"
    if length > LONG_LINK and 0 < mass < LIGHTEST * length * max(1.0, length / SLENDER):
        return f"and all that moves weighs {mass:.3g} kg"
    other = max((entry.value for entry in all_of_them if entry.link != longest.link), default=0.0)
    if length > LONG_LINK and length > OUTLIER * other > 0 and 0 < mass < LIGHT * length:
        return f"where no other length of the robot is more than {other:.3g} m"
    return ""


def _questions_of_limits(joints: Iterable[Joint]) -> Iterator[str]:
    for joint in joints:
        for limits, angular in zip(joint.limits, joint.motion.angular, strict=False):
            widest = max((abs(x) for x in (limits.lower, limits.upper) if math.isfinite(x)), default=0.0)
            if angular and MANY_TURNS < widest <= DEGREES:
                yield f"limits of joint '{joint.name}' are {limits.lower:g} to {limits.upper:g} rad: degrees?"


def questions_of_limits(limits: Limits, before: Limits, angular: bool) -> list[str]:
    """What is to be asked of limits that a user gives in the place of those before. Those of files are not asked about:
    0, 100, 1000 and 10000 rad/s stand there for no limit at all.
    """
    found = [f"{name} is 0, which counts as no limit: give what is allowed, or inf"
             for name in ("velocity", "effort") if not getattr(limits, name) and getattr(before, name)]
    return found if limits.velocity == before.velocity else [*found, *_question_of_velocity(limits, angular)]


def _question_of_velocity(limits: Limits, angular: bool) -> list[str]:
    """Whether a limit of velocity is one in degrees or millimetres per second."""
    slow, fast, unit, factor = ((FASTEST_JOINT, FASTEST_IN_DEGREES, "deg/s", "math.pi / 180") if angular else
                                (FASTEST_SLIDE, FASTEST_IN_MILLIMETRES, "mm/s", "1e-3"))
    velocity = limits.velocity
    if not slow < velocity <= fast:
        return []
    return [f"velocity is {velocity:g} {'rad/s' if angular else 'm/s'}: is it in {unit}? "
            f"{meant('velocity', velocity, unit, factor)}"]


def question_of_gravity(gravity: Sequence[float]) -> list[str]:
    """Whether gravity is one in mm/s^2."""
    strength = _norm(gravity)
    return [f"its gravity is {strength:g} m/s^2: mm/s^2?"] if strength > STRONG else []


def far_off(distance: float, size: float) -> bool:
    """Whether a point at that distance from a link is far from a robot of that size.

    >>> far_off(50.0, 1.3), far_off(0.05, 1.3), far_off(50.0, 60.0)
    (True, False, False)
    """
    return distance > SEVERAL * size > 0


def questions_of_body(what: str, body: Inertia, size: float) -> list[str]:
    """Whether a body that a robot of that size carries is given in millimetres."""
    distance, radius = _norm(body.center_of_mass), _gyration(body.mass, body.tensor)
    if far_off(distance, size):
        return [f"{what} has its center of mass {distance:.6g} m away from the link that carries it, where the robot "
                f"is about {size:.3g} m long: millimetres?"]
    if far_off(radius, size):
        return [f"{what} has an inertia of {max(body.tensor[k][k] for k in range(3)):.6g} kg m^2, that of "
                f"{body.mass:.6g} kg at a distance of {radius:.3g} m, where the robot is about {size:.3g} m long: "
                "kg mm^2 or g mm^2?"]
    return []


def meant(field: str, value: float, unit: str, factor: float | str) -> str:
    """How a number in another unit is to be given: in Python by its factor to SI units, in a project file by its unit.

    >>> meant("max_speed", 5000.0, "rpm", "math.pi / 30"), meant("rotor_inertia", 0.3, "kg cm^2", 1e-4)
    ('give max_speed=5000 * math.pi / 30', 'give rotor_inertia=3e-05')
    """
    if _IN_PROJECT_FILE.get():
        return f'write {field} = "{value:g} {unit}"'
    return f"give {field}={value:g} * {factor}" if isinstance(factor, str) else f"give {field}={value * factor:g}"


def drive_hint(joint: str, field: str, value: float) -> str:
    """How a datum of a drive train is to be given: in Python, or in a project file.

    >>> drive_hint("joint2", "ratio", 100.0)
    "give robot.with_drives({'joint2': lp.Drive(ratio=100)})"
    """
    if _IN_PROJECT_FILE.get():
        return f"write {field} = {value:g} in [drives.{joint}]"
    return f"give robot.with_drives({{{joint!r}: lp.Drive({field}={value:g})}})"


def questions_of_drive(joint: Joint, k: int, drive: Drive) -> Iterator[str]:
    """What of a drive that a joint has been given, at its speed k, looks like a number in another unit."""
    if drive.torque_constant is not None and drive.torque_constant > LARGEST_TORQUE_CONSTANT:
        yield (f"its torque constant is {drive.torque_constant:g} N m/A: is it in mN m/A? "
               f"{meant('torque_constant', drive.torque_constant, 'mN m/A', 1e-3)}")
    if not joint.motion.angular[k]:
        return
    if drive.ratio is not None and abs(drive.ratio) < 1:
        yield (f"its ratio is {drive.ratio:g}: expected turns of the motor per turn of the joint, "
               f"{1 / drive.ratio:g} of a gear that slows the joint down")
    effort, ratio = joint.limits[k].effort, abs(joint.gear_ratio[k])
    limited = 0 < effort < math.inf
    rotor = joint.rotor_inertia[k]
    given = drive.rotor_inertia is not None or drive.ratio is not None
    if given and rotor and (effort < LAZY * rotor * ratio**2 if limited else rotor > HEAVY_ROTOR and ratio > 1):
        why = f", with the ratio {ratio:g}, {rotor * ratio**2:.4g} kg m^2 at the joint"
        why += f", where its effort is at most {effort:g} N m" if limited else ""
        yield (f"its rotor inertia is {rotor:g} kg m^2{why}: is it in kg cm^2? "
               f"{meant('rotor_inertia', rotor, 'kg cm^2', 1e-4)}")
    for field in ("brake", "no_load_torque"):
        torque = getattr(drive, field)
        if torque is not None and limited and torque * ratio > MANY_TIMES * effort:
            yield (f"its {field} is {torque:g} N m, {torque * ratio:.4g} N m at the joint, where its effort is at most "
                   f"{effort:g} N m: is it in mN m? {meant(field, torque, 'mN m', 1e-3)}")


def question_of_load(what: str, mass: float, links: Iterable[Link], joints: Sequence[Joint]) -> list[str]:
    """Whether the mass of a load is one in grams: many times that of all that moves."""
    moved = {joint.child for joint in joints}
    own = sum(link.inertia.mass for link in links if link.name in moved)
    if mass <= HEAVY_LOAD * own or own < LIGHTEST_ROBOT or _TRIED.get():
        return []
    return [f"{what} has a mass of {mass:g} kg, where all that moves of the robot weighs {own:.3g} kg: is it in g? "
            f"{meant('mass', mass, 'g', 1e-3)}"]
