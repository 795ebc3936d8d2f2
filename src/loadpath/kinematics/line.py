"""`Motion.line`: motions in which the tool goes from pose to pose on straight lines."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.kinematics.inverse import checked_poses, inverse_kinematics, reach
from loadpath.kinematics.tool_path import Arc, Follower, OffPathError, Straight, ToolPath, arc_through, lines, rounded
from loadpath.motion.checks import limits_with_followers
from loadpath.motion.motion import Motion
from loadpath.motion.via_points import (
    PEAK_ACCELERATION,
    PEAK_SPEED,
    Profile,
    Step,
    fastest_trapezoid,
    instants,
    quintic_step,
    speed_limits,
)
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number, vector3
from loadpath.robot.pose import Pose
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.keywords import refuse_loops

Orientation = Literal["keep", "free"]
SLOWED = 1e-6
"""By so much a line may be slower than asked for without a word."""
FULL = 6


def line_motion(
    robot: RobotModel,
    poses: Any,
    link: str | None,
    *,
    speed: float,
    acceleration: float,
    angular_speed: float | None,
    angular_acceleration: float | None,
    near: ArrayLike | None,
    blend: float | None,
    orientation: Orientation | None,
    profile: Profile,
    rate: float,
    velocity: ArrayLike | None,
) -> Motion:
    """See `Motion.line`."""
    parts = line_parts(
        robot, poses, link, speed=speed, acceleration=acceleration, angular_speed=angular_speed,
        angular_acceleration=angular_acceleration, near=near, blend=blend, orientation=orientation, profile=profile,
        rate=rate, velocity=velocity,
    )
    every: list[Samples] = []
    begin = 0.0
    for _, (t, q, qd, qdd) in parts:
        keep = slice(0 if not every else 1, None)
        every.append(Samples(begin + t[keep], q[keep], qd[keep], qdd[keep]))
        begin += float(t[-1])
    t, q, qd, qdd = (np.concatenate(part) for part in zip(*every, strict=True))
    return Motion.from_checked(t, q, qd, qdd, robot)


class Samples(NamedTuple):
    """Times and states along one part, from rest to rest."""

    t: Floats
    q: Floats
    qd: Floats
    qdd: Floats


def line_parts(
    robot: RobotModel,
    poses: Any,
    link: str | None,
    *,
    speed: float,
    acceleration: float,
    angular_speed: float | None,
    angular_acceleration: float | None,
    near: ArrayLike | None,
    blend: float | None,
    orientation: Orientation | None,
    profile: Profile,
    rate: float,
    velocity: ArrayLike | None,
    through: Mapping[int, ArrayLike] | None = None,
    stops: Collection[int] = (),
) -> list[tuple[ToolPath, Samples]]:
    """The parts of `Motion.line` between its stops: without a blend one for each line. The ways to poses in `through`
    are circles by a point, and at poses in `stops` it stops though corners are rounded.
    """
    refuse_loops(robot, "Motion.line", "find its configurations with robot.inverse_kinematics, and take Motion.through")
    if robot.nq != robot.n:
        joint = next(joint.name for joint in robot.joints if joint.motion.coordinates != joint.motion.dof)
        raise ModelError(f"Motion.line is for joints that turn and slide, and joint '{joint}' of robot '{robot.name}' "
                         "has a quaternion: hold it with robot.locked({...})")
    tool = link_or_only_end(robot, link)
    limits = {"speed": _positive(speed, "speed"), "acceleration": _positive(acceleration, "acceleration"),
              "angular_speed": _positive(angular_speed, "angular_speed"),
              "angular_acceleration": _positive(angular_acceleration, "angular_acceleration")}
    if profile not in ("quintic", "trapezoidal"):
        raise ValueError(f"profile is {profile!r}: expected 'quintic' or 'trapezoidal'")
    if orientation not in (None, "keep", "free"):
        raise ValueError(f"Motion.line: orientation is {orientation!r}: expected 'keep' or 'free'")
    pace = _positive(rate, "rate")
    radius = None if blend is None else _positive(blend, "blend")
    start = None if near is None else _near(robot, near)
    targets, free = _targets(robot, poses, tool, start, orientation)
    own = limits_with_followers(robot)
    follower = _follower(robot, tool, free, own)
    fastest = np.array([limit.velocity for limit in own])
    fastest = speed_limits(velocity, np.where(fastest > 0, fastest, np.inf), robot.dof_names, "velocity")
    every: list[Straight | Arc] = [*lines(targets)]
    for k, point in (through or {}).items():
        if not 1 <= k <= len(every):
            raise ValueError(f"through has a point for pose {k}: ways lead to poses 1 to {len(every)}")
        every[k - 1] = arc_through(targets[k - 1], np.array(vector3(point, f"through of pose {k}")), targets[k])
    if free:  # turns of the tool do not count
        every = [replace(each, turn=np.zeros(3)) for each in every]
    ends = [0, *(k for k in range(1, len(every)) if radius is None or k in stops), len(every)]
    paths = [ToolPath((every[a],), (a, b)) if radius is None else rounded(every[a:b], radius, a)
             for a, b in pairwise(ends)]
    q = _first(robot, tool, targets[0], start, free)
    found: list[tuple[ToolPath, Samples]] = []
    for path in paths:
        found.append((path, _along(follower, path, q, targets, limits, fastest, profile, pace)))
        q = found[-1][1].q[-1]
    return found


def _along(
    follower: Follower,
    path: ToolPath,
    start: Floats,
    targets: Floats,
    limits: dict[str, float],
    fastest: Floats,
    profile: Profile,
    rate: float,
) -> Samples:
    """Times and states along a path, from rest to rest."""
    step, breaks = _step(path, limits, profile)
    local = instants(breaks, rate, 1 + 3 * len(start))
    height, first, second = step(local)
    s = np.clip(height * path.length, 0.0, path.length)
    s[0], s[-1] = 0.0, path.length
    try:
        q = follower.follow(path, s, start)
    except OffPathError as problem:
        raise ValueError(_off_path(follower, path, problem, targets)) from None
    points = path.at(s)
    speed, acceleration = first * path.length, second * path.length
    # Corners taken while the speed changes: both accelerations together stay within the limit.
    twist = points.first * speed[:, None]
    change = points.first * acceleration[:, None] + points.second * (speed**2)[:, None]
    slower = max(
        1.0,
        _over(twist[:, :3], limits["speed"]),
        _over(twist[:, 3:], limits["angular_speed"]),
        math.sqrt(_over(change[:, :3], limits["acceleration"])),
        math.sqrt(_over(change[:, 3:], limits["angular_acceleration"])),
    )
    qd, qdd = follower.rates(q, points, speed, acceleration)
    with np.errstate(invalid="ignore"):
        use = np.abs(qd).max(axis=0) / slower / fastest
    k = int(np.argmax(use))
    if use[k] > 1:
        if use[k] > 1 + SLOWED:
            warn(f"Motion.line, {_between(path)}: joint '{follower.robot.dof_names[k]}' would have to move with "
                 f"{use[k] * fastest[k]:.4g}, more than its limit {fastest[k]:.4g}: the line takes {use[k]:.4g} times "
                 "as long as asked for")
        slower *= float(use[k])
    return Samples(local * slower, q, qd / slower, qdd / slower**2)


def _over(vectors: Floats, limit: float) -> float:
    """How many times a limit the longest of vectors is."""
    return 0.0 if math.isinf(limit) else float(np.linalg.norm(vectors, axis=1).max(initial=0.0)) / limit


def _step(path: ToolPath, limits: dict[str, float], profile: Profile) -> tuple[Step, list[float]]:
    """How s goes from 0 to 1 with the quickest timing within the limits, and when its phases begin."""
    speed = acceleration = math.inf
    for piece in path.pieces:
        if not isinstance(piece, Straight):
            continue
        turn = float(np.linalg.norm(piece.turn))
        if piece.direction.any():
            speed, acceleration = min(speed, limits["speed"]), min(acceleration, limits["acceleration"])
        elif math.isinf(limits["angular_speed"]) or math.isinf(limits["angular_acceleration"]):
            raise ValueError(f"Motion.line, {_between(path)}: the tool only turns there: give angular_speed= (rad/s) "
                             "and angular_acceleration= (rad/s^2)")
        if turn > 0:
            speed = min(speed, limits["angular_speed"] / turn)
            acceleration = min(acceleration, limits["angular_acceleration"] / turn)
    if math.isinf(speed):  # corners follow each other without a line between them
        speed, acceleration = limits["speed"], limits["acceleration"]
    if path.sharpest > 0:
        speed = min(speed, math.sqrt(limits["acceleration"] / path.sharpest))
    if profile == "trapezoidal":
        found = fastest_trapezoid(speed / path.length, acceleration / path.length)
        return found.at, [0.0, found.blend, found.duration - found.blend, found.duration]
    T = max(PEAK_SPEED * path.length / speed, math.sqrt(PEAK_ACCELERATION * path.length / acceleration))

    def step(t: Floats) -> tuple[Floats, Floats, Floats]:
        height, first, second = quintic_step(t / T)
        return height, first / T, second / T**2

    return step, [0.0, T]


# What is given


def _positive(value: float | None, what: str) -> float:
    if value is None:
        return math.inf
    result = number(value, f"Motion.line: {what}")
    if result <= 0:
        raise ValueError(f"Motion.line: {what} is {result:g}: expected more than zero")
    return result


def _near(robot: RobotModel, near: ArrayLike) -> Floats:
    start = np.asarray(near, dtype=float)
    if start.shape != (robot.nq,) or not np.isfinite(start).all():
        raise ValueError(f"Motion.line: 'near' has the shape {start.shape}: expected one configuration, ({robot.nq},), "
                         "of finite numbers")
    return start


def _targets(
    robot: Any, poses: Any, link: str, start: Floats | None, orientation: Orientation | None
) -> tuple[Floats, bool]:
    """Poses (poses, 4, 4), and whether the orientation is free."""
    if isinstance(poses, Pose) or not isinstance(poses, (Sequence, np.ndarray)) or len(poses) < 2:
        raise ValueError("Motion.line goes through two or more poses: a list of 4 x 4 matrices, lp.Pose or positions "
                         "(x, y, z)")
    given = [np.asarray(pose.matrix if isinstance(pose, Pose) else pose, dtype=float) for pose in poses]
    for k, pose in enumerate(given):
        if pose.shape not in ((3,), (4, 4)):
            raise ValueError(f"Motion.line: pose {k} has the shape {pose.shape}: expected (4, 4), or (3,) for a "
                             "position")
        if not np.isfinite(pose).all():
            raise ValueError(f"Motion.line: pose {k} has entries that are not finite numbers")
    positions = all(pose.shape == (3,) for pose in given)
    moving = int(np.any(np.asarray(robot.jacobian(robot.neutral() + 0.3, link)) != 0, axis=0).sum())
    free = orientation == "free" or (orientation is None and positions and moving < FULL)
    R = np.eye(3)
    if given[0].shape == (3,) and not free:
        if start is None:
            raise ValueError("Motion.line: positions keep the orientation that the link has in 'near': give near=q, a "
                             "pose (4 x 4) first, or orientation='free'")
        R = np.asarray(robot.link_poses(start))[robot.link_names.index(link), :3, :3]
    found: list[Floats] = []
    for pose in given:
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = (R, pose) if pose.shape == (3,) else (pose[:3, :3], pose[:3, 3])
        if pose.shape == (4, 4):
            matrix[3] = pose[3]
        found.append(checked_poses(matrix, "Motion.line", f"pose {len(found)}"))
        R = found[-1][:3, :3]
    return np.array(found), free


def _first(robot: RobotModel, link: str, target: Floats, start: Floats | None, free: bool) -> Floats:
    """A configuration for the first pose."""
    weights = (1, 1, 1, 0, 0, 0) if free else None
    try:
        found = inverse_kinematics(robot, target, link, start, weights=weights, strict=True)
    except ValueError as problem:
        raise ValueError(f"Motion.line, pose 0: {problem}") from None
    return np.asarray(found.q, dtype=float)


def _follower(robot: RobotModel, link: str, free: bool, own: list[Any]) -> Follower:
    rows = slice(0, 3) if free else slice(0, 6)
    lower, upper = (np.array([getattr(limit, side) for limit in own]) for side in ("lower", "upper"))
    made = Follower(robot, link, rows, reach(robot, link), 1, lower, upper)
    anywhere = np.random.default_rng(0).uniform(-1.5, 1.5, (8, robot.nq))
    sizes = np.linalg.svd(made.jacobians(anywhere), compute_uv=False)
    rank = int((sizes > 1e-6 * max(float(sizes.max(initial=0.0)), 1e-300)).sum(axis=-1).max(initial=0))
    if not rank:
        raise ModelError(f"Motion.line: no joint of robot '{robot.name}' moves link '{link}'")
    return Follower(robot, link, rows, made.size, rank, lower, upper)


# What is said


def _between(path: ToolPath) -> str:
    return f"from pose {path.corners[0]} to pose {path.corners[1]}"


def _off_path(follower: Follower, path: ToolPath, problem: OffPathError, targets: Floats) -> str:
    """Where and why a robot does not follow, and whether another configuration would."""
    at = path.at(np.array([problem.s])).position[0]
    where = f"{100 * problem.s / path.length:.3g} % along ({at[0]:.6g}, {at[1]:.6g}, {at[2]:.6g})"
    end = path.corners[1]
    weights = (1, 1, 1, 0, 0, 0) if follower.rows == slice(0, 3) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reached = bool(inverse_kinematics(follower.robot, targets[end], follower.link, weights=weights).reached)
    hint = (f"pose {end} is reached in another configuration, to which the joints would have to jump: begin in another "
            "one (near=), or go there with Motion.through") if reached else f"pose {end} is out of reach"
    return (f"Motion.line: link '{follower.link}' of robot '{follower.robot.name}' cannot follow {_between(path)}, "
            f"{where}: {problem.why}; {hint}")
