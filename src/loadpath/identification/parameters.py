"""All parameters that the drive forces are linear in: ten of every link, and friction and rotor of every speed.

Links are numbered as in `link_names`, the base being 0, and speeds from 1 as in `dof_names`: `Izz2` is the moment of
link 2 about its z axis and its frame's origin, `mx2` its mass times the x of its mass center, `Ixy2` the entry of its
tensor; `fv3` and `fc3` are the viscous and Coulomb friction of speed 3, `Ia3` its rotor's inertia as felt there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic

import numpy as np

from loadpath.algorithms.regressor import drive_regressor, regressor
from loadpath.cached import cached_property
from loadpath.engine.program import Operand
from loadpath.engine.uncompiled import Uncompiled
from loadpath.identification.closed_states import felt
from loadpath.printable import printable
from loadpath.quantities.table import R_co
from loadpath.robot.inertia import Inertia
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from rich.console import RenderableType

OF_A_LINK = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""In the order of the regressor's columns."""
TENSOR = ((4, 5, 7), (5, 6, 8), (7, 8, 9))
"""Where the entries of the tensor stand among the ten."""
_UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
# Compiling takes seconds, and minutes for humanoids; a thousand states by NumPy take milliseconds.
_WORTH_COMPILING, _TOO_LARGE_TO_COMPILE = 2000, 20_000


def of_inertia(inertia: Inertia) -> Floats:
    """The ten parameters of a body in its frame: m, m c, and the tensor about the frame's origin.

    >>> of_inertia(Inertia(2.0, (0.5, 0, 0))).tolist()
    [2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.5]
    """
    t = inertia.at_origin()
    upper = [t[0, 0], t[0, 1], t[1, 1], t[0, 2], t[1, 2], t[2, 2]]
    return np.array([inertia.mass, *inertia.first_moment, *upper])


def to_inertia(ten: Floats) -> Inertia:
    """The body with these ten parameters; its mass must not be zero."""
    tensor = ten[np.array(TENSOR)]
    return Inertia.about_origin(float(ten[0]), (ten[1:4] / ten[0]).tolist(), tensor.tolist())


