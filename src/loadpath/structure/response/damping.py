"""How fast vibrations die away: a ratio for all modes or one each, Rayleigh's damping, dampers in the joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats
from loadpath.structure.vibration.model import VibrationModel


@dataclass(frozen=True)
class Rayleigh:
    """Damping in proportion to mass and stiffness, `alpha` (1/s) M + `beta` (s) K. The ratio of a mode with the angular
    frequency w is alpha / 2w + beta w / 2.

    >>> round(Rayleigh(alpha=0.4, beta=2e-4).ratio(10.0), 5)          # at 10 Hz
    0.00947
    >>> Rayleigh.through((5.0, 0.02), (50.0, 0.02)).ratio(5.0)
    0.02
    """

    alpha: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            value = number(getattr(self, name), f"'{name}' of Rayleigh damping")
            if not 0 <= value < math.inf:
                raise ModelError(f"'{name}' of Rayleigh damping is {value:g}: expected zero or more")
            object.__setattr__(self, name, float(value))

    def ratio(self, frequency: float) -> float:
        """Damping ratio of a mode with this frequency (Hz)."""
        w = 2 * math.pi * frequency
        return self.alpha / (2 * w) + self.beta * w / 2

    @classmethod
    def through(cls, first: tuple[float, float], second: tuple[float, float]) -> Rayleigh:
        """The one that has given ratios at two frequencies, each (Hz, ratio).

        >>> Rayleigh.through((1.0, 0.01), (1.0, 0.02))
        Traceback (most recent call last):
        loadpath.errors.ModelError: Rayleigh damping through two points: both are at 1 Hz
        """
        (f, a), (g, b) = first, second
        if f == g:
            raise ModelError(f"Rayleigh damping through two points: both are at {f:g} Hz")
        v, w = 2 * math.pi * f, 2 * math.pi * g
        alpha, beta = np.linalg.solve([[1 / (2 * v), v / 2], [1 / (2 * w), w / 2]], [a, b])
        if min(alpha, beta) < 0:
            raise ModelError(f"Rayleigh damping through ratios {a:g} at {f:g} Hz and {b:g} at {g:g} Hz would be "
                             f"negative (alpha {alpha:.3g}, beta {beta:.3g}): give ratios per mode")
        return cls(float(alpha), float(beta))


DampingLike: TypeAlias = "float | Sequence[float] | Floats | Rayleigh | Mapping[str, float]"
"""A ratio for all modes, one each (the last for all further ones), Rayleigh's damping or its numbers as a mapping."""

RATIO = 0.02
"""Of all modes, unless given: usual for bolted and welded structures."""


def read_damping(damping: DampingLike, caller: str) -> Floats | Rayleigh:
    """Ratios (one or more), or Rayleigh's damping; an error where a ratio is not from 0 to below 1.

    >>> read_damping(2, "respond")
    Traceback (most recent call last):
    ValueError: respond: damping is 2: expected a ratio of critical damping, from 0 to below 1 (2 % is 0.02)
    """
    if isinstance(damping, Rayleigh):
        return damping
    if isinstance(damping, Mapping):
        unknown = [name for name in damping if name not in ("alpha", "beta")]
        if unknown:
            raise ValueError(f"{caller}: damping has {unknown[0]!r}: expected 'alpha' and 'beta' of lp.Rayleigh; "
                             "dampers of joints are given by lp.JointCompliance(damping=...)")
        return Rayleigh(**damping)
    expected = "expected a ratio of critical damping, from 0 to below 1"
    try:
        ratios = np.atleast_1d(np.asarray(damping, dtype=float))
    except (TypeError, ValueError):
        raise ValueError(f"{caller}: damping is {damping!r}: {expected}, one for each mode, or lp.Rayleigh") from None
    if ratios.ndim != 1 or not ratios.size:
        raise ValueError(f"{caller}: damping has the shape {np.shape(damping)}: {expected}, or one for each mode")
    bad = np.flatnonzero(~((ratios >= 0) & (ratios < 1)))
    if bad.size:
        which = f" of mode {bad[0] + 1}" if ratios.size > 1 else ""
        percent = f" ({ratios[bad[0]]:g} % is {ratios[bad[0]] / 100:g})" if 1 <= ratios[bad[0]] < 100 else ""
        raise ValueError(f"{caller}: damping{which} is {ratios[bad[0]]:g}: {expected}{percent}")
    return ratios


def ratios_of(damping: Floats | Rayleigh, omega: Floats) -> Floats:
    """Damping ratios (..., modes) of modes with angular frequencies (..., modes), lowest first."""
    if isinstance(damping, Rayleigh):
        return damping.alpha / (2 * omega) + damping.beta * omega / 2
    count = omega.shape[-1]
    padded = np.concatenate([damping[:count], np.full(max(count - len(damping), 0), damping[-1])])
    return np.broadcast_to(padded, omega.shape)


def joint_damping(model: VibrationModel) -> Floats:
    """(size, size): the dampers of compliant joints, in the elastic coordinates."""
    result = np.zeros((model.size, model.size))
    given = {name: compliance for name, compliance in model.arm.joint_compliances if compliance.is_damped}
    for slide in model.slides:  # along the slide alone: see `SkeletonBuilder`
        joint = model.arm.joint(slide.of.guide.joint)
        if slide.drive is not None and joint.name in given:
            along = slide.of.guide.axes[:, 0]
            damper = given[joint.name].damping_matrix(joint)[:3, :3]
            result[slide.drive, slide.drive] = slide.of.along * float(along @ damper @ along)
    for piece, stretch in zip(model.pieces, model.cut.stretches, strict=False):  # the elements are the first
        if stretch is None and piece.owner in given:
            damper = given[piece.owner].damping_matrix(model.arm.joint(piece.owner))
            result[piece.columns, piece.columns] = piece.twists.T @ damper @ piece.twists
    return result
