"""The Lagrange-Euler equations in trace form (Uicker 1965, Paul 1972), as in the lecture on robot dynamics:

    tau_i = sum_k D_ik qddot_k + sum_k sum_m h_ikm qdot_k qdot_m + c_i

with 4 x 4 homogeneous matrices A_i, the joint matrices Q_j, their products U_ij and U_ijk, and the pseudo-inertia J_i.
The cost grows with the fourth power of n: this form is here to be read, and to check the others.

Frame i is the frame of link i; in a standard Denavit-Hartenberg table everything is the lecture's. Beyond it:

- Q_j is the 4 x 4 matrix of the joint's twist in frame j-1. For a DH table it is one of the two matrices of the
  lecture, for other frames it is that matrix seen from frame j-1 (^{j-1}E_j Q_j ^{j-1}E_j^{-1}, E_j the joint's place).
- A joint with several speeds has a Q for each. Their products within the joint, and how they change with the joint's
  own motion, are in `U_ijk`. The derivation d/dt U_ij = sum_k U_ijk qdot_k then holds for every joint, those with
  quaternions too: tau_i is the sum over the links of Tr(Addot_j J_j U_ji^T), which asks for no coordinates.
- In a tree, U_ij is zero where joint j does not move link i. A mimicking joint adds to the U of the speed it follows.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from loadpath.formulations.formulation import Formulation, accelerations_from, bias_from
from loadpath.formulations.moving_base import on_moving_base
from loadpath.mechanics.drives import inside_drives, springs_of_drives, with_rotors
from loadpath.mechanics.joint_motion import joint_columns, joint_placement, joint_rates
from loadpath.mechanics.link_geometry import lineage, links_in_frames
from loadpath.mechanics.wrenches import External, at_frame, on_bodies
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import (
    Array,
    Rotation,
    Scalar,
    array,
    compose,
    cross,
    identity,
    is_zero,
    outer,
    scale,
    skew,
    vector,
    zeros,
)

Key = TypeVar("Key", int, tuple[int, int])


def homogeneous(rotation: Rotation, translation: Array) -> Array:
    """The 4 x 4 matrix of a rotation and a translation."""
    result = identity(4)
    result[:3, :3], result[:3, 3] = rotation.matrix(), translation
    return result


def twist_matrix(angular: Array, linear: Array) -> Array:
    """The 4 x 4 matrix of a twist, so that dA/dt = (twist matrix) A.

    >>> from loadpath.scalars import vector
    >>> twist_matrix(vector(0.0, 0.0, 1.0), zeros(3))[:2, :2].tolist()      # the lecture's Q of a revolute joint
    [[0.0, -1.0], [1.0, 0.0]]
    """
    # The lecture first prints +1 in both places of the revolute Q; see errata.
    result = zeros(4, 4)
    result[:3, :3], result[:3, 3] = skew(angular), linear
    return result


def trace(a: Array, b: Array) -> Scalar:
    """Tr(a b^T)."""
    total: Scalar = 0.0
    for index in np.ndindex(a.shape):
        if not is_zero(a[index]) and not is_zero(b[index]):
            total = total + a[index] * b[index]
    return total


class _JointMatrices(NamedTuple):
    A: Array
    """^{i-1}A_i."""
    Q: dict[int, Array]
    """For each speed the Q in frame i-1."""
    rates: dict[tuple[int, int], Array]
    """For speeds j and k of the same joint, dQ_j/dq_k + Q_j Q_k: what stands for Q_j Q_k in U_ijk."""


def _joint_matrices(mechanism: Mechanism, q: Array) -> list[_JointMatrices]:
    joints = []
    for body, link in zip(mechanism.bodies, links_in_frames(mechanism), strict=True):
        turn, b = joint_placement(body, q)
        before = compose(link.E, turn)  # from the axes of the moved body to those of frame i-1
        origin = link.e + link.E @ b  # of the moved body, in frame i-1
        Q = {k: _seen(column, before, origin) for k, column in enumerate(joint_columns(body, q), start=body.v.start)}
        rates = {(k, k): Q[k] @ Q[k] for k in Q}
        for m, Q_m in Q.items():
            unit = array([1.0 if k == m else 0.0 for k in range(mechanism.n)])
            for k, rate in enumerate(joint_rates(body, q, unit), start=body.v.start):
                if k != m or not all(is_zero(x) for part in rate for x in part):
                    rates[k, m] = Q_m @ Q[k] + _seen(rate, before, origin)
        A = homogeneous(compose(before, link.frame.rotation), origin + before @ link.frame.origin)
        joints.append(_JointMatrices(A, Q, rates))
    return joints


def _seen(twist: tuple[Array, Array], before: Rotation, origin: Array) -> Array:
    """The matrix in frame i-1 of a twist that is given at the moved body's origin and in its axes."""
    angular, linear = twist
    omega = before @ angular
    return twist_matrix(omega, before @ linear + cross(origin, omega))


