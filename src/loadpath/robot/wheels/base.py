"""What a base on wheels is: its body, its wheels and feet, and the checks of both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.cached import cached_property
from loadpath.converted import Converted
from loadpath.errors import ModelError, warn
from loadpath.robot.inertia import Inertia
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import Matrix3, Vector3, matrix3, name, nearest, number, vector3
from loadpath.robot.wheels.contacts import Contact
from loadpath.robot.wheels.ground import Ground, WheelFriction
from loadpath.robot.wheels.suspension import AntiRollBar
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.robot.model import RobotModel

Base = TypeVar("Base", bound="BaseModel")
_NO_INERTIA: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class BaseModel(Measured):
    """The data of a base: see `lp.WheeledBase`."""

    mass: float = field(metadata=measures("mass"))
    center_of_mass: Vector3 = field(metadata=measures("length"))
    wheels: Sequence[Contact]
    inertia: Converted[Matrix3, ArrayLike] = field(default=_NO_INERTIA, metadata=measures("moment of inertia"))  # type: ignore[arg-type]
    friction: WheelFriction | None = field(default=None, metadata=measures(WheelFriction))
    anti_roll_bars: tuple[AntiRollBar, ...] = field(default=(), metadata=measures(AntiRollBar))
    name: str = "rover"
    body_points: tuple[Vector3, ...] = field(default=(), metadata=measures("length"))
    """Points of its body, in the base frame, with which it hits the ground where it rolls over; they slide as feet do,
    with the friction of base or ground, and do not rebound."""
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
        object.__setattr__(self, "body_points", _points(called, self.body_points))
        try:
            faults = self.body.faults()
        except ModelError as problem:
            raise ModelError(f"{called}: {problem}") from None
        if faults:
            raise ModelError(f"{called}: {faults[0]}")
        if not self.on_links:  # else where its contacts are is known with the robot alone
            self._check_support(called)
        self._check_tyres(called)
        self._check_bars(called)
        if not self.on_links:
            ask_about_units(self)
        if self.mass > 0 and self.center_of_mass[2] < 0:
            warn(f"{called}: its mass center {self.center_of_mass} lies below the ground, on which the base frame "
                 "lies: heights count from the ground")

    def _check_tyres(self, called: str) -> None:
        held = [w for w in self.wheels if w.grip()]
        normal, along = [w.stiffness or w.suspension for w in self.wheels], [w.grip_stiffness for w in held]
        for part, asked, given in (("stiffness", self.wheels, normal), ("grip_stiffness", held, along)):
            known = [wheel for wheel, one in zip(asked, given, strict=True) if one is not None]
            unknown = [wheel.name for wheel, one in zip(asked, given, strict=True) if one is None]
            if known and unknown:
                has = part if getattr(known[0], part) is not None else "suspension"
                raise ModelError(f"{called}: '{known[0].name}' has a {has}, '{unknown[0]}' has none: give all contacts "
                                 "one, or none; one that is as good as rigid has a large one")
        if self.unsprung_mass > self.mass:
            raise ModelError(f"{called}: the unsprung masses of its wheels are {self.unsprung_mass:g} kg together, and "
                             f"its mass, of which they are a part, is {self.mass:g} kg: give that of the whole body")

    def _check_bars(self, called: str) -> None:
        if isinstance(self.anti_roll_bars, AntiRollBar):
            object.__setattr__(self, "anti_roll_bars", (self.anti_roll_bars,))
        object.__setattr__(self, "anti_roll_bars", tuple(self.anti_roll_bars))
        for bar in self.anti_roll_bars:
            if not isinstance(bar, AntiRollBar):
                raise ModelError(f"{called}: {bar!r} among its anti-roll bars: expected an lp.AntiRollBar")
            for side in (bar.left, bar.right):
                if side not in self.contact_names:
                    raise ModelError(f"{called}: an anti-roll bar holds '{side}'; {nearest(side, self.contact_names)}")
                if self.wheels[self.contact_names.index(side)].suspension is None:
                    raise ModelError(f"{called}: an anti-roll bar holds '{side}', which has no suspension: it would "
                                     "have nothing to bend by")

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
        """Positions (contacts, 2); of casters, those of their pivots; of wheels on links, in the frames of these."""
        return np.array([wheel.position for wheel in self.wheels]).reshape(-1, 2)

    @cached_property
    def on_links(self) -> bool:
        """Whether some of its contacts are on links of the robot that it carries."""
        return any(w.link is not None for w in self.wheels)

    @cached_property
    def on_tyres(self) -> bool:
        """Whether its contacts give way: some stiffness of theirs is given."""
        return any(w.stiffness is not None or w.grip_stiffness is not None or w.suspension is not None
                   for w in self.wheels)

    @cached_property
    def on_springs(self) -> bool:
        """Whether its contacts give way along z: their stiffness or suspension is given."""
        return all(w.stiffness is not None or w.suspension is not None for w in self.wheels)

    @property
    def unsprung_mass(self) -> float:
        """Of all suspensions together (kg): a part of its mass."""
        return sum(w.suspension.unsprung_mass for w in self.wheels if w.suspension is not None)

    @cached_property
    def on_plain_springs(self) -> bool:
        """Whether its contacts carry a stiffness times a depth, each by itself: without preload, ends of travel,
        unsprung mass and anti-roll bars.
        """
        parts = ("preload", "bump_travel", "rebound_travel", "unsprung_mass")
        springs = [w.suspension for w in self.wheels if w.suspension is not None]
        return not self.anti_roll_bars and not any(getattr(spring, part) for spring in springs for part in parts)

    @property
    def body(self) -> Inertia:
        """Mass, mass center and inertia, in the base frame."""
        return Inertia(self.mass, self.center_of_mass, self.inertia)

    @property
    def rigid(self) -> Self:
        """The base on contacts that do not give way, and share their loads as they did: within the travel of their
        suspensions, and without what preload, unsprung masses and anti-roll bars do to the shares, of which a warning
        says so.
        """
        if not self.on_tyres:
            return self
        if not self.on_plain_springs and len(self.wheels) > 3:
            warn(f"base '{self.name}' on rigid contacts: they share its load by their stiffness alone, without "
                 "preload, ends of travel, unsprung masses and anti-roll bars")
        wheels = tuple(
            replace(w, stiffness=None, suspension=None, grip_stiffness=None, damping=None, compliance=w.yielding,
                    grip_compliance=w.grip_yielding)
            for w in self.wheels
        )
        return replace(self, wheels=wheels, anti_roll_bars=())


def _points(called: str, points: object) -> tuple[Vector3, ...]:
    """The points of a body, each above the ground that the base stands on."""
    if not isinstance(points, Iterable) or isinstance(points, str):
        raise ModelError(f"body points of {called} are {points!r}: expected a list of points (x, y, z)")
    read = tuple(vector3(point, f"body point {k} of {called}") for k, point in enumerate(points, start=1))
    for k, point in enumerate(read, start=1):
        if point[2] <= 0:
            raise ModelError(f"body point {k} of {called} is {point}: expected one above the ground (z > 0) on which "
                             "the base stands; what it stands on is a Support among its wheels")
    return read


def under_body(base: Base, body: Inertia) -> Base:
    """The same wheels under another body."""
    if body == base.body:
        return base
    return replace(base, mass=body.mass, center_of_mass=body.center_of_mass, inertia=body.tensor)


def standing(robot: RobotModel) -> dict[str, object]:
    """What follows of a robot's base on wheels: the first link is its body, and gravity that of the ground."""
    base, ground = robot.wheeled_base, Ground() if robot.ground is None else robot.ground
    if not isinstance(base, BaseModel) or not isinstance(ground, Ground):
        wrong, expected = (ground, "ground, an lp.Ground") if isinstance(base, BaseModel) else (base, "lp.WheeledBase")
        raise ModelError(f"robot '{robot.name}' stands on {wrong!r}: expected a {expected}")
    _check_links(base, robot)
    links = (replace(robot.links[0], inertia=base.body), *robot.links[1:])
    return {"links": links, "ground": ground, "gravity": tuple(ground.gravity_in_base().tolist())}


