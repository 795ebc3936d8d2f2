"""Motions over time: trajectories from arrays, files, via-points and simulations, with their checks and plots."""

from loadpath.motion.motion import Motion
from loadpath.motion.smoothing import LowPass, Smoothing

__all__ = ["LowPass", "Motion", "Smoothing"]
