"""What the joints exert on the links, by parts: w^A of the drives, w^D of friction, w^C of the constraints, and the
multipliers lambda of w^C = K^T lambda (Angeles, eqs. 7.48 to 7.53).

A joint acts on its link and, reversed, on the parent. What it exerts along its freedoms works: the drive gives w^A,
friction w^D (a rotor's inertia is overcome inside the drive and reaches no link). All else is w^C.

K has 6n rows but not their rank, so lambda is not unique. The one here is the shortest. It can be written down: the
rows of joint i have the same left null space in both of their blocks, so that lambda_i is the constraint wrench of
joint i alone, read through its own block of K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loadpath.formulations import orthogonal_complement as complement
from loadpath.formulations.link_twists import State, on_base
from loadpath.formulations.orthogonal_complement import dual_freedoms, kind_of
from loadpath.mechanics.drives import friction_forces
from loadpath.mechanics.wrenches import External, Wrench
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.scalars import Array, array, cross, scale, vector, zeros


def w_D(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Dissipative wrenches on the links, (6n): friction of the joints, against their speeds.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> w_D(plain(lp.catalog.two_link()), array([0.0, 0.0]), array([1.0, 0.0])).shape
    (18,)
    """
    along = []
    for body in mechanism.bodies:
        own = _friction(body, qd) if body.motion.dof else zeros(0)
        along.append(dual_freedoms(body, q).T @ -own if len(own) else zeros(6))
    return complement.on_links(mechanism, q, along)


def _friction(body: Body, qd: Array) -> Array:
    """Friction of a joint at its own speeds, which a mimicking joint has from another."""
    by_itself = replace(body, multiplier=1.0)
    return array(friction_forces(by_itself, scale(body.multiplier, qd)))


def w_A(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Active wrenches on the links, (6n): what the drives exert along the freedoms of the joints.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(lp.catalog.two_link()), array([0.0, 0.0])
    >>> [round(x, 9) for x in w_A(arm, array([1.5707963267948966, 0.0]), still, still)[12:15]]       # none on the tip
    [0.0, 0.0, 0.0]
    """
    state = on_base(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    carried = complement.link_wrenches(*state[:4], external)
    working = state.own_rows(complement.working_wrenches(state.mechanism, state.q, carried))
    result: Array = working - w_D(mechanism, q, qd)
    return result


def w_C(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Nonworking constraint wrenches on the links, (6n), about their mass centers.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm, one = plain(lp.catalog.two_link()), array([1.0, 1.0])
    >>> w = w_C(arm, one, one, one)
    >>> bool(abs((complement.T(arm, one).T @ w).astype(float)).max() < 1e-13)
    True
    """
    state = on_base(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    return _constraints(state, external)


def _constraints(state: State, external: External | None) -> Array:
    return state.own_rows(complement.constraint_wrenches(*state[:4], external))


def multipliers(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """The shortest lambda with K^T lambda = w^C, (6n) (7.53).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm, one = plain(lp.catalog.two_link()), array([1.0, 1.0])
    >>> left = complement.K(arm, one).T @ multipliers(arm, one, one, one) - w_C(arm, one, one, one)
    >>> bool(abs(left.astype(float)).max() < 1e-13)
    True
    """
    w = w_C(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)
    return multipliers_of(mechanism, q, w)


def multipliers_of(mechanism: Mechanism, q: Array, w: Array) -> Array:
    """The shortest lambda of constraint wrenches w that the joints can exert."""
    return multipliers_of_joints(mechanism, q, complement.at_joints(mechanism, q, w))


def multipliers_of_joints(mechanism: Mechanism, q: Array, joints: Sequence[Wrench]) -> Array:
    """The same of what each joint exerts across its freedoms, at its origin, in body axes."""
    links = complement.links_at(mechanism, q)
    result = zeros(6 * len(links))
    for i, (body, joint) in enumerate(zip(mechanism.bodies, joints, strict=True)):
        parent = None if body.parent == BASE else links[body.parent]
        result[complement.block(i)] = _multiplier(body, links[i], parent, q, joint)
    return result


def _multiplier(
    body: Body, link: complement.LinkInWorld, parent: complement.LinkInWorld | None, q: Array, joint: Wrench
) -> Array:
    """lambda_i of a constraint wrench at O_i in body axes: K_ii^T lambda_i is that wrench about c_i, in world axes."""
    f, n = link.R @ joint.force, link.R @ joint.torque
    kind, S = kind_of(body, q)
    if kind == "revolute":  # E^T a = n, where n has nothing along e
        return array([*cross(link.R @ vector(*S[:3, 0]), n), *f])
    if kind == "prismatic":  # the same for f; the moment is about c_{i-1}, on an inertial base about c_1
        about = link.c if parent is None else parent.c
        return array([*(n + cross(link.O - about, f)), *cross(link.R @ vector(*S[3:, 0]), f)])
    return array([*joint.torque, *joint.force])