def _check_links(base: BaseModel, robot: RobotModel) -> None:
    """Refuse contacts on links that the robot has not."""
    names = [link.name for link in robot.links]
    for wheel in base.wheels:
        if wheel.link == names[0]:
            raise ModelError(f"base '{base.name}': {wheel.kind} '{wheel.name}' is on link '{wheel.link}', which is the "
                             "base itself: leave link out")
        if wheel.link is not None and wheel.link not in names:
            known = nearest(wheel.link, names[1:], "there are") if names[1:] else "; it carries no robot"
            raise ModelError(f"base '{base.name}': {wheel.kind} '{wheel.name}' is on link '{wheel.link}', which no "
                             f"robot on the base has (of several, the one with the wheels is carried first){known}")


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
    each = (w if w.name else replace(w, name=f"wheel{k}") for k, w in enumerate(wheels, start=1))
    named = tuple(piece for wheel in each for piece in wheel.pieces())
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


# The support polygon: the convex hull of the points where a base touches the ground.


# Points nearer to an edge than this part of the polygon's size lie on it.
_FLAT = 1e-9


def hull(points: Floats) -> list[int]:
    """Numbers of the points at the corners of the convex hull, counterclockwise; fewer than three if there is none.

    >>> hull(np.array([(0, 0), (1, 0), (0.5, 0.2), (1, 1), (0, 1)], dtype=float))
    [0, 1, 3, 4]
    """
    size = float(np.ptp(points, axis=0).max(initial=0.0))
    order = sorted(range(len(points)), key=lambda i: (points[i, 0], points[i, 1]))

    def chain(numbers: Sequence[int]) -> list[int]:
        kept: list[int] = []
        for i in numbers:
            while len(kept) > 1 and _left_of(points[kept[-2]], points[kept[-1]], points[i]) <= _FLAT * size * size:
                kept.pop()
            kept.append(i)
        return kept

    lower, upper = chain(order), chain(order[::-1])
    corners = list(dict.fromkeys(lower[:-1] + upper[:-1]))
    if len(corners) < 3:
        return corners
    first = corners.index(min(corners))
    return corners[first:] + corners[:first]


