"""Limits of a motor's torque, at its shaft: a peak, and a curve of torque against speed.

With tau_g the torque that the gear passes on, in the sense in which the joint goes, N its ratio, J the rotor's inertia
and T_0 what turning the gear takes (`loadpath.loads.motors.motor_side`),

    T = max(tau_g / (N e_f), tau_g e_b / N) + N J qdd + T_0,

since the motor drives the load where tau_g is positive and the load drives the motor where it is negative. Both have to
stay below the curve; and above its negative the second, which is the larger where the load drives the motor. A curve
that falls faster and faster is the lowest of the lines through its points, T + m omega <= c, and the speed omega goes
in by its tangent as friction does. The range of speeds of a curve ends with its last point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadpath.fastest.friction import (
    friction,
    friction_between,
    sense,
    speed,
    speed_between,
    tangent,
    tangent_speed,
)
from loadpath.fastest.limits import Limits, Magnitudes, Name, Rows
from loadpath.fastest.loads import ACCELERATION, GEAR, SPEED, Affine, Course, Model, State, bends
from loadpath.parts.motors.motor import Motor
from loadpath.robot.drive_train.drive import Drive
from loadpath.scalars.types import Floats


class Form(NamedTuple):
    """sign * (gear tau_g + rotor qdd + idle) + slope omega_joint <= capacity, in the sense in which the joint goes."""

    gear: float
    rotor: float
    idle: float
    slope: float
    capacity: float


@dataclass(frozen=True, eq=False)
class MotorTorque:
    """The torque of one motor against its limits, see above."""

    model: Model
    column: int
    name: Name
    forms: Sequence[Form]

    @property
    def names(self) -> Sequence[Name]:
        """See `Limits`."""
        return (self.name,)

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return not self.model.rubs and all(form.slope == 0.0 for form in self.forms)

    def _form(self, course: Course, form: Form) -> Affine:
        """Without friction and speed, over the capacity."""
        k, s = self.column, sense(course)[..., self.column]
        gear, rotor = course.loads(self.model, GEAR), course.loads(self.model, ACCELERATION)
        a, b, c = (s * (form.gear * of_gear[..., k] + form.rotor * of_rotor[..., k]) / form.capacity
                   for of_gear, of_rotor in zip(gear, rotor, strict=True))
        return Affine(a, b, c + np.abs(s) * form.idle / form.capacity)

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`."""
        k, s = self.column, sense(course)[..., self.column]
        slope, left = (s * part[..., k] for part in tangent(self.model, course, near[-1] if near else None))
        t = np.abs(course.first[..., k])
        of_speed, at_rest = np.zeros_like(t), np.zeros_like(t)
        if near:
            y = tangent_speed(near[-1])
            of_speed, at_rest = t / (2 * y), t * y / 2
        found = []
        for form in self.forms:
            a, b, c = self._form(course, form)
            b = b + (form.gear * slope + form.slope * of_speed) / form.capacity
            c = c + (form.gear * left + form.slope * at_rest) / form.capacity
            found.append(Rows(a + 2 * course.grid.d * b, b, 1 - tight - c))
        return found

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        k, y = self.column, speed(state)
        rubbing = sense(course)[..., k] * friction(self.model, course, y)[..., k]
        omega = np.abs(course.first[..., k]) * y
        every = []
        for form in self.forms:
            a, b, c = self._form(course, form)
            every.append(a * state.u.reshape(len(y), -1) + b * state.x + c
                         + (form.gear * rubbing + form.slope * omega) / form.capacity)
        found: Floats = np.max(every, axis=0)[..., None]
        return found

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        k = self.column
        gear, rotor = course.ranges(self.model, GEAR)[k], course.ranges(self.model, ACCELERATION)[k]
        entries = [tuple(g * form.gear + r * form.rotor for g, r in zip(gear, rotor, strict=True))
                   for form in self.forms]
        bend = bends(entries, course, state)  # type: ignore[arg-type]  # of three each
        rubbing = friction_between(self.model, course, state)[:, k]
        off = speed_between(course, state)[0][..., k].max(axis=1)
        every = [(course.steps**2 / 8 * bend[:, j] + abs(form.gear) * rubbing + form.slope * off) / form.capacity
                 for j, form in enumerate(self.forms)]
        found: Floats = np.max(every, axis=0)[:, None]
        return found


CONCAVE = 1e-9


def limits_of_motor(
    model: Model, joint: str, motor: Motor, drive: Drive, share: float, suffix: str
) -> list[Limits] | None:
    """The limits of a motor at a joint; None where its curve is none of straight lines that fall faster and faster."""
    ratio, column = abs(drive.ratio or 1.0), model.robot.dof_names.index(joint)
    lines = [] if motor.peak_torque is None else [(0.0, motor.peak_torque)]
    top = [] if motor.max_speed is None else [motor.max_speed]
    if motor.intermittent_curve is not None:
        points = np.array([(0.0, motor.intermittent_curve[0][1]), *motor.intermittent_curve])
        points = points[np.append(True, np.diff(points[:, 0]) > 0)]
        slopes = np.diff(points[:, 1]) / np.diff(points[:, 0])
        if (np.diff(slopes) > CONCAVE * (1 + np.abs(slopes).max())).any() or slopes[0] > 0:
            return None
        lines += [(-float(m), float(y - m * x)) for m, (x, y) in zip(slopes, points[1:], strict=True)]
        top.append(float(points[-1, 0]))
    found: list[Limits] = []
    if lines:
        forward, backward = drive.efficiencies
        rotor, idle = ratio * (drive.rotor_inertia or 0.0), drive.no_load_torque or 0.0
        forms = []
        for fall, most in lines:
            given = (fall * ratio, share * most)
            forms += [Form(1 / (ratio * forward), rotor, idle, *given), Form(backward / ratio, rotor, idle, *given),
                      Form(-backward / ratio, -rotor, -idle, *given)]
        name = Name(f"{motor.label}, peak torque,", joint + suffix, share * max(most for _, most in lines), motor.unit)
        found.append(MotorTorque(model, column, name, list(dict.fromkeys(forms))))
    if top:
        name = Name(f"{motor.label}, largest speed,", joint + suffix, share * min(top), motor.speed_unit)
        found.append(Magnitudes(model, SPEED, [name], [column], np.array([(share * min(top) / ratio) ** 2])))
    return found
