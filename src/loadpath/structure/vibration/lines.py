"""Beams in guides as parts of a model: where they are cut, which orders their pieces have, and the links that slide.

The pieces between stations that move change their length, and everything about them is a power of it. With a uniform
section the shapes of a piece of length L are those of a piece of 1 m, stretched: displacements by bending grow with
L^(3/2), by extension and shear with L^(1/2), rotations with L^(1/2). So the constants of a piece of 1 m give those of
all lengths at once, and a piece without length is harmless.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.robot.beams.placement import ROUNDING, Station, Stretch
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import BodyGuide
from loadpath.structure.beams.line import Line
from loadpath.structure.beams.line_equations import SAME
from loadpath.structure.vibration.basis import RESULTANTS, order_of_piece, polynomials, shapes, stretch_stiffness
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


# Pieces that stretch


class StretchingPiece(NamedTuple):
    """A piece of a line between two of its places."""

    piece: int
    """Its number among all; and its coordinates."""
    columns: slice
    link: int
    start: Floats
    """Where its beam starts, in the joint frame of its link."""
    axes: Floats
    stretch: Stretch
    """The whole part of constant section in which it lies."""
    share: float
    """Of its mass that counts; and of the rotary inertia of its sections."""
    rotary: float
    order: int


class PieceNumbers(NamedTuple):
    """Of pieces in states, beam axes; (states, pieces) in front, or (1, pieces) where nothing changes."""

    end: Floats
    """(..., 6, c): shapes at its end."""
    linear: Floats
    """(..., 3, c): integral of mu u."""
    first: Floats
    """(..., 3, c): of mu x u, x from the piece's start."""
    turning: Floats
    """(..., 3, c): angular momentum of the sections about themselves."""
    own: Floats
    """(..., c, c): mass of the shapes among themselves."""
    mass: Floats
    """(..., 3): integrals of mu, mu x and mu x^2, x from the piece's start."""
    sections: Floats
    """(..., 3): rotary inertia of the sections about x, y and z."""


