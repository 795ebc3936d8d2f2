"""Surfaces of triangles: what meshes are read into, what is drawn, and the solid that a closed surface bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.robot.pose import Pose
from loadpath.robot.solids import Solid
from loadpath.scalars.types import Floats

GRID = 2**18
"""Corners are one if they are in one cell of so many along the longest side of the box around them."""
THINNEST = 1e-9
"""Of the box around a surface: with less volume, it bounds none."""


@dataclass(frozen=True, eq=False)
class Triangles:
    """A surface: `vertices` (n, 3) in m, and for each triangle the numbers of its corners, `faces` (m, 3), counted
    counterclockwise seen from outside. `colors` (m, 4): red, green, blue and opacity of each face from 0 to 1, where
    they are known.

    >>> from loadpath.robot.surfaces import box
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
