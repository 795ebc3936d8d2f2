"""Numbers of a robot that look like ones in another unit: millimetres, degrees, g mm^2. Only questions are asked.

There is no absolute truth here: cranes reach 100 m, and there are robots of a few millimetres. So a number is compared
with the robot's own size and mass. Every real arm weighs more than a fishing rod: 0.05 kg for each metre of its longest
link; with lengths in millimetres a UR5 weighs 0.02 kg per metre.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loadpath.robot.inertia import Inertia

if TYPE_CHECKING:
    from loadpath.robot.parts import Joint, Link

LONG = 200.0
"""m: from joint to joint no machine is longer."""
LARGE = 5.0
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
STRONG = 2000.0
"""m/s^2: no centrifuge for robots is as strong; 9810 mm/s^2 is gravity."""


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
    if length > LONG:
        return "more than from joint to joint of any machine"
    if length > LARGE and 0 < mass < LIGHTEST * length * max(1.0, length / SLENDER):
        return f"and all that moves weighs {mass:.3g} kg"
    other = max((entry.value for entry in all_of_them if entry.link != longest.link), default=0.0)
    if length > LARGE and length > OUTLIER * other > 0 and 0 < mass < LIGHT * length:
        return f"where no other length of the robot is more than {other:.3g} m"
    return ""


def _questions_of_limits(joints: Iterable[Joint]) -> Iterator[str]:
    for joint in joints:
        for limits, angular in zip(joint.limits, joint.motion.angular, strict=False):
            widest = max((abs(x) for x in (limits.lower, limits.upper) if math.isfinite(x)), default=0.0)
            if angular and MANY_TURNS < widest <= DEGREES:
                yield f"limits of joint '{joint.name}' are {limits.lower:g} to {limits.upper:g} rad: degrees?"


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
                f"is about {size:.3g} m long: millimetres?"]  # fmt: skip
    if far_off(radius, size):
        return [f"{what} has an inertia of {max(body.tensor[k][k] for k in range(3)):.6g} kg m^2, that of "
                f"{body.mass:.6g} kg at a distance of {radius:.3g} m, where the robot is about {size:.3g} m long: "
                "kg mm^2 or g mm^2?"]  # fmt: skip
    return []
