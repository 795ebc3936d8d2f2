"""Parallel robots: the Stewart platform and the delta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import acos, asin, atan2, cos, hypot, pi, radians, sin, sqrt

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.catalog.linkages import bar, coordinates, positive, round_bar
from loadpath.robot.edit import gravity_vector
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Prismatic, Revolute, Spherical, Universal, X, Y, Z
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.robot.parts import Joint, Limits, Link
from loadpath.robot.pose import Pose
from loadpath.scalars import turn_about

_BARREL_RADIUS, _ROD_RADIUS, _PLATFORM_THICKNESS = 0.035, 0.018, 0.04


def stewart_platform(
    base_radius: float = 0.60,
    platform_radius: float = 0.35,
    height: float = 0.75,
    masses: Sequence[float] = (6.0, 2.5, 60.0),
    *,
    base_spread: float = radians(12),
    platform_spread: float = radians(12),
    gravity: float | Sequence[float] = 9.81,
) -> RobotModel:
    """The Stewart (Gough) platform: six driven legs, each universal-prismatic-spherical, of barrel and rod.

    On the base the universal joints lie on the circle of `base_radius` (m), in pairs at `base_spread` (rad) to both
    sides of 0, 120 and 240 degrees; on the platform the balls lie on the circle of `platform_radius` in pairs at
    `platform_spread` to both sides of 60, 180 and 300 degrees; neighbours of base and platform are joined. q of "leg1",
    ... "leg6" is the length of the leg from joint to joint; its force pushes the platform away. The universal joints
    ("leg1_pivot", ...) turn first about the radius of the base, then across the leg; at zero the leg is upright.
    `masses` (kg): of a barrel, of a rod, of the platform. The platform's frame is in the middle of its balls, z up; at
    `home` it is level at `height` (m).

    The tree leads to the platform through leg 1, by the joint "ball1"; "ball2" to "ball6" are loops, from rod to
    platform. All forces are determinate.

    V. E. Gough, S. G. Whitehall, Universal tyre test machine, Proc. FISITA 1962, 117-137; D. Stewart, A platform with
    six degrees of freedom, Proc. Institution of Mechanical Engineers 180 (1965), 371-386. Sizes are of the class of
    motion platforms with electric cylinders for 100 kg to 300 kg; they and the masses are ours. No friction, no rotors.

    >>> import loadpath as lp
    >>> robot = lp.catalog.stewart_platform()
    >>> robot.mobility, robot.driven
    (6, ('leg1', 'leg2', 'leg3', 'leg4', 'leg5', 'leg6'))
    """
    large, small, up = positive(base_radius=base_radius, platform_radius=platform_radius, height=height)
    values = list(masses)
    if len(values) != 3:
        raise ModelError(f"masses are {values}: expected 3, of a barrel, of a rod and of the platform")
    m_barrel, m_rod, m_platform = positive(mass_of_a_barrel=values[0], mass_of_a_rod=values[1],
                                           mass_of_the_platform=values[2])
    feet, heads = _circles(large, small, number(base_spread, "base spread"), number(platform_spread, "platform spread"))
    home = [np.array([*head[:2], up]) - foot for foot, head in zip(feet, heads, strict=True)]
    length = float(np.linalg.norm(home[0]))
    body = 0.62 * length  # of barrel and rod alike: they overlap
    links, joints, loops = [Link("base")], [], []
    at: dict[str, float | tuple[float, ...]] = {}
    for k, (foot, head, leg) in enumerate(zip(feet, heads, home, strict=True), start=1):
        radial = foot / large
        axes = np.array([radial, [-radial[1], radial[0], 0.0], [0.0, 0.0, 1.0]]).T
        x, y, z = axes.T @ leg
        turns = (atan2(-y, z), asin(x / float(np.linalg.norm(leg))))
        at[f"leg{k}_pivot"], at[f"leg{k}"] = turns, float(np.linalg.norm(leg))
        pivot = Pose(axes.tolist(), foot.tolist())
        stroke = Limits(0.75 * length, 1.30 * length, 1.0, 4000.0)
        joints += [
            Joint(f"leg{k}_pivot", "base", f"barrel{k}", Universal(X, Y), pivot),
            Joint(f"leg{k}", f"barrel{k}", f"rod{k}", Prismatic(Z), limits=(stroke,)),
        ]
        links += [
            Link(f"barrel{k}", round_bar(m_barrel, body, _BARREL_RADIUS, along=2)),
            Link(f"rod{k}", round_bar(m_rod, body, _ROD_RADIUS, start=-body, along=2)),
        ]
        ball = Pose(translation=head.tolist())
        if k == 1:
            joints.append(Joint("ball1", "rod1", "platform", Spherical(), Pose(), ball.inverse()))
            at["ball1"] = _quaternion_back(axes, turns)
        else:
            loops.append(Loop(f"ball{k}", f"rod{k}", "platform", Spherical(), Pose(), ball))
    plate = round_bar(m_platform, _PLATFORM_THICKNESS, small, start=0.0, along=2)
    links.append(Link("platform", plate))
    tree = RobotModel("stewart_platform", tuple(links), tuple(joints), gravity_vector(gravity))
    drives = tuple(f"leg{k}" for k in range(1, 7))
    return replace(tree, loops=tuple(loops), drives=drives, near=coordinates(tree, at))


def _circles(large: float, small: float, base: float, platform: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Joints of the base and of the platform, each (3,), neighbours joined, counterclockwise."""
    feet, heads = [], []
    for pair in range(3):
        middle = radians(120 * pair)
        for side in (-1, 1):
            angle = middle + side * base
            feet.append(large * np.array([cos(angle), sin(angle), 0.0]))
            angle = middle + side * radians(60) - side * platform
            heads.append(small * np.array([cos(angle), sin(angle), 0.0]))
    return feet, heads


def _quaternion_back(axes: np.ndarray, turns: tuple[float, float]) -> tuple[float, ...]:
    """World axes seen from a leg."""
    leg = axes @ _matrix(X, turns[0]) @ _matrix(Y, turns[1])
    r = leg.T
    w = sqrt(1.0 + float(np.trace(r))) / 2
    return (*(float(x) / (4 * w) for x in (r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1])), w)


def _matrix(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    matrix: np.ndarray = turn_about(axis, angle).matrix().astype(float)
    return matrix


# The delta: three arms, three parallelograms of rods, a platform that moves without turning.


_ARM_RADIUS, _FOREARM_RADIUS, _PLATFORM_HEIGHT = 0.03, 0.007, 0.02


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
    rod_body = round_bar(m_rod, length, _FOREARM_RADIUS)
    links, joints, loops = [Link("base")], [], []
    at: dict[str, float | tuple[float, ...]] = {}
    # of a rod in the plane of its arm, from the outward horizontal downwards
    slope = atan2(-height - a * sin(angle), small - radius - a * cos(angle))
    for k in (1, 2, 3):
        psi = radians(120 * (k - 1))
        outward, tangent = (cos(psi), sin(psi), 0.0), (-sin(psi), cos(psi), 0.0)
        # x outward, z along the axis, so that y is down
        axes = tuple(zip(outward, (0.0, 0.0, -1.0), tangent, strict=True))
        hinge = Pose(axes, tuple(radius * x for x in outward))
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
            place = Pose(translation=ball)
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
