"""Robots of one topology whose numbers are arrays: `robot.family([...])` and `lp.Family(robots)`.

A family has every compiled quantity that its robot has, for all of its designs at once.
"""

from loadpath.families.family import Family, family

__all__ = ["Family", "family"]
