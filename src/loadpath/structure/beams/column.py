"""The compression at which a beam buckles: Euler, with its end condition, shear after Engesser, tapers and steps."""

from __future__ import annotations

import math

import numpy as np
import scipy  # its parts are imported where they are first used

from loadpath.robot.beams.beam import END_CONDITIONS, Beam
from loadpath.robot.beams.placement import stretches
from loadpath.scalars import Scalar
from loadpath.scalars.decided import NumberNeededError, is_plain, numbers
from loadpath.scalars.types import Floats
from loadpath.structure.beams.clipping import smallest

_ELEMENTS = 64
"""Finite elements along a tapered or stepped beam: the critical load is good to 1e-6 and better."""

# Held at the start and at the end: deflection, slope.
_HELD = {
    "clamped-free": ((True, True), (False, False)),
    "pinned-pinned": ((True, False), (True, False)),
    "clamped-pinned": ((True, True), (True, False)),
    "clamped-clamped": ((True, True), (True, True)),
}


def critical_load(beam: Beam, length: Scalar, *, shear: bool = True, mode: int = 1) -> Scalar:
    """Axial force (N) at which a beam buckles in its weaker plane: pi^2 E I / (K L)^2 for a uniform one.

    With shear (Engesser): P / (1 + P / (k G A)), k G A the smaller of the two planes' own. A tapered or stepped beam is
    taken by finite elements, for the end conditions that have a name, and the smallest k G A along it.
    `mode` asks for higher ones of a uniform beam: (2 mode - 1)^2 times as much for clamped-free, mode^2 for
    pinned-pinned.

    >>> from loadpath.structure import STEEL, Beam, Rod
    >>> rod = Beam(Rod(0.01), STEEL, end=(1, 0, 0))
    >>> round(critical_load(rod, 1.0, shear=False) / (math.pi**2 * 210e9 * Rod(0.01).second_moment_y / 4), 12)
    1.0
    """
    planes = []
    for plane in ("y", "z"):
        P, GA = _euler(beam, length, plane, mode), smallest(_along(beam, length, f"GA{plane}"))
        planes.append(P / (1 + P / GA) if shear else P)
    return smallest(planes)


def _along(beam: Beam, length: Scalar, stiffness: str) -> list[Scalar]:
    """A stiffness at both ends of every segment of constant section or taper."""
    found: list[Scalar] = []
    for stretch in stretches(beam, length):
        if (same := stretch.uniform) is not None:
            found.append(getattr(same, stiffness))
        else:
            found += getattr(stretch.properties(numbers([0.0, stretch.length])), stiffness).tolist()
    return found


def _euler(beam: Beam, length: Scalar, plane: str, mode: int) -> Scalar:
    """Without shear, for bending in the x-y or the x-z plane."""
    if len(beam.segments) == 1 and not beam.segments[0].tapered:
        (EI,) = _along(beam, length, "EIz" if plane == "y" else "EIy")
        return _modes(beam, mode) * math.pi**2 * EI / (beam.length_factor * length) ** 2
    if not isinstance(beam.end_condition, str):
        # A beam with a length factor of its own: the weakest section is taken for all.
        EI = smallest(_along(beam, length, "EIz" if plane == "y" else "EIy"))
        return math.pi**2 * EI / (beam.length_factor * length) ** 2
    if not is_plain(length, *_along(beam, length, "EIy"), *_along(beam, length, "EIz")):
        raise NumberNeededError("the critical load of a tapered or stepped column")
    return float(_loads(beam, length, plane)[mode - 1])


def _modes(beam: Beam, mode: int) -> float:
    if mode == 1:
        return 1.0
    if beam.end_condition == "clamped-free":
        return float((2 * mode - 1) ** 2)
    if beam.end_condition == "pinned-pinned":
        return float(mode**2)
    raise ValueError(f"buckling mode {mode} of a beam with the end condition {beam.end_condition!r}: only the first is "
                     "known in closed form")


def _loads(beam: Beam, length: float, plane: str) -> Floats:
    """Buckling loads of a column with changing section, by finite elements: K v = P K_G v."""
    points, weights = np.polynomial.legendre.leggauss(4)
    edges: list[float] = [0.0]
    rigidity: list[Floats] = []  # at the points of every element
    for stretch in stretches(beam, length):
        count = max(4, round(_ELEMENTS * stretch.length / length))
        h = stretch.length / count
        for i in range(count):
            p = stretch.properties(h * (i + 0.5 * (points + 1)))
            rigidity.append(p.EIz if plane == "y" else p.EIy)
            edges.append(stretch.start + h * (i + 1))
    size = 2 * len(edges)
    K, G = np.zeros((size, size)), np.zeros((size, size))
    s = 0.5 * (points + 1)
    for i, EI in enumerate(rigidity):
        h = edges[i + 1] - edges[i]
        curvature = np.array([(12 * s - 6) / h**2, (6 * s - 4) / h, (6 - 12 * s) / h**2, (6 * s - 2) / h])
        at = slice(2 * i, 2 * i + 4)
        K[at, at] += (0.5 * h * weights * EI * curvature) @ curvature.T
        G[at, at] += np.array([[36, 3 * h, -36, 3 * h], [3 * h, 4 * h * h, -3 * h, -h * h],
                               [-36, -3 * h, 36, -3 * h], [3 * h, -h * h, -3 * h, 4 * h * h]]) / (30 * h)
    assert isinstance(beam.end_condition, str)
    start, end = _HELD[beam.end_condition]
    free = [k for k in range(size) if not ((k < 2 and start[k]) or (k >= size - 2 and end[k - size + 2]))]
    # The geometric stiffness is positive definite where a deflection is held, so it may stand as the mass does.
    values = scipy.linalg.eigh(K[np.ix_(free, free)], G[np.ix_(free, free)], eigvals_only=True, subset_by_index=(0, 3))
    return np.asarray(values)


assert set(_HELD) == set(END_CONDITIONS)
