"""The force method: what the loops of an elastic robot exert.

All loops are cut. The wrenches that they exert are w = sum of lambda_k times the held directions S_k. Passive joints
give no force, J_P' lambda = (tau_tree - tau_drives)_P, which leaves lambda = lambda_0 + N c with N a basis of what they
do not feel. The tree with its joints held bends, and the sides of the cuts move against each other by

    delta = delta_0 + F lambda

(`small_deflection`, with unit wrenches on the cuts for F, and the compliance of the loops' own joints in F). Passive
joints turn by dq_P to close the cuts, J_P dq_P + delta = 0, so that N' delta = 0 is what settles c. That is the state
of least elastic energy. Directions in which nothing gives way are settled by the rule of rigid robots: the least sum of
squares of the wrench components at all joints.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from loadpath.engine.method import CompiledMethod
from loadpath.quantities.wrench import Wrench
from loadpath.robot.beams.cut import as_joint, marker
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Bools, Floats
from loadpath.states import LoadCase
from loadpath.states.on_manifold import loop_length
from loadpath.structure.quantities import ClosedElasticQuantities, ElasticQuantities

States = tuple[Floats, Floats, Floats]
NO_EFFORT: Mapping[str, Any] = MappingProxyType({})
FEW = 500
"""States, with their unit loads, up to which nothing is compiled."""
STIFF = 1e-11
"""Directions that give way by less than this part of the softest count as rigid."""


def at_once(method: Callable[..., Any], *arrays: Any, **options: Any) -> Any:
    """The call of a compiled method: of few states by the formulation itself, which would not repay compiling."""
    rows = max((math.prod(np.shape(array)[:-1]) for array in arrays), default=1)
    wrenches = (options.get("external") or {}).values()
    rows = max(rows, *(math.prod(wrench.force.shape[:-1]) for wrench in wrenches), 1)
    if rows <= FEW and isinstance(method, CompiledMethod):  # else a subclass has put its own in front
        return method.uncompiled(*arrays, **options)
    return method(*arrays, **options)


class Cuts(NamedTuple):
    """Where the cuts are, in world axes: (..., m) for every held direction, couplings last and without any."""

    force: Floats
    """(..., m, 3): unit wrench of the direction on the second link, at the origin of `on`."""
    torque: Floats
    arm: Floats
    """(..., m, 3): from the side on the first link to that on the second."""
    loop: list[int]
    """For every direction the number of its loop; -1 of a coupling."""
    axes: Floats
    """(..., loops, 3, 3): axes of the frames `on`."""


class Settled(NamedTuple):
    """What the loops exert, and how the passive joints turn."""

    multipliers: Floats
    """(..., m)."""
    wrenches: Floats
    """(..., loops, 6): force and torque of the first link on the second, at and in the frame `on`."""
    external: dict[str, Wrench]
    """The same on the links at the cuts, in world axes."""
    turned: Floats
    """(..., n): by how much the joints turn because the links bend; zero at the independent speeds."""
    displacement: Floats
    """(..., links of the cut tree, 3): of the tree with its joints held, under all loads."""
    rotation: Floats


def settle(
    arm: ClosedElasticQuantities,
    states: States,
    case: LoadCase,
    effects: Any,
    strict: bool = True,
    effort: Mapping[str, Any] = NO_EFFORT,
) -> Settled:
    """The wrenches of the loops of an elastic robot, for states (..., nq), (..., n), (..., n); `effort` are weights and
    preload of redundant drives.
    """
    q, qd, qdd = states
    batch = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1], qdd.shape[:-1], *case.shapes.values())
    q, qd, qdd = (np.broadcast_to(part, (*batch, part.shape[-1])) for part in states)
    cuts = _cuts(arm, q)
    missing = _missing(arm, (q, qd, qdd), case, {"strict": strict, **effort})
    unit = _units(arm, cuts)
    moved, turned = _unit_deflections(arm, (q, qd, qdd), case, cuts, unit, effects)
    F, delta = _flexibility(arm, cuts, moved, turned)
    # All in the units of the unit loads, so that forces and torques compare.
    F, delta = (F + _of_loop_joints(arm, cuts) * unit) * unit[:, None], delta * unit
    J = at_once(arm.constraint_jacobian, q)[..., list(arm.split.dependent)] * unit[:, None]
    known = np.isfinite(F).all((-1, -2)) & np.isfinite(delta).all(-1) & np.isfinite(missing).all(-1)
    known = known & np.isfinite(J).all((-1, -2))
    lam, close = _solved(
        np.where(known[..., None, None], F, 0.0),
        np.where(known[..., None], delta, 0.0),
        np.where(known[..., None, None], J, np.eye(*J.shape[-2:])),
        np.where(known[..., None], missing, 0.0),
        lambda: _rule(arm, (q, qd, qdd), case, cuts, unit),
    )
    lam, close = (np.where(known[..., None], part, np.nan) for part in (lam, close))
    dq = np.zeros((*batch, arm.n))
    dq[..., list(arm.split.dependent)] = close
    share = np.moveaxis(lam, -1, 0)[..., None, None]  # of the unit loads, in front as these are
    disp, rot = (part[0] + (share * (part[1:] - part[:1])).sum(axis=0) for part in (moved, turned))
    lam = lam * unit
    wrenches = _of_loops(arm, cuts, lam)
    return Settled(lam, wrenches, _on_cuts(arm, cuts, lam), dq, disp, rot)


def _cuts(arm: ClosedElasticQuantities, q: Floats) -> Cuts:
    poses = at_once(arm.cut.link_poses, q)
    names = arm.cut.link_names
    first, second = (
        np.stack([poses[..., names.index(marker(loop.name, side)), :, :] for loop in arm.loops], axis=-3)
        if arm.loops
        else np.zeros((*q.shape[:-1], 0, 4, 4))
        for side in ("first", "second")
    )
    S = at_once(arm.loop_directions, q)
    loop = [k for k, entry in enumerate(arm.loops) for _ in range(entry.rows)] + [-1] * len(arm.couplings)
    axes = second[..., :3, :3]
    turn = axes[..., loop, :, :] if arm.loops else np.zeros((*S.shape[:-1], 3, 3))
    apart = (second - first)[..., :3, 3]
    arm_ = apart[..., loop, :] if arm.loops else np.zeros((*S.shape[:-1], 3))
    force, torque = (np.einsum("...ij,...j->...i", turn, part) for part in (S[..., :3], S[..., 3:]))
    return Cuts(force, torque, arm_, loop, axes)


def _missing(arm: ClosedElasticQuantities, states: States, case: LoadCase, options: Mapping[str, Any]) -> Floats:
    """(..., p): forces at the dependent speeds that the tree takes and no drive gives."""
    taken = at_once(arm.tree.inverse_dynamics, *states, **case.keywords)
    given = at_once(arm.inverse_dynamics, *states, **options, **case.keywords)
    result: Floats = (taken - given)[..., list(arm.split.dependent)]
    return result


def _units(arm: RobotModel, cuts: Cuts) -> Floats:
    """(m,): a force and a torque of the size that the robot has, for the unit loads."""
    weight = max(9.81 * sum(link.inertia.mass for link in arm.links[1:]), 1.0)
    S = np.linalg.norm(cuts.force.reshape(-1, len(cuts.loop), 3), axis=-1)
    turning = (S < 0.5).all(axis=0) if S.size else np.zeros(len(cuts.loop), dtype=bool)
    return np.where(turning, weight * loop_length(arm), weight)


def _unit_deflections(
    arm: RobotModel, states: States, case: LoadCase, cuts: Cuts, unit: Floats, effects: Any
) -> tuple[Floats, Floats]:
    """Displacement and rotation of all links of the cut tree, (1 + m, ..., links, 3): without the loops, then with a
    unit wrench in each held direction in addition.
    """
    rows = np.zeros((1 + len(unit), *cuts.force.shape[:-1]))
    for k, size in enumerate(unit):
        rows[1 + k, ..., k] = size
    external = {**(case.external or {}), **_on_cuts(arm, cuts, rows)}
    loads = {"external": external} if external else {}
    deflection = ElasticQuantities.small_deflection.__get__(arm.cut, type(arm.cut))  # also where only loops are soft
    moved, turned = at_once(deflection, *states, effects=effects, **loads, **case.base_motion)
    if not arm.loops:  # couplings alone load no cut
        return (np.broadcast_to(part, (1 + len(unit), *part.shape)) for part in (moved, turned))  # type: ignore[return-value]
    return moved, turned


def _on_cuts(arm: RobotModel, cuts: Cuts, multipliers: Floats) -> dict[str, Wrench]:
    """What multipliers (..., m) put on the links at the cuts."""
    found = {}
    for number, loop in enumerate(arm.loops):
        mine = [k for k, of in enumerate(cuts.loop) if of == number]
        force = np.einsum("...k,...kj->...j", multipliers[..., mine], cuts.force[..., mine, :])
        torque = np.einsum("...k,...kj->...j", multipliers[..., mine], cuts.torque[..., mine, :])
        found[marker(loop.name, "second")] = Wrench(force, torque)
        found[marker(loop.name, "first")] = Wrench(-force, -torque - np.cross(cuts.arm[..., mine[0], :], force))
    return found


def _flexibility(arm: RobotModel, cuts: Cuts, moved: Floats, turned: Floats) -> tuple[Floats, Floats]:
    """F (..., m, m) and delta_0 (..., m): how far the cuts open in the held directions."""
    m = len(cuts.loop)
    names = arm.cut.link_names
    opened = np.zeros((*moved.shape[:-2], m))
    for number, loop in enumerate(arm.loops):
        first, second = (names.index(marker(loop.name, side)) for side in ("first", "second"))
        for k in (k for k, of in enumerate(cuts.loop) if of == number):
            apart = moved[..., second, :] - moved[..., first, :]
            apart = apart - np.cross(turned[..., first, :], cuts.arm[..., k, :])
            twist = turned[..., second, :] - turned[..., first, :]
            opened[..., k] = (cuts.force[..., k, :] * apart + cuts.torque[..., k, :] * twist).sum(-1)
    F = np.moveaxis(opened[1:] - opened[:1], 0, -1)  # its columns are for the unit loads
    return F, opened[0]


def _of_loop_joints(arm: RobotModel, cuts: Cuts) -> Floats:
    """(..., m, m): compliance of the loops' own joints in the held directions."""
    m = len(cuts.loop)
    C = np.zeros((*cuts.force.shape[:-2], m, m))
    for name, given in arm.loop_compliances:
        number = arm.loop_names.index(name)
        mine = [k for k, of in enumerate(cuts.loop) if of == number]
        turn = cuts.axes[..., number, :, :]
        S = np.concatenate([np.einsum("...ji,...kj->...ki", turn, part[..., mine, :])
                            for part in (cuts.force, cuts.torque)], axis=-1)
        matrix = _matrix(arm, number, given)
        C[..., np.ix_(mine, mine)[0], np.ix_(mine, mine)[1]] = S @ matrix @ np.swapaxes(S, -1, -2)
    return C


