"""What the loops of an elastic robot exert.

All loops are cut. The wrenches that they exert are w = sum of lambda_k times the held directions S_k. Free joints give
no force, J' lambda = (tau_tree - tau_drives) at the dependent speeds, which leaves lambda = lambda_0 + N c with N a
basis of what they do not feel. The tree with its joints held bends, and the sides of the cuts move against each other
by

    delta = delta_0 + F lambda,        F = A A',

A the rows of the loops in elastic coordinates (`vibration.closing`), delta_0 of the loads alone. Free joints turn by dq
to close the cuts, J dq + delta = 0, so that N' delta = 0 is what fixes c. That is the state of least elastic energy.
Directions in which nothing is compliant are resolved by the rule of rigid robots: the least sum of squares of the
wrench components at all joints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.algorithms.loops.idle import idle_columns
from loadpath.quantities.wrench import Wrench
from loadpath.robot.beams.edit import marker
from loadpath.robot.mechanism import plain
from loadpath.scalars.types import Bools, Floats
from loadpath.states import LoadCase
from loadpath.structure.quantities import ElasticQuantities, at_once

if TYPE_CHECKING:
    from loadpath.structure.quantities import ClosedElasticQuantities
    from loadpath.structure.vibration.closing import ClosedRows

States = tuple[Floats, ...]
STIFF = 1e-11
"""Directions with less than this part of the largest compliance count as rigid."""


class LoopForces(NamedTuple):
    """What the loops exert in states (states, nq), and how far everything moves."""

    multipliers: Floats
    """(states, m)."""
    exerted: Floats
    """(states, loops, 6): force and torque of the first link on the second, at the origin of the frame `on`, in world
    axes.
    """
    external: dict[str, Wrench]
    """The same on the links at the cuts, in world axes."""
    coordinates: Floats
    """(states, total): by how much the loops move the tree: its elastic coordinates, and its free joints."""
    displacement: Floats
    """(states, links of the cut tree, 3): of the tree with its joints held, under the loads without the loops."""
    rotation: Floats


def resolve(
    rows: ClosedRows, states: States, case: LoadCase, effects: tuple[str, ...], strict: bool = True
) -> LoopForces:
    """The wrenches of the loops of an elastic robot, for states (states, nq), (states, n), (states, n) that are numbers
    and their load case; with weights and preload of redundant drives.
    """
    arm, size = rows.closing.arm, rows.placed.model.size
    loads = LoadCase(case.external, **case.on_links).keywords
    taken = at_once(arm.tree.inverse_dynamics, *states, **loads)
    given = at_once(arm.inverse_dynamics, *states, strict=strict, **case.keywords)
    missing = (taken - given)[..., list(arm.split.dependent)]
    deflection = ElasticQuantities.small_deflection.__get__(arm.cut, type(arm.cut))  # also where only loops are soft
    moved, turned = at_once(deflection, *states, effects=effects, **loads)
    delta = opened(rows, moved, turned)
    lam, dq = solved(rows, delta, missing, lambda: _rule(rows, states, case))
    coordinates = np.zeros((len(lam), rows.placed.model.total))
    coordinates[:, :size] = np.einsum("ski,sk->si", rows.A, lam)
    coordinates[:, size : size + rows.closing.count] = np.einsum("sip,sp->si", rows.B, dq)
    rows.placed.put_slides(coordinates)
    lam = lam * rows.unit
    exerted = np.concatenate(rows.wrenches(lam), axis=-1)
    return LoopForces(lam, exerted, on_cuts(rows, lam), coordinates, moved, turned)


def as_driven(arm: ClosedElasticQuantities, states: States, case: LoadCase, strict: bool = True) -> States:
    """The states with the accelerations that freedoms without a drive take by themselves."""
    if not idle_columns(plain(arm)):
        return states
    q, qd, qdd = states
    tau = at_once(arm.inverse_dynamics, q, qd, qdd, strict=strict, **case.keywords)
    loads = LoadCase(case.external, **case.on_links).keywords
    return q, qd, np.asarray(at_once(arm.forward_dynamics, q, qd, tau, strict=strict, **loads), dtype=float)


def on_cuts(rows: ClosedRows, multipliers: Floats) -> dict[str, Wrench]:
    """What multipliers (..., states, m) put on the links at the cuts."""
    force, torque = rows.wrenches(multipliers)
    found = {}
    for number, loop in enumerate(rows.closing.arm.loops):
        f, t = force[..., number, :], torque[..., number, :]
        mine = rows.closing.loop_of.index(number)
        found[marker(loop.name, "second")] = Wrench(f, t)
        found[marker(loop.name, "first")] = Wrench(-f, -t - np.cross(rows.offset[:, mine], f))
    return found


def opened(rows: ClosedRows, moved: Floats, turned: Floats) -> Floats:
    """(..., states, m): how far the cuts open in the held directions, in the units of the rows, where the links of the
    cut tree move and turn by (..., states, links, 3).
    """
    names, arm = rows.closing.arm.cut.link_names, rows.closing.arm
    result = np.zeros((*moved.shape[:-2], len(rows.unit)))
    for number, loop in enumerate(arm.loops):
        first, second = (names.index(marker(loop.name, side)) for side in ("first", "second"))
        for k in (k for k, of in enumerate(rows.closing.loop_of) if of == number):
            apart = moved[..., second, :] - moved[..., first, :]
            apart = apart - np.cross(turned[..., first, :], rows.offset[..., k, :])
            twist = turned[..., second, :] - turned[..., first, :]
            result[..., k] = (rows.force[..., k, :] * apart + rows.torque[..., k, :] * twist).sum(-1)
    return result * rows.unit


def solved(rows: ClosedRows, delta: Floats, missing: Floats, rule: Any) -> tuple[Floats, Floats]:
    """Multipliers (..., states, m) and rotations of the dependent joints (..., states, p), where loads open the cuts by
    delta (..., states, m) and leave forces missing (..., states, p) at the dependent joints.
    """
    along, inverse = rows.along, rows.inverse
    lam: Floats = np.einsum("ski,...si->...sk", along, np.einsum("sji,...sj->...si", inverse, missing))
    lam = lam + self_stress(rows, lam, delta, rule)
    gap = _moved(rows, lam) + delta
    dq = -np.einsum("sij,...sj->...si", inverse, np.einsum("ski,...sk->...si", along, gap))
    return lam, dq


def _moved(rows: ClosedRows, lam: Floats) -> Floats:
    """F lam: how far multipliers (..., states, m) move the sides of the cuts."""
    result: Floats = np.einsum("ski,...si->...sk", rows.A, np.einsum("ski,...sk->...si", rows.A, lam))
    return result


def self_stress(rows: ClosedRows, lam: Floats, delta: Floats, rule: Any) -> Floats:
    """What closes the cuts that multipliers lam and loads open by F lam + delta, (..., states, m): multipliers that no
    free joint feels. `rule()` has H and h of `_by_rule` for where nothing is compliant.
    """
    N = rows.N
    if not N.shape[-1]:
        return np.zeros_like(lam)
    F = rows.A @ np.swapaxes(rows.A, -1, -2)
    b = np.einsum("ski,...sk->...si", N, _moved(rows, lam) + delta)
    e, V = np.linalg.eigh(np.swapaxes(N, -1, -2) @ F @ N)
    soft = e > STIFF * np.maximum(np.abs(F).max((-1, -2)), 1e-300)[..., None]
    c = -np.einsum("sij,...sj->...si", V, np.where(soft, 1.0 / np.where(soft, e, 1.0), 0.0)
                   * np.einsum("sij,...si->...sj", V, b))
    added: Floats = np.einsum("ski,...si->...sk", N, c)
    return added if soft.all() else added + _by_rule(N, V, soft, lam + added, *rule())


def _by_rule(N: Floats, V: Floats, soft: Bools, lam: Floats, H: Floats, h: Floats) -> Floats:
    """What is added where nothing is compliant, so that 1/2 lam' H lam + h' lam is least."""
    Z = np.einsum("...ki,...ij->...kj", N, V) * ~soft[..., None, :]
    G = np.swapaxes(Z, -1, -2) @ H @ Z + np.eye(soft.shape[-1]) * soft[..., None, :]
    g = np.einsum("...kj,...k->...j", Z, np.einsum("...kl,...l->...k", H, lam) + h)
    result: Floats = np.einsum("...kj,...j->...k", Z, np.linalg.solve(G, -g[..., None])[..., 0])
    return result


def _rule(rows: ClosedRows, states: States, case: LoadCase) -> tuple[Floats, Floats]:
    """H (states, m, m) and h (states, m) of the sum of squares of all wrench components: B' B and B' w_0."""
    B, w0 = per_multiplier(rows, states, case)
    flat = B.reshape(rows.count, -1, len(rows.unit))
    return squares(rows, B), np.einsum("...ij,...i->...j", flat, w0.reshape(rows.count, -1))


def per_multiplier(rows: ClosedRows, states: States, case: LoadCase) -> tuple[Floats, Floats]:
    """Wrenches at the joints of the tree in their axes: (states, joints, 6, m), what a unit of each multiplier adds;
    and (states, joints, 6), what the loads alone do.
    """
    arm, m, count = rows.closing.arm, len(rows.unit), rows.count
    units = np.zeros((1 + m, count, m))
    for k, size in enumerate(rows.unit):
        units[1 + k, :, k] = size
    external = {**(case.external or {}), **on_cuts(rows, units)}
    loads = {"external": external} if external else {}
    found = at_once(arm.cut.joint_wrenches, *states, **loads, **case.on_links)
    of_tree = [arm.cut.joint_names.index(name) for name in arm.joint_names]
    six = np.concatenate([found.force[..., of_tree, :], found.torque[..., of_tree, :]], axis=-1)
    six = np.broadcast_to(six, (1 + m, count, *six.shape[-2:]))
    return np.moveaxis(six[1:] - six[:1], 0, -1), six[0]


def squares(rows: ClosedRows, B: Floats) -> Floats:
    """H (states, m, m): the sum of squares of all wrench components that multipliers put on joints and loops."""
    arm, m, count = rows.closing.arm, len(rows.unit), rows.count
    own = np.zeros((count, m, m))
    for number in range(len(arm.loops)):
        mine = [k for k, of in enumerate(rows.closing.loop_of) if of == number]
        S = np.concatenate([rows.force[:, mine], rows.torque[:, mine]], axis=-1)
        own[:, np.ix_(mine, mine)[0], np.ix_(mine, mine)[1]] = S @ np.swapaxes(S, -1, -2)
    for k, coupling in enumerate(arm.couplings, start=m - len(arm.couplings)):  # the forces that it puts on its joints
        own[:, k, k] = sum(factor**2 for _, factor in coupling.ratios)
    flat = B.reshape(count, -1, m)
    result: Floats = np.swapaxes(flat, -1, -2) @ flat + own * rows.unit[:, None] * rows.unit
    return result
