"""The delta: three arms, three parallelograms of rods, a platform that moves without turning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import acos, atan2, cos, hypot, pi, radians, sin

from loadpath.errors import ModelError
from loadpath.robot.catalog.linkage_geometry import coordinates, positive
from loadpath.robot.catalog.shapes import bar, round_bar
from loadpath.robot.edit import gravity_vector
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Revolute, Spherical, Universal, Y, Z
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Limits, Link
from loadpath.robot.pose import Pose

_ARM_RADIUS, _ROD_RADIUS, _PLATFORM_HEIGHT = 0.03, 0.007, 0.02


def delta(
    base_radius: float = 0.20,
    arm: float = 0.30,
    rod: float = 0.80,
    platform_radius: float = 0.05,
    rod_spacing: float = 0.10,
    masses: Sequence[float] = (1.20, 0.07, 0.50),
    *,
    height: float = -0.75,
    gravity: float | Sequence[float] = 9.81,
) -> RobotModel:
    """The delta robot of R. Clavel: three driven arms, six rods in pairs, a platform that moves without turning.

    The arms turn about axes in the world's x-y plane, tangents to the circle of `base_radius` (m) at 0, 120 and 240
    degrees; q of "arm1_joint" and the others is their angle below the horizontal, outwards. At the end of each arm two
    rods, `rod_spacing` apart, hang in universal joints ("rod1a_joint", ...: first axis parallel to the arm's, second
    across the rod) and end in balls on the platform, on the circle of `platform_radius`. Balls at both ends would let
    every rod spin about itself; a universal joint at one end does not, so there are three freedoms and no more, and all
    forces are determinate. `masses` (kg): of an arm, of one rod, of the platform. The platform's frame is in the middle
    of its balls; its axes stay those of the world. At `home` it is at (0, 0, `height`).

    The tree leads to the platform through rod 1a, by the joint "ball1a"; "ball1b" to "ball3b" are loops, from rod to
    platform. Their forces are given in the axes of the platform.

    R. Clavel, Device for the movement and positioning of an element in space, US patent 4976582, 1990. Sizes are of the
    class of picking robots of 1.1 m working width (ABB IRB 360, Fanuc M-3iA); they and the masses are ours. No
    friction, no rotors.

    >>> import loadpath as lp
    >>> robot = lp.catalog.delta()
    >>> robot.mobility, robot.driven
    (3, ('arm1_joint', 'arm2_joint', 'arm3_joint'))
    """
    radius, a, length, small, spacing = positive(
        base_radius=base_radius, arm=arm, rod=rod, platform_radius=platform_radius, rod_spacing=rod_spacing
    )
    values = list(masses)
    if len(values) != 3:
        raise ModelError(f"masses are {values}: expected 3, of an arm, of a rod and of the platform")
    m_arm, m_rod, m_platform = positive(mass_of_an_arm=values[0], mass_of_a_rod=values[1],
                                        mass_of_the_platform=values[2])
    angle = _arm_angle(radius - small, a, length, height)
    rod_body = round_bar(m_rod, length, _ROD_RADIUS)
    links, joints, loops = [Link("base")], [], []
    at: dict[str, float | tuple[float, ...]] = {}
    # of a rod in the plane of its arm, from the outward horizontal downwards
    slope = atan2(-height - a * sin(angle), small - radius - a * cos(angle))
    for k in (1, 2, 3):
        psi = radians(120 * (k - 1))
        outward, tangent = (cos(psi), sin(psi), 0.0), (-sin(psi), cos(psi), 0.0)
        # x outward, z along the axis, so that y is down
        axes = tuple(zip(outward, (0.0, 0.0, -1.0), tangent, strict=True))
        hinge = Pose(axes, tuple(radius * x for x in outward))  # type: ignore[arg-type]
        limits = (Limits(radians(-40), radians(95), 10.0, 60.0),)
        joints.append(Joint(f"arm{k}_joint", "base", f"arm{k}", Revolute(Z), hinge, limits=limits))
        links.append(Link(f"arm{k}", bar(m_arm, a, 2 * _ARM_RADIUS, 2 * _ARM_RADIUS)))
        at[f"arm{k}_joint"] = angle
        for letter, side in (("a", -spacing / 2), ("b", spacing / 2)):
            name = f"rod{k}{letter}"
            joints.append(Joint(f"{name}_joint", f"arm{k}", name, Universal(Z, Y), Pose(translation=(a, 0.0, side))))
            links.append(Link(name, rod_body))
            at[f"{name}_joint"] = (slope - angle, 0.0)
            ball = tuple(small * x + side * t for x, t in zip(outward, tangent, strict=True))
            place = Pose(translation=ball)  # type: ignore[arg-type]
            end = Pose(translation=(length, 0.0, 0.0))
            if name == "rod1a":
                joints.append(Joint("ball1a", name, "platform", Spherical(), end, place.inverse()))
            else:
                loops.append(Loop(f"ball{k}{letter}", name, "platform", Spherical(), end, place))
    links.append(Link("platform", _disc(m_platform, small)))
    # Rod 1a has z along +y of the world, x down its slope; the platform stands as the world does.
    at["ball1a"] = _quaternion_of_turn_back(slope)
    tree = RobotModel("delta", tuple(links), tuple(joints), gravity_vector(gravity))
    drives = ("arm1_joint", "arm2_joint", "arm3_joint")
    return replace(tree, loops=tuple(loops), drives=drives, near=coordinates(tree, at))


def _arm_angle(offset: float, arm: float, rod: float, height: float) -> float:
    """Angle of the arms below the horizontal, knees outward, that brings the platform to a height on the axis."""
    # |(offset + arm cos, -arm sin - height)| = rod, with x outward from the balls
    a, b = 2 * arm * offset, 2 * arm * height
    c = rod**2 - arm**2 - offset**2 - height**2
    if abs(c) >= hypot(a, b):
        raise ModelError(f"delta: arms of {arm} m and rods of {rod} m do not bring the platform to the height {height} "
                         "m: expected one below the base that they reach")
    return atan2(b, a) + acos(c / hypot(a, b))


def _quaternion_of_turn_back(slope: float) -> tuple[float, float, float, float]:
    """World axes seen from a rod of arm 1: its x is (cos, 0, -sin) of the slope, its z the world's y, its y is the
    world's (-sin, 0, -cos): the inverse of that turn, which is 90 degrees about x of the world turned back, and the
    slope about z.
    """
    half, quarter = slope / 2, -pi / 4
    # rod = Rx(-90) Rz(slope): quaternion (sin quarter cos half, ..), inverted
    x, y = sin(quarter) * cos(half), -sin(quarter) * sin(half)
    z, w = cos(quarter) * sin(half), cos(quarter) * cos(half)
    return -x, -y, -z, w


def _disc(mass: float, radius: float) -> Inertia:
    return round_bar(mass, _PLATFORM_HEIGHT, radius, start=-_PLATFORM_HEIGHT / 2, along=2)
