"""Rovers of the literature."""

from __future__ import annotations

from loadpath.mobile.rover import Rover, WheeledBase
from loadpath.robot.catalog import lau_arm
from loadpath.robot.pose import Pose
from loadpath.robot.wheels.contacts import CasterWheel, FixedWheel
from loadpath.robot.wheels.ground import Ground, WheelFriction


def lau_rover(
    mass: float = 10.0,
    s: float = 0.6,
    d: float = 0.3,
    radius: float = 0.1,
    *,
    friction: WheelFriction | None = None,
    driven: bool = False,
    ground: Ground | None = None,
) -> Rover:
    """The movable robot of Lau's thesis (chapter 6, figures 13 and 14): `lau_arm()` on three wheels.

    The base frame is that of the thesis: on the ground midway between the fixed wheels 2 (at y = d) and 3 (y = -d), x
    towards the free spinning wheel 1 at (s, 0). None of the wheels is actuated there; `driven=True` drives the fixed
    ones. The thesis gives no numbers; the defaults are ours: a box of 10 kg, 0.6 m x 0.6 m x 0.2 m, 0.1 m above the
    ground, with the arm on top over its mass center, a third of the way to wheel 1.

    >>> import loadpath as lp
    >>> lp.catalog.lau_rover().mass_center([0, 0, 0.5]).round(9).tolist()
    [0.2, 0.025, 0.233333333]
    """
    length, width, height = 0.6, 0.6, 0.2
    moments = [mass / 12 * (a * a + b * b) for a, b in ((width, height), (length, height), (length, width))]
    base = WheeledBase(
        mass=mass,
        center_of_mass=(s / 3, 0.0, 0.2),
        inertia=tuple(tuple(moments[i] if i == j else 0.0 for j in range(3)) for i in range(3)),
        wheels=(
            CasterWheel((s, 0.0), radius),
            FixedWheel((0.0, d), radius, driven=driven),
            FixedWheel((0.0, -d), radius, driven=driven),
        ),
        friction=WheelFriction(sliding=0.6, static=0.8, rolling=0.01) if friction is None else friction,
    )
    return base.carrying(lau_arm(), at=Pose(translation=(s / 3, 0.0, 0.3)), ground=ground)
