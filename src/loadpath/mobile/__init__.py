"""Movable robots: bases on wheels and feet, what their contacts carry, when they tip or slip, how they roll.

What there is, contacts, friction, base and ground, is data of the robot: `loadpath.robot.wheels`. `mounting` puts
robots on a base; `rover` is what wheels bring to a robot, `on_base` what a rover has of its robots. `kinematics` has
wheel rates and constraints, `contacts` and `normals` share the forces among the contacts, `loads`, `stability` and
`slip` are the results. `dynamics` has accelerations, `simulate` the motion in time. The equations of motion are in
`ground_wrench`.
"""

from loadpath.mobile.loads import WheelLoads
from loadpath.mobile.posture import Posture
from loadpath.mobile.ride import RideModes
from loadpath.mobile.rover import Rover, WheeledBase
from loadpath.mobile.slip import Slip
from loadpath.mobile.stability import Stability
from loadpath.mobile.standards import Standards
from loadpath.mobile.standards.limit_map import LimitMap
from loadpath.mobile.standards.result import StandardRow, StandardTest
from loadpath.mobile.standards.trucks import TiltTest
from loadpath.mobile.wheel_breakdown import WheelLoadBreakdown
from loadpath.mobile.wheel_motors import WheelMotors
from loadpath.robot.wheels.contacts import (
    FORWARD,
    LEFT,
    CasterWheel,
    Contact,
    FixedWheel,
    MecanumWheel,
    OmniWheel,
    Row,
    SteeredWheel,
    Support,
    Wheel,
)
from loadpath.robot.wheels.friction import WheelFriction
from loadpath.robot.wheels.ground import Ground
from loadpath.robot.wheels.ground_motion import GroundMotion, GroundState, Sinusoid, TimeSeries
from loadpath.robot.wheels.patches import Patch
from loadpath.robot.wheels.surface import HeightMap, Kerb, Ramp, Surface
from loadpath.robot.wheels.suspension import AntiRollBar, Suspension
from loadpath.robot.wheels.tracks import Track
from loadpath.simulate.events import RoverEvent
from loadpath.simulate.result import RoverSimulation

__all__ = [
    "FORWARD",
    "LEFT",
    "AntiRollBar",
    "CasterWheel",
    "Contact",
    "FixedWheel",
    "Ground",
    "GroundMotion",
    "GroundState",
    "HeightMap",
    "Kerb",
    "LimitMap",
    "MecanumWheel",
    "OmniWheel",
    "Patch",
    "Posture",
    "Ramp",
    "RideModes",
    "Rover",
    "RoverEvent",
    "RoverSimulation",
    "Row",
    "Sinusoid",
    "Slip",
    "Stability",
    "StandardRow",
    "StandardTest",
    "Standards",
    "SteeredWheel",
    "Support",
    "Surface",
    "Suspension",
    "TiltTest",
    "TimeSeries",
    "Track",
    "Wheel",
    "WheelFriction",
    "WheelLoadBreakdown",
    "WheelLoads",
    "WheelMotors",
    "WheeledBase",
]