class Matrices(NamedTuple):
    """A_i, U_ij and U_ijk of all links i; only those that are not zero are there."""

    A: list[Array]
    U: list[dict[int, Array]]
    """For link i: U_ij by j."""
    UU: list[dict[tuple[int, int], Array]]
    """For link i: U_ijk by j, k."""


def matrices(mechanism: Mechanism, q: Array, second: bool = True) -> Matrices:
    """A_i = ^0A_i, U_ij = dA_i/dq_j and (if `second`) U_ijk = dU_ij/dq_k of all links.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> found = matrices(plain(lp.catalog.two_link()), array([0.3, 0.4]))
    >>> [sorted(of_link) for of_link in found.U]                     # joint 2 does not move link 1
    [[0], [0, 1], [0, 1]]
    """
    joints = _joint_matrices(mechanism, q)
    paths = lineage(mechanism)
    between: list[dict[int, Array]] = []  # between[i][j] is ^jA_i
    for i, body in enumerate(mechanism.bodies):
        nearer = {} if body.parent == BASE else between[body.parent]
        between.append({body.parent: joints[i].A, **{j: A_jp @ joints[i].A for j, A_jp in nearer.items()}})

    def A(j: int, i: int) -> Array:  # ^jA_i
        return identity(4) if i == j else between[i][j]

    U: list[dict[int, Array]] = []
    UU: list[dict[tuple[int, int], Array]] = []
    for i, path in enumerate(paths):
        first: dict[int, Array] = {}
        twice: dict[tuple[int, int], Array] = {}
        for b in path:
            p = mechanism.bodies[b].parent
            for j, Q_j in joints[b].Q.items():
                _add(first, j, A(BASE, p) @ Q_j @ A(p, i))  # U_ij = ^0A_{j-1} Q_j ^{j-1}A_i; printed garbled
            if not second:
                continue
            # U_ijk, i >= k >= j: ^0A_{j-1} Q_j ^{j-1}A_{k-1} Q_k ^{k-1}A_i, where the first three are U_{k-1,j}; and
            # U_ikj is the same (printed with ^{k-1}A_{i-1} Q_i ^{i-1}A_j; see errata).
            for k, Q_k in joints[b].Q.items():
                outer_part = Q_k @ A(p, i)
                for j, U_pj in U[p].items() if p != BASE else ():
                    product = U_pj @ outer_part
                    _add(twice, (j, k), product)
                    _add(twice, (k, j), product)
            for (j, k), QQ in joints[b].rates.items():
                _add(twice, (j, k), A(BASE, p) @ QQ @ A(p, i))
        U.append(first)
        UU.append(twice)
    return Matrices([A(BASE, i) for i in range(len(paths))], U, UU)


def _add(where: dict[Key, Array], key: Key, term: Array) -> None:
    where[key] = where[key] + term if key in where else term


# The pieces by name


def A(mechanism: Mechanism, q: Array) -> Array:
    """^0A_i of all links, (links, 4, 4).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> A(plain(lp.catalog.two_link(l1=1, l2=2)), array([0.0, 0.0]))[2, :, 3].tolist()
    [0.0, 0.0, -3.0, 1.0]
    """
    return _stacked(matrices(mechanism, q, second=False).A)


def Q(mechanism: Mechanism, q: Array) -> Array:
    """Q_j in frame j-1 of all speeds, (n, 4, 4); of a speed with mimicking joints, that of the joint itself.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> Q(plain(lp.catalog.random_dh_arm(2, seed=1)), array([0.1, 0.2])).tolist()[1][:2]
    [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, -0.0, 0.0]]
    """
    result = zeros(mechanism.n, 4, 4)
    for body, joint in zip(mechanism.bodies, _joint_matrices(mechanism, q), strict=True):
        for j, Q_j in joint.Q.items() if body.joint.mimic is None else ():
            result[j] = Q_j
    return result


