"""A base on wheels, and mounting robots on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError, warn
from loadpath.mobile.friction import WheelFriction
from loadpath.mobile.ground import Ground
from loadpath.mobile.hull import distances_inside, hull
from loadpath.mobile.wheels import Contact
from loadpath.robot.inertia import Inertia
from loadpath.robot.numbers import Matrix3, Vector3, matrix3, name, number, vector3

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.robot.model import RobotModel

_NO_INERTIA: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class WheeledBase:
    """A rigid body on wheels and feet, three or more, not in a line.

    The base frame lies on the ground: x forward, y left, z up. `mass` (kg), `center_of_mass` (m, in the base frame) and
    `inertia` (kg m^2, 3 x 3, about the mass center, in base axes) are those of the whole body with its wheels.
    `friction` is that of all contacts that have none of their own; without any, slip cannot be asked for, and nothing
    resists rolling. Contacts without a name are called wheel1, wheel2, ... in the order given.

    >>> import loadpath as lp
    >>> cart = lp.WheeledBase(mass=40, center_of_mass=(0.2, 0, 0.3),
    ...                       wheels=[lp.CasterWheel((0.6, 0), 0.1), lp.FixedWheel((0, 0.3), 0.1),
    ...                               lp.FixedWheel((0, -0.3), 0.1)])
    >>> cart.contact_names
    ('wheel1', 'wheel2', 'wheel3')
    >>> lp.WheeledBase(mass=40, center_of_mass=(0, 0, 0.3), wheels=[lp.FixedWheel((0, y), 0.1) for y in (-1, 0, 1)])
    Traceback (most recent call last):
    loadpath.errors.ModelError: base 'rover': its contacts lie in a line, (0.0, -1.0) to (0.0, 1.0): it would fall over
    """

    mass: float
    center_of_mass: Vector3
    wheels: tuple[Contact, ...]
    inertia: Matrix3 = _NO_INERTIA
    friction: WheelFriction | None = None
    name: str = "rover"

    def __post_init__(self) -> None:
        name(self.name, "name of a base")
        called = f"base '{self.name}'"
        for part, read in (("mass", number), ("center_of_mass", vector3), ("inertia", matrix3)):
            value = read(getattr(self, part), f"{part.replace('_', ' ')} of {called}")
            object.__setattr__(self, part, value)
        if self.friction is not None and not isinstance(self.friction, WheelFriction):
            raise ModelError(f"friction of {called} is {self.friction!r}: expected a WheelFriction")
        object.__setattr__(self, "wheels", _named(called, self.wheels))
        try:
            faults = self.body.faults()
        except ModelError as problem:
            raise ModelError(f"{called}: {problem}") from None
        if faults:
            raise ModelError(f"{called}: {faults[0]}")
        self._check_support(called)
        if self.mass > 0 and self.center_of_mass[2] < 0:
            warn(f"{called}: its mass center {self.center_of_mass} lies below the ground, on which the base frame "
                 "lies: heights count from the ground")  # fmt: skip

    def _check_support(self, called: str) -> None:
        points = self.positions
        if len(points) < 3:
            raise ModelError(f"{called} has {len(points)} contacts: expected three or more, or it would fall over")
        corners = hull(points)
        if len(corners) < 3:
            ends = [tuple(points[i].tolist()) for i in corners]
            raise ModelError(f"{called}: its contacts lie in a line, {ends[0]} to {ends[-1]}: it would fall over")
        inside = distances_inside(points[corners], np.array(self.center_of_mass[:2]))
        worst = int(inside.argmin())
        if self.mass > 0 and inside[worst] < 0:
            edge = [self.contact_names[corners[k % len(corners)]] for k in (worst, worst + 1)]
            raise ModelError(f"{called}: its mass center {self.center_of_mass} lies {-inside[worst]:.4g} m outside the "
                             f"edge from '{edge[0]}' to '{edge[1]}': it cannot stand")  # fmt: skip

    @cached_property
    def contact_names(self) -> tuple[str, ...]:
        """Names of the wheels and feet."""
        return tuple(wheel.name for wheel in self.wheels)

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions (contacts, 2); of casters, those of their pivots."""
        return np.array([wheel.position for wheel in self.wheels]).reshape(-1, 2)

    @property
    def body(self) -> Inertia:
        """Mass, mass center and inertia, in the base frame."""
        return Inertia(self.mass, self.center_of_mass, self.inertia)

    def carrying(
        self,
        robot: RobotModel | None = None,
        at: Any = None,
        *,
        prefix: str | None = None,
        ground: Ground | None = None,
    ) -> Rover:
        """The base with a robot mounted on it, on level ground unless one is given; without a robot, the base alone.

        `at` is the pose of the robot's own base link in the base frame: an `lp.Pose`, a 4 x 4 matrix or a position. For
        several robots, call `carrying` of the rover again. `prefix` goes before the names of the robot's links and
        joints; without one, its own name does where names would be taken twice.

        >>> import loadpath as lp
        >>> rover = lp.catalog.lau_rover().base.carrying(lp.catalog.two_link(), at=(0.2, 0, 0.4))
        >>> rover.n, rover.robot.link_names[0]
        (2, 'rover')
        """
        from loadpath.mobile.mounting import mounted

        return mounted(self, robot, at, prefix, ground or Ground())


def _named(called: str, wheels: Sequence[Contact]) -> tuple[Contact, ...]:
    if isinstance(wheels, Contact):
        wheels = (wheels,)
    if not isinstance(wheels, Iterable):
        raise ModelError(f"wheels of {called} are {wheels!r}: expected a list of wheels and feet")
    wheels = tuple(wheels)
    for wheel in wheels:
        if not isinstance(wheel, Contact) or type(wheel) is Contact:
            raise ModelError(f"{called}: {wheel!r} among its wheels: expected FixedWheel, CasterWheel, SteeredWheel, "
                             "OmniWheel, MecanumWheel, Support or a class of your own")  # fmt: skip
    named = tuple(w if w.name else replace(w, name=f"wheel{k}") for k, w in enumerate(wheels, start=1))
    seen: set[str] = set()
    for wheel in named:
        if wheel.name in seen:
            raise ModelError(f"{called}: two contacts are named '{wheel.name}'")
        seen.add(wheel.name)
        try:
            wheel.check()
        except ModelError as problem:
            raise ModelError(f"{called}: {problem}") from None
    return named
