"""Blocks of joint loads made by hand, for the tests of gears, motors and brakes."""

from __future__ import annotations

import numpy as np

from loadpath.parts.part import Check, JointLoads, MotorSide, Part, Place

RPM = np.pi / 30
TURNING = Place("joint1", np.array([0.0, 0.0, 1.0]), turns=True, moves=True)
SLIDING = Place("slide", np.array([0.0, 0.0, 1.0]), turns=False, moves=True)
WELD = Place("weld", np.array([np.nan] * 3), turns=False, moves=False)


def block(
    *, motion=0, first=0, t=None, weight=None, speed=0.0, drive=np.nan, force=(0, 0, 0), torque=(0, 0, 0), motor=None,
    gear=None, holding=None, inertia=None, count=None, acceleration=0.0,
) -> JointLoads:
    """A block of `count` samples (else as many as `t` or `weight` has); numbers are spread over all of them."""
    count = count or (len(t) if t is not None else len(weight) if weight is not None else len(np.atleast_1d(speed)))

    def each(value):
        return None if value is None else np.broadcast_to(np.asarray(value, dtype=float), (count,)).copy()

    t = np.arange(count, dtype=float) if t is None else np.asarray(t, dtype=float)
    weight = np.full(count, 1.0 / count) if weight is None else np.asarray(weight, dtype=float)
    force = np.broadcast_to(np.asarray(force, dtype=float), (count, 3)).copy()
    torque = np.broadcast_to(np.asarray(torque, dtype=float), (count, 3)).copy()
    return JointLoads(
        motion=motion, first=first, t=t, weight=weight, position=np.zeros(count), speed=each(speed),
        acceleration=each(acceleration), force=force, torque=torque, axial_force=force[:, 2],
        radial_force=np.hypot(force[:, 0], force[:, 1]), axial_torque=torque[:, 2],
        tilting_moment=np.hypot(torque[:, 0], torque[:, 1]), drive=each(drive), motor=motor, gear=each(gear),
        holding=each(holding), inertia=each(inertia),
    )


def motor_side(torque, speed=0.0, current=np.nan) -> MotorSide:
    """The motor's side of a block."""
    torque = np.asarray(torque, dtype=float)
    return MotorSide(torque, *(np.full(torque.shape, part, dtype=float) for part in (speed, current)))


def pieces(loads: JointLoads, cuts) -> list[JointLoads]:
    """The same samples in several blocks, cut before the samples that are numbered."""
    found = []
    for start, stop in zip((0, *cuts), (*cuts, len(loads.t)), strict=True):
        rows = slice(start, stop)

        def cut(value, rows=rows):
            if isinstance(value, MotorSide):
                return MotorSide(*(part[rows] for part in (value.torque, value.speed, value.current)))
            return value[rows] if isinstance(value, np.ndarray) else value

        fields = {name: cut(value) for name, value in vars(loads).items()}
        found.append(JointLoads(**{**fields, "first": loads.first + start}))
    return found


def examined(part: Part, *blocks: JointLoads, place: Place = TURNING, hours=None) -> dict[str, Check]:
    """The checks of a part after these blocks, by their names."""
    examiner = part.examiner(place)
    for loads in blocks:
        examiner.add(loads)
    checks = examiner.checks(hours)
    names = [check.check for check in checks]
    assert len(set(names)) == len(names)
    return {check.check: check for check in checks}
