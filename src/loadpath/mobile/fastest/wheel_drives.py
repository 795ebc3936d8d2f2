"""Limits of the drives of wheels, an `lp.WheelDrive` each: torque, torque-speed curve, speed, power, brake.

On a path on which wheels keep their angles, the torque about an axle is a fixed row of what the ground carries, and the
wheel's rate a fixed row of the base's velocity, so r(s) s'. With tau the torque about the axle in the sense in which
the wheel goes, N the ratio, J the rotor's inertia and b' the wheel's acceleration (`WheelDrive.motor_torque`),

    T = max(t / (N e_f), t e_b / N) + N J b',    t = tau - N^2 J b',

and every line of a curve is T + m N r s' <= c, in both directions; power is T N r s' <= P, so T <= P / (N r s'), which
is convex in s'^2, and its tangent on the safe side. Of a base that stands no shaft turns, and a brake holds as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.friction import speed, speeds_between, tangent_speed
from loadpath.fastest.jets import Jet
from loadpath.fastest.limits import Limits, Name, Rows
from loadpath.fastest.loads import Affine, Course, State, bends
from loadpath.mobile.fastest.contacts import SIZE, Contacts
from loadpath.mobile.fastest.planar import PLANE, along_own_axes
from loadpath.robot.wheels.drives import WheelDrive
from loadpath.robot.wheels.tracks import named_tracks
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

CONCAVE = 1e-9


@dataclass(frozen=True, eq=False)
class Shaft:
    """A motor's shaft, in the sense in which it goes: rows of what the ground carries, (m,), and its speed."""

    contacts: Contacts
    through: Floats
    """What the gear passes on, about the axle."""
    change: Floats
    """The wheel's acceleration."""
    rate: Floats
    """(3,): the shaft's speed by the velocity of the base along its own axes; zero of a base that stands."""

    def loads(self, course: Course, row: Floats) -> Affine:
        """(intervals, nodes): of a row of what the ground carries."""
        whole = course.loads(self.contacts.model, self.contacts.load)
        a, b, c = (part[..., self.contacts.columns] @ row for part in whole)
        return Affine(a, b, c)

    def entry(self, course: Course, row: Floats) -> tuple[Jet, Jet, Jet]:
        """Its ranges."""
        every = course.ranges(self.contacts.model, self.contacts.load)[self.contacts.columns]
        a, b, c = (_sum(parts, row) for parts in zip(*every, strict=True))
        return a, b, c

    def rates(self, course: Course) -> Floats:
        """(intervals, nodes): the shaft's speed for ds/dt = 1."""
        if not self.rate.any():
            return np.zeros_like(course.grid.d)
        first = course.first
        velocity, _ = along_own_axes(course.q[..., 2], [first[..., k] for k in range(PLANE)], [0.0] * PLANE, np.cos,
                                     np.sin)
        found: Floats = np.abs(np.stack(np.broadcast_arrays(*velocity), axis=-1) @ self.rate)
        return found

    def speeds_off(self, course: Course, state: State) -> Floats:
        """(intervals, nodes - 1): by how much its speed may be off its chord between two nodes."""
        if not self.rate.any():
            return np.zeros_like(course.grid.d[:, 1:])
        of = course.geometry
        velocity, _ = along_own_axes(of.position[2], of.first[:PLANE], [of.first[0] * 0.0] * PLANE, Jet.cos, Jet.sin)
        off, _ = speeds_between(course, state, self.rates(course)[..., None], [_sum(velocity, self.rate)])
        return off[..., 0]


def _sum(parts: Sequence[Jet], row: Floats) -> Jet:
    found = parts[0] * float(row[0])
    for part, share in zip(parts[1:], row[1:].tolist(), strict=True):
        if share:
            found = found + part * share
    return found


