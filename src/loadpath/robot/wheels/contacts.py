"""What a base stands on: wheels and feet, each a frozen dataclass that says everything about itself.

All positions and directions are in the base frame: on the ground, x forward, y left, z up; of a wheel on a `link` of
the robot that the base carries (a trailer, a rocker) in the frame of that link. A wheel that rolls forward turns about
its axle, which points to the left of its rolling direction.

A contact says what it holds and what it rolls along in rows over its own axes, forward and left, and its rate b:

    slip = along (v . forward) + across (v . left) + spin b,

v being the velocity of its `position` over the ground. A force f along a row acts on the base with f (along forward +
across left) at `position`, and turns the wheel about its axle with the torque spin f.

- `grip()`: rows that static friction holds at zero, by forces within the friction circle. At most one of them turns
  the wheel (`traction`): a drive pushes along it.
- `resistance()`: rows along which it rolls or its rollers turn, each group against a force mu_r N.

So the torques of a wheel with the drive torque tau are J db/dt = tau + sum of spin f over all of its rows: with the
rows of a slanting roller this is R f cos a = mu_r N R + ..., and it is written nowhere else. No other code asks for the
class of a wheel: a new one is a subclass of `Contact` or `Wheel` that has these two methods.

>>> @dataclass(frozen=True, kw_only=True)
... class BallWheel(Wheel):                                   # rolls any way, against rolling resistance
...     kind: ClassVar[str] = "ball wheel"
...     def grip(self) -> tuple[Row, ...]:
...         return ()
...     def resistance(self) -> tuple[tuple[Row, ...], ...]:
...         return ((FORWARD, LEFT),)
>>> BallWheel((0.3, 0), 0.05).traction() is None
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from loadpath.errors import ModelError, warn
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number, numbers
from loadpath.robot.wheels.drives import WheelDrive
from loadpath.robot.wheels.ground import WheelFriction
from loadpath.robot.wheels.suspension import Suspension
from loadpath.scalars import Scalar, sign, sqrt


class Row(NamedTuple):
    """A direction of slip, in the axes of a contact: along (v . forward) + across (v . left) + spin b."""

    along: float
    across: float
    spin: float = 0.0
    """Of the wheel's rate b (m)."""

    def while_rolling(self, traction: Row) -> Row:
        """The same row with the rate put in at which the traction does not slip."""
        by = self.spin / traction.spin
        return Row(self.along - by * traction.along, self.across - by * traction.across)

    @property
    def on_ground(self) -> bool:
        """Whether its force acts between wheel and ground; else it is a torque inside the wheel, as of a bearing."""
        return bool(self.along or self.across)


