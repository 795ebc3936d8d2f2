"""What a robot is made of: links, and joints with their drives and limits. Data and its checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from loadpath.converted import Converted
from loadpath.errors import ModelError
from loadpath.robot.drive_train.drive import Drive, LineSpring, Spring, Stribeck, TorsionSpring, springs_of
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import JointType
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import LARGEST_LENGTH, LARGEST_NUMBER, name, number, within
from loadpath.robot.pose import Pose, PoseLike, pose_of
from loadpath.robot.shapes import LinkShape


@dataclass(frozen=True)
class Link:
    """A rigid body with a name and an inertia in its own frame (none: a frame without mass).

    >>> import loadpath as lp
    >>> lp.Link("arm", lp.Inertia(2.0, (0.3, 0, 0))).inertia.mass
    2.0
    """

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    shapes: Converted[tuple[LinkShape, ...], LinkShape | Iterable[LinkShape]] = field(
        default=(), compare=False, repr=False  # type: ignore[arg-type]
    )
    """What it looks like; no equation depends on it."""

    def __post_init__(self) -> None:
        name(self.name, "name of a link")
        if not isinstance(self.inertia, Inertia):
            raise ModelError(f"link '{self.name}': inertia is {self.inertia!r}, expected an Inertia")
        if isinstance(self.shapes, LinkShape) or not isinstance(self.shapes, Iterable):
            given: tuple[object, ...] = (self.shapes,)
        else:
            given = tuple(self.shapes)
        for shape in given:
            if not isinstance(shape, LinkShape):
                raise ModelError(f"link '{self.name}': {shape!r} is no shape: expected shapes like "
                                 "lp.BoxShape((0.2, 0.1, 0.1))")
        object.__setattr__(self, "shapes", given)


@dataclass(frozen=True)
class Limits(Measured):
    """Bounds of one speed's coordinate (rad or m), its speed and its effort (N m or N); infinite if unknown.

    >>> import loadpath as lp
    >>> lp.Limits(lower=-1.0, upper=2.0, effort=50.0)
    Limits(lower=-1.0, upper=2.0, velocity=inf, effort=50.0)

    `guess=True` says that they are guesses: a verdict on them says so, and does not claim more.
    """

    lower: float = field(default=-math.inf, metadata=measures("angle", "length"))
    upper: float = field(default=math.inf, metadata=measures("angle", "length"))
    velocity: float = field(default=math.inf, metadata=measures("speed", "speed of a slide"))
    effort: float = field(default=math.inf, metadata=measures("torque", "force"))
    guess: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for bound in ("lower", "upper", "velocity", "effort"):
            object.__setattr__(self, bound, _bound(getattr(self, bound), f"{bound} limit"))
        if not isinstance(self.guess, bool):
            raise ModelError(f"guess of limits is {self.guess!r}: expected True or False")
        if self.lower > self.upper:
            raise ModelError(f"lower limit {self.lower} is above the upper limit {self.upper}")
        if self.velocity < 0 or self.effort < 0:
            raise ModelError(f"limits of velocity ({self.velocity}) and effort ({self.effort}) must not be negative")


def _bound(value: object, what: str) -> float:
    """A number that may be infinite."""
    try:
        return number(value, what)
    except ModelError:
        if isinstance(value, (float, np.floating)) and math.isinf(value):
            return float(value)
        raise


@dataclass(frozen=True)
class Mimic:
    """The joint follows another: q = multiplier * q(joint) + offset.

    >>> import loadpath as lp
    >>> lp.Mimic("finger_joint1", multiplier=-1.0)
    Mimic(joint='finger_joint1', multiplier=-1.0, offset=0.0)
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        name(self.joint, "name of the joint that a mimic follows")
        object.__setattr__(self, "multiplier", number(self.multiplier, f"multiplier of the mimic of '{self.joint}'"))
        object.__setattr__(self, "offset", number(self.offset, f"offset of the mimic of '{self.joint}'"))


