"""Loads: wrenches as pairs of force and torque, those at the joints of a robot, and which cause they have."""
