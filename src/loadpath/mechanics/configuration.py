"""Moving from one configuration to another: `integrate` adds a motion to q, `difference` finds it.

For most joints these are a sum and a difference. Quaternions follow the exponential map, and a free joint a screw, so
the speeds keep the meaning that qd has: constant in the child's axes while it moves.
"""

from __future__ import annotations

from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, zeros


def integrate(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """Coordinates after one unit of time at constant speeds v."""
    result = zeros(mechanism.nq)
    for body in mechanism.bodies:
        if body.joint.mimic is None and body.motion.dof:
            result[body.q] = body.motion.moved(q[body.q], v[body.v])
    return result


def difference(mechanism: Mechanism, q: Array, to: Array) -> Array:
    """Constant speeds that lead from q to other coordinates in one unit of time, quaternions the shorter way round."""
    result = zeros(mechanism.n)
    for body in mechanism.bodies:
        if body.joint.mimic is None and body.motion.dof:
            result[body.v] = body.motion.displacement(q[body.q], to[body.q])
    return result


def normalised(mechanism: Mechanism, q: Array) -> Array:
    """The same configuration with unit quaternions."""
    result = zeros(mechanism.nq)
    for body in mechanism.bodies:
        if body.joint.mimic is None and body.motion.dof:
            result[body.q] = body.motion.normalised(q[body.q])
    return result