@dataclass(frozen=True)
class Joint:
    """A joint between two links, with its drive: friction and rotor count in the torque of each speed.

    Per-speed values are one number for all speeds of the joint or one number each. `origin` and `link_offset` are
    poses; a 4 x 4 matrix or a position (m) is read as one.

    >>> import loadpath as lp
    >>> hinge = lp.Joint("hinge", "base", "arm", lp.Revolute((0, 1, 0)), (0, 0, 0.4), limits=(lp.Limits(-1, 1),))
    >>> hinge.origin.translation, hinge.gear_ratio
    ((0.0, 0.0, 0.4), (1.0,))
    """

    name: str
    parent: str
    child: str
    motion: JointType
    origin: Converted[Pose, PoseLike] = field(default_factory=Pose)  # type: ignore[arg-type]
    link_offset: Converted[Pose, PoseLike] = field(default_factory=Pose)  # type: ignore[arg-type]
    viscous_friction: Converted[tuple[float, ...], float | Sequence[float]] = ()  # type: ignore[assignment]
    """N m s/rad or N s/m: force against the speed, proportional to it."""
    coulomb_friction: Converted[tuple[float, ...], float | Sequence[float]] = ()  # type: ignore[assignment]
    """N m or N: force against the speed, of constant size."""
    rotor_inertia: Converted[tuple[float, ...], float | Sequence[float]] = ()  # type: ignore[assignment]
    """kg m^2 (kg), at the rotor; `gear_ratio` squared times as much is felt at the joint."""
    gear_ratio: Converted[tuple[float, ...], float | Sequence[float]] = ()  # type: ignore[assignment]
    """Turns of the rotor per turn of the joint (rad per m of one that slides)."""
    limits: Converted[tuple[Limits, ...], Limits | Sequence[Limits]] = ()  # type: ignore[assignment]
    mimic: Mimic | None = None
    stribeck: Converted[tuple[Stribeck | None, ...], Stribeck | Sequence[Stribeck | None] | None] = ()  # type: ignore[assignment]
    """Friction near standstill beyond the Coulomb friction; see `robot.with_drives`."""
    springs: tuple[tuple[Spring, ...], ...] = ()
    """Springs of each speed. A `LineSpring` acts on the joint as a whole, whatever speed it is given with."""
    drives: tuple[Drive | None, ...] = ()
    """What else is known of the motor and the gear of each speed; no equation of motion depends on it. Ratio and rotor
    stand here too where a drive train gave them, and count in the fields above.
    """
    armature: Converted[tuple[float, ...], float | Sequence[float]] = ()  # type: ignore[assignment]
    """kg m^2 (kg): rotor inertia as it is felt at the joint, whatever the gear ratio; for a rotor of which that is
    known, as in MJCF. In place of `rotor_inertia`.
    """
    from_parts: tuple[str, ...] = ()
    """Which data of its drive train came with a part (`robot.with_parts`), by their names in `lp.Drive`."""

    def __post_init__(self) -> None:
        name(self.name, "name of a joint")
        if not isinstance(self.motion, JointType):
            raise ModelError(f"joint '{self.name}': motion is {self.motion!r}, expected a joint type like Revolute()")
        _check_motion(self.name, self.motion)
        for role in ("parent", "child"):
            name(getattr(self, role), f"{role} of joint '{self.name}'")
        for part in ("origin", "link_offset"):
            what = f"{part.replace('_', ' ')} of joint '{self.name}'"
            pose = pose_of(getattr(self, part), what)
            within(max(pose.translation, key=abs), LARGEST_LENGTH, f"a coordinate of the {what}", "m")
            object.__setattr__(self, part, pose)
        for part, default in (("viscous_friction", 0.0), ("coulomb_friction", 0.0), ("rotor_inertia", 0.0),
                              ("gear_ratio", 1.0), ("armature", 0.0)):
            values = self._per_speed(getattr(self, part), part.replace("_", " "), default)
            if part != "gear_ratio" and min(values, default=0.0) < 0:
                raise ModelError(f"joint '{self.name}': {part.replace('_', ' ')} is {values}, expected zero or more")
            object.__setattr__(self, part, values)
        for rotor, armature in zip(self.rotor_inertia, self.armature, strict=True):
            if rotor and armature:
                raise ModelError(f"joint '{self.name}' has the rotor inertia {rotor:g} (at the motor's shaft) and the "
                                 f"armature {armature:g} (the rotor as felt at the joint): give one of the two"
                                 )
        limits = self._limits()
        limits = limits or (Limits(),) * self.motion.dof
        if len(limits) != self.motion.dof:
            raise ModelError(f"joint '{self.name}' has {len(limits)} limits: expected {self.motion.dof}, one for each "
                             "degree of freedom")
        object.__setattr__(self, "limits", limits)
        self._read_drive_trains()
        if self.mimic is not None and not isinstance(self.mimic, Mimic):
            raise ModelError(f"joint '{self.name}': mimic is {self.mimic!r}, expected a Mimic like Mimic('joint1', -1)")
        if self.mimic is not None and self.motion.dof != 1:
            raise ModelError(f"joint '{self.name}' mimics another but has {self.motion.dof} degrees of freedom: "
                             "only joints with one can")

    def _limits(self) -> tuple[Limits, ...]:
        given: object = (self.limits,) if isinstance(self.limits, Limits) else self.limits
        if not isinstance(given, Iterable) or not all(isinstance(entry, Limits) for entry in given):
            raise ModelError(f"joint '{self.name}': limits are {given!r}, expected Limits like Limits(lower=-2, "
                             "upper=2), one for each degree of freedom")
        return tuple(given)

    def _per_speed(self, value: object, what: str, default: float) -> tuple[float, ...]:
        dof = self.motion.dof
        what = f"{what} of joint '{self.name}'"
        if not isinstance(value, Iterable) or isinstance(value, str):
            return (within(number(value, what), LARGEST_NUMBER, what, "in SI units"),) * dof
        given = (within(number(entry, what), LARGEST_NUMBER, what, "in SI units") for entry in value)
        values = tuple(given) or (default,) * dof
        if len(values) != dof:
            expected = "1" if dof == 1 else f"1 or {dof}"
            raise ModelError(f"{what} has {len(values)} numbers, {list(values)}: expected {expected}")
        return values

    def _read_drive_trains(self) -> None:
        """Checks of what `robot.with_drives` gives."""
        dof = self.motion.dof
        for part, default in (("stribeck", None), ("springs", ()), ("drives", None)):
            given: object = getattr(self, part)
            if not isinstance(given, (tuple, list)):
                raise ModelError(f"joint '{self.name}': {part} are {given!r}, expected one for each degree of freedom, "
                                 "as robot.with_drives gives them")
            values = tuple(given) or (default,) * dof
            if part == "springs":
                values = tuple(springs_of(entry, f"springs of joint '{self.name}'") for entry in values)
            kind = {"stribeck": Stribeck, "drives": Drive, "springs": tuple}[part]
            for entry in values:
                if not isinstance(entry, (kind, type(None))):
                    raise ModelError(f"joint '{self.name}': {part} has the entry {entry!r}, expected a "
                                     f"{kind.__name__}, as robot.with_drives gives it")
            if len(values) != dof:
                raise ModelError(f"joint '{self.name}' has {len(values)} {part}: expected {dof}, one for each degree "
                                 "of freedom")
            object.__setattr__(self, part, values)
        for k, (stribeck, springs) in enumerate(zip(self.stribeck, self.springs, strict=True)):
            if stribeck is not None and stribeck.static < self.coulomb_friction[k]:
                raise ModelError(f"joint '{self.name}': static friction {stribeck.static} is below the Coulomb "
                                 f"friction {self.coulomb_friction[k]}")
            whole = self.motion.coordinates != dof or k in self.motion.twists
            if whole and any(isinstance(spring, TorsionSpring) for spring in springs):
                raise ModelError(f"joint '{self.name}': a TorsionSpring needs the angle (or way) of one freedom, and "
                                 f"those of a {type(self.motion).__name__} joint have none; a LineSpring goes with any "
                                 "joint")

    @property
    def line_springs(self) -> tuple[LineSpring, ...]:
        """Its springs between points of parent and child."""
        return tuple(spring for of in self.springs for spring in of if isinstance(spring, LineSpring))

    @property
    def reflected_inertia(self) -> tuple[float, ...]:
        """Rotor inertia as felt at the joint, of each speed: the gear ratio squared times it, or the armature."""
        each = zip(self.gear_ratio, self.rotor_inertia, self.armature, strict=True)
        return tuple(armature or g * g * i for g, i, armature in each)


