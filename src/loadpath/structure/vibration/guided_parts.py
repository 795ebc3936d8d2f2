"""The parts of a model with guides: beams cut at stations that may move, and the links that slide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadpath.robot.beams.profile import Stretch
from loadpath.robot.beams.station import Station
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import BodyGuide
from loadpath.structure.beams.guided_equations import SAME
from loadpath.structure.beams.guided_line import GuidedLine
from loadpath.structure.vibration.guided_pieces import PieceConstants, PieceNumbers
from loadpath.structure.vibration.world_axes import skew

FREEDOMS = 6
"""Coordinates of a link that slides."""


class Cut(NamedTuple):
    """A part of a line and the stations that may lie in it."""

    stretch: Stretch
    stations: tuple[int, ...]
    pieces: tuple[int, ...]
    """Numbers of its pieces among the line's."""


@dataclass(frozen=True, eq=False)
class LineModel:
    """A line with its pieces."""

    line: GuidedLine
    link: int
    cuts: tuple[Cut, ...]
    pieces: tuple[PieceConstants, ...]
    first: int
    """Number of its first piece among all."""
    columns: tuple[slice, ...]
    labels: tuple[str, ...]

    def places(self, q: Floats) -> Floats:
        """(states, stations): where they are, m from the beam's start."""
        return np.stack([of_states(station, q) for station in self.line.stations], axis=-1)

    def edges(self, places: Floats) -> tuple[Floats, Floats]:
        """Starts and stops (states, pieces) of the pieces."""
        starts, stops = [], []
        for cut in self.cuts:
            inside = np.sort(np.clip(places[:, cut.stations], cut.stretch.start, cut.stretch.stop), axis=1)
            ends = [np.full((len(places), 1), x) for x in (cut.stretch.start, cut.stretch.stop)]
            edges = np.concatenate([ends[0], inside, ends[1]], axis=1)
            starts.append(edges[:, :-1])
            stops.append(edges[:, 1:])
        return np.concatenate(starts, axis=1), np.concatenate(stops, axis=1)


def line_stretches(line: LineModel, starts: Floats, stops: Floats) -> list[tuple[Stretch | None, float, int]]:
    """The pieces of a line between edges (pieces,) of one state: None for those without length; the share of their mass
    that counts, and their order.
    """
    found: list[tuple[Stretch | None, float, int]] = []
    tolerance = SAME * line.line.length
    for part, cut in zip(line.line.parts, line.cuts, strict=True):
        for k in cut.pieces:
            start, stop = float(starts[k]), float(stops[k])
            stretch = part.stretch._replace(start=start, stop=stop) if stop - start > tolerance else None
            found.append((stretch, part.share, line.pieces[k].piece.order))
    return found


def of_states(station: Station, q: Floats) -> Floats:
    return np.full(len(q), station.constant) if not station.moves else station.of_states(q)


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


def line_inertia(line: GuidedLine, start: Floats, of: PieceNumbers) -> Floats:
    """(states, 6, 6): of the line mass of a piece and of its sections, about the joint frame's origin."""
    axes, e = line.axes, line.axes[:, 0]
    m0, m1, m2 = np.moveaxis(np.broadcast_to(of.mass, (len(start), 3)), -1, 0)
    at = line.start + start[:, None] * e  # of the piece's start
    moment = m0[:, None] * at + m1[:, None] * e
    s, x = skew(at), skew(e)
    result = np.zeros((len(start), 6, 6))
    result[:, :3, :3] = m0[:, None, None] * np.eye(3)
    result[:, 3:, :3] = skew(moment)
    result[:, :3, 3:] = np.swapaxes(result[:, 3:, :3], -1, -2)
    mixed = s @ x
    result[:, 3:, 3:] = -(m0[:, None, None] * s @ s + m1[:, None, None] * (mixed + np.swapaxes(mixed, -1, -2))
                          + m2[:, None, None] * x @ x) + np.einsum(
        "ij,...j,kj->...ik", axes, of.sections, axes)  # fmt: skip
    return result
