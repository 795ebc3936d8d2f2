"""The natural orthogonal complement (Angeles and Lee 1988; Angeles, sections 7.5 and 7.5.1, eqs. 7.47-7.58).

The Newton-Euler equations of all links, uncoupled, are one equation in 6n dimensions,

    M tdot = -W M t + w^A + w^G + w^D + w^C                                     (7.48)

with the twists t_i = [omega_i; cdot_i] of the links at their mass centers. Joints make K t = 0 (7.50), the joint rates
give t = T thetadot (7.54), so K T = 0 (7.55b), and T^T takes the constraint wrenches w^C = K^T lambda out of (7.48):

    I thetaddot = C thetadot + tau + gamma + delta,   I = T^T M T,   C = -T^T (M Tdot + W M T)     (7.57, 7.58)

The sign of C is the source's: it is minus the C of most books, which is `coriolis_matrix` here. Everything is in world
axes (those of the base). A block i belongs to body i; a massless body is seen from its origin instead of its mass
center.

The source has revolute and prismatic joints in a chain, on a base at rest or free. Here a joint may have any freedom,
and the links form a tree. What a joint leaves free is spanned by its columns S (of angular and linear velocity at its
origin O_i); where it is neither revolute nor prismatic, the E_i of the source is replaced by 1 - S (S^T S)^-1 S^T.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.formulations.formulation import Formulation, accelerations_from, bias_from
from loadpath.formulations.moving_base import on_moving_base
from loadpath.mechanics.drives import (
    at_joint_frames,
    friction_and_rotors,
    inside_drives,
    springs_of_drives,
    with_rotors,
)
from loadpath.mechanics.joint_motion import joint_columns, joint_rates
from loadpath.mechanics.kinematics import base_placement, placements
from loadpath.mechanics.link_geometry import central_inertia, lineage
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.scalars import (
    Array,
    MatrixRotation,
    array,
    cross,
    identity,
    is_zero,
    ltdl,
    scale,
    skew,
    vector,
    zeros,
)


def freedoms_of(body: Body, q: Array) -> Array:
    """S, (6, dof): angular and linear velocity at O_i per unit of the joint's *own* speeds, in body axes."""
    own = q[body.q]
    if body.joint.mimic is not None:
        own = array([body.multiplier * own[0] + body.offset])
    result = zeros(6, body.motion.dof)
    for k, (angular, linear) in enumerate(body.motion.subspace(own)):
        result[:3, k], result[3:, k] = angular, linear
    return result


def kind_of(body: Body, q: Array) -> tuple[str, Array]:
    """Whether the source knows the joint, "revolute" or "prismatic", or "other"; and its S."""
    S = freedoms_of(body, q)
    turns = any(not is_zero(x) for column in S.T for x in column[:3])
    slides = any(not is_zero(x) for column in S.T for x in column[3:])
    if body.motion.dof != 1 or turns == slides:
        return "other", S
    return ("revolute" if turns else "prismatic"), S


def dual_freedoms(body: Body, q: Array) -> Array:
    """(dof, 6): the joint's own speeds from the relative twist of its link at O_i, in body axes."""
    return dual(freedoms_of(body, q))


def dual(S: Array) -> Array:
    """(S^T S)^-1 S^T."""
    result: Array = ltdl(S.T @ S).inverse() @ S.T
    return result

class LinkInWorld(NamedTuple):
    """Link i in world axes."""

    R: MatrixRotation
    O: Array  # noqa: E741
    """The joint's origin, on the link."""
    c: Array
    columns: list[tuple[Array, Array]]
    """For each speed of the joint, angular velocity and velocity of O_i against the parent."""


def links_at(mechanism: Mechanism, q: Array) -> list[LinkInWorld]:
    """The links where they are at q, in world axes."""
    found = []
    for body, at in zip(mechanism.bodies, placements(mechanism, q), strict=True):
        R = MatrixRotation(array([list(row) for row in at.rows]))
        columns = [(R @ angular, R @ linear) for angular, linear in joint_columns(body, q)]
        found.append(LinkInWorld(R, at.origin, at.origin + R @ central_inertia(body).rho, columns))
    return found


