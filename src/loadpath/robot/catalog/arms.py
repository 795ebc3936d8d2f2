"""Arms with their published numbers: Panda, PUMA 560, Stanford arm, UR5."""

from __future__ import annotations

from math import pi, radians

from loadpath.robot.dh import DHRow, from_dh, links_and_joints
from loadpath.robot.edit import without_friction, without_rotors
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Prismatic, Y
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Limits, Link, Mimic
from loadpath.robot.pose import Pose
from loadpath.robot.tree import model_warnings

_ARM = tuple[float, float, float, float, tuple[float, float, float], tuple[float, ...], Limits]

# d, a, alpha (modified DH); mass; mass center; ixx, iyy, izz, ixy, ixz, iyz about it; limits
_PANDA_ROWS: tuple[_ARM, ...] = (
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
        for k, (d, a, alpha, mass, center, i, limits) in enumerate(_PANDA_ROWS, start=1)
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


# The Unimation PUMA 560, the most measured robot of the literature.


# d, a, alpha (standard DH); range of q in degrees
_PUMA_GEOMETRY = (
    (0.67183, 0.0, pi / 2, 160.0),
    (0.0, 0.4318, 0.0, 110.0),
    (0.15005, 0.0203, -pi / 2, 135.0),
    (0.4318, 0.0, pi / 2, 266.0),
    (0.0, 0.0, -pi / 2, 100.0),
    (0.0, 0.0, 0.0, 266.0),
)
# mass, mass center in the link's DH frame, diagonal of the tensor about it
_PUMA_BODIES = (
    (0.0, (0.0, 0.0, 0.0), (0.0, 0.35, 0.0)),
    (17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (4.8, (-0.0203, -0.0141, 0.07), (0.066, 0.086, 0.0125)),
    (0.82, (0.0, 0.019, 0.0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.34, (0.0, 0.0, 0.0), (0.3e-3, 0.4e-3, 0.3e-3)),
    (0.09, (0.0, 0.0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
)
# At the motor: inertia, gear ratio, viscous friction, Coulomb friction forwards and backwards
_DRIVES = (
    (200e-6, -62.6111, 1.48e-3, 0.395, 0.435),
    (200e-6, 107.815, 0.817e-3, 0.126, 0.071),
    (200e-6, -53.7063, 1.38e-3, 0.132, 0.105),
    (33e-6, 76.0364, 71.2e-6, 11.2e-3, 16.9e-3),
    (33e-6, 71.923, 82.6e-6, 9.26e-3, 14.5e-3),
    (33e-6, 76.686, 36.7e-6, 3.96e-3, 10.5e-3),
)


def puma560(drives: bool = True) -> RobotModel:
    """The Unimation PUMA 560: six revolute joints; with `drives=False` without rotors, gears and friction.

    Link frames are standard DH frames, with the base on the floor and the shoulder 0.67183 m (26.45 in) above it; at
    q = 0 the upper arm lies along the base's x and the forearm points up. Of the first link only the moment about its
    axis is known (0.35 kg m^2): its mass loads no motor, and is missing from the wrenches at joint 1.

    Masses, mass centers and moments: B. Armstrong, O. Khatib, J. Burdick, The explicit dynamic model and inertial
    parameters of the PUMA 560 arm, Proc. IEEE Int. Conf. Robotics and Automation, 1986, 510-518. In these frames, with
    gears, rotors and friction: P. I. Corke, B. Armstrong-Helouvry, A search for consensus among model parameters
    reported for the PUMA 560 robot, Proc. IEEE Int. Conf. Robotics and Automation, 1994, 1608-1613, and P. I. Corke, A
    robotics toolbox for MATLAB, IEEE Robotics and Automation Magazine 3 (1996), 24-32 (its model `puma560`).

    Friction was measured at the motors; here it is as felt at the joints (viscous times gear ratio squared, Coulomb
    times gear ratio). Coulomb friction differs by direction there, by a factor of 1.1 to 2.7; here it is the mean of
    both directions. The rotor inertias are Corke's; Armstrong et al. report more at joints 1 and 2 (1.14 and 4.71
    kg m^2 as felt there).

    >>> round(puma560().joint("joint1").reflected_inertia[0], 4)
    0.784
    """
    rows = [
        DHRow(
            d=d, a=a, alpha=alpha, limits=(-radians(reach), radians(reach)),
            mass=mass, center_of_mass=center, inertia=moments,
            rotor_inertia=rotor, gear_ratio=gear,
            viscous_friction=viscous * gear**2, coulomb_friction=(forwards + backwards) / 2 * abs(gear),
        )
        for (d, a, alpha, reach), (mass, center, moments), (rotor, gear, viscous, forwards, backwards)
        in zip(_PUMA_GEOMETRY, _PUMA_BODIES, _DRIVES, strict=True)
    ]
    links, joints = links_and_joints(rows)
    known_faults = frozenset(model_warnings(links, joints))  # of link 1, see above
    robot = RobotModel("puma560", links, joints, known_faults=known_faults)
    return robot if drives else without_rotors(without_friction(robot))


# The Stanford arm, the first electric arm made for computer control, with a sliding third joint.


# theta, d, alpha (standard DH, every a is 0), kind of joint; range of q
_STANFORD_GEOMETRY = (
    (0.0, 0.412, -pi / 2, "revolute", (-radians(170), radians(170))),
    (0.0, 0.154, pi / 2, "revolute", (-radians(170), radians(170))),
    (-pi / 2, 0.0, 0.0, "prismatic", (0.3048, 1.27)),
    (0.0, 0.0, -pi / 2, "revolute", (-radians(170), radians(170))),
    (0.0, 0.0, pi / 2, "revolute", (-radians(90), radians(90))),
    (0.0, 0.0, 0.0, "revolute", (-radians(170), radians(170))),
)
# mass, mass center, moments about the frame's origin; inertia of the drive as felt at the joint
_STANFORD_BODIES = (
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
        for (theta, d, alpha, kind, limits), (mass, center, moments, rotor)
        in zip(_STANFORD_GEOMETRY, _STANFORD_BODIES, strict=True)
    ]
    links, joints = links_and_joints(rows, inertia_at="origin")
    tool = Joint("tool_joint", "link6", "tool", Fixed(), Pose(translation=(0.0, 0.0, _TOOL)))
    robot = RobotModel("stanford_arm", (*links, Link("tool")), (*joints, tool))
    return robot if drives else without_rotors(robot)


# The Universal Robots UR5, a six-joint collaborative arm.


_NAMES = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
# d, a, alpha (standard DH); mass, mass center; ixx, iyy, izz, ixz about it; largest torque
_UR5_ROWS = (
    (0.089159, 0.0, pi / 2, 3.7, (0.0, -0.02561, 0.00193), (0.0067, 0.0064, 0.0067, 0.0), 150.0),
    (0.0, -0.425, 0.0, 8.393, (0.2125, 0.0, 0.11336), (0.0149, 0.3564, 0.3553, 0.0), 150.0),
    (0.0, -0.39225, 0.0, 2.33, (0.15, 0.0, 0.0265), (0.0025, 0.0551, 0.0546, 0.0034), 150.0),
    (0.10915, 0.0, pi / 2, 1.219, (0.0, -0.0018, 0.01634), (0.0012, 0.0012, 0.0009, 0.0), 28.0),
    (0.09465, 0.0, -pi / 2, 1.219, (0.0, 0.0018, 0.01634), (0.0012, 0.0012, 0.0009, 0.0), 28.0),
    (0.0823, 0.0, 0.0, 0.1879, (0.0, 0.0, -0.001159), (0.0001, 0.0001, 0.0001, 0.0), 28.0),
)


def ur5() -> RobotModel:
    """The Universal Robots UR5 (CB3 series): six revolute joints.

    Link frames are the maker's standard DH frames, the last of them the flange's; joints are named as in ROS, whose
    link frames are others. At q = 0 the arm is stretched out along the base's -x.

    DH parameters, masses and mass centers: Universal Robots, DH parameters for calculations of kinematics and dynamics
    (support article, UR5); torques: Universal Robots, Max. joint torques (support article). The maker prints no
    moments of inertia for this arm and calls them negligible; those here, rounded to 1e-4 kg m^2, are what public
    models have with these masses; their origin is not known to us. The URDFs in circulation have cylinders instead.
    No friction, no rotors.

    >>> round(sum(link.inertia.mass for link in ur5().links), 4)
    17.0489
    """
    rows = [
        DHRow(
            d=d, a=a, alpha=alpha, mass=mass, center_of_mass=center,
            inertia=((ixx, 0.0, ixz), (0.0, iyy, 0.0), (ixz, 0.0, izz)),
            limits=Limits(-2 * pi, 2 * pi, pi, effort), name=f"{name}_joint",
        )
        for name, (d, a, alpha, mass, center, (ixx, iyy, izz, ixz), effort) in zip(_NAMES, _UR5_ROWS, strict=True)
    ]
    return from_dh(rows, name="ur5")
