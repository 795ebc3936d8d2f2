"""The joints, 0 to 6 degrees of freedom: a class each. `base.py` has what every joint says about itself."""

from loadpath.robot.joints.base import Columns, JointType, X, Y, Z
from loadpath.robot.joints.generalized import Generalized
from loadpath.robot.joints.one_axis import Continuous, Cylindrical, Fixed, Helical, Prismatic, Revolute
from loadpath.robot.joints.several import Planar, Translational, Universal
from loadpath.robot.joints.turning import Free, PointOnLine, PointOnPlane, Spherical

__all__ = [
    "Columns",
    "Continuous",
    "Cylindrical",
    "Fixed",
    "Free",
    "Generalized",
    "Helical",
    "JointType",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Translational",
    "Universal",
    "X",
    "Y",
    "Z",
]
