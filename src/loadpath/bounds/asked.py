"""What is asked for over a box: a function of a state, the magnitude of one to three numbers or one with a sign."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from loadpath.bounds.variables import Variables
from loadpath.engine.arguments import Variant
from loadpath.engine.quantity import compiled_line
from loadpath.errors import ModelWarning
from loadpath.loads.resultants import RESULTANTS, unit_of
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import known
from loadpath.scalars import array, cos, sin
from loadpath.scalars.recording import Recorded
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

Sense = Literal["magnitude", "max", "min"]
DRIVE = "drive"
OF_JOINTS = (*COMPONENTS, *RESULTANTS)
DEFLECTIONS = ("deflection", "deflection_x", "deflection_y", "deflection_z")
"""Of links of flexible arms: how far their frames move, and along the axes of the world."""

Values: TypeAlias = "Callable[[Floats], Floats]"
"""Of states (b, entries): (b, functions)."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A load as a function of a state."""

    name: str
    quantity: str
    unit: str
    parts: Values
    """One to three numbers at states."""
    count: int
    """How many."""
    variables: Variables
    sense: Sense
    size: Values = field(default=np.abs)
    """Of the same states (b, ...), loads of its kind in all places: a measure of what is small."""
    coulomb: float = 0.0
    """Friction that is part of it, times the sign of an entry of the state."""
    speed: int = -1
    """That entry."""
    degrees: tuple[int, ...] = (2,)
    """Of the angles, as tried one after the other."""
    equations: Callable[[Sequence[Recorded]], list[Any]] | None = field(default=None)
    """The parts of scalars of any kind, where there are such equations."""

    def smooth_parts(self, states: Floats) -> Floats:
        """The same without Coulomb friction."""
        parts = self.parts(states)
        return parts - self.coulomb * np.sign(states[:, [self.speed]]) if self.coulomb else parts

    def value(self, states: Floats) -> Floats:
        """(b,): what is to be as large as possible."""
        parts = self.parts(states)
        if self.count > 1 or self.sense == "magnitude":
            size: Floats = np.sqrt(np.einsum("bf,bf->b", parts, parts))
            return size
        return parts[:, 0] if self.sense == "max" else -parts[:, 0]

    def along(self, parts: Sequence[Any], direction: Sequence[Any]) -> Any:
        """What is to be as large as possible, of scalars of any kind: the parts along a direction."""
        if not len(direction):
            return parts[0] if self.sense != "min" else -parts[0]
        found = parts[0] * cos(direction[0])
        if self.count > 1:
            found = found + parts[1] * sin(direction[0])
        if self.count > 2:
            found = found * cos(direction[1]) + parts[2] * sin(direction[1])
        return found

    @property
    def directions(self) -> int:
        """Angles of a direction that the largest value is sought over, too."""
        return self.count - 1 if self.count > 1 else int(self.sense == "magnitude")

    def direction(self, states: Floats) -> Floats:
        """(b, directions): those angles at states."""
        parts = self.parts(states)
        if not self.directions:
            return np.zeros((len(parts), 0))
        if self.count == 1:
            return np.where(parts >= 0, 0.0, np.pi)
        u = np.arctan2(parts[:, 1], parts[:, 0])
        if self.count == 2:
            return u[:, None]
        return np.stack([u, np.arctan2(parts[:, 2], np.hypot(parts[:, 0], parts[:, 1]))], axis=1)

    def direction_boxes(self) -> list[tuple[Floats, Floats]]:
        """Boxes of those angles."""
        if self.count == 1:
            angles = (0.0, np.pi)[: 1 + self.directions]
            return [(np.full(self.directions, u), np.full(self.directions, u)) for u in angles]
        low, high = np.array([-np.pi, -np.pi / 2])[: self.directions], np.array([np.pi, np.pi / 2])[: self.directions]
        return [(low, high)]


