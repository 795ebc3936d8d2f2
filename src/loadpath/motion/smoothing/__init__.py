"""Smoothing of noisy samples before they are differentiated: `operator` smooths and says how much, `states` what.
"""

from loadpath.motion.smoothing.states import Completed, LowPass, Smooth, Smoothing, from_positions, from_speeds

__all__ = ["Completed", "LowPass", "Smooth", "Smoothing", "from_positions", "from_speeds"]
