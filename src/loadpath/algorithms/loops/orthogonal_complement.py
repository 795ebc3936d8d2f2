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

from loadpath.algorithms.loops.completion import Constraints, complement, completed, factored, held_by_drives
from loadpath.algorithms.loops.drives import drive_forces
from loadpath.algorithms.loops.idle import with_idle_accelerations
from loadpath.algorithms.loops.sparse import product
from loadpath.algorithms.loops.status import status
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.formulations import orthogonal_complement as tree
from loadpath.formulations.link_twists import on_base
from loadpath.formulations.orthogonal_complement import block, dual_freedoms
from loadpath.mechanics.drives import inside_drives, with_rotors
from loadpath.mechanics.kinematics import Placement, frame_placement, placements
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import BASE, ClosedLoop, Mechanism
from loadpath.scalars import Array, MatrixRotation, array, cross, ltdl, scale, zeros
from loadpath.scalars.dual import Dual, partial_of

# Constraints


def K_loops(mechanism: Mechanism, q: Array) -> Array:
    """The rows of the loops' joints, (held directions, 6n): K_loops t is the relative twist of the second link against
    the first, at the origin of the loop's frame `on`, in the directions that the joint holds.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> bar = lp.catalog.four_bar()
    >>> K_loops(plain(bar), array(bar.home.tolist())).shape
    (5, 18)
    """
    bodies, links = placements(mechanism, q), tree.links_at(mechanism, q)
    rows = []
    for loop in mechanism.loops:
        on = frame_placement(mechanism, bodies, loop.on)
        for torque, force in loop.motion.held(*relative_pose(mechanism, bodies, loop)):
            n, f = on.to_world(torque), on.to_world(force)
            row = zeros(6 * len(links))
            for body, sign in ((loop.on.body, 1.0), (loop.at.body, -1.0)):
                if body != BASE:
                    about_c = n + cross(on.origin - links[body].c, f)
                    row[block(body)] = row[block(body)] + scale(sign, array([*about_c, *f]))
            rows.append(list(row))
    return array(rows) if rows else zeros(0, 6 * len(links))


def K_couplings(mechanism: Mechanism, q: Array) -> Array:
    """The rows of the couplings, then of joints that mimic others, (rows, 6n): K_couplings t is a sum of factors times
    joint speeds.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": -2.0})
    >>> t = tree.T(plain(arm), array([0.1, 0.2])) @ array([2.0, 1.0])
    >>> [round(x, 12) for x in K_couplings(plain(arm), array([0.1, 0.2])) @ t]
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


def K(mechanism: Mechanism, q: Array) -> Array:
    """The constraint matrix of all joints, (6n + held directions + couplings, 6n), with K t = 0.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> bar = lp.catalog.four_bar()
    >>> closed, q = plain(bar), array(bar.home.tolist())
    >>> bool(abs((K(closed, q) @ T(closed, q)).astype(float)).max() < 1e-12)
    True
    """
    parts = (tree.K(mechanism, q), K_loops(mechanism, q), K_couplings(mechanism, q))
    return array([list(row) for part in parts for row in part])


def _speeds_from_twists(mechanism: Mechanism, q: Array) -> Array:
    """D, (speeds, 6n): joint speeds from the twists of links that the joints allow, D T_tree = 1."""
    result = zeros(mechanism.n, 6 * len(mechanism.bodies))
    for i, body in enumerate(mechanism.bodies):
        if body.joint.mimic is None and body.motion.dof:
            result[body.v] = _own_speeds(mechanism, q, i)
    return result


def _own_speeds(mechanism: Mechanism, q: Array, i: int) -> Array:
    """(dof, 6n): the speeds of joint i from the twists of the links."""
    links, body = tree.links_at(mechanism, q), mechanism.bodies[i]
    dual = dual_freedoms(body, q)
    result = zeros(body.motion.dof, 6 * len(links))
    for k, speed in enumerate(dual):
        n, f = links[i].R @ speed[:3], links[i].R @ speed[3:]
        for j, sign in ((i, 1.0), (body.parent, -1.0)):
            if j != BASE:
                about_c = n + cross(links[i].O - links[j].c, f)
                result[k, block(j)] = result[k, block(j)] + scale(sign, array([*about_c, *f]))
    return result


def J(mechanism: Mechanism, q: Array) -> Array:
    """What loops and couplings hold in the speeds of the tree, (held directions + couplings, speeds):
    [K_loops; K_couplings] T_tree, and K_couplings T_tree are the factors themselves.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}))    # link 2 keeps level
    >>> J(arm, array([0.1, -0.1])).tolist()
    [[1.0, 1.0]]
    """
    loops = K_loops(mechanism, q) @ tree.T(mechanism, q) if mechanism.loops else zeros(0, mechanism.n)
    rows = [list(row) for part in (loops, mechanism.coupling_rows) for row in part]
    return array(rows) if rows else zeros(0, mechanism.n)


def Jdot(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Time derivative of J.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}))    # link 2 keeps level
    >>> Jdot(arm, array([0.1, -0.1]), array([1.0, -1.0])).tolist()
    [[0.0, 0.0]]
    """
    rates = coordinate_rate(mechanism, q, qd)
    moving = array([Dual(x, {0: rate}) for x, rate in zip(q, rates, strict=True)])
    found = J(mechanism, moving)
    result = zeros(*found.shape)
    for index, entry in enumerate(found.flat):
        result.flat[index] = partial_of(entry, 0)
    return result


