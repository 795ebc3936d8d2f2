"""A motion of a robot over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from loadpath.errors import warn
from loadpath.motion import checks
from loadpath.motion.carried import Carried
from loadpath.motion.checks import limits_with_followers
from loadpath.motion.closed import (
    completed_by_loops,
    drive_places,
    driven_robot,
    open_loops,
    points_of,
    refuse_drives_alone,
)
from loadpath.motion.cycles import MotionInCycles, swing
from loadpath.motion.in_files import MotionInFiles
from loadpath.motion.in_time import MotionInTime, figure
from loadpath.motion.layout import Channel, Layout, carried_over, layout_of, numbered
from loadpath.motion.reading import completed, layout_for, rising_times, rows_of, unit_quaternions
from loadpath.motion.smoothing import Smooth, Smoothing
from loadpath.motion.spectrum import SampledMotion
from loadpath.motion.via_points import RATE, Profile, passing, speed_limits, stopping
from loadpath.motion.with_units import with_units
from loadpath.printable import printable
from loadpath.robot.arrays import match_names
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from plotly.graph_objects import Figure



DEMO_SWING = "a demo swing"
"""Where a motion comes from that nobody gave: see `Motion.swing`."""


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Motion(MotionInFiles, MotionInCycles, MotionInTime):
    """A motion over time; the first axis of all arrays is time.

    `t` (samples,) rises, in s; `q` (samples, nq) are coordinates, `qd` and `qdd` (samples, n) speeds and
    accelerations, in rad and m, as everywhere in this library. For joints with a quaternion the speeds are the relative
    twist in the child's joint frame.

    Without `qd` or `qdd` they are derived by splines through the samples; `qd_error` and `qdd_error` (n,) estimate how
    far they are off, on the careful side, and a `ModelWarning` names the joints where that is much. Samples that are
    noisy are smoothed before, and a `ModelWarning` says by how much (`smoothing` has it for each joint): `smooth=False`
    leaves them as they are, `smooth=True` smooths without a warning, `smooth=lp.LowPass(10.0)` with that cut-off (Hz).
    With `robot=` the
    motion knows names and limits: columns of a pandas DataFrame are put in the order of the robot's joints; positions
    and speeds outside limits, units that look wrong (degrees, millimetres) and speeds that are not rates of the
    positions give a `ModelWarning` that names joint and sample, or with `strict=True` an error.

    >>> import loadpath as lp
    >>> t = np.linspace(0, 1, 101)
    >>> motion = lp.Motion(t, np.sin(t)[:, None])
    >>> motion
    <motion of 1 degree of freedom: 101 samples from 0 to 1 s>
    >>> bool(abs(motion.qd[:, 0] - np.cos(t)).max() < motion.qd_error[0] < 1e-7)
    True
    """

    t: Floats
    q: Floats
    qd: Floats
    qdd: Floats
    robot: RobotModel | None
    qd_error: Floats
    """(n,): estimated largest error of speeds that were derived; zero of those that were given."""
    qdd_error: Floats
    """(n,): the same of the accelerations."""
    smoothing: Smoothing | None
    """What was smoothed before it was differentiated, in numbers and `sentences`; None if nothing was."""
    extra: Mapping[str, Channel]
    """What else a log has, by name: torques (`tau.joint1`), currents, payloads, each with its unit."""
    notes: tuple[str, ...]
    """What was done to a log when it was read, a sentence each: units converted, time stamps merged or made even."""
    loads: tuple[Carried, ...] = ()
    """What is picked up and put down on the way: see `with_loads`."""
    source: str = ""
    """Where it comes from, in a few words: the name of a log, "a simulation"; empty of arrays."""

    def __init__(
        self,
        t: ArrayLike,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        robot: RobotModel | None = None,
        strict: bool = False,
        smooth: Smooth = None,
    ) -> None:
        times = rising_times(t)
        layout = layout_for(robot, q)
        closed = driven_robot(robot)
        if closed is not None:
            refuse_drives_alone(closed, q)
        q = unit_quaternions(layout, rows_of("q", q, len(times), layout.coordinate_names, robot))
        given = [
            None if part is None else rows_of(name, part, len(times), layout.dof_names, robot)
            for name, part in (("qd", qd), ("qdd", qdd))
        ]
        if given[0] is None and given[1] is not None:
            raise ValueError("accelerations (qdd) are given without speeds (qd): give both, or none")
        if smooth is None and strict:
            smooth = False  # what would be changed with a warning is an error
        if closed is None:
            done = completed(layout, times, q, given[0], given[1], smooth, robot)
        else:
            done = completed_by_loops(closed, layout, times, q, given[0], given[1], smooth)
        self._fill(times, done.q, done.qd, done.qdd, robot, *done.errors)
        object.__setattr__(self, "smoothing", done.smoothing)
        problems = done.problems
        if robot is None:
            problems += checks.rounded_times(layout, times, done.qd, done.qdd)
        else:
            problems += self.problems(speeds=False, accelerations=False)
            if given[0] is not None:  # as they were given: smoothing leaves the drift of noisy speeds without its cause
                problems += checks.inconsistent_speeds(layout, times, q, given[0])
                if given[1] is not None:
                    problems += checks.inconsistent_accelerations(layout, times, given[0], given[1])
        if problems and strict:
            raise ValueError("; ".join(problems))
        for problem in problems:
            warn(problem)

    def _fill(self, *parts: Any) -> None:
        for name, value in zip(("t", "q", "qd", "qdd", "robot", "qd_error", "qdd_error"), parts, strict=True):
            kept = value.view() if isinstance(value, np.ndarray) else value
            if isinstance(kept, np.ndarray):
                kept.flags.writeable = False
            object.__setattr__(self, name, kept)
        self._with(smoothing=None, extra={}, notes=())

    @classmethod
    def from_checked(
        cls, t: Floats, q: Floats, qd: Floats, qdd: Floats, robot: RobotModel | None, like: Motion | None = None
    ) -> Motion:
        """A motion made of arrays that are known to be sound: nothing is checked, and nothing is warned of.

        >>> import loadpath as lp
        >>> zeros = np.zeros((2, 1))
        >>> lp.Motion.from_checked(np.array([0.0, 1.0]), zeros, zeros, zeros, None).duration
        1.0
        """
        motion = object.__new__(cls)
        errors = (np.zeros(qd.shape[1]), np.zeros(qd.shape[1])) if like is None else (like.qd_error, like.qdd_error)
        motion._fill(t, q, qd, qdd, robot, *errors)
        if like is not None:
            motion._with(loads=like.loads, smoothing=like.smoothing, extra=carried_over(like, t), notes=like.notes,
                         source=like.source)
        return motion

    def _with(self, **parts: Any) -> Motion:
        """This motion, which nobody else holds yet, with other attributes."""
        for name, value in parts.items():
            object.__setattr__(self, name, value)
        return self

    # Where it comes from

    @classmethod
    def swing(cls, robot: RobotModel, samples: int = 501, duration: float | None = None) -> Motion:
        """A short smooth motion for any robot: every joint swings from one side of its range to the other, from rest to
        rest. Without a duration (s) as quick as four fifths of the speed limits let it be; joints with a quaternion
        stay where they are. Of a robot with loops the drives swing about where they are at home, and the others follow.

        >>> import loadpath as lp
        >>> lp.Motion.swing(lp.catalog.panda(), duration=2.0)
        <motion of 'panda': 501 samples from 0 to 2 s>
        """
        duration = in_si(duration, ("time",), "duration")  # type: ignore[assignment]
        return cls.from_checked(*swing(robot, samples, duration), robot)._with(source=DEMO_SWING)

    @classmethod
    def through(
        cls,
        robot: RobotModel,
        points: ArrayLike,
        times: ArrayLike | None = None,
        *,
        profile: Profile = "quintic",
        stop: bool = True,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        rate: float = RATE,
    ) -> Motion:
        """Through configurations `points` (points, nq), all joints together, from rest to rest.

        With `stop` every point is a stop, and the path between two is straight in joint space; the profile of the step
        is "quintic" (acceleration zero at the stops) or "trapezoidal" (constant acceleration, speed, braking; a
        triangle where the speed is not reached). With `stop=False` the motion passes through the points on splines of
        degree five, with continuous speed and acceleration; its times stay in the proportions that each part of the
        path would need alone.

        Without `times` the motion is as quick as the limits let it be: `velocity` (the robot's own unless given) and
        `acceleration` (none unless given) are one number, one for each speed, or a dict by names of `dof_names`. A
        trapezoid without limit of acceleration takes a third of its time to accelerate and a third to brake. With
        `times` (points,), limits that would be broken are a ValueError that says how much time is needed.

        `rate` is in samples a second; the points, and instants where the acceleration jumps, are samples too.

        Of a robot with loops the points are coordinates of its drives (points, drives), or configurations (points, nq),
        of which the drives are taken and the first says in which assembly mode the robot is. The drives move as
        described, with limits for the drives; the other joints follow.

        Numbers may have units, `[["10 deg", 0], ["90 deg", "0.5 rad"]]`; those without are in SI units.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> move = lp.Motion.through(arm, [[0, 0], [1, 0.5]], velocity=1.0, acceleration=2.0, profile="trapezoidal")
        >>> move.duration, float(abs(move.qd).max()), float(abs(move.qdd).max())
        (1.5, 1.0, 2.0)
        """
        points, times, velocity, acceleration, rate = with_units(
            robot, through=points, times=times, velocity=velocity, acceleration=acceleration, rate=rate)
        closed, layout, where, near = points_of(robot, points)
        if len(where) < 2:
            raise ValueError(f"a motion through {len(where)} points: expected two or more")
        if not isinstance(profile, str) or profile not in ("quintic", "trapezoidal"):
            raise ValueError(f"profile is {profile!r}: expected 'quintic' or 'trapezoidal'")
        rate = number(rate, "rate")
        if rate <= 0:
            raise ValueError(f"rate is {rate}: expected samples a second, more than zero")
        if not stop and profile != "quintic":
            raise ValueError("a trapezoidal motion stops at every point: take profile='quintic' for stop=False")
        instants = None if times is None else rising_times(times, "times", len(where))
        if times is None:
            own = np.array([limit.velocity for limit in limits_with_followers(robot)])
        else:
            own = np.array([limit.velocity for j in robot.joints if j.mimic is None for limit in j.limits])
        own = np.where(own > 0, own, np.inf)
        if closed is not None:
            own = own[drive_places(closed)[1]]
        limits = (
            speed_limits(velocity, own, layout.dof_names, "velocity"),
            speed_limits(acceleration, np.full(layout.n, np.inf), layout.dof_names, "acceleration"),
        )
        where = unit_quaternions(layout, where)
        if stop:
            parts = stopping(layout, where, instants, limits, profile, rate)
        else:
            parts = passing(layout, where, instants, limits, rate)
        source = f"a motion through {len(where)} points"
        if closed is not None:
            return closed.motion(*parts, near=near)._with(source=source)
        motion = cls.from_checked(*parts, robot)._with(source=source)
        for problem in checks.outside_limits(robot, motion.t, motion.q, motion.qd):
            warn(problem)
        return motion

    @classmethod
    def from_simulation(cls, simulation: SampledMotion, robot: RobotModel | None = None) -> Motion:
        """The motion of a simulation; with `robot=`, names and limits too.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> lp.Motion.from_simulation(arm.simulate([0.3, 0], [0, 0], duration=1.0), arm)
        <motion of 'planar2': 101 samples from 0 to 1 s>
        """
        names = getattr(simulation, "dof_names", None)  # a rover's has none
        q, qd, qdd = simulation.q, simulation.qd, simulation.qdd
        if robot is None and q.shape[1] != qd.shape[1]:
            raise ValueError("the simulated robot has joints with quaternions: give robot= too")
        if robot is not None and names is not None and tuple(names) != robot.dof_names:
            if set(names) != set(robot.dof_names) or robot.nq != robot.n:
                raise ValueError(f"the simulation is of a robot with the joints {', '.join(names)}; '{robot.name}' has "
                                 f"{', '.join(robot.dof_names)}")
            places = match_names(names, robot.dof_names, "the simulation")
            q, qd, qdd = (part[:, places] for part in (q, qd, qdd))
        if robot is not None and (q.shape[1], qd.shape[1]) != (robot.nq, robot.n):
            raise ValueError(f"the simulation has {q.shape[1]} coordinates and {qd.shape[1]} speeds; robot "
                             f"'{robot.name}' has {robot.nq} and {robot.n}")
        motion = cls.from_checked(simulation.times, q, qd, qdd, robot)._with(source="a simulation")
        for problem in motion.problems(speeds=False, accelerations=False):
            warn(problem)
        return motion

    # What it is

    @property
    def _layout(self) -> Layout:
        return numbered(self.q.shape[1]) if self.robot is None else layout_of(self.robot)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the columns of `q`."""
        return self._layout.coordinate_names

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the columns of `qd` and `qdd`."""
        return self._layout.dof_names

    @property
    def times(self) -> Floats:
        """The same as `t`, by the name that simulations have for it."""
        return self.t

    @property
    def invented(self) -> bool:
        """Whether it, or a part of it, is a swing that stands for a motion that nobody gave.

        >>> import loadpath as lp
        >>> lp.Motion.swing(lp.catalog.planar(2)).scaled(speed=0.5).invented
        True
        """
        return DEMO_SWING in self.source

    @property
    def duration(self) -> float:
        """From the first sample to the last, s."""
        return float(self.t[-1] - self.t[0])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        n = self.qd.shape[1]
        of = f"{n} degree{'s' if n != 1 else ''} of freedom"
        if self.robot is not None:
            of = f"'{printable(self.robot.name)}'"
        return f"<motion of {of}: {len(self)} samples from {self.t[0]:.6g} to {self.t[-1]:.6g} s>"

    def problems(self, *, speeds: bool = True, accelerations: bool = True) -> list[str]:
        """What may be wrong: samples outside the robot's limits and, of speeds and accelerations that were given, those
        that are not the rates of what they should be the rates of. One sentence each.

        >>> import loadpath as lp
        >>> lp.Motion.swing(lp.catalog.planar(2)).problems()
        []
        """
        found = []
        found += checks.rounded_times(self._layout, self.t, self.qd, self.qdd)
        if self.robot is not None:
            found += checks.outside_limits(self.robot, self.t, self.q, self.qd, self.qd_error)
            found += checks.times_in_other_units(self.robot, self._layout, self.t, self.qd)
        closed = driven_robot(self.robot)
        if closed is not None:
            found += open_loops(closed, self.t, self.q)
        if speeds:
            taken_off = None if self.smoothing is None else self.smoothing.taken_off(self._layout.dof_names)
            found += checks.inconsistent_speeds(self._layout, self.t, self.q, self.qd, taken_off)
        if accelerations:
            found += checks.inconsistent_accelerations(self._layout, self.t, self.qd, self.qdd)
        return found

    doubts = problems
    """The earlier name of `problems`."""

    def plot(self) -> Figure:
        """Positions, speeds and accelerations as a Plotly figure, limits of the robot as dashed lines.

        >>> import loadpath as lp
        >>> figure = lp.Motion.swing(lp.catalog.planar(2)).plot()
        >>> len(figure.data) > 2
        True
        """
        return figure(self)

    @property
    def tau(self) -> Floats | None:
        """Measured torques and forces of the drives (samples, n), N m and N, of a log that has them for every joint.

        >>> import loadpath as lp
        >>> lp.Motion.swing(lp.catalog.planar(2)).tau is None
        True
        """
        columns = [self.extra.get(f"tau.{name}") for name in self.dof_names]
        found = [channel.values for channel in columns if channel is not None]
        return np.stack(found, axis=1) if found and len(found) == len(columns) else None
