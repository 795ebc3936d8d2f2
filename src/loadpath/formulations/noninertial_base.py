"""The natural orthogonal complement on a base that is not at rest (Angeles, section 7.5.2): 6 (n + 1) twists, the
base's own among the speeds. The mechanism is that of `robot.floating()`: body 0 is the base.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.orthogonal_complement import K, M, T, Tdot, block, inertia_forces, links_at, w_external
from loadpath.mechanics.drives import friction_and_rotors
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
    speeds = array([*(base_twist(mechanism, q) @ qd[:6]), *qd[6:]])
    tdot = shape @ array([*t0dot, *thetadd]) + noninertial_Tdot(mechanism, q, qd) @ speeds
    w = inertia_forces(mechanism, q, shape @ speeds, tdot) - w_external(mechanism, q, external)
    forces = shape.T @ w
    drives = friction_and_rotors(mechanism, qd, array([*zeros(6), *thetadd]))[6:]
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
