"""The objects of the Lagrangian way (course notes, section 1) for a robot as it is, rotors included: energies, L, its
derivatives, and the two arrangements (22) and (23) of the equations that follow from it.

    lambda_i = d/dt dL/dqdot_i - dL/dq_i + F_i = (M qddot + B [qdot^2] + C [qdot qdot] + G)_i + F_i             (4, 22)

F is the friction of the drives. Rotors store kinetic energy with the speeds of their joints, so they are in K and on
the diagonal of M; the notes have none.

Where speeds are no rates of coordinates (spherical and free joints) a derivative "by q_i" is along a motion with unit
speed i, and (4) has one term more, from such motions not commuting (Boltzmann and Hamel):

    lambda_i = d/dt dL/dqdot_i - dL/dq_i + sum_j sum_k c_ijk qdot_j p_k + F_i,           [X_i, X_j] = sum_k c_ijk X_k

with the `lagrangian.commutators` c and the momenta p of the links (the gyroscopic effect of rotors is left out
everywhere here). In (22) and (23) it is in the coefficients.
"""

from __future__ import annotations

from loadpath.formulations.lagrangian import (
    P,
    coriolis_matrix,
    differentiated,
    link_jacobians,
    mass_matrix,
    speed_pairs,
    terms,
)
from loadpath.mechanics.drives import with_rotors
from loadpath.mechanics.link_geometry import central_inertia
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, array, dot, scale, zeros


def K(mechanism: Mechanism, q: Array, qd: Array) -> Scalar:
    """Kinetic energy of links (37, with v and omega by 38 and 39) and rotors.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> K(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([1.0, 0.0]))
    2.5
    """
    energy: Scalar = 0.0
    for body, (R, J_v, J_w) in zip(mechanism.bodies, link_jacobians(mechanism, q), strict=True):
        m, _, inertia = central_inertia(body)
        v, omega = zeros(3), zeros(3)
        for k in J_v:
            v, omega = v + scale(qd[k], J_v[k]), omega + scale(qd[k], J_w[k])
        own = R.T @ omega
        energy = energy + 0.5 * (m * dot(v, v) + dot(own, inertia @ own))
        for k, rotor in enumerate(body.joint.reflected_inertia, start=body.v.start):
            speed = body.multiplier * qd[k]
            energy = energy + 0.5 * rotor * (speed * speed)
    return energy


def L(mechanism: Mechanism, q: Array, qd: Array) -> Scalar:
    """The Lagrangian K - P (2).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> round(L(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([1.0, 0.0])), 12)
    31.9
    """
    return K(mechanism, q, qd) - P(mechanism, q)


def dL_dq(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """dL/dq_i, (n,): along a motion with unit speed i, the speeds in L held (16).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link())
    >>> [round(x, 12) for x in dL_dq(arm, array([1.5707963267948966, 0.0]), array([0.0, 0.0]))]
    [-29.4, -9.8]
    """
    _, slopes = differentiated(lambda q: array([L(mechanism, q, qd)]), mechanism, q)
    return array([slope[0] for slope in slopes])


def dL_dqd(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """dL/dqdot_i, (n,): the momenta M qdot (17).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> dL_dqd(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([1.0, 0.0])).tolist()
    [5.0, 2.0]
    """
    if not mechanism.n:
        return zeros(0)
    momenta: Array = mass_matrix(mechanism, q) @ qd
    return momenta


def three_terms(mechanism: Mechanism, q: Array) -> tuple[Array, Array, Array]:
    """M, (n, n); the coefficients B of qdot_j^2, (n, n); those C of qdot_j qdot_k, (n, n (n - 1)), with the columns of
    `speed_pairs` (22).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> M, B, C = three_terms(plain(lp.catalog.two_link()), array([0.0, 1.5707963267948966]))
    >>> [[round(x, 12) + 0.0 for x in row] for row in C]
    [[-1.0, -1.0], [0.0, 0.0]]
    """
    n = mechanism.n
    M, Gamma, _ = terms(mechanism, q)
    pairs = speed_pairs(n)
    B, C = zeros(n, n), zeros(n, len(pairs))
    for i in range(n):
        for j in range(n):
            B[i, j] = Gamma[i, j, j]
        for column, (j, k) in enumerate(pairs):
            C[i, column] = Gamma[i, j, k]
    return with_rotors(mechanism, M), B, C


def two_terms(mechanism: Mechanism, q: Array, qd: Array) -> tuple[Array, Array]:
    """M and C(q, qdot), each (n, n), with lambda = M qddot + C qdot + G + F (23, 24).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> M, C = two_terms(plain(lp.catalog.two_link()), array([0.0, 1.5707963267948966]), array([1.0, 2.0]))
    >>> [[round(x, 12) + 0.0 for x in row] for row in C]
    [[-2.0, -3.0], [1.0, 0.0]]
    """
    return mass_matrix(mechanism, q), coriolis_matrix(mechanism, q, qd)
