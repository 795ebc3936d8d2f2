"""Reading the motion of a base: two or three components, one state or many."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.base_in_space import BaseInSpace, base_in_space, moves_or_is_uneven
from loadpath.mobile.loops import check_closed
from loadpath.robot.arrays import is_labelled, numbers, without_labels
from loadpath.robot.wheels.ground import Ground
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import ArrayLike, Floats, Ints
from loadpath.simulate import base_state
from loadpath.states import LoadCase, external_of, is_motion, keywords, read_states, refuse_keywords
from loadpath.states.reading import loads_of, times_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


Steering: TypeAlias = base_state.Steering
_ROUNDING = 1e-12
"""Accelerations below this share of gravity, and speeds that it gives to what falls as deep as the base is long, are
rounding."""


BaseState = base_state.BaseState
MOVES_BY = keywords.MOVES_BY


def refuse_unknown(motion: Mapping[str, object], caller: str) -> None:
    """An error for keywords that are no motion of a base."""
    known = BaseState.__annotations__
    if wrong := {name: value for name, value in motion.items() if name not in known}:
        refuse_keywords(caller, wrong, MOVES_BY, f"the motion of a base has {', '.join(known)}")


def refuse_ground(ground: Ground, caller: str, *features: str) -> None:
    """An error for a ground with features (all, unless some are named) that a function does not know."""
    for feature in features or ("surface", "patches", "motion"):
        if getattr(ground, feature):
            raise ValueError(f"{caller} does not know ground with {_FEATURES[feature]}: rover.on(rover.ground.plane) "
                             "stands on its plane, at rest")


def refuse_links(rover: Rover, caller: str, remedy: str = "") -> None:
    """An error for wheels on links, of which a function knows nothing, with what to do in its place."""
    if rover.base.on_links:
        wheel = next(wheel for wheel in rover.base.wheels if wheel.link is not None)
        raise ModelError(f"{caller}: {wheel.kind} '{wheel.name}' of rover '{rover.name}' is on link '{wheel.link}', "
                         f"and this knows wheels on the base only{remedy}")


_FEATURES = {"surface": "a surface that is uneven", "patches": "patches of friction", "motion": "a motion of its own"}


def base_components(value: ArrayLike, what: str) -> Floats:
    """Speeds or accelerations of a base as an array (..., 3): v_x, v_y, w.

    A tuple has the components, each a number or an array of them; an array has them on its last axis. Two components
    are v and w, with v_y = 0. In a table or mapping they have these names.

    >>> base_components((1.0, 0.5), "velocity").tolist()
    [1.0, 0.0, 0.5]
    >>> base_components((np.ones(4), 0.5), "velocity").shape
    (4, 3)
    """
    called = f"{what} of the base"
    value = by_names(value)
    if isinstance(value, Mapping):
        value = _components_by_names(value, called)
    if isinstance(value, tuple):
        parts = [as_numbers(without_labels(part, called), called) for part in value]
        try:
            array = np.stack(np.broadcast_arrays(*parts), axis=-1)
        except ValueError:
            shapes = ", ".join(str(part.shape) for part in parts)
            raise ValueError(f"{called} has components of the shapes {shapes}, which do not go together") from None
    else:
        array = as_numbers(value, called)
    if array.ndim == 0 or array.shape[-1] not in (2, 3):
        raise ValueError(f"{what} of the base has the shape {array.shape}: expected (..., 2), forward and turning, or "
                         "(..., 3), forward, to the left and turning")
    if array.shape[-1] == 2:
        array = np.stack([array[..., 0], np.zeros(array.shape[:-1]), array[..., 1]], axis=-1)
    return array


def by_names(value: Any) -> Any:
    """A table or a series with names for its columns as a mapping; everything else as it is."""
    if not is_labelled(value) or not hasattr(value, "items"):
        return value
    parts = dict(value.items())
    return parts if parts and all(isinstance(name, str) for name in parts) else value


def _components_by_names(parts: Mapping[Any, Any], called: str) -> tuple[Any, ...]:
    for names in (("v", "w"), ("v_x", "v_y", "w")):
        if set(parts) == set(names):
            return tuple(parts[name] for name in names)
    given = ", ".join(repr(name) for name in parts)
    raise ValueError(f"{called} has the names {given}: expected 'v' and 'w', or 'v_x', 'v_y' and 'w'")


def as_numbers(value: object, what: str) -> Floats:
    """An array of numbers, or an error that says which argument is none."""
    return numbers(value, what)


def unknown_heading(heading: ArrayLike) -> Floats:
    """(..., 1): NaN where a heading is not a number, which leaves nothing known, on level ground neither; else 0."""
    return np.where(np.isnan(as_numbers(heading, "heading")), np.nan, 0.0)[..., None]


def arm_states(
    rover: Rover, q: Any, qd: Any, qdd: Any, caller: str = "", *, counts_loads: bool = True
) -> tuple[Any, Any, Any]:
    """State of the robots with zeros for what is left out; a motion in place of q brings all three of its own. The
    loads that it carries are in `base_state_of`; where they do not count they are refused.
    """
    given = coordinates(rover, q)
    states = read_states(rover, given, qd, qdd, caller=caller, at_rest=True, counts_loads=counts_loads)[:3]
    check_closed(rover, states[0])
    return states


def coordinates(rover: Rover, q: Any) -> Any:
    """The states as given; a base without robots needs none."""
    if q is not None:
        return q
    if rover.nq:
        raise TypeError(f"rover '{rover.name}' carries {rover.nq} coordinates: q is needed, or a motion")
    return np.zeros(0)


def base_state_of(
    rover: Rover, states: Any, given: Mapping[str, Any], caller: str = "", *, knows_space: bool = False
) -> dict[str, Any]:
    """The motion of the base and the external wrenches as they are given; what is not given comes from the states if
    they are a simulation of a rover. A motion that carries loads brings what they do to their links, in addition. One
    in which the base was a free body is refused, unless it is known how to take it (`knows_space`): then nothing of it
    may be given otherwise.
    """
    named = {name: value for name, value in given.items() if value is not None}
    if is_in_space(states):
        if not knows_space:
            refuse_in_space(states, caller)
        _refuse_other(states, named, caller)
    elif "in_space" in named:
        _check_free(named["in_space"], caller, knows_space=knows_space)
    own: dict[str, Any] | None = getattr(states, "base_state", None)
    refuse_external_of_robot(states, named)
    base = timed(rover, states, {**(own or {}), **named})
    if not loads_of(states):
        return base
    case = LoadCase(**loads_on_robot(rover, base)).with_motion_of(states, rover, caller)
    return {**base, "external": case.external}


def refuse_in_space(states: Any, caller: str) -> None:
    """An error for a simulation whose base was a free body, where what is asked is of one that stands on the plane of
    its wheels.
    """
    if is_in_space(states):
        raise ValueError(f"{caller or 'this'}: in the simulation the base moves in space, on springs or off the "
                         f"ground, and {caller or 'this'} is of a base on the plane of its wheels. wheel_loads, "
                         "stability, slip, ground_wrench, joint_wrenches, peak_loads, verdict and report take such a "
                         "simulation")


def is_in_space(states: object) -> bool:
    """Whether the states are a simulation of a rover whose base was a free body."""
    return hasattr(states, "base_state") and getattr(states, "base_velocity", None) is not None


def _check_free(value: object, caller: str, *, knows_space: bool) -> None:
    """An error for what is no free body's motion, or given where it is not known."""
    if not isinstance(value, base_state.FreeBase):
        raise ValueError(f"{caller or 'this'}: 'in_space' is {value!r}: expected what simulation.base_state has; give "
                         "the simulation itself")
    if not knows_space:
        raise ValueError(f"{caller or 'this'} is of a base on the plane of its wheels: it takes no 'in_space'")


