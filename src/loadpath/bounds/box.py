"""A box of states: ranges of positions, speeds and accelerations, of a payload, and of the motion of a rover's base."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from loadpath.errors import ModelError
from loadpath.robot.arrays import is_labelled
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import known
from loadpath.scalars.types import Floats

Ranges: TypeAlias = "Mapping[str, ArrayLike] | ArrayLike | None"
"""A range (low, high) or a number for all, one for each in rows (n, 2), or by the names of degrees of freedom."""
Range: TypeAlias = "ArrayLike | None"
"""(low, high), or a number that stays."""


@dataclass(frozen=True)
class Box:
    """Ranges of positions `q`, speeds `qd` and accelerations `qdd` (rad or m, per s, per s^2). Each is a dict from
    names of degrees of freedom to a range (low, high) or a number that stays, or one range for all, or rows (n, 2).

    A table or a labelled array with these names, and two columns, is read like a dict.

    What is not named has the limits of the robot: positions theirs (a turning joint without any -pi to pi), speeds
    theirs in both directions. Accelerations have no limits in a robot: those that are not named are zero. `qd=0` is a
    robot at rest.

    >>> import loadpath as lp
    >>> box = lp.Box(q={"joint2": (0.0, 1.0)}, qd=(-2.0, 2.0), qdd={"joint1": (-5.0, 5.0)})
    >>> low, high = box.of(lp.catalog.planar(2))
    >>> low.tolist()
    [-3.141592653589793, 0.0, -2.0, -2.0, -5.0, 0.0]

    A payload is a point mass at `payload_link` (without it at the end of the arm, as in `with_payload`): `payload` is
    the range of its mass (kg), `payload_center` three ranges or numbers, the coordinates (m) of its center in that
    link.

    Of a rover there are `velocity` and `acceleration` of its base, each a range for v (or v_x and v_y) and one for w,
    and its `heading` on a slope, as in `wheel_loads`; zero without a word.

    >>> anywhere = lp.Box(qd=0, payload=(0, 5), payload_center=[(-0.1, 0.1), 0, (0, 0.2)])
    >>> brakes = lp.Box(qd=0, velocity=[(0, 1), 0], acceleration=[(-2, 1), 0])
    """

    q: Ranges = field(default=None)
    qd: Ranges = field(default=None)
    qdd: Ranges = field(default=None)
    payload: Range = field(default=None)
    payload_center: Sequence[Range] = field(default=(0.0, 0.0, 0.0))
    payload_link: str | None = field(default=None)
    velocity: Sequence[Range] | None = field(default=None)
    acceleration: Sequence[Range] | None = field(default=None)
    heading: Range = field(default=None)

    @classmethod
    def read(cls, given: Box | Mapping[str, object] | None, robot: RobotModel) -> Box:
        """A box, or what a dict says: of parts `q`, `qd`, `qdd`, or of positions by names."""
        if given is None:
            return cls()
        if isinstance(given, Box):
            return given
        if not isinstance(given, Mapping):
            raise ValueError(f"over is {given!r}: expected an lp.Box, or a dict from names to (low, high), like "
                             f"{{'{robot.dof_names[0] if robot.n else 'joint1'}': (-1, 1)}}")
        parts = {part.name for part in fields(cls)}
        if given and given.keys() <= parts and not given.keys() <= set(robot.dof_names):
            return cls(**given)  # type: ignore[arg-type]  # checked as they are read
        if mixed := sorted((given.keys() & parts) - set(robot.dof_names)):
            raise ValueError(f"over has '{mixed[0]}' beside names of joints: put positions into q={{...}}")
        return cls(q=given)  # type: ignore[arg-type]

    def of(self, robot: RobotModel) -> tuple[Floats, Floats]:
        """Lower and upper ends (3 n,) of positions, speeds and accelerations of a robot."""
        limits = [limit for joint in robot.joints if joint.mimic is None for limit in joint.limits]
        angular = [turns for joint in robot.joints if joint.mimic is None for turns in joint.motion.angular]
        parts = [self._part(robot, part) for part in ("q", "qd", "qdd")]
        for part, ends in zip(("q", "qd"), parts, strict=False):
            for k, name in enumerate(robot.dof_names):
                if not np.isnan(ends[k, 0]):
                    continue
                if part == "q":
                    low, high = limits[k].lower, limits[k].upper
                    if angular[k] and math.isinf(low) and math.isinf(high):
                        low, high = -math.pi, math.pi
                else:
                    low, high = -limits[k].velocity, limits[k].velocity
                if math.isinf(low) or math.isinf(high):
                    what = "position" if part == "q" else "speed"
                    example = "(-1, 1)}" if part == "q" else "(-2, 2)}, or qd=0 for a robot at rest"
                    raise ValueError(f"'{name}' has no limit of its {what}, and over has none: give its range, like "
                                     f"{part}={{'{name}': {example}")
                ends[k] = low, high
        parts[2] = np.where(np.isnan(parts[2]), 0.0, parts[2])
        low, high = np.concatenate(parts).T
        return low.copy(), high.copy()

    def _part(self, robot: RobotModel, part: str) -> Floats:
        """(n, 2): ranges, NaN where none is given."""
        given, n = _by_names(getattr(self, part)), robot.n
        ends = np.full((n, 2), np.nan)
        if given is None:
            return ends
        if isinstance(given, Mapping):
            for name, value in given.items():
                at = robot.dof_names.index(known(name, robot.dof_names, "degree of freedom"))
                ends[at] = range_of(value, f"{part} of '{name}'")
            return ends
        try:
            array = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"{part} of the box is {given!r}: expected (low, high), rows of them, or a dict by "
                             "names of degrees of freedom") from None
        if array.shape == (n, 2):
            for k, row in enumerate(array):
                ends[k] = range_of(row, f"{part} of '{robot.dof_names[k]}'")
            return ends
        if array.shape not in ((), (2,)):
            raise ValueError(f"{part} of the box has the shape {array.shape}: expected (low, high) for all degrees of "
                             f"freedom, or ({n}, 2), a row for each")
        ends[:] = range_of(array, f"{part} of the box")
        return ends


    def payload_ends(self) -> Floats | None:
        """(4, 2): ranges of mass and center of the payload; None where nothing is said of it."""
        if self.payload is None:
            if self.payload_link is not None or tuple(self.payload_center) != (0.0, 0.0, 0.0):
                raise ValueError("the box has a place of the payload but not its mass: give payload=(low, high) in kg")
            return None
        mass = range_of(self.payload, "payload of the box")
        if mass[0] < 0:
            raise ValueError(f"payload of the box is from {mass[0]:g} to {mass[1]:g} kg: expected no negative mass")
        center = ranges_of(self.payload_center, "payload_center", ("x", "y", "z"))
        return np.array([mass, *center])

    @property
    def of_base(self) -> dict[str, object]:
        """What it says of the base of a rover."""
        given = {name: getattr(self, name) for name in ("velocity", "acceleration", "heading")}
        return {name: value for name, value in given.items() if value is not None}


def ranges_of(given: object, what: str, parts: Sequence[str]) -> list[tuple[float, float]]:
    """A range for each of some parts, of a sequence of ranges and numbers."""
    try:
        each = list(given)  # type: ignore[call-overload]
    except TypeError:
        each = []
    if len(each) != len(parts) or isinstance(given, (str, Mapping)):
        raise ValueError(f"{what} of the box is {given!r}: expected {len(parts)} ranges or numbers, for "
                         f"{', '.join(parts)}")
    return [range_of(value, f"{part} in {what} of the box") for value, part in zip(each, parts, strict=True)]


def _by_names(given: Any) -> Any:
    """A table or a labelled array with names of degrees of freedom as a mapping; everything else as it is."""
    if not is_labelled(given):
        return given
    index = getattr(given, "index", None)  # of pandas
    if index is None:
        index = next(iter(given.coords.values()), None)  # of xarray
    names = [] if index is None else list(np.asarray(index))
    if not names or not all(isinstance(name, str) for name in names):
        return np.asarray(given)
    return dict(zip([str(name) for name in names], np.asarray(given), strict=True))


def range_of(value: object, what: str) -> tuple[float, float]:
    """The two ends of a range."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{what} is {value!r}: expected (low, high), or a number that stays") from None
    if array.shape == ():
        array = np.array([array, array])
    if array.shape != (2,):
        raise ValueError(f"{what} is {value!r}: expected (low, high), or a number that stays")
    low, high = map(float, array)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"{what} is from {low} to {high}: expected two finite numbers")
    if low > high:
        raise ValueError(f"{what} is from {low} to {high}, which is empty: the first must not be above the second")
    return low, high


def refuse_unbounded(robot: RobotModel) -> None:
    """Refuse robots whose states are no box of numbers."""
    if robot.quaternion_starts:
        name = next(iter(robot.quaternion_starts))
        raise ModelError(f"joint '{name}' has a quaternion, over which there is no box: hold it with "
                         f"robot.locked({{'{name}': ...}}), or put joints that turn about one axis in its place")
