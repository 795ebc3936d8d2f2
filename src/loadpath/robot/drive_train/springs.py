"""Springs at a joint: in parallel with its drive, or on a line between its two links (balancers, gas springs)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from loadpath.errors import ModelError
from loadpath.robot.measures import measures
from loadpath.robot.numbers import LARGEST_LENGTH, Vector3, number, vector3, within


@dataclass(frozen=True)
class TorsionSpring:
    """A spring in parallel with the drive: it turns the joint by preload - stiffness (q - rest), in the joint's
    positive sense. Like friction and rotor it acts inside the drive and loads no bearing.

    `stiffness` in N m/rad, `rest` in rad, `preload` in N m (what it gives at `rest`); N/m, m and N at a sliding joint.

    >>> import loadpath as lp
    >>> spring = lp.TorsionSpring(stiffness=20, rest=0.1)
    >>> arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": lp.Drive(spring=spring)})
    >>> arm.inverse_dynamics([0.3], [0], [0]).round(9).tolist()
    [4.0]
    """

    stiffness: float = field(metadata=measures("torsional stiffness", "stiffness"))
    rest: float = field(default=0.0, metadata=measures("angle", "length"))
    preload: float = field(default=0.0, metadata=measures("torque", "force"))

    def __post_init__(self) -> None:
        for part in ("stiffness", "rest", "preload"):
            object.__setattr__(self, part, number(getattr(self, part), f"{part} of a TorsionSpring"))
        if self.stiffness < 0:
            raise ModelError(f"stiffness of a TorsionSpring is {self.stiffness}: expected zero or more")


@dataclass(frozen=True)
class LineSpring:
    """A spring on the line between a point of the parent link and a point of the child link, each in the frame of its
    link (m). It pulls the two together by preload + stiffness (length - free_length).

    `stiffness` in N/m. A gas spring pushes: its `preload` is negative, its stiffness small. With stiffness alone it is
    the ideal balancer, a spring of free length zero. Its force goes past the joint's bearing, so it changes the joint
    wrench as well as the force of the drive. Where the two points meet, a spring with a free length or a preload has no
    direction: its force is not a number there.

    >>> import loadpath as lp
    >>> balancer = lp.LineSpring(on_parent=(0, 0, 0.5), on_child=(0.5, 0, 0), stiffness=19.62)
    >>> arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(spring=balancer)})    # m g = k a
    >>> bool(abs(arm.inverse_dynamics([[0.3], [1.0]], [0], [0])).max() < 1e-12)
    True
    """

    on_parent: Vector3 = field(metadata=measures("length"))
    on_child: Vector3 = field(metadata=measures("length"))
    stiffness: float = field(default=0.0, metadata=measures("stiffness"))
    free_length: float = field(default=0.0, metadata=measures("length"))
    preload: float = field(default=0.0, metadata=measures("force"))

    def __post_init__(self) -> None:
        for part in ("on_parent", "on_child"):
            what = f"{part} of a LineSpring"
            point = vector3(getattr(self, part), what)
            within(max(point, key=abs), LARGEST_LENGTH, f"a coordinate of {what}", "m")
            object.__setattr__(self, part, point)
        for part in ("stiffness", "free_length", "preload"):
            object.__setattr__(self, part, number(getattr(self, part), f"{part} of a LineSpring"))
        for part in ("stiffness", "free_length"):
            if getattr(self, part) < 0:
                raise ModelError(f"{part} of a LineSpring is {getattr(self, part)}: expected zero or more")


Spring: TypeAlias = TorsionSpring | LineSpring


def springs_of(given: object, what: str) -> tuple[Spring, ...]:
    """One spring or several, as a tuple."""
    if isinstance(given, (TorsionSpring, LineSpring)):
        return (given,)
    if isinstance(given, (list, tuple)) and all(isinstance(each, (TorsionSpring, LineSpring)) for each in given):
        return tuple(given)
    raise ModelError(f"{what} is {given!r}: expected a spring, or several, like lp.TorsionSpring(stiffness=20.0) or "
                     "lp.LineSpring(on_parent=(0, 0, 0.3), on_child=(0.2, 0, 0), stiffness=500.0)")
