"""What a flexible arm can be asked about its vibrations, a line each."""

from __future__ import annotations

from loadpath.structure import vibration


class VibrationMethods:
    """Methods of `FlexibleRobot`."""

    natural_frequencies = vibration.natural_frequencies
