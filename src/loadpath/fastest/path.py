"""A path in joint space: which configurations a robot goes through, and where it stops, without a timing.

A path is made of polynomials in a parameter p, piece after piece. What is computed from it goes by its arc length s in
joint space, ds = |dq|: then |dq/ds| = 1 everywhere, and no point is special because of how the path was written down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.joined import one_after_the_other
from loadpath.fastest.of_motion import of_motion
from loadpath.fastest.pieces import SAME, joined
from loadpath.kinematics.line import Samples, line_parts
from loadpath.motion.motion import Motion
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.numbers import number
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.reading import MotionLike, as_motion, is_motion

if TYPE_CHECKING:
    from loadpath.robot.model import RobotModel
    from loadpath.robot.pose import Pose

SMOOTH = 1e-6
"""rad: the direction of a path may turn by so much between two pieces that are said to be smooth."""


@dataclass(frozen=True, eq=False)
class Path:
    """Configurations that a robot goes through, from the first to the last, without a timing: for `robot.fastest`.

    `breaks` (pieces + 1,) are where pieces begin in the parameter p; `coefficients` (degree + 1, pieces, n) are those
    of q in powers of p - (beginning of the piece), highest first, as in SciPy's `PPoly`. `stops` are seconds of rest at
    breaks, by their numbers: 0 stops without waiting. Paths are made by `Path.through`, `Path.lines`, `Path.tool`,
    `Path.arc` and `Path.of`.

    >>> Path.through([[0.0, 0.0], [1.0, 0.5], [1.0, 1.0]])
    <path of 2 degrees of freedom: 2 pieces, 1.67 long>
    """

    breaks: Floats
    coefficients: Floats
    stops: Mapping[int, float]
    deviation: float = 0.0
    """rad or m: how far it is from what it was made of, a motion or a tool's path, at most."""
    not_before: Mapping[int, float] = field(default_factory=dict)
    """Seconds from the beginning before which it does not go on from stops, by their numbers."""
    passes: Mapping[int, float] = field(default_factory=dict)
    """Seconds from the beginning before which it does not pass breaks, by their numbers, moving on."""

    # Where it comes from

    @classmethod
    def through(
        cls, points: ArrayLike, *, dwell: Mapping[int, float] | None = None,
        not_before: Mapping[int, float] | None = None, passes: Mapping[int, float] | None = None,
    ) -> Path:
        """On a cubic spline through configurations `points` (points, n), with continuous curvature. `dwell` are seconds
        of rest at points, by their numbers; 0 stops there without waiting. From points in `not_before` it does not go
        on earlier than so many seconds after the beginning, and rests there until then. Where the way goes back as it
        came, it stops, and one spline ends and another begins.

        >>> Path.through([[0.0], [2.0]], dwell={1: 0.5}).stops
        {1: 0.5}
        """
        from scipy.interpolate import CubicSpline

        where = _points(points)
        sides = np.diff(where, axis=0)
        length = np.linalg.norm(sides, axis=1)
        chords = np.concatenate([[0.0], np.cumsum(length)])
        back = _reversals(sides / length[:, None])
        ends = [0, *back, len(where) - 1]
        parts = [CubicSpline(chords[a : b + 1], where[a : b + 1], bc_type="natural").c for a, b in pairwise(ends)]
        later = _stops(not_before, len(where), "not_before")
        stops = dict.fromkeys([*back, *later], 0.0) | _stops(dwell, len(where))
        timed = _stops(passes, len(where), "passes")
        if 0 in timed:
            raise ValueError("passes at point 0: there the motion begins; dwell={0: seconds} waits there")
        return cls(chords, np.concatenate(parts, axis=1), dict(sorted(stops.items())), not_before=later, passes=timed)

    @classmethod
    def lines(
        cls, points: ArrayLike, *, blend: float | None = None, dwell: Mapping[int, float] | None = None,
        not_before: Mapping[int, float] | None = None,
    ) -> Path:
        """On straight lines in joint space through configurations `points` (points, n). Without `blend` every corner is
        a stop; with it (rad or m along the lines) corners are rounded from that distance on, with continuous
        curvature, and the points there are not met. Points with a `dwell`, or in `not_before` (see `through`), are
        stops, and stay sharp, as do those where it goes back as it came.

        >>> square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
        >>> Path.lines(square).stops, Path.lines(square, blend=0.2).stops
        ({1: 0.0}, {})
        """
        where = _points(points)
        until = _stops(not_before, len(where), "not_before")
        waits = dict.fromkeys(until, 0.0) | _stops(dwell, len(where))
        sides = np.diff(where, axis=0)
        length = np.linalg.norm(sides, axis=1)
        along = sides / length[:, None]
        inner = range(1, len(where) - 1)
        straight = {k for k in inner if np.linalg.norm(along[k] - along[k - 1]) <= SMOOTH}
        back = set(_reversals(along))
        sharp = {k for k in inner if k not in straight and (blend is None or k in waits or k in back)}
        radius = {k: 0.0 if blend is None or k in sharp or k in straight else _blend(blend) for k in inner}
        radius |= {0: 0.0, len(where) - 1: 0.0}
        pieces: list[tuple[float, Floats]] = []
        stops: dict[int, float] = {}
        later: dict[int, float] = {}
        for k in range(len(sides)):
            if k in until:
                later[len(pieces)] = until[k]
            left = length[k] - radius[k] - radius[k + 1]
            if left < -1e-12 * length[k]:
                raise ValueError(f"Path.lines: blend is {blend:g}, too much for the line from point {k} to {k + 1}, "
                                 f"which is {length[k]:.6g} long")
            if k in waits or k in sharp:
                stops[len(pieces)] = waits.get(k, 0.0)
            if radius[k]:
                pieces.append((2 * radius[k], _corner(where[k], along[k - 1], along[k], radius[k])))
            if left > SAME:
                pieces.append((left, np.array([along[k], where[k] + radius[k] * along[k]])))
        if len(sides) in waits:
            stops[len(pieces)] = waits[len(sides)]
        if len(sides) in until:
            later[len(pieces)] = until[len(sides)]
        return cls(*joined(pieces), stops, not_before=later)

    @classmethod
    def tool(
        cls,
        robot: RobotModel,
        poses: Sequence[ArrayLike | Pose] | Floats,
        link: str | None = None,
        *,
        through: Mapping[int, ArrayLike] | None = None,
        blend: float | None = None,
        near: ArrayLike | None = None,
        orientation: Literal["keep", "free"] | None = None,
        dwell: Mapping[int, float] | None = None,
        not_before: Mapping[int, float] | None = None,
        passes: Mapping[int, float] | None = None,
    ) -> Path:
        """A link of the robot (without `link`, its only end) goes from pose to pose, on straight lines, or on a circle
        to the poses in `through`, by a point in space (m): `through={2: (0.5, 0.1, 0.4)}`. Without `blend` (m) it stops
        at each pose; with it corners of lines and circles are rounded from that distance on. What `poses`, `near` and
        `orientation` mean is told by `lp.Motion.line`; on a circle the orientation turns in proportion. At poses with a
        `dwell` it rests for so many seconds, at those in `not_before` until so many after the beginning, and those in
        `passes` it passes no earlier, without a stop: at the place of the path that is nearest to the pose.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> poses = [(1.2, 0.0, 0.4), (0.8, 0.0, 1.0), (0.4, 0.0, 0.9)]
        >>> path = Path.tool(arm, poses, near=[0.3, 0.8], orientation="free", blend=0.1, through={2: (0.6, 0.0, 1.05)})
        >>> path.stops, path.deviation < 1e-5
        ({}, True)
        """
        count = len(poses) if hasattr(poses, "__len__") else 0
        until, timed = _stops(not_before, count, "not_before"), _stops(passes, count, "passes")
        waits = dict.fromkeys(until, 0.0) | _stops(dwell, count)
        parts = line_parts(
            robot, poses, link, speed=1.0, acceleration=1.0, angular_speed=3.0, angular_acceleration=3.0, near=near,
            blend=blend, orientation=orientation, profile="quintic", rate=TOOL_RATE, velocity=np.inf, through=through,
            stops=waits,
        )
        ends = [0, *(way.corners[1] for way, _ in parts)]
        places = {pose: k for k, pose in enumerate(ends)}
        rests = dict.fromkeys(range(1, len(parts)), 0.0)
        rests |= {places[pose]: seconds for pose, seconds in waits.items()}
        made = cls.joined(*(cls(*of_motion(samples)) for _, samples in parts), dwell=rests,
                          not_before={places[pose]: seconds for pose, seconds in until.items()})
        return replace(made, passes=_nearest(made, robot, link, poses, timed)) if timed else made

    @classmethod
    def arc(
        cls,
        robot: RobotModel,
        start: ArrayLike | Pose,
        through: ArrayLike,
        end: ArrayLike | Pose,
        link: str | None = None,
        *,
        near: ArrayLike | None = None,
        orientation: Literal["keep", "free"] | None = None,
    ) -> Path:
        """`Path.tool` on one circle, from pose to pose by a point in space `through` (m) between them.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> path = Path.arc(arm, (1.2, 0.0, 0.4), (1.0, 0.0, 0.8), (0.6, 0.0, 0.9), near=[0.3, 0.8], orientation="free")
        >>> path.n, path.deviation < 1e-5
        (2, True)
        """
        return cls.tool(robot, [start, end], link, through={1: through}, near=near, orientation=orientation)

    @classmethod
    def joined(
        cls, *paths: Path | Motion | ArrayLike, blend: float | None = None, dwell: Mapping[int, float] | None = None,
        not_before: Mapping[int, float] | None = None, passes: Mapping[int, float] | None = None,
    ) -> Path:
        """Paths one after the other, each from where the one before ends: splines, lines, those of tools. Their ends
        are numbered, 0 where the first begins. Where the direction turns it stops, or with `blend` (rad or m along the
        paths) is rounded from that distance on, with continuous curvature. `dwell`, `not_before` and `passes` are
        those of `through`, by these numbers.

        >>> first, then = Path.through([[0, 0], [1, 0.5], [1, 1]]), Path.lines([[1, 1], [0, 1]])
        >>> Path.joined(first, then).stops, Path.joined(first, then, blend=0.1).stops
        ({2: 0.0}, {})
        """
        count = len(paths) + 1
        until, timed = _stops(not_before, count, "not_before"), _stops(passes, count, "passes")
        if 0 in timed:
            raise ValueError("passes at end 0: there the motion begins; dwell={0: seconds} waits there")
        waits = dict.fromkeys(until, 0.0) | _stops(dwell, count)
        radius = None if blend is None else _blend(blend)
        return cls(**one_after_the_other([cls.of(path) for path in paths], radius, waits, until, timed))

    @classmethod
    def of(cls, path: Path | Motion | ArrayLike) -> Path:
        """The path of a motion, its timing left out but for where it rests, and how long; or through points.

        >>> import loadpath as lp
        >>> there = lp.Motion.through(lp.catalog.planar(2), [[0, 0], [1, 0.5], [1, 0]], times=[0, 1, 2])
        >>> list(Path.of(there.dwell(0.5)).stops.values())
        [0.0, 0.5]
        """
        if isinstance(path, Path):
            return path
        if isinstance(path, str):
            raise ValueError(f"a path is {path!r}: expected configurations (points, n), an lp.Path or an lp.Motion, as "
                             "of lp.Motion.from_csv")
        if isinstance(path, Motion):
            return cls(*of_motion(path))
        return cls.through(path)

    @classmethod
    def of_columns(cls, motion: Motion, coordinates: list[int], speeds: list[int]) -> Path:
        """The path of some joints of a motion, by the numbers of their coordinates and speeds.

        >>> import loadpath as lp
        >>> both = lp.Motion.through(lp.catalog.planar(2), [[0, 0], [1, 0.5]], times=[0, 1])
        >>> Path.of_columns(both, [1], [1]).n
        1
        """
        return cls(*of_motion(Samples(motion.t, motion.q[:, coordinates], motion.qd[:, speeds], motion.qdd[:, speeds])))

    def __post_init__(self) -> None:
        object.__setattr__(self, "breaks", np.asarray(self.breaks, dtype=float))
        object.__setattr__(self, "coefficients", np.asarray(self.coefficients, dtype=float))
        shape = self.coefficients.shape
        if len(shape) != 3 or shape[1] != len(self.breaks) - 1 or not np.all(np.diff(self.breaks) > 0):
            raise ValueError(f"a Path has breaks {self.breaks.shape} and coefficients {shape}: expected rising breaks "
                             "(pieces + 1,) and coefficients (degree + 1, pieces, n)")
        if not (np.isfinite(self.breaks).all() and np.isfinite(self.coefficients).all()):
            raise ValueError("a Path has entries that are not finite numbers")

    # What it is

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return int(self.coefficients.shape[2])

    @property
    def pieces(self) -> int:
        """How many polynomials."""
        return int(self.coefficients.shape[1])

    def at(self, p: Floats, piece: np.ndarray[tuple[int, ...], np.dtype[np.intp]], order: int = 2,
           first: int = 0) -> list[Floats]:
        """(points, n) each: q and its derivatives by p, from the `first` to one of an order, at parameters (points,),
        on the pieces that are named: at a break it has two sides.
        """
        x = (p - self.breaks[piece])[:, None]
        found = []
        powers = np.arange(len(self.coefficients))[::-1]
        c = self.coefficients
        for k in range(order + 1):
            if k >= first:
                value = c[0][piece]
                for each in c[1:]:
                    value *= x
                    value += each[piece]
                found.append(value)
            c, powers = (c * powers[:, None, None])[:-1], powers[:-1] - 1
            if not len(c):
                c, powers = np.zeros((1, *self.coefficients.shape[1:])), np.zeros(1, dtype=int)
        return found

    @property
    def length(self) -> float:
        """Of the whole, in joint space."""
        points, weights = np.polynomial.legendre.leggauss(12)
        h = np.diff(self.breaks)
        p = (self.breaks[:-1, None] + h[:, None] * (points + 1) / 2).ravel()
        (rate,) = self.at(p, np.repeat(np.arange(self.pieces), len(points)), 1, 1)
        return float((np.linalg.norm(rate, axis=1).reshape(-1, len(points)) @ weights * h / 2).sum())

    def __repr__(self) -> str:
        stops = f", {len(self.stops)} stops" if self.stops else ""
        return f"<path of {self.n} degrees of freedom: {self.pieces} pieces, {self.length:.3g} long{stops}>"


