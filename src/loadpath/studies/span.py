"""Numbers from one to another, for a parameter of a space: `lp.span("0 kg", "12 kg")`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from loadpath.robot.conditions import Kinds
from loadpath.robot.numbers import LARGEST_NUMBER
from loadpath.robot.units_of_text import kinds_of_unit, unit_in
from loadpath.scalars.types import Floats
from loadpath.studies.values import number_in_si

End: TypeAlias = float | str | None


@dataclass(frozen=True)
class Span:
    """Numbers from one to another: see `lp.span`."""

    low: End
    high: End
    count: int = 5
    spacing: Literal["linear", "logarithmic"] = "linear"

    @property
    def kinds(self) -> Kinds:
        """What it may measure, by its units; nothing without units."""
        found = [kinds_of_unit(unit_in(end) or "") for end in (self.low, self.high) if isinstance(end, str)]
        return tuple(kind for kind in found[0] if all(kind in other for other in found)) if found else ()

    def bounds(self, name: str, kinds: Kinds = (), default: tuple[float, float] | None = None) -> tuple[float, float]:
        """Both ends in SI units; `kinds` is what the parameter measures, where that is known."""
        ends = []
        for k, end in enumerate((self.low, self.high)):
            if end is None:
                if default is None or not math.isfinite(default[k]):
                    raise ValueError(f"'{name}' is a span without a {'lower' if k == 0 else 'upper'} end, and there is "
                                     "no limit that says it: expected one like lp.span(\"0 kg\", \"12 kg\")")
                ends.append(default[k])
            else:
                ends.append(number_in_si(end, name, kinds or self.kinds))
        low, high = ends
        if not low < high:
            raise ValueError(f"'{name}' is a span from {self.low} to {self.high}: expected the smaller end first")
        if self.spacing == "logarithmic" and low <= 0:
            raise ValueError(f"'{name}' is a logarithmic span from {self.low}: expected ends above zero")
        return low, high

    def at(self, shares: Floats, low: float, high: float) -> Floats:
        """Numbers at shares of the way from one end to the other."""
        if self.spacing == "logarithmic":
            spread: Floats = np.exp(np.log(low) + shares * (np.log(high) - np.log(low)))
            return spread
        return np.where(shares == 1.0, high, low + shares * (high - low))

    def shares_of(self, values: Floats, low: float, high: float) -> Floats:
        """At which share of the way numbers are."""
        if self.spacing == "logarithmic":
            shares: Floats = np.log(values / low) / np.log(high / low)
            return shares
        return np.asarray((values - low) / (high - low))


def span(
    low: End = None, high: End = None, count: int = 5, *,
    spacing: Literal["linear", "logarithmic"] = "linear",
) -> Span:
    """Numbers from `low` to `high`, for a parameter of an `lp.Space`: in SI units, or text with a unit. In a grid there
    are `count` of them, both ends among them. Of a position, speed or acceleration of a joint ends may be left out:
    its limits take their place.

    >>> import loadpath as lp
    >>> lp.span("400 mm", "0.7 m").bounds("upper_arm")
    (0.4, 0.7)
    >>> lp.span("0 kg", "12 m")
    Traceback (most recent call last):
    ValueError: a span from '0 kg' to '12 m': expected both ends in units of the same kind
    """
    for end in (low, high):
        if end is None or isinstance(end, str):
            continue
        if isinstance(end, bool) or not isinstance(end, (int, float, np.integer, np.floating)):
            raise ValueError(f"an end of a span is {end!r}: expected a number in SI units, or text like \"12 kg\"")
        if not abs(float(end)) <= LARGEST_NUMBER:
            raise ValueError(f"an end of a span is {end}: expected a finite number")
    texts = [end for end in (low, high) if isinstance(end, str)]
    for text in texts:
        unit = unit_in(text)
        if not unit:
            raise ValueError(f"an end of a span is {text!r}: expected a number with its unit, like \"12 kg\"")
        if not kinds_of_unit(unit):
            raise ValueError(f"an end of a span is {text!r}: the unit '{unit}' is not known")
    if len(texts) == 1 and low is not None and high is not None:
        raise ValueError(f"a span from {low!r} to {high!r}: expected a unit at both ends, or at none (SI units)")
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 2:
        raise ValueError(f"count of a span is {count!r}: expected how many numbers a grid has of it, two or more")
    if spacing not in ("linear", "logarithmic"):
        raise ValueError(f"spacing of a span is {spacing!r}: expected 'linear' or 'logarithmic'")
    made = Span(_plain(low), _plain(high), int(count), spacing)
    if texts and not made.kinds:
        raise ValueError(f"a span from {low!r} to {high!r}: expected both ends in units of the same kind")
    if low is not None and high is not None:
        made.bounds("span")
    return made


def _plain(end: End) -> End:
    return end if end is None or isinstance(end, str) else float(end)
