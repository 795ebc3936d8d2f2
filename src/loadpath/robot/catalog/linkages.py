"""Plane linkages of the textbooks: four-bar, slider-crank and five-bar."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from loadpath.errors import ModelError
from loadpath.robot.edit import gravity_vector
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Prismatic, Revolute, X, Z
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3, number
from loadpath.robot.parts import Joint, Limits, Link
from loadpath.robot.pose import Pose

# What the makers of closed chains share: poses in a plane, coordinates by name, sizes that are positive.


# Axes of what moves in a vertical plane: x along the parent's, the joint axis z to the viewer (the parent's -y).
UPRIGHT: tuple[tuple[float, float, float], ...] = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))


def in_plane(x: float, y: float, z: float = 0.0) -> Pose:
    """A joint at (x, y) of a link whose z is the joint axis."""
    return Pose(translation=(x, y, z))


def upright(x: float, z: float, y: float = 0.0) -> Pose:
    """A joint of the vertical plane, at x and at the height z of a link whose z is up."""
    return Pose(UPRIGHT, (x, y, z))  # type: ignore[arg-type]


def coordinates(tree: RobotModel, places: Mapping[str, float | tuple[float, ...]]) -> tuple[float, ...]:
    """Coordinates of the tree from those of its joints, by name; the others as they are unmoved."""
    q = tree.neutral()
    for name, place in places.items():
        q[tree.q_slices[name]] = place
    return tuple(q.tolist())


def positive(**sizes: float) -> list[float]:
    """Numbers more than zero; an error names the one that is not."""
    found = []
    for what, value in sizes.items():
        found.append(number(value, what.replace("_", " ")))
        if found[-1] <= 0:
            raise ModelError(f"{what.replace('_', ' ')} is {found[-1]}: expected more than zero")
    return found


# Inertias of simple solids, for bodies whose own are not published.


def block(mass: float, size: Vector3, center: Vector3 = (0.0, 0.0, 0.0)) -> Inertia:
    """A solid box with its edges along the axes.

    >>> block(12.0, (1.0, 2.0, 3.0)).tensor[0][0]
    13.0
    """
    x, y, z = (edge * edge for edge in size)
    ixx, iyy, izz = mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12
    return Inertia.from_moments(mass, center, ixx=ixx, iyy=iyy, izz=izz)


def bar(mass: float, length: float, width: float, depth: float, start: float = 0.0) -> Inertia:
    """A solid bar from (start, 0, 0) to (start + length, 0, 0); `width` along y, `depth` along z."""
    return block(mass, (length, width, depth), (start + length / 2, 0.0, 0.0))


def round_bar(mass: float, length: float, radius: float, start: float = 0.0, along: int = 0) -> Inertia:
    """A solid round bar on one of the axes (x: 0, y: 1, z: 2), from `start` over its length."""
    across = mass * (3 * radius**2 + length**2) / 12
    moments, center = [across, across, across], [0.0, 0.0, 0.0]
    moments[along], center[along] = mass * radius**2 / 2, start + length / 2
    return Inertia.from_moments(mass, center, ixx=moments[0], iyy=moments[1], izz=moments[2])


_WIDTH, _DEPTH = 0.032, 0.008  # flat steel, 2 kg/m


def four_bar(
    ground: float = 0.40,
    crank: float = 0.12,
    coupler: float = 0.36,
    rocker: float = 0.28,
    masses: Sequence[float] = (0.24, 0.72, 0.56),
    *,
    spacing: float = 0.0,
    gravity: float | Sequence[float] = 9.81,
) -> RobotModel:
    """The four-bar linkage of real hinges, in the vertical x-z plane of the world; the crank is driven.

    Lengths between the pins in m, `masses` (kg) of crank, coupler and rocker, which are flat bars (32 mm x 8 mm; the
    defaults are of steel). The crank turns about the world's origin, the rocker about (`ground`, 0, 0). Link frames
    lie at the pin nearer to the ground, x along the bar, z along the hinges (world -y): angles turn counterclockwise
    as seen with x to the right and z up. q is the angle of the crank, that of the coupler from the crank, and that of
    the rocker. The hinge "rocker_pin" closes the loop between coupler and rocker. `spacing` (m): the bars run side by
    side, the coupler so much nearer to the viewer than crank and rocker, which bends the pins.

    By default the crank turns all round (it is the shortest bar; shortest + longest < sum of the others); a linkage
    whose crank does not is as good. At `home` the crank is at 60 degrees or nearest to it, the rocker's pin on the left
    of the line from the crank's pin to the rocker's pivot. The defaults are ours.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> bar.mobility, bar.driven, bar.loop_names
    (1, ('crank_joint',), ('rocker_pin',))
    """
    ground, crank, coupler, rocker = positive(ground=ground, crank=crank, coupler=coupler, rocker=rocker)
    lengths = {"ground": ground, "crank": crank, "coupler": coupler, "rocker": rocker}
    longest = max(lengths, key=lambda part: lengths[part])
    if lengths[longest] >= sum(lengths.values()) - lengths[longest]:
        raise ModelError(f"four-bar: the {longest} of {lengths[longest]} m is as long as the other three together, "
                         "the loop cannot be closed")
    m_crank, m_coupler, m_rocker = _masses(masses, ("crank", "coupler", "rocker"))
    side = number(spacing, "spacing")
    angle = _crank_angle(ground, crank, coupler, rocker)
    end = cmath.rect(crank, angle)
    pin = apex(end, complex(ground), coupler, rocker)
    links = (
        Link("base"),
        Link("crank", bar(m_crank, crank, _WIDTH, _DEPTH)),
        Link("coupler", bar(m_coupler, coupler, _WIDTH, _DEPTH)),
        Link("rocker", bar(m_rocker, rocker, _WIDTH, _DEPTH)),
    )
    joints = (
        Joint("crank_joint", "base", "crank", Revolute(Z), upright(0.0, 0.0)),
        Joint("coupler_joint", "crank", "coupler", Revolute(Z), in_plane(crank, 0.0, side)),
        Joint("rocker_joint", "base", "rocker", Revolute(Z), upright(ground, 0.0)),
    )
    loop = Loop("rocker_pin", "coupler", "rocker", Revolute(Z), in_plane(coupler, 0.0), in_plane(rocker, 0.0, side))
    tree = RobotModel("four_bar", links, joints, gravity_vector(gravity))
    at = {
        "crank_joint": angle,
        "coupler_joint": cmath.phase((pin - end) / cmath.exp(1j * angle)),
        "rocker_joint": cmath.phase(pin - ground),
    }
    return replace(tree, loops=(loop,), drives=("crank_joint",), near=coordinates(tree, at))


def _crank_angle(ground: float, crank: float, coupler: float, rocker: float) -> float:
    """60 degrees, or the nearest angle, with some room, at which the linkage closes."""
    shortest, longest = abs(coupler - rocker), coupler + rocker
    for turn in range(180):
        for angle in (math.radians(60 - turn), math.radians(60 + turn)):
            open_distance = abs(ground - cmath.rect(crank, angle))
            if shortest + 0.02 * longest < open_distance < 0.98 * longest:
                return angle
    low, high = abs(ground - crank), ground + crank
    wanted = (max(low, shortest) + min(high, longest)) / 2
    return math.acos((ground**2 + crank**2 - wanted**2) / (2 * ground * crank))


def slider_crank(
    crank: float = 0.05,
    rod: float = 0.20,
    offset: float = 0.0,
    masses: Sequence[float] = (1.2, 0.8, 0.6),
    *,
    gravity: float | Sequence[float] = 9.81,
) -> RobotModel:
    """The slider-crank of engines, pumps and presses, in the vertical x-z plane of the world; the crank is driven.

    The crank turns about the world's origin, the slider runs along x at the height `offset`; `masses` (kg) of crank,
    rod and slider. Bars as in `four_bar`; the slider is a block of 60 mm. q is the angle of the crank, that of the rod
    from the crank, and the place x of the slider. The hinge "slider_pin" closes the loop between rod and slider; it
    sits in the slider's frame. At `home` the crank is at 60 degrees. The defaults are ours.

    >>> import loadpath as lp
    >>> engine = lp.catalog.slider_crank()
    >>> engine.mobility, engine.passive
    (1, ('rod_joint', 'slider_joint'))
    """
    crank, rod = positive(crank=crank, rod=rod)
    offset = number(offset, "offset")
    if crank + abs(offset) >= rod:
        raise ModelError(f"slider-crank: the rod of {rod} m must be longer than crank and offset together, "
                         f"{crank + abs(offset):g} m, or the crank does not turn all round")
    m_crank, m_rod, m_slider = _masses(masses, ("crank", "rod", "slider"))
    angle = math.radians(60)
    end = cmath.rect(crank, angle)
    lean = math.asin((offset - end.imag) / rod)
    links = (
        Link("base"),
        Link("crank", bar(m_crank, crank, _WIDTH, _DEPTH)),
        Link("rod", bar(m_rod, rod, _WIDTH, _DEPTH)),
        Link("slider", block(m_slider, (0.06, 0.06, 0.06))),
    )
    joints = (
        Joint("crank_joint", "base", "crank", Revolute(Z), upright(0.0, 0.0)),
        Joint("rod_joint", "crank", "rod", Revolute(Z), in_plane(crank, 0.0)),
        Joint("slider_joint", "base", "slider", Prismatic(X), upright(0.0, offset)),
    )
    loop = Loop("slider_pin", "rod", "slider", Revolute(Z), in_plane(rod, 0.0), in_plane(0.0, 0.0))
    tree = RobotModel("slider_crank", links, joints, gravity_vector(gravity))
    at = {"crank_joint": angle, "rod_joint": lean - angle, "slider_joint": end.real + rod * math.cos(lean)}
    return replace(tree, loops=(loop,), drives=("crank_joint",), near=coordinates(tree, at))


def five_bar(
    ground: float = 0.20,
    crank: float = 0.25,
    rod: float = 0.40,
    masses: Sequence[float] = (0.50, 0.80),
    *,
    gravity: float | Sequence[float] = 9.81,
) -> RobotModel:
    """The five-bar, a parallel arm with two driven cranks, symmetric, in the vertical x-z plane of the world.

    The cranks turn about (0, 0, 0) and (`ground`, 0, 0); from their ends two rods lead to a common pin, "end_pin", that
    closes the loop. `masses` (kg) of a crank and of a rod; bars as in `four_bar`. The frame "tip" lies at the pin, on
    the left rod. q is the angle of the left crank, that of its rod from it, and the same on the right. At `home` the
    cranks are at 120 and 60 degrees, the pin above. The defaults are ours.

    >>> import loadpath as lp
    >>> arm = lp.catalog.five_bar()
    >>> arm.mobility, arm.driven
    (2, ('left_joint', 'right_joint'))
    """
    ground, crank, rod = positive(ground=ground, crank=crank, rod=rod)
    m_crank, m_rod = _masses(masses, ("crank", "rod"))
    angles = math.radians(120), math.radians(60)
    left, right = cmath.rect(crank, angles[0]), ground + cmath.rect(crank, angles[1])
    if abs(right - left) >= 2 * rod:
        raise ModelError(f"five-bar: with the cranks at 120 and 60 degrees their ends are {abs(right - left):.4g} m "
                         f"apart, too far for two rods of {rod} m")
    end = apex(left, right, rod, rod)
    links = (
        Link("base"),
        Link("left_crank", bar(m_crank, crank, _WIDTH, _DEPTH)),
        Link("left_rod", bar(m_rod, rod, _WIDTH, _DEPTH)),
        Link("right_crank", bar(m_crank, crank, _WIDTH, _DEPTH)),
        Link("right_rod", bar(m_rod, rod, _WIDTH, _DEPTH)),
        Link("tip"),
    )
    free = (Limits(velocity=10.0, effort=40.0),)
    joints = (
        Joint("left_joint", "base", "left_crank", Revolute(Z), upright(0.0, 0.0), limits=free),
        Joint("left_rod_joint", "left_crank", "left_rod", Revolute(Z), in_plane(crank, 0.0)),
        Joint("right_joint", "base", "right_crank", Revolute(Z), upright(ground, 0.0), limits=free),
        Joint("right_rod_joint", "right_crank", "right_rod", Revolute(Z), in_plane(crank, 0.0)),
        Joint("tip_joint", "left_rod", "tip", Fixed(), in_plane(rod, 0.0)),
    )
    loop = Loop("end_pin", "left_rod", "right_rod", Revolute(Z), in_plane(rod, 0.0), in_plane(rod, 0.0))
    tree = RobotModel("five_bar", links, joints, gravity_vector(gravity))
    at = {"left_joint": angles[0], "left_rod_joint": cmath.phase((end - left) / cmath.exp(1j * angles[0])),
          "right_joint": angles[1],
          "right_rod_joint": cmath.phase((end - right) / cmath.exp(1j * angles[1]))}
    return replace(tree, loops=(loop,), drives=("left_joint", "right_joint"), near=coordinates(tree, at))


def apex(left: complex, right: complex, a: float, b: float) -> complex:
    """The point at the distance a from `left` and b from `right`, on the left of the line from one to the other."""
    base = right - left
    along = (a * a - b * b + abs(base) ** 2) / (2 * abs(base))
    return left + complex(along, math.sqrt(max(a * a - along * along, 0.0))) * base / abs(base)


def _masses(masses: Sequence[float], of: tuple[str, ...]) -> list[float]:
    values = list(masses)
    if len(values) != len(of):
        raise ModelError(f"masses are {values}: expected {len(of)}, of {', '.join(of)}")
    return positive(**{f"mass of the {part}": value for part, value in zip(of, values, strict=True)})
