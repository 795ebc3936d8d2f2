"""An emergency stop by a brake: how much energy it takes, how far and how long the joint goes on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats


class Stop(NamedTuple):
    """One stop."""

    energy: float
    """J, turned into heat by the brake; infinite where it never stops."""
    distance: float
    """rad or m from where the power failed, back and forth."""
    time: float
    """s from when the power failed."""
    driving: float
    """N m or N that gravity drives it on with."""


class Stops(NamedTuple):
    """Stops from many states, (samples,) each, as in `Stop`."""

    energy: Floats
    distance: Floats
    time: Floats
    driving: Floats

    def at(self, k: int) -> Stop:
        """One of them."""
        return Stop(*(float(part[k]) for part in self))


def stops(speed: Floats, holding: Floats, inertia: Floats, torque: float, delay: float) -> Stops:
    """Stops by a brake of a torque (N m or N at the joint) that grips `delay` seconds after the power fails.

    `holding` is what would hold the joint at rest, so gravity drives it with the negative of that. Until the brake
    grips it coasts: w1 = w - h delay / I. Then it is slowed down by (T - G) / I, where G is the part of gravity along
    the motion: the brake takes T times the way, I w1^2 / 2 * T / (T - G).

    >>> one = np.ones(1)
    >>> stops(2.0 * one, 0.0 * one, 3.0 * one, 12.0, 0.0).at(0)
    Stop(energy=6.0, distance=0.5, time=0.5, driving=-0.0)
    """
    gained = -holding / inertia * delay
    gripped = speed + gained
    coasted = np.abs(0.5 * (speed + gripped) * delay)
    turns_back = speed * gripped < 0  # there and back again: both ways count
    with np.errstate(divide="ignore", invalid="ignore"):
        both = (speed**2 + gripped**2) / (2.0 * np.abs(holding) / inertia)
        coasted = np.where(turns_back, both, coasted)
        driving = -holding * np.sign(gripped)
        slowing = (torque - driving) / inertia
        still = gripped == 0
        never = ~still & (slowing <= 0)
        way = np.where(still, 0.0, np.where(never, np.inf, gripped**2 / (2.0 * slowing)))
        lasting = np.where(still, 0.0, np.where(never, np.inf, np.abs(gripped) / slowing))
    # At rest, a brake that holds takes nothing, and one that does not never stops it.
    slips = still & (np.abs(holding) > torque)
    energy = np.where(slips, np.inf, torque * way)
    return Stops(energy, coasted + way, delay + lasting, np.where(still, np.abs(holding), driving))
