"""How a rover accelerates while its wheels roll without sliding: arm and base together, for one state or many.

The equations are those of `loadpath.mobile.contacts.given_forces`; here are the reading of arguments and the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.algorithms.coulomb import DryFriction
from loadpath.in_text import named_rows, parts
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.base_in_space import base_in_space, moves_or_is_uneven, refuse_spins_that_turn
from loadpath.mobile.contacts.given_forces import Rolling
from loadpath.mobile.equations import BASE, equations_of
from loadpath.mobile.kinematics import constraint_rows, rotation_axis
from loadpath.mobile.loops import forces_of_drives, free_directions
from loadpath.mobile.motions import (
    as_numbers,
    base_components,
    by_names,
    speeds_beyond_rounding,
    unknown_heading,
)
from loadpath.mobile.wheel_motors import warn_of_torques
from loadpath.quantities.wrench import Wrench
from loadpath.robot.mechanism import plain
from loadpath.robot.wheels.tracks import pieces_named
from loadpath.scalars.types import Bools, Floats
from loadpath.states import unknown_states

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


_ROUNDING = 1e-12
"""Share of the fastest joint's speed up to which a joint stands."""
_SLIDING = 1e-6
"""Speed across a wheel, as a share of its speed, from which on it does not roll but slides."""


@dataclass(frozen=True, eq=False)
class RoverAccelerations:
    """Accelerations of arm and base, and the forces that go with them, while no wheel slides.

    `qdd` (..., n) of the joints, `tau` (..., n) forces of their drives; `acceleration` (..., 3): rates of (v_x, v_y, w)
    in base axes. `normal`, `longitudinal`, `lateral` (..., contacts): forces (N) of the ground on every contact, as in
    `wheel_loads`, and shared by the same rule where balance leaves them open. `tips_over` (...): some contact would
    have to pull, or the state is not a number (`unknown`).

    What stands stays where its rolling resistance or its dry friction holds it, as at the first moment of a simulation.
    Where wheels are on links all of it is that first moment: wheels slip beyond their friction, and `tips_over` says
    that some lift.
    """

    qdd: Floats
    acceleration: Floats
    tau: Floats
    normal: Floats
    longitudinal: Floats
    lateral: Floats
    tips_over: Bools
    names: tuple[str, ...]

    def __repr__(self) -> str:
        forces = {"normal (N)": self.normal, "longitudinal (N)": self.longitudinal, "lateral (N)": self.lateral}
        moving = parts("Accelerations of arm and base", {
            "qdd of the joints": (self.qdd, "rad/s^2 or m/s^2"), "tau of their drives": (self.tau, "N m or N"),
            "acceleration of the base": (self.acceleration, "m/s^2, m/s^2, rad/s^2")})
        return f"{moving}\n{named_rows('Forces of the ground', self.names, forces)}"

    @property
    def unknown(self) -> Bools:
        """(...): states of which some acceleration or normal force is not a number."""
        return unknown_states(self.acceleration, self.normal)


@dataclass(frozen=True, eq=False)
class AskedAccelerations:
    """A state of a rover whose accelerations are sought, for forces `tau` of the arm's drives, or for accelerations
    `qdd` of its joints: arguments of `forward_dynamics` and `base_acceleration`, read once for wheels on the base and
    on links.
    """

    rover: Rover
    q: Any
    qd: Any
    tau: Any = None
    qdd: Any = None
    velocity: Any = None
    wheel_torques: Any = None
    heading: Any = None
    position: Any = None
    time: Any = None
    ground_state: Any = None
    steering: Any = None
    external: Mapping[str, Wrench] | None = None

    @property
    def caller(self) -> str:
        """For messages."""
        return "forward_dynamics" if self.qdd is None else "base_acceleration"

    @property
    def base(self) -> dict[str, Any]:
        """Where the base is, and when."""
        return {"heading": self.heading, "position": self.position, "time": self.time,
                "ground_state": self.ground_state}

    @property
    def joint_speeds(self) -> Floats:
        """(..., n)."""
        return joint_values(self.rover, self.qd, "qd")

    @property
    def given(self) -> Floats:
        """(..., n): `tau`, or `qdd`."""
        return joint_values(self.rover, *((self.tau, "tau") if self.qdd is None else (self.qdd, "qdd")))

    @property
    def speeds(self) -> Floats:
        """(..., 3): of the base."""
        speeds = base_components((0.0, 0.0) if self.velocity is None else self.velocity, "velocity")
        return speeds_beyond_rounding(self.rover, speeds)

    @property
    def torques(self) -> Floats:
        """(..., contacts)."""
        return torques_by_wheel(self.rover, self.wheel_torques)

    def angles(self, speeds: Floats, *q: Floats) -> Floats:
        """Of the wheels that turn, as they are given, or as the speeds of the base (and joints) align them."""
        wheels = self.rover.arrangement
        return wheels.aligned(speeds, *q) if self.steering is None else wheels.read_steering(self.steering)


