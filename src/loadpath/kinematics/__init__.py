"""Where the links are to be: inverse kinematics."""

from loadpath.kinematics.inverse import IKResult, UnreachedWarning, inverse_kinematics

__all__ = ["IKResult", "UnreachedWarning", "inverse_kinematics"]
