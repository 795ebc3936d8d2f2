"""How large the shapes of a link are: the box around all of them, and the volume of those that are to be touched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.drawn_shapes import shapes_for
from loadpath.robot.inertia import Inertia
from loadpath.robot.parts import Link
from loadpath.robot.shapes import LinkShape
from loadpath.robot.solids import Solid
from loadpath.scalars.types import Floats


@dataclass(frozen=True, eq=False)
class Measured:
    """The shapes of a link, in its frame."""

    lower: Floats
    upper: Floats
    """Corners of the box around all shapes (m)."""
    filled: Inertia
    """The shapes to be touched (or without any, those to be seen) of 1 kg/m^3; what bounds no volume counts as its
    convex hull, and a flat sheet as nothing.
    """
    closed: bool
    """Whether all of these bound a volume."""

    @property
    def volume(self) -> float:
        """Of the filled shapes (m^3)."""
        return self.filled.mass

    @property
    def size(self) -> float:
        """The diagonal of the box (m)."""
        return float(np.linalg.norm(self.upper - self.lower))


def measured(link: Link) -> Measured | None:
    """None if there are no shapes, or one cannot be read."""
    if not link.shapes:
        return None
    try:
        bounds = [shape.triangles().bounds for shape in link.shapes]
    except (ModelError, ImportError):
        return None
    filled, closed = Inertia(), True
    for shape in shapes_for(link, "collision"):
        solid, whole = _solid(shape)
        closed &= whole
        if solid is not None:
            filled += Inertia.of_solid(solid, shape.kind, None, 1.0, shape.pose)
    lowers, uppers = zip(*bounds, strict=True)
    return Measured(np.min(lowers, axis=0), np.max(uppers, axis=0), filled, closed)


def _solid(shape: LinkShape) -> tuple[Solid | None, bool]:
    """What a shape bounds, or its hull, and which of the two it is."""
    try:
        return shape.solid("refuse"), True
    except ModelError:
        pass
    try:
        return shape.surface().hull.solid, False
    except ModelError:
        return None, False
