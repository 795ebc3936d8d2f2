"""Plane Newton-Euler, body by body: linkages of bars with pins and slides, in complex numbers.

The plane is the world's x-z plane, a point is the complex number x + i z; angles are counterclockwise as seen with x to
the right and z up, which is about the world's -y. Each body gives three equations, each pin two unknown forces, each
slide a force across it and a couple, each drive a couple or a force. Linkages that can be solved so are determinate in
their plane; the square system is solved as it stands.

The closed-form positions of four-bar, slider-crank and five-bar are here, too: triangles by the law of cosines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray
RIGHT, UP, NORMAL = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, -1.0, 0.0])


@dataclass
class Bar:
    """A body at an instant: mass (kg), moment about its mass center (kg m^2), where that is (m), its acceleration
    (m/s^2) and the angular one (rad/s^2).
    """

    mass: float
    moment: float
    center: complex
    acceleration: complex
    angular_acceleration: float


@dataclass
class Contact:
    """A pin or a slide at an instant; `along` is the unit direction of a slide, None for a pin. `applied` is the couple
    of a pin or the force along a slide that is given (friction, rotor); with `driven` it is unknown instead.
    """

    name: str
    first: str
    second: str
    at: complex
    along: complex | None = None
    driven: bool = False
    applied: float = 0.0


@dataclass
class Reaction:
    """What the first body exerts on the second: force at the pin (N), couple (N m); and that of the drive alone."""

    force: complex
    couple: float
    drive: float


def cross(a: complex, b: complex) -> float:
    """The component of a x b out of the plane."""
    return a.real * b.imag - a.imag * b.real


def reactions(
    bars: Mapping[str, Bar],
    contacts: Sequence[Contact],
    gravity: complex,
    applied: Mapping[str, tuple[complex, complex, float]] | None = None,
) -> dict[str, Reaction]:
    """All reactions and drives. `applied`: for a body a force, the point where it acts, and a couple. A body that is
    in no `bars` is the ground.
    """
    unknowns = [(contact, k) for contact in contacts for k in range(3 if contact.driven else 2)]
    row = {name: 3 * k for k, name in enumerate(bars)}
    A, b = np.zeros((3 * len(bars), len(unknowns))), np.zeros(3 * len(bars))
    for name, bar in bars.items():
        force = bar.mass * (bar.acceleration - gravity)
        couple = bar.moment * bar.angular_acceleration
        if applied and name in applied:
            push, where, twist = applied[name]
            force, couple = force - push, couple - twist - cross(where - bar.center, push)
        b[row[name] : row[name] + 3] = force.real, force.imag, couple
    for column, (contact, k) in enumerate(unknowns):
        _add(A[:, column], bars, row, contact, *_unit(contact, k), 1.0)
    for contact in contacts:  # given ones go to the right
        if contact.applied:
            known = np.zeros(len(b))
            _add(known, bars, row, contact, *_unit(contact, 2), contact.applied)
            b -= known
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"{A.shape[0]} equations for {A.shape[1]} unknowns: not determinate in the plane")
    x = np.linalg.solve(A, b)
    found = {contact.name: Reaction(0j, 0.0, 0.0) for contact in contacts}
    for value, (contact, k) in zip(x, unknowns, strict=True):
        force, couple = _unit(contact, k)
        found[contact.name].force += value * force
        found[contact.name].couple += value * couple
        if k == 2:
            found[contact.name].drive = float(value)
    for contact in contacts:
        force, couple = _unit(contact, 2)
        found[contact.name].force += contact.applied * force
        found[contact.name].couple += contact.applied * couple
    return found


def _unit(contact: Contact, k: int) -> tuple[complex, float]:
    """Force and couple of an unknown of one unit: two reactions, then the drive."""
    if contact.along is None:
        return ((1.0 + 0j, 0.0), (1j, 0.0), (0j, 1.0))[k]
    return ((1j * contact.along, 0.0), (0j, 1.0), (contact.along, 0.0))[k]


def _add(into: Array, bars: Mapping[str, Bar], row: Mapping[str, int], contact: Contact,
         force: complex, couple: float, size: float) -> None:
    for body, sign in ((contact.second, size), (contact.first, -size)):
        if body in row:
            turned = couple + cross(contact.at - bars[body].center, force)
            into[row[body] : row[body] + 3] += sign * np.array([force.real, force.imag, turned])


# A robot that moves in the plane


@dataclass
class _Frame:
    """A link's origin and turn as polynomials of time (coefficients of 1, t, t^2), and the plane's axes in its own."""

    origin: Array
    turn: Array
    angle: Array
    right: Array
    up: Array

    def point(self, own: Array) -> Array:
        """Where a point of the link is, to t^2."""
        return self.origin + self.turn * complex(own @ self.right, own @ self.up)


def _exponential(angle: Array) -> Array:
    """e^(i angle) to t^2."""
    e = np.exp(1j * angle[0])
    return np.array([e, e * 1j * angle[1], e * (1j * angle[2] - angle[1] ** 2 / 2.0)])


def _product(a: Array, b: Array) -> Array:
    return np.array([a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0]])


def frames(robot: Any, q: Array, qd: Array, qdd: Array) -> dict[str, _Frame]:
    """All links of a robot whose joints are hinges across the plane and slides in it."""
    still = np.zeros(3, dtype=complex)
    one = np.array([1.0 + 0j, 0, 0])
    found = {robot.links[0].name: _Frame(still, one, np.zeros(3), RIGHT, UP)}
    for joint in robot.joints:
        parent = found[joint.parent]
        at = parent.point(joint.origin.p)
        right, up = joint.origin.R.T @ parent.right, joint.origin.R.T @ parent.up
        normal = np.cross(up, right)  # the world's -y in the joint's axes
        angle = parent.angle
        kind = type(joint.motion).__name__
        if kind != "Fixed":
            of, on = robot.q_slices[joint.name], robot.v_slices[joint.name]
            moved = np.array([q[of][0], qd[on][0], qdd[on][0] / 2.0])
            axis = np.array(joint.motion.axis)
            if kind == "Prismatic":
                assert abs(axis @ np.cross(right, up)) < 1e-9, "a slide out of the plane"
                at = at + _product(moved, parent.turn) * complex(axis @ right, axis @ up)
            else:
                assert abs(abs(axis @ normal) - 1.0) < 1e-9, "a hinge that is not across the plane"
                assert joint.motion.zero == 0.0
                angle = angle + round(axis @ _viewer(right, up)) * moved
        frame = _Frame(at, _exponential(angle), angle, right, up)
        shift = joint.link_offset.p
        turned = joint.link_offset.R.T
        found[joint.child] = _Frame(frame.point(shift), frame.turn, angle, turned @ right, turned @ up)
    return found


def _viewer(right: Array, up: Array) -> Array:
    """The direction to the viewer, about which counterclockwise angles are positive."""
    return np.cross(right, up)


def of_robot(
    robot: Any, q: Array, qd: Array, qdd: Array, driven: Sequence[str], forces: Mapping[str, tuple[Array, Array]] = {}
) -> dict[str, Reaction]:
    """Reactions of a plane robot with loops, at every joint and loop, by the plane equations. `forces`: for a link a
    force and a torque in world axes at its origin.
    """
    at = frames(robot, q, qd, qdd)
    bars, applied = {}, {}
    welded = {joint.child for joint in robot.joints if joint.motion.dof == 0}
    for link in robot.links[1:]:
        frame, inertia = at[link.name], link.inertia
        if link.name in welded:
            assert inertia.is_zero, "only frames may be welded on"
            continue
        center = frame.point(np.array(inertia.center_of_mass))
        out = _viewer(frame.right, frame.up)
        moment = float(out @ np.array(inertia.tensor) @ out)
        bars[link.name] = Bar(inertia.mass, moment, center[0], 2.0 * center[2], 2.0 * frame.angle[2])
        if link.name in forces:
            push, twist = forces[link.name]
            applied[link.name] = (complex(push @ RIGHT, push @ UP), frame.origin[0], float(twist @ NORMAL))
    contacts = []
    for joint in robot.joints:
        kind, parent = type(joint.motion).__name__, at[joint.parent]
        if kind == "Fixed":
            continue
        where = parent.point(joint.origin.p)[0]
        along, sign = None, 1.0
        right, up = joint.origin.R.T @ parent.right, joint.origin.R.T @ parent.up
        axis = np.array(joint.motion.axis)
        speed, rate = qd[robot.v_slices[joint.name]][0], qdd[robot.v_slices[joint.name]][0]
        if kind == "Prismatic":
            along = parent.turn[0] * complex(axis @ right, axis @ up)
            where = where + q[robot.q_slices[joint.name]][0] * along
        else:
            sign = float(round(axis @ _viewer(right, up)))
        lost = joint.viscous_friction[0] * speed + joint.coulomb_friction[0] * np.sign(speed)
        lost += joint.reflected_inertia[0] * rate
        own = joint.name in driven
        contacts.append(Contact(joint.name, joint.parent, joint.child, where, along, own, 0.0 if own else -sign * lost))
    for loop in robot.loops:
        frame = at[loop.second]
        along = None
        if type(loop.motion).__name__ == "Prismatic":
            axis = loop.on.R @ np.array(loop.motion.axis)
            along = frame.turn[0] * complex(axis @ frame.right, axis @ frame.up)
        contacts.append(Contact(loop.name, loop.first, loop.second, frame.point(loop.on.p)[0], along))
    g = np.array(robot.gravity)
    found = reactions(bars, contacts, complex(g @ RIGHT, g @ UP), applied)
    for joint in robot.joints:  # drives in the joint's own sense, with friction and rotor
        if joint.name in driven:
            parent = at[joint.parent]
            speed, rate = qd[robot.v_slices[joint.name]][0], qdd[robot.v_slices[joint.name]][0]
            lost = joint.viscous_friction[0] * speed + joint.coulomb_friction[0] * np.sign(speed)
            lost += joint.reflected_inertia[0] * rate
            right, up = joint.origin.R.T @ parent.right, joint.origin.R.T @ parent.up
            hinge = type(joint.motion).__name__ != "Prismatic"
            sign = float(round(np.array(joint.motion.axis) @ _viewer(right, up))) if hinge else 1.0
            found[joint.name].drive = sign * found[joint.name].drive + lost
    return found


# Positions in closed form


def apex(left: complex, right: complex, a: float, b: float, side: int) -> complex:
    """The point at the distance a from `left` and b from `right`, on the left (side 1) or right (-1) of the line from
    one to the other.
    """
    base = right - left
    along = (a**2 - b**2 + abs(base) ** 2) / (2.0 * abs(base))
    return left + (along + side * 1j * np.sqrt(a**2 - along**2)) * base / abs(base)


def four_bar_angles(ground: float, crank: float, coupler: float, rocker: float, angle: float, side: int = 1,
                    ) -> tuple[float, float]:
    """Absolute angles of coupler (from the crank's end to the rocker's) and rocker (from its pivot to its end); the
    pivots lie on x, the crank's at 0.
    """
    crank_end = crank * np.exp(1j * angle)
    rocker_end = apex(crank_end, complex(ground), coupler, rocker, side)
    return float(np.angle(rocker_end - crank_end)), float(np.angle(rocker_end - ground))


def slider_crank_place(crank: float, rod: float, angle: float, offset: float = 0.0) -> tuple[float, float]:
    """Angle of the rod and x of the slider, which runs on the line z = offset to the right of the crank's pivot."""
    end = crank * np.exp(1j * angle)
    rod_angle = float(np.arcsin((offset - end.imag) / rod))
    return rod_angle, float(end.real + rod * np.cos(rod_angle))


def five_bar_angles(ground: float, cranks: Sequence[float], rods: Sequence[float], angles: Sequence[float],
                    side: int = 1) -> tuple[float, float]:
    """Absolute angles of the two rods from their cranks' ends to their common end."""
    left = cranks[0] * np.exp(1j * angles[0])
    right = ground + cranks[1] * np.exp(1j * angles[1])
    end = apex(left, right, rods[0], rods[1], side)
    return float(np.angle(end - left)), float(np.angle(end - right))
