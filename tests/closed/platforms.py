"""Stewart platform and delta of the catalog, as their closed-form references see them, and states of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import loadpath as lp
from closed.cases import State, catalog, reference
from closed.references import delta, stewart
from closed.references.universal_leg import Piece

Array = np.ndarray
Place = Callable[[int], tuple[tuple[Any, ...], State]]


def _turned(turn: Array, tensor: Array) -> Array:
    return turn @ tensor @ turn.T


def _rotation(v: Array) -> Array:
    """By a rotation vector."""
    angle = np.linalg.norm(v)
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]]) / angle
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def _quaternion(r: Array) -> Array:
    w = np.sqrt(1 + np.trace(r)) / 2
    return np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], 4 * w * w]) / (4 * w)


@cache
def stewart_case() -> tuple[lp.ClosedRobot, stewart.Stewart, Place]:
    """The catalog's Stewart platform; the maker of states gives (p, R, v, omega, a, omegadot) and q, qd, qdd."""
    robot = catalog("stewart_platform")
    names = range(1, 7)
    pivots = [robot.joint(f"leg{k}_pivot").origin for k in names]
    ball1 = robot.joint("ball1").link_offset.inverse().p
    heads = np.array([ball1, *(loop.on.p for loop in robot.loops)])
    barrel, rod, top = (robot.link(name).inertia for name in ("barrel1", "rod1", "platform"))
    model = stewart.Stewart(
        base=np.array([pivot.p for pivot in pivots]),
        platform=heads,
        first_axes=np.array([pivot.R[:, 0] for pivot in pivots]),
        barrel=Piece(barrel.mass, np.array(barrel.center_of_mass), np.array(barrel.tensor)),
        rod=Piece(rod.mass, np.array(rod.center_of_mass), np.array(rod.tensor), from_ball=True),
        mass=top.mass,
        center=np.array(top.center_of_mass),
        tensor=np.array(top.tensor),
        gravity=np.array(robot.gravity),
    )

    @cache
    def place(seed: int) -> tuple[tuple[Any, ...], State]:
        rng = np.random.default_rng(seed)
        p = np.array([0, 0, 0.75]) + rng.uniform(-0.1, 0.1, 3)
        R = _rotation(rng.uniform(-0.3, 0.3, 3))
        v, omega, a, omegadot = rng.uniform(-1, 1, (4, 3))
        q = np.array(robot.home)
        legs = []
        for k in names:
            e, z = pivots[k - 1].R[:, 0], pivots[k - 1].R[:, 2]
            first, second, length = stewart.leg_coordinates(e, z, model.base[k - 1], p + R @ heads[k - 1])
            q[robot.q_slices[f"leg{k}_pivot"]], q[robot.q_slices[f"leg{k}"]] = (first, second), length
            legs.append(stewart.leg_axes(e, z, first, second))
        q[robot.q_slices["ball1"]] = _quaternion(legs[0].T @ R)
        lengths = np.array([stewart.leg_rates(model, k, p, R, v, omega, a, omegadot) for k in range(6)])
        return (p, R, v, omega, a, omegadot), (q, *_completed(robot, q, lengths[:, 0], lengths[:, 1]))

    return robot, model, place


def _completed(robot: lp.ClosedRobot, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    return reference(robot).complete(q, robot.split.independent, qd, qdd)


@cache
def delta_case() -> tuple[lp.ClosedRobot, delta.Delta, Place]:
    """The catalog's delta; the maker of states gives (theta, p, v, a) and q, qd, qdd."""
    robot = catalog("delta")
    arms = [robot.joint(f"arm{k}_joint").origin for k in (1, 2, 3)]
    balls = {loop.name: loop.on.p for loop in robot.loops}
    balls["ball1a"] = robot.joint("ball1a").link_offset.inverse().p
    arm, rod, top = (robot.link(name).inertia for name in ("arm1", "rod1a", "platform"))
    # arm axes of the reference are (outward, axis, third): ours are (x, z, -y); the leg's z is our rod's x
    ends = [[robot.joint(f"rod{k}{letter}_joint").origin.p[[0, 2, 1]] for letter in "ab"] for k in (1, 2, 3)]
    leg = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]]).T  # columns: our x, y, z in the leg's axes
    length = robot.loops[0].at.p[0]
    model = delta.Delta(
        hinges=np.array([pose.p for pose in arms]),
        axes=np.array([pose.R[:, 2] for pose in arms]),
        outward=np.array([pose.R[:, 0] for pose in arms]),
        ends=np.array(ends),
        balls=np.array([[balls[f"ball{k}{letter}"] for letter in "ab"] for k in (1, 2, 3)]),
        rod_length=length,
        rod=Piece(rod.mass, leg @ np.array(rod.center_of_mass), _turned(leg, np.array(rod.tensor))),
        arm_mass=arm.mass,
        arm_center=np.array(arm.center_of_mass)[[0, 2, 1]],
        arm_moment=arm.tensor[2][2],
        platform_mass=top.mass,
        platform_center=np.array(top.center_of_mass),
        gravity=np.array(robot.gravity),
    )

    @cache
    def place(seed: int) -> tuple[tuple[Any, ...], State]:
        rng = np.random.default_rng(seed)
        p = np.array([0, 0, -0.75]) + rng.uniform(-0.15, 0.15, 3)
        v, a = rng.uniform(-2, 2, (2, 3))
        theta = delta.arm_angles(model, p)
        q = np.array(robot.home)
        for k in (1, 2, 3):
            q[robot.q_slices[f"arm{k}_joint"]] = theta[k - 1]
            axes = arms[k - 1].R
            for letter in "ab":
                end = robot.joint(f"rod{k}{letter}_joint").origin.p
                turn = np.array([[np.cos(theta[k - 1]), -np.sin(theta[k - 1]), 0],
                                 [np.sin(theta[k - 1]), np.cos(theta[k - 1]), 0], [0, 0, 1]])
                arm_axes = axes @ turn
                d = arm_axes.T @ (p + balls[f"ball{k}{letter}"] - arms[k - 1].p - arm_axes @ end) / length
                # rod = turn about z by first, then about y by second: x axis is (c1 c2, s1 c2, -s2)
                first, second = np.arctan2(d[1], d[0]), -np.arcsin(d[2])
                q[robot.q_slices[f"rod{k}{letter}_joint"]] = first, second
                if (k, letter) == (1, "a"):
                    c, s = np.cos(first), np.sin(first)
                    about_z = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
                    c, s = np.cos(second), np.sin(second)
                    rod_axes = arm_axes @ about_z @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
                    q[robot.q_slices["ball1a"]] = _quaternion(rod_axes.T)
        speeds, rates = delta.arm_motion(model, theta, p, v, a)
        return (theta, p, v, a), (q, *_completed(robot, q, speeds, rates))

    return robot, model, place
