"""Loadpath: every force and torque in a robot, in every direction, at every joint, and which motion caused it.

>>> import loadpath as lp
>>> robot = lp.catalog.panda()
>>> robot.inverse_dynamics([0] * 7, [0] * 7, [0] * 7).shape
(7,)
"""

__version__ = "0.1.0"

from loadpath import catalog
from loadpath.api import Robot, from_dh, load
from loadpath.errors import ModelError, ModelWarning, UncompiledWarning
from loadpath.identification import BaseParameters, Excitation, Identification, excitation, identify
from loadpath.kinematics import IKResult, UnreachedWarning
from loadpath.loads import JointWrenches, Wrench
from loadpath.robot.dh import DHRow
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import (
    Continuous,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
)
from loadpath.robot.model import Joint, Limits, Link, Mimic
from loadpath.robot.pose import Pose
from loadpath.simulate import IntegrationError, Rollout, Simulation
from loadpath.verification import Verification, verify

__all__ = [
    "BaseParameters",
    "Continuous",
    "Cylindrical",
    "DHRow",
    "Excitation",
    "Fixed",
    "Free",
    "Helical",
    "IKResult",
    "Identification",
    "Inertia",
    "IntegrationError",
    "Joint",
    "JointWrenches",
    "Limits",
    "Link",
    "Mimic",
    "ModelError",
    "ModelWarning",
    "Planar",
    "Pose",
    "Prismatic",
    "Revolute",
    "Robot",
    "Rollout",
    "Simulation",
    "Spherical",
    "Translational",
    "UncompiledWarning",
    "Universal",
    "UnreachedWarning",
    "Verification",
    "Wrench",
    "catalog",
    "excitation",
    "from_dh",
    "identify",
    "load",
    "verify",
]
