"""Where beams in guides are cut: for each part the stations that may lie in it, and how long its pieces may become."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from loadpath.robot.beams.profile import ROUNDING
from loadpath.robot.beams.station import Station
from loadpath.structure.beams.guided_line import GuidedLine
from loadpath.structure.vibration.basis import RESULTANTS, order_of_piece, polynomials
from loadpath.structure.vibration.mass import ArmParts

SAMPLES = 7
"""Places of every moving station of a part at which the lengths of its pieces are looked at."""


def guided_size(cut: ArmParts, effects: tuple[str, ...], order: int) -> int:
    """The number of elastic coordinates of all beams in guides, and of the drives of these."""
    chosen = [resultant for resultant in RESULTANTS if resultant.effect in effects]
    total = 0
    for line in cut.lines:
        for _, orders in cuts_of(line, order):
            total += sum(polynomials(resultant, own) for resultant in chosen for own in orders)
    return total + sum(guide.along > 0 and "joints" in effects for guide in cut.guides)


def cuts_of(line: GuidedLine, order: int) -> list[tuple[tuple[int, ...], list[int]]]:
    """For each part the stations that may lie in it, and the orders of its pieces."""
    found: list[tuple[tuple[int, ...], list[float]]] = []
    tolerance = ROUNDING * line.length
    for part in line.parts:
        inside = []
        for k, station in enumerate(line.stations):
            low, high = _reach(line, station)
            if not part.stretch.segment.tapered and low < part.stop - tolerance and high > part.start + tolerance:
                inside.append(k)
        found.append((tuple(inside), _longest(line, part.start, part.stop, inside)))
    longest = max((length for _, lengths in found for length in lengths), default=1.0)
    return [
        (inside, [order_of_piece(order, length / longest) for length in lengths])
        for inside, lengths in found
    ]


def _reach(line: GuidedLine, station: Station) -> tuple[float, float]:
    """Where a station may be."""
    if not station.moves:
        return station.constant, station.constant
    guides = [guide for guide, _, _ in line.carried] + ([] if line.guide is None else [line.guide])
    low, high = -math.inf, math.inf
    for guide in guides:
        if guide.extension.moves and guide.extension.index == station.index:
            low, high = max(low, guide.allowed[0]), min(high, guide.allowed[1])
    return station.range(low, high)


def _longest(line: GuidedLine, start: float, stop: float, inside: list[int]) -> list[float]:
    """For each piece of a part how long it may be."""
    choices = []
    for k in inside:
        low, high = (min(max(x, start), stop) for x in _reach(line, line.stations[k]))
        choices.append(np.linspace(low, high, SAMPLES) if high > low else np.array([low]))
    if math.prod(len(each) for each in choices) > SAMPLES**4:
        return [stop - start] * (len(inside) + 1)
    places = np.array(list(product(*choices))).reshape(-1, len(inside))
    ends = [np.full((len(places), 1), x) for x in (start, stop)]
    edges = np.concatenate([ends[0], np.sort(places, axis=1), ends[1]], axis=1)
    return [float(length) for length in np.diff(edges, axis=1).max(axis=0)]
