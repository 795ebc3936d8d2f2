"""Area, centroid and second moments of polygons, exactly, and their principal axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

Points = Sequence[tuple[float, float]]


class Moments(NamedTuple):
    """Of an area, about axes through the origin of its points."""

    area: float
    first_y: float
    """Integral of y."""
    first_z: float
    yy: float
    """Integral of y^2."""
    zz: float
    yz: float

    def minus(self, hole: Moments) -> Moments:
        """Without a part."""
        return Moments(*(a - b for a, b in zip(self, hole, strict=True)))

    @property
    def centroid(self) -> tuple[float, float]:
        """y and z."""
        return self.first_y / self.area, self.first_z / self.area

    def about_centroid(self) -> Moments:
        """The same about parallel axes through the centroid."""
        y, z = self.centroid
        A = self.area
        return Moments(A, 0.0, 0.0, self.yy - A * y * y, self.zz - A * z * z, self.yz - A * y * z)

    @property
    def principal_angle(self) -> float:
        """rad from y to the axis about which the section is stiffest; zero where y and z are principal already."""
        if abs(self.yz) <= 1e-9 * max(self.yy, self.zz):
            return 0.0
        return 0.5 * math.atan2(-2 * self.yz, self.zz - self.yy)

    def turned(self, angle: float) -> tuple[float, float]:
        """Integrals of z^2 and of y^2 in axes turned by an angle."""
        c, s = math.cos(angle), math.sin(angle)
        return (self.zz * c * c + self.yy * s * s - 2 * self.yz * s * c,
                self.zz * s * s + self.yy * c * c + 2 * self.yz * s * c)


def moments(points: Points) -> Moments:
    """Of a polygon, by Green's theorem, whichever way its points go around.

    >>> moments([(0, 0), (2, 0), (2, 1), (0, 1)]).about_centroid().yy                    # 1 2^3 / 12
    0.6666666666666665
    """
    total = [0.0] * 6
    for (a, b), (c, d) in pairwise([*points, points[0]]):
        cross = a * d - c * b
        for k, part in enumerate((
            cross / 2, (a + c) * cross / 6, (b + d) * cross / 6, (a * a + a * c + c * c) * cross / 12,
            (b * b + b * d + d * d) * cross / 12, (a * d + 2 * a * b + 2 * c * d + c * b) * cross / 24,
        )):
            total[k] += part
    return Moments(*(part if total[0] >= 0 else -part for part in total))


def turned(points: Points, centroid: tuple[float, float], angle: float) -> list[tuple[float, float]]:
    """Points from the centroid, in axes turned by an angle.

    >>> [tuple(round(x, 9) for x in point) for point in turned([(1, 1)], (0, 1), math.pi / 2)]
    [(0.0, -1.0)]
    """
    c, s = math.cos(angle), math.sin(angle)
    y0, z0 = centroid
    return [((y - y0) * c + (z - z0) * s, (z - z0) * c - (y - y0) * s) for y, z in points]
