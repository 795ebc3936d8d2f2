"""Cycles made of motions: straight lines of the tool, loads on the way, the same again, standing still."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from loadpath.motion import carried
from loadpath.motion.carried import Carried
from loadpath.motion.checks import limits_with_followers
from loadpath.motion.closed import closed_swing, driven_robot
from loadpath.motion.layout import has_quaternion, refuse_no_robot
from loadpath.motion.logs.table import check_samples
from loadpath.motion.via_points import PEAK_SPEED, RATE, Profile, quintic_step
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.robot.parts import Limits
from loadpath.robot.pose import Pose
from loadpath.scalars.types import ArrayLike, Floats

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion


AT_REST = 1e-9
"""rad/s or m/s: a joint that is slower stands."""
SETTLES = 1e-6
"""Of the dwell: within this share of it an acceleration that there still was at the stop is gone."""
SAMPLES = 10
"""Of a dwell, unless a rate is given."""


class MotionInCycles:
    """What a motion is made of for a cycle, and what is made of it."""

    @classmethod
    def line(
        cls,
        robot: RobotModel,
        poses: Sequence[ArrayLike | Pose],
        link: str | None = None,
        *,
        speed: float,
        acceleration: float,
        angular_speed: float | None = None,
        angular_acceleration: float | None = None,
        near: ArrayLike | None = None,
        blend: float | None = None,
        orientation: Literal["keep", "free"] | None = None,
        profile: Profile = "trapezoidal",
        rate: float = RATE,
        velocity: ArrayLike | None = None,
    ) -> Motion:
        """Straight lines of the tool through poses of `link` (the only end of the robot unless given) in the world:
        4 x 4 matrices, `lp.Pose`, or positions (x, y, z), which keep the orientation of the pose before (the first that
        of the configuration `near`). Arms with fewer than six joints follow positions with the orientation free, as all
        do with `orientation="free"`. `near` (nq,) says in which of its configurations the robot begins.

        The tool stops at every pose, or with `blend=` (m) leaves the lines at that distance from a pose and goes round
        the corner without stopping. It keeps to `speed` (m/s) and `acceleration` (m/s^2), `angular_speed` (rad/s) and
        `angular_acceleration` (rad/s^2) if given; `profile` and `rate` are as in `through`. Where a joint would have to
        be faster than its limit (`velocity`, the robot's own unless given) the line takes longer, and a `ModelWarning`
        says so. A pose out of reach, a joint at its limit, a singularity, or a pose that is reached only in another
        configuration is a ValueError that says where on the line.

        The tool is on the line but for rounding, and speeds and accelerations are those of the Jacobian. With more
        joints than directions that count, the joints move as little as the line lets them.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)                                     # two links of 1 m in the plane x, z
        >>> move = lp.Motion.line(arm, [(1.5, 0, 0), (0.5, 0, 1)], speed=0.5, acceleration=2.0, near=[-0.5, 1.0])
        >>> tip = arm.link_poses(move.q)[:, -1, :3, 3]
        >>> bool(abs(tip[:, 0] + tip[:, 2] - 1.5).max() < 1e-10), round(move.duration, 4)
        (True, 3.0784)
        """
        # Above this room: it needs inverse kinematics.
        made: Motion = import_module("loadpath.kinematics.line").line_motion(
            robot, poses, link, speed=speed, acceleration=acceleration, angular_speed=angular_speed,
            angular_acceleration=angular_acceleration, near=near, blend=blend, orientation=orientation, profile=profile,
            rate=rate, velocity=velocity,
        )
        return made

    def with_loads(self, loads: Iterable[Carried]) -> Motion:
        """The motion while these loads are carried, each from its time of pick to its time of release; they take the
        place of those that the motion has. Whatever is computed of the motion's forces counts them.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> reach = lp.Motion.through(arm, [[0, 0], [1, 0.5]], times=[0, 2])
        >>> lifting = reach.with_loads([lp.Carried(3.0, from_=0.5, to=1.5, name="box")])
        >>> lifting.loads[0].link, bool(arm.peak_loads(lifting)["joint1", "drive"].peak.time >= 0.5)
        ('tip', True)
        """
        own = cast("Motion", self)
        motion = own.from_checked(own.t, own.q, own.qd, own.qdd, own.robot, like=own)
        return motion._with(loads=carried.checked_loads(loads, own.t, own.robot))

    def repeated(self, count: int) -> Motion:
        """The motion so many times, one after the other. It must end in the pose in which it begins; a `ModelWarning`
        says where speeds jump. Loads are picked up and put down every time.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1)
        >>> to_and_fro = lp.Motion.through(arm, [[0], [1], [0]], times=[0, 1, 2.5], rate=10)
        >>> len(to_and_fro), to_and_fro.repeated(4)
        (41, <motion of 'planar1': 161 samples from 0 to 10 s>)
        """
        return _repeated(cast("Motion", self), count)

    def dwell(self, seconds: float = 0.0, *, before: float = 0.0, rate: float | None = None) -> Motion:
        """The motion, and after it so many seconds at rest in its last pose; `before` at rest in its first one. The
        motion must be at rest there. Times go on, and begin earlier by `before`. `rate` is in samples a second; by
        default a dwell has ten. Where the acceleration is not zero at the stop, as in a trapezoid, it drops to zero
        within a millionth of the dwell.

        >>> import loadpath as lp
        >>> step = lp.Motion.through(lp.catalog.planar(1), [[0], [1]], times=[0, 1])
        >>> waiting = step.dwell(2.0, before=0.5)
        >>> float(waiting.t[0]), waiting.duration, float(waiting.qdd[-1, 0])
        (-0.5, 3.5, 0.0)
        """
        return _dwell(cast("Motion", self), seconds, before, rate)


def _repeated(motion: Motion, count: int) -> Motion:
    """The motion so many times, one after the other."""
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"repeated: count is {count!r}: expected a whole number of times, one or more")
    check_samples(int(count) * len(motion), motion._layout.width,
                  "repeated (a DutySpectrum of the motion needs its samples once)")
    if count == 1:
        return motion
    twice = motion.followed_by(motion)  # which says where it does not close
    length, first = len(motion) - 1, float(motion.t[0])
    again = np.concatenate([np.arange(length + 1), np.tile(np.arange(1, length + 1), count - 1)])
    t = motion.t[again] + motion.duration * np.repeat(np.arange(count), [length + 1, *[length] * (count - 1)])
    q, qd, qdd = (np.concatenate([part[:1], np.tile(part[1:], (count, 1))])
                  for part in (motion.q, motion.qd, motion.qdd))
    many = motion.from_checked(t, q, qd, qdd, motion.robot, like=twice)
    if not motion.loads:
        return many._with(loads=())
    moved = [k * motion.duration for k in range(count + 1)]  # as the samples are: a pick at a sample stays at one
    parts = [(motion.loads, moved[k], first + moved[k], first + moved[k + 1]) for k in range(count)]
    return many._with(loads=carried.one_after_the_other(parts))


def _dwell(motion: Motion, seconds: float, before: float, rate: float | None) -> Motion:
    """The motion with rest before and after it."""
    wait, ahead = number(seconds, "dwell: seconds"), number(before, "dwell: before")
    for what, value in (("seconds", wait), ("before", ahead)):
        if value < 0:
            raise ValueError(f"dwell: {what} is {value:g}: expected zero or more")
    if wait == 0 and ahead == 0:
        raise ValueError("dwell: give seconds=, at the end, or before=, at the beginning")
    pace = None if rate is None else number(rate, "rate")
    if pace is not None and pace <= 0:
        raise ValueError(f"rate is {pace}: expected samples a second, more than zero")
    q, qd, qdd, t = motion.q, motion.qd, motion.qdd, motion.t
    pieces = {"t": [t], "q": [q], "qd": [qd], "qdd": [qdd]}
    for duration, end in ((wait, -1), (ahead, 0)):
        if not duration:
            continue
        moving = np.abs(qd[end]) > AT_REST
        if moving.any():
            k = int(moving.argmax())
            where = "ends" if end else "begins"
            raise ValueError(f"dwell: joint '{motion.dof_names[k]}' moves with {qd[end, k]:.6g} where the motion "
                             f"{where}, so it cannot stand there: let it come to rest first")
        times = _instants(duration, pace, bool(np.abs(qdd[end]).max(initial=0.0) > AT_REST), motion._layout.width)
        still = np.zeros((len(times), qd.shape[1]))
        rest = {"t": t[end] + times if end else t[0] - times[::-1], "q": np.tile(q[end], (len(times), 1)), "qd": still,
                "qdd": still}
        for name, part in rest.items():
            pieces[name] = [*pieces[name], part] if end else [part, *pieces[name]]
    arrays = [np.concatenate(parts) for parts in pieces.values()]
    return motion.from_checked(arrays[0], arrays[1], arrays[2], arrays[3], motion.robot, like=motion)


def _instants(duration: float, rate: float | None, settles: bool, width: int) -> Floats:
    """Times after the stop, the last the end of the dwell."""
    count = SAMPLES if rate is None else max(math.ceil(duration * rate * (1 - 1e-12)), 1)
    check_samples(count, width, f"dwell of {duration:g} s")
    times = duration * np.arange(1, count + 1) / count
    return np.concatenate([[SETTLES * duration], times]) if settles else times


# A short smooth motion for any robot: every joint swings from one side of its range to the other and stops.


SWING = 0.6
"""Largest amplitude to either side, rad or m."""
SHARE_OF_RANGE = 0.3
SHARE_OF_SPEED = 0.8
SHORTEST_SWING = 1.0


def swing(
    robot: RobotModel, samples: int = 501, duration: float | None = None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Times, coordinates, speeds and accelerations of the swing of a robot. Without a duration (s) it is as quick as
    four fifths of the speed limits let it be. Joints with a quaternion stay where they are, and passive ones of a rover
    whose wheels are on links. Of a robot with loops the drives swing about where they are at home.
    """
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or samples < 2:
        raise ValueError(f"a swing of {samples!r} samples: expected a whole number, two or more")
    if duration is not None:
        duration = number(duration, "duration of the swing")
        if duration <= 0:
            raise ValueError(f"duration of the swing is {duration:g} s: expected more than zero")
    refuse_no_robot(robot)
    closed = driven_robot(robot)
    if closed is not None:
        return closed_swing(closed, limits_with_followers(robot), samples, duration)
    start, height = robot.neutral(), np.zeros(robot.nq)
    speed_of, shortest = np.zeros((robot.n, robot.nq)), SHORTEST_SWING
    every = limits_with_followers(robot)
    linkage = getattr(robot, "linkage", None)  # of a rover, wheels on links: what the ground holds stays as it is
    for joint in robot.joints:
        if joint.mimic is not None or has_quaternion(joint.motion):
            continue
        for k in range(joint.motion.dof):
            i, v = robot.q_slices[joint.name].start + k, robot.v_slices[joint.name].start + k
            if linkage is not None and linkage.passive[v]:
                continue
            limits = every[v]
            start[i], height[i] = _span(limits)
            speed_of[v, i] = 1.0
            if limits.velocity > 0:
                shortest = max(shortest, PEAK_SPEED * height[i] / (SHARE_OF_SPEED * limits.velocity))
    duration = shortest if duration is None else duration
    s = np.linspace(0.0, 1.0, samples)
    step, first, second = (part[:, None] for part in quintic_step(s))
    speed = speed_of @ height / duration
    return s * duration, start + step * height, first * speed, second * speed / duration


def _span(limits: Limits) -> tuple[float, float]:
    """Where a coordinate starts, and how far it goes."""
    lower, upper = limits.lower, limits.upper
    amplitude = min(SWING, SHARE_OF_RANGE * (upper - lower))
    if np.isfinite(lower) and np.isfinite(upper):
        middle = (lower + upper) / 2
    elif np.isfinite(lower):
        middle = max(0.0, lower + amplitude)
    else:
        middle = min(0.0, upper - amplitude)
    return middle - amplitude, 2 * amplitude