@dataclass(frozen=True, eq=False)
class DynamicParameters(Generic[R_co]):
    """The parameters of a robot: ten a link, then viscous and Coulomb frictions, then rotor inertias, if wanted."""

    robot: R_co
    friction: bool = False
    rotors: bool = False

    @cached_property
    def drives(self) -> tuple[str, ...]:
        """Kinds of drive parameters that are in, each with one entry a speed."""
        return ("fv", "fc") * self.friction + ("Ia",) * self.rotors

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each."""
        links = [f"{key}{i}" for i in range(len(self.robot.links)) for key in OF_A_LINK]
        return (*links, *(f"{key}{k + 1}" for key in self.drives for k in range(self.robot.n)))

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The unit of each."""
        of_drives = {"fv": ("N m s", "N s/m"), "fc": ("N m", "N"), "Ia": ("kg m^2", "kg")}
        return (*_UNITS * len(self.robot.links),
                *(of_drives[key][0 if angular else 1] for key in self.drives for angular in self.angular))

    @cached_property
    def angular(self) -> tuple[bool, ...]:
        """For each speed whether it is an angular one."""
        return tuple(a for joint in self.robot.joints if joint.mimic is None for a in joint.motion.angular)

    @property
    def of_links(self) -> int:
        """How many of them belong to links; those of the drives follow."""
        return 10 * len(self.robot.links)

    def of(self, robot: RobotModel) -> Floats:
        """The values of a robot of the same structure."""
        links = [of_inertia(link.inertia) for link in robot.links]
        drives = of_drives(robot)
        return np.concatenate([*links, *(drives[key] for key in self.drives)])

    def known_forces(self, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """Forces of the drive parameters that are not in, by this robot's own numbers, as its drives feel them."""
        drives = of_drives(self.robot)
        moving = {"fv": qd, "fc": np.sign(qd), "Ia": qdd}
        forces = np.zeros_like(qd)
        for key, values in drives.items():
            if key not in self.drives:
                forces += moving[key] * values
        return felt(self.robot, q, forces[..., None])[..., 0]

    def regressor(self, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """Matrix (states, n, parameters) for states in rows; with loops that of the forces that the drives feel."""
        return felt(self.robot, q, self.of_tree(q, qd, qdd))

    def of_tree(self, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """The same of forces at all joints of the open tree."""
        size = self.robot.n * self.of_links
        if len(q) < _WORTH_COMPILING or size > _TOO_LARGE_TO_COMPILE:
            links = np.asarray(self._regressor_of_links(q, qd, qdd))
        else:
            links = self.robot.tree.regressor(q, qd, qdd)
        if not self.drives:
            return links
        n = self.robot.n
        every = self._regressor_of_drives(qd, qdd)
        kinds = [every[..., n * k : n * k + n] for k, key in enumerate(("fv", "fc", "Ia")) if key in self.drives]
        return np.concatenate([links, *kinds], axis=-1)

    @cached_property
    def _regressor_of_links(self) -> Uncompiled:
        n, operands = self.robot.n, (Operand("q", (self.robot.nq,)), *self._speeds)
        run = partial(regressor, plain(self.robot))
        return Uncompiled("regressor", run, operands, [Operand("Y", (n, self.of_links))])

    @cached_property
    def _regressor_of_drives(self) -> Uncompiled:
        n, run = self.robot.n, partial(drive_regressor, plain(self.robot))
        return Uncompiled("drive_regressor", run, self._speeds, [Operand("Y", (n, 3 * n))])

    @property
    def _speeds(self) -> tuple[Operand, Operand]:
        return Operand("qd", (self.robot.n,)), Operand("qdd", (self.robot.n,))


def of_drives(robot: RobotModel) -> dict[str, Floats]:
    """Friction and reflected rotor inertia of every speed; those of followers add to the joint that they follow."""
    sums = {key: np.zeros(robot.n) for key in ("fv", "fc", "Ia")}
    for joint in robot.joints:
        if joint.motion.dof:
            at, k = robot.v_slices[joint.name], robot.mimic_of(joint).multiplier
            sums["fv"][at] += k * k * np.array(joint.viscous_friction)
            sums["fc"][at] += abs(k) * np.array(joint.coulomb_friction)
            sums["Ia"][at] += k * k * np.array(joint.reflected_inertia)
    return sums


@dataclass(frozen=True)
class Scale:
    """A length and a gravity typical of the robot. In units made of them (and of kg) nothing is large or small just
    because the robot is: the time unit is that of a pendulum of the length.
    """

    length: float
    gravity: float

    @classmethod
    def of(cls, robot: RobotModel) -> Scale:
        """The mean length of its links, and its gravity (or that which makes the time unit a second)."""
        lengths = [float(np.linalg.norm(j.origin.p) + np.linalg.norm(j.link_offset.p)) for j in robot.joints]
        lengths = [length for length in lengths if length > 0]
        length = sum(lengths) / len(lengths) if lengths else 1.0
        return cls(length, math.hypot(*robot.gravity) or length)

    @property
    def time(self) -> float:
        """The unit of time."""
        return math.sqrt(self.length / self.gravity)

    def of_parameters(self, parameters: DynamicParameters) -> Floats:
        """The unit of each parameter."""
        L, g, T = self.length, self.gravity, self.time
        link = [1.0, *(L,) * 3, *(L * L,) * 6]
        drives = {"fv": (g * L * T, g * T), "fc": (g * L, g), "Ia": (L * L, 1.0)}
        of_drives = [drives[key][0 if angular else 1] for key in parameters.drives for angular in parameters.angular]
        return np.array(link * len(parameters.robot.links) + of_drives)

    def of_forces(self, parameters: DynamicParameters) -> Floats:
        """The unit of each drive force."""
        L, g = self.length, self.gravity
        return np.array([g * L if angular else g for angular in parameters.angular])


# Links welded together are one rigid body: which they are, and which of them are frames only.

def carriers(robot: RobotModel) -> dict[str, str]:
    """For every link the link that carries it: the first of those welded together (the base's own is the base)."""
    carrier = {robot.base.name: robot.base.name}
    for joint in robot.joints:
        carrier[joint.child] = joint.child if joint.motion.dof else carrier[joint.parent]
    return carrier


def frames_only(robot: RobotModel) -> set[str]:
    """Links without mass that are welded to others: frames, whose carrier or a neighbour stands for the body.

    >>> from loadpath.robot.catalog import panda
    >>> frames_only(panda())
    {'panda_link8'}
    """
    carrier = carriers(robot)
    empty = {link.name for link in robot.links if link.inertia.is_zero}
    bodies = {carrier[link.name] for link in robot.links if link.name not in empty}
    # In a body without any mass the carrier stands for it.
    return {link for link in empty if carrier[link] in bodies or carrier[link] != link}


# Linear combinations of parameters as people write them: Izz1 + Iyy2 + 0.1865 (m3 + m4 + m5).

def combination(terms: Iterable[tuple[float, str]], digits: int = 4) -> str:
    """A sum of coefficients times names; terms with one and the same coefficient share a bracket.

    >>> combination([(1, "Izz1"), (1, "Iyy2"), (0.18645, "m3"), (0.18645, "m4"), (-1.0, "mx2")])
    'Izz1 + Iyy2 + 0.1865 (m3 + m4) - mx2'
    """
    written = [(abs(c), _number(abs(c), digits), c > 0, name) for c, name in terms]
    return bracketed((text if size != 1.0 else "", positive, name) for size, text, positive, name in written)


def bracketed(terms: Iterable[tuple[str, bool, str]]) -> str:
    """A sum of (coefficient, is it positive, name), terms of one coefficient in one bracket (none for ones)."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for coefficient, positive, name in terms:
        key = (coefficient, positive)
        groups.setdefault(key if coefficient else (name, positive), []).append(name)
    text = ""
    for (coefficient, positive), names in groups.items():
        sign = (" + " if positive else " - ") if text else ("" if positive else "-")
        bracket = names[0] if len(names) == 1 else f"({' + '.join(names)})"
        text += sign + (bracket if names == [coefficient] else f"{coefficient} {bracket}")
    return text


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}g}"


def rendered(table: RenderableType, width: int = 110) -> str:
    """What Rich prints of it, as plain text."""
    from rich.console import Console

    console = Console(width=width, no_color=True, force_terminal=False, legacy_windows=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().rstrip().splitlines())


def listed(names: Iterable[str], separator: str = ", ", most: int = 8) -> str:
    """Names in a row, not too many.

    >>> listed("abcdefghij", most=3)
    'a, b, c and 7 more'
    """
    names = list(names)
    more = len(names) - most
    return separator.join(map(printable, names[:most])) + (f" and {more} more" if more > 0 else "")
