"""What a base on wheels is: its body, its wheels and feet, and the checks of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.errors import ModelError, warn
from loadpath.robot.inertia import Inertia
from loadpath.robot.measures import measures
from loadpath.robot.numbers import Matrix3, Vector3, matrix3, name, number, vector3
from loadpath.robot.wheels.contacts import Contact
from loadpath.robot.wheels.friction import WheelFriction
from loadpath.robot.wheels.ground import Ground
from loadpath.robot.wheels.hull import distances_inside, hull
from loadpath.robot.wheels.units import FAR, ask_about_units, extent_of

if TYPE_CHECKING:
    from loadpath.robot.model import RobotModel

_NO_INERTIA: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class BaseModel:
    """The data of a base: see `lp.WheeledBase`."""

    mass: float = field(metadata=measures("mass"))
    center_of_mass: Vector3 = field(metadata=measures("length"))
    wheels: tuple[Contact, ...]
    inertia: Matrix3 = field(default=_NO_INERTIA, metadata=measures("moment of inertia"))
    friction: WheelFriction | None = field(default=None, metadata=measures(WheelFriction))
    name: str = "rover"
    guess: bool = field(default=False, compare=False, repr=False)
    """Whether mass, mass center, inertia, friction and wheels are guesses: a verdict says so."""

    def __post_init__(self) -> None:
        if not isinstance(self.guess, bool):
            raise ModelError(f"guess of base '{self.name}' is {self.guess!r}: expected True or False")
        name(self.name, "name of a base")
        called = f"base '{self.name}'"
        if self.inertia is None:  # as in with_payload: left out
            object.__setattr__(self, "inertia", _NO_INERTIA)
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
        self._check_tyres(called)
        ask_about_units(self)
        if self.mass > 0 and self.center_of_mass[2] < 0:
            warn(f"{called}: its mass center {self.center_of_mass} lies below the ground, on which the base frame "
                 "lies: heights count from the ground")

    def _check_tyres(self, called: str) -> None:
        for part, asked in (("stiffness", self.wheels), ("grip_stiffness", [w for w in self.wheels if w.grip()])):
            known = [wheel.name for wheel in asked if getattr(wheel, part) is not None]
            unknown = [wheel.name for wheel in asked if getattr(wheel, part) is None]
            if known and unknown:
                raise ModelError(f"{called}: '{known[0]}' has a {part}, '{unknown[0]}' has none: give all contacts "
                                 "one, or none; one that is as good as rigid has a large one")

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
            far = inside[worst] < -FAR * extent_of(points)
            raise ModelError(f"{called}: its mass center {self.center_of_mass} lies {-inside[worst]:.4g} m outside the "
                             f"edge from '{edge[0]}' to '{edge[1]}': it cannot stand"
                             f"{'; is it in millimetres?' if far else ''}")

    @cached_property
    def contact_names(self) -> tuple[str, ...]:
        """Names of the wheels and feet."""
        return tuple(wheel.name for wheel in self.wheels)

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions (contacts, 2); of casters, those of their pivots."""
        return np.array([wheel.position for wheel in self.wheels]).reshape(-1, 2)

    @cached_property
    def on_tyres(self) -> bool:
        """Whether its contacts give way: some stiffness of theirs is given."""
        return any(w.stiffness is not None or w.grip_stiffness is not None for w in self.wheels)

    @property
    def body(self) -> Inertia:
        """Mass, mass center and inertia, in the base frame."""
        return Inertia(self.mass, self.center_of_mass, self.inertia)

    @property
    def rigid(self) -> Self:
        """The base on contacts that do not give way, and share their loads as they did."""
        if not self.on_tyres:
            return self
        wheels = tuple(
            replace(w, stiffness=None, grip_stiffness=None, compliance=w.yielding, grip_compliance=w.grip_yielding)
            for w in self.wheels
        )
        return replace(self, wheels=wheels)


def standing(robot: RobotModel) -> dict[str, object]:
    """What follows of a robot's base on wheels: its body is the first link, and gravity that of the ground."""
    base, ground = robot.wheeled_base, Ground() if robot.ground is None else robot.ground
    if not isinstance(base, BaseModel) or not isinstance(ground, Ground):
        wrong, expected = (ground, "ground, an lp.Ground") if isinstance(base, BaseModel) else (base, "lp.WheeledBase")
        raise ModelError(f"robot '{robot.name}' stands on {wrong!r}: expected a {expected}")
    body = robot.links[0].inertia
    if body != base.body:
        base = replace(base, mass=body.mass, center_of_mass=body.center_of_mass, inertia=body.tensor)
    return {"wheeled_base": base, "ground": ground, "gravity": tuple(ground.gravity_in_base().tolist())}


def _named(called: str, wheels: Sequence[Contact]) -> tuple[Contact, ...]:
    if isinstance(wheels, Contact):
        wheels = (wheels,)
    if not isinstance(wheels, Iterable):
        raise ModelError(f"wheels of {called} are {wheels!r}: expected a list of wheels and feet")
    wheels = tuple(wheels)
    for wheel in wheels:
        if not isinstance(wheel, Contact) or type(wheel) is Contact:
            raise ModelError(f"{called}: {wheel!r} among its wheels: expected FixedWheel, CasterWheel, SteeredWheel, "
                             "OmniWheel, MecanumWheel, Support or a class of your own")
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
