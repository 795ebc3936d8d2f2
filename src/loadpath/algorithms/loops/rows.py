"""The constraint rows J (m, n): J qd is the relative motion of the loops in the directions that their joints hold.

Row by row a unit wrench along a held direction is carried from the frame `on` inwards to the common ancestor and from
there outwards to the first link. Its part along each joint's freedoms on the way is the entry of J; the wrench itself
is what a unit of that direction's multiplier puts on the joint, which `reactions` needs. Rows of the couplings follow.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.algorithms.loops.held import held_rates
from loadpath.algorithms.loops.paths import path_of, relative_placement
from loadpath.algorithms.loops.relative_motion import relative_motion
from loadpath.mechanics.drives import project
from loadpath.mechanics.joint_motion import joint_placement
from loadpath.mechanics.wrenches import Wrench, away_from_base, on_body, towards_base
from loadpath.robot.mechanism import ClosedLoop, Mechanism
from loadpath.scalars import Array, array, dot, zeros


class HeldRow(NamedTuple):
    """One held direction of a loop."""

    loop: int
    """Number of the loop."""
    torque: Array
    """The direction, in the axes of the frame `on` of its loop."""
    force: Array
    on_bodies: dict[int, Wrench]
    """What a unit of it does to the bodies on the path, in their axes at their origins: carried from the second link
    inwards, and with the opposite sign from the first.
    """


def held_rows(mechanism: Mechanism, q: Array) -> list[HeldRow]:
    """The held directions of all loops, in order."""
    rows = []
    for number, loop in enumerate(mechanism.loops):
        placement = relative_placement(mechanism, q, loop)
        for torque, force in loop.motion.held(*placement):
            rows.append(HeldRow(number, torque, force, _along_path(mechanism, q, loop, Wrench(force, torque))))
    return rows


def _along_path(mechanism: Mechanism, q: Array, loop: ClosedLoop, unit: Wrench) -> dict[int, Wrench]:
    path, bodies = path_of(mechanism, loop), mechanism.bodies
    found: dict[int, Wrench] = {}
    wrench = on_body(loop.on, *unit)
    for i in reversed(path.second):
        found[i] = wrench
        wrench = towards_base(bodies[i], *joint_placement(bodies[i], q), *wrench)
    wrench = Wrench(-wrench.force, -wrench.torque)
    for i in path.first:
        wrench = away_from_base(bodies[i], *joint_placement(bodies[i], q), *wrench)
        found[i] = wrench
    return found


def held_directions(mechanism: Mechanism, q: Array) -> Array:
    """(m, 6): force and torque of a unit of each multiplier, at and in the frame `on` of its loop; of couplings 0."""
    rows = [[*row.force, *row.torque] for row in held_rows(mechanism, q)]
    return array(rows + [[0.0] * 6 for _ in mechanism.coupling_rows]) if rows else zeros(mechanism.rows, 6)


def matrix_of(mechanism: Mechanism, q: Array, rows: list[HeldRow]) -> Array:
    """The rows J (m, n) of held directions and couplings."""
    J = zeros(len(rows) + len(mechanism.coupling_rows), mechanism.n)
    for r, row in enumerate(rows):
        for i, wrench in row.on_bodies.items():
            body = mechanism.bodies[i]
            for k, entry in enumerate(project(body, q, *wrench), start=body.v.start):
                J[r, k] = J[r, k] + entry
    J[len(rows) :] = mechanism.coupling_rows
    return J


def constraint_jacobian(mechanism: Mechanism, q: Array) -> Array:
    """The rows J (m, n): six less its freedoms for every loop, then one for each coupling."""
    return matrix_of(mechanism, q, held_rows(mechanism, q))


def constraint_rate(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Jdot qd (m): the accelerations in the held directions while qdd is zero."""
    rates = []
    none = zeros(mechanism.n)
    for loop in mechanism.loops:
        Q, b, twist = relative_motion(mechanism, q, qd, none, loop)
        directions = loop.motion.held(Q, b)
        changes = held_rates(loop.motion, Q, b, twist.omega, twist.v)
        for (torque, force), (torque_rate, force_rate) in zip(directions, changes, strict=True):
            rate = dot(torque, twist.omega_rate) + dot(force, twist.v_rate)
            rates.append(rate + dot(torque_rate, twist.omega) + dot(force_rate, twist.v))
    return array([*rates, *(0.0 for _ in mechanism.coupling_rows)])
