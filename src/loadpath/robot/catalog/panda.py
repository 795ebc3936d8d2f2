"""The Franka Emika Panda, a seven-joint arm."""

from __future__ import annotations

from math import pi

from loadpath.robot.dh import DHRow, links_and_joints
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Prismatic, Y
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Limits, Link, Mimic
from loadpath.robot.pose import Pose

_ARM = tuple[float, float, float, float, tuple[float, float, float], tuple[float, ...], Limits]

# d, a, alpha (modified DH); mass; mass center; ixx, iyy, izz, ixy, ixz, iyz about it; limits
_ROWS: tuple[_ARM, ...] = (
    (0.333, 0.0, 0.0, 4.970684, (0.003875, 0.002081, -0.04762),
     (0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169), Limits(-2.8973, 2.8973, 2.175, 87.0)),
    (0.0, 0.0, -pi / 2, 0.646926, (-0.003141, -0.02872, 0.003495),
     (0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704), Limits(-1.7628, 1.7628, 2.175, 87.0)),
    (0.316, 0.0, pi / 2, 3.228604, (0.027518, 0.039252, -0.066502),
     (0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805), Limits(-2.8973, 2.8973, 2.175, 87.0)),
    (0.0, 0.0825, pi / 2, 3.587895, (-0.05317, 0.104419, 0.027454),
     (0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641), Limits(-3.0718, -0.0698, 2.175, 87.0)),
    (0.384, -0.0825, -pi / 2, 1.225946, (-0.011953, 0.041065, -0.038437),
     (0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229), Limits(-2.8973, 2.8973, 2.61, 12.0)),
    (0.0, 0.0, pi / 2, 1.666555, (0.060149, -0.014117, -0.010517),
     (0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341), Limits(-0.0175, 3.7525, 2.61, 12.0)),
    (0.0, 0.088, pi / 2, 0.735522, (0.010517, -0.004252, 0.061597),
     (0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741), Limits(-2.8973, 2.8973, 2.61, 12.0)),
)
_BASE = Link(
    "panda_link0",
    Inertia.from_moments(0.629769, (-0.041018, -0.00014, 0.049974), ixx=0.00315, iyy=0.00388, izz=0.004285,
                         ixy=8.2904e-07, ixz=0.00015, iyz=8.2299e-06),
)


def panda(hand: bool = False) -> RobotModel:
    """The Franka Emika Panda: seven revolute joints, flange frame "panda_link8"; with `hand=True` its two-finger hand.

    Link frames are the modified DH frames of the maker, names and frames those of the maker's URDF
    (`franka_description`). One finger drives, the other mimics it; the hand's coordinate is half its opening in m.
    No friction, no rotors: what has been identified of this arm's friction does not follow the viscous-and-Coulomb
    law, and its rotor inertias are not published.

    Inertias: C. Gaz, M. Cognetti, A. Oliva, P. Robuffo Giordano, A. De Luca, Dynamic identification of the Franka
    Emika Panda robot with retrieval of feasible parameters using penalty-based optimization, IEEE Robotics and
    Automation Letters 4 (2019), 4147-4154, as `franka_description` carries them. They are one set that explains the
    measured torques, not measured bodies: other sources print others. Base, hand, fingers and limits:
    `franka_description`.

    >>> panda().n, panda(hand=True).n
    (7, 8)
    """
    rows = [
        DHRow(
            d=d,
            a=a,
            alpha=alpha,
            mass=mass,
            center_of_mass=center,
            inertia=((i[0], i[3], i[4]), (i[3], i[1], i[5]), (i[4], i[5], i[2])),
            limits=limits,
            name=f"panda_joint{k}",
            link=f"panda_link{k}",
        )
        for k, (d, a, alpha, mass, center, i, limits) in enumerate(_ROWS, start=1)
    ]
    arm_links, arm_joints = links_and_joints(rows, "modified", base=_BASE)
    flange = Joint("panda_joint8", "panda_link7", "panda_link8", Fixed(), Pose(translation=(0.0, 0.0, 0.107)))
    links, joints = _hand() if hand else ((), ())
    return RobotModel("panda", (*arm_links, Link("panda_link8"), *links), (*arm_joints, flange, *joints))


def _hand() -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    finger = Inertia.from_moments(0.015, ixx=2.375e-06, iyy=2.375e-06, izz=7.5e-07)
    links = (
        Link("panda_hand", Inertia.from_moments(0.73, (-0.01, 0.0, 0.03), ixx=0.001, iyy=0.0025, izz=0.0017)),
        Link("panda_hand_tcp"),
        Link("panda_leftfinger", finger),
        Link("panda_rightfinger", finger),
    )
    at_fingers, reach = Pose(translation=(0.0, 0.0, 0.0584)), Limits(0.0, 0.04, 0.2, 100.0)
    joints = (
        Joint("panda_hand_joint", "panda_link8", "panda_hand", Fixed(), Pose.from_xyz_rpy(rpy=(0.0, 0.0, -pi / 4))),
        Joint("panda_hand_tcp_joint", "panda_hand", "panda_hand_tcp", Fixed(), Pose(translation=(0.0, 0.0, 0.1034))),
        Joint("panda_finger_joint1", "panda_hand", "panda_leftfinger", Prismatic(Y), at_fingers, limits=(reach,)),
        Joint("panda_finger_joint2", "panda_hand", "panda_rightfinger", Prismatic((0.0, -1.0, 0.0)), at_fingers,
              limits=(reach,), mimic=Mimic("panda_finger_joint1")),
    )
    return links, joints
