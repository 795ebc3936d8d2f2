"""How a base moves in inertial space, and how gravity acts on it, where its ground moves or is uneven.

The base stands on the ground with its origin O at r and the rotation C, both in the frame of the ground (C turns parts
in base axes to parts in ground axes). The ground turns with omega and alpha, and its point under O accelerates by
a_P = a + alpha x r + omega x (omega x r). Against the ground the base moves with v = (v_x, v_y, 0) and w, in its own
axes, the rates of these numbers being given. With the ground's vectors in base axes, against inertial space

    angular velocity       omega + w z,
    angular acceleration   alpha + dw/dt z + omega x w z,
    acceleration of O      a_P + 2 omega x v + (dv_x/dt - w v_y, dv_y/dt + w v_x, 0).

The velocity of O makes no difference to any force: it is given as that against the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.robot.arrays import numbers
from loadpath.robot.wheels.ground import Ground
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.stance import Stance

class BaseInSpace(NamedTuple):
    """Gravity (..., 3), velocity and acceleration (..., 6) of the base's origin against inertial space, in base axes:
    linear parts first.
    """

    gravity: Floats
    velocity: Floats
    acceleration: Floats

    @property
    def row(self) -> Floats:
        """(..., 15): all of it."""
        shape = np.broadcast_shapes(*(part.shape[:-1] for part in self))
        return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in self], axis=-1)


def moves_or_is_uneven(ground: Ground, base: Mapping[str, Any]) -> bool:
    """Whether there is more to it than a base on a plane at rest."""
    return ground.motion is not None or any(base.get(name) is not None for name in ("ground_state", "in_space"))


def state_of_ground(ground: Ground, base: Mapping[str, Any]) -> GroundState:
    """How the ground moves: as it is given, or as its motion says at the times of the states."""
    given, time = base.get("ground_state"), base.get("time")
    if given is not None:
        if not isinstance(given, GroundState):
            raise ValueError(f"ground_state is {given!r}: expected an lp.GroundState(acceleration=..., ...)")
        return given
    if ground.motion is None:
        return GroundState()
    if time is None:
        raise ValueError("the ground moves: give time= (s), a number or one for each state, or "
                         "ground_state=lp.GroundState(...); a motion or a simulation brings its own times")
    return ground.motion.at(numbers(time, "time"))


def refuse_spins_that_turn(rover: Rover, base: Mapping[str, Any], caller: str) -> None:
    """An error for wheels with a spin inertia on ground that turns: what turns them against it is not known here."""
    if not rover.arrangement.axle_inertia.any():
        return
    given, motion = base.get("ground_state"), rover.ground.motion
    turns = motion is not None and motion.turns
    if given is not None:
        turns = bool(np.any(given.angular_velocity) or np.any(given.angular_acceleration))
    if turns:
        raise ValueError(f"{caller}: wheels of '{rover.name}' have a spin_inertia, and the ground turns (roll, pitch "
                         "or yaw): leave one of them out; surge, sway and heave go with spin inertia")


def base_position(base: Mapping[str, Any]) -> Floats:
    """(..., 2): where the base's origin is, in the frame of the ground; at its origin where it is not given."""
    given = base.get("position")
    position = numbers((0.0, 0.0) if given is None else given, "position of the base")
    if position.shape[-1:] != (2,):
        raise ValueError(f"position of the base has the shape {position.shape}: expected (..., 2), x and y in the "
                         "frame of the ground; its angle is heading=")
    return position


def on_plane(heading: Any) -> Floats:
    """(..., 3, 3): rotation C of a base that stands flat on the ground with that heading."""
    psi = numbers(0.0 if heading is None else heading, "heading")
    c, s, none = np.cos(psi), np.sin(psi), 0.0 * psi
    rows = [[c, -s, none], [s, c, none], [none, none, none + 1.0]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def base_in_space(
    ground: Ground, base: Mapping[str, Any], velocity: Floats, acceleration: Floats, stance: Stance | None = None
) -> BaseInSpace:
    """The base in inertial space, for its motion (..., 3) against the ground: see above. A `stance` is that on uneven
    ground.
    """
    moving = state_of_ground(ground, base)
    C = on_plane(base.get("heading")) if stance is None else stance.rotation
    r = base_position(base) if stance is None else stance.origin

    def in_base(vector: Floats) -> Floats:
        return np.asarray(np.einsum("...ji,...j->...i", C, vector))

    weight = ground.gravity_in_base(0.0)
    gravity = in_base(np.einsum("...ji,...j->...i", moving.rotation, weight))
    omega, alpha = in_base(moving.angular_velocity), in_base(moving.angular_acceleration)
    carried = in_base(moving.acceleration_at(r))
    vx, vy, w = (velocity[..., k] for k in range(3))
    ax, ay, dw = (acceleration[..., k] for k in range(3))
    none = 0.0 * vx
    v = np.stack([vx, vy, none], axis=-1)
    spin = np.stack([none, none, w], axis=-1)
    own = np.stack(np.broadcast_arrays(ax - w * vy, ay + w * vx, none), axis=-1)
    linear = carried + 2.0 * np.cross(omega, v) + own
    angular = alpha + np.cross(omega, spin) + dw[..., None] * np.array([0.0, 0.0, 1.0])
    return BaseInSpace(gravity, _joined(v, omega + spin), _joined(linear, angular))


def _joined(linear: Floats, angular: Floats) -> Floats:
    shape = np.broadcast_shapes(linear.shape, angular.shape)
    return np.concatenate([np.broadcast_to(linear, shape), np.broadcast_to(angular, shape)], axis=-1)
