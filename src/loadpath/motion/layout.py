"""How the coordinates and speeds of a robot are laid out: their names, and which of them have quaternions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.robot.joints import JointType
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion


class Turning(NamedTuple):
    """A joint with a quaternion: its last four coordinates; those before are a position in the parent's axes."""

    name: str
    motion: JointType
    q: slice
    v: slice


@dataclass(frozen=True, eq=False)
class Layout:
    """Names and places of coordinates and speeds. Where there is no quaternion, speeds are rates of coordinates."""

    coordinate_names: tuple[str, ...]
    dof_names: tuple[str, ...]
    plain_q: NDArray[np.intp]
    """Places in q of the coordinates whose rates are speeds."""
    plain_v: NDArray[np.intp]
    """Places in qd of these speeds."""
    turning: tuple[Turning, ...] = ()

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinate_names)

    @property
    def n(self) -> int:
        """Number of speeds."""
        return len(self.dof_names)

    @property
    def width(self) -> int:
        """Numbers of a sample: its time, coordinates, speeds and accelerations."""
        return 1 + self.nq + 2 * self.n


def numbered(n: int) -> Layout:
    """The layout of n coordinates of which nothing is known but that their rates are the speeds.

    >>> numbered(2).dof_names
    ('joint1', 'joint2')
    """
    names = tuple(f"joint{k + 1}" for k in range(n))
    return Layout(names, names, np.arange(n), np.arange(n))


def refuse_no_robot(robot: object) -> None:
    """An error if it is no robot: arrays in its place, or its name."""
    if not isinstance(robot, RobotModel):
        given = repr(robot)
        given = given if len(given) < 80 else f"{given[:80]}..."
        raise ValueError(f"a motion needs the robot that moves, and got {given} in its place: expected one like "
                         "lp.catalog.ur5() or lp.load('arm.urdf')")


def layout_of(robot: RobotModel) -> Layout:
    """The layout of a robot.

    >>> from loadpath.robot.catalog import panda
    >>> from loadpath.robot.edit import floating
    >>> layout_of(floating(panda())).coordinate_names[:8]  # doctest: +NORMALIZE_WHITESPACE
    ('floating_base.x', 'floating_base.y', 'floating_base.z', 'floating_base.qx', 'floating_base.qy',
     'floating_base.qz', 'floating_base.qw', 'panda_joint1')
    """
    refuse_no_robot(robot)
    plain_q: list[int] = []
    plain_v: list[int] = []
    turning: list[Turning] = []
    for joint in robot.joints:
        if joint.mimic is not None or not joint.motion.dof:
            continue
        q, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if has_quaternion(joint.motion):
            turning.append(Turning(joint.name, joint.motion, q, v))
        else:
            plain_q += range(q.start, q.stop)
            plain_v += range(v.start, v.stop)
    places = np.array(plain_q, dtype=np.intp), np.array(plain_v, dtype=np.intp)
    return Layout(robot.coordinate_names, robot.dof_names, *places, tuple(turning))


def has_quaternion(motion: JointType) -> bool:
    """Whether a joint has more coordinates than speeds: four of them are then a quaternion."""
    return motion.coordinates != motion.dof


def units_of(robot: RobotModel | None) -> dict[str, str]:
    """The unit of each coordinate and each speed times time, by name: "rad" or "m", "" of a quaternion's components.

    >>> from loadpath.robot.catalog import planar, stanford_arm
    >>> [units_of(stanford_arm())[name] for name in stanford_arm().dof_names]
    ['rad', 'rad', 'm', 'rad', 'rad', 'rad']
    """
    found: dict[str, str] = {}
    for joint in () if robot is None else robot.joints:
        of_speeds = ["rad" if angular else "m" for angular in joint.motion.angular]
        names = [f"{joint.name}.{label}" if label else joint.name for label in joint.motion.labels]
        if robot is not None and has_quaternion(joint.motion) and joint.mimic is None:
            coordinates = robot.coordinate_names[robot.q_slices[joint.name]]
            found |= dict.fromkeys(coordinates[:-4], "m") | dict.fromkeys(coordinates[-4:], "")
        found |= dict(zip(names, of_speeds, strict=True))
    return found


# What a log has beside the motion: torques, currents, payloads, each a number for every sample.


class Channel(NamedTuple):
    """A column of a log that is kept: a number for each sample, and its unit ("" if the log says none)."""

    values: Floats
    unit: str


def carried_over(motion: Motion, t: Floats) -> Mapping[str, Channel]:
    """The channels of a motion at other times within it, straight between samples; none where times are beyond it, as
    of a dwell: nobody measured there.
    """
    if len(t) and (t[0] < motion.t[0] or t[-1] > motion.t[-1]):
        return {}
    return {
        name: Channel(np.interp(t, motion.t, channel.values), channel.unit) for name, channel in motion.extra.items()
    }
