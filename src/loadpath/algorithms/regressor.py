"""The regressor: drive forces are linear in the ten inertial parameters of every link.

Parameters of a link, in its own frame about its own origin: m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, where
Ixy is the entry of the tensor (minus the product of inertia).
"""

from __future__ import annotations

from loadpath.formulations.newton_euler import outward
from loadpath.mechanics.joint_motion import joint_columns
from loadpath.mechanics.wrenches import turned_matrix
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, array, cross, dot, sign, zeros


def regressor(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Matrix (n, 10 links): rows of the joints towards the base from a link hold that link's parameters.

    Each joint's unit motions are carried outwards to the link's frame; their products with the wrench that a unit of
    each parameter takes there are the entries.
    """
    bodies = mechanism.bodies
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    # For every body, the unit motions of all joints towards the base: (row, angular, linear) in its own axes.
    reaching: list[list[tuple[int, Array, Array]]] = []
    for body, link in zip(bodies, links, strict=True):
        carried = []
        Q, b = link.joint.Q, link.joint.b
        for row, angular, linear in [] if body.parent == BASE else reaching[body.parent]:
            omega = body.turn.T @ angular
            v = body.turn.T @ (linear + cross(angular, body.arm))
            carried.append((row, Q.T @ omega, Q.T @ (v + cross(omega, b))))
        own = [(body.v.start + k, *column) for k, column in enumerate(joint_columns(body, q))]
        reaching.append(carried + own)
    Y = zeros(mechanism.n, 10 * len(mechanism.link_frames))
    for number, frame in enumerate(mechanism.link_frames.values()):
        if frame.body == BASE:
            continue
        _, omega, omegadot, W, oddot = links[frame.body]
        turn = frame.rotation.T
        a = turn @ (oddot + W @ frame.origin)
        W = turned_matrix(turn, W)
        omega, omegadot = turn @ omega, turn @ omegadot
        for row, angular, linear in reaching[frame.body]:
            w, v = turn @ angular, turn @ (linear + cross(angular, frame.origin))
            start = 10 * number
            Y[row, start : start + 10] = Y[row, start : start + 10] + _entries(w, v, a, W, omega, omegadot)
    return Y


def _entries(w: Array, v: Array, a: Array, W: Array, omega: Array, omegadot: Array) -> Array:
    """Work of the wrench of a unit of each parameter on a unit motion (w, v): see `euler_torque` for the tensor's."""
    x, y, z = omega
    ax, ay, az = omegadot
    lever = cross(a, w)  # w . (e_k x a) = e_k . (a x w)
    return array(
        [
            dot(v, a),
            *(dot(v, W[:, k]) + lever[k] for k in range(3)),
            w[0] * ax + w[1] * (x * z) - w[2] * (x * y),
            w[1] * W[2, 1] - w[0] * W[2, 0] + w[2] * (x * x - y * y),
            w[1] * ay + w[2] * (x * y) - w[0] * (y * z),
            w[0] * W[1, 0] - w[2] * W[1, 2] + w[1] * (z * z - x * x),
            w[2] * W[0, 2] - w[1] * W[0, 1] + w[0] * (y * y - z * z),
            w[2] * az + w[0] * (y * z) - w[1] * (x * z),
        ]
    )


def drive_regressor(mechanism: Mechanism, qd: Array, qdd: Array) -> Array:
    """Matrix (n, 3 n): columns of the viscous frictions, then of the Coulomb frictions, then of the reflected rotor
    inertias of the independent joints' speeds.
    """
    n = mechanism.n
    Y = zeros(n, 3 * n)
    for k in range(n):
        Y[k, k], Y[k, n + k], Y[k, 2 * n + k] = qd[k], sign(qd[k]), qdd[k]
    return Y
