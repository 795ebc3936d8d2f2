"""The natural orthogonal complement of mechanisms with loops, by the names that it has for trees
(`loadpath.formulations.orthogonal_complement`; Angeles, section 7.5).

The joints of the tree hold K_tree t = 0. A loop's joint holds some directions of the relative twist of its two links,
a coupling a sum of joint speeds: both are linear in the twists t = [omega_i; cdot_i] of the links too, so they are rows
of the same constraint matrix,

    K = [K_tree; K_loops; K_couplings],     K t = 0.

The speeds of the tree give t = T_tree thetadot. Of them only the independent ones are free: thetadot = T_loop
thetadot_I with K_loops T_tree T_loop = 0, so that

    t = T thetadot_I,   T = T_tree T_loop,   K T = 0,

and T^T takes the constraint wrenches w^C = K^T lambda of all joints, those of the loops too, out of the Newton-Euler
equations of the links:

    I thetaddot_I = C thetadot_I + T_loop^T (tau + delta) + gamma,   I = T^T M T,   C = -T^T (M Tdot + W M T).

Everything is in world axes and about mass centers, unlike in the other equations of loops. lambda is not unique where
the mechanism is overconstrained; w^C is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadpath.algorithms.loops.columns import orthonormal
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.formulations import orthogonal_complement as tree
from loadpath.formulations.orthogonal_complement import block
from loadpath.mechanics.drives import friction_and_rotors, with_rotors
from loadpath.mechanics.joint_motion import joint_columns
from loadpath.mechanics.kinematics import Placement, frame_placement, placements
from loadpath.mechanics.wrenches import External, Wrench
from loadpath.robot.closed_mechanism import ClosedLoop, ClosedMechanism
from loadpath.robot.mechanism import BASE
from loadpath.scalars import Array, MatrixRotation, Scalar, array, cross, is_zero, ltdl, scale, skew, zeros
from loadpath.scalars.dual import Dual, partial_of

# Constraints


def K_loops(mechanism: ClosedMechanism, q: Array) -> Array:
    """The rows of the loops' joints, (held directions, 6n): K_loops t is the relative twist of the second link against
    the first, at the origin of the loop's frame `on`, in the directions that the joint holds.

    >>> import loadpath as lp
    >>> from loadpath.robot.closed_mechanism import closed_plain
    >>> bar = lp.catalog.four_bar()
    >>> K_loops(closed_plain(bar), array(bar.home.tolist())).shape
    (5, 18)
    """
    bodies, links = placements(mechanism, q), tree.links_at(mechanism, q)
    rows = []
    for loop in mechanism.loops:
        on = frame_placement(mechanism, bodies, loop.on)
        for torque, force in loop.motion.held(*_relative(mechanism, bodies, loop)):
            n, f = on.to_world(torque), on.to_world(force)
            row = zeros(6 * len(links))
            for body, sign in ((loop.on.body, 1.0), (loop.at.body, -1.0)):
                if body != BASE:
                    about_c = n + cross(on.origin - links[body].c, f)
                    row[block(body)] = row[block(body)] + scale(sign, array([*about_c, *f]))
            rows.append(list(row))
    return array(rows) if rows else zeros(0, 6 * len(links))


def K_couplings(mechanism: ClosedMechanism, q: Array) -> Array:
    """The rows of the couplings, then of joints that mimic others, (rows, 6n): K_couplings t is a sum of factors times
    joint speeds.

    >>> import loadpath as lp
    >>> from loadpath.robot.closed_mechanism import closed_plain
    >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": -2.0})
    >>> t = tree.T(closed_plain(arm), array([0.1, 0.2])) @ array([2.0, 1.0])
    >>> [round(x, 12) for x in K_couplings(closed_plain(arm), array([0.1, 0.2])) @ t]
    [0.0]
    """
    factors, followers = mechanism.coupling_rows, [body for body in mechanism.bodies if body.joint.mimic is not None]
    if not len(factors) and not followers:
        return zeros(0, 6 * len(mechanism.bodies))
    speeds = _speeds_from_twists(mechanism, q)
    rows = [list(row) for row in factors @ speeds] if len(factors) else []
    for i, body in enumerate(mechanism.bodies):
        if body.joint.mimic is not None:
            rows.append(list(_own_speeds(mechanism, q, i)[0] - scale(body.multiplier, speeds[body.v.start])))
    return array(rows)


def K(mechanism: ClosedMechanism, q: Array) -> Array:
    """The constraint matrix of all joints, (6n + held directions + couplings, 6n), with K t = 0.

    >>> import loadpath as lp
    >>> from loadpath.robot.closed_mechanism import closed_plain
    >>> bar = lp.catalog.four_bar()
    >>> closed, q = closed_plain(bar), array(bar.home.tolist())
    >>> bool(abs((K(closed, q) @ T(closed, q)).astype(float)).max() < 1e-12)
    True
    """
    parts = (tree.K(mechanism, q), K_loops(mechanism, q), K_couplings(mechanism, q))
    return array([list(row) for part in parts for row in part])


def _speeds_from_twists(mechanism: ClosedMechanism, q: Array) -> Array:
    """D, (speeds, 6n): joint speeds from the twists of links that the joints allow, D T_tree = 1."""
    result = zeros(mechanism.n, 6 * len(mechanism.bodies))
    for i, body in enumerate(mechanism.bodies):
        if body.joint.mimic is None and body.motion.dof:
            result[body.v] = _own_speeds(mechanism, q, i)
    return result


def _own_speeds(mechanism: ClosedMechanism, q: Array, i: int) -> Array:
    """(dof, 6n): the speeds of joint i from the twists of the links."""
    links, body = tree.links_at(mechanism, q), mechanism.bodies[i]
    dual = tree.dual_freedoms(body, q)
    result = zeros(body.motion.dof, 6 * len(links))
    for k, speed in enumerate(dual):
        n, f = links[i].R @ speed[:3], links[i].R @ speed[3:]
        for j, sign in ((i, 1.0), (body.parent, -1.0)):
            if j != BASE:
                about_c = n + cross(links[i].O - links[j].c, f)
                result[k, block(j)] = result[k, block(j)] + scale(sign, array([*about_c, *f]))
    return result


def J(mechanism: ClosedMechanism, q: Array) -> Array:
    """What loops and couplings hold in the speeds of the tree, (held directions + couplings, speeds):
    [K_loops; K_couplings] T_tree, and K_couplings T_tree are the factors themselves.
    """
    loops = K_loops(mechanism, q) @ tree.T(mechanism, q) if mechanism.loops else zeros(0, mechanism.n)
    return array([list(row) for part in (loops, mechanism.coupling_rows) for row in part])


def Jdot(mechanism: ClosedMechanism, q: Array, qd: Array) -> Array:
    """Time derivative of J."""
    rates = coordinate_rate(mechanism, q, qd)
    moving = array([Dual(x, {0: rate}) for x, rate in zip(q, rates, strict=True)])
    found = J(mechanism, moving)
    result = zeros(*found.shape)
    for index, entry in enumerate(found.flat):
        result.flat[index] = partial_of(entry, 0)
    return result


# The complement


def T_loop(mechanism: ClosedMechanism, q: Array) -> Array:
    """All speeds of the tree per unit of the independent ones, (speeds, freedoms).

    >>> import loadpath as lp
    >>> from loadpath.robot.closed_mechanism import closed_plain
    >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": -2.0}).with_driven("joint1")
    >>> T_loop(closed_plain(arm), array([0.1, 0.2])).tolist()
    [[1.0], [0.5]]
    """
    held = J(mechanism, q)
    return _completed(mechanism, held, [-held[:, k] for k in mechanism.split.independent])


def Tdot_loop(mechanism: ClosedMechanism, q: Array, qd: Array) -> Array:
    """Time derivative of T_loop: J Tdot_loop = -Jdot T_loop."""
    rates = Jdot(mechanism, q, qd) @ T_loop(mechanism, q)
    made = _completed(mechanism, J(mechanism, q), [-rates[:, k] for k in range(len(mechanism.split.independent))])
    for row, k in enumerate(mechanism.split.independent):
        made[k, row] = 0.0
    return made


def _completed(mechanism: ClosedMechanism, held: Array, right: list[Array]) -> Array:
    """(speeds, freedoms): columns that are one at their own independent speed, and at the dependent ones solve
    `held` columns x = `right`.
    """
    independent, dependent = mechanism.split.independent, mechanism.split.dependent
    result = zeros(mechanism.n, len(independent))
    factors = orthonormal([held[:, k] for k in dependent])
    for column, (k, b) in enumerate(zip(independent, right, strict=True)):
        result[k, column] = 1.0
        for row, value in zip(dependent, factors.solve(b), strict=True):
            result[row, column] = value
    return result


def T(mechanism: ClosedMechanism, q: Array) -> Array:
    """The twist-shaping matrix of the closed mechanism, (6n, freedoms): t = T thetadot_I, K T = 0."""
    result: Array = tree.T(mechanism, q) @ T_loop(mechanism, q)
    return result


def Tdot(mechanism: ClosedMechanism, q: Array, qd: Array) -> Array:
    """Time derivative of T, (6n, freedoms)."""
    first = tree.Tdot(mechanism, q, qd) @ T_loop(mechanism, q)
    result: Array = first + tree.T(mechanism, q) @ Tdot_loop(mechanism, q, qd)
    return result


# The equations of motion


def I(mechanism: ClosedMechanism, q: Array) -> Array:  # noqa: E743
    """T^T M T, (freedoms, freedoms), of the links; rotors are in `mass_matrix`.

    >>> import loadpath as lp
    >>> from loadpath.robot.closed_mechanism import closed_plain
    >>> bar = lp.catalog.four_bar()
    >>> I(closed_plain(bar), array(bar.home.tolist())).shape
    (1, 1)
    """
    shape = T(mechanism, q)
    result: Array = shape.T @ (tree.M(mechanism, q) @ shape)
    return result


def C(mechanism: ClosedMechanism, q: Array, qd: Array) -> Array:
    """-T^T (M Tdot + W M T), (freedoms, freedoms): minus the usual C, as for trees."""
    shape, mass = T(mechanism, q), tree.M(mechanism, q)
    t = tree.T(mechanism, q) @ qd
    velocity = mass @ Tdot(mechanism, q, qd) + tree.W(mechanism, t) @ (mass @ shape)
    result: Array = -(shape.T @ velocity)
    return result


def gamma(mechanism: ClosedMechanism, q: Array) -> Array:
    """Generalized forces of gravity at the independent speeds, T^T w^G, (freedoms)."""
    result: Array = T(mechanism, q).T @ tree.w_G(mechanism)
    return result


def delta(mechanism: ClosedMechanism, q: Array, qd: Array) -> Array:
    """Generalized friction forces at the independent speeds, of passive joints too, (freedoms)."""
    result: Array = T_loop(mechanism, q).T @ tree.delta(mechanism, qd)
    return result


def mass_matrix(mechanism: ClosedMechanism, q: Array) -> Array:
    """I with the rotors of all joints, (freedoms, freedoms)."""
    complement = T_loop(mechanism, q)
    rotors = with_rotors(mechanism, zeros(mechanism.n, mechanism.n))
    result: Array = I(mechanism, q) + complement.T @ (rotors @ complement)
    return result


def generalized_forces(
    mechanism: ClosedMechanism, q: Array, qd: Array, qdd: Array, external: External | None = None
) -> Array:
    """T^T (M tdot + W M t - w^G - w_external) - delta and the rotors, (freedoms): what all drives together must do at
    the independent speeds.

    >>> import loadpath as lp
    >>> from loadpath.robot.closed_mechanism import closed_plain
    >>> bar = lp.catalog.four_bar()
    >>> generalized_forces(closed_plain(bar), array(bar.home.tolist()), zeros(3), zeros(3)).shape
    (1,)
    """
    carried = tree.link_wrenches(mechanism, q, qd, qdd, external)
    forces = tree.T(mechanism, q).T @ carried + friction_and_rotors(mechanism, qd, qdd)
    result: Array = T_loop(mechanism, q).T @ forces
    return result


def accelerations(
    mechanism: ClosedMechanism, q: Array, qd: Array, tau: Array, external: External | None = None
) -> Array:
    """All accelerations for given drive forces, (speeds): I thetaddot_I = C thetadot_I + T_loop^T tau + ..."""
    complement, rate = T_loop(mechanism, q), Tdot_loop(mechanism, q, qd)
    speeds = array([qd[k] for k in mechanism.split.independent])
    coasting = rate @ speeds  # accelerations of the tree while the independent ones are zero
    needed = generalized_forces(mechanism, q, qd, coasting, external)
    independent = ltdl(mass_matrix(mechanism, q)).solve(complement.T @ tau - needed)
    result: Array = complement @ independent + coasting
    return result


# Wrenches


def constraint_wrenches(
    mechanism: ClosedMechanism, q: Array, qd: Array, qdd: Array, tau: Array, external: External | None = None
) -> Array:
    """w^C = K^T lambda, (6n): all that the joints exert on the links, those of loops and couplings too, but for the
    forces of the drives `tau` and friction along the freedoms of the tree's joints. T^T w^C = 0, and it is unique where
    lambda is not.

    >>> import loadpath as lp
    >>> from loadpath.robot.closed_mechanism import closed_plain
    >>> bar = lp.catalog.four_bar()
    >>> closed, q, still = closed_plain(bar), array(bar.home.tolist()), zeros(3)
    >>> tau = zeros(3)
    >>> tau[0] = generalized_forces(closed, q, still, still)[0]
    >>> w = constraint_wrenches(closed, q, still, still, tau)
    >>> bool(abs((T(closed, q).T @ w).astype(float)).max() < 1e-12)
    True
    """
    result = tree.link_wrenches(mechanism, q, qd, qdd, external)
    links = tree.links_at(mechanism, q)
    working = tau - friction_and_rotors(mechanism, qd, qdd)
    for i, body in enumerate(mechanism.bodies):
        own = working[body.v]
        if body.joint.mimic is not None or all(is_zero(x) for x in own):
            continue
        wrench = tree.dual_freedoms(body, q).T @ own
        moment, force = links[i].R @ wrench[:3], links[i].R @ wrench[3:]
        for j, sign in ((i, -1.0), (body.parent, 1.0)):
            if j != BASE:
                about_c = moment + cross(links[i].O - links[j].c, force)
                result[block(j)] = result[block(j)] + scale(sign, array([*about_c, *force]))
    return result


def reactions(
    mechanism: ClosedMechanism, q: Array, qd: Array, qdd: Array, tau: Array, external: External | None = None
) -> list[Wrench]:
    """The wrenches of all joints, those of the tree and then those of the loops, at their origins in their child's
    joint frames: of all that hold the links in equilibrium and do the work of the drives `tau`, those with the least
    sum of squares (N, N m).

    The unknowns z are the wrenches at the tree's joints and the multipliers of the loops. A z = b has the equilibrium
    of every link, and for every dependent speed what its joint gives along it; z = A^T (A A^T)^-1 b.

    >>> import loadpath as lp
    >>> from loadpath.robot.closed_mechanism import closed_plain
    >>> bar = lp.catalog.four_bar()
    >>> len(reactions(closed_plain(bar), array(bar.home.tolist()), zeros(3), zeros(3), zeros(3)))
    4
    """
    rows, right = _equilibrium(mechanism, q, qd, qdd, external)
    more = _along_dependent_speeds(mechanism, q, tau - friction_and_rotors(mechanism, qd, qdd))
    rows, right = [*rows, *(row for row, _ in more)], [*right, *(value for _, value in more)]
    gram = zeros(len(rows), len(rows))
    for i, row in enumerate(rows):
        for j in range(i + 1):
            gram[i, j] = gram[j, i] = _product(row, rows[j])
    weights = ltdl(gram).solve(array(right))
    z: dict[int, Scalar] = {}
    for row, weight in zip(rows, weights, strict=True):
        for k, entry in row.items():
            z[k] = z.get(k, 0.0) + entry * weight
    values = [z.get(k, 0.0) for k in range(6 * len(mechanism.bodies) + mechanism.rows)]
    found = [Wrench(array(values[6 * i + 3 : 6 * i + 6]), array(values[6 * i : 6 * i + 3]))
             for i in range(len(mechanism.bodies))]  # fmt: skip
    start = 6 * len(mechanism.bodies)
    bodies = placements(mechanism, q)
    for loop in mechanism.loops:
        force, torque = zeros(3), zeros(3)
        for n, f in loop.motion.held(*_relative(mechanism, bodies, loop)):
            force, torque = force + scale(values[start], f), torque + scale(values[start], n)
            start += 1
        found.append(Wrench(force, torque))
    return found


_Row = dict[int, Scalar]
"""Entries of a row that are not zero, by column."""


def _equilibrium(
    mechanism: ClosedMechanism, q: Array, qd: Array, qdd: Array, external: External | None
) -> tuple[list[_Row], list[Scalar]]:
    """Of every link, about its mass center in world axes: columns of the joints' wrenches and of the loops."""
    links = tree.links_at(mechanism, q)
    A: list[_Row] = [{} for _ in range(6 * len(links))]

    def put(row: int, column: int, entry: Scalar) -> None:
        if not is_zero(entry):
            A[row][column] = entry

    for i, (body, link) in enumerate(zip(mechanism.bodies, links, strict=True)):
        R = link.R.matrix()
        for j, sign in ((i, 1.0), (body.parent, -1.0)):
            if j == BASE:
                continue
            lever = skew(link.O - links[j].c) @ R
            for a in range(3):
                for b in range(3):
                    put(6 * j + a, 6 * i + b, sign * R[a, b])
                    put(6 * j + 3 + a, 6 * i + 3 + b, sign * R[a, b])
                    put(6 * j + a, 6 * i + 3 + b, sign * lever[a, b])
    for k, row in enumerate(K_loops(mechanism, q)):
        for j, entry in enumerate(row):
            put(j, 6 * len(links) + k, entry)
    return A, list(tree.link_wrenches(mechanism, q, qd, qdd, external))


