"""How large the shapes of a link are: the box around all of them, and the volume of those that are to be touched and of
those to be seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.drawn_shapes import shapes_for
from loadpath.robot.inertia import Inertia
from loadpath.robot.parts import Link
from loadpath.robot.shapes import PURPOSES, LinkShape
from loadpath.robot.solids import Solid
from loadpath.scalars.types import Floats


@dataclass(frozen=True, eq=False)
class Filled:
    """Shapes filled with 1 kg/m^3, in the frame of the link; what bounds no volume counts as its convex hull, and a
    flat sheet as nothing.
    """

    body: Inertia
    closed: bool
    """Whether all of them bound a volume."""

    @property
    def volume(self) -> float:
        """m^3."""
        return self.body.mass


@dataclass(frozen=True, eq=False)
class Measured:
    """The shapes of a link, in its frame."""

    lower: Floats
    upper: Floats
    """Corners of the box around all shapes (m)."""
    filled: tuple[Filled, ...]
    """The shapes to be touched, and those to be seen, where they have a volume."""

    @property
    def size(self) -> float:
        """The diagonal of the box (m)."""
        return float(np.linalg.norm(self.upper - self.lower))

    @property
    def uniform(self) -> float:
        """Trace of the inertia tensor of a uniform body of the shapes, for each kg (m^2); 0 where it is not known."""
        if not self.filled:
            return 0.0
        first = self.filled[0]
        return float(np.trace(np.array(first.body.tensor))) / first.volume


def measured(link: Link) -> Measured | None:
    """None if there are no shapes, or one cannot be read."""
    if not link.shapes:
        return None
    try:
        bounds = [shape.triangles().bounds for shape in link.shapes]
    except (ModelError, ImportError):
        return None
    groups = [shapes_for(link, purpose, or_others=False) for purpose in reversed(PURPOSES)]
    filled = [_filled(shapes) for shapes in groups if shapes]
    lowers, uppers = zip(*bounds, strict=True)
    return Measured(np.min(lowers, axis=0), np.max(uppers, axis=0), tuple(one for one in filled if one.volume))


def _filled(shapes: Iterable[LinkShape]) -> Filled:
    body, closed = Inertia(), True
    for shape in shapes:
        solid, whole = _solid(shape)
        closed &= whole
        if solid is not None:
            body += Inertia.of_solid(solid, shape.kind, None, 1.0, shape.pose)
    return Filled(body, closed)


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
