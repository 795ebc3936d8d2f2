"""How a base at rest stands on uneven ground: its height, pitch and roll, which contacts touch, and the normals there.

The base's origin is over the point (x, y) of the ground's plane, at the height z, and its axes are turned against those
of the ground by C = Rz(heading) Ry(pitch) Rx(roll). Contacts are points (p_x, p_y, 0) of the base, and the ground under
them is z = height(x, y) + block, a block being what is put under a contact: a plank, a jack that is out. Three contacts
touch where

    (O + C p)_z = height((O + C p)_x, (O + C p)_y) + block,

three equations in z, pitch and roll, which Newton's method solves. A rigid base on more than three contacts stands on
three of them such that no other is below the ground, and the load presses on all three; others that touch as well carry
with them, those above the ground do not. On springs all of them count: their design position is the plane nearest to
the ground under them, and springs sink in from there by what is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.base_in_space import base_position
from loadpath.robot.arrays import numbers
from loadpath.robot.wheels.ground import Ground
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_ITERATIONS = 30
EXACT, TOUCHES = 1e-9, 1e-7
"""m: how exactly contacts are put on the ground, and up to which gap they touch it."""


@dataclass(frozen=True, eq=False)
class Stance:
    """How a base stands, for states (...)."""

    rotation: Floats
    """(..., 3, 3): C, from base axes to those of the ground."""
    origin: Floats
    """(..., 3): of the base, in the frame of the ground (m)."""
    gaps: Floats
    """(..., contacts): height of the contacts over the ground (m)."""
    normals: Floats
    """(..., contacts, 3): unit vectors out of the ground at the contacts, in base axes."""
    pitch: Floats
    """(...): rad, positive where the base's front is low."""
    roll: Floats
    """(...): rad, positive where its right side is low."""

    @property
    def heave(self) -> Floats:
        """(...): height of the base's origin over the plane of the ground (m)."""
        return self.origin[..., 2]

    @property
    def touching(self) -> Bools:
        """(..., contacts): which contacts touch the ground."""
        result: Bools = ~(self.gaps > TOUCHES)
        return result

    def rows(self, some: slice | NDArray[np.intp], batch: tuple[int, ...], count: int) -> Stance:
        """Some of the states, in a row."""
        parts = {}
        for part in fields(self):
            value, core = getattr(self, part.name), _CORES[part.name]
            if value.ndim == core:  # the same in all states
                parts[part.name] = value
                continue
            whole = np.broadcast_to(value, (*batch, *value.shape[value.ndim - core :]))
            parts[part.name] = whole.reshape((count, *whole.shape[len(batch) :]))[some]
        return Stance(**parts)

    def where(self, better: Bools, other: Stance) -> Stance:
        """The other stance where that is better."""
        parts = {}
        for part in fields(self):
            choose = better.reshape((*better.shape, *(1,) * _CORES[part.name]))
            parts[part.name] = np.where(choose, getattr(other, part.name), getattr(self, part.name))
        return Stance(**parts)


_CORES = {"rotation": 2, "origin": 1, "gaps": 1, "normals": 2, "pitch": 0, "roll": 0}


def blocks_under(rover: Rover, given: Any) -> Floats:
    """(..., contacts): how much higher the ground is under contacts, from a mapping by names or an array."""
    names = rover.contact_names
    if given is None:
        return np.zeros(len(names))
    if not isinstance(given, Mapping):
        blocks = numbers(given, "heights")
        if blocks.shape[-1:] != (len(names),):
            raise ValueError(f"heights have the shape {blocks.shape}: expected (..., {len(names)}), one for each "
                             f"contact ({', '.join(names)}), or a mapping by their names")
        return blocks
    if wrong := [name for name in given if name not in names]:
        raise ValueError(f"heights names '{wrong[0]}'; there are {', '.join(names)}")
    each = {name: numbers(value, f"height under '{name}'") for name, value in given.items()}
    blocks = np.zeros((*np.broadcast_shapes(*(value.shape for value in each.values())), len(names)))
    for name, value in each.items():
        blocks[..., names.index(name)] = value
    return blocks


def stances(rover: Rover, base: Mapping[str, Any], points: Floats) -> list[tuple[Stance, Ints]]:
    """All ways to stand on three contacts, at points (..., contacts, 2) of the base, and which these are."""
    where, heading, points, blocks = _places(rover, base, points)
    found = []
    for three in combinations(range(points.shape[-2]), 3):
        at = np.array(three)
        corners = points[..., at, :]
        a, b = corners[..., 1, :] - corners[..., 0, :], corners[..., 2, :] - corners[..., 0, :]
        if (np.abs(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]) < 1e-9 * rover.arrangement.size**2).any():
            continue  # in a line
        found.append((_standing(rover.ground, where, heading, points, blocks, at), at))
    return found