def asked_of(
    robot: RobotQuantities, name: str, quantity: str, sense: Sense | None, under: LoadCase | None = None,
    moving: Callable[[Floats], dict[str, Any]] | None = None,
) -> Asked:
    """A quantity of a joint or a drive, as a function of states (q, qd, qdd, ...). `moving`: how the base of a rover
    moves in states, as keywords; else what acts on a robot is `under`.
    """
    variables = Variables.of_joints(robot.dof_names, turning(robot))
    if quantity in DEFLECTIONS:
        return _deflection(robot, name, quantity, sense, variables,
                           moving or (lambda states: {"under": under or LoadCase()}))
    known(quantity, (*OF_JOINTS, DRIVE, *DEFLECTIONS), "quantity")
    if quantity == DRIVE:
        place = robot.dof_names.index(known(name, robot.dof_names, "degree of freedom"))
        rows = np.ones((1, 1))
    else:
        place = robot.joint_names.index(known(name, robot.joint_names, "joint"))
        rows = _directions(robot, name, quantity)
    checked = checked_sense(sense, quantity, len(rows))
    n, under = robot.n, under or LoadCase()
    acting = moving or (lambda states: {"under": under})

    def drives(states: Floats) -> Floats:
        tau: Floats = np.asarray(robot.inverse_dynamics(*_thirds(states, n), **acting(states)))
        return tau

    def wrenches(states: Floats) -> Floats:
        wrench = robot.joint_wrenches(*_thirds(states, n), **acting(states))
        both: Floats = np.concatenate([wrench.force, wrench.torque], axis=-1)
        return both

    def parts(states: Floats) -> Floats:
        if quantity == DRIVE:
            return drives(states)[:, [place]]
        found: Floats = wrenches(states)[:, place] @ rows.T
        return found

    half = slice(0, 3) if "force" in quantity else slice(3, 6)
    asked = Asked(name, quantity, unit_of(robot, name, quantity), parts, len(rows), variables, checked,
                  size=drives if quantity == DRIVE else lambda states: wrenches(states)[:, :, half])
    if moving is None and not under.keywords:
        asked = replace(asked, equations=_equations(robot, quantity, place, rows))
    if quantity == DRIVE:
        each = [f for joint in robot.joints if joint.mimic is None for f in joint.coulomb_friction]
        asked = replace(asked, coulomb=each[place], speed=n + place)
    return asked


def _deflection(
    robot: RobotQuantities, name: str, quantity: str, sense: Sense | None, variables: Variables,
    acting: Callable[[Floats], dict[str, Any]],
) -> Asked:
    """How far the frame of a link moves because the arm bends."""
    if not robot.is_elastic:
        raise ValueError(f"robot '{robot.name}' has no beams and no joint compliance, so nothing deflects: "
                         "robot.with_beams(...)")
    place = robot.link_names.index(known(name, robot.link_names, "link"))
    axes = [0, 1, 2] if quantity == "deflection" else ["xyz".index(quantity[-1])]
    elastic: Any = robot

    def every(states: Floats) -> Floats:
        with warnings.catch_warnings():  # of states between which coefficients are found, and which are not in the box
            warnings.simplefilter("ignore", ModelWarning)
            moved: Floats = elastic.deflection(*_thirds(states, robot.n), **acting(states)).displacement
        return moved

    return Asked(name, quantity, "m", lambda states: every(states)[:, place][:, axes], len(axes), variables,
                 checked_sense(sense, quantity, len(axes)), size=every, degrees=(2, 3, 4))


def turning(robot: RobotModel) -> list[bool]:
    """Of each degree of freedom, whether its position is an angle."""
    return [turns for joint in robot.joints if joint.mimic is None for turns in joint.motion.angular]


def checked_sense(sense: Sense | None, quantity: str, count: int) -> Sense:
    """The sense asked for, "magnitude" where none is; an error where the quantity has no such extreme."""
    checked: Sense = "magnitude" if sense is None else sense
    if checked not in ("magnitude", "max", "min"):
        raise ValueError(f"sense is {sense!r}: expected 'magnitude', 'max' or 'min'")
    if count > 1 and checked == "min":
        raise ValueError(f"{quantity} is a magnitude: of it there is the largest, not sense='min'")
    return checked


def _thirds(states: Floats, n: int) -> tuple[Floats, Floats, Floats]:
    return states[:, :n], states[:, n : 2 * n], states[:, 2 * n : 3 * n]


def _directions(robot: RobotQuantities, name: str, quantity: str) -> Floats:
    """(functions, 6): along which the wrench of a joint is measured."""
    rows = np.eye(6)
    if quantity in COMPONENTS:
        return rows[[COMPONENTS.index(quantity)]]
    half = slice(0, 3) if quantity.endswith("force") else slice(3, 6)
    if quantity in ("force", "torque"):
        return rows[half]
    axis = robot.joint(name).motion.axis_direction()
    if axis is None:
        raise ValueError(f"joint '{name}' has no single axis, so it has no {quantity.replace('_', ' ')}")
    along = np.array(axis)
    if quantity.startswith("axial"):
        across = along[None]
    else:
        across = np.linalg.svd(along[None])[2][1:]
        across[np.abs(across) < 1e-15] = 0.0
    result = np.zeros((len(across), 6))
    result[:, half] = across
    return result


def _equations(
    robot: RobotQuantities, quantity: str, place: int, rows: Floats
) -> Callable[[Sequence[Recorded]], list[Any]]:
    def parts(x: Sequence[Recorded]) -> list[Any]:
        n = robot.n
        line = compiled_line(robot, "inverse_dynamics" if quantity == DRIVE else "joint_wrenches")
        found = line.equations(robot, Variant())(*(array(x[k * n : (k + 1) * n]) for k in range(3)))
        if quantity == DRIVE:
            return [found[place]]
        six = [*found[0][place], *found[1][place]]
        return [sum((float(c) * part for c, part in zip(row, six, strict=True)), 0.0) for row in rows]

    return parts