def _nearest(
    path: Path, robot: Any, link: str | None, poses: Any, passes: Mapping[int, float]
) -> dict[int, float]:
    """What is passed at poses of a link, by the breaks of the path that are nearest to them."""
    piece = np.minimum(np.arange(path.pieces + 1), path.pieces - 1)
    (q,) = path.at(path.breaks, piece, 0)
    number_ = robot.link_names.index(link_or_only_end(robot, link))
    where = np.asarray(robot.link_poses(q))[:, number_, :3, 3]
    found: dict[int, float] = {}
    for pose, seconds in passes.items():
        each = np.asarray(getattr(poses[pose], "matrix", poses[pose]), dtype=float)
        place = each if each.shape == (3,) else each[:3, 3]
        k = int(np.linalg.norm(where - place, axis=1).argmin())
        if k == 0:
            raise ValueError(f"passes at pose {pose}: there the motion begins; dwell={{0: seconds}} waits there")
        found[k] = seconds
    return found


TOOL_RATE = 250.0
"""Samples a second of the motion of a tool at 1 m/s whose path is taken."""


def _points(points: ArrayLike) -> Floats:
    where = np.asarray(points, dtype=float)
    if where.ndim != 2 or len(where) < 2:
        raise ValueError(f"a path goes through points of the shape {where.shape}: expected (points, n), two or more")
    if not np.isfinite(where).all():
        raise ValueError("a path goes through points that are not finite numbers")
    for k, size in enumerate(np.linalg.norm(np.diff(where, axis=0), axis=1)):
        if size <= SAME:
            raise ValueError(f"points {k} and {k + 1} of a path are the same: leave one out; dwell={{{k}: seconds}} "
                             "waits there")
    return where