def rover_accelerations(asked: AskedAccelerations) -> RoverAccelerations:
    """Accelerations of a rover whose wheels are all on its base."""
    rover, q, qdd, heading = asked.rover, asked.q, asked.qdd, asked.heading
    speeds, qd, given, base = asked.speeds, asked.joint_speeds, asked.given, asked.base
    if heading is not None:  # one that is not a number leaves nothing known, on level ground neither
        speeds = speeds + unknown_heading(heading)
    moving = None
    if moves_or_is_uneven(rover.ground, base):
        refuse_spins_that_turn(rover, base, asked.caller)
        moving = base_in_space(rover.ground, base, speeds, np.zeros(BASE)).row
    equations = equations_of(rover, q, qd, speeds, heading, asked.external, moving)
    directions = None if qdd is not None else free_directions(rover, q, qd)
    if directions is not None:
        equations = equations.along(directions)
    wheels = rover.arrangement
    placed = wheels.placed(asked.angles(speeds))
    refuse_sliding(rover, placed, speeds, asked.steering)
    torques = asked.torques
    warn_of_torques(rover, torques, lambda: _times(wheels.rate_rows(placed), speeds), asked.caller)
    rolling = Rolling(rover, equations, placed, speeds, torques)
    size, n = rolling.system.M.shape[-1], rover.n
    free = np.ones(size, dtype=bool)
    free[BASE : BASE + n] = qdd is None
    along = np.zeros((*np.broadcast_shapes(given.shape[:-1], rolling.shape), size))
    along[..., BASE : BASE + n] = given
    if directions is not None:
        free[BASE + rover.robot.mobility : BASE + n] = False
        along[..., BASE : BASE + n] = np.where(free[BASE : BASE + n], _times(directions.speeds, given, transposed=True),
                                               directions.held)
    dry = DryFriction(plain(rover.robot))
    moving_joints = np.abs(qd) > _ROUNDING * np.abs(qd).max(axis=-1, initial=0.0, keepdims=True)
    rubbed = np.where(moving_joints, dry.at(qd) * np.sign(qd), 0.0)
    if qdd is None and dry.at_rest.any():
        rows = np.eye(n) if directions is None else directions.speeds
        rolling.stand_joints(dry.at_rest, ~moving_joints & ~np.isnan(qd), rows)
        along = along - np.concatenate([np.zeros((*rubbed.shape[:-1], BASE)), np.where(
            free[BASE : BASE + n], _times(rows, rubbed, transposed=True), 0.0),
            np.zeros((*rubbed.shape[:-1], size - BASE - n))], axis=-1)
    rolling = rolling.over(along.shape[:-1])
    Udot = rolling.accelerations(free, along)
    loads = rolling.loads(Udot)
    each = (*rolling.shape, len(rover.contact_names))
    joints = Udot[..., BASE : BASE + n]
    forces = ((rolling.system.M @ Udot[..., None])[..., 0] + rolling.system.h)[..., BASE : BASE + n]
    # Along what is held there are the forces of loops and of dry friction, too.
    forces = np.where(np.isnan(forces), np.nan, given) if qdd is None else forces + rubbed
    if directions is not None:
        joints = _times(directions.speeds, joints)
    return RoverAccelerations(
        qdd=joints,
        acceleration=Udot[..., :BASE],
        tau=forces if qdd is None else forces_of_drives(rover, q, forces),
        normal=rolling.normal,
        longitudinal=loads.longitudinal.reshape(each),
        lateral=loads.lateral.reshape(each),
        tips_over=rolling.tips | ~(rolling.normal >= 0).all(axis=-1),
        names=rover.contact_names,
    )