def _along_dependent_speeds(mechanism: ClosedMechanism, q: Array, forces: Array) -> list[tuple[_Row, Scalar]]:
    """What the joints give along the dependent speeds (along motions of them that couplings allow)."""
    directions = _uncoupled(mechanism)
    found = []
    for direction in directions.T:
        row: _Row = {}
        value: Scalar = 0.0
        for k in np.flatnonzero(direction):
            value = value + float(direction[k]) * forces[k]
        for i, body in enumerate(mechanism.bodies):
            for k, (angular, linear) in enumerate(joint_columns(body, q), start=body.v.start):
                if direction[k]:
                    for a, entry in enumerate((*angular, *linear)):
                        if not is_zero(entry):
                            row[6 * i + a] = row.get(6 * i + a, 0.0) + float(direction[k]) * entry
        found.append((row, value))
    return found


def _uncoupled(mechanism: ClosedMechanism) -> NDArray[np.float64]:
    """(speeds, ...): motions of the dependent speeds alone that the couplings allow."""
    dependent = list(mechanism.split.dependent)
    result = np.zeros((mechanism.n, len(dependent)))
    result[dependent, range(len(dependent))] = 1.0
    if not len(mechanism.coupling_rows):
        return result
    held = mechanism.coupling_rows.astype(float) @ result
    _, sizes, turned = np.linalg.svd(held)
    rank = int((sizes > 1e-12 * max(sizes.max(initial=0.0), 1e-300)).sum())
    free: NDArray[np.float64] = result @ turned[rank:].T
    return np.where(np.abs(free) > 1e-15, free, 0.0)


def _product(a: _Row, b: _Row) -> Scalar:
    total: Scalar = 0.0
    for k, entry in a.items():
        if k in b:
            total = total + entry * b[k]
    return total


def _relative(mechanism: ClosedMechanism, bodies: list[Placement], loop: ClosedLoop) -> tuple[MatrixRotation, Array]:
    """The frame `on` of a loop seen from its frame `at`."""
    at, on = (frame_placement(mechanism, bodies, frame) for frame in (loop.at, loop.on))
    A, B = (array([list(row) for row in placed.rows]) for placed in (at, on))
    return MatrixRotation(A.T @ B), A.T @ (on.origin - at.origin)
