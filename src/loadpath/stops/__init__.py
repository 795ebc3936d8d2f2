"""Exceptional cases, each from an instant of a motion: how long, how far, what they load.

Stops of categories 0, 1 and 2 (IEC 60204-1):

    instant -> category 0: drives off, brakes grip           -> run until all joints rest   -> result
            -> category 1: braked along the path, then the same from rest
            -> category 2: braked along the path, and held
"""

from loadpath.stops.collided import Collision
from loadpath.stops.collision import collision
from loadpath.stops.jam import Jam, jam
from loadpath.stops.result import Stop
from loadpath.stops.stopping import stop

__all__ = ["Collision", "Jam", "Stop", "collision", "jam", "stop"]
