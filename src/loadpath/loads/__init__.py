"""Loads: wrenches as pairs of force and torque, those at the joints of a robot, and which cause they have."""

from loadpath.loads.breakdown.result import Contribution, LoadBreakdown
from loadpath.loads.wrench import JointWrenches, Wrench

__all__ = ["Contribution", "JointWrenches", "LoadBreakdown", "Wrench"]