def _times(matrix: Floats, vector: Floats, *, transposed: bool = False) -> Floats:
    matrix = np.swapaxes(matrix, -1, -2) if transposed else matrix
    return np.asarray((matrix @ vector[..., None])[..., 0])


def joint_values(rover: Rover, value: Any, what: str) -> Floats:
    array = np.zeros(rover.n) if value is None else as_numbers(value, what)
    if array.ndim == 0 or array.shape[-1] != rover.n:
        raise ValueError(f"{what} has the shape {array.shape}: expected (..., {rover.n})")
    return array


def torques_by_wheel(rover: Rover, given: Any) -> Floats:
    """Torques (..., contacts) of the wheels' drives from a mapping by names, or an array over all contacts."""
    names = rover.contact_names
    if given is None:
        return np.zeros(len(names))
    given = by_names(given)
    if isinstance(given, Mapping):
        of = {name: pieces_named(rover.base.wheels, name) for name in given}
        wrong = [name for name in given if not of[name]]
        if wrong:
            raise ValueError(f"wheel_torques: no wheel '{wrong[0]}'; there are {', '.join(names)}")
        shape = np.broadcast_shapes(*(np.shape(value) for value in given.values()))
        torques = np.zeros((*shape, len(names)))
        for name, value in given.items():
            each = as_numbers(value, f"wheel_torques of '{name}'") / len(of[name])  # of a track, evenly on its pieces
            torques[..., of[name]] = each[..., None]
    else:
        torques = as_numbers(given, "wheel_torques")
        if torques.ndim == 0 or torques.shape[-1] != len(names):
            raise ValueError(f"wheel_torques has the shape {torques.shape}: expected (..., {len(names)}), or a "
                             "mapping by names of wheels")
    refuse_torque_without_axle(rover, np.abs(torques).reshape(-1, len(names)).max(axis=0, initial=0.0) > 0)
    return torques


def refuse_torque_without_axle(rover: Rover, turned: Bools) -> None:
    """An error where feet or casters are to be driven."""
    wrong = np.flatnonzero(turned & ~rover.arrangement.axled)
    if len(wrong):
        wheel = rover.base.wheels[wrong[0]]
        raise ValueError(f"wheel_torques: '{wheel.name}' is a {wheel.kind} and cannot be driven")


def refuse_sliding(rover: Rover, placed: Placed, velocity: Floats, steering: Any) -> None:
    rows = constraint_rows(rover.arrangement, placed)
    if not rows.shape[-2]:
        return
    across = np.abs((rows @ velocity[..., None])[..., 0]).max(axis=-1)
    speed = np.hypot(np.hypot(velocity[..., 0], velocity[..., 1]), rover.arrangement.size * velocity[..., 2])
    slides = across > _SLIDING * speed
    if not np.any(slides):
        return
    at = tuple(int(i) for i in np.argwhere(slides)[0])
    where = f" at {list(at)}" if at else ""
    why = ""
    if rover.linkage is None:
        axis = rotation_axis(rover, steering)
        why = f" ({axis})" if np.ndim(axis.mobility) == 0 and not axis.exists else ""
    first = np.broadcast_to(velocity, (*slides.shape, velocity.shape[-1]))[at][:BASE].tolist()
    raise ValueError(f"velocity {first}{where} makes wheels slide "
                     f"across their rolling direction{why}: these accelerations are those of wheels that roll; "
                     "rover.simulate can slide")
