"""What a rover does over time and under forces: the methods of `lp.Rover` that have to do with motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Never

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.mobile.dynamics import AskedAccelerations, RoverAccelerations, rover_accelerations
from loadpath.mobile.equations import equations_of
from loadpath.mobile.motions import (
    MOVES_BY,
    Steering,
    base_components,
    base_state_of,
    coordinates,
    refuse_ground,
)
from loadpath.mobile.spatial.moment import linked_accelerations
from loadpath.quantities.wrench import Wrench
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import ArrayLike
from loadpath.states import (
    Joints,
    StatesLike,
    is_motion,
    read_arrays,
    read_states,
    refuse_keywords,
    warn_of_unknown,
)
from loadpath.states.reading import refuse_loads_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def forward_dynamics(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    velocity: ArrayLike | None = None,
    wheel_torques: ArrayLike | Mapping[str, ArrayLike] | None = None,
    heading: ArrayLike | None = None,
    position: ArrayLike | None = None,
    time: ArrayLike | None = None,
    ground_state: GroundState | None = None,
    steering: Steering = None,
    external: Mapping[str, Wrench] | None = None,
    **others: Never,
) -> RoverAccelerations:
    """Accelerations of arm and base together under forces `tau` of the arm's drives and torques (N m) of the
    wheels', `wheel_torques={"wheel2": 1.0}` or an array (..., contacts), while every wheel rolls and none slides.
    All have batch axes in front. Base and arm act on each other in full: other than on a fixed base, its motion is not
    given but found, and torques of wheels drive it. Rolling resistance acts against the
    velocity, and holds what stands up to its limit, as at the first moment of a simulation; so does the dry friction of
    joints: one at rest moves only if more than that pushes it. Loops of the robots stay
    closed: q
    and qd are those of closed ones, a force at a passive joint counts, as in `simulate`. Steering angles stay as they
    are. A motion may stand in place of `q` and `qd`, with `tau` after it; a simulation has the velocity, heading
    and steering of the base, too, and the forces of all drives. Where wheels are on links, it is the first moment of
    `simulate`: contacts whose friction is exceeded slip, and those that would be pulled lift.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(driven=True, friction=lp.WheelFriction(0.8))
    >>> push = rover.forward_dynamics([0, 0, 0.5], [0, 0, 0], wheel_torques={"wheel2": 0.5, "wheel3": 0.5})
    >>> push.acceleration.shape, push.qdd.shape, push.normal.shape
    ((3,), (3,), (3,))
    """
    refuse_keywords("forward_dynamics", others, MOVES_BY)
    q = coordinates(rover, q)
    base = _without_acceleration(rover, q, {
        "velocity": velocity, "heading": heading, "position": position, "time": time, "ground_state": ground_state,
        "steering": steering, "external": external,
    }, "forward_dynamics")
    if is_motion(q):
        if qd is not None and tau is not None:
            raise ValueError("forward_dynamics: a motion has its own qd: give it and tau alone")
        wheel_torques = _wheel_torques_of(q, wheel_torques)
        states = read_states(rover, q, caller="forward_dynamics")
        tau = qd if qd is not None else tau if tau is not None else states.tau
        q, qd = states.q, states.qd
    read = read_arrays(Joints.of(rover), {"q": q, "qd": qd, "tau": tau}, "forward_dynamics")
    q, qd, tau = (read[name] for name in ("q", "qd", "tau"))
    return _accelerations(AskedAccelerations(rover, q, qd, tau=tau, wheel_torques=wheel_torques, **base))


def base_acceleration(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    velocity: ArrayLike | None = None,
    wheel_torques: ArrayLike | Mapping[str, ArrayLike] | None = None,
    heading: ArrayLike | None = None,
    position: ArrayLike | None = None,
    time: ArrayLike | None = None,
    ground_state: GroundState | None = None,
    steering: Steering = None,
    external: Mapping[str, Wrench] | None = None,
    **others: Never,
) -> RoverAccelerations:
    """How the base accelerates while the arm moves as given, and the forces `tau` which that takes; a motion may
    stand in place of q, qd, qdd; all else as in `forward_dynamics`. Joints that move rub, which is part of `tau` as in
    `inverse_dynamics`. This is the thesis's non-forcing case where no wheel has a torque, its forcing case else.
    Passive joints between the base and wheels on links follow: their accelerations are found, and given as 0.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.8))
    >>> swing = rover.base_acceleration([0, 0, 0.5], [0, 0, 0], [1, 0, 0])
    >>> bool(swing.acceleration[2] < 0)                                # the arm turns left, so the base turns right
    True
    """
    refuse_keywords("base_acceleration", others, MOVES_BY)
    q = coordinates(rover, q)
    given = {"velocity": velocity, "heading": heading, "position": position, "time": time,
             "ground_state": ground_state, "steering": steering, "external": external}
    base = _without_acceleration(rover, q, given, "base_acceleration")
    wheel_torques = _wheel_torques_of(q, wheel_torques)
    states = read_states(rover, q, qd, qdd, caller="base_acceleration", at_rest=True)
    q, qd, qdd = states.q, states.qd, states.qdd
    return _accelerations(AskedAccelerations(rover, q, qd, qdd=qdd, wheel_torques=wheel_torques, **base))


def mass_matrix(rover: Rover, q: StatesLike | None = None, **others: Never) -> NDArray[np.float64]:
    """Mass matrix (..., 3 + n, 3 + n) in the speeds (v_x, v_y, w, qd), the base's in base axes; without the spin of
    wheels. On wheels the base has speeds, which a robot on a fixed base has not: `rover.robot.mass_matrix` is (n, n).

    >>> import loadpath as lp
    >>> float(lp.catalog.lau_rover().mass_matrix([0, 0, 0.5])[0, 0])
    12.0
    """
    refuse_keywords("mass_matrix", others, "it does not depend on loads or speeds; forward_dynamics and "
                    "base_acceleration do")
    still = base_components((0.0, 0.0), "velocity")
    poses = read_states(rover, coordinates(rover, q), caller="mass_matrix", at_rest=True).q
    return equations_of(rover, poses, np.zeros(rover.n), still).mass_matrix


def _accelerations(asked: AskedAccelerations) -> RoverAccelerations:
    found = (rover_accelerations if asked.rover.linkage is None else linked_accelerations)(asked)
    warn_of_unknown(found.unknown, asked.caller, "NaN there, and counted as tipping over: see its unknown")
    return found


def _wheel_torques_of(states: StatesLike, given: Any) -> Any:
    """The torques of the wheels as they are given, else those of a simulation of a rover."""
    return getattr(states, "wheel_torques", None) if given is None else given


def _without_acceleration(rover: Rover, states: StatesLike, given: dict[str, Any], caller: str) -> dict[str, Any]:
    """The motion of the base but for its acceleration, which is sought."""
    refuse_loads_of(states, caller, "finds accelerations, which depend on the mass of what is carried")
    refuse_ground(rover.ground, caller, "surface", "patches")
    if not rover.base.on_plain_springs and len(rover.contact_names) > 3:
        raise ModelError(f"{caller}: base '{rover.name}' stands on springs with preload, ends of travel, unsprung "
                         "masses or anti-roll bars, whose share of the load is not known to accelerations on rigid "
                         f"wheels: rover.without_beams().{caller}(...) shares it by the stiffness of the wheels")
    base = base_state_of(rover, states, given)
    base.pop("acceleration", None)
    return base
