"""Units of what joints and drives carry."""

from __future__ import annotations

from loadpath.robot.model import RobotModel

OF_DRIVES = ("drive", "speed", "acceleration", "power")
"""Quantities of a degree of freedom; all others are of a joint."""


def unit_of(robot: RobotModel | None, name: str, quantity: str) -> str:
    """The unit of a quantity of a joint or drive.

    >>> import loadpath as lp
    >>> arm = lp.catalog.lau_arm()
    >>> unit_of(arm, "d2", "drive"), unit_of(arm, "d2", "tilting_moment"), unit_of(arm, "theta1", "speed")
    ('N', 'N m', 'rad/s')
    """
    if quantity == "power":
        return "W"
    if quantity in OF_DRIVES and robot is not None:
        angular = [a for joint in robot.joints if joint.mimic is None for a in joint.motion.angular]
        turns = angular[robot.dof_names.index(name)]
        units = {"drive": ("N", "N m"), "speed": ("m/s", "rad/s"), "acceleration": ("m/s^2", "rad/s^2")}
        return units[quantity][turns]
    return "N" if "force" in quantity else "N m"
