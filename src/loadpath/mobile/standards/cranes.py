"""Cranes and outriggers: rated loads against the load that tips, the lighter side, pressure on the ground."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from loadpath.mobile.standards.reading import Load, at_least, least_at, share
from loadpath.mobile.standards.result import StandardRow, StandardTest
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import StatesLike

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Mounting = Literal["outriggers", "crawlers", "wheels", "travelling"]
SHARES: Mapping[str, tuple[float, str]] = {
    "outriggers": (0.85, "85 % of the tipping load, as 29 CFR 1910.180(c)(1) and ASME have it for outriggers"),
    "crawlers": (0.75, "75 % of the tipping load, as 29 CFR 1910.180(c)(1) and ASME have it for crawlers"),
    "wheels": (0.75, "75 % of the tipping load, stationary, as AS 1418.5 has it"),
    "travelling": (2.0 / 3.0, "66.6 % of the tipping load, pick and carry, as AS 1418.5 has it"),
}
"""Share of the tipping load that may be rated, by what the crane stands on, and where that comes from."""
LIGHTER_SIDE = 0.15
"""Share of the weight that the lighter side or end of an unloaded crane carries at least: a number in use for mobile
cranes on wheels, for which no text of a standard was at hand."""


def crane_stability(
    rover: Rover,
    q: StatesLike | None = None,
    *,
    load: float,
    link: str | None = None,
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0),
    mounting: Mounting = "outriggers",
    rated_share: float | None = None,
    unloaded: StatesLike | None = None,
    lighter_side: float = LIGHTER_SIDE,
) -> StandardTest:
    """A crane that lifts a load (kg, the rated one, hook and slings with it) on a link in the poses `q`: forward, the
    load against `rated_share` of the load that tips it, statically and in the worst pose; backward, in the poses
    `unloaded` (else `q`) without the load, what the lighter side or end carries against a share of the weight.

    >>> import loadpath as lp
    >>> feet = [lp.Support((x, y)) for x in (-2.0, 2.0) for y in (-2.0, 2.0)]
    >>> crane = lp.WheeledBase(mass=8000, center_of_mass=(0, 0, 1), wheels=feet).carrying(
    ...     lp.catalog.planar(1, length=6.0, mass=100.0), at=(0, 0, 2))
    >>> test = crane.standards.crane_stability([0.0], load=3000.0, link="tip")
    >>> row = test["forward"]                # 8000 kg x 2 m = 100 kg x 1 m + tipping load x 4 m, 85 % of it
    >>> row.numbers["tipping load (kg)"], row.limit, test.passes
    (3975.0, 3378.75, True)
    """
    if mounting not in SHARES:
        raise ValueError(f"mounting is {mounting!r}: expected one of {', '.join(SHARES)}")
    rated = at_least(load, "load", "kg", above=True)
    part, source = SHARES[mounting]
    if rated_share is not None:
        part, source = share(rated_share, "rated_share"), "the caller's share of the tipping load"
    tipping, which = least_at(np.asarray(rover.largest_payload(q, link=link, center_of_mass=center_of_mass)))
    tipping = float(f"{tipping:.12g}")
    forward = StandardRow(
        "forward", rated, part * tipping, "kg", f"after ISO 4305 in its purpose; {source}",
        "Level ground, no wind, no dynamic factors, rigid: the load as a point on its link",
        {"tipping load (kg)": tipping, "share": part, **which},
    )
    lightest, where = _lighter_side(rover, q if unloaded is None else unloaded)
    backward = StandardRow(
        "backward", share(lighter_side, "lighter_side"), lightest, "of the weight",
        "after practice for mobile cranes on wheels; check the edition that applies for this share",
        "The crane without its load, the normal forces as the contacts share them", where,
    )
    return StandardTest("crane stability", rover.name, (forward, backward))


def _lighter_side(rover: Rover, q: StatesLike | None) -> tuple[float, dict[str, float | str]]:
    """The least share of the weight on one side of the middle between the outermost contacts, by sides and ends."""
    loads = rover.wheel_loads(q)
    normal, points = loads.normal, loads.points
    least, numbers = math.inf, dict[str, float | str]()
    for axis, names in ((1, ("right", "left")), (0, ("rear", "front"))):
        at = points[..., axis]
        middle = 0.5 * (at.min(axis=-1, keepdims=True) + at.max(axis=-1, keepdims=True))
        for name, mine in zip(names, (at < middle, at > middle), strict=True):
            carried, which = least_at((normal * mine).sum(axis=-1) / normal.sum(axis=-1))
            if math.isnan(carried):
                return math.nan, {}
            if carried < least:
                least, numbers = carried, {"lighter side": name, **which}
    return least, numbers


def outrigger_pressure(
    rover: Rover,
    q: StatesLike | None = None,
    *,
    pad: float | Mapping[str, float],
    allowed: float,
    plate: float | Mapping[str, float] | None = None,
    spread: float | None = None,
    load: float = 0.0,
    link: str | None = None,
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0),
    heading: ArrayLike | None = None,
) -> StandardTest:
    """Pressure (Pa) of every contact on the ground against what the soil bears: the largest normal force of all poses
    over the area (m^2) of its `pad`, by the names of the contacts or one for all. A `plate` (m^2) under it carries
    the load to its whole area, if it is stiff; with `spread` (m, as far as it carries beyond the pad on every side) to
    a square so much wider, at most the plate.

    >>> import loadpath as lp
    >>> feet = [lp.Support((x, y)) for x in (-2.0, 2.0) for y in (-2.0, 2.0)]
    >>> crane = lp.WheeledBase(mass=8000, center_of_mass=(0, 0, 1), wheels=feet).carrying()
    >>> test = crane.standards.outrigger_pressure(pad=0.16, plate=1.0, allowed=100e3)
    >>> round(test["wheel1"].demand), test.passes                                        # 8000 kg x 9.81 / 4 on 1 m^2
    (19620, True)
    """
    bears = at_least(allowed, "allowed", "Pa", above=True)
    names = rover.contact_names
    pads, plates = _areas(names, pad, "pad"), None if plate is None else _areas(names, plate, "plate")
    subject = Load(at_least(load, "load", "kg"), link, center_of_mass).on(rover)
    normal = subject.wheel_loads(q, heading=heading).normal.reshape(-1, len(names))
    rows = []
    for k, name in enumerate(names):
        area = pads[k]
        if plates is not None and spread is None:
            area = max(area, plates[k])
        elif spread is not None:
            wider = (math.sqrt(area) + 2 * at_least(spread, "spread", "m")) ** 2
            area = wider if plates is None else max(area, min(wider, plates[k]))
        most, which = least_at(-normal[:, k])
        rows.append(StandardRow(
            name, -most / area, bears, "Pa", "practice: normal force over area; the pressure that the soil bears is "
            "the caller's, of a survey of the ground",
            "Pressure is even under the area; pads of one contact do not act on another's soil",
            {"normal force (N)": -most, "area (m^2)": area, **which},
        ))
    return StandardTest("outrigger pressure", rover.name, tuple(rows))


def _areas(names: tuple[str, ...], given: float | Mapping[str, float], what: str) -> Floats:
    if isinstance(given, Mapping):
        if wrong := [name for name in given if name not in names]:
            raise ValueError(f"{what}: no contact '{wrong[0]}'; there are {', '.join(names)}")
        if missing := [name for name in names if name not in given]:
            raise ValueError(f"{what}: contact '{missing[0]}' has no area (m^2)")
        return np.array([at_least(given[name], f"{what} of '{name}'", "m^2", above=True) for name in names])
    return np.full(len(names), at_least(given, what, "m^2", above=True))
