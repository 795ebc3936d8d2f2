"""How far a gear twists under torque: stiffness in pieces, as catalogues give it, lost motion and hysteresis."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.catalogue import titled
from loadpath.parts.part import Part
from loadpath.robot.numbers import numbers, positive
from loadpath.scalars.types import ArrayLike, Floats


def read_stiffness(part: Part, stiffness: object, torques: object) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """One stiffness or several, N m/rad, and the torques at which one goes over into the next, N m."""
    what = f"stiffness of {titled(part)}"
    several = tuple(stiffness) if isinstance(stiffness, Iterable) and not isinstance(stiffness, (str, bytes)) else (
        stiffness,
    )
    pieces = tuple(positive(value, what) for value in several)
    if not pieces:
        raise ModelError(f"{what} is empty: expected N m/rad, one number or several")
    ends = () if torques is None else numbers(torques, f"stiffness_torques of {titled(part)}")
    if len(ends) != len(pieces) - 1:
        raise ModelError(f"{titled(part)} has {len(pieces)} stiffnesses and {len(ends)} stiffness_torques: expected "
                         f"{len(pieces) - 1}, the torques at which one stiffness goes over into the next")
    if any(low >= high for low, high in zip((0.0, *ends), ends, strict=False)):
        raise ModelError(f"stiffness_torques of {titled(part)} are {list(ends)}: expected rising torques above zero")
    return pieces, ends


def torsion(torque: ArrayLike, stiffness: tuple[float, ...], torques: tuple[float, ...]) -> Floats:
    """Angle in rad by which the output turns against the input, of the sign of the torque (N m).

    Harmonic Drive catalogues, "torsional stiffness": T/K1 up to T1, then T1/K1 + (T - T1)/K2 up to T2, and so on.

    >>> torsion([20.0, -20.0], (1e4, 2e4), (10.0,)).tolist()
    [0.0015, -0.0015]
    """
    given = np.asarray(torque, dtype=float)
    size = np.abs(given)
    found = np.zeros_like(size)
    for k, low, high in zip(stiffness, (0.0, *torques), (*torques, math.inf), strict=True):
        found += np.clip(size - low, 0.0, high - low) / k
    return np.asarray(np.copysign(found, given))
