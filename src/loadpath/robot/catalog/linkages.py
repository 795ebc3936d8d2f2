"""Plane linkages of the textbooks, four-bar, slider-crank and five-bar, and machines made of them."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import pi, radians

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
    return Pose(UPRIGHT, (x, y, z))


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


# Machines with closed chains: an excavator, a palletizer on parallelograms.


# Pins as complex numbers: along the link (from its hinge to the next one) and to the left of it, in m.
_BOOM_HINGE = complex(0.35, 1.85)  # on the house: forward, height above ground
_BOOM, _ARM, _BUCKET = 5.70, 2.92, 1.55  # hinge to hinge, hinge to teeth
_BOOM_CYLINDER = (complex(0.54, -0.69), complex(2.33, 0.76))  # on house, seen from the boom's hinge; on boom
_ARM_CYLINDER = (complex(3.00, 1.10), complex(-0.78, 0.18))  # on boom; on arm
_BUCKET_CYLINDER = complex(0.35, 0.55)  # on arm
_LEVER = complex(2.48, 0.06)  # on arm
_LEVER_LENGTH, _LINK_LENGTH = 0.62, 0.56
_BUCKET_PIN = complex(-0.14, 0.40)  # of the link, on the bucket
# stroke and length when closed (m), largest force (N): 35 MPa on the piston; two cylinders move the boom
_STROKES = {"boom": (1.30, 1.70, 7.9e5), "arm": (1.45, 2.20, 5.4e5), "bucket": (0.93, 1.80, 4.0e5)}
_TRAVEL = {"boom": 0.35, "arm": 0.35, "bucket": 0.35}


def excavator(
    boom: float = radians(35),
    arm: float = radians(-100),
    bucket: float = radians(-60),
    *,
    gravity: float | Sequence[float] = 9.81,
) -> RobotModel:
    """A hydraulic excavator of 21 t on its tracks: swing, and boom, arm and bucket moved by cylinders; four loops.

    Each cylinder is two bodies, a barrel that swings on its pin and a rod that slides in it: q of "boom_cylinder",
    "arm_cylinder" and "bucket_cylinder" is the distance between the pins in m, their force is what the oil gives. With
    "swing_joint" they are the four drives. The two boom cylinders of such machines, side by side, are one here, with
    the mass and the force of both. The bucket's cylinder works through a four-bar: a lever on the arm and a link to the
    bucket; cylinder, lever and link meet at one pin. Loops: the hinges "boom_rod_pin", "arm_rod_pin", "bucket_rod_pin"
    (rod to lever) and "bucket_link_pin".

    Frames: the house turns about the world's z at the origin, x forward. Frames of boom, arm and bucket lie at their
    hinges, x towards the next hinge (of the bucket: to its teeth, where the frame "teeth" lies), z along the hinges
    (to the right of the house), so that angles lift. `boom`, `arm` and `bucket` are the angles (rad) of `home`: of the
    boom from the horizontal, of the arm from the boom, of the bucket from the arm.

    Sizes, masses, strokes and bores are ours, of the class of 21 t (boom 5.7 m, arm 2.9 m, bucket 1.2 m^3, cylinders of
    120 mm to 140 mm bore at 35 MPa); no maker's drawing was at hand. No friction.

    >>> import loadpath as lp
    >>> digger = lp.catalog.excavator()
    >>> digger.mobility, digger.driven
    (4, ('swing_joint', 'boom_cylinder', 'arm_cylinder', 'bucket_cylinder'))
    """
    links = (
        Link("tracks", block(7600.0, (4.2, 2.9, 0.9), (0.0, 0.0, 0.5))),
        Link("house", block(10200.0, (3.8, 2.7, 1.6), (-0.9, 0.0, 1.75))),
        Link("boom", block(1750.0, (5.5, 0.70, 0.50), (2.65, 0.45, 0.0))),
        Link("arm", block(820.0, (3.5, 0.45, 0.36), (1.10, 0.10, 0.0))),
        Link("bucket", block(880.0, (1.20, 0.95, 1.30), (0.65, 0.30, 0.0))),
        Link("lever", round_bar(55.0, _LEVER_LENGTH, 0.05)),
        Link("bucket_link", round_bar(70.0, _LINK_LENGTH, 0.06)),
        Link("teeth"),
        *_cylinder_links("boom", 210.0, 150.0),
        *_cylinder_links("arm", 160.0, 110.0),
        *_cylinder_links("bucket", 105.0, 75.0),
    )
    house_foot = _BOOM_HINGE + _BOOM_CYLINDER[0]
    joints = (
        Joint("swing_joint", "tracks", "house", Revolute(Z), limits=(Limits(velocity=1.2, effort=6.2e4),)),
        Joint("boom_joint", "house", "boom", Revolute(Z), upright(_BOOM_HINGE.real, _BOOM_HINGE.imag)),
        Joint("arm_joint", "boom", "arm", Revolute(Z), in_plane(_BOOM, 0.0)),
        Joint("bucket_joint", "arm", "bucket", Revolute(Z), in_plane(_ARM, 0.0)),
        Joint("teeth_joint", "bucket", "teeth", Fixed(), in_plane(_BUCKET, 0.0)),
        Joint("boom_barrel_pin", "house", "boom_barrel", Revolute(Z), upright(house_foot.real, house_foot.imag)),
        _slide("boom"),
        Joint("arm_barrel_pin", "boom", "arm_barrel", Revolute(Z), _at(_ARM_CYLINDER[0])),
        _slide("arm"),
        Joint("bucket_barrel_pin", "arm", "bucket_barrel", Revolute(Z), _at(_BUCKET_CYLINDER)),
        _slide("bucket"),
        Joint("lever_joint", "arm", "lever", Revolute(Z), _at(_LEVER)),
        Joint("link_joint", "lever", "bucket_link", Revolute(Z), in_plane(_LEVER_LENGTH, 0.0)),
    )
    end_of_lever = in_plane(_LEVER_LENGTH, 0.0)
    loops = (
        Loop("boom_rod_pin", "boom_rod", "boom", Revolute(Z), in_plane(0.0, 0.0), _at(_BOOM_CYLINDER[1])),
        Loop("arm_rod_pin", "arm_rod", "arm", Revolute(Z), in_plane(0.0, 0.0), _at(_ARM_CYLINDER[1])),
        Loop("bucket_rod_pin", "bucket_rod", "lever", Revolute(Z), in_plane(0.0, 0.0), end_of_lever),
        Loop("bucket_link_pin", "bucket_link", "bucket", Revolute(Z), in_plane(_LINK_LENGTH, 0.0), _at(_BUCKET_PIN)),
    )
    tree = RobotModel("excavator", links, joints, gravity_vector(gravity))
    angles = (number(angle, what) for angle, what in ((boom, "boom"), (arm, "arm"), (bucket, "bucket")))
    drives = ("swing_joint", "boom_cylinder", "arm_cylinder", "bucket_cylinder")
    return replace(tree, loops=loops, drives=drives, near=coordinates(tree, _places(*angles)))


def _places(boom: float, arm: float, bucket: float) -> dict[str, float]:
    """Coordinates of all joints for the angles of boom, arm and bucket: triangles, and the four-bar of the bucket."""
    lift = _BOOM_CYLINDER[1] * cmath.rect(1.0, boom) - _BOOM_CYLINDER[0]
    crowd = _BOOM + _ARM_CYLINDER[1] * cmath.rect(1.0, arm) - _ARM_CYLINDER[0]
    pin = _ARM + _BUCKET_PIN * cmath.rect(1.0, bucket)
    if not -3.0 < bucket < 0.8:  # near 1 rad the link stands in line with the lever, beyond it is on the other side
        raise ModelError(f"excavator: bucket {bucket:.4g} rad: its lever and link do not bring it there; expected -2.6 "
                         "to 0.35 rad")
    knee = apex(_LEVER, pin, _LEVER_LENGTH, _LINK_LENGTH)  # above the arm
    curl = knee - _BUCKET_CYLINDER
    lever = cmath.phase(knee - _LEVER)
    for name, angle, reach in (("boom", boom, abs(lift)), ("arm", arm, abs(crowd)), ("bucket", bucket, abs(curl))):
        stroke, shortest, _ = _STROKES[name]
        if not shortest <= reach <= shortest + stroke:
            raise ModelError(f"excavator: {name} {angle:.4g} rad: its cylinder would be {reach:.4g} m long, expected "
                             f"{shortest:g} to {shortest + stroke:g} m")
    return {
        "boom_joint": boom, "arm_joint": arm, "bucket_joint": bucket,
        "boom_barrel_pin": cmath.phase(lift), "boom_cylinder": abs(lift),
        "arm_barrel_pin": cmath.phase(crowd), "arm_cylinder": abs(crowd),
        "bucket_barrel_pin": cmath.phase(curl), "bucket_cylinder": abs(curl),
        "lever_joint": lever, "link_joint": cmath.phase((pin - knee) / cmath.rect(1.0, lever)),
    }


def _at(pin: complex) -> Pose:
    return in_plane(pin.real, pin.imag)


def _cylinder_links(name: str, barrel: float, rod: float) -> tuple[Link, Link]:
    """Barrel from its pin forwards, rod from its eye backwards."""
    stroke, closed, _ = _STROKES[name]
    return (
        Link(f"{name}_barrel", round_bar(barrel, closed - 0.2, 0.085)),
        Link(f"{name}_rod", round_bar(rod, stroke + 0.3, 0.045, start=-(stroke + 0.3))),
    )


def _slide(name: str) -> Joint:
    stroke, closed, force = _STROKES[name]
    limits = Limits(closed, closed + stroke, _TRAVEL[name], force)
    return Joint(f"{name}_cylinder", f"{name}_barrel", f"{name}_rod", Prismatic(X), limits=(limits,))


# A palletizer: an arm whose elbow is driven through a parallelogram and whose gripper two others keep level.


_SHOULDER = (0.26, 0.74)  # of the column: x forward, height
_FOOT = (-0.20, 0.14)  # of the levelling rod on the column, and of its pin on the plate: seen from shoulder and elbow
_TOP = (0.10, 0.22)  # of the upper levelling rod on plate and bracket: seen from elbow and wrist


def parallelogram_palletizer(
    lower_arm: float = 0.95,
    forearm: float = 1.05,
    lever: float = 0.30,
    *,
    gravity: float | Sequence[float] = 9.81,
) -> RobotModel:
    """A palletizer for boxes of up to 110 kg: four drives, three parallelograms of real hinges.

    The column turns about the world's z ("yaw_joint"). On one axis of it sit both drives of the arm: "shoulder_joint"
    turns the lower arm; "elbow_joint" turns a lever, and a push rod parallel to the lower arm hands its angle on to the
    forearm: so q of the elbow joint is the forearm's angle from the horizontal, however the lower arm stands. A
    levelling rod along the lower arm keeps a plate at the elbow parallel to the column, a top rod along the forearm
    keeps the bracket at the wrist parallel to the plate: the gripper stays level. It turns about its vertical axis
    ("gripper_joint"); the frame "tip" lies 0.25 m below the bracket's flange, where it holds the box.

    Lengths between the axes in m. Link frames of the plane lie at the hinge nearer to the column, x along the bar, z
    along the hinges; angles lift. At `home` the lower arm is upright and the forearm level. The loops are the hinges
    "push_rod_pin", "level_rod_pin" and "top_rod_pin". By the count of Gruebler for bodies in space the three hinges
    take 15 freedoms from 10; parallel axes make 9 of the 15 one too many.

    The build is that of the palletizing robots of ABB (IRB 460), KUKA (KR 120 PA) and Fanuc (M-410), which have a reach
    of 2.4 m to 3.2 m for 110 kg to 180 kg and weigh a ton. Sizes and masses here are ours, of that class; no friction,
    no rotors.

    >>> import loadpath as lp
    >>> robot = lp.catalog.parallelogram_palletizer()
    >>> robot.mobility, robot.driven
    (4, ('yaw_joint', 'shoulder_joint', 'elbow_joint', 'gripper_joint'))
    """
    a, c, b = positive(lower_arm=lower_arm, forearm=forearm, lever=lever)
    links = (
        Link("base", block(250.0, (0.9, 0.8, 0.25), (0.0, 0.0, 0.125))),
        Link("column", block(320.0, (0.6, 0.5, 0.6), (0.05, 0.0, 0.50))),
        Link("lower_arm", bar(110.0, a, 0.20, 0.16)),
        Link("forearm", bar(85.0, c + b, 0.18, 0.14, start=-b)),
        Link("lever", bar(28.0, b, 0.14, 0.05, start=-b)),
        Link("push_rod", round_bar(18.0, a, 0.03)),
        Link("level_rod", round_bar(7.0, a, 0.02)),
        Link("plate", block(11.0, (0.30, 0.26, 0.03), (-0.03, 0.12, 0.0))),
        Link("top_rod", round_bar(7.5, c, 0.02)),
        Link("bracket", block(22.0, (0.24, 0.26, 0.16), (0.06, 0.06, 0.0))),
        Link("gripper", _gripper()),
        Link("tip"),
    )
    joints = (
        Joint("yaw_joint", "base", "column", Revolute(Z), limits=(Limits(-radians(165), radians(165), 2.5, 4500.0),)),
        Joint("shoulder_joint", "column", "lower_arm", Revolute(Z), upright(*_SHOULDER),
              limits=(Limits(radians(40), radians(140), 1.9, 6000.0),)),
        Joint("elbow_pivot", "lower_arm", "forearm", Revolute(Z), in_plane(a, 0.0)),
        Joint("wrist_pivot", "forearm", "bracket", Revolute(Z), in_plane(c, 0.0)),
        Joint("gripper_joint", "bracket", "gripper", Revolute(Z), _DOWN,
              limits=(Limits(-radians(300), radians(300), 6.9, 350.0),)),
        Joint("elbow_joint", "column", "lever", Revolute(Z), upright(*_SHOULDER),
              limits=(Limits(-radians(80), radians(20), 2.1, 6000.0),)),
        Joint("push_rod_pivot", "lever", "push_rod", Revolute(Z), in_plane(-b, 0.0)),
        Joint("level_rod_pivot", "column", "level_rod", Revolute(Z),
              upright(_SHOULDER[0] + _FOOT[0], _SHOULDER[1] + _FOOT[1])),
        Joint("plate_pivot", "lower_arm", "plate", Revolute(Z), in_plane(a, 0.0)),
        Joint("top_rod_pivot", "plate", "top_rod", Revolute(Z), in_plane(*_TOP)),
        Joint("tip_joint", "gripper", "tip", Fixed(), Pose(translation=(0.0, 0.0, 0.25))),
    )
    loops = (
        Loop("push_rod_pin", "push_rod", "forearm", Revolute(Z), in_plane(a, 0.0), in_plane(-b, 0.0)),
        Loop("level_rod_pin", "level_rod", "plate", Revolute(Z), in_plane(a, 0.0), in_plane(*_FOOT)),
        Loop("top_rod_pin", "top_rod", "bracket", Revolute(Z), in_plane(c, 0.0), in_plane(*_TOP)),
    )
    tree = RobotModel("parallelogram_palletizer", links, joints, gravity_vector(gravity))
    upright_arm = pi / 2
    at = {
        "shoulder_joint": upright_arm,
        "elbow_pivot": -upright_arm,
        "push_rod_pivot": upright_arm,
        "level_rod_pivot": upright_arm,
        "plate_pivot": -upright_arm,
    }
    drives = ("yaw_joint", "shoulder_joint", "elbow_joint", "gripper_joint")
    return replace(tree, loops=loops, drives=drives, near=coordinates(tree, at))


# The gripper's axis points down: its z is the bracket's -y; x stays forward.
_DOWN = Pose(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)), (0.10, -0.10, 0.0))


def _gripper() -> Inertia:
    """A vacuum gripper, a plate below the flange."""
    return block(38.0, (0.60, 0.40, 0.18), (0.0, 0.0, 0.15))
