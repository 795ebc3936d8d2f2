"""Beams in guides as parts of a model: where they are cut, which orders their pieces have, and the links that slide."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from loadpath.robot.beams.placed_guide import Station
from loadpath.robot.beams.placement import ROUNDING, Stretch
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import BodyGuide
from loadpath.structure.beams.line import Line
from loadpath.structure.beams.line_equations import SAME
from loadpath.structure.vibration.basis import RESULTANTS, order_of_piece, polynomials
from loadpath.structure.vibration.mass import ArmParts

FREEDOMS = 6
"""Coordinates of a link that slides."""
SAMPLES = 7
"""Places of every moving station of a part at which the lengths of its pieces are looked at."""


class Cut(NamedTuple):
    """A part of a line, the stations that may lie in it, and its pieces between them."""

    stations: tuple[int, ...]
    orders: tuple[int, ...]
    """Of the pieces."""


@dataclass(frozen=True, eq=False)
class LineModel:
    """A line with its pieces."""

    line: Line
    link: int
    cuts: tuple[Cut, ...]
    """Of its parts."""
    first: int
    """Number of its first piece among all."""

    @property
    def count(self) -> int:
        """Number of its pieces."""
        return sum(len(cut.orders) for cut in self.cuts)

    @property
    def pieces(self) -> slice:
        """Numbers of its pieces among all."""
        return slice(self.first, self.first + self.count)

    def places(self, q: Floats) -> Floats:
        """(states, stations): where they are, m from the beam's start."""
        return np.stack([of_states(station, q) for station in self.line.stations], axis=-1)

    def edges(self, places: Floats) -> tuple[Floats, Floats]:
        """Starts and stops (states, pieces) of the pieces."""
        starts, stops = [], []
        for part, cut in zip(self.line.parts, self.cuts, strict=True):
            inside = np.sort(np.clip(places[:, cut.stations], part.start, part.stop), axis=1)
            ends = [np.full((len(places), 1), x) for x in (part.start, part.stop)]
            edges = np.concatenate([ends[0], inside, ends[1]], axis=1)
            starts.append(edges[:, :-1])
            stops.append(edges[:, 1:])
        return np.concatenate(starts, axis=1), np.concatenate(stops, axis=1)

    def stretches(self, starts: Floats, stops: Floats) -> list[tuple[Stretch | None, float, int]]:
        """The pieces between edges (pieces,) of one state: None for those without length; the share of their mass that
        counts, and their order.
        """
        found: list[tuple[Stretch | None, float, int]] = []
        tolerance = SAME * self.line.length
        for part, cut in zip(self.line.parts, self.cuts, strict=True):
            for order in cut.orders:
                start, stop = float(starts[len(found)]), float(stops[len(found)])
                stretch = part.stretch._replace(start=start, stop=stop) if stop - start > tolerance else None
                found.append((stretch, part.share, order))
        return found


@dataclass(frozen=True, eq=False)
class Slide:
    """A guide in the model."""

    of: BodyGuide
    link: int
    """Number of the link that slides."""
    piece: int
    columns: slice
    drive: int | None
    """Column of the coordinate of its drive."""
    free: int | None = None
    """Column of its joint's own coordinate, where loops move it."""


def of_states(station: Station, q: Floats) -> Floats:
    """(states,): where a station is."""
    return np.full(len(q), station.constant) if not station.moves else station.of_states(q)


def size_of_lines(cut: ArmParts, effects: tuple[str, ...], order: int) -> int:
    """The number of elastic coordinates of all beams in guides, and of the drives of these."""
    chosen = [resultant for resultant in RESULTANTS if resultant.effect in effects]
    total = 0
    for line in cut.lines:
        for part in cuts_of(line, order):
            total += sum(polynomials(resultant, own) for resultant in chosen for own in part.orders)
    return total + sum(guide.along > 0 and "joints" in effects for guide in cut.guides)


def cuts_of(line: Line, order: int) -> tuple[Cut, ...]:
    """Where the parts of a line are cut; the longest that any piece may become has `order`."""
    stations, lengths = [], []
    tolerance = ROUNDING * line.length
    for part in line.parts:
        inside = []
        for k, station in enumerate(line.stations):
            low, high = _reach(line, station)
            if not part.stretch.segment.tapered and low < part.stop - tolerance and high > part.start + tolerance:
                inside.append(k)
        stations.append(tuple(inside))
        lengths.append(_longest(line, part.start, part.stop, inside))
    longest = max((length for of_part in lengths for length in of_part), default=1.0)
    return tuple(
        Cut(inside, tuple(order_of_piece(order, length / longest) for length in of_part))
        for inside, of_part in zip(stations, lengths, strict=True)
    )


def _reach(line: Line, station: Station) -> tuple[float, float]:
    """Where a station may be."""
    if not station.moves:
        return station.constant, station.constant
    guides = [guide for guide, _, _ in line.carried] + ([] if line.guide is None else [line.guide])
    low, high = -math.inf, math.inf
    for guide in guides:
        if guide.extension.moves and guide.extension.index == station.index:
            low, high = max(low, guide.allowed[0]), min(high, guide.allowed[1])
    return station.range(low, high)


def _longest(line: Line, start: float, stop: float, inside: list[int]) -> list[float]:
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
