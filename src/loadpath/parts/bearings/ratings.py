"""Numbers that all rolling bearings have in common: how they are read, and what reliability costs (ISO 281)."""

from __future__ import annotations

import math

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.parts.part import Place
from loadpath.robot.numbers import number, positive

BALLS, ROLLERS = 3.0, 10.0 / 3.0
"""Exponents of the life (ISO 281, 5.3 and 7.3): point and line contact."""

RELIABILITIES = np.array(
    [0.90, 0.95, 0.96, 0.97, 0.98, 0.99, 0.992, 0.994, 0.996, 0.998, 0.999, 0.9992, 0.9994, 0.9995]
)
A1 = np.array([1.0, 0.64, 0.55, 0.47, 0.37, 0.25, 0.22, 0.19, 0.16, 0.12, 0.093, 0.087, 0.080, 0.077])
"""Life adjustment factor for reliability: ISO 281:2007, table 12, which ISO/TR 1281-2 derives as
0.05 + 0.95 (ln(1/S) / ln(1/0.9))^(1/1.5). Catalogues of ISO 281:1990 have 0.62, 0.53, 0.44, 0.33 and 0.21 to 99 %."""


def reliability_factor(reliability: float) -> float:
    """a1 of ISO 281:2007, table 12, between its rows linear: the share of the L10 life that more bearings reach.

    >>> reliability_factor(0.95)
    0.64
    """
    return float(np.interp(reliability, RELIABILITIES, A1))


def life_name(reliability: float) -> str:
    """L10, L5, L0.1: the share of bearings that fail before, in per cent.

    >>> life_name(0.9), life_name(0.999)
    ('L10', 'L0.1')
    """
    return f"L{100 * (1 - reliability):.3g}"


def read_reliability(value: object, of: str) -> float:
    """A share from 0.9 to 0.9995, those of the table."""
    read = number(value, f"reliability {of}")
    if not 0.9 <= read <= 0.9995:
        raise ModelError(f"reliability {of} is {read:g}: expected a share from 0.9 to 0.9995 (ISO 281, table 12)")
    return read


def read_rating(value: object, what: str) -> float | None:
    """A load rating in N, or None; a rating that must be one of kN is asked about."""
    if value is None:
        return None
    read = positive(value, what)
    if read < 100.0:
        warn(f"{what} is {read:g} N: is it in N? 69.3 kN is 69.3e3")
    return read


def read_diameter(value: object, what: str) -> float:
    """m; one that must be in mm is asked about."""
    read = positive(value, what)
    if read > 15.0:
        warn(f"{what} is {read:g} m: is it in m? 277.5 mm is 0.2775")
    return read


def read_angle(value: object, what: str, largest: float = math.pi / 2) -> float:
    """rad, above zero; one that must be in degrees is refused."""
    read = positive(value, what)
    if read > largest:
        raise ModelError(f"{what} is {read:g} rad: expected at most {largest:.4g} rad; from degrees: "
                         f"np.radians({read:g})")
    return read


def read_length(value: object, what: str) -> float:
    """m, either way; one that must be in mm is asked about."""
    read = number(value, what)
    if abs(read) > 15.0:
        warn(f"{what} is {read:g} m: is it in m? 35 mm is 0.035")
    return read


def needs_turning(part: str, place: Place) -> None:
    """Refuse joints that do not turn about a single axis; one that is locked only holds, and may."""
    if place.has_axis and (place.turns or not place.moves):
        return
    if place.has_axis:
        raise ModelError(f"joint '{place.joint}' slides: {part} is for a joint that turns about "
                         "one axis; lp.LinearGuide is for slides")
    raise ModelError(f"joint '{place.joint}' is fixed or has several freedoms: {part} is for a "
                     f"joint that turns about one axis; robot.without_parts('{place.joint}') takes it off")
