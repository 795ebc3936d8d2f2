"""How moving ground carries a free base: its speeds are those against the ground, its inertia acts in inertial space.

The base's origin is at r in the frame of the ground, which turns with omega and alpha and whose origin accelerates by
a; v and w are the velocities of the base against the ground, in base axes. In these axes, its velocities in inertial
space and their rates are

    v + omega x r,      dv/dt + a + alpha x r + omega x v - w x (omega x r),
    w + omega,          dw/dt + alpha - w x omega,

the velocity of the ground's origin making no difference to any force. With that the acceleration of the base's origin
is what `base_in_space` says. In the frame of the ground all of it is a force more, whose work is that of the ground.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.spatial.geometry import cross
from loadpath.mobile.spatial.input import Input
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import Floats


class Carried(NamedTuple):
    """What the ground adds, all in base axes."""

    gravity: Floats
    """(3,)."""
    twist: Floats
    """(6,): of the base in inertial space, beyond that against the ground."""
    rate: Floats
    """(6,): the same of the rates of its numbers."""


def carried(gravity: Floats, moving: GroundState, at: Input) -> Carried:
    """What moving ground adds to a base in a place with its speeds, with gravity in the frame of the ground at rest.

    >>> from loadpath.mobile.spatial.input import Place
    >>> none, there = np.zeros(0), Place(np.zeros(3), np.eye(3))
    >>> at = Input(1.0, none, none, there, np.zeros(6), none, none, none, none, none, None, none)
    >>> carried(np.array([0.0, 0.0, -9.81]), GroundState(acceleration=(0.0, 0.0, 2.0)), at).rate.tolist()
    [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]
    """
    r, C = at.place
    v, w = at.U[:3], at.U[3:SPATIAL]
    omega, alpha = moving.angular_velocity @ C, moving.angular_acceleration @ C
    along = cross(moving.angular_velocity, r) @ C
    pulled = (moving.acceleration + cross(moving.angular_acceleration, r)) @ C
    rate = np.concatenate([pulled + cross(omega, v) - cross(w, along), alpha - cross(w, omega)])
    return Carried(gravity @ moving.rotation @ C, np.concatenate([along, omega]), rate)
