"""Inverse dynamics of the Stewart platform in closed form: six legs of barrel and rod, universal-prismatic-spherical.

Each leg's moments about its universal joint give the force across it at the ball; the six axial forces follow from the
six equations of the platform, a 6 x 6 system; the force of a drive is the axial force and the rod's own. See
`universal_leg`; after Dasgupta and Mruthyunjaya (1998). The universal joint's first axis is fixed in the base.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closed.references.universal_leg import Piece, leg_forces, leg_motion

Array = np.ndarray


@dataclass(frozen=True)
class Stewart:
    """Geometry and bodies: joints of base (6, 3) in world axes and of platform (6, 3) in its own, first axes of the
    universal joints (6, 3), the pieces of a leg, and the platform's mass, mass center and tensor about it.
    """

    base: Array
    platform: Array
    first_axes: Array
    barrel: Piece
    rod: Piece
    mass: float
    center: Array
    tensor: Array
    gravity: Array


def inverse_dynamics(robot: Stewart, p: Array, R: Array, v: Array, omega: Array, a: Array, omegadot: Array,
                     force: Array | None = None, torque: Array | None = None) -> tuple[Array, Array]:
    """Forces of the six drives (positive: they push the platform away) and the forces (6, 3) of the legs on the
    platform at their balls, world axes. `force` and `torque`: an external wrench on the platform at its origin.
    """

    def carried(arm: Array) -> tuple[Array, Array]:
        return (v + np.cross(omega, arm), a + np.cross(omegadot, arm) + np.cross(omega, np.cross(omega, arm)))

    still = np.zeros(3)
    arms = robot.platform @ R.T
    c = R @ robot.center
    tensor = R @ robot.tensor @ R.T
    need = robot.mass * (carried(c)[1] - robot.gravity)
    turn = tensor @ omegadot + np.cross(omega, tensor @ omega)
    if force is not None:
        need = need - force
        turn = turn + np.cross(c, force)
    if torque is not None:
        turn = turn - torque
    legs, own, A = [], [], np.zeros((6, 6))
    for k in range(6):
        velocity, acceleration = carried(arms[k])
        end = p + arms[k]
        leg = leg_motion(robot.first_axes[k], robot.base[k], end, (still, velocity), (still, acceleration))
        forces = leg_forces(leg, (robot.barrel, robot.rod), robot.base[k], end, (still, acceleration), robot.gravity)
        legs.append(leg)
        own.append(forces)
        A[:3, k], A[3:, k] = leg.s, np.cross(arms[k] - c, leg.s)
        need = need - forces.across
        turn = turn - np.cross(arms[k] - c, forces.across)
    axial = np.linalg.solve(A, np.concatenate([need, turn]))
    drives = np.array([axial[k] + own[k].beyond_slide for k in range(6)])
    return drives, np.array([own[k].across + axial[k] * legs[k].s for k in range(6)])


def leg_coordinates(e: Array, z: Array, B: Array, A: Array) -> tuple[float, float, float]:
    """Both angles of the universal joint, and the length: axes e, then y; at zero the leg points along z."""
    d = A - B
    x, y, w = d @ e, d @ np.cross(z, e), d @ z
    length = float(np.linalg.norm(d))
    return float(np.arctan2(-y, w)), float(np.arcsin(x / length)), length


def leg_axes(e: Array, z: Array, first: float, second: float) -> Array:
    """Axes of a leg, as columns, for the angles of its universal joint."""
    y = np.cross(z, e)
    turned = np.cos(first) * y + np.sin(first) * z  # the second axis
    up = np.cos(first) * z - np.sin(first) * y
    return np.array([np.cos(second) * e - np.sin(second) * up, turned, np.sin(second) * e + np.cos(second) * up]).T


def leg_rates(robot: Stewart, k: int, p: Array, R: Array, v: Array, omega: Array, a: Array,
              omegadot: Array) -> tuple[float, float]:
    """Speed and acceleration of a leg's length."""
    arm = R @ robot.platform[k]
    still = np.zeros(3)
    velocity = v + np.cross(omega, arm)
    acceleration = a + np.cross(omegadot, arm) + np.cross(omega, np.cross(omega, arm))
    leg = leg_motion(robot.first_axes[k], robot.base[k], p + arm, (still, velocity), (still, acceleration))
    return leg.length_rate, leg.length_acceleration
