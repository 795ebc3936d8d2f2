"""Loads: wrenches as pairs of force and torque, and those at the joints of a robot."""

from loadpath.loads.wrench import JointWrenches, Wrench

__all__ = ["JointWrenches", "Wrench"]
