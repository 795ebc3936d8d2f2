"""Wheels and feet, for classes of one's own: `loadpath.robot.wheels.contacts`."""

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

__all__ = [
    "FORWARD",
    "LEFT",
    "CasterWheel",
    "Contact",
    "FixedWheel",
    "MecanumWheel",
    "OmniWheel",
    "Row",
    "SteeredWheel",
    "Support",
    "Wheel",
]
