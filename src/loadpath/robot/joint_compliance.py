"""What gives way in a joint: the gearbox along its freedom, the bearing across it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.joints import JointType
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import numbers
from loadpath.robot.parts import Joint
from loadpath.scalars import array
from loadpath.scalars.types import ArrayLike, Floats

RIGID = math.inf
_STIFFNESSES = ("drive", "tilting", "radial", "axial", "rotation", "translation")


@dataclass(frozen=True)
class JointCompliance(Measured):
    """Stiffnesses of a joint, in N m/rad and N/m; what is left out is rigid.

    - `drive`: gearbox and drive along the joint's freedom (N m/rad of a revolute, N/m of a prismatic joint), one number
      for all speeds or one each. It winds up under the force that the joint carries along that freedom, without the
      drive's friction and rotor inertia.
    - `tilting`: bearing, about the two axes across the joint's axis (N m/rad); `radial` and `axial`: bearing, across
      and along the axis (N/m). These are for joints with one axis; `tilting` and `radial` are one number or two, the
      second about (along) the joint frame's own axes as `across` gives them.
    - `rotation` and `translation`: about and along x, y and z of the child's joint frame, for joints of any kind and
      welds (one number or three).
    - `damping`: of the drive's spring (N m s/rad, N s/m), one number or one for each speed. It counts in vibrations.

    >>> JointCompliance(drive=2e4, tilting=1e5).drive
    (20000.0,)
    """

    drive: float | tuple[float, ...] = field(default=RIGID, metadata=measures("torsional stiffness", "stiffness"))
    tilting: float | tuple[float, ...] = field(default=RIGID, metadata=measures("torsional stiffness"))
    radial: float | tuple[float, ...] = field(default=RIGID, metadata=measures("stiffness"))
    axial: float | tuple[float, ...] = field(default=RIGID, metadata=measures("stiffness"))
    rotation: float | tuple[float, ...] = field(default=RIGID, metadata=measures("torsional stiffness"))
    translation: float | tuple[float, ...] = field(default=RIGID, metadata=measures("stiffness"))
    damping: float | tuple[float, ...] = field(default=0.0, metadata=measures("damping", "damping of a slide"))
    resolved: tuple[tuple[float, ...], ...] | None = field(default=None, repr=False)
    """Compliance in the child's joint frame, once the joint is known: it stays when the joint is locked."""
    resolved_damping: tuple[tuple[float, ...], ...] | None = field(default=None, repr=False)
    """The same of the damping."""
    resolved_on_ground: bool = field(default=False, repr=False)
    """Whether it is contacts that stand on the ground, in the plane of the child's joint frame."""

    def __post_init__(self) -> None:
        for name in _STIFFNESSES:
            values = _several(getattr(self, name))
            for entry in values:
                if isinstance(entry, (float, np.floating)) and entry == RIGID:
                    continue
                if numbers((entry,), f"{name} stiffness of a joint")[0] <= 0:
                    raise ModelError(f"{name} stiffness of a joint is {entry}: expected more than zero "
                                     "(leave it out where the joint is rigid)")
            object.__setattr__(self, name, tuple(float(entry) for entry in values))
        damping = numbers(_several(self.damping), "damping of a joint")
        if min(damping) < 0:
            raise ModelError(f"damping of a joint is {min(damping)}: expected zero or more")
        object.__setattr__(self, "damping", tuple(float(entry) for entry in damping))
        if self.is_damped and all(k == RIGID for k in self.drive):  # type: ignore[union-attr]  # a tuple by now
            raise ModelError(f"damping of a joint is {max(damping)} and its drive is rigid: damping is that of the "
                             "drive's spring, give drive= too")

    @property
    def is_damped(self) -> bool:
        """Whether it damps vibrations."""
        return any(_several(self.damping))

    def matrix(self, joint: Joint) -> Floats:
        """Compliance (6, 6): displacement, then rotation, of the child per unit of force, then torque, on it; at the
        joint's origin, in the child's joint frame.
        """
        if self.resolved is not None:
            return np.array(self.resolved)
        result = np.zeros((6, 6))
        for columns, stiffness, what in self._directions(joint):
            each = _one_each(joint, stiffness, len(columns), f"{what} stiffness")
            for column, k in zip(columns, each, strict=True):
                result = result + np.outer(column, column) / k
        return result

    def damping_matrix(self, joint: Joint) -> Floats:
        """Damping (6, 6): force, then torque, per unit of velocity, then angular velocity, of the child against the
        drive's side; at the joint's origin, in the child's joint frame.
        """
        if self.resolved_damping is not None:
            return np.array(self.resolved_damping)
        result = np.zeros((6, 6))
        if self.is_damped:
            columns = _freedoms(joint)
            for column, c in zip(
                columns, _one_each(joint, _several(self.damping), len(columns), "damping"), strict=True
            ):
                result += c * np.outer(column, column) / (column @ column) ** 2
        return result

    def of(self, joint: Joint) -> JointCompliance:
        """The same, with compliance and damping of that joint worked out."""
        compliance, damping = (
            tuple(tuple(row) for row in matrix.tolist()) for matrix in (self.matrix(joint), self.damping_matrix(joint))
        )
        return replace(self, resolved=compliance, resolved_damping=damping if self.is_damped else None)

    def _directions(self, joint: Joint) -> list[tuple[list[Floats], tuple[float, ...], str]]:
        found = []
        given = {name: getattr(self, name) for name in _STIFFNESSES}
        given = {what: value for what, value in given.items() if any(k != RIGID for k in value)}
        axis = joint.motion.axis_direction()
        turned, moved = np.eye(6)[3:], np.eye(6)[:3]
        for what, stiffness in given.items():
            if what == "drive":
                columns = _freedoms(joint)
            elif what in ("rotation", "translation"):
                columns = list(turned if what == "rotation" else moved)
            elif axis is None:
                raise ModelError(f"joint '{joint.name}' has no single axis, so no {what} stiffness: give 'rotation' "
                                 "and 'translation' instead")
            else:
                basis = turned if what == "tilting" else moved
                directions = [np.array(axis)] if what == "axial" else across(axis)
                columns = [direction @ basis for direction in directions]
            found.append((columns, stiffness, what))
        return found


