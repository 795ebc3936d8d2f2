"""Wrenches as arrows: which part of them is drawn, how long, and from where to where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadpath.scalars.types import Bools, Floats

Component = Literal["vector", "x", "y", "z", "along the axis", "across the axis"]
COMPONENTS: tuple[Component, ...] = ("vector", "x", "y", "z", "along the axis", "across the axis")
AxesOf = Literal["world", "joint"]
AXES_OF: tuple[AxesOf, ...] = ("world", "joint")

LONGEST = 0.3
"""Length of the longest arrow, of the robot's size."""
SHORTEST = 0.004
"""Of the longest arrow: shorter ones are left out."""


def in_world(turns: Floats, wrenches: Floats) -> Floats:
    """(joints, 2, 3): force and torque of wrenches (joints, 6) in joint axes, in world axes.

    >>> in_world(np.array([[[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]]), np.array([[1.0, 0, 0, 0, 0, 2]])).tolist()
    [[[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]]
    """
    found: Floats = np.einsum("jab,jkb->jka", turns, wrenches.reshape(-1, 2, 3))
    return found


def part_of(vectors: Floats, component: Component, axes: AxesOf, turns: Floats, along: Floats) -> Floats:
    """(joints, 2, 3), world axes: a part of forces and torques (joints, 2, 3) in world axes. x, y and z are those of
    the world, or of each joint; `along` (joints, 3) are the joints' axes in joint axes, zero where there is none.

    >>> v = np.array([[[1.0, 2.0, 3.0], [0.0, 0.0, 5.0]]])
    >>> part_of(v, "y", "world", np.eye(3)[None], np.zeros((1, 3)))[0, 0].tolist()
    [0.0, 2.0, 0.0]
    """
    if component == "vector":
        return vectors
    if component in ("x", "y", "z"):
        k = "xyz".index(component)
        direction = np.broadcast_to(np.eye(3)[k], (len(vectors), 3)) if axes == "world" else turns[:, :, k]
        has_axis: Bools = np.ones(len(vectors), dtype=bool)
    else:
        direction = np.einsum("jab,jb->ja", turns, along)
        has_axis = np.asarray(along.any(axis=1))
    found = np.einsum("jkb,jb->jk", vectors, direction)[..., None] * direction[:, None, :]
    if component == "across the axis":
        found = np.where(has_axis[:, None, None], vectors - found, 0.0)
    return np.asarray(found)


@dataclass
class ArrowScale:
    """How long an arrow is: the longest so far has the length `longest` (m)."""

    longest: float
    largest: float = 0.0
    """N or N m."""

    def see(self, vectors: Floats) -> None:
        """Take in what is to be drawn."""
        self.largest = max(self.largest, float(np.linalg.norm(vectors, axis=-1).max(initial=0.0)))

    @property
    def factor(self) -> float:
        """m for each N or N m."""
        return self.longest / self.largest if self.largest > 0 else 0.0


def arrows(origins: Floats, vectors: Floats, scale: ArrowScale, heads: int, head: float) -> Floats:
    """(arrows, 2, 3): starts and tips, those too short to be seen left out. A torque has two heads, one behind the
    other by 0.8 of the length of a head: an arrow within the arrow.

    >>> arrows(np.zeros((1, 3)), np.array([[0.0, 0.0, 10.0]]), ArrowScale(1.0, 10.0), 2, 0.25).tolist()
    [[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.8]]]
    """
    length = np.linalg.norm(vectors, axis=-1)
    shown = length > SHORTEST * scale.largest if scale.largest > 0 else np.zeros(len(length), dtype=bool)
    start, along = origins[shown], vectors[shown] * scale.factor
    found = [np.stack([start, start + along], axis=1)]
    if heads > 1:
        back = 0.8 * head * vectors[shown] / length[shown, None]
        found.append(np.stack([start, start + along - back], axis=1))
    return np.concatenate(found)