def _refuse_other(states: Any, named: Mapping[str, Any], caller: str) -> None:
    """An error for a motion or load that is not that of the simulation, from which its forces come."""
    own = states.base_state
    other = [name for name, value in named.items() if value is not own.get(name)]
    if other:
        raise ValueError(f"{caller or 'this'}: '{other[0]}' is given, and in the simulation the base moves in space, "
                         "where the forces of the ground are those of the simulation: leave it out, or simulate with "
                         "it")


def timed(rover: Rover, states: Any, base: dict[str, Any]) -> dict[str, Any]:
    """The motion of the base, with the times of a motion of the robots where the ground moves."""
    if rover.ground.motion is None or "time" in base or "ground_state" in base or not is_motion(states):
        return base
    times = times_of(states)
    return base if times is None else {**base, "time": np.asarray(times, dtype=float)}


def refuse_external_of_robot(states: Any, given: Mapping[str, Any]) -> None:
    """An error for a simulation of a robot by itself with external wrenches, where none are given."""
    if not hasattr(states, "base_state") and "external" not in given and external_of(states):
        raise ValueError("in the simulation external wrenches act, in the axes of that robot's own base: give them as "
                         "'external', in the axes and by the link names of the rover, or external={} for none"
                         )


def motion_of_base(velocity: ArrayLike, acceleration: ArrayLike) -> dict[str, Floats]:
    """Velocity and acceleration (..., 6) of the base's origin, base axes, as a robot on it takes them: see
    `inverse_dynamics`.

    >>> motion_of_base((1.0, 0.5), (0.0, 0.0))["base_acceleration"].tolist()
    [0.0, 0.5, 0.0, 0.0, 0.0, 0.0]
    """
    v, a = np.broadcast_arrays(base_components(velocity, "velocity"), base_components(acceleration, "acceleration"))
    none = np.zeros(v.shape[:-1])
    twist = [v[..., 0], v[..., 1], none, none, none, v[..., 2]]
    # The axes turn with the base, so the origin accelerates by w x v more than its components change.
    rate = [a[..., 0] - v[..., 2] * v[..., 1], a[..., 1] + v[..., 2] * v[..., 0], none, none, none, a[..., 2]]
    return {"base_velocity": np.stack(twist, axis=-1), "base_acceleration": np.stack(rate, axis=-1)}


