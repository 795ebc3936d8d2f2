"""Contacts on patches of friction: states in groups of those whose contacts stand on the same patches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.state import State


def in_frame_of_ground(points: Floats, pose: Floats) -> Floats:
    """Points (..., k, 2) of bases with the poses (..., 3) x, y, heading, in the frame of the ground."""
    c, s = np.cos(pose[..., 2, None]), np.sin(pose[..., 2, None])
    x, y = points[..., 0], points[..., 1]
    return np.stack([pose[..., 0, None] + c * x - s * y, pose[..., 1, None] + s * x + c * y], axis=-1)


def patches_under(state: State) -> Ints:
    """(count, contacts): number of the patch under each contact, -1 where there is none."""
    assert state.pose is not None
    if state.stance is None:
        at = in_frame_of_ground(state.placed.points, state.pose)
    else:
        p = state.placed.points
        flat = np.concatenate([p, np.zeros((*p.shape[:-1], 1))], axis=-1)
        at = (state.stance.origin[..., None, :] + np.einsum("...ij,...kj->...ki", state.stance.rotation, flat))[..., :2]
    number = state.rover.ground.patch_number(at[..., 0], at[..., 1])
    return np.broadcast_to(number, (*state.batch, number.shape[-1])).reshape(state.count, number.shape[-1])


def static_friction(state: State, k: int) -> Floats:
    """(...): static friction coefficients of contact k, on patches or beside them; NaN where it is not known."""
    friction = state.rover.friction_of(state.rover.contact_names[k])
    own = np.nan if friction is None else friction.static
    if state.pose is None:
        return np.full(state.batch, own)
    each = np.array([*(patch.friction.static for patch in state.rover.ground.patches), own])  # own is number -1
    result: Floats = each[patches_under(state)[:, k]].reshape(state.batch)
    return result


@lru_cache(maxsize=256)
def on_patches(rover: Rover, numbers: tuple[int, ...]) -> Rover:
    """The rover on plain ground, every contact with the friction of the patch of that number; its own for -1."""
    patches = rover.ground.patches
    wheels = tuple(wheel if k < 0 else replace(wheel, friction=patches[k].friction)
                   for wheel, k in zip(rover.base.wheels, numbers, strict=True))
    changed: Rover = replace(rover, wheeled_base=replace(rover.base, wheels=wheels),
                             ground=replace(rover.ground, patches=()))
    return changed


def each_patch(state: State) -> Iterator[tuple[NDArray[np.intp], State]]:
    """The states that stand on the same patches, and which they are, on a rover that has the frictions of these."""
    under, of_state = np.unique(patches_under(state), axis=0, return_inverse=True)
    for k, numbers in enumerate(under):
        at = np.flatnonzero(of_state.ravel() == k)
        yield at, replace(state.rows(at), rover=on_patches(state.rover, tuple(numbers.tolist())), pose=None)
