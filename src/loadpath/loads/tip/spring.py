"""A tip on a spring: a linear spring and damper between a point of a link and the world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np

from loadpath.converted import Converted
from loadpath.errors import ModelError
from loadpath.loads.tip.link_point import (
    AtPoint,
    OnFixedBase,
    PointMotion,
    is_rover,
    point_motion,
    wrench_at_origin,
)
from loadpath.quantities.table import RobotQuantities
from loadpath.quantities.wrench import Wrench
from loadpath.robot.numbers import Vector3, matrix3, name, number, vector3
from loadpath.robot.pose import Pose, pose_of
from loadpath.scalars.types import ArrayLike, Floats

PerAxis = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
"""One number for all directions, one for each axis, or a symmetric 3 x 3 matrix."""


class OnWheels(Protocol):
    """A rover: what carries a robot about."""

    @property
    def robot(self) -> RobotQuantities:
        """The robot, its base the rover's."""


class BaseAndArm(Protocol):
    """A moment of a simulated rover."""

    pose: Floats
    velocity: Floats
    q: Floats
    qd: Floats


@dataclass(frozen=True)
class TipSpring:
    """A spring and a damper between the point `at` of a link and the world (of a rover, the frame of the ground), free
    of force where that point is at `rest`. `stiffness` (N/m) and `damping` (N s/m) are one number for all directions,
    one for each axis of `rest`, or a symmetric 3 x 3 matrix in these axes. `torsional_stiffness` (N m/rad) and
    `torsional_damping` (N m s/rad) act against the turn of the link's frame from the axes of `rest`, which is then a
    pose.

    It is an external wrench that follows from the state: `wrenches` gives it for any function that takes `external=`,
    `during` for a simulation. It is the same spring in both, and in forward and inverse dynamics.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1, mass=2.0)
    >>> spring = lp.TipSpring("tip", rest=(1.0, 0.0, 0.1), stiffness=500.0, damping=4.0)
    >>> q, qd = [0.0], [0.0]                                              # 0.1 m below its rest: 50 N upwards
    >>> spring.wrenches(arm, q, qd)["tip"].force.round(9).tolist()
    [0.0, 0.0, 50.0]
    >>> arm.inverse_dynamics(q, qd, [0.0], external=spring.wrenches(arm, q, qd)).round(9).tolist()
    [-40.19]
    >>> arm.simulate(q, qd, duration=0.1, external=spring.during(arm)).energy_drift < 1e-7
    True
    """

    link: str
    rest: Pose
    """Where the spring is free: a pose in the world, or a position."""
    stiffness: PerAxis
    damping: PerAxis = 0.0
    torsional_stiffness: float = 0.0
    torsional_damping: float = 0.0
    at: Converted[Vector3, ArrayLike] = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    """The point on the link, in the link's frame."""

    def __post_init__(self) -> None:
        what = f"of the spring at '{name(self.link, 'link of a spring')}'"
        object.__setattr__(self, "rest", pose_of(self.rest, f"rest {what}"))
        object.__setattr__(self, "at", vector3(self.at, f"point {what}"))
        for part in ("stiffness", "damping"):
            object.__setattr__(self, part, _per_axis(getattr(self, part), f"{part} {what}"))
        for part in ("torsional_stiffness", "torsional_damping"):
            object.__setattr__(self, part, _not_negative(getattr(self, part), f"{part} {what}"))

    def wrenches(self, robot: RobotQuantities, q: ArrayLike, qd: ArrayLike) -> dict[str, Wrench]:
        """What the spring exerts on the link in states q, qd, for `external=`: at the link's origin, in world axes.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1)
        >>> lp.TipSpring("tip", (1, 0, 0), 500.0).wrenches(arm, [[0.0], [0.1]], [0.0])["tip"].force.shape
        (2, 3)
        """
        return {self.link: self._wrench(point_motion(robot, self.link, self.at, q, qd))}

    def _wrench(self, moving: PointMotion) -> Wrench:
        stiff, damp = self._in_world(self.stiffness), self._in_world(self.damping)
        force = (self.rest.p - moving.position) @ stiff - moving.velocity @ damp
        torque = None
        if self.torsional_stiffness or self.torsional_damping:
            torque = -self.torsional_damping * moving.angular_velocity
            if self.torsional_stiffness:
                torque = torque - self.torsional_stiffness * rotation_vectors(moving.rotation @ self.rest.R.T)
        return wrench_at_origin(moving, force, torque)

    @property
    def _told(self) -> str:
        return f"the spring at '{self.link}'"

    def during(self, robot: RobotQuantities) -> Callable[..., dict[str, Wrench]]:
        """The wrenches as a function of t, q and qd: for `external=` of a simulation. Of a rover they are a function of
        t and its state, with the world the frame of the ground, from where the base drives away. While an arm with
        beams is simulated, the spring has the ends that the bent arm gives it.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1)
        >>> list(lp.TipSpring("tip", (1, 0, 0), 500.0).during(arm)(0.0, [0.1], [0.0]))
        ['tip']
        >>> rover = lp.catalog.lau_rover()
        >>> held = lp.TipSpring("base", rest=(0.2, 0.0, 0.3), stiffness=100.0)                 # free at the start
        >>> out = rover.simulate([0, 0, 0.5], velocity=(0.5, 0), duration=0.2, external=held.during(rover))
        >>> bool(abs(out.external_work[-1] + 50 * out.pose[-1, 0] ** 2) < 1e-3)
        True
        """
        if is_rover(robot):
            return self._on_rover(cast(OnWheels, robot))
        point = AtPoint(self.link, self.at, self._wrench)
        return OnFixedBase(lambda t, q, qd: self.wrenches(robot, q, qd), self._told, point)

    def _on_rover(self, rover: OnWheels) -> Callable[..., dict[str, Wrench]]:
        def wrenches(t: float, state: BaseAndArm) -> dict[str, Wrench]:
            moving = point_motion(rover.robot, self.link, self.at, state.q, state.qd)
            found = self._wrench(moving.on_base(state.pose, state.velocity))
            c, s = np.cos(state.pose[2]), np.sin(state.pose[2])
            turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            return {self.link: Wrench(found.force @ turn, found.torque @ turn)}  # simulate has the axes of the base

        return wrenches

    def energy(self, robot: RobotQuantities, q: ArrayLike) -> Floats:
        """Energy (J) that the spring stores in configurations q, (...).

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1)
        >>> float(lp.TipSpring("tip", (1.0, 0, 0.1), 500.0).energy(arm, [0.0]).round(9))
        2.5
        """
        moving = point_motion(robot, self.link, self.at, q, np.zeros(robot.n))
        away = moving.position - self.rest.p
        stored = 0.5 * (away * (away @ self._in_world(self.stiffness))).sum(axis=-1)
        if self.torsional_stiffness:
            turn = rotation_vectors(moving.rotation @ self.rest.R.T)
            stored = stored + 0.5 * self.torsional_stiffness * (turn * turn).sum(axis=-1)
        result: Floats = np.asarray(stored)
        return result

    def _in_world(self, values: PerAxis) -> Floats:
        R = self.rest.R
        turned: Floats = R @ _matrix(values) @ R.T
        return turned


