"""Forces at the contacts of a base at rest on uneven ground, where every contact has a normal of its own.

With the normals n_k and directions of grip d_r in base axes, contacts at (x, y, 0), the balance of the base has two
parts, of which a plane leaves only the first terms:

    F_z, N_x, N_y  =  sum n_z N (1, y, -x)             +  sum d_z f (1, y, -x),
    F_x, F_y, N_z  =  sum f (d_x, d_y, x d_y - y d_x)  +  sum N (n_x, n_y, x n_y - y n_x).

The normal forces N share the one, friction f the other, both by the rules of plane ground (`normals`, `sharing`), in
turns until both hold.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loadpath.mobile.arrangement import Arrangement, Placed
from loadpath.mobile.contacts.given_motion import Loads
from loadpath.mobile.contacts.plane import ContactModel, carrying
from loadpath.mobile.contacts.sharing import SOFT, groups_of, shared
from loadpath.mobile.normals import share_normals
from loadpath.mobile.stance import Stance
from loadpath.mobile.support import edges_of
from loadpath.scalars.types import Bools, Floats

_TURNS, _SETTLED = 100, 1e-12


def contact_axes(placed: Placed, normals: Floats) -> tuple[Floats, Floats]:
    """Unit vectors (..., contacts, 3) along which contacts roll and to the left of it, along the ground."""
    flat = np.concatenate([placed.forward, np.zeros((*placed.forward.shape[:-1], 1))], axis=-1)
    forward = flat - (flat * normals).sum(axis=-1, keepdims=True) * normals
    forward = forward / np.linalg.norm(forward, axis=-1, keepdims=True)
    return forward, np.cross(normals, forward)


def settle_on_uneven(
    model: ContactModel,
    wheels: Arrangement,
    placed: Placed,
    stance: Stance,
    force: Floats,
    torque: Floats,
    *,
    by_load: bool = False,
    carried_by: Callable[[Floats], tuple[Floats, Bools]] | None = None,
) -> Loads:
    """Forces in states (s, ...) of a base at rest. `carried_by` has what contacts on springs carry along z of loads
    (s, 3), and whether the base tips.
    """
    count, contacts, static = len(force), len(model.wheels), np.array(model.static)
    normals = np.broadcast_to(stance.normals, (count, contacts, 3))
    touching = np.broadcast_to(stance.touching, (count, contacts))
    forward, left = contact_axes(placed, normals)
    open_ = carrying(model)
    resting = list(dict.fromkeys(open_.group))
    number = {key: contacts + i for i, key in enumerate(resting)}
    groups = groups_of(np.concatenate([open_.grip.contact, np.array([number[g] for g in open_.group], dtype=np.intp)]),
                       contacts + len(resting))
    firm = np.arange(groups.member.shape[1]) >= contacts
    at = [k for k, _ in resting]

    of_row = np.concatenate([open_.grip.contact, open_.resting.contact]).astype(np.intp)
    local = np.concatenate([open_.grip.local, open_.resting.local])
    d = local[:, 0, None] * forward[:, of_row] + local[:, 1, None] * left[:, of_row]
    x, y = wheels.pivots[of_row].T
    flat = np.stack([d[..., 0], d[..., 1], x * d[..., 1] - y * d[..., 0]], axis=-1)
    upright = d[..., 2, None] * np.stack([np.ones(len(x)), y, -x], axis=-1)
    points = np.broadcast_to(placed.points, (count, contacts, 2))
    px, py = points[..., 0], points[..., 1]
    pushes = np.stack([normals[..., 0], normals[..., 1], px * normals[..., 1] - py * normals[..., 0]], axis=-1)
    vertical = np.stack([force[:, 2], torque[:, 0], torque[:, 1]], axis=-1)
    plane = np.stack([force[:, 0], force[:, 1], torque[:, 2]], axis=-1)
    friction, normal = np.zeros((count, d.shape[1])), np.zeros((count, contacts))
    missing, tips = np.zeros((count, 3)), np.zeros(count, dtype=bool)
    for _ in range(_TURNS):
        load = vertical - np.einsum("sk,skj->sj", friction, upright)
        carried, tips = (_carried(points, wheels.compliance, load, touching) if carried_by is None
                         else carried_by(load))
        normal = carried / normals[..., 2]
        pressed = np.maximum(normal, 0.0)
        stiffness = pressed if by_load else (normal != 0.0) / wheels.grip_compliance
        with np.errstate(invalid="ignore"):
            grip = np.where(np.isinf(static), np.inf, static * pressed)
        weight = np.concatenate([stiffness, stiffness[:, at] / SOFT], axis=-1)
        limit = np.concatenate([grip, np.array(model.rolling)[at] * pressed[:, at]], axis=-1)
        asked = plane - np.einsum("sk,skj->sj", normal, pushes)
        result = shared(flat, groups, weight, limit, asked, wheels.size, firm=firm)
        change = np.abs(result.forces - friction)
        friction, missing = result.forces, result.missing
        if not (change > _SETTLED * np.abs(vertical[:, :1])).any():
            break
    along, across, turning = (np.zeros((count, contacts)) for _ in range(3))
    spins = np.concatenate([open_.grip.spin, np.array(open_.spin)])
    for j, k in enumerate(of_row):
        along[:, k] += local[j, 0] * friction[:, j]
        across[:, k] += local[j, 1] * friction[:, j]
        turning[:, k] -= spins[j] * friction[:, j]
    return Loads(normal, along, across, np.where(wheels.driven, turning, 0.0), missing, tips)


def _carried(points: Floats, compliance: Floats, load: Floats, touching: Bools) -> tuple[Floats, Bools]:
    """What the contacts (s, contacts) that touch carry along the base's z axis, and whether the base tips."""
    result, tips = np.zeros(touching.shape), np.zeros(len(load), dtype=bool)
    patterns, of_state = np.unique(touching, axis=0, return_inverse=True)
    for i, pattern in enumerate(patterns):
        some, those = np.flatnonzero(of_state.ravel() == i), np.flatnonzero(pattern)
        places = points[np.ix_(some, those)]
        over = (edges_of(places).moments(load[some]).min(axis=-1) < 0) | (load[some, 0] <= 0)
        result[np.ix_(some, those)] = share_normals(places, compliance[those], load[some], np.asarray(over))
        tips[some] = over
    return result, tips