def U_ij(mechanism: Mechanism, q: Array) -> Array:
    """dA_i/dq_j, (links, n, 4, 4).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> U_ij(plain(lp.catalog.two_link()), array([0.3, 0.4])).shape
    (3, 2, 4, 4)
    """
    found = matrices(mechanism, q, second=False).U
    result = zeros(len(found), mechanism.n, 4, 4)
    for i, of_link in enumerate(found):
        for j, U in of_link.items():
            result[i, j] = U
    return result


def U_ijk(mechanism: Mechanism, q: Array) -> Array:
    """dU_ij/dq_k, (links, n, n, 4, 4).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> U_ijk(plain(lp.catalog.two_link()), array([0.3, 0.4])).shape
    (3, 2, 2, 4, 4)
    """
    found = matrices(mechanism, q).UU
    result = zeros(len(found), mechanism.n, mechanism.n, 4, 4)
    for i, of_link in enumerate(found):
        for (j, k), U in of_link.items():
            result[i, j, k] = U
    return result


def J(mechanism: Mechanism) -> Array:
    """Pseudo-inertia of all links in their frames, (links, 4, 4): the integral of r r^T dm with r = (x, y, z, 1).

    The lecture does not print it. With the central tensor I and the mass center s,
    J = [[S, m s], [m s^T, m]], S = tr(I)/2 - I + m s s^T.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> J(plain(lp.catalog.two_link(m1=2, l1=0.5)))[0].tolist()[0]      # a point mass on the x axis
    [0.5, 0.0, 0.0, 1.0]
    """
    result = []
    for link in links_in_frames(mechanism):
        half_trace = 0.5 * (link.tensor[0, 0] + link.tensor[1, 1] + link.tensor[2, 2])
        m_s = scale(link.mass, link.s)
        pseudo = zeros(4, 4)
        pseudo[:3, :3] = scale(half_trace, identity(3)) - link.tensor + outer(link.s, m_s)
        pseudo[:3, 3] = pseudo[3, :3] = m_s
        pseudo[3, 3] = link.mass
        result.append(pseudo)
    return _stacked(result)


def D(mechanism: Mechanism, q: Array, known: Matrices | None = None) -> Array:
    """Inertial matrix D_ik, (n, n), of the links alone (rotors are in `mass_matrix`).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> D(plain(lp.catalog.two_link()), array([0.0, 0.0])).tolist()
    [[5.0, 2.0], [2.0, 1.0]]
    """
    _, U, _ = known or matrices(mechanism, q, second=False)
    result = zeros(mechanism.n, mechanism.n)
    for U_j, J_j in zip(U, J(mechanism), strict=True):
        for k in U_j:
            product = U_j[k] @ J_j
            for i in (i for i in U_j if i <= k):
                result[i, k] = result[i, k] + trace(product, U_j[i])  # Tr(U_jk J_j U_ji^T); printed J_i, no T
                result[k, i] = result[i, k]
    return result


def h(mechanism: Mechanism, q: Array, known: Matrices | None = None) -> Array:
    """Coefficients h_ikm of qdot_k qdot_m, (n, n, n).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> round(h(plain(lp.catalog.two_link()), array([0.0, 1.5707963267948966]))[1, 0, 0], 12)    # m2 l1 l2 sin q2
    1.0
    """
    _, U, UU = known or matrices(mechanism, q)
    result = zeros(mechanism.n, mechanism.n, mechanism.n)
    for U_j, UU_j, J_j in zip(U, UU, J(mechanism), strict=True):
        for (k, m), U_jkm in UU_j.items():
            if UU_j.get((m, k)) is U_jkm and m < k:
                continue  # done with (m, k)
            product = U_jkm @ J_j
            for i, U_ji in U_j.items():
                term = trace(product, U_ji)  # Tr(U_jkm J_j U_ji^T); printed U_jk J_i U_ji; see errata
                result[i, k, m] = result[i, k, m] + term
                if m != k and UU_j.get((m, k)) is U_jkm:
                    result[i, m, k] = result[i, m, k] + term
    return result


def velocity_forces(mechanism: Mechanism, q: Array, qd: Array, known: Matrices | None = None) -> Array:
    """h_i, the sum of h_ikm qdot_k qdot_m, (n).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link())
    >>> [round(x, 12) + 0.0 for x in velocity_forces(arm, array([0.0, 1.5707963267948966]), array([1.0, 0.0]))]
    [0.0, 1.0]
    """
    h_ikm, n = h(mechanism, q, known), mechanism.n
    result = zeros(n)
    for i, k, m in np.ndindex(n, n, n):
        if not is_zero(h_ikm[i, k, m]):
            result[i] = result[i] + h_ikm[i, k, m] * (qd[k] * qd[m])
    return result


