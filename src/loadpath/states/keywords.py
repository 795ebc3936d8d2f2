"""Loads that a function does not take: words that name both, and what to do instead."""

from __future__ import annotations

from collections.abc import Mapping

LOADS = ("external", "base_velocity", "base_acceleration", "gravity", "under")
"""Keywords of a load case."""
BASE_STANDS = "its base stands still; robot.floating() moves with its base, and base.carrying(robot) on wheels"
"""Of motions in time."""
MOVES_BY = "the base of a rover moves by velocity= (and acceleration=, where it is given), (v, w) in base axes"
"""Why the motion of a robot's base is not taken, and what to do."""


def refuse_keywords(
    caller: str, given: Mapping[str, object], instead: str | Mapping[str, str], has: str | None = None
) -> None:
    """Refuse keywords that a function does not have. For loads, `instead` says why and what to do: one text for all of
    them, or one for wrenches (`external`) and one for the motion of the base (`base`). For others `has` says what there
    is.

    >>> refuse_keywords("stiffness", {}, "")
    >>> refuse_keywords("stiffness", {"external": 1}, "it is the same under all loads")
    Traceback (most recent call last):
    TypeError: stiffness takes no 'external': it is the same under all loads
    """
    for name in given:
        if name not in LOADS:
            there_is = f": {has}" if has else ""
            raise TypeError(f"{caller}() got an unexpected keyword argument '{name}'{there_is}")
        text = instead if isinstance(instead, str) else instead["external" if name == "external" else "base"]
        raise TypeError(f"{caller} takes no '{name}': {text}")
