"""Angles and axes in the digits from which the same rotation, to the last bit where floats permit, is read back."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

from loadpath.robot.numbers import Matrix3, Vector3, unit_vector
from loadpath.robot.pose import Pose, rotation_by_rpy

_NO_TURN: Vector3 = (0.0, 0.0, 0.0)


def roll_pitch_yaw(pose: Pose) -> Vector3:
    """Roll, pitch and yaw from which `Pose.from_xyz_rpy` makes the rotation of a pose again.

    A rotation that was made from such angles is met exactly, in few digits if it was; others to some 2e-16.

    >>> roll_pitch_yaw(Pose.from_xyz_rpy(rpy=(1.5708, 0, -0.3)))
    (1.5708, 0.0, -0.3)
    """
    wanted = pose.rotation
    if wanted == Pose().rotation:
        return _NO_TURN

    def error(angles: Vector3) -> float:
        return _difference(rotation_by_rpy(*angles), wanted)

    ways = [way for angles in _by_formula(wanted) for way in (angles, _other_way(angles))]
    turned = [(r, p, y) for way in ways for r, p, y in itertools.product(*(_half_turns(angle) for angle in way))]
    return _best(list(dict.fromkeys(turned)), error)


def axis_numbers(axis: Vector3) -> Vector3:
    """Numbers that a reader, who makes a unit vector of them, takes for this axis.

    >>> axis_numbers((0.0, 0.6, 0.8))
    (0.0, 0.6, 0.8)
    """

    def error(numbers: Vector3) -> float:
        read = unit_vector(unit_vector(numbers, "axis"), "axis")  # by the reader, then by the joint
        return max(abs(a - b) for a, b in zip(read, axis, strict=True))

    return _best([axis], error)


def _by_formula(r: Matrix3) -> Iterator[Vector3]:
    """Angles of a rotation: by its own entries, by what the roll leaves, and for a pitch of a quarter turn."""
    pitch = math.atan2(-r[2][0], math.hypot(r[0][0], r[1][0]))
    roll = math.atan2(r[2][1], r[2][2])
    yield roll, pitch, math.atan2(r[1][0], r[0][0])
    c, s = math.cos(roll), math.sin(roll)
    yield roll, pitch, math.atan2(s * r[0][2] - c * r[0][1], c * r[1][1] - s * r[1][2])
    yield math.atan2(-r[1][2], r[1][1]), pitch, 0.0


def _other_way(angles: Vector3) -> Vector3:
    """The other angles of the same rotation, with a pitch of more than a quarter turn."""
    roll, pitch, yaw = angles
    return roll - math.copysign(math.pi, roll), math.copysign(math.pi, pitch) - pitch, yaw - math.copysign(math.pi, yaw)


def _half_turns(angle: float) -> tuple[float, ...]:
    """An angle, and one near half a turn also from the other side."""
    return (angle, angle - math.copysign(2.0 * math.pi, angle)) if abs(angle) > 3.1 else (angle,)


def _best(starts: list[Vector3], error: Callable[[Vector3], float]) -> Vector3:
    """Of numbers near some of those given, ones with the smallest error: in few digits if that is zero."""
    starts = sorted(starts, key=error)
    starts = [start for start in starts if error(start) < 2.0 * error(starts[0]) + 1e-14]
    for digits in range(3, 16):
        for start in starts:
            x, y, z = (round(entry, digits) + 0.0 for entry in start)
            if any((x, y, z)) and error((x, y, z)) == 0.0:
                return x, y, z
    best, least = starts[0], error(starts[0])
    for start in starts:
        for x, y, z in itertools.product(*(_neighbours(entry) for entry in start)):
            if least == 0.0:
                return best
            found = error((x, y, z))
            if found < least:
                best, least = (x, y, z), found
    return best


def _neighbours(x: float) -> tuple[float, ...]:
    """A number, and those next to it; for one that is nearly zero also zero."""
    if x == 0.0:
        return (x,)
    below, above = math.nextafter(x, -math.inf), math.nextafter(x, math.inf)
    more = (0.0,) if abs(x) < 1e-14 else ()
    return x, below, above, math.nextafter(below, -math.inf), math.nextafter(above, math.inf), *more


def _difference(a: Matrix3, b: Matrix3) -> float:
    return max(abs(x - y) for row, other in zip(a, b, strict=True) for x, y in zip(row, other, strict=True))