def c(mechanism: Mechanism, q: Array, known: Matrices | None = None) -> Array:
    """Gravity loading c_i, (n).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> [round(x, 12) for x in c(plain(lp.catalog.two_link()), array([1.5707963267948966, 0.0]))]
    [29.4, 9.8]
    """
    _, U, _ = known or matrices(mechanism, q, second=False)
    g = array([*mechanism.gravity, 0.0])
    result = zeros(mechanism.n)
    for U_j, link in zip(U, links_in_frames(mechanism), strict=True):
        m_r = scale(link.mass, array([*link.s, 1.0]))
        for i, U_ji in U_j.items():  # j >= i; printed: from j = 1, "j <= i"
            result[i] = result[i] - g @ (U_ji @ m_r)
    return result


def external_forces(mechanism: Mechanism, q: Array, external: External | None, known: Matrices | None = None) -> Array:
    """Generalized forces (n) of external wrenches.

    As everything here is a trace, so is their work: Tr(Phi_i U_ij^T), where the wrench f, n at origin i has the 4 x 4
    matrix Phi_i = [[ [n]x R_i / 2, f], [0, 0]], in base axes.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> external_forces(plain(lp.catalog.two_link()), array([0.3, 0.4]), None).tolist()
    [0.0, 0.0]
    """
    result = zeros(mechanism.n)
    if not external:
        return result
    A, U, _ = known or matrices(mechanism, q, second=False)
    for i, (link, wrench) in enumerate(zip(links_in_frames(mechanism), on_bodies(mechanism, q, external), strict=True)):
        f, n = at_frame(link.frame, *wrench)
        R = A[i][:3, :3]
        Phi = zeros(4, 4)
        Phi[:3, :3], Phi[:3, 3] = scale(0.5, skew(vector(*(R @ n)))) @ R, R @ f
        for j, U_ij in U[i].items():
            result[j] = result[j] + trace(Phi, U_ij)
    return result


def _stacked(parts: list[Array]) -> Array:
    result = zeros(len(parts), 4, 4)
    for k, part in enumerate(parts):
        result[k] = part
    return result


# The equations of motion


@on_moving_base
def inverse_dynamics(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None) -> Array:
    """Forces of the drives: tau = D qddot + h(q, qdot) + c(q), plus friction and rotor inertia.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link())
    >>> tau = inverse_dynamics(arm, array([0.0, 0.0]), array([0.0, 0.0]), array([1.0, 0.0]))
    >>> [round(x, 12) for x in tau]
    [5.0, 2.0]
    """
    known = matrices(mechanism, q)
    tau: Array = c(mechanism, q, known) - external_forces(mechanism, q, external, known)
    n = mechanism.n
    if n:
        tau = tau + D(mechanism, q, known) @ qdd
    tau = tau + velocity_forces(mechanism, q, qd, known)
    tau = tau + inside_drives(mechanism, q, qd, qdd)
    return tau


def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """D with the rotors' reflected inertia on its diagonal.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> mass_matrix(plain(lp.catalog.two_link()), array([0.0, 0.0])).tolist()
    [[5.0, 2.0], [2.0, 1.0]]
    """
    return with_rotors(mechanism, D(mechanism, q))


def gravity_forces(mechanism: Mechanism, q: Array) -> Array:
    """c(q), and what springs take from the drives.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> gravity_forces(plain(lp.catalog.two_link()), array([0.0, 0.0])).tolist()
    [0.0, 0.0]
    """
    held: Array = c(mechanism, q) + springs_of_drives(mechanism, q)
    return held


bias_forces = bias_from(inverse_dynamics)
forward_dynamics = accelerations_from(inverse_dynamics, mass_matrix)

FORMULATION = Formulation(
    name="lagrange-euler",
    citation="the lecture notes; Uicker 1965, Paul 1972",
    inverse_dynamics=inverse_dynamics,
    gravity_forces=gravity_forces,
    bias_forces=bias_forces,
    mass_matrix=mass_matrix,
    forward_dynamics=forward_dynamics,
    compile_up_to=8,
)