class Stretching:
    """Pieces that have as many polynomials each, side by side."""

    def __init__(self, pieces: Sequence[StretchingPiece], effects: tuple[str, ...]) -> None:
        self.pieces, self.effects, self.order = tuple(pieces), effects, pieces[0].order
        self.numbers = np.array([each.piece for each in pieces])
        self.columns = np.array([range(each.columns.start, each.columns.stop) for each in pieces], dtype=int)
        self.links = np.array([each.link for each in pieces])
        self.starts, self.axes = (np.array([getattr(each, name) for each in pieces]) for name in ("start", "axes"))
        self.units = [each.stretch._replace(start=0.0, stop=1.0, segment_start=0.0, segment_length=1.0)
                      for each in pieces]
        found = [_of_one_metre(unit, each, effects) for unit, each in zip(self.units, pieces, strict=True)]
        self.metre = PieceNumbers(*(np.array(part) for part in zip(*(numbers for numbers, _, _ in found), strict=True)))
        self.rotary = np.array([rotary for _, rotary, _ in found])
        """Of `own`, the part of the sections' rotary inertia: it grows with another power."""
        resultants = found[0][2]
        self.bends = np.array([RESULTANTS[r].lever is not None for r in resultants], dtype=bool)
        self.turning = sum(RESULTANTS[r].turns is not None for r in resultants)
        """How many coordinates turn the sections; they are the first."""

    def of_length(self, length: Floats) -> PieceNumbers:
        """For lengths (states, pieces)."""
        L = length[..., None, None]
        turned = np.sqrt(L)
        moved = turned * np.where(self.bends, L, 1.0)  # (states, pieces, 1, c)
        one = self.metre
        return PieceNumbers(
            end=np.concatenate([one.end[:, :3] * moved, one.end[:, 3:] * turned], axis=-2),
            linear=L * one.linear * moved,
            first=L**2 * one.first * moved,
            turning=L * one.turning * turned,
            own=L * one.own * moved * np.swapaxes(moved, -1, -2) + L**2 * self.rotary,
            mass=np.stack([length, length**2, length**3], axis=-1) * one.mass,
            sections=length[..., None] * one.sections,
        )

    def geometric(self, length: Floats, loads: Floats) -> tuple[Floats, Floats]:
        """The integrals of theta_i . d_k (states, pieces, c, c) and of d (states, pieces, 3, c), in beam axes, of loads
        (states, pieces, 18).
        """
        L = length[..., None]
        F, G, A, B = loads[..., :3], loads[..., 3:12], loads[..., 12:15], loads[..., 15:]
        by_bend = np.concatenate([L * F, G, L**2 * A, L**3 * B], axis=-1)
        by_strain = np.concatenate([F, np.zeros_like(G), L * A, L**2 * B], axis=-1)
        count = self.columns.shape[1]
        half, d = np.empty((*loads.shape[:2], count, count)), np.empty((*loads.shape[:2], 3, count))
        for which, scaled, (of_half, of_d) in zip(self._parts, (by_bend, by_strain), self._constants, strict=True):
            # A piece of 1 m: the rotation of a section grows with L^(1/2), the integral with L, strains with L^(-1/2).
            half[..., which] = L[..., None] * _contracted(scaled, of_half, count)
            d[..., which] = np.sqrt(L)[..., None] * _contracted(scaled, of_d, 3)
        return half, d

    @property
    def _parts(self) -> tuple[slice, slice]:
        """Coordinates that turn the sections, and those that do not."""
        return slice(0, self.turning), slice(self.turning, self.columns.shape[1])

    @cached_property
    def _constants(self) -> tuple[tuple[Floats, Floats], ...]:
        """For both of them (pieces, 18, rows times coordinates), of 1 m."""
        found = [stretch_stiffness(unit, each.order, self.effects, each.share)
                 for unit, each in zip(self.units, self.pieces, strict=True)]
        half, along = np.array([each.half for each in found]), np.array([each.along for each in found])

        def of(constants: Floats, which: slice) -> Floats:
            return np.ascontiguousarray(constants[..., which]).reshape(*constants.shape[:2], -1)

        return tuple((of(half, which), of(along, which)) for which in self._parts)

    def shapes(self, number: int, length: float, share: Floats) -> Floats:
        """(sections, 6, c) at shares of the length of one of the pieces."""
        values = shapes(self.units[number], share, self.order, self.effects).values
        moved = np.sqrt(length) * np.where(self.bends, length, 1.0)
        return np.concatenate([values[:, :3] * moved, values[:, 3:] * np.sqrt(length)], axis=1)


def _of_one_metre(
    stretch: Stretch, piece: StretchingPiece, effects: tuple[str, ...]
) -> tuple[PieceNumbers, Floats, tuple[int, ...]]:
    """The numbers of a piece of 1 m without rotary inertia; the mass of its shapes by that; and their resultants."""
    at_end = shapes(stretch, np.array([stretch.length]), piece.order, effects)
    x, weights = stretch.nodes()
    p, values = stretch.properties(x), shapes(stretch, x, piece.order, effects).values
    mu = piece.share * weights * p.mass
    about = piece.rotary * piece.share * weights * np.array([p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z])
    moved, turned = values[:, :3], values[:, 3:]
    spun = about.T[:, :, None] * turned
    numbers = PieceNumbers(
        end=at_end.values[0],
        linear=np.einsum("x,xic->ic", mu, moved),
        first=np.einsum("x,xic->ic", mu * x, moved),
        turning=spun.sum(axis=0),
        own=np.einsum("x,xic,xid->cd", mu, moved, moved),
        mass=np.array([float((mu * x**k).sum()) for k in range(3)]),
        sections=about.sum(axis=1),
    )
    return numbers, np.einsum("xic,xid->cd", turned, spun), at_end.resultants


def _contracted(loads: Floats, constants: Floats, rows: int) -> Floats:
    """(states, pieces, rows, k): sums over the 18 loads (states, pieces, 18) of constants (pieces, 18, rows k)."""
    result: Floats = np.swapaxes(np.ascontiguousarray(np.swapaxes(loads, 0, 1)) @ constants, 0, 1)
    return result.reshape(*loads.shape[:2], rows, constants.shape[-1] // max(rows, 1))
