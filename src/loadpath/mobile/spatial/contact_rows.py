"""Where one wheel, foot or body point touches a plane, and its rows along the normal and along the ground.

A wheel is a thin disc whose edge is rounded, an ellipsoid with the axle e and a share `ROUNDED` of its radius R along
it. With K = 1 - (1 - ROUNDED^2) e e^T and S = sqrt(n K n) it reaches r = c - R K n/S towards a ground with the normal
n; points have R = 0. All in base axes; rates are those in these axes. Written over scalars, once, and compiled for all
contacts of all rovers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.scalars import Array, Scalar, array, cross, dot, scale, sign, sqrt
from loadpath.scalars.types import Floats

ROUNDED = 0.02
"""A wheel is a thin disc whose edge is rounded: an ellipsoid with this share of its radius along the axle, so that the
point that touches the ground moves smoothly up to where it lies on its side."""
_ALONG = 1.0 - ROUNDED**2
_TINY = 1e-24


class ContactRows(NamedTuple):
    """Of contacts (..., k)."""

    gap: Floats
    """Distance from the ground, m; negative where a tyre is pressed in."""
    gap_rate: Floats
    points: Floats
    """(..., 3): where they touch."""
    normal: Floats
    """(..., 6): n, r x n."""
    forward: Floats
    """(..., 6): along the ground at right angles to the axle."""
    left: Floats
    """(..., 6): along the ground, n x forward."""
    changes: Floats
    """(..., 3): rates of these three rows times the twist."""


def contact_rows(
    subject: object, ground: Array, body: Array, rates: Array, kind: Array, twist: Array
) -> Array:
    """(26,): `ContactRows` one after the other. `ground` (7,) has the normal, its rate, and n . r where the gap is
    zero; `body` (6,) the center and the axle, `rates` theirs; `kind` (4,) the radius, 1 where it is on a tyre that is
    pressed in, 1 where it is on the ground however far its suspension is pressed in, and the rate at which its hub
    slides along z.
    """
    n, ndot, offset = ground[:3], ground[3:6], ground[6]
    c, e, cdot, edot = body[:3], body[3:], rates[:3], rates[3:]
    (radius, tyre, in_series, slides), v, w = kind, twist[:3], twist[3:]
    en = dot(e, n)
    Kn = n - scale(_ALONG * en, e)
    Kdot = ndot - scale(_ALONG * (dot(e, ndot) + dot(edot, n)), e) - scale(_ALONG * en, edot)
    S = sqrt(dot(n, Kn))
    Sdot = (dot(ndot, Kn) + dot(n, Kdot)) * (0.5 / S)
    r = c - scale(radius / S, Kn)
    rdot = cdot - scale(radius / S, Kdot - scale(Sdot / S, Kn))
    gap = dot(r, n) - offset
    gap_rate = dot(n, v + cross(w, r)) + n[2] * slides
    # The forces of a tyre that is pressed in act where the ground is.
    pressed = tyre * 0.5 * (1.0 - sign(gap)) + in_series
    r, rdot = r - scale(pressed * gap, n), rdot - scale(pressed * gap, ndot) - scale(pressed * gap_rate, n)
    f, fdot = _unit(cross(e, n), cross(edot, n) + cross(e, ndot))
    left, ldot = cross(n, f), cross(ndot, f) + cross(n, fdot)
    rows, changes = [], []
    for t, tdot in ((n, ndot), (f, fdot), (left, ldot)):
        rows += [*t, *cross(r, t)]
        changes.append(dot(tdot, v) + dot(cross(rdot, t) + cross(r, tdot), w))
    changes[0] = changes[0] + ndot[2] * slides
    return array([gap, gap_rate, *r, *rows, *changes])


def _unit(a: Array, adot: Array) -> tuple[Array, Array]:
    """A unit vector and its rate."""
    inverse: Scalar = 1.0 / sqrt(dot(a, a) + _TINY)
    u = scale(inverse, a)
    return u, scale(inverse, adot - scale(dot(u, adot), u))


@dataclass(frozen=True)
class _EveryContact:
    """The subject of what is the same for every contact."""

    name: str = "every contact"
    n: int = 0
    defined_by: tuple[object, ...] = ()

    @property
    def sizes(self) -> Mapping[str, int]:
        return {}


EVERY_CONTACT = _EveryContact()


class _Kernels:
    contact_rows = Compiled(
        contact_rows, "(7),(6),(6),(4),(6)->(26)", lambda subject: subject, "Where a contact touches the ground.",
        public_name="simulate",
    )


_every_contact = CompiledMethod(EVERY_CONTACT, _Kernels.contact_rows)


def rows_of_contacts(ground: Floats, body: Floats, rates: Floats, kind: Floats, twist: Floats) -> ContactRows:
    """Those of contacts (..., k): see `contact_rows`.

    >>> import numpy as np
    >>> wheel, still = np.array([[1.0, 2.0, 0.3, 0.0, 1.0, 0.0]]), np.zeros((1, 6))
    >>> flat = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]])
    >>> found = rows_of_contacts(flat, wheel, still, np.array([[0.3, 0.0, 0.0, 0.0]]), np.zeros(6))
    >>> found.points.round(12).tolist(), found.forward.round(12).tolist()
    ([[1.0, 2.0, 0.0]], [[1.0, 0.0, 0.0, 0.0, 0.0, -2.0]])
    """
    x = _every_contact(ground, body, rates, kind, twist)
    return ContactRows(x[..., 0], x[..., 1], x[..., 2:5], x[..., 5:11], x[..., 11:17], x[..., 17:23], x[..., 23:])
