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
from loadpath.mobile.spatial.input import Input
from loadpath.robot.wheels.ground import Ground
from loadpath.scalars.types import Floats


class Carried(NamedTuple):
    """What the ground adds, all in base axes."""

    gravity: Floats
    """(3,)."""
    twist: Floats
    """(6,): of the base in inertial space, beyond that against the ground."""
    rate: Floats
    """(6,): the same of the rates of its numbers."""


def carried(ground: Ground, at: Input) -> Carried:
    """What the ground adds at a time, to a base in a place with its speeds.

    >>> from loadpath.mobile.spatial.input import Place
    >>> from loadpath.robot.wheels.ground_motion import GroundMotion
    >>> lift = Ground(motion=GroundMotion(heave=lambda t: (t**2, 2 * t, 2.0)))
    >>> none, there = np.zeros(0), Place(np.zeros(3), np.eye(3))
    >>> at = Input(1.0, none, none, there, np.zeros(6), none, none, none, none, none, None, none)
    >>> carried(lift, at).rate.tolist()
    [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]
    """
    moving, (r, C) = ground.state(at.t) if at.ground is None else at.ground, at.place
    v, w = at.U[:3], at.U[3:SPATIAL]
    omega, alpha = moving.angular_velocity @ C, moving.angular_acceleration @ C
    along = np.cross(moving.angular_velocity, r) @ C
    pulled = (moving.acceleration + np.cross(moving.angular_acceleration, r)) @ C
    rate = np.concatenate([pulled + np.cross(omega, v) - np.cross(w, along), alpha - np.cross(w, omega)])
    return Carried(ground.gravity_in_base(0.0) @ moving.rotation @ C, np.concatenate([along, omega]), rate)