def _several(value: object) -> tuple[float, ...]:
    """One number or more as a tuple, unchecked."""
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)  # type: ignore[return-value]


def _one_each(joint: Joint, values: tuple[float, ...], count: int, what: str) -> tuple[float, ...]:
    if len(values) not in (1, count):
        raise ModelError(f"joint '{joint.name}': its {what} has {len(values)} numbers, {list(values)}: expected 1 or "
                         f"{count}")
    return values * count if len(values) == 1 else values


def across(axis: ArrayLike) -> list[Floats]:
    """Two unit vectors at right angles to an axis and to each other: for an axis along z they are x and y.

    >>> [v.tolist() for v in across((0, 0, 1))]
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    e = np.array(axis, dtype=float)
    helper = np.eye(3)[1] if abs(e[1]) < 0.9 else np.eye(3)[2]
    first = np.cross(helper, e)
    first /= np.linalg.norm(first)
    return [first, np.cross(e, first)]


def _freedoms(joint: Joint) -> list[Floats]:
    """Unit displacement and rotation of each speed in child axes; an error where they change as the joint moves."""
    motion = joint.motion
    if motion.dof == 0:
        raise ModelError(
            f"joint '{joint.name}' is fixed, so it has no drive stiffness: give 'rotation' and 'translation'"
        )
    at_rest, moved = (_columns(motion, 0.3 * k) for k in (0, 1))
    if not np.allclose(at_rest, moved, atol=1e-12):
        raise ModelError(f"joint '{joint.name}': the directions of its freedoms change as it moves, so it has no "
                         "'drive' stiffness here: give 'rotation' and 'translation'")
    return list(at_rest)


def _columns(motion: JointType, by: float) -> Floats:
    q = np.array(motion.neutral()) + by
    columns = motion.subspace(array(q.tolist()))
    return np.array([[*linear.astype(float), *angular.astype(float)] for angular, linear in columns])
