"""Stops of categories 0, 1 and 2 (IEC 60204-1) from an instant of a motion: how long, how far, what they load.

    instant -> category 0: drives off, brakes grip           -> run until all joints rest   -> result
            -> category 1: braked along the path, then the same from rest
            -> category 2: braked along the path, and held
"""

from loadpath.stops.result import Stop
from loadpath.stops.stopping import stop

__all__ = ["Stop", "stop"]
