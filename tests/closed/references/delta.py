"""Inverse dynamics of the delta in closed form, with rods that have mass.

The model: three arms turn about axes u_k fixed in the base. From the end of each arm two parallel rods lead to the
platform, each in a universal joint at the arm (first axis u_k, second perpendicular to it and to the rod) and in a ball
at the platform; so no rod spins freely, the platform keeps its orientation, and nothing is statically open. Rods are
bodies with mass, mass center and tensor. Each rod's moments about its universal joint give the force across it; the six
axial forces follow from the platform's six equations; the torque of an arm from its moments about u_k. See
`universal_leg`. `massless_rods` is the textbook form for rods without mass, by the Jacobian (A. Codourey, Dynamic
modeling of parallel robots for computed-torque control implementation, International Journal of Robotics Research 17
(1998), 1325-1336), an independent check of the limit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from closed.references.universal_leg import Piece, leg_forces, leg_motion

Array = np.ndarray


@dataclass(frozen=True)
class Delta:
    """Hinges (3, 3) and axes (3, 3) of the arms in world axes; at theta = 0 the arm points along `outward` (3, 3), and
    turns about its axis. `ends` (3, 2, 3): the universal joints of both rods, in arm axes (outward, axis, third), seen
    from the hinge. `balls` (3, 2, 3): seen from the platform's origin, world axes (it does not turn). Arm and platform:
    mass, mass center (arm axes; world axes) and the arm's moment about its own axis through its mass center.
    """

    hinges: Array
    axes: Array
    outward: Array
    ends: Array
    balls: Array
    rod_length: float
    rod: Piece
    arm_mass: float
    arm_center: Array
    arm_moment: float
    platform_mass: float
    platform_center: Array
    gravity: Array


def _arm_axes(robot: Delta, k: int, theta: float) -> Array:
    u, x = robot.axes[k], robot.outward[k]
    out = np.cos(theta) * x + np.sin(theta) * np.cross(u, x)
    return np.array([out, u, np.cross(out, u)]).T


def arm_angles(robot: Delta, p: Array, sign: int = -1) -> Array:
    """Angles of the arms for a place of the platform: from |ball - end| = rod, a cos + b sin = c for each arm; the
    knees are outward (sign -1) or inward (1).
    """
    found = []
    for k in range(3):
        u, x = robot.axes[k], robot.outward[k]
        y = np.cross(u, x)
        reach, side, third = robot.ends[k].mean(axis=0)
        assert third == 0.0
        d = p + robot.balls[k].mean(axis=0) - robot.hinges[k] - side * u
        a, b = 2.0 * reach * float(d @ x), 2.0 * reach * float(d @ y)
        c = float(d @ d) + reach**2 - robot.rod_length**2
        found.append(np.arctan2(b, a) + sign * np.arccos(c / np.hypot(a, b)))
    return np.array(found)


def arm_motion(robot: Delta, theta: Array, p: Array, v: Array, a: Array) -> tuple[Array, Array]:
    """Speeds and accelerations of the arms: rods keep their lengths."""
    speeds, rates = np.zeros(3), np.zeros(3)
    for k in range(3):
        R, u = _arm_axes(robot, k, theta[k]), robot.axes[k]
        arm = R @ robot.ends[k, 0]
        d = p + robot.balls[k, 0] - robot.hinges[k] - arm
        swing = np.cross(u, arm)
        speeds[k] = d @ v / (d @ swing)
        dd = v - speeds[k] * swing
        inward = speeds[k] ** 2 * np.cross(u, swing)
        rates[k] = (d @ (a - inward) + dd @ dd) / (d @ swing)
    return speeds, rates


def inverse_dynamics(robot: Delta, theta: Array, p: Array, v: Array, a: Array) -> tuple[Array, Array]:
    """Torques of the three arms, and the forces (3, 2, 3) of the rods on the platform, world axes."""
    speeds, rates = arm_motion(robot, theta, p, v, a)
    need = robot.platform_mass * (a - robot.gravity)
    turn = np.zeros(3)
    A = np.zeros((6, 6))
    legs, own = [], []
    for k in range(3):
        R, u = _arm_axes(robot, k, theta[k]), robot.axes[k]
        for j in range(2):
            arm = R @ robot.ends[k, j]
            B = robot.hinges[k] + arm
            vB, aB = speeds[k] * np.cross(u, arm), _circle(u, arm, speeds[k], rates[k])
            end = p + robot.balls[k, j]
            leg = leg_motion(u, B, end, (vB, v), (aB, a))
            forces = leg_forces(leg, (robot.rod,), B, end, (aB, a), robot.gravity)
            legs.append(leg)
            own.append(forces)
            at = robot.balls[k, j] - robot.platform_center
            A[:3, 2 * k + j], A[3:, 2 * k + j] = leg.s, np.cross(at, leg.s)
            need = need - forces.across
            turn = turn - np.cross(at, forces.across)
    axial = np.linalg.solve(A, np.concatenate([need, turn]))
    on_platform = np.array([own[i].across + axial[i] * legs[i].s for i in range(6)]).reshape(3, 2, 3)
    torques = np.zeros(3)
    for k in range(3):
        R, u = _arm_axes(robot, k, theta[k]), robot.axes[k]
        c = R @ robot.arm_center
        push = robot.arm_mass * (_circle(u, c, speeds[k], rates[k]) - robot.gravity)
        torques[k] = u @ np.cross(c, push) + robot.arm_moment * rates[k]
        for j in range(2):
            pushed = own[2 * k + j].total + on_platform[k, j]
            torques[k] += u @ (np.cross(R @ robot.ends[k, j], pushed) + own[2 * k + j].moment)
    return torques, on_platform


def _circle(u: Array, arm: Array, speed: float, rate: float) -> Array:
    """Acceleration of the end of an arm."""
    return rate * np.cross(u, arm) + speed**2 * np.cross(u, np.cross(u, arm))


def massless_rods(robot: Delta, theta: Array, p: Array, v: Array, a: Array) -> Array:
    """Torques if the rods have no mass: arms alone, and J' m (a - g) of the platform."""
    _, rates = arm_motion(robot, theta, p, v, a)
    Jp, Jt, torques = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3)
    for k in range(3):
        R, u = _arm_axes(robot, k, theta[k]), robot.axes[k]
        arm = R @ robot.ends[k].mean(axis=0)
        d = p + robot.balls[k].mean(axis=0) - robot.hinges[k] - arm
        Jp[k], Jt[k, k] = d, d @ np.cross(u, arm)
        c = R @ robot.arm_center
        across = c - (c @ u) * u
        about = robot.arm_moment + robot.arm_mass * across @ across
        torques[k] = about * rates[k] - robot.arm_mass * u @ np.cross(c, robot.gravity)
    J = np.linalg.solve(Jp, Jt)  # v = J theta'
    return torques + J.T @ (robot.platform_mass * (a - robot.gravity))


def without_rod_mass(robot: Delta) -> Delta:
    """The same with rods of no mass."""
    return replace(robot, rod=Piece(0.0, np.zeros(3), np.zeros((3, 3))))
