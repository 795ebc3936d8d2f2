"""Surfaces of triangles: what meshes are read into, what is drawn, and the solid that a closed surface bounds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.robot.pose import Pose
from loadpath.robot.solids import Solid
from loadpath.scalars.types import ArrayLike, Floats

GRID = 2**18
"""Corners are one if they are in one cell of so many along the longest side of the box around them."""
THINNEST = 1e-9
"""Of the box around a surface: with less volume, it bounds none."""


@dataclass(frozen=True, eq=False)
class Triangles:
    """A surface: `vertices` (n, 3) in m, and for each triangle the numbers of its corners, `faces` (m, 3), counted
    counterclockwise seen from outside. `colors` (m, 4): red, green, blue and opacity of each face from 0 to 1, where
    they are known.

    >>> from loadpath.robot.triangles import box
    >>> box((1.0, 2.0, 3.0)).faces.shape
    (12, 3)
    """

    vertices: Floats
    faces: NDArray[np.int64]
    colors: Floats | None = None

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and the highest coordinates (m)."""
        used = np.zeros(len(self.vertices), dtype=bool)
        used[self.faces] = True
        corners = self.vertices[used]
        return corners.min(axis=0), corners.max(axis=0)

    def scaled(self, scale: Floats) -> Triangles:
        """Stretched along its axes; a mirror turns the faces round, so that outside stays outside."""
        if (scale == 1).all():
            return self  # with all that is known of it already
        mirrored = bool(np.prod(np.sign(scale)) < 0)
        return Triangles(self.vertices * scale, self.faces[:, ::-1] if mirrored else self.faces, self.colors)

    def placed(self, pose: Pose) -> Triangles:
        """In frame A, given in B; `pose` is that of B in A."""
        if pose == Pose():
            return self
        return Triangles(self.vertices @ pose.R.T + pose.p, self.faces, self.colors)

    @cached_property
    def joined(self) -> Triangles:
        """With corners in one place counted as one, and faces without an area left out. Files often write each face
        with corners of its own.
        """
        lower, upper = self.bounds
        grid = max(float((upper - lower).max()), 1e-300) / (GRID - 1)
        cells = np.clip(np.round((self.vertices - lower) / grid), -GRID, 2 * GRID).astype(np.int64) + GRID
        x, y, z = cells.T
        _, first, number = np.unique((x * 4 * GRID + y) * 4 * GRID + z, return_index=True, return_inverse=True)
        faces = number.reshape(-1)[self.faces]
        whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        return Triangles(self.vertices[first], faces[whole], None if self.colors is None else self.colors[whole])

    @cached_property
    def open_edges(self) -> int:
        """How many edges are not run through as often one way as the other: those of holes, and those between faces
        that look opposite ways.
        """
        faces = self.joined.faces
        tails, heads = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
        edge = np.minimum(tails, heads) * len(self.joined.vertices) + np.maximum(tails, heads)
        _, number = np.unique(edge, return_inverse=True)
        return int(np.count_nonzero(np.bincount(number.reshape(-1), weights=np.sign(heads - tails))))

    @cached_property
    def is_closed(self) -> bool:
        """Whether the surface bounds a solid. So do several closed surfaces, also with hollows inside. A surface with a
        hole does not, nor one with a face turned round, nor a sheet with two sides.
        """
        lower, upper = self.bounds
        return not self.open_edges and abs(self._signed_volume) > THINNEST * float(np.prod(upper - lower))

    @property
    def why_open(self) -> str:
        """Why the surface bounds no volume."""
        if not self.open_edges:
            return "the mesh is a flat sheet and bounds no volume"
        return (f"the mesh bounds no volume: {self.open_edges} of its edges are open or between faces that look "
                "opposite ways")

    @cached_property
    def _signed_volume(self) -> float:
        """Negative where the surface is turned inside out."""
        a, b, c = np.moveaxis(self.vertices[self.faces] - self._middle, 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6

    @property
    def _middle(self) -> Floats:
        return np.asarray(self.vertices[self.faces].mean(axis=(0, 1)))

    @cached_property
    def solid(self) -> Solid:
        """What a closed surface bounds, by signed tetrahedra. A surface that is turned inside out as a whole is taken
        as its outside; where parts overlap, they count twice.
        """
        if not self.is_closed:
            raise ModelError(self.why_open)
        a, b, c = np.moveaxis(self.vertices[self.faces] - self._middle, 1, 0)  # near it, little cancels
        six_volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
        corners, volume = a + b + c, self._signed_volume
        center = six_volumes @ corners / (24 * volume)
        second = sum(((six_volumes[:, None] * v).T @ v for v in (a, b, c, corners)), np.zeros((3, 3))) / (120 * volume)
        about_center = second - np.outer(center, center)
        return Solid(abs(volume), self._middle + center, abs(volume) * (about_center + about_center.T) / 2)

    @cached_property
    def hull(self) -> Triangles:
        """The convex hull."""
        from scipy.spatial import ConvexHull, QhullError

        points = self.joined.vertices
        try:
            found = ConvexHull(points)
        except (QhullError, ValueError):
            raise ModelError("the mesh is flat and bounds no volume") from None
        faces = found.simplices.astype(np.int64)
        corners = points[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        inward = np.einsum("ij,ij->i", normals, found.equations[:, :3]) < 0
        faces[inward] = faces[inward][:, ::-1]
        return Triangles(points, faces)


# Surfaces of solids as triangles, for drawing. Those of curved solids have their corners on the solid.


SEGMENTS = 32
"""Corners around a circle."""


def box(size: ArrayLike) -> Triangles:
    """A box, from its whole lengths.

    >>> bool(np.isclose(box((1, 2, 3)).solid.volume, 6.0))
    True
    """
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [three for a, b, c, d in quads for three in ((a, b, c), (a, c, d))]
    return Triangles(corners * np.asarray(size, dtype=float), np.array(faces))


def ellipsoid(radii: ArrayLike, segments: int = SEGMENTS) -> Triangles:
    """An ellipsoid, from its half axes."""
    polar = np.linspace(0, np.pi, segments // 2 + 1)
    return _turned(np.sin(polar), -np.cos(polar), segments).scaled(np.asarray(radii, dtype=float))


def cylinder(radius: float, length: float, segments: int = SEGMENTS) -> Triangles:
    """A cylinder along z."""
    half = length / 2
    return _turned(np.array([0.0, radius, radius, 0.0]), np.array([-half, -half, half, half]), segments)


def capsule(radius: float, length: float, segments: int = SEGMENTS) -> Triangles:
    """A cylinder along z with half a ball at each end."""
    polar = np.linspace(0, np.pi / 2, segments // 4 + 1)
    below = -length / 2 - radius * np.cos(polar)
    return _turned(np.concatenate([radius * np.sin(polar), radius * np.sin(polar)[::-1]]),
                   np.concatenate([below, -below[::-1]]), segments)


def _turned(radii: Floats, heights: Floats, segments: int) -> Triangles:
    """A profile turned about z, from its lower pole to its upper."""
    angle = np.arange(segments) * (2 * np.pi / segments)
    inner = np.stack([
        np.outer(radii[1:-1], np.cos(angle)),
        np.outer(radii[1:-1], np.sin(angle)),
        np.broadcast_to(heights[1:-1, None], (len(radii) - 2, segments)),
    ], axis=-1)
    vertices = np.concatenate([[(0, 0, heights[0])], inner.reshape(-1, 3), [(0, 0, heights[-1])]])
    here = np.arange(segments)
    beside = np.roll(here, -1)
    rings = 1 + segments * np.arange(len(radii) - 2)
    faces = [np.stack([np.zeros_like(here), rings[0] + beside, rings[0] + here], axis=-1)]
    for low, high in pairwise(rings):
        faces.append(np.stack([low + here, low + beside, high + beside], axis=-1))
        faces.append(np.stack([low + here, high + beside, high + here], axis=-1))
    top = np.full_like(here, len(vertices) - 1)
    faces.append(np.stack([rings[-1] + here, rings[-1] + beside, top], axis=-1))
    return Triangles(vertices.astype(float), np.concatenate(faces))
