"""What the state-space model xdot = f(x, u) of a tree (eq. 7.45) is made of, with x = (q, qd) (7.46) and u the drive
forces: its accelerations, and the rates of its coordinates. With loops: `loops/forward_dynamics`.
"""

from __future__ import annotations

from loadpath.algorithms import articulated_body, composite_body
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, zeros

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
