"""The Universal Robots UR5, a six-joint collaborative arm."""

from __future__ import annotations

from math import pi

from loadpath.robot.dh import DHRow, from_dh
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Limits

_NAMES = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
# d, a, alpha (standard DH); mass, mass center; ixx, iyy, izz, ixz about it; largest torque
_ROWS = (
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
        for name, (d, a, alpha, mass, center, (ixx, iyy, izz, ixz), effort) in zip(_NAMES, _ROWS, strict=True)
    ]
    return from_dh(rows, name="ur5")