@dataclass(frozen=True, eq=False)
class Lines:
    """row . load + fall * (speed of the shaft) <= capacity, of several lines the strictest."""

    shaft: Shaft
    name: Name
    lines: Sequence[tuple[Floats, float, float]]
    """Row, fall and capacity of each."""

    @property
    def names(self) -> Sequence[Name]:
        """See `Limits`."""
        return (self.name,)

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return all(fall == 0.0 for _, fall, _ in self.lines)

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`."""
        rates = self.shaft.rates(course)
        y = tangent_speed(near[-1]) if near else None
        found = []
        for row, fall, capacity in self.lines:
            a, b, c = (part / capacity for part in self.shaft.loads(course, row))
            if fall and y is not None:
                b, c = b + fall * rates / (2 * y) / capacity, c + fall * rates * y / 2 / capacity
            found.append(Rows(a + 2 * course.grid.d * b, b, 1 - tight - c))
        return found

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        omega = self.shaft.rates(course) * speed(state)
        every = [(_at(self.shaft.loads(course, row), state) + fall * omega) / capacity
                 for row, fall, capacity in self.lines]
        found: Floats = np.max(every, axis=0)[..., None]
        return found

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        off = self.shaft.speeds_off(course, state).max(axis=1)
        bend = bends([self.shaft.entry(course, row) for row, _, _ in self.lines], course, state)
        every = [(course.steps**2 / 8 * bend[:, j] + fall * off) / capacity
                 for j, (_, fall, capacity) in enumerate(self.lines)]
        found: Floats = np.max(every, axis=0)[:, None]
        return found


@dataclass(frozen=True, eq=False)
class ShaftSpeed:
    """(speed of the shaft) <= capacity."""

    shaft: Shaft
    name: Name

    @property
    def names(self) -> Sequence[Name]:
        """See `Limits`."""
        return (self.name,)

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return True

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`."""
        b = (self.shaft.rates(course) / (self.name.capacity * (1 - tight))) ** 2
        return [Rows(2 * course.grid.d * b, b, np.ones_like(b))]

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        found: Floats = (self.shaft.rates(course) * speed(state) / self.name.capacity)[..., None]
        return found

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        found: Floats = self.shaft.speeds_off(course, state).max(axis=1)[:, None] / self.name.capacity
        return found


@dataclass(frozen=True, eq=False)
class ShaftPower:
    """row . load * (speed of the shaft) <= capacity, of several rows the strictest."""

    shaft: Shaft
    name: Name
    every: Sequence[Floats]
    """(m,) each."""

    @property
    def names(self) -> Sequence[Name]:
        """See `Limits`."""
        return (self.name,)

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return False

    def _products(self, course: Course, row: Floats) -> Affine:
        """Over s' and the capacity."""
        rates = self.shaft.rates(course) / self.name.capacity
        return Affine._make(rates * part for part in self.shaft.loads(course, row))

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`."""
        if not near:
            return []
        y, left = tangent_speed(near[-1]), 1 - tight
        found = []
        for row in self.every:
            a, b, c = self._products(course, row)
            b = b + left / (2 * y**3)
            found.append(Rows(a + 2 * course.grid.d * b, b, 1.5 * left / y - c))
        return found

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        every = [speed(state) * _at(self._products(course, row), state) for row in self.every]
        found: Floats = np.maximum(np.max(every, axis=0), 0.0)[..., None]
        return found

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`: as `loadpath.fastest.power` has it, a product is off its chord by what its factors are, and by
        a quarter of the product of their differences.
        """
        omega, off_omega = self.shaft.rates(course) * speed(state), self.shaft.speeds_off(course, state)
        bend = bends([self.shaft.entry(course, row) for row in self.every], course, state)
        top = np.maximum(omega[:, :-1], omega[:, 1:]) + off_omega
        found = np.zeros_like(top)
        for k, row in enumerate(self.every):
            load = _at(self.shaft.loads(course, row), state)
            off_load = course.steps[:, None] ** 2 / 8 * bend[:, k, None]
            most = np.maximum(np.abs(load[:, :-1]), np.abs(load[:, 1:])) + off_load
            crossed = np.abs(np.diff(omega, axis=1) * np.diff(load, axis=1)) / 4
            found = np.maximum(found, most * off_omega + top * off_load + crossed)
        result: Floats = found.max(axis=1)[:, None] / self.name.capacity
        return result


def _at(load: Affine, state: State) -> Floats:
    found: Floats = load.a * state.u.reshape(len(load.a), -1) + load.b * state.x + load.c
    return found


def limits_of_drives(rover: Rover, contacts: Contacts, direction: Floats, share: float, suffix: str) -> list[Limits]:
    """Of all wheels with a drive, of a base that goes in a direction (v_x, v_y, w), zero of one that stands."""
    wheels, names = rover.base.wheels, rover.contact_names
    tracks = named_tracks(wheels)
    rates = rover.arrangement.rate_rows(rover.arrangement.at_rest)
    found: list[Limits] = []
    for k, wheel in enumerate(wheels):
        drive = wheel.drive
        if drive is None or not wheel.driven or (wheel.track and tracks[wheel.track][0] != k):
            continue
        pieces = tracks.get(wheel.track, [k])
        row, rate = contacts.rows[pieces, 3].mean(axis=0), rates[k]
        along = float(rate @ direction)
        sense = 1.0 if along >= 0 else -1.0
        change = np.zeros(len(row))
        if direction.any():
            change[SIZE - PLANE :] = sense * rate
        shaft = Shaft(contacts, sense * row - drive.felt_inertia * change, change,
                      abs(drive.ratio) * rate * bool(abs(along) > STILL))
        called = wheel.track or names[k]
        found += _of_drive(shaft, drive, bool(abs(along) > STILL), called, share, suffix)
    return found


STILL = 1e-12
"""Of a direction: wheels that turn less stand."""


def _of_drive(shaft: Shaft, drive: WheelDrive, turns: bool, called: str, share: float, suffix: str) -> list[Limits]:
    """Those of one drive."""
    label = drive.name or "wheel drive"

    def name(check: str, capacity: float, unit: str) -> Name:
        return Name(f"{label}, {check},", called + suffix, capacity, unit)

    ratio, (forward, backward) = abs(drive.ratio), drive.efficiencies
    rotor = ratio * drive.rotor_inertia * shaft.change
    if turns:
        torques = [shaft.through / (ratio * forward) + rotor, shaft.through * backward / ratio + rotor,
                   -shaft.through * backward / ratio - rotor]
    else:
        torques = [shaft.through / ratio, -shaft.through / ratio]
    torques = [row for k, row in enumerate(torques) if not any(np.array_equal(row, other) for other in torques[:k])]
    lines = [] if drive.peak_torque is None else [(0.0, drive.peak_torque)]
    if drive.intermittent_curve is not None:
        lines += _lines_of(drive.intermittent_curve, called) if turns else [(0.0, drive.intermittent_curve[0][1])]
    found: list[Limits] = []
    if lines and any(row.any() for row in torques):
        most = share * max(capacity for _, capacity in lines)
        found.append(Lines(shaft, name("motor torque", most, "N m"),
                           [(row, fall, share * capacity) for fall, capacity in lines for row in torques]))
    if turns and np.isfinite(drive.largest_speed):
        found.append(ShaftSpeed(shaft, name("motor speed", share * drive.largest_speed, "rad/s")))
    if turns and drive.power is not None:
        found.append(ShaftPower(shaft, name("motor power", share * drive.power, "W"), torques))
    if not turns and drive.most_brake is not None and shaft.through.any():
        most = share * drive.most_brake
        found.append(Lines(shaft, name("brake holds", most, "N m"),
                           [(sign * shaft.through, 0.0, most) for sign in (1.0, -1.0)]))
    return found


def _lines_of(curve: Sequence[tuple[float, float]], called: str) -> list[tuple[float, float]]:
    """Fall and torque at rest of the lines through the points of a curve that falls faster and faster."""
    points = np.array(curve)
    slopes = np.diff(points[:, 1]) / np.diff(points[:, 0])
    if (np.diff(slopes) > CONCAVE * (1 + np.abs(slopes).max())).any() or slopes[0] > 0:
        raise ModelError(f"fastest: the torque-speed curve of the drive of '{called}' does not fall faster and faster, "
                         "so it is no limit of straight lines: give it lower points that do, or limits "
                         "{'wheel_drives': False} to leave the drives out")
    return [(-float(m), float(y - m * x)) for m, (x, y) in zip(slopes, points[1:], strict=True)]


def asked_drives(given: Mapping[str, Any]) -> bool:
    """Whether limits hold those of the wheels' drives."""
    asked = given.get("wheel_drives", True)
    if asked not in (True, False, None):
        raise ValueError(f"wheel_drives is {asked!r}: expected True or False; their numbers are those of the "
                         "lp.WheelDrive of each wheel, and factor={'wheel_drives': 0.8} takes a share of them")
    return bool(asked)
