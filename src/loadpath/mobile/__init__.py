"""Movable robots: bases on wheels and feet, what their contacts carry, when they tip or slip, how they roll.

`wheels`, `friction`, `ground`, `base` say what there is; `mounting` puts robots on a base; `rover` is the class that
users hold. `kinematics` has wheel rates and constraints, `normals` and `traction` share the forces among the contacts,
`loads`, `stability` and `slip` are the results. `dynamics` has accelerations, `simulate` the motion in time, with
`contact_elements`, `contact_forces` and `contact_switching` under it. The equations of motion are in
`loadpath.mobile.ground_wrench`.
"""

from loadpath.mobile.events import RoverEvent
from loadpath.mobile.friction import WheelFriction
from loadpath.mobile.ground import Ground
from loadpath.mobile.loads import WheelLoads
from loadpath.mobile.rover import Rover, WheeledBase
from loadpath.mobile.simulation_result import RoverSimulation
from loadpath.mobile.slip import Slip
from loadpath.mobile.stability import Stability
from loadpath.mobile.wheel_breakdown import WheelLoadBreakdown
from loadpath.mobile.wheels import (
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

__all__ = [
    "FORWARD",
    "LEFT",
    "CasterWheel",
    "Contact",
    "FixedWheel",
    "Ground",
    "MecanumWheel",
    "OmniWheel",
    "Rover",
    "RoverEvent",
    "RoverSimulation",
    "Row",
    "Slip",
    "Stability",
    "SteeredWheel",
    "Support",
    "Wheel",
    "WheelFriction",
    "WheelLoadBreakdown",
    "WheelLoads",
    "WheeledBase",
]
