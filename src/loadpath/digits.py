"""Numbers as people read them, in tables of a terminal and on pages: how many digits, and in which unit."""

from __future__ import annotations

import math
from collections.abc import Iterable

TOO_LONG = 1e12
"""From here on a number is written with its power of ten; `report/templates/page/numbers.js` does the same."""
NO_LOAD = 1e-9
"""What is smaller, in its SI unit, is rounding."""
MOST_SHOWN = 10.0
"""Utilisations beyond this say no more than that there is hardly any capacity."""
MOST_DIGITS = 10
ARC_MINUTE = math.pi / 180 / 60
SMALL_ANGLE = 0.05
"""rad: capacities below this are shown in minutes of arc."""


def number(value: float, none: str = "", digits: int = 4) -> str:
    """Four digits, thousands apart, no rounding residue; `none` for what is not known.

    >>> number(12.3456), number(1e-12), number(math.nan, "-"), number(123456.7), number(22180.0), number(-2e-12)
    ('12.35', '0', '-', '123,457', '22,180', '0')
    >>> number(2.0487e22)                                 # hours of a beam that hardly bends
    '2.049e+22'
    """
    if math.isnan(value):
        return none
    if abs(value) < NO_LOAD:
        return "0"
    whole = 10.0**digits - 0.5 <= abs(value) < TOO_LONG
    return f"{value:,.0f}" if whole else f"{value:.{digits}g}"


def fixed(value: float, places: int) -> str:
    """A number with so many decimals; nothing is shown as minus zero.

    >>> fixed(-1e-9, 2), fixed(-0.125, 2)
    ('0.00', '-0.12')
    """
    return _grouped(value, places).replace(",", "")


def decimals(largest: float) -> int:
    """How many decimals show a number with four digits (three if it is below one).

    >>> decimals(-123.4), decimals(0.01), decimals(0.0)
    (1, 4, 2)
    """
    size = abs(largest)
    if not math.isfinite(size) or size < NO_LOAD:
        return 2
    return min(max((3 if size >= 1 else 2) - math.floor(math.log10(size)), 0), 8)


def alike(values: Iterable[float], none: str = "") -> list[str]:
    """Numbers of one column, all with the decimals that show the largest of them.

    >>> alike([1164.2, -25.5, 0.04, math.nan], "-"), alike([32.7, 0.202])
    (['1,164', '-26', '0', '-'], ['32.70', '0.20'])
    """
    every = [float(value) for value in values]
    places = decimals(max((abs(value) for value in every if math.isfinite(value)), default=0.0))
    return [_grouped(value, places) if math.isfinite(value) else none for value in every]


def _grouped(value: float, places: int) -> str:
    text = f"{value:,.{places}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def percent(used: float) -> str:
    """A utilisation in words.

    >>> percent(0.123), percent(1.00001), percent(364.128), percent(math.inf)
    ('12.3 %', 'just over 100 %', 'over 1000 %', 'over 1000 %')
    """
    if used > MOST_SHOWN:
        return "over 1000 %"
    text = f"{100 * used:.1f} %"
    return "just over 100 %" if used > 1.0 and text == "100.0 %" else text


def life_words(hours: float, none: str = "") -> str:
    """A life in hours.

    >>> life_words(12345.6), life_words(math.inf)
    ('12,346', 'unlimited')
    """
    return "unlimited" if math.isinf(hours) else number(hours, none)


def compared(demand: float, capacity: float, none: str = "") -> tuple[str, str]:
    """Both with as many digits as tell them apart.

    >>> compared(1.74, 2.175), compared(100.04, 100.0), compared(0.0042, 0.0015), compared(3.0, math.inf)
    (('1.74', '2.175'), ('100.04', '100'), ('0.0042', '0.0015'), ('3', 'no limit'))
    """
    limit = "no limit" if math.isinf(capacity) else number(capacity, none)
    shown = number(demand, none)
    apart = math.isfinite(demand) and abs(demand - capacity) > NO_LOAD * max(abs(demand), NO_LOAD)
    for digits in range(5, MOST_DIGITS + 1):
        if shown != limit or not apart:
            break
        shown, limit = (f"{value:,.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}".rstrip("0").rstrip(".")
                        if value and abs(value) < TOO_LONG else number(value, none, digits)
                        for value in (demand, capacity))
    return shown, limit


def in_shown_unit(demand: float, capacity: float, unit: str) -> tuple[float, float, str]:
    """Demand and capacity in the unit that people read: stresses in MPa, small angles in minutes of arc.

    >>> in_shown_unit(130308248.0, 2.5e8, "Pa")
    (130.308248, 250.0, 'MPa')
    """
    if unit == "Pa":
        return demand / 1e6, capacity / 1e6, "MPa"
    if unit == "rad" and abs(capacity) < SMALL_ANGLE:
        return demand / ARC_MINUTE, capacity / ARC_MINUTE, "arcmin"
    return demand, capacity, unit
