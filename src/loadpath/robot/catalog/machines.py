"""Machines with closed chains: an excavator, a palletizer on parallelograms."""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from dataclasses import replace
from math import pi, radians

from loadpath.errors import ModelError
from loadpath.robot.catalog.linkages import apex, bar, block, coordinates, in_plane, positive, round_bar, upright
from loadpath.robot.edit import gravity_vector
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Prismatic, Revolute, X, Z
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.robot.parts import Joint, Limits, Link
from loadpath.robot.pose import Pose

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
