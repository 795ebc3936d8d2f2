"""A base on tyres and springs: how it sinks in, pitches and rolls, and sways in the plane where its grip gives way too.

A contact at (x_i, y_i) with the stiffness k_i carries k_i times the depth to which it is pressed in,

    z_i = z + y_i a - x_i b      for a displacement z of the base frame's origin and rotations a, b about x and y,

so the base stands on the stiffness sum k_i s_i s_i^T, s_i = (1, y_i, -x_i), in (z, a, b). In the plane each direction
that a contact holds (the traction of a driven wheel with it: its drive is held, as joints are) does the same, with
`grip_stiffness`. Both sets do not mix: all contacts lie in the plane of the frame. What is not given is rigid.

To the elastic model this is one compliant joint between the ground and the base, so that everything that is asked of a
flexible arm holds for the arm on its base on tyres, with the base's mass. Buckling and frequencies under load count
that the contacts stick to the ground: their reactions stay where they are while the base sways above them. Springs that
would have to pull are those of wheels that lift: for such states there is a warning, as the base tilts further than on
all of its wheels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.api import Robot
from loadpath.cached import kept
from loadpath.errors import ModelError, warn
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.normals import on_springs
from loadpath.mobile.springs import Settled, Springs
from loadpath.mobile.support import edges_of
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.joints import Fixed
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.state import State

TYRES = "tyres"
"""Name of the joint between ground and base."""
_LOOSE = 1e-9
"""Share of the largest stiffness below which nothing holds."""


def base_compliance(rover: Rover, placed: Placed | None = None, tangent: Floats | None = None) -> Floats:
    """Compliance (6, 6) of the base on its tyres: displacement (m) and rotation (rad) of the base frame per unit of
    force and torque on it, at its origin; zero rows where it is rigid. On springs with preload, stops or bars it is
    that of small changes, for the stiffnesses `tangent` of the springs where they stand, or within their travel.

    >>> import loadpath as lp
    >>> base = lp.WheeledBase(mass=40, center_of_mass=(0, 0, 0.3), wheels=[
    ...     lp.FixedWheel((x, y), 0.1, stiffness=1e5) for x in (-0.5, 0.5) for y in (-0.3, 0.3)])
    >>> C = base_compliance(base.carrying())
    >>> (1 / C.diagonal()[2:5]).round().tolist()                     # 4 k, 4 k 0.3^2, 4 k 0.5^2
    [400000.0, 36000.0, 100000.0]
    """
    wheels = rover.arrangement
    placed = wheels.at_rest if placed is None else placed
    result = np.zeros((6, 6))
    if rover.base.on_springs:
        springs = wheels.springs
        K = springs.stiffness(placed.points, springs.design_stiffness if tangent is None else tangent)
        result[np.ix_((2, 3, 4), (2, 3, 4))] = np.linalg.inv(K)
    if any(wheel.grip_stiffness is not None for wheel in wheels.wheels):
        result[np.ix_((0, 1, 5), (0, 1, 5))] = np.linalg.inv(_grip_stiffness(rover, placed))
    return result


def _grip_stiffness(rover: Rover, placed: Placed) -> Floats:
    """Stiffness (3, 3) in v_x, v_y, w of what the contacts hold, brakes and drives of driven wheels held."""
    wheels = rover.arrangement
    braked = wheels.tractions.some(np.flatnonzero(wheels.driven[wheels.tractions.contact]))
    total = np.zeros((3, 3))
    for rows in (wheels.held, braked):
        if len(rows.contact):
            A = wheels.in_base(rows, placed)
            total += A.T @ (A / wheels.grip_compliance[rows.contact][:, None])
    scaled = total / np.outer((1.0, 1.0, wheels.size), (1.0, 1.0, wheels.size))
    values, vectors = np.linalg.eigh(scaled)
    if not values[0] > _LOOSE * values[-1]:
        loose = vectors[:, 0] * (1.0, 1.0, 1.0 / wheels.size)
        words = ", ".join(f"{part:.3g}" for part in (loose / np.abs(loose).max() + 0.0).tolist())
        raise ModelError(f"base '{rover.name}' has wheels with a grip_stiffness, which hold it in all directions but "
                         f"(v_x, v_y, w) = ({words}): it rolls away. Make a wheel driven, whose brake holds it, or "
                         "leave grip_stiffness out")
    return total


def elastic_robot(
    rover: Rover, asked: str, placed: Placed | None = None, robot: Robot | None = None, tangent: Floats | None = None
) -> Robot:
    """What of a rover gives way: its robots (as they are, or `robot`, the same under another gravity), where they have
    beams or compliant joints, on the base's tyres, where it has some, of the stiffnesses `tangent`; else an error that
    says how it gets them.
    """
    robot = rover.robot if robot is None else robot
    if rover.base.on_tyres:
        compliance = base_compliance(rover, placed, tangent)
        return _sprung(rover.robot, robot.gravity, _rows(compliance))
    if not robot.is_elastic:
        raise ModelError(f"{asked}: rover '{rover.name}' carries no robot with beams or compliant joints, and its "
                         "wheels have no stiffness: give it some with rover.with_beams({link: lp.Beam(...)}), or carry "
                         "a robot that has them, or give the wheels stiffness=")
    return robot


def placed_for(rover: Rover, state: State, asked: str) -> Placed | None:
    """Where the contacts of a base on tyres are, the same in all states; None where it has no tyres, or nothing moves
    them.
    """
    wheels = rover.arrangement
    if not rover.base.on_tyres or not len(wheels.steerable):
        return None
    grips = any(wheel.grip_stiffness is not None for wheel in wheels.wheels)
    if wheels.fixed_points and not grips:
        return None
    placed = state.placed
    if placed.forward.ndim > 2:
        rows = np.concatenate([placed.points, placed.forward], axis=-1).reshape(-1, len(wheels.wheels), 4)
        if not len(rows) or not (rows == rows[0]).all():
            raise ModelError(f"{asked}: base '{rover.name}' stands on tyres, and its wheels are at other angles from "
                             "state to state, so that it gives way otherwise in each: ask for states with the same "
                             "angles at a time, or give steering= for all of them")
        placed = Placed(rows[0][:, :2], rows[0][:, 2:])
    return placed


def _rows(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())


@kept(maximum=8)  # for casters at different angles
def _sprung(robot: Robot, gravity: Vector3, compliance: tuple[tuple[float, ...], ...]) -> Robot:
    """A robot with its base on a compliant joint to the ground, which is the root."""
    ground, joint = "ground", TYRES
    while ground in robot.link_names:
        ground += "_"
    while joint in robot.joint_names:
        joint += "_"
    soft = JointCompliance(resolved=compliance, resolved_on_ground=True)
    return replace(
        robot,
        links=(Link(ground), *robot.links),
        joints=(Joint(joint, ground, robot.base.name, Fixed()), *robot.joints),
        joint_compliances=((joint, soft), *robot.joint_compliances),
        gravity=gravity,
    )


def tangent_of(rover: Rover, state: State, asked: str) -> tuple[Floats, Floats]:
    """Stiffnesses (elements,) of the springs of a base where it stands in states, the same in all of them, and where it
    would stand without loads if they had them everywhere, (..., 3): z, and rotations about x and y.
    """
    row = state.rows(slice(None))
    own, tips = settled(rover, row)
    known = np.flatnonzero(~np.isnan(np.broadcast_to(row.vertical, (row.count, 3))).any(axis=-1))
    if tips[known].any():
        raise ModelError(f"{asked}: base '{rover.name}' tips over in {int(tips[known].sum())} of {len(tips)} states, "
                         "where its springs have no posture: ask for the others (rover.stability says which)")
    if len(known) and (own.pieces[known] != own.pieces[known[0]]).any():
        raise ModelError(f"{asked}: the springs of base '{rover.name}' are on other pieces of their laws from state to "
                         "state (a wheel lifts, or comes to the end of its travel), so that it gives way otherwise in "
                         "each: ask for states of one kind at a time, see rover.posture(...)")
    tangent = own.tangent[known[0]] if len(known) else rover.arrangement.springs.design_stiffness
    points = row.placed.points
    K = rover.arrangement.springs.stiffness(points if points.ndim == 2 else points[0], tangent)
    values = np.linalg.eigvalsh(K / np.outer(scale := (1.0, *2 * [rover.arrangement.size]), scale))
    if not values[0] > _LOOSE * values[-1]:
        raise ModelError(f"{asked}: base '{rover.name}' stands on springs that do not hold it: too few wheels carry")
    load = np.broadcast_to(row.vertical, (row.count, 3))
    start: Floats = own.base + load @ np.linalg.inv(K)
    return tangent, start.reshape(*state.batch, 3)


def shift_by_posture(
    rover: Rover, state: State, states: tuple[Any, Any, Any], case: Mapping[str, Any]
) -> tuple[Floats, Floats, Floats]:
    """By how much the ground's force and torque are larger as the base stands on its springs than in its design
    position, and the moment of its masses (kg m), of first order: what each of heave, roll and pitch does to loads
    that are those of the design position.
    """
    row = state.rows(slice(None))
    own, _ = settled(rover, row)
    u, unit = own.base.reshape(*state.batch, 3), 1e-6 / np.abs(state.vertical[..., :1]).max(initial=1.0)
    total = [np.zeros((*state.batch, 3)) for _ in range(3)]
    for k in range(3):
        C = np.zeros((6, 6))
        C[2 + k, 2] = unit  # moved by the force along z, of which all of the base has some
        robot = _sprung(rover.robot.without_beams(), rover.robot.gravity, _rows(C))
        each = robot.load_shift(*states, **case)
        share = (-u[..., k] / (unit * state.vertical[..., 0]))[..., None]
        total = [whole + share * part for whole, part in zip(total, each, strict=True)]
    return total[0], total[1], total[2]


def warn_of_lifted(rover: Rover, state: State, asked: str) -> None:
    """Warn of states in which springs of tyres would have to pull: wheels lift there, and the base tilts further."""
    wheels = rover.arrangement
    if any(wheel.stiffness is None for wheel in wheels.wheels):
        return
    normal = on_springs(state.placed.points, 1.0 / wheels.compliance, state.vertical).normal
    below = normal < -1e-9 * np.abs(normal).sum(axis=-1, keepdims=True)
    lifts = below.any(axis=-1)
    if lifts.any():
        contact = rover.contact_names[int(np.flatnonzero(below.reshape(-1, len(wheels.wheels)).any(axis=0))[0])]
        where = f" in {int(lifts.sum())} of {lifts.size} states" if lifts.ndim else ""
        warn(f"{asked}: contact '{contact}' of '{rover.name}' lifts{where}; its tyre is counted as if it pulled: "
             "the base gives way further than this. wheel_loads and stability have the loads then")


def settled(
    rover: Rover, state: State, springs: Springs | None = None, load: Floats | None = None
) -> tuple[Settled, Bools]:
    """How the base rests on its springs in states in a row (s, ...), NaN where it tips over, and where it does."""
    points, count, heights = state.placed.points, state.count, state.heights
    heights = None if heights is None else np.broadcast_to(heights, (count, heights.shape[-1]))
    load = np.broadcast_to(state.vertical if load is None else load, (count, 3))
    edges = rover.edges if rover.arrangement.fixed_points else edges_of(points)
    with np.errstate(invalid="ignore"):
        tips: Bools = np.asarray(~((edges.moments(load).min(axis=-1) >= 0) & (load[:, 0] > 0)))
    springs, stands = springs or rover.arrangement.springs, np.flatnonzero(~tips)
    gravity = hub_gravity(rover, state)
    own = springs.settle(points[stands] if points.ndim > 2 else points, load[stands],
                         gravity[stands] if gravity.ndim else gravity,
                         None if heights is None else heights[stands])
    pieces = np.zeros(count, dtype=own.pieces.dtype)
    pieces[stands] = own.pieces

    def whole(part: Floats) -> Floats:
        result = np.full((count, part.shape[-1]), np.nan)
        result[stands] = part
        return result

    return Settled(whole(own.normal), whole(own.base), whole(own.deflection), pieces, whole(own.tangent)), tips


def hub_gravity(rover: Rover, state: State) -> Floats:
    """How strongly gravity presses hubs on the ground (m/s^2), (s,) or one."""
    if rover.ground.motion is not None and rover.base.unsprung_mass:
        raise ModelError(f"base '{rover.name}' has unsprung masses and stands on ground that moves, which accelerates "
                         "them by themselves: leave unsprung_mass out (they count as parts of the base then)")
    acting = rover.ground.gravity_in_base() if state.gravity is None else state.gravity
    return np.asarray(-acting[..., 2])


def spring_normals(rover: Rover, state: State) -> Floats:
    """Normal forces (s, contacts) in states in a row, on springs of any kind; in those that tip over the ones that
    would be needed if contacts could pull, by their stiffness within the travel.
    """
    return springs_under(rover, state, state.vertical)[0]


def springs_under(rover: Rover, state: State, load: Floats) -> tuple[Floats, Bools]:
    """The same under loads (s, 3), F_z, N_x and N_y; and where the base tips over."""
    own, tips = settled(rover, state, load=load)
    normal = own.normal
    if tips.any():
        at, points = np.flatnonzero(tips), state.placed.points
        places = points[at] if points.ndim > 2 else points
        left = np.broadcast_to(load, (state.count, 3))[at]
        normal[at] = on_springs(places, 1.0 / rover.arrangement.compliance, left).normal
    return normal, tips
