"""The words of a verdict: every surface (text, HTML, page, command line, JSON) takes them from here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from loadpath.parts.verdict.limits import LABEL

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow

HOLDS, EXCEEDED, UNKNOWN, BARE, NOTHING = (
    "holds", "does not hold", "not known to hold", "no limit exceeded", "nothing could be checked",
)
MOST_SHOWN = 10.0
"""Utilisations beyond this say no more than that there is hardly any capacity."""
NO_LOAD = 1e-9
"""Demands and capacities below this, in their SI units, are rounding."""
ARC_MINUTE = math.pi / 180 / 60
SMALL_ANGLE = 0.05
"""rad: capacities below this are shown in minutes of arc."""


def percent(used: float) -> str:
    """A utilisation in words.

    >>> percent(0.123), percent(1.00001), percent(364.128), percent(math.inf)
    ('12.3 %', 'just over 100 %', 'over 1000 %', 'over 1000 %')
    """
    if used > MOST_SHOWN:
        return "over 1000 %"
    text = f"{100 * used:.1f} %"
    return "just over 100 %" if used > 1.0 and text == "100.0 %" else text


def number(value: float) -> str:
    """A demand or a capacity: four digits, no rounding residue, nothing of what is not known.

    >>> number(1e-100), number(12.3456), number(math.nan), number(math.inf)
    ('0', '12.35', '', 'no limit')
    """
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "no limit"
    return "0" if abs(value) < NO_LOAD else f"{value:,.0f}" if 9999.5 <= abs(value) < 1e12 else f"{value:.4g}"


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


def row_words(part: str, joint: str, check: str, kind: str) -> str:
    """What was checked, and where.

    >>> row_words("limits", "elbow", "speed", "limits"), row_words("gear 2", "elbow", "peak torque", "gear")
    ("speed limit of 'elbow'", "peak torque of gear 2 at 'elbow'")
    >>> row_words("wheel", "left", "slip", "wheel"), row_words("base", "cart", "tipping over", "base")
    ("slip of wheel 'left'", "tipping over of base 'cart'")
    """
    if part == LABEL:
        return f"{check} limit of '{joint}'"
    if kind == "beam":
        return f"{check} of the beam of '{joint}'"
    if part == kind and kind in ("wheel", "base"):
        return f"{check} of {part} '{joint}'"
    return f"{check} of {part} at '{joint}'"


def is_alarming(verdict: Verdict) -> bool:
    """Whether something is exceeded, or not known."""
    return outcome(verdict) not in (HOLDS, BARE)


def outcome(verdict: Verdict) -> str:
    """What it comes to, in two or three words. That everything holds is said only of a motion that was given, with
    parts or beams, and without guesses.
    """
    if verdict.failing:
        return EXCEEDED
    if not verdict.ranked:
        return NOTHING
    if not verdict.holds:
        return UNKNOWN
    return HOLDS if verdict.basis.sound else BARE


def counts(verdict: Verdict) -> str:
    """How many checks there are, how many are exceeded, how many could not be made."""
    return count_words(len(verdict.checks), len(verdict.failing), len(verdict.not_checked))


def count_words(every: int, failing: int, missing: int) -> str:
    """In words.

    >>> count_words(23, 4, 0), count_words(1, 0, 0), count_words(5, 0, 2)
    ('4 exceeded of 23 checks', '1 check', '2 not checked of 5 checks')
    """
    parts = [f"{failing} exceeded"] if failing else []
    parts += [f"{missing} not checked"] if missing else []
    total = f"{every} check{'s' if every != 1 else ''}"
    return f"{', '.join(parts)} of {total}" if parts else total


def headline(verdict: Verdict) -> str:
    """The outcome, over which motion, how many checks, and what else it rests on."""
    unknown = f"; {verdict.unknown_words}" if verdict.unknown_count else ""
    return f"{outcome(verdict)} over {verdict.basis.over}: {counts(verdict)}{unknown}; {verdict.basis.rest}"


def summary(verdict: Verdict) -> str:
    """The headline, and the check that is nearest to its limit, or farthest beyond it."""
    worst = verdict.worst
    return headline(verdict) if worst is None else f"{headline(verdict)}; worst: {worst_words(worst)}"


def worst_words(row: VerdictRow) -> str:
    """A row and its utilisation."""
    return f"{row.words}, {percent(row.utilisation)}"