def block(i: int) -> slice:
    """Where the six entries of body i stand.

    >>> block(2)
    slice(12, 18, None)
    """
    return slice(6 * i, 6 * i + 6)


# The matrices of (7.48) to (7.58)


def M(mechanism: Mechanism, q: Array) -> Array:
    """diag(I_i, m_i 1), (6n, 6n), I_i central.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> M(plain(lp.catalog.two_link(m1=2)), array([0.0, 0.0])).shape
    (18, 18)
    """
    result = zeros(6 * len(mechanism.bodies), 6 * len(mechanism.bodies))
    for i, (body, link) in enumerate(zip(mechanism.bodies, links_at(mechanism, q), strict=True)):
        m, _, inertia = central_inertia(body)
        result[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = link.R.tensor(inertia)
        for k in range(6 * i + 3, 6 * i + 6):
            result[k, k] = m
    return result


def W(mechanism: Mechanism, t: Array) -> Array:
    """diag([omega_i]x, 0), (6n, 6n), from the twists t.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm, q = plain(lp.catalog.two_link()), array([0.0, 0.0])
    >>> W(arm, T(arm, q) @ array([1.0, 0.0]))[2, 0]                      # joint 1 turns about the world's -y
    1.0
    """
    result = zeros(len(t), len(t))
    for i in range(len(mechanism.bodies)):
        result[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = skew(t[6 * i : 6 * i + 3])
    return result


def T(mechanism: Mechanism, q: Array) -> Array:
    """The twist-shaping matrix, (6n, speeds), with t = T thetadot (7.54).

    Block i of column j is [e_j; e_j x r_ij] (printed without its first half) for a revolute joint, [0; e_j] for a
    prismatic one, if joint j moves link i. r_ij = c_i - O_j holds for every joint between them; the printed sum
    leaves the slides out; see errata.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> T(plain(lp.catalog.two_link()), array([0.0, 0.0]))[:6, 0].tolist()
    [0.0, -1.0, 0.0, 1.0, 0.0, 0.0]
    """
    links = links_at(mechanism, q)
    result = zeros(6 * len(links), mechanism.n)
    for i, path in enumerate(lineage(mechanism)):
        for j in path:
            r = links[i].c - links[j].O
            for k, (e, u) in enumerate(links[j].columns, start=mechanism.bodies[j].v.start):
                result[block(i), k] = result[block(i), k] + array([*e, *(u + cross(e, r))])
    return result


def Tdot(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Time derivative of T, (6n, speeds).

    Revolute: [edot; edot x r_ij + e_j x rdot_ij] with edot = omega_j x e_j; prismatic: [0; edot]. The printed revolute
    block lacks a term and rdot_ij = cdot_i - Odot_j the slides; see errata.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> Tdot(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([1.0, 0.0]))[:6, 0].tolist()    # centripetal
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    links = links_at(mechanism, q)
    t = T(mechanism, q) @ qd if mechanism.n else zeros(6 * len(links))
    omega = [t[6 * i : 6 * i + 3] for i in range(len(links))]
    cdot = [t[6 * i + 3 : 6 * i + 6] for i in range(len(links))]
    result = zeros(6 * len(links), mechanism.n)
    for i, path in enumerate(lineage(mechanism)):
        for j in path:
            at, body = links[j], mechanism.bodies[j]
            r = links[i].c - at.O
            rdot = cdot[i] - (cdot[j] + cross(omega[j], at.O - at.c))
            rates = joint_rates(body, q, qd)
            for k, ((e, u), (own_e, own_u)) in enumerate(zip(at.columns, rates, strict=True), start=body.v.start):
                edot = cross(omega[j], e) + at.R @ own_e
                udot = cross(omega[j], u) + at.R @ own_u
                column = array([*edot, *(udot + cross(edot, r) + cross(e, rdot))])
                result[block(i), k] = result[block(i), k] + column
    return result


def K(mechanism: Mechanism, q: Array) -> Array:
    """The constraint matrix, (6n, 6n), with K t = 0 (7.50). Its rank is 6n less the freedoms of the joints: 5n.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm, q = plain(lp.catalog.stanford_arm()), array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> product = (K(arm, q) @ T(arm, q)).astype(float)
    >>> bool(abs(product).max() < 1e-14)
    True
    """
    links = links_at(mechanism, q)
    result = zeros(6 * len(links), 6 * len(links))
    for i, body in enumerate(mechanism.bodies):
        p = body.parent
        before, here = _constraint(body, links[i], None if p == BASE else links[p], q)
        result[block(i), block(i)] = here
        if p != BASE:
            result[block(i), block(p)] = before
    return result


def _constraint(body: Body, link: LinkInWorld, parent: LinkInWorld | None, q: Array) -> tuple[Array, Array]:
    """K_{i,i-1} and K_ii of joint i."""
    before, here, one = zeros(6, 6), zeros(6, 6), identity(3)
    R_i = skew(link.c - link.O)
    D = zeros(3, 3) if parent is None else skew(link.O - parent.c)
    kind, S = kind_of(body, q)
    if kind == "revolute":
        E = skew(link.R @ vector(*S[:3, 0]))
        before[:3, :3], before[3:, :3], before[3:, 3:] = -E, D, -one
        here[:3, :3], here[3:, :3], here[3:, 3:] = E, R_i, one
        return before, here
    if kind == "prismatic":
        E = skew(link.R @ vector(*S[3:, 0]))
        before[:3, :3], before[3:, 3:] = -one, -E
        here[:3, :3], here[3:, 3:] = one, E
        if parent is not None:  # on an inertial base K'_11 = diag(1, E_1) (printed E_i)
            here[3:, :3] = E @ skew(link.c - parent.c)  # R'_i = D_{i-1} + R_i; printed D'_{i-1}
        return before, here
    # Any other joint: what the twist of O_i against the parent has apart from the freedoms, in the joint's axes.
    back = zeros(6, 6)
    back[:3, :3] = back[3:, 3:] = link.R.matrix().T
    constrained = identity(6) - S @ dual(S) if body.motion.dof else identity(6)
    here[:3, :3], here[3:, :3], here[3:, 3:] = one, R_i, one
    before[:3, :3], before[3:, :3], before[3:, 3:] = -one, D, -one
    N = constrained @ back
    return N @ before, N @ here


# The equations of motion


def I(mechanism: Mechanism, q: Array) -> Array:  # noqa: E743
    """Generalized inertia matrix T^T M T, (n, n) (7.58), of the links; rotors are in `mass_matrix`.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> I(plain(lp.catalog.two_link()), array([0.0, 0.0])).tolist()
    [[5.0, 2.0], [2.0, 1.0]]
    """
    shape = T(mechanism, q)
    result: Array = shape.T @ (M(mechanism, q) @ shape)
    return result


def C(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """-T^T (M Tdot + W M T), (n, n): with I thetaddot = C thetadot + ..., so minus the usual C.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> found = C(plain(lp.catalog.two_link()), array([0.0, 1.5707963267948966]), array([1.0, 0.0])) @ array([1.0, 0.0])
    >>> [round(x, 12) + 0.0 for x in found]
    [0.0, -1.0]
    """
    shape = T(mechanism, q)
    mass = M(mechanism, q)
    # Printed -T^T (M T + W M T), and -T^T (M Tdot - W M T) before that; see errata.
    velocity = mass @ Tdot(mechanism, q, qd) + W(mechanism, shape @ qd) @ (mass @ shape)
    result: Array = -(shape.T @ velocity)
    return result


def coriolis_matrix(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """T^T (M Tdot + W M T), (n, n): minus the source's C. dI/dt - 2 of it is skew-symmetric.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> coriolis_matrix(plain(lp.catalog.two_link()), array([0.0, 0.1]), array([1.0, 0.0])).shape
    (2, 2)
    """
    return -C(mechanism, q, qd) if mechanism.n else zeros(0, 0)


def w_G(mechanism: Mechanism) -> Array:
    """Gravity wrenches [0; m_i g] at the mass centers, (6n) (7.49).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> w_G(plain(lp.catalog.two_link()))[:6].tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, -9.8]
    """
    g = base_placement(mechanism).to_world(mechanism.gravity)
    return array([entry for body in mechanism.bodies for entry in (0.0, 0.0, 0.0, *scale(body.mass, g))])


def w_external(mechanism: Mechanism, q: Array, external: External | None) -> Array:
    """External wrenches on the links, about their mass centers, (6n).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> w_external(plain(lp.catalog.two_link()), array([0.0, 0.0]), None).shape
    (18,)
    """
    result = zeros(6 * len(mechanism.bodies))
    if not external:
        return result
    links, wrenches = links_at(mechanism, q), on_bodies(mechanism, q, external)
    for i, (body, link, (f, n)) in enumerate(zip(mechanism.bodies, links, wrenches, strict=True)):
        moment = n - cross(central_inertia(body).rho, f)
        result[block(i)] = array([*(link.R @ moment), *(link.R @ f)])
    return result


def gamma(mechanism: Mechanism, q: Array) -> Array:
    """Generalized forces of gravity, T^T w^G, (n).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> [round(x, 12) for x in gamma(plain(lp.catalog.two_link()), array([1.5707963267948966, 0.0]))]
    [-29.4, -9.8]
    """
    result: Array = T(mechanism, q).T @ w_G(mechanism) if mechanism.n else zeros(0)
    return result


def delta(mechanism: Mechanism, qd: Array) -> Array:
    """Generalized dissipative forces, T^T w^D, (n): friction, against the speeds.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> bool(delta(plain(lp.catalog.puma560()), array([1.0] * 6))[0] < 0)
    True
    """
    return -friction_and_rotors(mechanism, qd, zeros(mechanism.n))


@on_moving_base
def inverse_dynamics(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None) -> Array:
    """tau = I thetaddot - C thetadot - gamma - delta - J^T w, and the rotors.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.two_link())
    >>> tau = inverse_dynamics(arm, array([0.0, 0.0]), array([0.0, 0.0]), array([1.0, 0.0]))
    >>> [round(x, 12) for x in tau]
    [5.0, 2.0]
    """
    carried = link_wrenches(mechanism, q, qd, qdd, external)
    if not mechanism.n:
        return zeros(0)
    result: Array = T(mechanism, q).T @ carried + inside_drives(mechanism, q, qd, qdd)
    return result


def link_wrenches(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None) -> Array:
    """M tdot + W M t - w^G - w_external = w^A + w^D + w^C, (6n): all that the joints exert on the links (7.48)."""
    if mechanism.n:
        shape = T(mechanism, q)
        t = shape @ qd
        tdot = shape @ qdd + Tdot(mechanism, q, qd) @ qd  # (7.56); printed T thetadot for the second
    else:
        t = tdot = zeros(6 * len(mechanism.bodies))
    result: Array = inertia_forces(mechanism, q, t, tdot) - w_external(mechanism, q, external)
    return result


def inertia_forces(mechanism: Mechanism, q: Array, t: Array, tdot: Array) -> Array:
    """M tdot + W M t - w^G, (6n): what the links take to move so, for given twists and their rates."""
    mass = M(mechanism, q)
    result: Array = mass @ tdot + W(mechanism, t) @ (mass @ t) - w_G(mechanism)
    return result


def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """I with the rotors' reflected inertia on its diagonal.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> mass_matrix(plain(lp.catalog.two_link()), array([0.0, 0.0])).tolist()
    [[5.0, 2.0], [2.0, 1.0]]
    """
    if not mechanism.n:
        return zeros(0, 0)
    return with_rotors(mechanism, I(mechanism, q))


def gravity_forces(mechanism: Mechanism, q: Array) -> Array:
    """-gamma: what the drives hold against gravity, and against springs.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> [round(x, 12) for x in gravity_forces(plain(lp.catalog.two_link()), array([1.5707963267948966, 0.0]))]
    [29.4, 9.8]
    """
    held: Array = springs_of_drives(mechanism, q) - gamma(mechanism, q)
    return held


# Wrenches at the joints


@on_moving_base
def joint_wrenches(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None
) -> tuple[Array, Array]:
    """What the joints carry: sums of w^A + w^D + w^C over the links beyond a joint, about its origin.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> still = array([0.0, 0.0])
    >>> force, torque = joint_wrenches(plain(lp.catalog.two_link()), still, still, still)
    >>> force[0].tolist()                                                       # its x hangs down
    [-19.6, 0.0, 0.0]
    """
    carried = at_joints(mechanism, q, link_wrenches(mechanism, q, qd, qdd, external))
    return at_joint_frames(mechanism, q, carried)


def at_joints(mechanism: Mechanism, q: Array, w: Array) -> list[Wrench]:
    """Sums of wrenches on the links beyond each joint, at the joint's origin, in body axes."""
    links = links_at(mechanism, q)
    sums = [Wrench(zeros(3), zeros(3)) for _ in links]
    for i, path in enumerate(lineage(mechanism)):
        n, f = w[6 * i : 6 * i + 3], w[6 * i + 3 : 6 * i + 6]
        for j in path:
            force, torque = sums[j]
            sums[j] = Wrench(force + f, torque + n + cross(links[i].c - links[j].O, f))
    return [Wrench(link.R.T @ f, link.R.T @ n) for link, (f, n) in zip(links, sums, strict=True)]


def constraint_wrenches(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None
) -> Array:
    """w^C = M tdot + W M t - w^A - w^G - w^D - w_external, (6n): the nonworking constraint wrenches on the links, about
    their mass centers. T^T w^C = 0, and w^C = K^T lambda (7.53).

    The working wrench w^A + w^D of a joint, on its link and reversed on the parent, has no part but that along the
    joint's freedoms: the torque tau e_i of a revolute, the force tau e_i of a prismatic joint.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm, one = plain(lp.catalog.two_link()), array([1.0, 1.0])
    >>> w = constraint_wrenches(arm, one, one, one)
    >>> bool(abs((T(arm, one).T @ w).astype(float)).max() < 1e-13)
    True
    """
    w = link_wrenches(mechanism, q, qd, qdd, external)
    result: Array = w - working_wrenches(mechanism, q, w)
    return result


def working_wrenches(mechanism: Mechanism, q: Array, w: Array) -> Array:
    """w^A + w^D, (6n), of all that the joints exert on the links, w = w^A + w^D + w^C."""
    along = []
    for body, (f, n) in zip(mechanism.bodies, at_joints(mechanism, q, w), strict=True):
        S = freedoms_of(body, q)
        along.append(dual(S).T @ (S.T @ array([*n, *f])) if body.motion.dof else zeros(6))
    return on_links(mechanism, q, along)


def on_links(mechanism: Mechanism, q: Array, of_joints: list[Array]) -> Array:
    """Wrenches of joints, [moment; force] at O_i in body axes, as the links feel them, (6n): each on its link and,
    reversed, on the parent, about mass centers, in world axes.
    """
    links = links_at(mechanism, q)
    result = zeros(6 * len(links))
    for i, (body, wrench) in enumerate(zip(mechanism.bodies, of_joints, strict=True)):
        if all(is_zero(x) for x in wrench):
            continue
        moment, force = links[i].R @ wrench[:3], links[i].R @ wrench[3:]
        for j, sign in ((i, 1.0), (body.parent, -1.0)):
            if j != BASE:
                about_c = moment + cross(links[i].O - links[j].c, force)
                result[block(j)] = result[block(j)] + scale(sign, array([*about_c, *force]))
    return result


def multipliers(K: Any, w_C: Any) -> NDArray[np.float64]:
    """lambda of K^T lambda = w^C, by least squares (NumPy): K has rank 5n, so lambda is not unique, w^C is.

    >>> multipliers([[1.0, 0.0], [0.0, 0.0]], [2.0, 0.0]).tolist()
    [2.0, 0.0]
    """
    matrix, wrenches = np.asarray(K).astype(float), np.asarray(w_C).astype(float)
    found: NDArray[np.float64] = np.linalg.lstsq(matrix.T, wrenches, rcond=1e-10)[0]
    return found


bias_forces = bias_from(inverse_dynamics)
forward_dynamics = accelerations_from(inverse_dynamics, mass_matrix)

FORMULATION = Formulation(
    name="natural-orthogonal-complement",
    citation="Angeles, section 7.5; Angeles and Lee 1988",
    inverse_dynamics=inverse_dynamics,
    gravity_forces=gravity_forces,
    bias_forces=bias_forces,
    joint_wrenches=joint_wrenches,
    mass_matrix=mass_matrix,
    coriolis_matrix=coriolis_matrix,
    forward_dynamics=forward_dynamics,
)