def _matrix(arm: RobotModel, number: int, given: JointCompliance) -> Floats:
    return given.matrix(as_joint(arm.loops[number]))


def _solved(F: Floats, delta: Floats, J: Floats, missing: Floats, rule: Any) -> tuple[Floats, Floats]:
    """Multipliers (..., m) and turns of the dependent joints (..., p)."""
    U, s, Vt = np.linalg.svd(J, full_matrices=True)
    p = J.shape[-1]
    along, N = U[..., :p], U[..., p:]
    inverse = np.swapaxes(Vt, -1, -2) / s[..., None, :]
    lam = np.einsum("...ki,...i->...k", along, np.einsum("...ji,...j->...i", inverse, missing))
    F = (F + np.swapaxes(F, -1, -2)) / 2
    if N.shape[-1]:
        A = np.swapaxes(N, -1, -2) @ F @ N
        b = np.einsum("...ki,...k->...i", N, np.einsum("...kl,...l->...k", F, lam) + delta)
        e, V = np.linalg.eigh(A)
        soft = e > STIFF * np.maximum(np.abs(F).max((-1, -2)), 1e-300)[..., None]
        c = -np.einsum("...ij,...j->...i", V, np.where(soft, 1.0 / np.where(soft, e, 1.0), 0.0)
                       * np.einsum("...ij,...i->...j", V, b))
        lam = lam + np.einsum("...ki,...i->...k", N, c)
        if not soft.all():
            lam = lam + _by_rule(N, V, soft, lam, *rule())
    gap = np.einsum("...kl,...l->...k", F, lam) + delta
    turn = -np.einsum("...ij,...j->...i", inverse, np.einsum("...ki,...k->...i", along, gap))
    return lam, turn


