"""A palletizer: an arm whose elbow is driven through a parallelogram and whose gripper two others keep level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi, radians

from loadpath.robot.catalog.linkage_geometry import coordinates, in_plane, positive, upright
from loadpath.robot.catalog.shapes import bar, block, round_bar
from loadpath.robot.edit import gravity_vector
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Revolute, Z
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Limits, Link
from loadpath.robot.pose import Pose

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