def mean_stance(rover: Rover, base: Mapping[str, Any], points: Floats) -> Stance:
    """The base frame in the plane nearest to the ground under all contacts, by least squares of the gaps."""
    every = np.arange(points.shape[-2])
    return _standing(rover.ground, *_places(rover, base, points), every)


def _places(rover: Rover, base: Mapping[str, Any], points: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Where the base is on the ground (..., 2), its heading, its contacts, and what is put under them."""
    where, blocks = base_position(base), blocks_under(rover, base.get("heights"))
    heading = numbers(0.0 if base.get("heading") is None else base["heading"], "heading")
    shape = np.broadcast_shapes(where.shape[:-1], heading.shape, blocks.shape[:-1], points.shape[:-2])
    where = np.broadcast_to(where, (*shape, 2))
    points = np.broadcast_to(points, (*shape, *points.shape[-2:]))
    blocks = np.broadcast_to(blocks, (*shape, blocks.shape[-1]))
    return where, np.broadcast_to(heading, shape), points, blocks


def _standing(
    ground: Ground, where: Floats, heading: Floats, points: Floats, blocks: Floats, three: Ints
) -> Stance:
    """On three contacts exactly; near to more of them."""
    z, pitch, roll = (np.zeros(heading.shape) for _ in range(3))
    c, s = np.cos(heading)[..., None], np.sin(heading)[..., None]

    def placed(p: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats, Floats]:
        """x, y of points in the frame of the ground, heights over the base's origin, and what pitch and roll do."""
        cb, sb, ca, sa = (f(part)[..., None] for part in (pitch, roll) for f in (np.cos, np.sin))
        px, py = p[..., 0], p[..., 1]
        u, v, w = cb * px + sb * py * sa, py * ca, -sb * px + cb * py * sa
        x, y = where[..., :1] + c * u - s * v, where[..., 1:] + s * u + c * v
        return x, y, w, -cb * px - sb * py * sa, cb * py * ca, w, sb * py * ca, -py * sa

    corners, under = points[..., three, :], blocks[..., three]
    for _ in range(_ITERATIONS):
        x, y, w, w_pitch, w_roll, u_pitch, u_roll, v_roll = placed(corners)
        slopes = ground.surface.gradient(x, y) if ground.surface is not None else np.zeros((*x.shape, 2))
        left = z[..., None] + w - ground.height(x, y) - under
        along, across = slopes[..., 0] * c + slopes[..., 1] * s, slopes[..., 1] * c - slopes[..., 0] * s
        matrix = np.stack([np.ones(left.shape), w_pitch - along * u_pitch, w_roll - along * u_roll - across * v_roll],
                          axis=-1)
        unknown = np.isnan(left).any(axis=-1)
        matrix[unknown] = np.eye(*matrix.shape[-2:])
        if len(three) > 3:
            left = (np.swapaxes(matrix, -1, -2) @ left[..., None])[..., 0]
            matrix = np.swapaxes(matrix, -1, -2) @ matrix
        step = np.linalg.solve(matrix, left[..., None])[..., 0]
        z, pitch, roll = (part - step[..., k] for k, part in enumerate((z, pitch, roll)))
        if not (np.abs(step) > 1e-15).any() and not (np.abs(left) > EXACT).any():
            break
    x, y, w, *_ = placed(points)
    gaps = z[..., None] + w - ground.height(x, y) - blocks
    if len(three) == 3 and (np.abs(gaps[..., three]) > EXACT).any():
        at = np.argwhere((np.abs(gaps[..., three]) > EXACT).any(axis=-1))[0]
        raise ValueError(f"a contact of the base stands on the edge of a step of the ground, at the position "
                         f"{where[tuple(at)].tolist()}: move it by a millimetre")
    C = rotation_of(heading, pitch, roll)
    normals = np.einsum("...ji,...kj->...ki", C, ground.normal(x, y))
    origin = np.concatenate([where, z[..., None]], axis=-1)
    return Stance(C, origin, gaps, normals, pitch, roll)


def rotation_of(heading: Floats, pitch: Floats, roll: Floats) -> Floats:
    """(..., 3, 3): Rz Ry Rx."""
    cc, sc, cb, sb, ca, sa = (f(part) for part in (heading, pitch, roll) for f in (np.cos, np.sin))
    rows = [[cb * cc, sa * sb * cc - ca * sc, ca * sb * cc + sa * sc],
            [cb * sc, sa * sb * sc + ca * cc, ca * sb * sc - sa * cc],
            [-sb, sa * cb, ca * cb]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