def _check_motion(joint: str, motion: JointType) -> None:
    """Refuse a joint class of one's own that has not as many labels as speeds."""
    counts = (("labels", motion.dof), ("angular", motion.dof), ("coordinate_labels", motion.coordinates))
    for part, count in counts:
        if len(getattr(motion, part)) != count:
            raise ModelError(f"joint '{joint}': `{part}` of its class {type(motion).__name__} is "
                             f"{getattr(motion, part)}: expected {count}, one for each "
                             f"{'coordinate' if part == 'coordinate_labels' else 'speed'}")


# What is fitted to the joints of a robot: bearings, gears, motors, bolts. Equations depend on them only through what
# they know of the drive train.


class Fitted(Measured):
    """A part at a joint or loop. A robot only keeps it; what it must carry is examined in `loadpath.parts`."""

    def drive_data(self) -> Mapping[str, float]:
        """What it knows of the drive train of its joint, by the fields of `lp.Drive`: a gear its ratio."""
        ratio = getattr(self, "drive_ratio", getattr(self, "ratio", None))
        return {} if ratio is None else {"ratio": float(ratio)}

    def with_drive_data(self, drive: Drive) -> Self:
        """The part with what only the drive train of its joint knows of it."""
        return self


def check_parts(robot: str, given: object) -> None:
    """Refuse what is not a row of pairs of a name and a part. Whether the joint is there is asked where parts are
    fitted and where they are examined: a robot may be cut open in between, as closed chains are for their equations.
    """
    if not isinstance(given, tuple) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in given):
        raise ModelError(f"robot '{robot}': parts are {given!r}, expected pairs of a joint's name and a part; "
                         "robot.with_parts({'joint1': [...]}) makes them")
    for joint, part in given:
        if not isinstance(part, Fitted):
            raise ModelError(f"joint '{joint}' of robot '{robot}': {part!r} is no part; parts are made like "
                             "lp.CrossedRollerBearing(...)")
