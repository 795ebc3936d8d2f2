"""The wrench of the ground on a rover by cause: which joint that moves, which link's weight, which motion of the base.

The ground's wrench is that of a joint between the two, so its terms are those of `load_breakdown` at such a joint.
Gravity on a slope turns with the heading, so that weights are counted here, link by link. Where wheels are on links,
the passive joints have terms as well: what each cause takes of them, which the contacts must give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.loads.breakdown.drive import drive_parts
from loadpath.mobile.base_in_space import moves_or_is_uneven
from loadpath.mobile.ground_wrench import spin_moment
from loadpath.mobile.linked_state import LinkedState
from loadpath.mobile.motions import base_rows, in_space, motion_of_base
from loadpath.mobile.quantities import reframed_rover
from loadpath.mobile.state import State
from loadpath.quantities.load_index import Cause
from loadpath.robot.joints import Fixed
from loadpath.robot.parts import Joint, Link
from loadpath.scalars.types import Floats
from loadpath.simulate.base_state import FreeBase

if TYPE_CHECKING:
    from loadpath.api import Robot
    from loadpath.mobile.rover import Rover

_FEW = 1000
"""States up to which nothing is compiled."""
_BLOCK = 4096
"""States at a time: the terms of all joints are many more numbers than those that are wanted."""
SPIN: Cause = ("base", ("spin",))
"""Of wheels that spin: what turns them, and what turns their axles."""


def wrench_by_cause(
    rover: Rover, states: tuple[Any, Any, Any], base: Mapping[str, Any], by: str, state: State
) -> tuple[tuple[Cause, ...], Floats]:
    """Causes, and the wrench (..., causes, 6) of each: force (N), then moment (N m) about the origin of the base frame,
    in its axes, of the ground on the base; behind it (..., causes, 6 + m) what it takes of the passive freedoms.
    """
    shape, count = state.batch, state.count
    if count <= _BLOCK:
        return _block(rover, states, base, by, state, compiled=count > _FEW)
    rows = [np.broadcast_to(part, (*shape, np.shape(part)[-1])).reshape(count, -1) for part in states]
    causes: tuple[Cause, ...] = ()
    whole = np.empty((0, 0, 0))
    for some, block in state.blocks():
        arms = rows[0][some], rows[1][some], rows[2][some]
        causes, part = _block(rover, arms, base_rows(base, some, shape), by, block, compiled=True)
        if not len(whole):
            whole = np.empty((count, *part.shape[1:]))
        whole[some] = part
    return causes, whole.reshape(*shape, *whole.shape[1:])


def _block(
    rover: Rover, states: tuple[Any, Any, Any], base: Mapping[str, Any], by: str, state: State, *, compiled: bool
) -> tuple[tuple[Cause, ...], Floats]:
    robot, joint = _on_ground(rover)
    moves = {name: base[name] for name in ("velocity", "acceleration") if base.get(name) is not None}
    still = np.zeros(3)
    speeds, changes = moves.get("velocity", still), moves.get("acceleration", still)
    case: dict[str, Any] = dict(motion_of_base(speeds, changes)) if moves else {}
    g, turning = rover.ground.gravity_in_base(0.0 if base.get("heading") is None else base["heading"]), None
    if moves_or_is_uneven(rover.ground, base) or state.free is not None:  # what the ground does is a motion of the base
        g, twist, rate = in_space(rover.ground, base)
        moves, case, turning = {"velocity": twist}, {"base_velocity": twist, "base_acceleration": rate}, twist[..., 3:]
    keywords: dict[str, Any] = {"by": by, "compiled": compiled, "external": base.get("external"), **case}
    split = robot.load_breakdown(*states, **keywords)
    rows = split.index.of_joint(joint)
    parts: dict[Cause, Floats] = {cause: split.values[..., of, :].sum(axis=-2) for cause, of in rows.items()}
    parts |= _gravity(rover, np.asarray(states[0], dtype=float), g)
    spins = reframed_rover(rover).spins
    if state.free is not None and rover.arrangement.momentum_inertia.any():
        parts[SPIN] = _spin_in_space(rover, state.free)
    elif spins and moves:
        moment = spin_moment(spins, _components(state.velocity), _components(state.acceleration),
                             None if turning is None else _components(turning))
        parts[SPIN] = np.stack(np.broadcast_arrays(0.0, 0.0, 0.0, *moment), axis=-1)
    joints = {} if state.linked is None else _on_joints(rover, state.linked, states, g, keywords)
    none = np.zeros(6)
    causes = tuple(dict.fromkeys([*parts, *joints]))
    whole = np.stack([np.broadcast_to(parts.get(cause, none), (*state.batch, 6)) for cause in causes], axis=-2)
    if state.linked is None:
        return causes, whole
    m = state.linked.J.shape[-1]
    passive = [np.broadcast_to(joints.get(cause, np.zeros(m)), (*state.batch, m)) for cause in causes]
    return causes, np.concatenate([whole, np.stack(passive, axis=-2)], axis=-1)


def _on_joints(
    rover: Rover, linked: LinkedState, states: tuple[Any, Any, Any], g: Floats, keywords: Mapping[str, Any]
) -> dict[Cause, Floats]:
    """What causes take of the passive freedoms (..., m), under gravity (..., 3) as it acts."""
    robot = rover.robot.without_beams().tree
    split = robot.load_breakdown(*states, gravity=g, **keywords)
    parts: dict[Cause, Any] = {}
    for k, name in enumerate(robot.dof_names):
        if linked.directions[..., k, :].any():
            for cause, values in drive_parts(split, name).items():
                parts[cause] = parts.get(cause, 0.0) + np.asarray(values)[..., None] * linked.directions[..., k, :]
    return parts


def _spin_in_space(rover: Rover, free: FreeBase) -> Floats:
    """(..., 6): what it takes to spin wheels up and to turn their axles, each of them as it spun in a simulation."""
    inertia, axle = rover.arrangement.momentum_inertia[:, None], free.frames[..., 1]
    spun = (inertia * free.wheel_rates[..., None] * axle).sum(axis=-2)
    moment = (inertia * free.wheel_accelerations[..., None] * axle).sum(axis=-2)
    moment = moment + np.cross(free.velocity[..., 3:], spun)
    return np.concatenate([0.0 * moment, moment], axis=-1)


def _components(values: Floats) -> Any:
    """Components (..., 3) as three scalars."""
    scalars = np.empty(3, dtype=object)
    scalars[:] = [values[..., k] for k in range(3)]
    return scalars


def _on_ground(rover: Rover) -> tuple[Robot, str]:
    """The robot without weight, with a joint between the ground and the base, and the name of that joint."""
    robot, name = rover.robot.without_beams(), "ground"
    while name in robot.link_names or name in robot.closed_joint_names:
        name += "_"
    joint = Joint(name, name, robot.link_names[0], Fixed())
    standing = replace(robot, links=(Link(name), *robot.links), joints=(joint, *robot.joints), gravity=(0.0, 0.0, 0.0))
    return standing, name


def _gravity(rover: Rover, q: Floats, g: Floats) -> dict[Cause, Floats]:
    """What holds the weight of each link: its mass times gravity (..., 3) as it acts, at its mass center."""
    weights: dict[Cause, Floats] = {}
    for link, pose in zip(rover.robot.links, np.moveaxis(np.asarray(rover.robot.link_poses(q)), -3, 0), strict=True):
        if link.inertia.mass:
            held = np.broadcast_to(-link.inertia.mass * g, np.broadcast_shapes(g.shape, (*pose.shape[:-2], 3)))
            center = pose[..., :3, 3] + pose[..., :3, :3] @ np.asarray(link.inertia.center_of_mass)
            weights["gravity", (link.name,)] = np.concatenate([held, np.cross(center, held)], axis=-1)
    return weights
