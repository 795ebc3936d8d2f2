"""Wrenches of all joints of a closed mechanism from the equilibrium of all its links at once: in world axes, about mass
centers, with K_loops of the natural orthogonal complement for what the loops put on the links.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from loadpath.algorithms.loops.idle import with_idle_accelerations
from loadpath.algorithms.loops.orthogonal_complement import K_loops, inverse_dynamics, relative_pose
from loadpath.algorithms.loops.reactions import Compliances, compliances_of
from loadpath.formulations import orthogonal_complement as tree
from loadpath.mechanics.drives import in_joint_frames, inside_drives
from loadpath.mechanics.joint_motion import joint_columns
from loadpath.mechanics.kinematics import placements
from loadpath.mechanics.springs import line_wrench
from loadpath.mechanics.wrenches import External, Wrench
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, Scalar, array, is_zero, ltdl, scale, skew, zeros

_Row = dict[int, Scalar]
"""Entries of a row that are not zero, by column."""


def joint_wrenches(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
    compliances: Compliances = (),
) -> tuple[Array, Array, Array]:
    """Force and torque, each (joints and loops, 3), at all joints of the tree and then of the loops, at their origins
    in their child's joint frames, and the status of the state. Of all wrenches that hold the links in equilibrium and
    give the forces of the drives, those with the least sum of squares (N, N m), each times its compliance.

    The unknowns z are the wrenches at the tree's joints and the multipliers lambda of loops and couplings. A z = b has
    the equilibrium of every link, and for every dependent speed what its joint gives along it; with the compliances C,
    z = C^-1 A^T (A C^-1 A^T)^-1 b.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> bar = lp.catalog.four_bar()
    >>> force, torque, _ = joint_wrenches(plain(bar), array(bar.home.tolist()), zeros(3), zeros(3))
    >>> force.shape
    (4, 3)
    """
    tau, trust = inverse_dynamics(
        mechanism, q, qd, qdd, external, base_velocity, base_acceleration, weights, preload
    )
    qdd = with_idle_accelerations(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)
    rows = _equilibrium(mechanism, q)
    # Of the wrenches through the joints, springs on a line take their part; the unknowns are what is left.
    past = _past_the_joints(mechanism, q)
    if base_velocity is None and base_acceleration is None:
        right = list(tree.link_wrenches(mechanism, q, qd, qdd, external))
    else:
        of_tree = tree.joint_wrenches(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)
        carried = {6 * i + k: x for i, (f, n) in enumerate(zip(*of_tree, strict=True)) for k, x in enumerate((*n, *f))}
        through = {k: x + past[k] if k in past else x for k, x in carried.items()}
        right = [_product(row, through) for row in rows]
    more = _along_dependent_speeds(mechanism, q)
    rows += more
    right += [(tau - inside_drives(mechanism, q, qd, qdd))[k] for k in mechanism.split.dependent]
    right = [value - _product(row, past) for row, value in zip(rows, right, strict=True)] if past else right
    eased = _eased(mechanism, q, rows, compliances_of(mechanism, compliances))
    gram = zeros(len(rows), len(rows))
    for i, row in enumerate(rows):
        for j in range(i + 1):
            gram[i, j] = gram[j, i] = _product(row, eased[j])
    factors = ltdl(gram)
    z = _combined(eased, factors.solve(array(right)))
    if compliances:  # those of stiff joints next to soft ones spread the pivots far: one step more
        left = array([value - _product(row, z) for row, value in zip(rows, right, strict=True)])
        z = _combined(eased, factors.solve(left), z)
    force, torque = _wrenches(mechanism, q, z)
    return force, torque, trust


def _past_the_joints(mechanism: Mechanism, q: Array) -> _Row:
    """What line springs exert on the children, in the places of the joints' wrenches among the unknowns."""
    past: _Row = {}
    for i, body in enumerate(mechanism.bodies):
        pulled = line_wrench(body, q)
        if pulled is not None:
            past |= {6 * i + k: x for k, x in enumerate((*pulled.torque, *pulled.force))}
    return past


