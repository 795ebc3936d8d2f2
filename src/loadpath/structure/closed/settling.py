"""What the loops of an elastic robot exert.

All loops are cut. The wrenches that they exert are w = sum of lambda_k times the held directions S_k. Free joints give
no force, J' lambda = (tau_tree - tau_drives) at the dependent speeds, which leaves lambda = lambda_0 + N c with N a
basis of what they do not feel. The tree with its joints held bends, and the sides of the cuts move against each other
by

    delta = delta_0 + F lambda,        F = A A',

A the rows of the loops in elastic coordinates (`vibration.closing`), delta_0 of the loads alone. Free joints turn by dq
to close the cuts, J dq + delta = 0, so that N' delta = 0 is what settles c. That is the state of least elastic energy.
Directions in which nothing gives way are settled by the rule of rigid robots: the least sum of squares of the wrench
components at all joints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.quantities.wrench import Wrench
from loadpath.robot.beams.cut import marker
from loadpath.scalars.types import Bools, Floats
from loadpath.states import LoadCase
from loadpath.structure.few_states import at_once
from loadpath.structure.quantities import ElasticQuantities

if TYPE_CHECKING:
    from loadpath.structure.vibration.closing import ClosedRows

States = tuple[Floats, ...]
STIFF = 1e-11
"""Directions that give way by less than this part of the softest count as rigid."""


class Settled(NamedTuple):
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


def settle(
    rows: ClosedRows, states: States, case: LoadCase, effects: tuple[str, ...], strict: bool = True
) -> Settled:
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
    delta = _opened(rows, moved, turned)
    lam, dq = _solved(rows, delta, missing, lambda: _rule(rows, states, case))
    coordinates = np.zeros((len(lam), rows.placed.model.total))
    coordinates[:, :size] = np.einsum("ski,sk->si", rows.A, lam)
    coordinates[:, size : size + rows.closing.count] = np.einsum("sip,sp->si", rows.B, dq)
    rows.placed.put_slides(coordinates)
    lam = lam * rows.unit
    exerted = np.concatenate(rows.wrenches(lam), axis=-1)
    return Settled(lam, exerted, on_cuts(rows, lam), coordinates, moved, turned)


def on_cuts(rows: ClosedRows, multipliers: Floats) -> dict[str, Wrench]:
    """What multipliers (..., states, m) put on the links at the cuts."""
    force, torque = rows.wrenches(multipliers)
    found = {}
    for number, loop in enumerate(rows.closing.arm.loops):
        f, t = force[..., number, :], torque[..., number, :]
        mine = rows.closing.loop_of.index(number)
        found[marker(loop.name, "second")] = Wrench(f, t)
        found[marker(loop.name, "first")] = Wrench(-f, -t - np.cross(rows.arm[:, mine], f))
    return found


def _opened(rows: ClosedRows, moved: Floats, turned: Floats) -> Floats:
    """(states, m): how far the cuts open in the held directions, in the units of the rows."""
    names, arm = rows.closing.arm.cut.link_names, rows.closing.arm
    opened = np.zeros((len(moved), len(rows.unit)))
    for number, loop in enumerate(arm.loops):
        first, second = (names.index(marker(loop.name, side)) for side in ("first", "second"))
        for k in (k for k, of in enumerate(rows.closing.loop_of) if of == number):
            apart = moved[..., second, :] - moved[..., first, :]
            apart = apart - np.cross(turned[..., first, :], rows.arm[..., k, :])
            twist = turned[..., second, :] - turned[..., first, :]
            opened[..., k] = (rows.force[..., k, :] * apart + rows.torque[..., k, :] * twist).sum(-1)
    return opened * rows.unit


def _solved(rows: ClosedRows, delta: Floats, missing: Floats, rule: Any) -> tuple[Floats, Floats]:
    """Multipliers (states, m) and turns of the dependent joints (states, p)."""
    along, N, inverse = rows.along, rows.N, rows.inverse
    lam = np.einsum("ski,si->sk", along, np.einsum("sji,sj->si", inverse, missing))
    F = rows.A @ np.swapaxes(rows.A, -1, -2)
    if N.shape[-1]:
        b = np.einsum("ski,sk->si", N, np.einsum("skl,sl->sk", F, lam) + delta)
        e, V = np.linalg.eigh(np.swapaxes(N, -1, -2) @ F @ N)
        soft = e > STIFF * np.maximum(np.abs(F).max((-1, -2)), 1e-300)[..., None]
        c = -np.einsum("sij,sj->si", V, np.where(soft, 1.0 / np.where(soft, e, 1.0), 0.0)
                       * np.einsum("sij,si->sj", V, b))
        lam = lam + np.einsum("ski,si->sk", N, c)
        if not soft.all():
            lam = lam + _by_rule(N, V, soft, lam, *rule())
    gap = np.einsum("skl,sl->sk", F, lam) + delta
    turn = -np.einsum("sij,sj->si", inverse, np.einsum("ski,sk->si", along, gap))
    return lam, turn


def _by_rule(N: Floats, V: Floats, soft: Bools, lam: Floats, H: Floats, h: Floats) -> Floats:
    """What is added where nothing gives way, so that 1/2 lam' H lam + h' lam is least."""
    Z = np.einsum("...ki,...ij->...kj", N, V) * ~soft[..., None, :]
    G = np.swapaxes(Z, -1, -2) @ H @ Z + np.eye(soft.shape[-1]) * soft[..., None, :]
    g = np.einsum("...kj,...k->...j", Z, np.einsum("...kl,...l->...k", H, lam) + h)
    result: Floats = np.einsum("...kj,...j->...k", Z, np.linalg.solve(G, -g[..., None])[..., 0])
    return result


def _rule(rows: ClosedRows, states: States, case: LoadCase) -> tuple[Floats, Floats]:
    """H (states, m, m) and h (states, m) of the sum of squares of all wrench components: B' B and B' w_0."""
    arm, m, count = rows.closing.arm, len(rows.unit), rows.count
    units = np.zeros((1 + m, count, m))
    for k, size in enumerate(rows.unit):
        units[1 + k, :, k] = size
    external = {**(case.external or {}), **on_cuts(rows, units)}
    loads = {"external": external} if external else {}
    found = at_once(arm.cut.joint_wrenches, *states, **loads, **case.on_links)
    of_tree = [arm.cut.joint_names.index(name) for name in arm.joint_names]
    six = np.concatenate([found.force[..., of_tree, :], found.torque[..., of_tree, :]], axis=-1)
    flat = np.broadcast_to(six, (1 + m, count, *six.shape[-2:])).reshape(1 + m, count, -1)
    B, w0 = np.moveaxis(flat[1:] - flat[:1], 0, -1), flat[0]
    own = np.zeros((count, m, m))
    for number in range(len(arm.loops)):
        mine = [k for k, of in enumerate(rows.closing.loop_of) if of == number]
        S = np.concatenate([rows.force[:, mine], rows.torque[:, mine]], axis=-1)
        own[:, np.ix_(mine, mine)[0], np.ix_(mine, mine)[1]] = S @ np.swapaxes(S, -1, -2)
    for k, coupling in enumerate(arm.couplings, start=m - len(arm.couplings)):  # the forces that it puts on its joints
        own[:, k, k] = sum(factor**2 for _, factor in coupling.ratios)
    H = np.swapaxes(B, -1, -2) @ B + own * rows.unit[:, None] * rows.unit
    return H, np.einsum("...ij,...i->...j", B, w0)
