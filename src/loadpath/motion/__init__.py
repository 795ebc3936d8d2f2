"""Motions over time: trajectories from arrays, files, via-points and simulations, with their checks and plots; what
they carry on the way, and what many of them make of a robot's life.
"""

from loadpath.motion.carried import Carried
from loadpath.motion.motion import Motion
from loadpath.motion.spectrum import DutySpectrum

__all__ = ["Carried", "DutySpectrum", "Motion"]
