"""Torque over speed of every drive during the duty, beside what its motor, or the joint, is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.loads.resultants import effort_limits
from loadpath.parts.fitting import parts_of
from loadpath.parts.motors.motor import Motor
from loadpath.parts.verdict.duties import is_spectrum
from loadpath.quantities.carriers import drive_names
from loadpath.report.peaks import speed_limits
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

Limit = tuple[tuple[float, float], ...]


@dataclass(frozen=True, eq=False)
class TorqueSpeed:
    """What one drive does over the duty: torque and speed of its motor, or where no drive train is known of the joint,
    (samples,) each, with sign.
    """

    drive: str
    motor: str
    """What the motor is called; empty where the numbers are those of the joint."""
    at_motor: bool
    linear: bool
    speed: Floats
    """rad/s (m/s)."""
    torque: Floats
    """N m (N)."""
    rms_speed: float
    rms_torque: float
    """Over the time of the duty."""
    continuous: Limit
    """Pairs of speed and torque, empty where none is known."""
    peak: Limit

    @property
    def unit(self) -> str:
        """Of its torque."""
        return "N" if self.linear else "N m"


def torque_speed(robot: RobotQuantities, duty: Any, under: LoadCase | None = None) -> tuple[TorqueSpeed, ...]:
    """Of every drive, over a motion or a duty spectrum.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=50)})
    >>> arm = arm.with_parts({"joint1": lp.Motor(continuous_torque=0.2, peak_torque=0.6, max_speed=300)})
    >>> (found,) = torque_speed(arm, lp.Motion.swing(arm))
    >>> found.peak, found.at_motor
    (((0.0, 0.6), (300.0, 0.6)), True)
    """
    motions = duty.motions if is_spectrum(duty) else (duty,)
    shares = duty.shares if is_spectrum(duty) else (1.0,)
    of_motions = [_motion(robot, motion, under or LoadCase()) for motion in motions]
    motors = {joint: part for joint, part in parts_of(robot) if isinstance(part, Motor)}
    efforts, speeds = effort_limits(robot), speed_limits(robot)
    turns = dict(zip(robot.dof_names, (turns for joint in robot.joints if joint.mimic is None
                                       for turns in joint.motion.angular), strict=True))
    found = []
    for name in drive_names(robot):
        each = [of_motion[name] for of_motion in of_motions]
        at_motor = each[0][3]
        rms_speed = _rms(shares, [(t, speed) for t, speed, _, _ in each])
        rms_torque = _rms(shares, [(t, torque) for t, _, torque, _ in each])
        motor = motors.get(name)
        k = robot.dof_names.index(name)
        if at_motor and motor is not None:
            continuous = _limit(motor.continuous_torque, motor.continuous_curve, motor.max_speed)
            peak = _limit(motor.peak_torque, motor.intermittent_curve, motor.max_speed)
        else:
            effort, speed = (float(part[k]) if math.isfinite(part[k]) else None for part in (efforts, speeds))
            continuous, peak = (), (() if at_motor else _limit(effort, None, speed))
        linear = (motor.linear if motor is not None else False) if at_motor else not turns[name]
        found.append(TorqueSpeed(
            name, "" if motor is None or not at_motor else motor.label, at_motor, linear,
            np.concatenate([one[1] for one in each]), np.concatenate([one[2] for one in each]), rms_speed, rms_torque,
            continuous, peak))
    return tuple(found)


_Course = tuple[Floats, Floats, Floats, bool]


def _motion(robot: RobotQuantities, motion: Any, under: LoadCase) -> dict[str, _Course]:
    """By drives: times, speeds, torques, and whether they are those of the motor."""
    try:
        loads = robot.motor_loads(motion, under=under)  # type: ignore[attr-defined]
        found = {name: (motion.t, loads.speed[:, k], loads.torque[:, k], True)
                 for k, name in enumerate(loads.drive_names)}
    except ModelError:  # no drive train is known of any joint
        found = {}
    others = [name for name in drive_names(robot) if name not in found]
    if others:
        tau = np.asarray(robot.inverse_dynamics(motion, under=under))
        for name in others:
            k = robot.dof_names.index(name)
            found[name] = (motion.t, motion.qd[:, k], tau[:, k], False)
    return found


def _rms(shares: Sequence[float], of_motions: Sequence[tuple[Floats, Floats]]) -> float:
    """Of times and values of motions with these shares of all time."""
    return math.sqrt(sum(share * _mean_square(t, values)
                         for share, (t, values) in zip(shares, of_motions, strict=True)))


def _mean_square(t: Floats, values: Floats) -> float:
    """Over time, by trapezoids, as `motor_loads` has it."""
    if len(t) < 2:
        return float((values**2).mean())
    return float(np.trapezoid(values**2, t) / (t[-1] - t[0]))


def _limit(constant: float | None, curve: Sequence[tuple[float, float]] | None, most: float | None) -> Limit:
    """The smaller of a torque and a curve, up to the largest speed."""
    points = [] if curve is None else [(float(speed), float(torque)) for speed, torque in curve]
    if constant is not None and not points:
        points = [(0.0, constant), (most, constant)] if most else [(0.0, constant)]
    elif constant is not None:
        found: list[tuple[float, float]] = []
        for (v0, m0), (v1, m1) in zip(points, [*points[1:], points[-1]], strict=True):
            found.append((v0, min(m0, constant)))
            if (m0 - constant) * (m1 - constant) < 0:
                found.append((v0 + (constant - m0) / (m1 - m0) * (v1 - v0), constant))
        points = found
    if most is not None and points and points[-1][0] > most:
        speeds, torques = zip(*points, strict=True)
        at_most = float(np.interp(most, speeds, torques))
        points = [point for point in points if point[0] < most] + [(most, at_most)]
    return tuple(points)