def _left_of(a: Floats, b: Floats, c: Floats) -> float:
    """Twice the area of the triangle a, b, c: positive if c is left of the line from a to b."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def distances_inside(corners: Floats, points: Floats) -> Floats:
    """Distance (..., edges) of points (..., 2) to the edges from each corner (counterclockwise) to the next, positive
    inside.

    >>> distances_inside(np.array([(0, 0), (1, 0), (0, 1.0)]), np.array([0.25, 0.1])).round(3).tolist()
    [0.1, 0.46, 0.25]
    """
    along = np.roll(corners, -1, axis=-2) - corners
    along = along / np.linalg.norm(along, axis=-1, keepdims=True)
    x, y = points[..., None, 0] - corners[..., 0], points[..., None, 1] - corners[..., 1]
    inside: Floats = along[..., 0] * y - along[..., 1] * x
    return inside


# Questions about the units of a base: numbers that no vehicle has in metres and kilograms.


FAR = 10.0
"""Times the distance of the farthest contacts from each other: no mass center is so far outside them."""
HIGH = 20.0
"""The same for its height."""
WHEEL = 3.0
"""The same for the radius of a wheel."""
LARGEST_WHEEL = 10.0
"""m; the wheels of the largest dump trucks have 2 m."""
LARGEST_BASE = 200.0
"""m; the crawlers of the largest excavator stand 50 m apart."""
HEAVIEST = 22600.0
"""kg/m^3: osmium. No body has so much mass in a cube as large as its track."""

SUNK = 0.25
"""The same for how far a base sinks in on its tyres; that of a car does by a tenth, from its unloaded springs."""


def extent_of(points: Floats) -> float:
    """The largest distance of two contacts (m)."""
    return float(np.linalg.norm(points[:, None] - points[None], axis=-1).max(initial=0.0))


def ask_about_units(base: BaseModel) -> None:
    """One question for everything that would fit other units, in a warning; the numbers stay."""
    extent, height = extent_of(base.positions), abs(base.center_of_mass[2])
    questions = []
    if extent > LARGEST_BASE:
        questions.append(f"its contacts lie up to {extent:.4g} m apart: are they in millimetres?")
    for wheel in base.wheels:
        radius = getattr(wheel, "radius", 0.0)
        if radius > LARGEST_WHEEL or radius > WHEEL * extent:
            questions.append(f"the radius of '{wheel.name}' is {radius:.4g} m, the contacts lie up to {extent:.4g} m "
                             "apart: is it in millimetres?")
            break
    if base.mass > 0 and height > HIGH * extent:
        questions.append(f"its mass center lies {height:.4g} m high, the contacts up to {extent:.4g} m apart: is it in "
                         "millimetres?")
    elif base.mass > HEAVIEST * max(extent, 2 * height) ** 3:
        questions.append(f"its mass is {base.mass:.4g} kg, the contacts lie up to {extent:.4g} m apart: is it in "
                         "grams?")
    stiffness = sum(0.0 if w.stiffness is None and w.suspension is None else 1.0 / w.yielding for w in base.wheels)
    if any(w.suspension is not None and w.suspension.preload for w in base.wheels):
        stiffness = 0.0  # which holds the base up
    if stiffness and 9.81 * base.mass > SUNK * extent * stiffness:
        sunk = 9.81 * base.mass / stiffness
        questions.append(f"on its tyres, {stiffness:.4g} N/m in all, its own weight sinks it in by {sunk:.4g} m, the "
                         f"contacts lie up to {extent:.4g} m apart: is their stiffness in N/mm?")
    if questions:
        warn(f"base '{base.name}': {'; '.join(questions)}")


def ask_about_mount(base: str, positions: Floats, robot: str, at: Sequence[float]) -> None:
    """Ask whether the place of a robot on a base is in millimetres, where it is far beyond the base's own size."""
    distance, extent = math.hypot(*at), extent_of(positions)
    if distance > HIGH * extent:
        warn(f"base '{base}': robot '{robot}' is mounted {distance:.4g} m from the origin of the base frame, the "
             f"contacts lie up to {extent:.4g} m apart: is it in millimetres?")
