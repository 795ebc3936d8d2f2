"""Freedoms that no drive moves: rods that spin between two balls, a table that slides freely, a swinging load.

Their speeds are independent, and no force acts along them. So with T_U their columns of the natural orthogonal
complement, the tree's forces r must do no work there, T_U' r = 0, which gives their accelerations.
"""

from __future__ import annotations

from loadpath.algorithms.composite_body import mass_matrix
from loadpath.algorithms.loops.completion import complement, constraints
from loadpath.algorithms.loops.sparse import product, sparse_dot
from loadpath.formulations import newton_euler
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, ltdl, zeros

THIN = 1e-15


def idle_columns(mechanism: Mechanism) -> list[int]:
    """Which of the independent speeds no drive moves, by their places among these."""
    split = mechanism.split
    return [place for place, k in enumerate(split.independent) if k not in split.driven]


def idle_mass_matrix(mechanism: Mechanism, q: Array, T: Array) -> Array:
    """T_U' M T_U of the idle freedoms. A thin rod has no moment of inertia about its axis: it spins no matter how, and
    a part in 1e15 of what its joint moves in all directions keeps that finite.
    """
    M = mass_matrix(mechanism, q)
    H = product(T.T, product(M, T))
    joints = {(body.v.start, body.v.stop) for body in mechanism.bodies if body.motion.dof}
    for start, stop in sorted(joints):
        moved = sum(M.diagonal()[start:stop])
        for k in range(len(H)):
            H[k, k] = H[k, k] + THIN * moved * sparse_dot(T[start:stop, k], T[start:stop, k])
    return H


def idle_motions(mechanism: Mechanism, q: Array) -> Array:
    """T_U (n, idle freedoms): all speeds per unit of each."""
    T: Array = complement(mechanism, constraints(mechanism, q))[:, idle_columns(mechanism)]
    return T


def idle_gravity(mechanism: Mechanism, q: Array) -> tuple[Array, Scalar]:
    """What gravity does along the idle freedoms, T_U' r at rest, and the largest of what it is made of."""
    T = idle_motions(mechanism, q)
    still = zeros(mechanism.n)
    r = newton_euler.inverse_dynamics(mechanism, q, still, still)
    return product(T.T, r), max((abs(x) for x in r), default=0.0)


def with_idle_accelerations(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """The accelerations (n) with those of idle freedoms that need no force, and what follows from them; the others as
    given. Where qdd is one of a motion under the drives alone, that is qdd itself.
    """
    if not idle_columns(mechanism):
        return qdd
    T = idle_motions(mechanism, q)
    needed = newton_euler.inverse_dynamics(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)
    H = idle_mass_matrix(mechanism, q, T)
    accelerations: Array = qdd - product(T, ltdl(H).solve(product(T.T, needed)))
    return accelerations
