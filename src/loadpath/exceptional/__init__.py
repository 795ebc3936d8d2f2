"""Exceptional load cases: stops, collisions, overloads, which meet momentary limits and are counted apart from a duty.

    ExceptionalCase (what is asked) -> event of each motion -> momentary verdict -> rows of the verdict on the duty
"""

from loadpath.exceptional.kinds import KINDS

__all__ = ["KINDS"]
