"""Units of columns, as logs write them, and what numbers in them are multiplied by to be in s, rad, m, N m, N, A, kg.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

TIME = {
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3,
    "milliseconds": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "usec": 1e-6, "microsecond": 1e-6, "microseconds": 1e-6,
    "ns": 1e-9, "nsec": 1e-9, "nanosecond": 1e-9, "nanoseconds": 1e-9, "min": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0,
}
ANGLE = {
    "rad": 1.0, "radian": 1.0, "radians": 1.0, "mrad": 1e-3, "deg": math.pi / 180, "degs": math.pi / 180,
    "degree": math.pi / 180, "degrees": math.pi / 180, "°": math.pi / 180, "grad": math.pi / 200, "rev": 2 * math.pi,
    "revs": 2 * math.pi, "turn": 2 * math.pi, "turns": 2 * math.pi,
    "arcmin": math.pi / 10800, "arcsec": math.pi / 648000,
}
LENGTH = {
    "m": 1.0, "meter": 1.0, "metre": 1.0, "meters": 1.0, "metres": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6,
    "μm": 1e-6, "in": 0.0254, "inch": 0.0254,
}
TORQUE = {"nm": 1.0, "mnm": 1e-3, "ncm": 1e-2, "nmm": 1e-3, "knm": 1e3}
FORCE = {"n": 1.0, "kn": 1e3, "mn": 1e-3}
CURRENT = {"a": 1.0, "ma": 1e-3}
MASS = {"kg": 1.0, "g": 1e-3}
SPOKEN = {("rpm", 1): 2 * math.pi / 60, ("dps", 1): math.pi / 180, ("rps", 1): 2 * math.pi, ("1/min", 1): math.pi / 30}
"""Rates of angles with names of their own, and how often they are per time."""


class Quantity(NamedTuple):
    """What a column measures: its units by name, how often they are per time, and words for messages."""

    units: dict[str, float]
    per_time: int
    si: str
    examples: str


_ANGLES = [Quantity(ANGLE, k, f"rad{rate}", f"rad{rate}, deg{rate}") for k, rate in enumerate(("", "/s", "/s^2"))]
_LENGTHS = [Quantity(LENGTH, k, f"m{rate}", f"m{rate}, mm{rate}") for k, rate in enumerate(("", "/s", "/s^2"))]
SECONDS = Quantity(TIME, 0, "s", "s, ms, us, ns")
NUMBER = Quantity({}, 0, "", "no unit")
OTHERS = {
    "N m": Quantity(TORQUE, 0, "N m", "N m"), "N": Quantity(FORCE, 0, "N", "N"), "A": Quantity(CURRENT, 0, "A", "A"),
    "kg": Quantity(MASS, 0, "kg", "kg, g"), "m": _LENGTHS[0],
}


def quantity(unit: str, per_time: int = 0) -> Quantity:
    """Of a coordinate ("rad", "m" or ""), its speed (1) or acceleration (2)."""
    return {"rad": _ANGLES, "m": _LENGTHS}.get(unit, [NUMBER] * 3)[per_time]


def factor(unit: str, of: Quantity) -> float | None:
    """What numbers in a unit are multiplied by; None if it is not one of that quantity.

    >>> factor("deg", quantity("rad")), factor("mm/s", quantity("m", 1)), factor("deg", quantity("m"))
    (0.017453292519943295, 0.001, None)
    >>> [factor(text, quantity("rad", 2)) for text in ("rad/s²", "rad/s/s", "rad s^-2", "rpm")]
    [1.0, 1.0, 1.0, None]
    """
    text = unit.strip().lower()
    if of.units is ANGLE and (text, of.per_time) in SPOKEN:
        return SPOKEN[text, of.per_time]
    if not of.per_time:
        return of.units.get(re.sub(r"[\s·*.⋅-]", "", text))
    # numerator / time, with the power of the time as s^2, s2, s², s/s or s^-2
    top, mark, bottom = text.replace("²", "2").replace("^", "").replace("-", "").replace("*", "").partition("/")
    if not mark:
        top, _, bottom = text.replace("²", "2").replace("^", "").replace("-", "").partition(" ")
        bottom = bottom if bottom[-1:].isdigit() else ""
    bottom = re.sub(r"[\s()]", "", bottom)
    halves = bottom.split("/")
    if len(halves) == 2 and halves[0] == halves[1]:
        bottom = f"{halves[0]}2"
    power = 2 if bottom.endswith("2") else 1
    time = TIME.get(bottom.rstrip("12"))
    scale = of.units.get(top.strip())
    if time is None or scale is None or power != of.per_time:
        return None
    return scale / time**power


def is_unit(text: str) -> bool:
    """Whether it is a unit of anything that logs have.

    >>> is_unit("deg/s"), is_unit("[deg]"), is_unit("seven")
    (True, False, False)
    """
    every = (SECONDS, *_ANGLES, *_LENGTHS, *OTHERS.values())
    return any(factor(text, one) is not None for one in every)
