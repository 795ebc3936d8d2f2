"""What a rover is asked for and does not have: words that say what its robots have, and how to ask them."""

from __future__ import annotations

from typing import Any


def missing(rover: Any, name: str) -> str:
    """The words of an AttributeError. A quantity of robots is asked of `rover.robot`, with the motion of the base and,
    on a slope, under its gravity.
    """
    robot, ground = rover.__dict__.get("robot"), rover.__dict__.get("ground")
    if name.startswith("_") or robot is None or not hasattr(type(robot), name):
        return f"'{type(rover).__name__}' object has no attribute '{name}'"
    if ground is not None and ground.slope:
        asked = f"rover.robot.with_gravity(rover.ground.gravity_in_base(heading)).{name}"
        where = f", on its slope of {ground.slope:.4g} rad"
    else:
        asked, where = f"rover.robot.{name}", ""
    together = "; rover.planar.equations is that of base and robots on the ground, wheels aside"
    return (
        f"rover '{rover.name}' has no '{name}' of its own: {asked} is that of the robots it carries{where}; for a base "
        f"that moves, give base_velocity= and base_acceleration= where it takes them{together * (name == 'equations')}"
    )
