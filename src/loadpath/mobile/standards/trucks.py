"""The tilt table of industrial trucks, after ISO 22915: does the truck stand on a platform that tilts so far?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from loadpath.mobile.standards.reading import Load, at_least, least_at
from loadpath.mobile.standards.result import StandardRow, StandardTest
from loadpath.states import StatesLike

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Tilts = Literal["forward", "backward", "sideways", "any way"]
_AROUND = 91
"""Headings over a quarter turn, of which the worst counts."""
_HEAVY = 5000.0
"""kg of rated capacity, from which on other slopes are asked for."""


@dataclass(frozen=True)
class TiltTest:
    """One test on a tilting platform: which way the truck would tip, the slope (rise over run) to which the platform
    goes, with its load or without, and with the load raised (stacking) or lowered (travelling).

    >>> TiltTest("lateral, stacking", "sideways", 0.06, laden=True, raised=True).slope
    0.06
    """

    name: str
    tilts: Tilts
    slope: float
    laden: bool
    raised: bool
    source: str = "after ISO 22915-1; the slope is the caller's"

    def __post_init__(self) -> None:
        if self.tilts not in ("forward", "backward", "sideways", "any way"):
            raise ValueError(f"tilts of test '{self.name}' is {self.tilts!r}: expected 'forward', 'backward', "
                             "'sideways' or 'any way'")
        at_least(self.slope, f"slope of test '{self.name}'", "(rise over run, 0.06 is 6 %)", above=True)

    @property
    def headings(self) -> np.ndarray:
        """Headings (rad) on the platform that have this side downhill."""
        side = np.linspace(-np.pi / 4, np.pi / 4, _AROUND)
        return {"forward": np.array([np.pi]), "backward": np.array([0.0]),
                "sideways": np.concatenate([np.pi / 2 + side, -np.pi / 2 + side]),
                "any way": np.linspace(0.0, 2 * np.pi, 361)[:-1]}[self.tilts]


def counterbalanced(capacity: float) -> tuple[TiltTest, ...]:
    """The four tests of counterbalanced trucks with a mast, of a rated capacity (kg): the slopes that a report of
    Monash University quotes of the standard. That of the last is the largest there is (it grows with the speed).

    >>> [test.slope for test in counterbalanced(2000.0)]
    [0.04, 0.18, 0.06, 0.4]
    """
    heavy = at_least(capacity, "capacity", "kg", above=True) >= _HEAVY
    source = "after ISO 22915-2; slope as quoted by Monash University: check the edition"
    return (
        TiltTest("1 longitudinal, stacking", "forward", 0.035 if heavy else 0.04, True, True, source),
        TiltTest("2 longitudinal, travelling", "forward", 0.18, True, False, source),
        TiltTest("3 lateral, stacking", "sideways", 0.06, True, True, source),
        TiltTest("4 lateral, travelling", "sideways", 0.5 if heavy else 0.4, False, False,
                 f"{source}; the largest slope, which a slow truck need not stand"),
    )


def tilt_table(
    rover: Rover,
    q: StatesLike | None = None,
    *,
    load: float,
    link: str | None = None,
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0),
    lowered: StatesLike | None = None,
    tests: Iterable[TiltTest] | None = None,
    deflected: bool = False,
) -> StandardTest:
    """Does the truck stand on a tilting platform: with its load (kg, on a link) raised, in the pose `q`, and lowered,
    in the pose `lowered` (else the same). `tests` are `lp.TiltTest`s; without any they are `counterbalanced(load)`.

    >>> import loadpath as lp
    >>> truck = lp.WheeledBase(mass=2800, center_of_mass=(0.55, 0, 0.6), name="truck", wheels=[
    ...     lp.FixedWheel((1.4, y), 0.3) for y in (-0.45, 0.45)] + [lp.FixedWheel((0, y), 0.25) for y in (-0.4, 0.4)])
    >>> lift = truck.carrying(lp.catalog.planar(1, length=1.0, mass=100.0), at=(0.6, 0, 1.5))
    >>> test = lift.standards.tilt_table([0.5], load=1000.0, link="tip", lowered=[-1.2])
    >>> [(row.test, row.passes, round(row.limit, 3)) for row in test][:2]
    [('1 longitudinal, stacking', True, 0.61), ('2 longitudinal, travelling', True, 1.225)]
    """
    carried = Load(at_least(load, "load", "kg"), link, center_of_mass)
    laden = carried.on(rover)
    rows = []
    chosen = counterbalanced(max(carried.mass, 1.0)) if tests is None else tuple(tests)
    for test in chosen:
        if not isinstance(test, TiltTest):
            raise ValueError(f"{test!r} among the tests: expected an lp.TiltTest")
        subject = laden if test.laden else rover
        pose = q if test.raised or lowered is None else lowered
        arms = None if pose is None else np.asarray(pose, dtype=float)[..., None, :]
        tips = subject.largest_slope(arms, heading=test.headings, slipping=False, deflected=deflected)
        limit, which = least_at(tips.value)
        at = np.unravel_index(int(np.nanargmin(tips.value)), tips.value.shape) if not math.isnan(limit) else ()
        where = {"edge": str(tips.where[at])} if at else {}
        rows.append(StandardRow(
            test.name, test.slope, math.tan(limit) if limit < math.pi / 2 else math.inf, "slope", test.source,
            "The truck is rigid but for what deflected=True lets sag on the level, stands on points, and is kept from "
            "sliding; sideways is the worst heading within 45 degrees",
            {"load (kg)": carried.mass if test.laden else 0.0, "tips at (rad)": limit, **where, **which},
        ))
    return StandardTest("tilt table", rover.name, tuple(rows))
