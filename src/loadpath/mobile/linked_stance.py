"""How a base with wheels on links stands at rest on uneven ground: rockers, bogies and hitches that nod follow it.

Height, pitch and roll of the base and the passive freedoms that move wheels up and down are found from the ground, all
other joints are as q has them. As many contacts as these are unknowns touch: of a rover with a differential between its
rockers all six wheels; where there are more, the base stands on those of them that press on the ground, no other being
below it. Wheels are discs: one touches a radius from its hub, against the normal of the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.base_in_space import base_in_space, base_position
from loadpath.mobile.linked_state import LinkedState, of_contacts
from loadpath.mobile.links import Linkage
from loadpath.mobile.normals import on_rows
from loadpath.mobile.stance import EXACT, TOUCHES, Stance, blocks_under, rotation_of
from loadpath.robot.arrays import numbers
from loadpath.scalars.types import Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_ITERATIONS, _LARGEST = 60, 0.3
"""Steps, and the largest turn in one (rad)."""


def stand_on_links(
    rover: Rover, states: tuple[Any, Any, Any], base: Mapping[str, Any]
) -> tuple[Floats, Floats, Floats, Stance, LinkedState]:
    """Wrench of the ground, gravity, how the base stands, and its contacts, (...) each."""
    linkage = rover.linkage
    assert linkage is not None
    if linkage.robot.loops:
        raise ModelError(f"rover '{rover.name}' has wheels on links that loops hold, on ground that is uneven: how "
                         "they follow it is known of joints that couplings or mimics tie, not of loops")
    q, qd, qdd = (np.asarray(part, dtype=float) for part in states)
    if qd.any() or qdd.any():
        raise ValueError("qd or qdd is given on ground that is uneven, on which loads are those of a rover at rest")
    where, blocks = base_position(base), blocks_under(rover, base.get("heights"))
    heading = numbers(0.0 if base.get("heading") is None else base["heading"], "heading")
    shape = np.broadcast_shapes(q.shape[:-1], where.shape[:-1], heading.shape, blocks.shape[:-1])
    count = int(np.prod(shape, dtype=int))
    q, where, blocks = (np.array(np.broadcast_to(part, (*shape, part.shape[-1]))).reshape(count, part.shape[-1])
                        for part in (q, where, blocks))
    heading = np.broadcast_to(heading, shape).reshape(count)
    flat = {**base, "position": where, "heading": heading}
    flat = {key: value for key, value in flat.items() if key != "heights"}
    unknowns, contacts = 3 + linkage.freedoms[0], len(rover.contact_names)
    best: tuple[Floats, Floats, Floats, Floats, Stance, LinkedState] | None = None
    for members in combinations(range(contacts), unknowns):
        try:
            stance, placed, points = _standing(rover, linkage, q, where, heading, blocks, np.array(members))
        except np.linalg.LinAlgError:
            continue  # in a line, or all on one side
        still = np.zeros(3)
        moves = base_in_space(rover.ground, flat, still, still, stance)
        given = {} if base.get("external") is None else {"external": base["external"]}
        force, torque = rover.compiled_ground_wrench(
            placed, np.zeros(rover.n), np.zeros(rover.n), velocity=still, acceleration=still, in_space=moves.row,
            **given,
        )
        case = {"base_velocity": moves.velocity, "base_acceleration": moves.acceleration, "gravity": moves.gravity,
                **given}
        zero = np.zeros((count, rover.n))
        linked = of_contacts(rover, (placed, zero, zero), linkage.hubs(placed), points, stance.normals, case,
                             stance.touching)
        linked = linked.rows(slice(None), (count,), count)
        vertical = np.concatenate([force[:, 2:], torque[:, :2], linked.load[:, : linked.lifting]], axis=-1)
        with np.errstate(invalid="ignore"):
            carried = on_rows(linked.hung.normal_rows[:, members], np.ones(unknowns), vertical).normal
        stands = ~(stance.gaps < -TOUCHES).any(axis=-1)
        score = np.where(stands, np.nan_to_num(carried.min(axis=-1), nan=-np.inf), -np.inf)
        found = score, force, torque, np.broadcast_to(moves.gravity, (count, 3)), stance, linked
        best = found if best is None else _better(best, found)
    if best is None:
        raise ModelError(f"rover '{rover.name}' does not stand on its wheels on this ground: no {unknowns} of its "
                         "contacts hold base and passive joints")
    _, force, torque, gravity, stance, linked = best

    def shaped(part: Any) -> Any:
        return part.reshape((*shape, *part.shape[1:]))

    return (shaped(force), shaped(torque), shaped(gravity), _shaped(stance, shape),
            replace(_shaped(linked, shape), lifting=linked.lifting))


def _better(best: Any, found: Any) -> Any:
    choose = found[0] > best[0]
    parts = [np.where(choose.reshape(-1, *(1,) * (new.ndim - 1)), new, old)
             for old, new in zip(best[:4], found[:4], strict=True)]
    linked = {}
    for name in ("q", "qd", "qdd", "points", "normals", "J", "load", "touching", "bias", "directions"):
        old, new = getattr(best[5], name), getattr(found[5], name)
        linked[name] = np.where(choose.reshape(-1, *(1,) * (new.ndim - 1)), new, old)
    return (*parts, best[4].where(choose, found[4]), replace(best[5], **linked))


def _shaped(whole: Any, shape: tuple[int, ...]) -> Any:
    """The same with the batch axes of the states."""
    arrays = {name: value.reshape((*shape, *value.shape[1:])) for name, value in vars(whole).items()
              if isinstance(value, np.ndarray) and not name.startswith("_")}
    return replace(whole, **arrays)


def _standing(
    rover: Rover, linkage: Linkage, q: Floats, where: Floats, heading: Floats, blocks: Floats, members: Ints
) -> tuple[Stance, Floats, Floats]:
    """How the base stands with some contacts on the ground, coordinates of the joints, and points (s, contacts, 3)."""
    count, ground = len(q), rover.ground
    z, pitch, roll, q = np.zeros(count), np.zeros(count), np.zeros(count), q.copy()
    n = np.broadcast_to(np.array([0.0, 0.0, 1.0]), (count, len(rover.contact_names), 3))
    still = False
    for _ in range(_ITERATIONS):
        hubs = linkage.hubs(q)
        C = rotation_of(heading, pitch, roll)
        normals = np.einsum("sji,skj->ski", C, n)
        axle = np.cross(hubs.up, hubs.forward)
        down = normals - (normals * axle).sum(axis=-1, keepdims=True) * axle
        down = down / np.linalg.norm(down, axis=-1, keepdims=True)
        points = hubs.center - linkage.radius[:, None] * down
        at = np.einsum("sij,skj->ski", C, points)
        x, y = where[:, :1] + at[..., 0], where[:, 1:] + at[..., 1]
        gaps = z[:, None] + at[..., 2] - ground.height(x, y) - blocks
        n = ground.normal(x, y)
        if still and not (np.abs(gaps[:, members]) > EXACT).any():
            return (Stance(C, np.concatenate([where, z[:, None]], axis=-1), gaps, normals, pitch, roll), q, points)
        J = hubs.point_jacobian(points)
        P = linkage.directions(q, (normals[..., None, :] @ J)[..., 0, :])[..., : linkage.freedoms[0]]
        ca, sa = np.cos(roll), np.sin(roll)
        about = np.stack([0.0 * ca, ca, -sa], axis=-1)[:, None]
        tilts = [np.cross(axis, points) for axis in (about, np.array([1.0, 0.0, 0.0]))]
        columns = [np.ones(gaps.shape)] + [(normals * tilt).sum(axis=-1) / n[..., 2] for tilt in tilts]
        joints = ((normals[..., None, :] @ J)[..., 0, :] @ P) / n[..., 2, None]
        matrix = np.concatenate([np.stack(columns, axis=-1), joints], axis=-1)[:, members]
        if (np.linalg.cond(matrix) > 1e10).any():
            raise np.linalg.LinAlgError
        step = np.linalg.solve(matrix, -gaps[:, members, None])[..., 0]
        step *= np.minimum(1.0, _LARGEST / np.maximum(np.abs(step[:, 1:]).max(axis=-1), 1e-300))[:, None]
        z, pitch, roll = z + step[:, 0], pitch + step[:, 1], roll + step[:, 2]
        q = q + (P @ step[:, 3:, None])[..., 0] if P.shape[-1] else q
        still = not (np.abs(step) > 1e-12).any()
    worst = int(np.abs(gaps[:, members]).max(axis=-1).argmax())
    raise ValueError(f"rover '{rover.name}' was not found to stand on its ground at the position "
                     f"{where[worst].tolist()}, {float(np.abs(gaps[worst, members]).max()):.3g} m are open: is a wheel "
                     "on the edge of a step, or the ground steeper than its joints can follow?")
