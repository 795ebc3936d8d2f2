"""Constants of a robot that become arguments of an exported function: gravity, and masses of links.

A formulation reads its constants from the mechanism and takes any scalars there, so an argument is put in their place
before tracing. A link of another mass keeps its mass center and its inertia per kilogram.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from loadpath.engine.program import Operand
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.robot.edit import with_inertias
from loadpath.robot.inertia import Inertia
from loadpath.robot.mechanism import BASE, BaseInertia, Body, Frame, Mechanism
from loadpath.robot.model import RobotModel
from loadpath.scalars import Array, Scalar, array, point_tensor, scale

R = TypeVar("R", bound=RobotModel)
_MASS = ".mass"
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Gravity:
    """Gravity as an argument: a vector in world axes (m/s^2)."""

    key: str = "gravity"

    @property
    def operand(self) -> Operand:
        """The argument."""
        return Operand("gravity", (3,))

    @property
    def description(self) -> str:
        """For the heading of an export."""
        return "gravity in world axes (m/s^2)"

    def put_into(self, mechanism: Mechanism, value: Array) -> Mechanism:
        """The mechanism with the argument in the constant's place."""
        return replace(mechanism, gravity=mechanism.base.rotation @ value)


@dataclass(frozen=True)
class LinkMass:
    """The mass of a link as an argument (kg)."""

    link: str
    inertia: Inertia
    """As it is in the robot that is traced; the mass is not zero."""

    @property
    def key(self) -> str:
        """The name by which it is asked for."""
        return self.link + _MASS

    @property
    def operand(self) -> Operand:
        """The argument."""
        return Operand(re.sub(r"\W", "_", f"{self.link}_mass", flags=re.ASCII), ())

    @property
    def description(self) -> str:
        """For the heading of an export."""
        return (f"mass of the link '{self.link}' (kg) with its mass center where it is and its inertia in proportion; "
                f"{self.inertia.mass:g} in the robot")

    def put_into(self, mechanism: Mechanism, value: Scalar) -> Mechanism:
        """The mechanism with the argument in the constant's place."""
        frame = mechanism.link_frames[self.link]
        share = self._per_kilogram(frame)
        if frame.body == BASE:
            return replace(mechanism, base_inertia=self._changed(mechanism.base_inertia, share, value))
        bodies = list(mechanism.bodies)
        bodies[frame.body] = self._changed(bodies[frame.body], share, value)
        return replace(mechanism, bodies=tuple(bodies))

    def _per_kilogram(self, frame: Frame) -> tuple[Array, Array]:
        """First moment and inertia tensor of one kilogram, about the body's origin in its axes."""
        center = frame.origin + frame.rotation @ array(self.inertia.center_of_mass)
        tensor = frame.rotation.tensor(array((np.array(self.inertia.tensor) / self.inertia.mass).tolist()))
        return center, tensor + point_tensor(1.0, center)

    def _changed(self, body: Any, share: tuple[Array, Array], value: Scalar) -> Any:
        """A body, or the base, with another mass of this link.

        Where the body is this link alone, its inertia is the argument times that of one kilogram. Where others were
        regrouped with it, the difference from its own mass is added.
        """
        own: Body | BaseInertia = body
        given = [array([own.mass]), own.moment, own.inertia]
        parts = [array([1.0]), *share]
        mass = self.inertia.mass
        if all(_equal(whole, scale(mass, part)) for whole, part in zip(given, parts, strict=True)):
            made = [scale(value, _clean(part)) for part in parts]
        else:
            made = [whole + scale(value - mass, _clean(part)) for whole, part in zip(given, parts, strict=True)]
        return replace(body, mass=made[0][0], moment=made[1], inertia=made[2])


Parameter = Gravity | LinkMass


def read_parameters(robot: R, keys: Sequence[str], title: str) -> tuple[R, tuple[Parameter, ...]]:
    """The constants by their keys, and the robot to be traced: a link without mass has one kilogram there.

    >>> import loadpath as lp
    >>> loaded = lp.catalog.panda().with_payload(2.0)
    >>> _, (mass, gravity) = read_parameters(loaded, ["payload.mass", "gravity"], "joint_wrenches")
    >>> mass.operand, gravity.operand
    (Operand(name='payload_mass', shape=()), Operand(name='gravity', shape=(3,)))
    """
    if isinstance(keys, str):
        raise ValueError(f"{title}: 'parameters' is {keys!r}: expected several names")
    if len(set(keys)) < len(keys):
        raise ValueError(f"{title}: 'parameters' names a constant twice: {', '.join(keys)}")
    known = ["gravity", *(link + _MASS for link in robot.link_names)]
    found: list[Parameter] = []
    for key in keys:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, n=1)
            hint = f"did you mean '{close[0]}'? " if close else ""
            raise ValueError(f"{title}: no parameter {key!r}; {hint}there are 'gravity' and the mass of each link, "
                             f"like '{known[-1]}'; with_payload puts a link 'payload' on")
        if key == "gravity":
            found.append(Gravity())
            continue
        link = key.removesuffix(_MASS)
        inertia = robot.link(link).inertia
        if inertia.mass == 0:
            if np.any(inertia.tensor):
                raise ValueError(f"{title}: '{key}' cannot be an argument: link '{link}' has inertia without mass, so "
                                 "none in proportion to it")
            inertia = Inertia(1.0, inertia.center_of_mass)
            robot = with_inertias(robot, {link: inertia})
        found.append(LinkMass(link, inertia))
    names = [parameter.operand.name for parameter in found]
    if len(set(names)) < len(names):
        raise ValueError(f"{title}: parameters {', '.join(keys)} would all be called '{names[0]}'")
    return robot, tuple(found)


def with_arguments(mechanism: Any, values: Mapping[Parameter, Any], title: str) -> Mechanism:
    """A mechanism with arguments in place of constants."""
    if values and type(mechanism) not in (Mechanism, ClosedMechanism):
        keys = ", ".join(parameter.key for parameter in values)
        raise ValueError(f"{title}: its equations read more than a rigid robot has (beams, or wheels), which would not "
                         f"change with {keys}: export it without parameters")
    for parameter, value in values.items():
        mechanism = parameter.put_into(mechanism, value)
    made: Mechanism = mechanism
    return made


def _equal(a: Array, b: Array) -> bool:
    numbers = a.astype(float)
    return bool(np.abs(numbers - b.astype(float)).max() <= _ROUNDING * np.abs(numbers).max())


def _clean(values: Array) -> Array:
    """Entries that are only rounding, compared with the largest, made zero."""
    numbers = values.astype(float)
    kept = np.where(np.abs(numbers) <= _ROUNDING * np.abs(numbers).max(initial=0.0), 0.0, numbers)
    return array(kept.tolist())
