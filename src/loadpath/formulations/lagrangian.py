"""Lagrange's equations from L = K - P (course notes on dynamics, section 1, eqs. 1-43):

    lambda_i = d/dt dL/dqdot_i - dL/dq_i                                        (4)

K = qdot^T M(q) qdot / 2 comes from the link Jacobians (40, 41), P(q) from the heights of the mass centers. Both are
written down here as functions of q and nothing else about the motion is derived by hand: M and P are differentiated
symbolically, rule by rule, by running them on `Dual` scalars. Over recording scalars or SymPy symbols the derivatives
are expressions (so the formulation compiles, and prints), over floats they are exact numbers; no difference quotients.

With dM/dq and dP/dq, (4) reads

    lambda_i = sum_j M_ij qddot_j + sum_jk Gamma_ijk qdot_j qdot_k + dP/dq_i

with the Christoffel symbols Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2. The notes arrange them in two
ways: (22), where squares (centripetal) and products (Coriolis) of the speeds stand apart, and (23), the matrix
C(q, qdot).

The speeds of joints with quaternions are not derivatives of coordinates. Derivatives "by q_k" are then along a motion
with unit speed k, and such motions do not commute; Lagrange's equations become those of Boltzmann and Hamel, and Gamma
gets the three terms of Koszul's formula with the commutators. They are zero for all other joints.

The cost grows with the fourth power of n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from loadpath.formulations.formulation import Formulation, accelerations_from, bias_from
from loadpath.formulations.moving_base import on_moving_base
from loadpath.mechanics.drives import inside_drives, springs_of_drives, with_rotors
from loadpath.mechanics.joint_motion import joint_columns
from loadpath.mechanics.kinematics import base_placement, moving_bodies, placements
from loadpath.mechanics.link_geometry import central_inertia, lineage
from loadpath.mechanics.wrenches import External, on_bodies
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import (
    Array,
    MatrixRotation,
    Scalar,
    array,
    cross,
    dot,
    is_zero,
    scale,
    zeros,
)
from loadpath.scalars.dual import Dual, partial_of, value_of


class LinkJacobian(NamedTuple):
    """Of link i, in world axes (39): v_i = J_v qdot of the mass center, omega_i = J_w qdot. Columns that do not move it
    are left out.
    """

    R: MatrixRotation
    J_v: dict[int, Array]
    J_w: dict[int, Array]


def link_jacobians(mechanism: Mechanism, q: Array) -> list[LinkJacobian]:
    """J_i of all links (38, 39: stacked, printed side by side; see errata).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> first, *_ = link_jacobians(plain(lp.catalog.two_link()), array([0.0, 0.0]))
    >>> first.J_v[0].tolist()                                       # a mass hanging one metre below joint 1
    [1.0, 0.0, 0.0]
    """
    at = placements(mechanism, q)
    columns = [[(at[i].to_world(w), at[i].to_world(u)) for w, u in joint_columns(body, q)]
               for i, body in enumerate(mechanism.bodies)]
    found = []
    for i, (body, path) in enumerate(zip(mechanism.bodies, lineage(mechanism), strict=True)):
        center = at[i].origin + at[i].to_world(central_inertia(body).rho)
        J_v: dict[int, Array] = {}
        J_w: dict[int, Array] = {}
        for j in path:
            for k, (omega, u) in enumerate(columns[j], start=mechanism.bodies[j].v.start):
                v = u + cross(omega, center - at[j].origin)
                J_v[k] = J_v[k] + v if k in J_v else v
                J_w[k] = J_w[k] + omega if k in J_w else omega
        found.append(LinkJacobian(MatrixRotation(array([list(row) for row in at[i].rows])), J_v, J_w))
    return found


def M(mechanism: Mechanism, q: Array) -> Array:
    """Inertia matrix M(q), (n, n), of the links (40). Rotors belong to the drives: they are in `mass_matrix`.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> M(plain(lp.catalog.two_link()), array([0.0, 0.0])).tolist()
    [[5.0, 2.0], [2.0, 1.0]]
    """
    result = zeros(mechanism.n, mechanism.n)
    for body, (R, J_v, J_w) in zip(mechanism.bodies, link_jacobians(mechanism, q), strict=True):
        m, _, inertia = central_inertia(body)
        world = R.tensor(inertia)  # (36)
        for k in J_v:
            p, h = scale(m, J_v[k]), world @ J_w[k]
            for i in (i for i in J_v if i <= k):
                # J_v^T m J_v + J_w^T R I R^T J_w; printed with the transposes on the other side, see errata (40)
                result[i, k] = result[i, k] + dot(J_v[i], p) + dot(J_w[i], h)
                result[k, i] = result[i, k]
    return result


def K(mechanism: Mechanism, q: Array, qd: Array) -> Scalar:
    """Kinetic energy of the links (41).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> K(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([1.0, 0.0]))
    2.5
    """
    return 0.5 * dot(qd, M(mechanism, q) @ qd)


def P(mechanism: Mechanism, q: Array) -> Scalar:
    """Potential energy of the links that can move, zero at the world's origin; a function of q alone (3).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> round(P(plain(lp.catalog.two_link()), array([0.0, 0.0])), 12)          # (12, 13)
    -29.4
    """
    gravity = base_placement(mechanism).to_world(mechanism.gravity)
    energy: Scalar = 0.0
    for body, at, moves in zip(mechanism.bodies, placements(mechanism, q), moving_bodies(mechanism), strict=True):
        if moves:
            center = at.origin + at.to_world(central_inertia(body).rho)
            energy = energy - body.mass * dot(gravity, center)
    return energy


def L(mechanism: Mechanism, q: Array, qd: Array) -> Scalar:
    """The Lagrangian K - P (2, 42).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> round(L(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([1.0, 0.0])), 12)
    31.9
    """
    return K(mechanism, q, qd) - P(mechanism, q)


# Derivatives


def differentiated(of: Callable[[Array], Array], mechanism: Mechanism, q: Array) -> tuple[Array, list[Array]]:
    """A function of q and its derivatives along each of the n speeds.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link())
    >>> value, slopes = differentiated(lambda q: array([q[0] * q[1]]), arm, array([2.0, 3.0]))
    >>> value.tolist(), [slope.tolist() for slope in slopes]
    ([6.0], [[3.0], [2.0]])
    """
    seeds: list[dict[int, Scalar]] = [{} for _ in range(mechanism.nq)]
    for body in mechanism.bodies:
        for k in range(body.motion.dof) if body.joint.mimic is None else ():
            unit = array([1.0 if j == k else 0.0 for j in range(body.motion.dof)])
            for j, rate in enumerate(body.motion.coordinate_rate(q[body.q], unit), start=body.q.start):
                if not is_zero(rate):
                    seeds[j][body.v.start + k] = rate
    result = of(array([Dual(x, seed) for x, seed in zip(q, seeds, strict=True)]))
    value = zeros(*result.shape)
    slopes = [zeros(*result.shape) for _ in range(mechanism.n)]
    for index in np.ndindex(result.shape):
        value[index] = value_of(result[index])
        for k in range(mechanism.n):
            slopes[k][index] = partial_of(result[index], k)
    return value, slopes


def commutators(mechanism: Mechanism) -> dict[tuple[int, int, int], float]:
    """c_jki where motions along speeds j and k do not commute: [X_j, X_k] = sum_i c_jki X_i.

    Only speeds of one joint that are not rates of coordinates have them; they are twists of the joint, whose commutator
    is (omega_j x omega_k, omega_j x v_k + v_j x omega_k).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> commutators(plain(lp.catalog.random_chain(1, 1, "spherical")))[0, 1, 2]
    1.0
    """
    found: dict[tuple[int, int, int], float] = {}
    for body in mechanism.bodies:
        subspace = body.motion.subspace(array(body.motion.neutral()))
        columns = [(body.v.start + k, subspace[k]) for k in body.motion.twists]
        for j, (w_j, v_j) in columns:
            for k, (w_k, v_k) in columns:
                w, v = cross(w_j, w_k), cross(w_j, v_k) + cross(v_j, w_k)
                for i, (w_i, v_i) in columns:  # unit twists, so these are the components
                    component = dot(w, w_i) + dot(v, v_i)
                    if component:
                        found[j, k, i] = component
    return found


class Terms(NamedTuple):
    """M(q), Gamma and G = dP/dq at one q."""

    M: Array
    Gamma: Array
    """Gamma_ijk, (n, n, n): of qdot_j qdot_k in lambda_i."""
    G: Array


def terms(mechanism: Mechanism, q: Array) -> Terms:
    """M(q), Gamma_ijk and G(q) of the equations of motion.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> terms(plain(lp.catalog.two_link()), array([0.3, 0.0])).Gamma.shape
    (2, 2, 2)
    """
    value, dM = differentiated(lambda q: M(mechanism, q), mechanism, q)
    return Terms(value, christoffel(value, dM, commutators(mechanism)), G(mechanism, q))


def christoffel(value: Array, dM: list[Array], brackets: dict[tuple[int, int, int], float]) -> Array:
    """Gamma_ijk from M, its derivatives and the commutators of the speeds.

    >>> from loadpath.scalars import array, zeros
    >>> r = 2.0                                               # a mass on a plane in polar coordinates: M = diag(1, r^2)
    >>> dM = [array([[0.0, 0.0], [0.0, 2 * r]]), zeros(2, 2)]
    >>> Gamma = christoffel(array([[1.0, 0.0], [0.0, r * r]]), dM, {})
    >>> Gamma[0, 1, 1], Gamma[1, 0, 1]                        # -r and r
    (-2.0, 2.0)
    """
    n = len(dM)
    Gamma = zeros(n, n, n)
    for i in range(n):
        for j in range(n):
            for k in range(n):
                slopes = dM[j][i, k] + dM[k][i, j] - dM[i][j, k]
                Gamma[i, j, k] = 0.0 if is_zero(slopes) else 0.5 * slopes
    # <[X_j, X_k], X_i> - <[X_j, X_i], X_k> - <[X_k, X_i], X_j>, each over two
    for (a, b, d), c in brackets.items():
        for x in range(n):
            half = 0.5 * c * value[d, x]
            if is_zero(half):
                continue
            Gamma[x, a, b] = Gamma[x, a, b] + half
            Gamma[b, a, x] = Gamma[b, a, x] - half
            Gamma[b, x, a] = Gamma[b, x, a] - half
    return Gamma


def G(mechanism: Mechanism, q: Array) -> Array:
    """Gravity load dP/dq, (n).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> [round(x, 12) for x in G(plain(lp.catalog.two_link()), array([1.5707963267948966, 0.0]))]    # (27)
    [29.4, 9.8]
    """
    _, slopes = differentiated(lambda q: array([P(mechanism, q)]), mechanism, q)
    return array([slope[0] for slope in slopes])


# The two arrangements


def centripetal(mechanism: Mechanism, q: Array) -> Array:
    """Coefficients of qdot_j^2, (n, n): the second term of (22).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> found = centripetal(plain(lp.catalog.two_link()), array([0.0, 1.5707963267948966]))
    >>> [[round(x, 12) + 0.0 for x in row] for row in found]
    [[0.0, -1.0], [1.0, 0.0]]
    """
    Gamma = terms(mechanism, q).Gamma
    n = mechanism.n
    result = zeros(n, n)
    for i in range(n):
        for j in range(n):
            result[i, j] = Gamma[i, j, j]
    return result


def speed_pairs(n: int) -> list[tuple[int, int]]:
    """The pairs j, k whose products qdot_j qdot_k stand in the third term of (22), in that order.

    >>> speed_pairs(2)
    [(0, 1), (1, 0)]
    """
    return [(j, k) for j in range(n) for k in range(n) if j != k]


def coriolis(mechanism: Mechanism, q: Array) -> Array:
    """Coefficients of qdot_j qdot_k, j != k, (n, n (n - 1)), columns as in `speed_pairs`: the third term of (22).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> found = coriolis(plain(lp.catalog.two_link()), array([0.0, 1.5707963267948966]))
    >>> [[round(x, 12) + 0.0 for x in row] for row in found]
    [[-1.0, -1.0], [0.0, 0.0]]
    """
    Gamma = terms(mechanism, q).Gamma
    pairs = speed_pairs(mechanism.n)
    result = zeros(mechanism.n, len(pairs))
    for i in range(mechanism.n):
        for column, (j, k) in enumerate(pairs):
            result[i, column] = Gamma[i, j, k]
    return result


def coriolis_matrix(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """C(q, qdot) of (23) and (24), (n, n), with dM/dt - 2 C skew-symmetric.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> found = coriolis_matrix(plain(lp.catalog.two_link()), array([0.0, 1.5707963267948966]), array([1.0, 2.0]))
    >>> [[round(x, 12) + 0.0 for x in row] for row in found]
    [[-2.0, -3.0], [1.0, 0.0]]
    """
    return _times_speeds(terms(mechanism, q).Gamma, qd)


def _times_speeds(Gamma: Array, qd: Array) -> Array:
    n = len(qd)
    C = zeros(n, n)
    for i in range(n):
        for k in range(n):
            for j in range(n):
                if not is_zero(Gamma[i, j, k]):
                    C[i, k] = C[i, k] + Gamma[i, j, k] * qd[j]
    return C


# The equations of motion


def external_forces(mechanism: Mechanism, q: Array, external: External | None) -> Array:
    """J(q)^T tau of (25), (n): generalized forces of wrenches that act on the robot.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> external_forces(plain(lp.catalog.two_link()), array([0.3, 0.4]), None).tolist()
    [0.0, 0.0]
    """
    result = zeros(mechanism.n)
    if not external:
        return result
    wrenches = on_bodies(mechanism, q, external)
    for body, (R, J_v, J_w), (f, n) in zip(mechanism.bodies, link_jacobians(mechanism, q), wrenches, strict=True):
        force = R @ f
        torque = R @ (n - cross(central_inertia(body).rho, f))  # about the mass center
        for k in J_v:
            result[k] = result[k] + dot(J_v[k], force) + dot(J_w[k], torque)
    return result


@on_moving_base
def inverse_dynamics(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None) -> Array:
    """Forces of the drives (25): lambda = M qddot + C qdot + F + G - J^T tau, with tau acting on the robot, and
    the rotors added to the friction F.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link())
    >>> tau = inverse_dynamics(arm, array([1.5707963267948966, 0.0]), array([0.0, 0.0]), array([0.0, 25.0]))
    >>> [round(x, 12) for x in tau]                                                             # pose 1
    [79.4, 34.8]
    """
    inertia, Gamma, G = terms(mechanism, q)
    tau: Array = G - external_forces(mechanism, q, external)  # printed + J^T tau; see errata
    if mechanism.n:
        tau = tau + inertia @ qdd + _times_speeds(Gamma, qd) @ qd
    tau = tau + inside_drives(mechanism, q, qd, qdd)  # F
    return tau


def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """M(q) with the rotors' reflected inertia on its diagonal.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> mass_matrix(plain(lp.catalog.two_link()), array([0.0, 0.0])).tolist()
    [[5.0, 2.0], [2.0, 1.0]]
    """
    return with_rotors(mechanism, M(mechanism, q))


def gravity_forces(mechanism: Mechanism, q: Array) -> Array:
    """G(q), and what springs take from the drives.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> [round(x, 12) + 0.0 for x in gravity_forces(plain(lp.catalog.two_link()), array([0.0, 0.0]))]
    [0.0, 0.0]
    """
    held: Array = G(mechanism, q) + springs_of_drives(mechanism, q)
    return held


bias_forces = bias_from(inverse_dynamics)
forward_dynamics = accelerations_from(inverse_dynamics, mass_matrix)

FORMULATION = Formulation(
    name="lagrangian",
    citation="the course notes, equations 29 to 43",
    inverse_dynamics=inverse_dynamics,
    gravity_forces=gravity_forces,
    bias_forces=bias_forces,
    mass_matrix=mass_matrix,
    coriolis_matrix=coriolis_matrix,
    forward_dynamics=forward_dynamics,
    compile_up_to=8,
)
