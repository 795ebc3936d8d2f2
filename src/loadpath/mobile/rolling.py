"""How wheels and base move together: the methods of `lp.Rover` that have to do with rolling, without any force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loadpath.mobile import kinematics
from loadpath.mobile.motions import Steering, base_components
from loadpath.scalars.types import ArrayLike, Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def wheel_motion(rover: Rover, velocity: ArrayLike, steering: Steering = None) -> kinematics.WheelMotion:
    """Rate, steering angle and scrub of every wheel for a velocity of the base.

    >>> import loadpath as lp
    >>> motion = lp.catalog.lau_rover().wheel_motion((0.5, 1.0))
    >>> motion.rate[1:].round(9).tolist(), bool(motion.scrubs)         # (v -+ w d)/R
    ([2.0, 8.0], False)
    """
    return kinematics.wheel_motion(rover.arrangement, base_components(velocity, "velocity"), steering)


def base_motion(
    rover: Rover, rates: ArrayLike, steering: Steering = None, *, wheels: Sequence[str] | None = None
) -> kinematics.BaseMotion:
    """Velocity of the base from the rates of its wheels (rad/s), in the sense of least squares, with what each
    wheel slides all the same. `rates` are those of all wheels but casters, or of the `wheels` named. Steering
    angles are zero if they are not given.

    >>> import loadpath as lp
    >>> lp.catalog.lau_rover().base_motion([2.0, 8.0]).velocity.round(9).tolist()
    [0.5, 0.0, 1.0]
    """
    return kinematics.base_motion(rover.arrangement, rates, steering, wheels)


def constraint_matrix(rover: Rover, steering: Steering = None, *, rates: bool = False) -> Floats:
    """Nonholonomic constraints of wheels that roll and do not slide: A (v_x, v_y, w) = 0, (..., rows, 3), a row for
    each fixed or steered wheel and two for each foot. With `rates=True`, A (v_x, v_y, w, wheel rates) = 0, with
    columns for all wheels but casters and a row more for each of them.

    >>> import loadpath as lp
    >>> (lp.catalog.lau_rover().constraint_matrix() + 0.0).tolist()     # neither wheel lets O move sideways
    [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    """
    return kinematics.constraint_matrix(rover.arrangement, steering, rates=rates)


def rotation_axis(rover: Rover, steering: Steering = None) -> kinematics.RotationAxis:
    """The axis about which the wheels let the base turn, if they have one in common.

    >>> import loadpath as lp
    >>> print(lp.catalog.lau_rover().rotation_axis())
    it can turn about any point of a line
    """
    return kinematics.rotation_axis(rover.arrangement, steering)


def instantaneous_axis(rover: Rover, velocity: ArrayLike) -> Floats:
    """The point (..., 2) of the base frame about which a base with that velocity turns, at this instant.

    >>> import loadpath as lp
    >>> lp.catalog.lau_rover().instantaneous_axis((0.5, 1.0)).tolist()
    [0.0, 0.5]
    """
    return kinematics.axis_of(base_components(velocity, "velocity"))