FORWARD, LEFT = Row(1.0, 0.0), Row(0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Contact(Measured):
    """A point on the ground that carries: `position` (x, y) in m.

    `compliance` (m/N) is how much it gives under load: with more than three contacts it decides how they share the
    weight. `grip_compliance` (m/N) does the same for the forces in the plane. Only ratios between contacts count, so
    that equal contacts need none. `friction` overrides that of ground and base.

    `stiffness` (N/m) instead of `compliance` says how stiff tyre and suspension are in truth: the base then sinks in,
    pitches and rolls under its loads (`loadpath.mobile.tyres`). `grip_stiffness` (N/m) instead of `grip_compliance`
    does the same in the plane, along what the contact holds. All contacts of a base have it, or none.

    For motion in time: `damping` (N s/m) of the tyre, beside its `stiffness`, in proportion to the rate at which it is
    pressed in (0: none; None: not known). `restitution` (0 to 1) of a rigid contact that hits the ground: the share of
    its normal velocity with which it leaves again (Newton's law of impact).

    `suspension` is what lies between its hub and the base, an `lp.Suspension`; `stiffness` is then that of the tyre
    alone, below the hub and in series with it, and a contact without one has a rigid tyre.

    `link` is the name of the link that it is on: of a trailer behind its hitch, of a rocker or bogie; None: the base.
    `position` and directions are then in the frame of that link, whose z axis stands upright where the robot's joints
    are at home (`robot.home`); there the contact touches the ground on which the base stands. The joints between base
    and link are passive, but for those that have a drive (`robot.with_drives`): see docs/mobile.md.
    """

    position: tuple[float, float] = field(kw_only=False, metadata=measures("length"))
    name: str = ""
    friction: WheelFriction | None = field(default=None, metadata=measures(WheelFriction))
    compliance: float = field(default=1.0, metadata=measures("plain number"))
    grip_compliance: float = field(default=1.0, metadata=measures("plain number"))
    stiffness: float | None = field(default=None, metadata=measures("stiffness"))
    grip_stiffness: float | None = field(default=None, metadata=measures("stiffness"))
    damping: float | None = field(default=None, metadata=measures("damping of a slide"))
    restitution: float = field(default=0.0, metadata=measures("share"))
    suspension: Suspension | None = field(default=None, metadata=measures(Suspension))
    link: str | None = None

    kind: ClassVar[str] = "contact"
    steerable: ClassVar[bool] = False
    """Whether its axes turn against the base by a steering angle; else they have the angle `direction` for good."""
    steered_by_drive: ClassVar[bool] = False
    """Whether a drive gives that angle; else the wheel turns by itself."""
    direction: ClassVar[float] = 0.0
    driven: ClassVar[bool] = False
    """Whether a motor or brake gives whatever force a motion asks for along `traction`."""
    spin_inertia: ClassVar[float] = 0.0
    drive: ClassVar[WheelDrive | None] = None
    """Motor, gear and brake of its axle, with their limits."""
    steering_drive: ClassVar[WheelDrive | None] = None
    patch_radius: ClassVar[float] = 0.0
    """Of the round patch of ground that it turns on when it is steered (m)."""
    track: ClassVar[str] = ""
    """Name of the track that it is a piece of: all of its pieces have one rate."""
    trail: ClassVar[float] = 0.0
    """How far the point that touches the ground lies behind `position`, against the rolling direction (m)."""

    def __post_init__(self) -> None:
        x, y = numbers(self.position, f"position of {self._called}", 2)
        object.__setattr__(self, "position", (x, y))
        if not isinstance(self.name, str):
            raise ModelError(f"name of a {self.kind} is {self.name!r}: expected text")
        if self.friction is not None and not isinstance(self.friction, WheelFriction):
            raise ModelError(f"friction of {self._called} is {self.friction!r}: expected a WheelFriction")
        for part in ("compliance", "grip_compliance"):
            self._set(part)
            if getattr(self, part) <= 0:
                raise ModelError(f"{part} of {self._called} is {getattr(self, part)}: expected more than zero")
        for part, instead in (("stiffness", "compliance"), ("grip_stiffness", "grip_compliance")):
            if getattr(self, part) is None:
                continue
            if not 0 < self._set(part) < math.inf:
                raise ModelError(f"{part} of {self._called} is {getattr(self, part)}: expected more than zero (N/m); "
                                 "leave it out at all contacts where they are rigid")
            if getattr(self, instead) != 1.0:
                raise ModelError(f"{self._called} has a {part} of {getattr(self, part):g} N/m and a {instead} of "
                                 f"{getattr(self, instead):g}: give one of them")
        if self.suspension is not None and not isinstance(self.suspension, Suspension):
            raise ModelError(f"suspension of {self._called} is {self.suspension!r}: expected an lp.Suspension")
        if self.suspension is not None and self.compliance != 1.0:
            raise ModelError(f"{self._called} has a suspension and a compliance of {self.compliance:g}: give one of "
                             "them")
        if self.link is not None and (not isinstance(self.link, str) or not self.link):
            raise ModelError(f"link of {self._called} is {self.link!r}: expected the name of a link of the robot on "
                             "the base, or None for the base itself")
        self._check_impact()

    def _check_impact(self) -> None:
        """Numbers of what happens in time."""
        if self.damping is not None:
            if not 0 <= self._set("damping") < math.inf:
                raise ModelError(f"damping of {self._called} is {self.damping}: expected zero or more (N s/m)")
            if self.stiffness is None:
                raise ModelError(f"{self._called} has a damping of {self.damping:g} N s/m and no stiffness: a rigid "
                                 "contact has none; give the stiffness of its tyre, too")
        if not 0 <= self._set("restitution") <= 1:
            raise ModelError(f"restitution of {self._called} is {self.restitution}: expected 0 (it stays on the ground "
                             "that it hits) to 1 (it leaves it as fast as it came)")
        if self.restitution and self.stiffness is not None:
            raise ModelError(f"{self._called} has a restitution of {self.restitution:g} and a stiffness of "
                             f"{self.stiffness:g} N/m: on its spring it rebounds by itself; give its damping instead")

    # What a class says about itself

    def grip(self) -> tuple[Row, ...]:
        """Rows that friction holds: none, one, or two at right angles, as unit vectors in the plane."""
        raise NotImplementedError

    def resistance(self) -> tuple[tuple[Row, ...], ...]:
        """Groups of one or two rows along which it rolls, each against mu_r N in all."""
        raise NotImplementedError

    def rolls_by(self) -> Row | None:
        """The row that is zero while it rolls, which ties its rate to the motion of the base; None without a rate."""
        return self.traction()

    def scrubs_along(self) -> tuple[Row, ...]:
        """Rows that are zero only where it can roll as the base moves: what it holds, but for its traction."""
        return self.held()

    def aligned(self, vx: Scalar, vy: Scalar) -> tuple[Scalar, Scalar]:
        """Cosine and sine of the angle to which it turns by itself, or is best steered, for a velocity at `position`.
        Over scalars, like `contact_point` and `swivel_rate`.
        """
        return math.cos(self.direction), math.sin(self.direction)

    def contact_point(self, c: Scalar, s: Scalar) -> tuple[Scalar, Scalar]:
        """Where it touches the ground at an angle of that cosine and sine."""
        x, y = self.position
        return x, y

    @property
    def swivels(self) -> bool:
        """Whether its angle has a rate of its own that follows from the motion: `swivel_rate`."""
        return False

    def swivel_rate(self, across: Scalar, w: Scalar) -> Scalar:
        """Rate of its angle against the base, for a velocity to its left and a rate of turn of the base."""
        return 0.0 * across

    def pieces(self) -> tuple[Contact, ...]:
        """The contacts that stand for it on a base: itself, or several of a track."""
        return (self,)

    # What follows from that

    @property
    def yielding(self) -> float:
        """How much it gives per newton of normal force (m/N), in truth or in proportion to other contacts; of a
        suspension, within its travel.
        """
        if self.suspension is None:
            return self.compliance if self.stiffness is None else 1.0 / self.stiffness
        return 1.0 / self.suspension.stiffness + (0.0 if self.stiffness is None else 1.0 / self.stiffness)

    @property
    def grip_yielding(self) -> float:
        """The same of forces in the plane."""
        return self.grip_compliance if self.grip_stiffness is None else 1.0 / self.grip_stiffness

    @property
    def axle_inertia(self) -> float:
        """What resists the angular acceleration of its axle (kg m^2): the wheel, and the rotor by its ratio squared."""
        return self.spin_inertia + (0.0 if self.drive is None else self.drive.felt_inertia)

    @property
    def momentum_inertia(self) -> float:
        """Angular momentum along its axle per unit of its rate (kg m^2): the wheel, and the rotor by its ratio. That of
        a rotor on an axle that can be steered is left out.
        """
        return self.spin_inertia + (0.0 if self.drive is None or self.steerable else self.drive.momentum_inertia)

    def scrub_torque(self, friction: Scalar, normal: Scalar) -> Scalar:
        """Torque (N m) about the vertical that turns it on the spot under a normal force: 2/3 mu N r, the moment of
        friction over a round patch of even pressure. A rigid tread needs as much while it rolls (rolling moves no point
        of the patch over the ground); a soft one less.
        """
        return (2.0 / 3.0 * friction * self.patch_radius) * normal

    def traction(self) -> Row | None:
        """The row along which its drive pushes."""
        return next((row for row in self.grip() if row.spin), None)

    def held(self) -> tuple[Row, ...]:
        """The rows of its grip that do not turn the wheel."""
        return tuple(row for row in self.grip() if not row.spin)

    def check(self) -> None:
        """Refuse a class that does not say what is asked of it, or says what cannot be."""
        for method in ("grip", "resistance"):
            if getattr(type(self), method) is getattr(Contact, method):
                raise ModelError(f"{self._called} is a {type(self).__name__}, whose class has no method '{method}': a "
                                 "contact must say which rows it grips and which resist its rolling, see "
                                 "loadpath.robot.wheels.contacts")
        grip = self.grip()
        square = [sum(a[k] * b[k] for k in (0, 1)) for i, a in enumerate(grip) for b in grip[i:]]
        unit = [1.0] if len(grip) == 1 else [1.0, 0.0, 1.0]
        if len(grip) > 2 or (grip and not all(abs(a - b) < 1e-9 for a, b in zip(square, unit, strict=True))):
            raise ModelError(f"{self._called} grips along {[tuple(row) for row in grip]}: expected up to two rows, "
                             "unit vectors in the plane at right angles")
        turning = sum(1 for row in grip if row.spin)
        if turning > 1:
            raise ModelError(f"{self._called}: two rows of its grip turn the wheel: expected one, where it drives")
        if not turning and (self.driven or self.spin_inertia):
            raise ModelError(f"{self._called} is driven or has spin inertia, but no row of its grip turns the wheel")
        if self.steerable and self.spin_inertia:
            raise ModelError(f"{self._called} can be steered and has spin inertia, which is known of fixed axles only")
        if any(len(group) not in (1, 2) for group in self.resistance()):
            raise ModelError(f"{self._called}: a group of resistance has one or two rows")
        if self.link is not None:
            self._check_on_link()

    def _check_on_link(self) -> None:
        """What is not known of wheels on links."""
        has = {"a suspension": self.suspension is not None, "a stiffness": self.stiffness is not None,
               "a grip_stiffness": self.grip_stiffness is not None, "spin inertia": self.axle_inertia > 0,
               "an angle that follows the motion": self.steerable and not self.steered_by_drive,
               "a belt": bool(self.track)}
        wrong = next((what for what, there in has.items() if there), "")
        if wrong:
            raise ModelError(f"{self._called} is on link '{self.link}' and has {wrong}, which is known of wheels on "
                             "the base only: leave one of the two out")

    # Reading fields

    def _set(self, part: str) -> float:
        value = number(getattr(self, part), f"{part.replace('_', ' ')} of {self._called}")
        object.__setattr__(self, part, value)
        return value

    def _set_angle(self, part: str) -> float:
        value = self._set(part)
        if abs(value) > 2 * math.pi:
            warn(f"{part.replace('_', ' ')} of {self._called} is {value} rad, more than a whole turn; {value} degrees "
                 f"are {math.radians(value):.4g} rad")
        return value

    def _check_driven(self, driven: object) -> None:
        if not isinstance(driven, bool):
            raise ModelError(f"driven of {self._called} is {driven!r}: expected True or False")
        for part in ("drive", "steering_drive"):
            given: object = getattr(self, part)
            if given is not None and not isinstance(given, WheelDrive):
                raise ModelError(f"{part} of {self._called} is {given!r}: expected an lp.WheelDrive(peak_torque=...)")
        if self.drive is not None and not driven:
            raise ModelError(f"{self._called} has a drive, and driven=False: leave one of the two out")

    @property
    def _called(self) -> str:
        return f"{self.kind} '{self.name}'" if self.name else f"a {self.kind}"


@dataclass(frozen=True)
class Support(Contact):
    """A foot: holds in every direction up to its static friction, and does not roll. Its longitudinal and lateral
    forces are along x and y of the base.

    >>> Support((0.3, 0.2)).position
    (0.3, 0.2)
    """

    kind: ClassVar[str] = "support"

    def grip(self) -> tuple[Row, ...]:
        """Along and across."""
        return FORWARD, LEFT

    def resistance(self) -> tuple[tuple[Row, ...], ...]:
        """It does not roll."""
        return ()


@dataclass(frozen=True, kw_only=True)
class Wheel(Contact):
    """A wheel of a radius (m)."""

    radius: float = field(kw_only=False, metadata=measures("length"))

    kind: ClassVar[str] = "wheel"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._set("radius") <= 0:
            raise ModelError(f"radius of {self._called} is {self.radius}: expected more than zero")


class _OnAxle(Wheel):
    """What wheels on an axle have in common: the rim sticks to the ground, the axle turns against its resistance."""

    def grip(self) -> tuple[Row, ...]:
        """The rim along the rolling direction, and everything across it."""
        return Row(1.0, 0.0, -self.radius), LEFT

    def resistance(self) -> tuple[tuple[Row, ...], ...]:
        """The wheel's rolling, R b."""
        return ((Row(0.0, 0.0, self.radius),),)


@dataclass(frozen=True, kw_only=True)
class FixedWheel(_OnAxle):
    """A wheel on a fixed axle: rolls along `direction` (angle to x, rad) and holds across it.

    `driven`: a motor or brake gives it whatever longitudinal force the motion asks for; else it rolls freely and
    carries its rolling resistance only. `spin_inertia` (kg m^2) about the axle; its mass and its other inertia are
    part of the base's. `drive`, an `lp.WheelDrive`: motor, gear and brake with their limits; its rotor lies along the
    axle and turns with it.

    >>> FixedWheel((0, 0.3), 0.1, driven=False).direction
    0.0
    >>> FixedWheel((0, 0.3), 0)
    Traceback (most recent call last):
    loadpath.errors.ModelError: radius of a fixed wheel is 0.0: expected more than zero
    """

    # Fields here, constants of contacts without them
    direction: float = field(default=0.0, metadata=measures("angle"))  # type: ignore[misc]
    driven: bool = True  # type: ignore[misc]
    spin_inertia: float = field(default=0.0, metadata=measures("moment of inertia"))  # type: ignore[misc]
    drive: WheelDrive | None = field(default=None, metadata=measures(WheelDrive))  # type: ignore[misc]

    kind: ClassVar[str] = "fixed wheel"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_angle("direction")
        self._check_driven(self.driven)
        if self._set("spin_inertia") < 0:
            raise ModelError(f"spin inertia of {self._called} is {self.spin_inertia}: expected zero or more")


@dataclass(frozen=True, kw_only=True)
class SteeredWheel(_OnAxle):
    """A wheel turned by a steering drive about the vertical through its contact: at its steering angle (to x, rad) it
    rolls and holds as a fixed wheel does. Its spin inertia is left out, but for the rotor of its `drive` (an
    `lp.WheelDrive`), which resists acceleration; moments of the rotor's angular momentum are left out.

    `steering_drive`, an `lp.WheelDrive` about the steering axis, limits the rate of its angle in `simulate` by its
    `max_speed` over its ratio. `patch_radius` (m) is that of the round patch on which the wheel stands: turning it
    there takes `scrub_torque`.

    >>> SteeredWheel((0.5, 0.2), 0.1).driven
    True
    >>> round(SteeredWheel((0.5, 0.2), 0.1, patch_radius=0.03).scrub_torque(0.6, 1000.0), 9)
    12.0
    """

    driven: bool = True  # type: ignore[misc]
    drive: WheelDrive | None = field(default=None, metadata=measures(WheelDrive))  # type: ignore[misc]
    steering_drive: WheelDrive | None = field(default=None, metadata=measures(WheelDrive))  # type: ignore[misc]
    patch_radius: float = field(default=0.0, metadata=measures("length"))  # type: ignore[misc]

    kind: ClassVar[str] = "steered wheel"
    steerable: ClassVar[bool] = True
    steered_by_drive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_driven(self.driven)
        if not 0 <= self._set("patch_radius") < math.inf:
            raise ModelError(f"patch radius of {self._called} is {self.patch_radius}: expected zero or more")

    def aligned(self, vx: Scalar, vy: Scalar) -> tuple[Scalar, Scalar]:
        """Along the velocity, or backwards rather than further than a quarter turn."""
        c, s = _along(vx, vy)
        fold = sign(c)
        fold = fold + (1.0 - fold * fold)
        return c * fold, s * fold


@dataclass(frozen=True, kw_only=True)
class CasterWheel(Wheel):
    """A free wheel under a free pivot at `position`, which it trails by `trail` (m): its contact lies that far behind
    the pivot, against its rolling direction, and so moves as the caster swivels.

    A caster turns into the velocity of its pivot (not into the force, as the thesis says) and holds the base in no
    direction: the pivot takes no torque about the vertical, so no side force acts at the trailing contact. It
    carries its normal force and its rolling resistance: along its rolling direction, or with no trail (a ball, or the
    thesis's free spinning wheel) whichever way it goes, the contact being under the pivot. Its mass is the base's, its
    spin and swivel inertia are left out.

    >>> CasterWheel((0.6, 0), 0.05, trail=0.02).trail
    0.02
    """

    trail: float = field(default=0.0, metadata=measures("length"))  # type: ignore[misc]

    kind: ClassVar[str] = "caster wheel"
    steerable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._set("trail") < 0:
            raise ModelError(f"trail of {self._called} is {self.trail}: expected zero or more, the contact being "
                             "behind the pivot")

    def grip(self) -> tuple[Row, ...]:
        """It holds nothing."""
        return ()

    def resistance(self) -> tuple[tuple[Row, ...], ...]:
        """Along its rolling direction; without a trail any way."""
        return ((FORWARD,),) if self.trail else ((FORWARD, LEFT),)

    def rolls_by(self) -> Row | None:
        """Forward, at its angle."""
        return Row(1.0, 0.0, -self.radius)

    def scrubs_along(self) -> tuple[Row, ...]:
        """A trailing one swivels instead; without a trail it is at a wrong angle if it moves across."""
        return () if self.trail else (LEFT,)

    def aligned(self, vx: Scalar, vy: Scalar) -> tuple[Scalar, Scalar]:
        """Along the velocity of its pivot; forward at rest."""
        return _along(vx, vy)

    def contact_point(self, c: Scalar, s: Scalar) -> tuple[Scalar, Scalar]:
        """Behind the pivot."""
        x, y = self.position
        return (x - self.trail * c, y - self.trail * s) if self.trail else (x, y)

    @property
    def swivels(self) -> bool:
        """With a trail."""
        return self.trail > 0

    def swivel_rate(self, across: Scalar, w: Scalar) -> Scalar:
        """The contact does not slide across: trail (d angle/dt + w) = velocity of the pivot across."""
        return across / self.trail - w if self.trail else 0.0 * across


@dataclass(frozen=True, kw_only=True)
class OmniWheel(FixedWheel):
    """A wheel with rollers on its rim, which let it go across their axes and hold along them.

    `roller_angle` (rad) is the angle, seen from above, from the wheel's rolling direction to the axis of the roller
    that touches the ground: 0 for an omni wheel, which is free sideways; see `MecanumWheel` for others.

    >>> OmniWheel((0.2, 0), 0.05, direction=1.57).roller_angle
    0.0
    """

    roller_angle: float = field(default=0.0, metadata=measures("angle"))

    kind: ClassVar[str] = "omni wheel"

    def __post_init__(self) -> None:
        super().__post_init__()
        if abs(self._set("roller_angle")) >= math.pi / 2 - 1e-9:
            raise ModelError(f"roller angle of {self._called} is {self.roller_angle} rad: expected between -pi/2 and "
                             "pi/2, where the wheel can drive nothing")

    def grip(self) -> tuple[Row, ...]:
        """The rim, along the roller's axis."""
        c, s = math.cos(self.roller_angle), math.sin(self.roller_angle)
        return (Row(c, s, -self.radius * c),)

    def resistance(self) -> tuple[tuple[Row, ...], ...]:
        """The wheel's rolling, and the roller's: what moves across its axis, less what the rim does there."""
        c, s = math.cos(self.roller_angle), math.sin(self.roller_angle)
        return *super().resistance(), (Row(-s, c, self.radius * s),)


@dataclass(frozen=True, kw_only=True)
class MecanumWheel(OmniWheel):
    """A wheel with slanting rollers. The roller's axis on the ground stands at `roller_angle` to the rolling
    direction: usually -pi/4 at the front left and rear right, +pi/4 at the other two.

    >>> MecanumWheel((0.3, 0.2), 0.1, roller_angle=-math.pi / 4).kind
    'mecanum wheel'
    """

    roller_angle: float = field(metadata=measures("angle"))

    kind: ClassVar[str] = "mecanum wheel"


def _along(vx: Scalar, vy: Scalar) -> tuple[Scalar, Scalar]:
    """Unit vector of a velocity; (1, 0) at rest. Without a branch, so that it serves scalars of any kind."""
    speed = sqrt(vx * vx + vy * vy)
    still = 1.0 - sign(speed)
    return (vx + still) / (speed + still), vy / (speed + still)