def rotation_vectors(rotation: Floats) -> Floats:
    """Axis times angle (rad, up to pi) of rotations (..., 3, 3).

    >>> rotation_vectors(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])).round(6).tolist()
    [0.0, 0.0, 1.570796]
    """
    from scipy.spatial.transform import Rotation

    flat = rotation.reshape(-1, 3, 3)
    found, known = np.full((len(flat), 3), np.nan), np.isfinite(flat).all(axis=(1, 2))
    if known.any():
        found[known] = Rotation.from_matrix(flat[known]).as_rotvec()
    return found.reshape(rotation.shape[:-1])


def _per_axis(value: object, what: str) -> PerAxis:
    shape = np.shape(cast(ArrayLike, value))
    found: PerAxis
    if shape == ():
        found = number(value, what)
    elif shape == (3,):
        found = vector3(value, what)
    elif shape == (3, 3):
        found = matrix3(value, what)
    else:
        raise ModelError(f"{what} has the shape {shape}: expected one number, three, or a 3 x 3 matrix")
    matrix = _matrix(found)
    size = float(np.abs(matrix).max())
    if np.abs(matrix - matrix.T).max() > 1e-9 * size:
        raise ModelError(f"{what} is not symmetric: {matrix.tolist()}")
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < -1e-9 * size:
        raise ModelError(f"{what} is {least:.6g} in some direction: expected zero or more")
    return found


def _matrix(values: PerAxis) -> Floats:
    array = np.asarray(values, dtype=float)
    return array if array.ndim == 2 else np.diag(np.broadcast_to(array, (3,)))


def _not_negative(value: float, what: str) -> float:
    found = number(value, what)
    if found < 0:
        raise ModelError(f"{what} is {found:g}: expected zero or more")
    return found
