"""Loadpath: every force and torque in a robot, in every direction, at every joint, and which motion caused it.

>>> import loadpath as lp
>>> robot = lp.catalog.panda()
>>> robot.inverse_dynamics([0] * 7, [0] * 7, [0] * 7).shape
(7,)
"""

from loadpath import _sources  # noqa: F401, I001  records the source files before anything else is imported
from loadpath._version import __version__

from loadpath import catalog
from loadpath.api import Robot, from_dh, load
from loadpath.errors import ModelError, ModelWarning, UncompiledWarning
from loadpath.identification import BaseParameters, Excitation, Identification, excitation, identify
from loadpath.kinematics import IKResult, UnreachedWarning
from loadpath.loads import JointWrenches, LoadBreakdown, Wrench
from loadpath.loads.breakdown.reducers import LoadExtremes, LoadHistogram, LoadMean, LoadRMS
from loadpath.loads.floating import FreeBaseMotion, LinkMotions
from loadpath.loads.payload import MaxPayload
from loadpath.loads.peaks.result import PeakLoads
from loadpath.mobile import (
    CasterWheel,
    FixedWheel,
    Ground,
    MecanumWheel,
    OmniWheel,
    Rover,
    RoverEvent,
    RoverSimulation,
    Slip,
    Stability,
    SteeredWheel,
    Support,
    WheeledBase,
    WheelFriction,
    WheelLoads,
)
from loadpath.motion import Motion
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
from loadpath.structure import (
    ALUMINIUM,
    CARBON_UD,
    STEEL,
    TITANIUM,
    Bar,
    Beam,
    IBeam,
    JointCompliance,
    Material,
    RectangularTube,
    Rod,
    Section,
    Segment,
    Tube,
)
from loadpath.structure.flexible import FlexibleRobot
from loadpath.verification import Verification, verify

__all__ = [
    "ALUMINIUM",
    "CARBON_UD",
    "STEEL",
    "TITANIUM",
    "Bar",
    "BaseParameters",
    "Beam",
    "CasterWheel",
    "Continuous",
    "Cylindrical",
    "DHRow",
    "Excitation",
    "Fixed",
    "FixedWheel",
    "FlexibleRobot",
    "Free",
    "FreeBaseMotion",
    "Ground",
    "Helical",
    "IBeam",
    "IKResult",
    "Identification",
    "Inertia",
    "IntegrationError",
    "Joint",
    "JointCompliance",
    "JointWrenches",
    "Limits",
    "Link",
    "LinkMotions",
    "LoadBreakdown",
    "LoadExtremes",
    "LoadHistogram",
    "LoadMean",
    "LoadRMS",
    "Material",
    "MaxPayload",
    "MecanumWheel",
    "Mimic",
    "ModelError",
    "ModelWarning",
    "Motion",
    "OmniWheel",
    "PeakLoads",
    "Planar",
    "Pose",
    "Prismatic",
    "RectangularTube",
    "Revolute",
    "Robot",
    "Rod",
    "Rollout",
    "Rover",
    "RoverEvent",
    "RoverSimulation",
    "Section",
    "Segment",
    "Simulation",
    "Slip",
    "Spherical",
    "Stability",
    "SteeredWheel",
    "Support",
    "Translational",
    "Tube",
    "UncompiledWarning",
    "Universal",
    "UnreachedWarning",
    "Verification",
    "WheelFriction",
    "WheelLoads",
    "WheeledBase",
    "Wrench",
    "__version__",
    "catalog",
    "excitation",
    "from_dh",
    "identify",
    "load",
    "verify",
]