def _wrenches(mechanism: Mechanism, q: Array, z: _Row) -> tuple[Array, Array]:
    """The wrenches of all joints of the tree and of the loops, from the unknowns."""
    of_tree = []
    for i in range(len(mechanism.bodies)):
        six = [z.get(6 * i + k, 0.0) for k in range(6)]
        of_tree.append(Wrench(array(six[3:]), array(six[:3])))
    force, torque = in_joint_frames(mechanism, of_tree)
    forces, torques = [list(row) for row in force], [list(row) for row in torque]
    column, bodies = 6 * len(mechanism.bodies), placements(mechanism, q)
    for loop in mechanism.loops:
        f, n = zeros(3), zeros(3)
        for held_torque, held_force in loop.motion.held(*relative_pose(mechanism, bodies, loop)):
            f, n = f + scale(z.get(column, 0.0), held_force), n + scale(z.get(column, 0.0), held_torque)
            column += 1
        forces.append(list(f))
        torques.append(list(n))
    return array(forces), array(torques)


def _equilibrium(mechanism: Mechanism, q: Array) -> list[_Row]:
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
    return A


def _along_dependent_speeds(mechanism: Mechanism, q: Array) -> list[_Row]:
    """What joints and couplings give along each dependent speed."""
    first = 6 * len(mechanism.bodies) + mechanism.rows - len(mechanism.coupling_rows)
    # Unknowns of the couplings: of orthonormal directions of the forces that they put on the joints.
    coupled = np.linalg.qr(mechanism.coupling_rows.astype(float).T)[0] if len(mechanism.coupling_rows) else None
    found = []
    for speed in mechanism.split.dependent:
        row: _Row = {}
        for i, body in enumerate(mechanism.bodies):
            for k, (angular, linear) in enumerate(joint_columns(body, q), start=body.v.start):
                for a, entry in enumerate((*angular, *linear)):
                    if k == speed and not is_zero(entry):
                        row[6 * i + a] = row.get(6 * i + a, 0.0) + entry
        if coupled is not None:
            row |= {first + c: -float(x) for c, x in enumerate(coupled[speed]) if x}
        found.append(row)
    return found


def _eased(mechanism: Mechanism, q: Array, rows: list[_Row], compliances: Mapping[str, Array]) -> list[_Row]:
    """The rows times C^-1."""
    if not compliances:
        return rows
    inverse: dict[int, _Row] = {}
    for i, body in enumerate(mechanism.bodies):
        along = compliances.get(body.joint.name)
        if along is not None:  # forces first; of the unknowns, torques
            inverse |= {6 * i + k: {6 * i + k: 1.0 / along[(k + 3) % 6]} for k in range(6)}
    column, bodies = 6 * len(mechanism.bodies), placements(mechanism, q)
    for loop in mechanism.loops:
        count, along = 6 - loop.motion.dof, compliances.get(loop.name)
        if along is not None:
            held = loop.motion.held(*relative_pose(mechanism, bodies, loop))
            sixes = [array([*force, *torque]) for torque, force in held]
            C = array([[_weighted(a, along, b) for b in sixes] for a in sixes])
            back = ltdl(C).inverse()
            inverse |= {column + r: {column + c: back[r, c] for c in range(count)} for r in range(count)}
        column += count
    found = []
    for row in rows:
        eased: _Row = {}
        for k, entry in row.items():
            for other, factor in inverse.get(k, {k: 1.0}).items():
                if not is_zero(factor):
                    eased[other] = eased.get(other, 0.0) + entry * factor
        found.append(eased)
    return found


def _weighted(a: Array, along: Array, b: Array) -> Scalar:
    total: Scalar = 0.0
    for x, weight, y in zip(a, along, b, strict=True):
        if not is_zero(x) and not is_zero(y):
            total = total + weight * (x * y)
    return total


def _combined(rows: list[_Row], weights: Array, before: _Row | None = None) -> _Row:
    """The sum of rows times weights, added to what was there before."""
    total = dict(before or {})
    for row, weight in zip(rows, weights, strict=True):
        for k, entry in row.items():
            total[k] = total.get(k, 0.0) + entry * weight
    return total


def _product(a: _Row, b: _Row) -> Scalar:
    total: Scalar = 0.0
    for k, entry in a.items():
        if k in b:
            total = total + entry * b[k]
    return total
