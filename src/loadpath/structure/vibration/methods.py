"""What a flexible arm can be asked about its vibrations, and its pictures, a line each."""

from __future__ import annotations

from loadpath.structure.drawing import deflected as drawing
from loadpath.structure.vibration import bandwidth as vibration_bandwidth
from loadpath.structure.vibration import frequencies as vibration
from loadpath.structure.vibration import frequency_map


class VibrationMethods:
    """Methods of `FlexibleRobot`."""

    natural_frequencies = vibration.natural_frequencies
    frequency_map = frequency_map.frequency_map
    bandwidth_check = vibration_bandwidth.bandwidth_check
    plot_deflection = drawing.plot_deflection
    plot_safety = drawing.plot_safety