def _by_rule(N: Floats, V: Floats, soft: Bools, lam: Floats, H: Floats, h: Floats) -> Floats:
    """What is added where nothing gives way, so that 1/2 lam' H lam + h' lam is least."""
    Z = np.einsum("...ki,...ij->...kj", N, V) * ~soft[..., None, :]
    G = np.swapaxes(Z, -1, -2) @ H @ Z + np.eye(soft.shape[-1]) * soft[..., None, :]
    g = np.einsum("...kj,...k->...j", Z, np.einsum("...kl,...l->...k", H, lam) + h)
    result: Floats = np.einsum("...kj,...j->...k", Z, np.linalg.solve(G, -g[..., None])[..., 0])
    return result


def _rule(
    arm: ClosedElasticQuantities, states: States, case: LoadCase, cuts: Cuts, unit: Floats
) -> tuple[Floats, Floats]:
    """H (..., m, m) and h (..., m) of the sum of squares of all wrench components: B' B and B' w_0."""
    m = len(cuts.loop)
    rows = np.zeros((1 + m, *cuts.force.shape[:-1]))
    for k, size in enumerate(unit):
        rows[1 + k, ..., k] = size
    external = {**(case.external or {}), **_on_cuts(arm, cuts, rows)}
    loads = {"external": external} if external else {}
    found = at_once(arm.cut.joint_wrenches, *states, **loads, **case.base_motion)
    of_tree = [arm.cut.joint_names.index(name) for name in arm.joint_names]
    six = np.concatenate([found.force[..., of_tree, :], found.torque[..., of_tree, :]], axis=-1)
    six = np.broadcast_to(six, (1 + m, *cuts.force.shape[:-2], *six.shape[-2:]))
    flat = six.reshape(*six.shape[:-2], -1)
    B, w0 = np.moveaxis(flat[1:] - flat[:1], 0, -1), flat[0]
    own = np.zeros((*cuts.force.shape[:-2], m, m))
    for number in range(len(arm.loops)):
        mine = [k for k, of in enumerate(cuts.loop) if of == number]
        S = np.concatenate([cuts.force[..., mine, :], cuts.torque[..., mine, :]], axis=-1)
        own[..., np.ix_(mine, mine)[0], np.ix_(mine, mine)[1]] = S @ np.swapaxes(S, -1, -2)
    for k, coupling in enumerate(arm.couplings):  # the forces that it puts on its joints
        at = m - len(arm.couplings) + k
        own[..., at, at] = sum(factor**2 for _, factor in coupling.ratios)
    H = np.swapaxes(B, -1, -2) @ B + own * unit[:, None] * unit
    return H, np.einsum("...ij,...i->...j", B, w0)


def _of_loops(arm: RobotModel, cuts: Cuts, lam: Floats) -> Floats:
    """(..., loops, 6): in the axes of the frames `on`."""
    result = np.zeros((*lam.shape[:-1], len(arm.loops), 6))
    for number in range(len(arm.loops)):
        mine = [k for k, of in enumerate(cuts.loop) if of == number]
        turn = cuts.axes[..., number, :, :]
        for start, part in ((0, cuts.force), (3, cuts.torque)):
            world = np.einsum("...k,...kj->...j", lam[..., mine], part[..., mine, :])
            result[..., number, start : start + 3] = np.einsum("...ji,...j->...i", turn, world)
    return result
