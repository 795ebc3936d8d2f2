"""Motions over time: trajectories from arrays, files, via-points and simulations, with their checks and plots."""

from loadpath.motion.motion import Motion

__all__ = ["Motion"]