def _reversals(along: Floats) -> list[int]:
    """Points at which a way of these directions (sides, n) goes back as it came."""
    opposite = np.linalg.norm(along[1:] + along[:-1], axis=1)
    return (1 + np.flatnonzero(opposite <= SMOOTH)).tolist()


def _stops(dwell: Mapping[int, float] | None, count: int, what: str = "dwell") -> dict[int, float]:
    found = {}
    for k, seconds in (dwell or {}).items():
        if not 0 <= k < count:
            raise ValueError(f"{what} at point {k}: the path has points 0 to {count - 1}")
        found[int(k)] = number(seconds, f"{what} at point {k}")
        if found[int(k)] < 0:
            raise ValueError(f"{what} at point {k} is {seconds}: expected seconds, zero or more")
    return dict(sorted(found.items()))


def _blend(blend: float) -> float:
    found = number(blend, "Path.lines: blend")
    if found <= 0:
        raise ValueError(f"Path.lines: blend is {found:g}: expected more than zero")
    return found


def _corner(at: Floats, before: Floats, after: Floats, radius: float) -> Floats:
    """(7, n): a corner between two lines, from a distance r before it to one after it, over p from 0 to 2 r. The
    direction goes from that of one line to that of the other by the quintic step, as at the corners of tools.
    """
    L = 2 * radius
    done = np.zeros(7)  # the integral of the step: L (2.5 v^4 - 3 v^5 + v^6) at v = p / L
    done[:3] = L * np.array([1.0, -3.0, 2.5]) / L ** np.arange(6, 3, -1)
    found: Floats = done[:, None] * (after - before)
    found[-2] += before
    found[-1] += at - radius * before
    return found


def with_timing(robot: RobotModel, path: Path | MotionLike | ArrayLike) -> Path | Motion | ArrayLike:
    """What a path is asked for with; of a simulation, its motion of the robot's joints."""
    if isinstance(path, (Path, Motion)) or not is_motion(path):
        return path  # type: ignore[return-value]
    if getattr(path, "base_motion", None):
        raise ValueError("fastest: the simulation moves the base, and a path is of joints: simulation.motion is that "
                         "of the joints alone; on points in the coordinates of rover.planar a rover rolls")
    return as_motion(robot, path, "fastest")


def refuse_quaternions(robot: RobotModel) -> None:
    """An error where a coordinate is no speed's: paths are of joints that turn and slide."""
    if robot.nq != robot.n:
        joint = next(joint.name for joint in robot.joints if joint.motion.coordinates != joint.motion.dof)
        raise ModelError(f"fastest is for joints that turn and slide, and joint '{joint}' of robot '{robot.name}' has "
                         "a quaternion: hold it with robot.locked({...})")
