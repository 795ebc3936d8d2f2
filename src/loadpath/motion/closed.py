"""Motions of robots with loops: they are given by their drives; the robot itself closes its loops and completes them.

This room knows such a robot by what it offers (`DrivenRobot`); the equations are in `loadpath.kinematics.closed`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.motion.layout import Layout, layout_of
from loadpath.motion.reading import completed, rows_of
from loadpath.motion.smoothing import Completed, Smooth
from loadpath.motion.via_points import quintic_step
from loadpath.robot.loops import Coupling, Loop, spins_of_rods
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Limits
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion

SWING, SHARE_OF_RANGE, SHARE_OF_SPEED, SHORTEST = 0.6, 0.3, 0.8, 1.0
"""Largest swing to either side (rad or m), its share of the range of a joint, of its speed, shortest duration (s)."""
SHRINK, TRIES, NEAR_DEAD = 0.7, 20, 0.1
"""A swing that the loops do not allow, or that comes nearer than this to a dead point, is made smaller by this factor,
up to so many times."""
OPEN = 1e-6
"""m, rad: loops that are further open at a sample are reported."""


class DrivenRobot(Protocol):
    """What a robot with loops offers for motions."""

    @property
    def name(self) -> str:
        """Name, for messages."""

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the speeds with a drive."""

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Joints of the tree."""

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Joints that close loops."""

    @property
    def couplings(self) -> tuple[Coupling, ...]:
        """Ratios between speeds."""

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the speeds that determine all others."""

    @property
    def q_slices(self) -> Mapping[str, slice]:
        """Where the coordinates of joints are."""

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of all speeds."""

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of all coordinates."""

    @property
    def home(self) -> Floats:
        """A closed configuration."""

    def motion(
        self, t: Any, driven: Any = None, qd: Any = None, qdd: Any = None, *, near: Any = None, strict: bool = True,
        smooth: Smooth = None,
    ) -> Motion:
        """The motion of all joints from that of the drives."""

    def assemble(self, driven: Any, near: Any = None, *, strict: bool = True, path: bool | None = None) -> Any:
        """Closed configurations."""

    def complete(self, q: Any, qd: Any, qdd: Any) -> tuple[Floats, Floats]:
        """All speeds and accelerations from those of the drives."""

    def singularities(self, q: Any) -> Any:
        """How far configurations are from dead points."""

    def closure(self, q: Any) -> Floats:
        """How far loops are from closed."""


def driven_robot(robot: RobotModel | None) -> DrivenRobot | None:
    """The robot, if it has loops or couplings."""
    closed = isinstance(robot, RobotModel) and (robot.loops or robot.couplings)
    return cast(DrivenRobot, robot) if closed else None


def moved_drives(robot: DrivenRobot) -> tuple[str, ...]:
    """The drives that motions are given for: those with a coordinate of their own. A base that floats stands still."""
    return tuple(name for name in robot.driven if name in robot.coordinate_names)


def drive_places(robot: DrivenRobot) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the coordinates and the speeds of these drives are."""
    names = moved_drives(robot)
    q, v = ([where.index(name) for name in names] for where in (robot.coordinate_names, robot.dof_names))
    return np.array(q, dtype=np.intp), np.array(v, dtype=np.intp)


def drive_layout(robot: DrivenRobot) -> Layout:
    """The layout of these drives alone."""
    names = moved_drives(robot)
    return Layout(names, names, np.arange(len(names)), np.arange(len(names)))


def closed_states(robot: DrivenRobot, q: Floats, qd: Floats, qdd: Floats) -> tuple[Floats, Floats, Floats]:
    """The closed states with the same drives as some that are nearly closed, as between samples."""
    places, _ = drive_places(robot)
    closed = robot.assemble(q[:, places], q).q
    return closed, *robot.complete(closed, independent_of(robot, qd), independent_of(robot, qdd))


def open_loops(robot: DrivenRobot, t: Floats, q: Floats) -> list[str]:
    """A sentence if the loops are open at samples."""
    apart = robot.closure(q)
    size = apart.max(axis=-1)
    if not (size > OPEN).any():
        return []
    sample, part = (int(k) for k in np.unravel_index(int(size.argmax()), size.shape))
    count = int((size > OPEN).any(axis=1).sum())
    names = [*(loop.name for loop in robot.loops), *(coupling.name for coupling in robot.couplings)]
    return [f"'{names[part]}' is open by {apart[sample, part, 0]:.3g} m and {apart[sample, part, 1]:.3g} rad at sample "
            f"{sample} (t = {t[sample]:.6g} s{f', and others are at {count - 1} others' if count > 1 else ''}): "
            "robot.motion(t, ...) makes a closed motion from that of the drives"]


def refuse_drives_alone(robot: DrivenRobot, q: Any) -> None:
    """Coordinates of the drives, where those of all joints are expected."""
    width, drives = np.shape(q)[-1:], moved_drives(robot)
    if width == (len(drives),) and width != (len(robot.coordinate_names),):
        raise ValueError(f"q has {width[0]} columns, as many as robot '{robot.name}' has drives "
                         f"({', '.join(drives)}); it has {len(robot.coordinate_names)} coordinates: "
                         "robot.motion(t, q) makes a motion of all joints from that of the drives")