# The complement


def held_by_loops(mechanism: Mechanism, q: Array) -> Constraints:
    """J with the factors of its dependent columns."""
    return factored(mechanism, J(mechanism, q))


def T_loop(mechanism: Mechanism, q: Array) -> Array:
    """All speeds of the tree per unit of the independent ones, (speeds, freedoms).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": -2.0}).with_driven("joint1")
    >>> T_loop(plain(arm), array([0.1, 0.2])).tolist()
    [[1.0], [0.5]]
    """
    return complement(mechanism, held_by_loops(mechanism, q))


def Tdot_loop(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Time derivative of T_loop: J Tdot_loop = -Jdot T_loop.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}))    # link 2 keeps level
    >>> Tdot_loop(arm, array([0.1, -0.1]), array([1.0, -1.0])).astype(float).tolist()
    [[0.0], [0.0]]
    """
    held = held_by_loops(mechanism, q)
    rates = product(Jdot(mechanism, q, qd), complement(mechanism, held))
    none = zeros(len(mechanism.split.independent))
    columns = [completed(mechanism, held, none, rates[:, k]) for k in range(len(none))]
    return array([list(row) for row in zip(*columns, strict=True)]) if columns else zeros(mechanism.n, 0)


def T(mechanism: Mechanism, q: Array) -> Array:
    """The twist-shaping matrix of the closed mechanism, (6n, freedoms): t = T thetadot_I, K T = 0.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}))    # link 2 keeps level
    >>> [round(float(x), 12) + 0.0 for x in T(arm, array([0.1, -0.1]))[6:9, 0]]                   # it does not turn
    [0.0, 0.0, 0.0]
    """
    result: Array = tree.T(mechanism, q) @ T_loop(mechanism, q)
    return result


def Tdot(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Time derivative of T, (6n, freedoms).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}))    # link 2 keeps level
    >>> Tdot(arm, array([0.1, -0.1]), array([1.0, -1.0])).shape                                   # the tip is a link
    (18, 1)
    """
    first = tree.Tdot(mechanism, q, qd) @ T_loop(mechanism, q)
    result: Array = first + tree.T(mechanism, q) @ Tdot_loop(mechanism, q, qd)
    return result


# The equations of motion


def I(mechanism: Mechanism, q: Array) -> Array:  # noqa: E743
    """T^T M T, (freedoms, freedoms), of the links; rotors are in `mass_matrix`.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> bar = lp.catalog.four_bar()
    >>> I(plain(bar), array(bar.home.tolist())).shape
    (1, 1)
    """
    shape = T(mechanism, q)
    result: Array = shape.T @ (tree.M(mechanism, q) @ shape)
    return result


