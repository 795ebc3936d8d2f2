"""Where one wheel, foot or body point touches a smooth surface: what is missing at a point of it, and the way there.

At (x, y) the surface has the point p, the normal n and, differentiated, its curvature; the body reaches the point r(n)
of `terrain`. They touch where r - p is along the normal, t . (r - p) = 0 for both tangents t: two equations for (x, y),
whose Newton step this has. Their rate, with the center and the axle of the body moving, says how the normal turns.
Written over scalars, once, and compiled for all contacts of all rovers.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.mobile.spatial.contact_rows import EVERY_CONTACT, ROUNDED
from loadpath.scalars import Array, Scalar, array, dot, scale, sqrt
from loadpath.scalars.types import Floats

_ALONG = 1.0 - ROUNDED**2


class SmoothContact(NamedTuple):
    """Of bodies (..., k) at points of a surface."""

    left: Floats
    """(..., 2): m, what is missing."""
    step: Floats
    """(..., 2): m, towards where they touch."""
    bends: Floats
    """(..., 2): determinant and first entry of the derivatives, > 0 and < 0 where the body fits into the surface."""
    normal: Floats
    """(..., 3)."""
    offset: Floats
    """n . p."""
    normal_rate: Floats
    """(..., 3): where nothing is missing."""


def smooth_contact(subject: object, ground: Array, body: Array) -> Array:
    """(13,): `SmoothContact` one after the other. `ground` (8,) has x, y, the height, its slopes and second derivatives
    xx, xy, yy; `body` (13,) center, axle, radius, and the rates of center and axle.
    """
    x, y, z, slope_x, slope_y, xx, xy, yy = ground
    c, e, radius, c_rate, e_rate = body[:3], body[3:6], body[6], body[7:10], body[10:]
    inverse: Scalar = 1.0 / sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    n = scale(inverse, array([-slope_x, -slope_y, 1.0]))
    H = (xx, xy), (xy, yy)
    tangents = array([1.0, 0.0, slope_x]), array([0.0, 1.0, slope_y])
    en = dot(e, n)
    S = sqrt(1.0 - _ALONG * en * en)
    Kn = n - scale(_ALONG * en, e)
    p = array([x, y, z])
    apart = c - scale(radius / S, Kn) - p
    n_by, r_by = [], []
    for h in H:
        turned = array([-h[0], -h[1], 0.0])
        turned = scale(inverse, turned - scale(dot(turned, n), n))
        K_by = turned - scale(_ALONG * dot(turned, e), e)
        n_by.append(turned)
        r_by.append(scale(-radius / S, K_by - scale(dot(K_by, n) / (S * S), Kn)))
    left = [dot(t, apart) for t in tangents]
    J = [[dot(t, moved - along) + h * apart[2] for moved, along, h in zip(r_by, tangents, row, strict=True)]
         for t, row in zip(tangents, H, strict=True)]
    (a, b), (d, f) = J
    size = a * f - b * d

    def solved(right: list[Scalar]) -> list[Scalar]:
        return [(b * right[1] - f * right[0]) / size, (d * right[0] - a * right[1]) / size]

    # How r moves while the normal stays: with the center, and as the axle turns.
    en_rate = dot(e_rate, n)
    turns = scale(-_ALONG * en_rate, e) - scale(_ALONG * en, e_rate)
    moved = c_rate - scale(radius / S, turns + scale(_ALONG * en * en_rate / (S * S), Kn))
    u, v = solved([dot(t, moved) for t in tangents])
    n_rate = scale(u, n_by[0]) + scale(v, n_by[1])
    return array([*left, *solved(left), size, a, *n, dot(n, p), *n_rate])


class _Kernels:
    smooth_contact = Compiled(
        smooth_contact, "(8),(13)->(13)", lambda subject: subject, "Where a body touches a smooth surface.",
        public_name="simulate",
    )


_every_contact = CompiledMethod(EVERY_CONTACT, _Kernels.smooth_contact)


def smooth_contacts(ground: Floats, body: Floats) -> SmoothContact:
    """Those of bodies (..., k): see `smooth_contact`.

    >>> import numpy as np
    >>> foot = np.array([0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, *[0.0] * 6])
    >>> on_slope = smooth_contacts(np.array([0.1, 0.0, 0.075, 0.75, 0.0, 0.0, 0.0, 0.0]), foot)
    >>> (0.1 + on_slope.step[0]).round(12).item()                              # 0.5 0.6 0.8, below it along the normal
    0.24
    """
    x = _every_contact(ground, body)
    return SmoothContact(x[..., 0:2], x[..., 2:4], x[..., 4:6], x[..., 6:9], x[..., 9], x[..., 10:])
