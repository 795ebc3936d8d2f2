"""A package that adds to loadpath: its entry points are in the `pyproject.toml` beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import pi
from typing import Any, ClassVar

import typer

import loadpath as lp
from loadpath.cli.options import RobotName
from loadpath.cli.robots import find
from loadpath.files.contract import ReadRobot, Written
from loadpath.files.formats import Format
from loadpath.mobile import FORWARD, LEFT, Wheel
from loadpath.robot.measures import measures
from loadpath.scalars import cross, scale, turn_about, vector, zeros
from loadpath.structure import Shape

# A part


@dataclass(frozen=True)
class ShearPin(lp.Part):
    """Breaks at so much radial force."""

    strength: float = field(metadata=measures("force"))
    name: str = ""
    kind: ClassVar[str] = "shear pin"

    def examiner(self, place: lp.Place) -> ShearPinExaminer:
        return ShearPinExaminer(self)


class ShearPinExaminer:
    def __init__(self, pin: ShearPin) -> None:
        self.pin, self.most, self.at = pin, 0.0, None

    def add(self, loads: lp.JointLoads) -> None:
        k = int(loads.radial_force.argmax())
        if loads.radial_force[k] > self.most:
            self.most, self.at = loads.radial_force[k], lp.Instant(loads.motion, loads.first + k, loads.t[k])

    def checks(self, required_hours: float | None) -> list[lp.Check]:
        return [lp.Check("shear", self.most, self.pin.strength, "N", self.most / self.pin.strength, self.at)]


# A section


@dataclass(frozen=True)
class Ellipse(Shape):
    """A solid ellipse with the half axes a along y and b along z."""

    a: float = field(metadata=measures("length"))
    b: float = field(metadata=measures("length"))

    @property
    def area(self) -> float:
        return pi * self.a * self.b

    @property
    def second_moment_y(self) -> float:
        return self.area * self.b**2 / 4

    @property
    def second_moment_z(self) -> float:
        return self.area * self.a**2 / 4

    @property
    def torsion_constant(self) -> float:
        return pi * self.a**3 * self.b**3 / (self.a**2 + self.b**2)

    @property
    def torsion_modulus(self) -> float:
        return pi * self.a * self.b**2 / 2

    @property
    def extremes(self) -> tuple[float, float]:
        return self.a, self.b

    @property
    def shear_peaks(self) -> tuple[float, float]:
        return 4 / 3, 4 / 3

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        return 0.9, 0.9


# A wheel


@dataclass(frozen=True, kw_only=True)
class BallWheel(Wheel):
    """Rolls any way."""

    kind: ClassVar[str] = "ball wheel"

    def grip(self) -> tuple[Any, ...]:
        return ()

    def resistance(self) -> tuple[Any, ...]:
        return ((FORWARD, LEFT),)


# A robot, with a joint of its own


@dataclass(frozen=True)
class Rolling(lp.JointType):
    """A wheel that rolls along x of the parent: q is its angle about y."""

    radius: float
    dof: ClassVar[int] = 1
    angular: ClassVar[tuple[bool, ...]] = (True,)

    def placement(self, q: Any) -> Any:
        return turn_about((0, 1, 0), q[0]), vector(self.radius * q[0], 0.0, 0.0)

    def subspace(self, q: Any) -> Any:
        return [(vector(0.0, 1.0, 0.0), turn_about((0, 1, 0), q[0]).T @ vector(self.radius, 0.0, 0.0))]

    def subspace_rate(self, q: Any, qd: Any) -> Any:
        along = turn_about((0, 1, 0), q[0]).T @ vector(self.radius, 0.0, 0.0)
        return [(zeros(3), scale(qd[0], cross(along, vector(0.0, 1.0, 0.0))))]


def rack(size: int = 15) -> lp.Robot:
    """A disc of 2 kg, of so many centimeters, on a rack."""
    if size == 0:
        raise ZeroDivisionError("a wheel of no size")
    disc = lp.Inertia.from_moments(2.0, (0.03, 0, 0), ixx=0.01, iyy=0.02, izz=0.01)
    roll = lp.Joint("roll", "rack", "wheel", Rolling(size / 100))
    return lp.Robot("rack", (lp.Link("rack"), lp.Link("wheel", disc)), (roll,))


# A format: JSON with the lengths of the links of a plane arm, each of 1 kg


def read_rods(text: str | bytes, source: str, strict: bool, assets: object) -> ReadRobot:
    said = json.loads(text)
    return ReadRobot(lp.catalog.planar(said["rods"], length=said["length"]))


def write_rods(robot: lp.Robot) -> Written:
    return Written(json.dumps({"rods": robot.n, "length": 1.0}), ("masses: rods have 1 kg",))


RODS = Format("Rods", (".rods",), "", f"{__name__}.read_rods", f"{__name__}.write_rods")


# A command


def weigh(robot: RobotName, grams: bool = False) -> None:
    """Print the mass of a robot."""
    mass = sum(link.inertia.mass for link in find(robot).robot.links)
    if mass < 0:
        raise KeyError("mass")
    typer.echo(f"{1000 * mass:g} g" if grams else f"{mass:g} kg")
