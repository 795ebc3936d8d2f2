"""The Stanford arm, the first electric arm made for computer control, with a sliding third joint."""

from __future__ import annotations

from math import pi, radians

from loadpath.robot.dh import links_and_joints
from loadpath.robot.edit import without_rotors
from loadpath.robot.joints import Fixed
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose

# theta, d, alpha (standard DH, every a is 0), kind of joint; range of q
_GEOMETRY = (
    (0.0, 0.412, -pi / 2, "revolute", (-radians(170), radians(170))),
    (0.0, 0.154, pi / 2, "revolute", (-radians(170), radians(170))),
    (-pi / 2, 0.0, 0.0, "prismatic", (0.3048, 1.27)),
    (0.0, 0.0, -pi / 2, "revolute", (-radians(170), radians(170))),
    (0.0, 0.0, pi / 2, "revolute", (-radians(90), radians(90))),
    (0.0, 0.0, 0.0, "revolute", (-radians(170), radians(170))),
)
# mass, mass center, moments about the frame's origin; inertia of the drive as felt at the joint
_BODIES = (
    (9.29, (0.0, 0.0175, -0.1105), (0.276, 0.255, 0.071), 0.953),
    (5.01, (0.0, -0.1054, 0.0), (0.108, 0.018, 0.100), 2.193),
    (4.25, (0.0, 0.0, -0.6447), (2.51, 2.51, 0.006), 0.782),
    (1.08, (0.0, 0.0092, -0.0054), (0.002, 0.001, 0.001), 0.106),
    (0.63, (0.0, 0.0, 0.0566), (0.003, 0.003, 0.0004), 0.097),
    (0.51, (0.0, 0.0, 0.1554), (0.013, 0.013, 0.0003), 0.020),
)
_TOOL = 0.263


def stanford_arm(drives: bool = True) -> RobotModel:
    """The Stanford arm: two revolute joints, a prismatic one, and a wrist of three; `drives=False`: without rotors.

    Link frames are standard DH frames; q3 is the length d3 itself, from 0.3048 to 1.27 m. The frames of links 4 to 6
    lie in the wrist's center, the frame "tool" between the fingers. The rotor inertias are those felt at the joints
    (`armature`, kg m^2, and kg for joint 3). Friction is not given.

    Geometry: R. Paul, Modelling, trajectory calculation and servoing of a computer controlled arm, Stanford AI Memo
    177, 1972, fig. 2.3. Masses, mass centers, moments and drives: R. P. Paul, Robot Manipulators: Mathematics,
    Programming, and Control, MIT Press 1981, tables 6.5 and 6.6, after A. K. Bejczy, Robot arm dynamics and control,
    JPL TM 33-669, 1974; taken from P. I. Corke's Robotics Toolbox (`stanford`) and read so: the moments are about the
    origins of the link frames, as Paul's pseudo-inertias are, and the mass centers of links 2 to 6 are a tenth of what
    the toolbox has. As they stand there, the boom's mass center would be 6.4 m from the wrist, and the moments would
    be smaller than mass times distance squared.

    >>> arm = stanford_arm()
    >>> [joint.motion.angular[0] for joint in arm.joints if joint.motion.dof]
    [True, True, False, True, True, True]
    """
    rows = [
        {
            "theta": theta, "d": d, "alpha": alpha, "joint": kind, "limits": limits,
            "mass": mass, "center_of_mass": center, "inertia": moments, "armature": rotor,
        }
        for (theta, d, alpha, kind, limits), (mass, center, moments, rotor) in zip(_GEOMETRY, _BODIES, strict=True)
    ]
    links, joints = links_and_joints(rows, inertia_at="origin")
    tool = Joint("tool_joint", "link6", "tool", Fixed(), Pose(translation=(0.0, 0.0, _TOOL)))
    robot = RobotModel("stanford_arm", (*links, Link("tool")), (*joints, tool))
    return robot if drives else without_rotors(robot)
