"""A model at extensions of its guides: where its pieces are along their beams, who moves whom, and the constants of all
pieces in the joint frames of their links. Without guides there is one, for all states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import cached_property
from loadpath.robot.mechanism import BASE
from loadpath.scalars.types import Floats
from loadpath.structure.vibration.lines import PieceNumbers, Slide, of_states
from loadpath.structure.vibration.world_axes import skew

if TYPE_CHECKING:
    from loadpath.structure.vibration.model import VibrationModel

_ALONG = skew(np.array([1.0, 0.0, 0.0]))


class Extension:
    """A model in states whose extensions count alone; the batch is in front of all arrays, or 1 where nothing moves."""

    def __init__(self, model: VibrationModel, q: Floats) -> None:
        self.model, self.q, self.count = model, q, len(q)
        self.places = [line.places(q) for line in model.lines]
        """For each line (states, stations): m from the beam's start."""
        edges = [line.edges(places) for line, places in zip(model.lines, self.places, strict=True)]
        self.edges = edges
        """For each line starts and stops (states, pieces) of its pieces."""
        self.before = np.zeros((self.count, len(model.pieces), len(model.pieces)))
        """(states, pieces, pieces): one where the second moves the start of the first."""
        self.on_body: dict[int, Floats] = {BASE: np.zeros((1, len(model.pieces)))}
        """For each body (states, pieces): one for those that move it."""
        self._lines = {line.line.body: k for k, line in enumerate(model.lines)}
        self._walk()

    # Which pieces move what

    def _walk(self) -> None:
        cut, lines = self.model.cut, self._lines
        ends = {element.end: k for k, element in enumerate(cut.elements)}
        slides = {slide.of.body: slide for slide in self.model.slides}
        closing = self.model.closing
        free = {joint.number: joint.piece for joint in (closing.joints if closing else ()) if not joint.guided}
        if BASE in lines:
            self._start_line(lines[BASE])
        for i, body in enumerate(cut.mechanism.bodies):
            own = self.on_body[body.parent]
            if i in slides:
                if body.parent in lines:
                    own = self.on_station(lines[body.parent], self.outer_pads(slides[i])[0])
                own = self._beyond(own, slides[i].piece)
            elif body.parent in lines and i in cut.lines[lines[body.parent]].held:
                own = self.on_station(lines[body.parent], cut.lines[lines[body.parent]].held[i])
            for piece in (of[i] for of in (free, ends) if i in of):
                own = self._beyond(own, piece)
            self.on_body[i] = own
            if i in lines:
                self._start_line(lines[i])

    def _start_line(self, k: int) -> None:
        line = self.model.lines[k]
        moved = self.on_body[line.line.body]
        for piece in range(line.pieces.start, line.pieces.stop):
            moved = self._beyond(moved, piece)

    def _beyond(self, before: Floats, piece: int) -> Floats:
        """What moves the end of a piece, from what moves its start."""
        self.before[:, piece] = before
        result = before.copy()
        result[:, piece] = 1.0
        return result

    def on_station(self, line: int, station: int) -> Floats:
        """(states, pieces): one for those that move a station."""
        model = self.model.lines[line]
        result = np.broadcast_to(self.on_body[model.line.body], self.before.shape[:2]).copy()
        result[:, model.pieces] = self.edges[line][1] <= self.places[line][:, [station]]
        return result

    def outer_pads(self, slide: Slide) -> tuple[int, ...]:
        """The stations of the pads on the line that carries a guide."""
        line = self.model.cut.lines[self._lines[self.model.cut.mechanism.bodies[slide.of.body].parent]]
        return next(pads for guide, _, pads in line.carried if guide is slide.of.guide)

    def pad_masks(self, slide: Slide, pad: int) -> tuple[Floats, Floats]:
        """(states, pieces) each: which pieces move a pad of a guide, on the link that slides and on its carrier."""
        body, lines = slide.of.body, self._lines
        parent = self.model.cut.mechanism.bodies[body].parent
        inner, outer = self.on_body[body], self.on_body[parent]
        if body in lines:
            inner = self.on_station(lines[body], self.model.cut.lines[lines[body]].own_pads[pad])
        if parent in lines:
            outer = self.on_station(lines[parent], self.outer_pads(slide)[pad])
        return inner, outer

    def pad_place(self, slide: Slide, pad: int) -> Floats:
        """(states,): where a pad is along the link that slides, m from its origin there."""
        return of_states(slide.of.guide.pads[pad].inner, self.q)

    @cached_property
    def on_frames(self) -> Floats:
        """(states, links, pieces): which pieces move the link frames."""
        lines = {line.link: k for k, line in enumerate(self.model.cut.lines)}
        return self._stacked([
            self.on_station(lines[name], self.model.cut.lines[lines[name]].frame)
            if name in lines else self.on_body[frame.body]
            for name, frame in self.model.cut.mechanism.link_frames.items()
        ])

    @cached_property
    def on_inertias(self) -> Floats:
        """(states, bodies, pieces): which pieces move the bodies that `inertias` has."""
        holders = [self.on_body[at] if line is None else self.on_station(line, at) for line, at in self.model.holders]
        first, last = self.model.line_pieces
        return self._stacked([*holders, *(self.before[:, piece] for piece in range(first, last))])

    def _stacked(self, masks: list[Floats]) -> Floats:
        result = np.empty((self.count, len(masks), len(self.model.pieces)))
        for k, mask in enumerate(masks):
            result[:, k] = mask
        return result

    @cached_property
    def carries(self) -> Floats:
        """(states, total, total): one where the row's piece lies between the base and the column's; one matrix where it
        is the same in all states.
        """
        before = np.swapaxes(self.before[:1] if (self.before == self.before[:1]).all() else self.before, -1, -2)
        counts = [piece.size for piece in self.model.pieces]  # the coordinates of a piece follow each other
        return np.repeat(np.repeat(before, counts, axis=2), counts, axis=1)

    # Constants of the pieces

    @cached_property
    def lengths(self) -> list[Floats]:
        """For each group of pieces that stretch (states, pieces)."""
        return [self._chosen(group.numbers, 1) - self._chosen(group.numbers, 0) for group in self.model.stretching]

    def _chosen(self, pieces: Floats, edge: int) -> Floats:
        """(states, pieces): starts or stops of some of the pieces of all lines."""
        return np.concatenate([both[edge] for both in self.edges], axis=1)[:, pieces - self.model.line_pieces[0]]

    @cached_property
    def numbers(self) -> list[PieceNumbers]:
        """For each group of pieces that stretch."""
        return [group.of_length(length) for group, length in zip(self.model.stretching, self.lengths, strict=True)]

    @cached_property
    def twists(self) -> Floats:
        """(states, 6, total): see `Piece`."""
        result = np.repeat(self.model.twists[None], self.count if self.model.stretching else 1, axis=0)
        for group, of in zip(self.model.stretching, self.numbers, strict=True):
            moved, turned = group.axes @ of.end[..., :3, :], group.axes @ of.end[..., 3:, :]
            at = group.starts + self._chosen(group.numbers, 1)[..., None] * group.axes[:, :, 0]
            own = np.concatenate([moved + skew(at) @ turned, turned], axis=-2)
            result[:, :, group.columns] = np.swapaxes(own, 1, 2)
        return result

    @cached_property
    def momenta(self) -> Floats:
        """(states, 6, total): see `Piece`."""
        result = np.repeat(self.model.momenta[None], self.count if self.model.stretching else 1, axis=0)
        for group, of in zip(self.model.stretching, self.numbers, strict=True):
            linear = group.axes @ of.linear
            at = group.starts + self._chosen(group.numbers, 0)[..., None] * group.axes[:, :, 0]
            angular = skew(at) @ linear + group.axes @ (_ALONG @ of.first + of.turning)
            result[:, :, group.columns] = np.swapaxes(np.concatenate([linear, angular], axis=-2), 1, 2)
        return result

    @cached_property
    def own_masses(self) -> list[Floats]:
        """For each piece (states, c, c): see `Piece`."""
        found = [piece.own_mass[None] for piece in self.model.pieces]
        for group, of in zip(self.model.stretching, self.numbers, strict=True):
            for k, piece in enumerate(group.numbers):
                found[piece] = of.own[:, k]
        return found

    @cached_property
    def line_masses(self) -> tuple[Floats, Floats]:
        """Of all pieces of lines (states, pieces, 3): integrals of mu, mu x and mu x^2, x from the piece's start; and
        the rotary inertia of their sections about x, y and z.
        """
        first, last = self.model.line_pieces
        mass, sections = (np.zeros((self.count, last - first, 3)) for _ in range(2))
        for piece, (moments, rotary) in self.model.staying_masses.items():
            mass[:, piece - first], sections[:, piece - first] = moments, rotary
        for group, of in zip(self.model.stretching, self.numbers, strict=True):
            mass[:, group.numbers - first], sections[:, group.numbers - first] = of.mass, of.sections
        return mass, sections

    @cached_property
    def inertias(self) -> Floats:
        """(states, bodies, 6, 6): of all bodies, about the origins of the joint frames of their links; then of the line
        mass of all pieces of lines.
        """
        model = self.model
        if not model.lines:
            return model.inertias[None]
        (m0, m1, m2), sections = np.moveaxis(self.line_masses[0], -1, 0), self.line_masses[1]
        first, last = model.line_pieces
        axes = np.array([piece.axes for piece in model.pieces[first:last]])
        origin = np.concatenate([np.tile(line.line.start, (line.count, 1)) for line in model.lines])
        e, start = axes[:, :, 0], np.concatenate([starts for starts, _ in self.edges], axis=1)
        at = origin + start[..., None] * e  # of the pieces' starts
        s, x = skew(at), skew(e)
        result = np.zeros((self.count, last - first, 6, 6))
        result[..., :3, :3] = m0[..., None, None] * np.eye(3)
        result[..., 3:, :3] = skew(m0[..., None] * at + m1[..., None] * e)
        result[..., :3, 3:] = np.swapaxes(result[..., 3:, :3], -1, -2)
        mixed = s @ x
        second = m0[..., None, None] * s @ s + m1[..., None, None] * (mixed + np.swapaxes(mixed, -1, -2))
        second = second + m2[..., None, None] * x @ x
        result[..., 3:, 3:] = np.einsum("pij,spj,pkj->spik", axes, sections, axes) - second
        fixed = np.broadcast_to(model.inertias, (self.count, *model.inertias.shape))
        return np.concatenate([fixed, result], axis=1)
