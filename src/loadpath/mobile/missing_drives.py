"""What a motion asks for and no contact gives, in words: forces along the ground, and the moment about the vertical."""

from __future__ import annotations

import numpy as np

from loadpath.errors import warn
from loadpath.mobile.kinematics import rotation_axis
from loadpath.mobile.loads import WheelLoads
from loadpath.scalars.types import Bools, Floats
from loadpath.states import place_of, state_words

NOTICEABLE = 1e-6
"""Share of the load on the contacts from which on something is missing; less is rounding."""


def shares_missing(loads: WheelLoads) -> Floats:
    """(...): what is missing as a share of what the contacts carry, moments by the size of the base. Zero where the
    base tips over: then it is no question of drives.
    """
    size = np.array([1.0, 1.0, 1.0 / loads.state.rover.arrangement.size])
    missing, carried = np.linalg.norm(loads.unsupplied * size, axis=-1), loads.normal.sum(axis=-1)
    judged: Bools = (carried > 0) & ~loads.tips_over & ~np.isnan(missing)
    return np.asarray(np.where(judged, missing / np.where(judged, carried, 1.0), 0.0))


def _only_rounding(loads: WheelLoads) -> bool:
    """Whether nothing is missing anywhere, by the largest entry of all and the smallest load: quick passes over a large
    batch. NaN says no.
    """
    missing, carried = loads.unsupplied, loads.normal @ np.ones(loads.normal.shape[-1])
    if not missing.size:
        return True
    largest = max(missing.max(), -missing.min()) * 2.0 * max(1.0, 1.0 / loads.state.rover.arrangement.size)
    return bool(largest <= NOTICEABLE * carried.min())


def missing_words(unsupplied: Floats) -> str:
    """The largest force and moment (..., 3) that are missing.

    >>> missing_words(np.array([[3.0, 4.0, 0.0], [0.0, 0.0, -2.0]]))
    '5 N along the ground and 2 N m about the vertical'
    """
    rows = unsupplied.reshape(-1, 3)
    force, moment = (float(np.nanmax(part)) for part in (np.hypot(rows[:, 0], rows[:, 1]), np.abs(rows[:, 2])))
    largest = max(force, moment)
    words = [(force, "N along the ground"), (moment, "N m about the vertical")]
    return " and ".join(f"{value:.4g} {unit}" for value, unit in words if value > NOTICEABLE * largest)


def warn_of_unsupplied(loads: WheelLoads, caller: str) -> None:
    """One warning where a base with drives is asked for what they cannot give. Of a base without drives that is known:
    it rolls as it is pushed.
    """
    rover = loads.state.rover
    if not rover.arrangement.driven.any() or _only_rounding(loads):
        return
    shares = shares_missing(loads)
    lacks = shares > NOTICEABLE
    if not lacks.any():
        return
    place = place_of(int(np.argmax(shares)), shares.shape)
    many = f" in {int(lacks.sum())} of {lacks.size} states, most{state_words(place)}" if lacks.ndim else ""
    steering = None if loads.state.steering is None else np.broadcast_to(
        loads.state.steering, (*loads.state.batch, loads.state.steering.shape[-1])
    )[place]
    loose = rotation_axis(rover.arrangement, steering).loose_words()
    why = f" ({loose})" if loose else ""
    warn(f"{caller}: the motion of '{rover.name}' asks for {missing_words(loads.unsupplied[place])} that no contact "
         f"and no drive gives{many}{why}: the base does not move so by itself")
