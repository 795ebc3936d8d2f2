"""Smoothing of noisy samples before they are differentiated: `operator` smooths, `choice` says how much, `states` what.
"""

from loadpath.motion.smoothing.result import LowPass, Smoothing
from loadpath.motion.smoothing.states import Completed, Smooth, from_positions, from_speeds

__all__ = ["Completed", "LowPass", "Smooth", "Smoothing", "from_positions", "from_speeds"]
