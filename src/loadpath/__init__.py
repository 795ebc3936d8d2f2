"""Loadpath: every force and torque in a robot, in every direction, at every joint."""

__version__ = "0.1.0"