def in_space(ground: Ground, base: Mapping[str, Any]) -> BaseInSpace:
    """The motion of the base against inertial space, as a call gives it against the ground; of a base that was a free
    body in a simulation, as it was there.
    """
    free = base.get("in_space")
    if free is not None:
        return BaseInSpace(free.gravity, free.velocity, free.acceleration)
    parts = [np.zeros(3) if base.get(name) is None else base_components(base[name], name)
             for name in ("velocity", "acceleration")]
    velocity, acceleration = np.broadcast_arrays(*parts)
    return base_in_space(ground, base, velocity, acceleration)


def loads_on_robot(rover: Rover, base: Mapping[str, Any], gravity: ArrayLike | None = None) -> dict[str, Any]:
    """The motion of the base, its heading on a slope and the external wrenches as the load case of the robot on it,
    whose own gravity is that of level ground, unless it is given, as it acts where no heading is.
    """
    case: dict[str, Any] = {}
    velocity, acceleration, heading = (base.get(name) for name in ("velocity", "acceleration", "heading"))
    if moves_or_is_uneven(rover.ground, base):
        moves = in_space(rover.ground, base)
        return {"base_velocity": moves.velocity, "base_acceleration": moves.acceleration, "gravity": moves.gravity,
                "external": base.get("external")}
    if velocity is not None or acceleration is not None:
        still = np.zeros(3)
        case = dict(motion_of_base(still if velocity is None else velocity,
                                   still if acceleration is None else acceleration))
    if heading is not None or (rover.ground.slope and gravity is None):
        facing = as_numbers(0.0 if heading is None else heading, "heading")
        case["gravity"] = rover.ground.gravity_in_base(facing)
    return {**case, "external": base.get("external")}


def speeds_beyond_rounding(rover: Rover, speeds: Floats) -> Floats:
    """Speeds (..., 3) of a base, zero where they are rounding of one that stands: that must not say which way its
    wheels roll.
    """
    g, size = rover.ground.gravity, rover.arrangement.size
    return np.where(np.abs(speeds) * [1.0, 1.0, size] < _ROUNDING * math.sqrt(g * size), 0.0, speeds)


def accelerations_beyond_rounding(rover: Rover, changes: Floats) -> Floats:
    """The same of accelerations: rounding must not say which way wheels are about to roll."""
    g, size = rover.ground.gravity, rover.arrangement.size
    return np.where(np.abs(changes) * [1.0, 1.0, size] < _ROUNDING * g, 0.0, changes)


def velocity_at(velocity: Floats, points: Floats) -> Floats:
    """Velocity (..., points, 2) of points (..., points, 2) of a base that moves with (..., 3)."""
    vx, vy, w = (velocity[..., None, k] for k in range(3))
    return np.stack(np.broadcast_arrays(vx - w * points[..., 1], vy + w * points[..., 0]), axis=-1)


def base_rows(base: Mapping[str, Any], rows: slice | Ints, shape: tuple[int, ...]) -> dict[str, Any]:
    """The motion of the base in some states of a batch of this shape."""
    made = dict(base)
    count = int(np.prod(shape, dtype=int))

    def some(value: Any, own: int) -> Any:
        array = np.asarray(value, dtype=float)
        if array.ndim == own:
            return array
        core = array.shape[array.ndim - own :]
        return np.broadcast_to(array, (*shape, *core)).reshape(count, *core)[rows]

    for name, own in (("velocity", 1), ("acceleration", 1), ("heading", 0), ("position", 1), ("time", 0)):
        if made.get(name) is not None:
            moves = name in ("velocity", "acceleration")
            made[name] = some(base_components(made[name], name) if moves else made[name], own)
    if made.get("in_space") is not None:
        made["in_space"] = made["in_space"].rows(rows)
    ground = made.get("ground_state")
    if ground is not None:
        cores = {part.name: 2 if part.name == "rotation" else 1 for part in fields(ground)}
        made["ground_state"] = GroundState(**{name: some(getattr(ground, name), own) for name, own in cores.items()})
    for name in ("steering", "heights"):
        each = made.get(name)
        if isinstance(each, Mapping):
            made[name] = {wheel: some(value, 0) for wheel, value in each.items()}
        elif each is not None:
            made[name] = some(each, 1)
    if made.get("external"):
        made["external"] = LoadCase(made["external"]).of_states(rows, shape).external
    return made