def C(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """-T^T (M Tdot + W M T), (freedoms, freedoms): minus the usual C, as for trees.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}))    # link 2 keeps level
    >>> C(arm, array([0.1, -0.1]), array([1.0, -1.0])).shape
    (1, 1)
    """
    shape, mass = T(mechanism, q), tree.M(mechanism, q)
    t = tree.T(mechanism, q) @ qd
    velocity = mass @ Tdot(mechanism, q, qd) + tree.W(mechanism, t) @ (mass @ shape)
    result: Array = -(shape.T @ velocity)
    return result


def gamma(mechanism: Mechanism, q: Array) -> Array:
    """Generalized forces of gravity at the independent speeds, T^T w^G, (freedoms).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}))    # link 2 keeps level
    >>> [round(x, 3) for x in gamma(arm, array([0.0, 0.0]))]                # a rod of 1 kg and 1 m, and 1 kg at its end
    [-14.715]
    """
    result: Array = T(mechanism, q).T @ tree.w_G(mechanism)
    return result


def delta(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Generalized friction forces at the independent speeds, of passive joints too, (freedoms).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}))    # link 2 keeps level
    >>> delta(arm, array([0.1, -0.1]), array([1.0, -1.0])).tolist()                               # there is none
    [0.0]
    """
    result: Array = T_loop(mechanism, q).T @ tree.delta(mechanism, qd)
    return result


def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """I with the rotors of all joints, (freedoms, freedoms).

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}))    # link 2 keeps level
    >>> mass_matrix(arm, array([0.1, -0.1])).astype(float).round(6).tolist()               # 1/3 and 1 kg m^2
    [[1.333333]]
    """
    complement = T_loop(mechanism, q)
    rotors = with_rotors(mechanism, zeros(mechanism.n, mechanism.n))
    result: Array = I(mechanism, q) + complement.T @ (rotors @ complement)
    return result


def inverse_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
) -> tuple[Array, Array]:
    """Forces of the drives, (speeds), and the status of the state: T_loop^T tau = T^T (M tdot + W M t - w^G - w)
    - T_loop^T delta and the rotors.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> bar = lp.catalog.four_bar()
    >>> tau, _ = inverse_dynamics(plain(bar), array(bar.home.tolist()), zeros(3), zeros(3))
    >>> tau[1:].tolist()
    [0.0, 0.0]
    """
    held = held_by_loops(mechanism, q)
    loads = external, base_velocity, base_acceleration
    moved = with_idle_accelerations(mechanism, q, qd, qdd, *loads)
    open_tau = tree.inverse_dynamics(mechanism, q, qd, moved, *loads)
    drives = held_by_drives(mechanism, held.J)
    return drive_forces(mechanism, drives, open_tau, weights, preload), status(mechanism, q, held, qd, qdd)


def forward_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """All accelerations for given forces of the drives, (speeds), and the status of the state: I thetaddot_I = C
    thetadot_I + T_loop^T tau + ..., with the accelerations Tdot_loop thetadot_I of the tree while thetaddot_I is zero.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(lp.catalog.planar(2, gravity=0).with_coupling({"joint1": 1.0, "joint2": 1.0}))
    >>> qdd, _ = forward_dynamics(arm, zeros(2), zeros(2), array([4.0, 0.0]))
    >>> [round(x, 12) for x in qdd]
    [3.0, -3.0]
    """
    held = held_by_loops(mechanism, q)
    shape = complement(mechanism, held)
    coasting = Tdot_loop(mechanism, q, qd) @ array([qd[k] for k in mechanism.split.independent])
    needed = tree.inverse_dynamics(mechanism, q, qd, coasting, external, base_velocity, base_acceleration)
    independent = ltdl(mass_matrix(mechanism, q)).solve(shape.T @ (tau - needed))
    qdd: Array = shape @ independent + coasting
    return qdd, status(mechanism, q, held, qd)


# Wrenches


def constraint_wrenches(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """w^C = K^T lambda, (6n): all that the joints exert on the links, those of loops and couplings too, but for the
    forces of the drives `tau` and friction along the freedoms of the tree's joints. T^T w^C = 0, and it is unique where
    lambda is not.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> bar = lp.catalog.four_bar()
    >>> closed, q, still = plain(bar), array(bar.home.tolist()), zeros(3)
    >>> tau, _ = inverse_dynamics(closed, q, still, still)
    >>> w = constraint_wrenches(closed, q, still, still, tau)
    >>> bool(abs((T(closed, q).T @ w).astype(float)).max() < 1e-12)
    True
    """
    state = on_base(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    carried = state.own_rows(tree.link_wrenches(*state[:4], external))
    result: Array = carried - along_freedoms(mechanism, q, tau - inside_drives(mechanism, q, qd, qdd))
    return result


def along_freedoms(mechanism: Mechanism, q: Array, forces: Array) -> Array:
    """Wrenches on the links, (6n), of forces along the speeds of the tree's joints; joints that mimic others exert
    none, as their ratio is one of the constraints.
    """
    of_joints = []
    for body in mechanism.bodies:
        own = zeros(0) if body.joint.mimic is not None else forces[body.v]
        of_joints.append(dual_freedoms(body, q).T @ own if len(own) else zeros(6))
    return tree.on_links(mechanism, q, of_joints)


def relative_pose(
    mechanism: Mechanism, bodies: list[Placement], loop: ClosedLoop
) -> tuple[MatrixRotation, Array]:
    """The frame `on` of a loop seen from its frame `at`."""
    at, on = (frame_placement(mechanism, bodies, frame) for frame in (loop.at, loop.on))
    A, B = (array([list(row) for row in placed.rows]) for placed in (at, on))
    return MatrixRotation(A.T @ B), A.T @ (on.origin - at.origin)
