"""What the wrenches of loops do to the stiffness of an arm, beyond forces that stay as they are.

In `geometric_stiffness` a loop exerts dead forces f and semi-tangential torques t on the links at both sides of its
cut. On the closed robot they do, to second order, the work

    W = f . (theta_m x delta) + 1/2 t . (theta x phi) + 1/2 f . (theta x (theta x r)) + 1/2 (f, t) . a,

theta the rotation of the first side, delta and phi displacement and rotation of the second side against the first,
theta_m = theta + phi / 2 halfway between them, r from the first side to the second, and a what the path of the loop's
joint leaves that of a constant twist by (`path_rates`). But a loop turns with its links and does no work on what it
allows, so the Hessian of W comes in addition. Where its joint gives way, its reaction acts halfway between both sides,
and it gives way beyond its free motion, as joints of the tree do: with the free twist (v, w) and that by which it gives
way, (v', w'), there is also

    1/2 (f . (w x v' + v x w') + t . (w x w')).

The free joints of the tree are pieces whose coordinates are twists. Those whose freedoms change as they move leave
the path of a constant twist by a, too, and the loads beyond do the work 1/2 (F, M) . a: less of the Hessian.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.structure.vibration.closing import ClosedRows, path_rates, subspaces
from loadpath.structure.vibration.world_axes import skew

if TYPE_CHECKING:
    from loadpath.structure.vibration.placed import PlacedModel


def turning_loops(placed: PlacedModel, loads: Floats, exerted: Floats | None) -> Iterator[tuple[Floats, Floats]]:
    """Pairs of factors (states, k, size), from the loads (states, pieces, 18) of all pieces and what the loops exert on
    their second links (states, loops, 6), world axes.
    """
    rows = placed.closed
    if rows is None or exerted is None:
        return
    for number, (first, second) in enumerate(rows.closing.markers):
        one, other = (_motion(placed, side) for side in (first, second))
        f, t = exerted[:, number, :3], exerted[:, number, 3:]
        r = placed.p[:, second] - placed.p[:, first]
        theta, phi = one[:, 3:], other[:, 3:] - one[:, 3:]
        delta = other[:, :3] - one[:, :3] + skew(r) @ theta
        yield delta, skew(f) @ (theta + 0.5 * phi)
        yield phi, 0.5 * skew(t) @ theta
        across = f[:, :, None] * r[:, None]
        levers = 0.5 * (across + np.swapaxes(across, -1, -2)) - np.einsum("si,si->s", f, r)[:, None, None] * np.eye(3)
        yield theta, 0.5 * levers @ theta
        free = np.concatenate([delta, phi], axis=1)
        if (own := rows.closing.own_numbers[number]) is not None:
            soft = _moved_by(placed, np.eye(len(placed.model.pieces))[own][None], second)
            free = free - soft
            yield free[:, 3:], -0.5 * (skew(f) @ soft[:, :3] + skew(t) @ soft[:, 3:])
            yield free[:, :3], -0.5 * skew(f) @ soft[:, 3:]
        yield from _of_path(placed, rows, number, free, exerted[:, number])
    yield from _of_joints(placed, rows, loads)


def _motion(placed: PlacedModel, link: int) -> Floats:
    """(states, 6, size): displacement of the origin of a link's joint frame, and rotation of the frame."""
    return _moved_by(placed, placed.extension.on_frames[:, link], link)


def _moved_by(placed: PlacedModel, which: Floats, link: int) -> Floats:
    """The same, by some pieces (states, pieces)."""
    twist = placed.reduced(placed.twists * which[:, None, placed.model.piece_of])
    return np.concatenate([twist[:, :3] - skew(placed.p[:, link]) @ twist[:, 3:], twist[:, 3:]], axis=1)


def _of_path(
    placed: PlacedModel, rows: ClosedRows, number: int, free: Floats, exerted: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """Of a loop's joint whose freedoms change as it moves; `free` is its free twist (states, 6, size)."""
    motion, (first, second) = rows.closing.arm.loops[number].motion, rows.closing.markers[number]
    if motion.dof < 2:
        return
    back = np.swapaxes(placed.R[:, first], -1, -2)
    shift = np.einsum("sij,sj->si", back, placed.p[:, second] - placed.p[:, first])
    at = motion.coordinates_at(back @ placed.R[:, second], shift)
    rates = path_rates(motion, at)
    if not np.any(rates):
        return
    S, R = subspaces(motion, at), np.swapaxes(placed.R[:, second], -1, -2)
    seen = np.concatenate([R @ free[:, :3], R @ free[:, 3:]], axis=1)
    speeds = np.linalg.pinv(S) @ seen
    wrench = np.concatenate([np.einsum("sij,sj->si", R, part) for part in (exerted[:, :3], exerted[:, 3:])], axis=-1)
    yield speeds, 0.5 * np.einsum("si,sijk->sjk", wrench, np.broadcast_to(rates, (len(wrench), *rates.shape[1:]))
                                  ) @ speeds


def _of_joints(placed: PlacedModel, rows: ClosedRows, loads: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Of the free joints of the tree whose freedoms change as they move."""
    for joint in rows.closing.joints:
        body = joint.body
        if joint.guided or body.motion.dof < 2:
            continue
        rates = path_rates(body.motion, body.multiplier * placed.q[:, body.q] + body.offset)
        if not np.any(rates):
            continue
        G = loads[:, joint.piece, 3:12].reshape(-1, 3, 3)
        moment = np.stack([G[:, 1, 2] - G[:, 2, 1], G[:, 2, 0] - G[:, 0, 2], G[:, 0, 1] - G[:, 1, 0]], axis=-1)
        wrench = np.concatenate([loads[:, joint.piece, :3], moment], axis=-1)
        own, at = ([each[k] for each in joint.speeds] for k in range(2))
        speeds = placed.allowed(rows.turned[:, at])
        K = np.einsum("si,sijk->sjk", wrench, np.broadcast_to(rates, (len(wrench), *rates.shape[1:])))
        yield speeds, -0.5 * K[:, own][:, :, own] @ speeds
