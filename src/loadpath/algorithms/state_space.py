"""What the state-space model xdot = f(x, u) of a tree (eq. 7.45) is made of, with x = (q, qd) (7.46) and u the drive
forces: its accelerations, and the rates of its coordinates. With loops: `loops/forward_dynamics`.
"""

from __future__ import annotations

from loadpath.algorithms import articulated_body, composite_body
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, array, ltdl, zeros
from loadpath.scalars.dual import Dual, partial_of

# Up to this many speeds on the longest way from the base to a tip, factoring the mass matrix takes fewer operations
# than articulated bodies (counted on general revolute arms: equal between 9 and 10 joints).
LONGEST_COMPOSITE = 9


def longest_path(mechanism: Mechanism) -> int:
    """Number of speeds on the way from the base to the tip that has most."""
    speeds: list[int] = []
    for body in mechanism.bodies:
        speeds.append(body.motion.dof + (0 if body.parent == BASE else speeds[body.parent]))
    return max(speeds, default=0)


def forward_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Accelerations for given forces of the drives, by the route that takes fewer operations."""
    coupled = any(body.joint.mimic is not None for body in mechanism.bodies)
    if coupled or longest_path(mechanism) <= LONGEST_COMPOSITE:
        return composite_body.forward_dynamics(mechanism, q, qd, tau, external, base_velocity, base_acceleration)
    return articulated_body.forward_dynamics(mechanism, q, qd, tau, external, base_velocity, base_acceleration)


def coordinate_rate(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Time derivative of the coordinates: the speeds, but for quaternions and positions of free joints."""
    rate = zeros(mechanism.nq)
    for body in mechanism.bodies:
        if body.joint.mimic is None and body.motion.dof:
            rate[body.q] = body.motion.coordinate_rate(q[body.q], qd[body.v])
    return rate


def deviation_rate(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """(n, n): rate of a small deviation dq of the coordinates by dq itself, while the speeds keep their deviation.

    A deviation is a small motion with the meaning of the speeds, q + E dq with E(q) of `coordinate_rate`, seen from a
    configuration that moves with E qd. So E d(dq)/dt = E dqd + (dE along E dq) qd - (dE along E qd) dq: zero but for
    joints whose E depends on q. Of a quaternion it is -qd x, of a free joint the twist's -ad.
    """
    result = zeros(mechanism.n, mechanism.n)
    for body in mechanism.bodies:
        if body.joint.mimic is not None or body.motion.coordinates == body.motion.dof:
            continue
        own, speeds, dof = q[body.q], qd[body.v], body.motion.dof
        units = [array([1.0 if j == k else 0.0 for j in range(dof)]) for k in range(dof)]
        E = [body.motion.coordinate_rate(own, unit) for unit in units]
        moves = _along(own, body.motion.coordinate_rate(own, speeds))
        squares = array([[sum(a * b for a, b in zip(x, y, strict=True)) for y in E] for x in E])
        for k, unit in enumerate(units):
            one = body.motion.coordinate_rate(_along(own, E[k]), speeds)
            other = body.motion.coordinate_rate(moves, unit)
            change = [partial_of(a, 0) - partial_of(b, 0) for a, b in zip(one, other, strict=True)]
            column = array([sum(a * b for a, b in zip(x, change, strict=True)) for x in E])
            result[body.v, body.v.start + k] = ltdl(squares).solve(column)
    return result


def _along(q: Array, direction: Array) -> Array:
    """Coordinates that carry their derivative along a direction."""
    return array([Dual(x, {0: step}) for x, step in zip(q, direction, strict=True)])