def completed_by_loops(
    robot: DrivenRobot, layout: Layout, t: Floats, q: Floats, qd: Floats | None, qdd: Floats | None, smooth: Smooth
) -> Completed:
    """Speeds and accelerations of a robot with loops: what is not given is derived, and for the dependent joints made
    what the loops make of it. Where samples are smoothed, the loops are closed again from the drives.
    """
    done = completed(layout, t, q, qd, qdd, smooth, cast(RobotModel, robot))
    if qd is not None and qdd is not None:
        return done
    if done.smoothing is not None and (done.q != q).any():
        done = done._replace(q=robot.assemble(done.q[:, drive_places(robot)[0]], done.q).q)
    speeds, rates = robot.complete(done.q, independent_of(robot, done.qd), independent_of(robot, done.qdd))
    return done._replace(qd=speeds if qd is None or done.smoothing is not None else qd, qdd=rates)


def independent_of(robot: DrivenRobot, speeds: Floats) -> dict[str, Floats]:
    """Of all speeds (samples, n) those that determine the others, by name."""
    return {name: speeds[:, robot.dof_names.index(name)] for name in robot.independent}


def standing(robot: DrivenRobot, given: Collection[str], near: Floats) -> tuple[dict[str, Floats], dict[str, float]]:
    """What stands still where nothing is given for it: coordinates by joint, speeds by name. Such are joints with a
    quaternion that are free of the loops (a floating base). Rods between two balls spin as little as they can.
    """
    speeds = [name for name in robot.independent if name not in given and name not in robot.coordinate_names]
    spinning = spins_of_rods(robot, speeds)
    speeds = [name for name in speeds if name not in spinning]
    joints = dict.fromkeys(name.rpartition(".")[0] for name in speeds)
    return {joint: near[robot.q_slices[joint]] for joint in joints}, dict.fromkeys(speeds, 0.0)


def points_of(
    robot: RobotModel, given: ArrayLike
) -> tuple[DrivenRobot | None, Layout, Floats, Floats | None]:
    """Points of a motion (points, coordinates) and their layout; of a robot with loops those of its drives, and the
    first configuration where all coordinates are given.
    """
    closed, layout = driven_robot(robot), layout_of(robot)
    if closed is None:
        return None, layout, rows_of("points", given, None, layout.coordinate_names, robot), None
    drives = drive_layout(closed)
    whole = np.shape(given)[-1:] == (layout.nq,)
    points = rows_of("points", given, None, (layout if whole else drives).coordinate_names, robot)
    return closed, drives, (points[:, drive_places(closed)[0]] if whole else points), (points[0] if whole else None)


def closed_swing(
    robot: DrivenRobot, limits: list[Limits], samples: int, duration: float | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Times, coordinates, speeds and accelerations: every drive swings about where it is at home, as far as the limits
    and the loops allow, and not near dead points.
    """
    (places, speeds), drives = drive_places(robot), moved_drives(robot)
    if not drives:
        raise ValueError(f"robot '{robot.name}' has no drive that moves it, so it does not swing: with_driven names "
                         "drives; the loads of a structure at rest are robot.static_wrenches(robot.home)")
    s = np.linspace(0.0, 1.0, samples)
    step, first, second = (part[:, None] for part in quintic_step(s))
    middle = robot.home[places]
    reach = np.array([_reach(at, limits[v]) for at, v in zip(middle, speeds, strict=True)])
    given = SHORTEST if duration is None else duration
    still, at_rest = standing(robot, drives, robot.home)
    for _ in range(TRIES):
        values = dict(zip(drives, (middle + reach * (2 * step - 1)).T, strict=True)) | still
        q = _closed_path(robot, values)
        if q is not None and robot.singularities(q).drive.min() > NEAR_DEAD:
            rates = 2 * reach * first / given, 2 * reach * second / given**2
            qd, qdd = robot.complete(q, *(dict(zip(drives, part.T, strict=True)) | at_rest for part in rates))
            slower = 1.0 if duration is not None else _slower(limits, qd)
            return s * given * slower, q, qd / slower, qdd / slower**2
        reach *= SHRINK
    raise ValueError(f"robot '{robot.name}' does not swing about its home: its drives {', '.join(drives)} do not "
                     "move it there (a dead point?); give another home with with_home(q)")


def _closed_path(robot: DrivenRobot, values: Mapping[str, Floats]) -> Floats | None:
    """Closed configurations along a path of the drives, if there are such."""
    plain = set(moved_drives(robot))
    few = {name: part[[0, len(part) // 2, -1]] if name in plain else part for name, part in values.items()}
    try:
        robot.assemble(few, path=True)  # a quick look before all
        found: Floats = robot.assemble(values, path=True).q
    except ValueError:
        return None
    return found


def _slower(limits: list[Limits], qd: Floats) -> float:
    """By which factor a motion must be slower to keep within four fifths of all limits of speed."""
    fastest = np.array([limit.velocity if limit.velocity > 0 else np.inf for limit in limits])
    return max(1.0, float((np.abs(qd).max(axis=0) / (SHARE_OF_SPEED * fastest)).max()))


def _reach(at: float, limits: Limits) -> float:
    """How far a coordinate goes to either side."""
    room = min(limits.upper - at, at - limits.lower)
    return float(min(SWING, SHARE_OF_RANGE * (limits.upper - limits.lower), max(room, 0.0)))
