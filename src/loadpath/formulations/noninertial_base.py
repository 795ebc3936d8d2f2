"""The natural orthogonal complement on a base that is not at rest (Angeles, section 7.5.2): 6 (n + 1) twists, the
base's own among the speeds. The mechanism is that of `robot.floating()`: body 0 is the base.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.joint_constraints import multipliers
from loadpath.formulations.orthogonal_complement import (
    K,
    M,
    T,
    Tdot,
    W,
    block,
    inertia_forces,
    link_wrenches,
    links_at,
    w_external,
    w_G,
)
from loadpath.mechanics.drives import friction_and_rotors, inside_drives
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, array, identity, skew, zeros


def base_twist(mechanism: Mechanism, q: Array) -> Array:
    """Matrix (6, 6) from the speeds of the free joint that carries the base to its twist t_0 = [omega_0; cdot_0].

    The mechanism is that of `robot.floating()`: body 0 is the base.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> base_twist(plain(free), array(free.neutral().tolist())).shape
    (6, 6)
    """
    first = mechanism.bodies[0] if mechanism.bodies else None
    free = first is not None and first.motion.dof == 6
    if not free or any(body.parent == BASE for body in mechanism.bodies[1:]):
        raise ValueError("a noninertial base needs a robot whose base moves freely: robot.floating()")
    return T(mechanism, q)[:6, :6]


def noninertial_T(mechanism: Mechanism, q: Array) -> Array:
    """T = [[1, 0], [A_0, T']], (6 (n + 1), 6 + n), for the speeds [t_0; thetadot] of a base that moves freely.

    Block i of A_0 is [[1, 0], [-[c_i - c_0]x, 1]] (printed 0; see errata). The first six columns stand for the free
    joint of `robot.floating()`, the rest is that robot's own T.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_T(plain(free), array(free.neutral().tolist())).shape
    (24, 9)
    """
    base_twist(mechanism, q)
    links = links_at(mechanism, q)
    result = T(mechanism, q)
    for i, link in enumerate(links):
        result[block(i), :6] = identity(6)
        result[6 * i + 3 : 6 * i + 6, :3] = -skew(link.c - links[0].c) if i else zeros(3, 3)
    return result


def noninertial_Tdot(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Time derivative of `noninertial_T`; `qd` are the speeds of `robot.floating()`.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_Tdot(plain(free), array(free.neutral().tolist()), zeros(9)).shape
    (24, 9)
    """
    t = T(mechanism, q) @ qd
    result = Tdot(mechanism, q, qd)
    result[:, :6] = zeros(len(result), 6)
    for i in range(1, len(mechanism.bodies)):
        result[6 * i + 3 : 6 * i + 6, :3] = -skew(t[6 * i + 3 : 6 * i + 6] - t[3:6])
    return result


def noninertial_K(mechanism: Mechanism, q: Array) -> Array:
    """K, (6n, 6 (n + 1)), of the joints but for the free one: with the columns of t_0, K_10 among them.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_K(plain(free), array(free.neutral().tolist())).shape
    (18, 24)
    """
    base_twist(mechanism, q)
    return K(mechanism, q)[6:]


class NoninertialForces(NamedTuple):
    """What a robot on a free base needs to move: a wrench on the base (about its mass center, world axes), and tau."""

    base_moment: Array
    base_force: Array
    tau: Array


def noninertial_inverse_dynamics(
    mechanism: Mechanism, q: Array, qd: Array, t0dot: Array, thetadd: Array, external: External | None = None
) -> NoninertialForces:
    """Wrench on the base and drive forces, for the base's acceleration t0dot = [omegadot_0; cddot_0] and thetaddot.

    `q` and `qd` are those of `robot.floating()`. On a robot that is left to itself the wrench is zero.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> base = lp.Link("box", lp.Inertia(3.0, tensor=((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))))
    >>> box = lp.Robot("box", (base,), ()).floating()
    >>> still = noninertial_inverse_dynamics(plain(box), array(box.neutral().tolist()), zeros(6), zeros(6), zeros(0))
    >>> round(still.base_force[2], 9)
    29.43
    """
    shape = noninertial_T(mechanism, q)
    speeds = noninertial_speeds(mechanism, q, qd)
    tdot = shape @ array([*t0dot, *thetadd]) + noninertial_Tdot(mechanism, q, qd) @ speeds
    w = inertia_forces(mechanism, q, shape @ speeds, tdot) - w_external(mechanism, q, external)
    forces = shape.T @ w
    drives = inside_drives(mechanism, q, qd, array([*zeros(6), *thetadd]))[6:]
    tau: Array = forces[6:] + drives
    return NoninertialForces(forces[:3], forces[3:6], tau)


def noninertial_I(mechanism: Mechanism, q: Array) -> Array:
    """T^T M T, (6 + n, 6 + n), for the speeds [t_0; thetadot].

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_I(plain(free), array(free.neutral().tolist())).shape
    (9, 9)
    """
    shape = noninertial_T(mechanism, q)
    result: Array = shape.T @ (M(mechanism, q) @ shape)
    return result


def noninertial_speeds(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """[t_0; thetadot], (6 + n), from the speeds of `robot.floating()`.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_speeds(plain(free), array(free.neutral().tolist()), array([1.0, 2, 3, 0, 0, 0, 4, 5, 6])).tolist()
    [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4, 5, 6]
    """
    return array([*(base_twist(mechanism, q) @ qd[:6]), *qd[6:]])


def noninertial_A_0(mechanism: Mechanism, q: Array) -> Array:
    """A_0, (6n, 6): twists of the links per unit of the base's, while the joints stand.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_A_0(plain(free), array(free.neutral().tolist())).shape
    (18, 6)
    """
    return noninertial_T(mechanism, q)[6:, :6]


def noninertial_T_prime(mechanism: Mechanism, q: Array) -> Array:
    """T', (6n, n): twists of the links per unit of the joints' speeds, while the base stands.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_T_prime(plain(free), array(free.neutral().tolist())).shape
    (18, 3)
    """
    return noninertial_T(mechanism, q)[6:, 6:]


def noninertial_C(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """-T^T (M Tdot + W M T), (6 + n, 6 + n), for the speeds [t_0; thetadot].

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_C(plain(free), array(free.neutral().tolist()), zeros(9)).shape
    (9, 9)
    """
    shape, mass = noninertial_T(mechanism, q), M(mechanism, q)
    twists = W(mechanism, T(mechanism, q) @ qd)
    result: Array = -(shape.T @ (mass @ noninertial_Tdot(mechanism, q, qd) + twists @ (mass @ shape)))
    return result


def noninertial_gamma(mechanism: Mechanism, q: Array) -> Array:
    """T^T w^G, (6 + n): of gravity, on the base about its mass center and at the joints.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_gamma(plain(free), array(free.neutral().tolist())).shape
    (9,)
    """
    result: Array = noninertial_T(mechanism, q).T @ w_G(mechanism)
    return result


def noninertial_delta(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """T^T w^D, (6 + n): of friction, none on the base.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_delta(plain(free), array(free.neutral().tolist()), zeros(9)).shape
    (9,)
    """
    return array([*zeros(6), *-friction_and_rotors(mechanism, qd, zeros(mechanism.n))[6:]])


def noninertial_tau(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None) -> Array:
    """Wrench [moment; force] on the base, about its mass center, then the forces of the drives, (6 + n), for the motion
    q, qd, qdd of `robot.floating()`. On a robot that is left to itself the wrench is zero.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> base = lp.Link("box", lp.Inertia(3.0, tensor=((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))))
    >>> box = lp.Robot("box", (base,), ()).floating()
    >>> round(noninertial_tau(plain(box), array(box.neutral().tolist()), zeros(6), zeros(6))[5], 9)
    29.43
    """
    forces = noninertial_T(mechanism, q).T @ link_wrenches(mechanism, q, qd, qdd, external)
    drives = inside_drives(mechanism, q, qd, qdd)
    return array([*forces[:6], *(forces[6:] + drives[6:])])


def noninertial_multipliers(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None
) -> Array:
    """The shortest lambda with K^T lambda = w^C, (6n), of the joints but for the free one.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> free = lp.catalog.random_chain(3, 1).floating()
    >>> noninertial_multipliers(plain(free), array(free.neutral().tolist()), zeros(9), zeros(9)).shape
    (18,)
    """
    return multipliers(mechanism, q, qd, qdd, external)[6:]
