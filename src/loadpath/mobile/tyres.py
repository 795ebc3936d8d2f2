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

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from loadpath.api import Robot
from loadpath.cached import kept
from loadpath.errors import ModelError, warn
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.normals import on_springs
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.joints import Fixed
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.state import State

TYRES = "tyres"
"""Name of the joint between ground and base."""
_LOOSE = 1e-9
"""Share of the largest stiffness below which nothing holds."""


def base_compliance(rover: Rover, placed: Placed | None = None) -> Floats:
    """Compliance (6, 6) of the base on its tyres: displacement (m) and rotation (rad) of the base frame per unit of
    force and torque on it, at its origin; zero rows where it is rigid.

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
    if all(wheel.stiffness is not None for wheel in wheels.wheels):
        x, y = placed.points.T
        rows = np.stack([np.ones(len(x)), y, -x], axis=-1)
        result[np.ix_((2, 3, 4), (2, 3, 4))] = np.linalg.inv(rows.T @ (rows / wheels.compliance[:, None]))
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
    rover: Rover, asked: str, placed: Placed | None = None, robot: Robot | None = None
) -> Robot:
    """What of a rover gives way: its robots (as they are, or `robot`, the same under another gravity), where they have
    beams or compliant joints, on the base's tyres, where it has some; else an error that says how it gets them.
    """
    robot = rover.robot if robot is None else robot
    if rover.base.on_tyres:
        return _on_tyres(rover, placed, robot)
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


def _on_tyres(rover: Rover, placed: Placed | None, robot: Robot) -> Robot:
    """The robots of a rover with the base on a compliant joint to the ground, which is the root."""
    return _sprung(rover, robot.gravity, tuple(tuple(row) for row in base_compliance(rover, placed).tolist()))


@kept(maximum=8)  # for casters at different angles
def _sprung(rover: Rover, gravity: Vector3, compliance: tuple[tuple[float, ...], ...]) -> Robot:
    robot, ground, joint = rover.robot, "ground", TYRES
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
