"""A model in states: twists of its coordinates in the world, how sliding links follow their pads, and its matrices."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.scalars.types import Bools, Floats
from loadpath.states import LoadCase
from loadpath.structure.loop_forces import as_driven, resolve
from loadpath.structure.vibration.basis import shapes
from loadpath.structure.vibration.closing import ClosedRows
from loadpath.structure.vibration.geometric_stiffness import geometric_stiffness
from loadpath.structure.vibration.lines import FREEDOMS, Slide
from loadpath.structure.vibration.piece_loads import dead_loads, largest_strains
from loadpath.structure.vibration.world_axes import carried_inertias, frames_of_joints, moved_by, product, skew

if TYPE_CHECKING:
    from loadpath.structure.vibration.model import VibrationModel


class BeamCurve(NamedTuple):
    """A beam's middle line at points along its pieces; world axes."""

    beam: int
    link: str
    position: Floats
    """(points,), m from the beam's start."""
    points: Floats
    """(points, 3)."""
    displacement: Floats
    """(modes, points, 3)."""
    start: Floats
    """(modes, 6): displacement and rotation of the beam's start, about the world's origin."""


class PlacedModel:
    """A model in states; world axes, about the world's origin."""

    def __init__(self, model: VibrationModel, q: Floats) -> None:
        self.model, self.q, self.count = model, q, len(q)
        self.extension = model.extension(q)

    @cached_property
    def _frames(self) -> tuple[Floats, Floats, Floats]:
        return frames_of_joints(self.model.tree, self.q, cut=self.model.closing is not None)

    @property
    def R(self) -> Floats:
        """(states, links, 3, 3): rotations of the links' joint frames."""
        return self._frames[0]

    @property
    def p(self) -> Floats:
        """(states, links, 3): their origins."""
        return self._frames[1]

    @property
    def origins(self) -> Floats:
        """(states, links, 3): origins of the link frames."""
        return self._frames[2]

    # Twists and constraints

    @cached_property
    def twists(self) -> Floats:
        """(states, 6, total): velocity and angular velocity of what lies beyond each coordinate."""
        return self._in_world(self.extension.twists, 0)

    @cached_property
    def turns(self) -> Floats:
        """(states, 3, total): the angular velocities."""
        if "twists" in self.__dict__ or self.model.follows:
            return self.twists[:, 3:]
        result, local = np.empty((self.count, 3, self.model.total)), self.extension.twists[:, 3:]
        for link, run in self.model.runs:
            result[..., run] = product(self.R[:, link], local[..., run])
        return result

    def _in_world(self, local: Floats, moved_part: int) -> Floats:
        """Pairs of vectors (..., 6, total) of the joint frames in the world; the first or second part of them changes
        with the point to which they belong.
        """
        R, p = self.R, self.p
        X = np.zeros((*R.shape[:2], 6, 6))
        X[..., :3, :3] = X[..., 3:, 3:] = R
        rows, columns = (slice(0, 3), slice(3, 6)) if moved_part == 0 else (slice(3, 6), slice(0, 3))
        X[..., rows, columns] = skew(p) @ R
        result = np.empty((self.count, 6, self.model.total))
        for link, run in self.model.runs:
            result[..., run] = product(X[:, link], local[..., run])
        return result

    def functional(self, slide: Slide, pad: int, axis: int, *, turns: bool = False) -> Floats:
        """(states, 6): what takes a twist to the displacement of a pad (or the rotation there) along an axis of the
        inner line.
        """
        guide = slide.of.guide
        R, p = self.R[:, slide.link], self.p[:, slide.link]
        e = R @ guide.axes[:, axis]
        if turns:
            return np.concatenate([np.zeros_like(e), e], axis=-1)
        x = self.extension.pad_place(slide, pad)
        point = p + np.einsum("sij,sj->si", R, np.broadcast_to(guide.origin + x[:, None] * guide.axes[:, 0], p.shape))
        return np.concatenate([e, np.cross(point, e)], axis=-1)

    def conditions(self, slide: Slide) -> list[tuple[int, int, bool]]:
        """Pad, axis, and whether it is a rotation: where both links move alike."""
        guide = slide.of.guide.guide
        if guide.clamps:
            return [(0, axis, turns) for turns in (False, True) for axis in range(3)]
        along, torsion = (0 if name == "tail" else 1 for name in (guide.along, guide.torsion))
        across = [(pad, axis, False) for pad in range(2) for axis in (1, 2)]
        return [*across, (along, 0, False), (torsion, 0, True)]

    @cached_property
    def _of_slides(self) -> Floats:
        """(states, coordinates of the slides, others): they follow from all others."""
        model = self.model
        others = model.total - FREEDOMS * len(model.slides)
        C = np.zeros((self.count, model.total - others, others))
        for slide in model.slides:
            masks = [self.extension.pad_masks(slide, pad) for pad in range(len(slide.of.guide.pads))]
            # What both have in common drops out; the slide itself moves the inner link alone.
            differences = [np.broadcast_to(outer - inner, self.extension.before.shape[:2]) for inner, outer in masks]
            conditions = self.conditions(slide)
            which = np.stack([differences[pad] for pad, _, _ in conditions], axis=1)[..., model.piece_of]
            f = np.stack([self.functional(slide, pad, axis, turns=turns) for pad, axis, turns in conditions], axis=1)
            values = (f @ self.twists) * which
            A = -values[..., slide.columns]
            values[..., slide.columns] = 0.0
            b = values[..., :others] + values[..., others:] @ C
            row = next(k for k, (_, axis, turns) in enumerate(conditions) if axis == 0 and not turns)
            if slide.drive is not None:
                b[:, row, slide.drive] += math.sqrt(slide.of.along)
            if slide.free is not None:
                b[:, row, slide.free] += 1.0
            C[:, slide.columns.start - others : slide.columns.stop - others] = np.linalg.solve(A, b)
        return C

    def without_slides(self, values: Floats) -> Floats:
        """Linear forms in all coordinates (states, rows, total) as ones in those that are no slide's."""
        if not self.model.slides:
            return values
        others = self.model.total - FREEDOMS * len(self.model.slides)
        return values[..., :others] + values[..., others:] @ self._of_slides

    def put_slides(self, coordinates: Floats) -> None:
        """Fill in the coordinates of the slides, the last of all (states, total)."""
        if self.model.slides:
            others = self.model.total - FREEDOMS * len(self.model.slides)
            coordinates[:, others:] = np.einsum("sij,sj->si", self._of_slides, coordinates[:, :others])

    @cached_property
    def closed(self) -> ClosedRows | None:
        """The rows of its loops; None for a tree."""
        return None if self.model.closing is None else ClosedRows(self, self.model.closing)

    @cached_property
    def C(self) -> Floats:
        """(states, coordinates without stiffness, size): they follow from the elastic coordinates."""
        if self.closed is None:
            return self._of_slides
        free, size = self.closed.C, self.model.size
        if not self.model.slides:
            return free
        slides = self._of_slides
        return np.concatenate([free, slides[..., :size] + slides[..., size:] @ free], axis=1)

    def allowed(self, rows: Floats) -> Floats:
        """P times vectors of elastic coordinates, which are rows (states, rows, size): what loops allow of them."""
        if self.closed is None:
            return rows
        Q = self.closed.Q
        result: Floats = rows - (rows @ Q) @ np.swapaxes(Q, -1, -2)
        return result

    def spread(self, y: Floats) -> Floats:
        """All coordinates (states, ..., total) from elastic ones (states, ..., size)."""
        flat = self.allowed(y.reshape(len(y), -1, self.model.size))
        rest = flat @ np.swapaxes(self.C, -1, -2)
        return np.concatenate([flat, rest], axis=-1).reshape(*y.shape[:-1], self.model.total)

    def reduced(self, values: Floats) -> Floats:
        """Linear forms in all coordinates (states, rows, total) as ones in the elastic coordinates."""
        size = self.model.size
        result: Floats = values[..., :size]
        return result if not self.model.follows else self.allowed(result + values[..., size:] @ self.C)

    def symmetric(self, half: Floats, more: tuple[Floats, Floats] | None = None) -> Floats:
        """T^T (H + H^T) T (states, size, size) of matrices H in all coordinates; `more` are two factors (states, size,
        k) and (states, k, size) of what is added to H in the elastic coordinates.
        """
        if self.model.follows:
            size, C = self.model.size, self.C
            own = half[:, size:, size:]
            thin = half[:, size:, :size] + np.swapaxes(half[:, :size, size:], -1, -2)
            thin = thin + 0.5 * (own + np.swapaxes(own, -1, -2)) @ C
            left, right = np.swapaxes(C, -1, -2), thin
            if more is not None:
                left, right = np.concatenate([left, more[0]], axis=2), np.concatenate([right, more[1]], axis=1)
            inside = left @ right
            inside += half[:, :size, :size]
            half = inside
            if self.closed is not None:
                half = self.allowed(np.swapaxes(self.allowed(half), -1, -2))
        result: Floats = half + np.swapaxes(half, -1, -2)
        return result

    # Matrices

    @property
    def own_momenta(self) -> Floats:
        """(states, 6, total): the momenta of each coordinate's own piece, without what it moves beyond."""
        return self._in_world(self.extension.momenta, 1)

    def matrices(self) -> tuple[Floats, Floats]:
        """The mass matrices (states, size, size), and the momenta (states, size, 6) that the coordinates share with a
        motion of the base.
        """
        model, of, S = self.model, self.extension, self.twists
        links = list(model.body_links)
        inertias = carried_inertias(of.inertias, self.R[:, links], self.p[:, links])
        # What a piece moves, as one body.
        composite = np.swapaxes(of.on_inertias, -1, -2) @ inertias.reshape(self.count, -1, 36)
        composite = composite.reshape(self.count, -1, 6, 6)
        beyond = np.empty_like(S)
        for k, piece in enumerate(model.pieces):
            beyond[..., piece.columns] = composite[:, k] @ S[..., piece.columns]
        shared = beyond + self.own_momenta
        twists = np.swapaxes(S, -1, -2)
        half = twists @ shared  # of two coordinates in a row, both move what the outer one moves
        half *= of.carries
        for piece, own in zip(model.pieces, of.own_masses, strict=True):
            among = twists[:, piece.columns] @ beyond[..., piece.columns] + own
            half[:, piece.columns, piece.columns] += 0.5 * among
        more = None
        if self.closed is not None:  # the rotors of joints that loops move
            turned = self.closed.turned
            more = np.swapaxes(turned, -1, -2), 0.5 * self.closed.rotors[:, None] * turned
        return self.symmetric(half, more), np.swapaxes(self.reduced(shared), -1, -2)

    def loaded(self, states: tuple[Floats, ...], case: LoadCase) -> tuple[Floats, Floats]:
        """The geometric stiffness (states, size, size), and the largest strains (states,) of `largest_strains`."""
        loads, exerted = self.dead_loads(states, case)
        return geometric_stiffness(self, loads, exerted), largest_strains(self.model, loads, self.extension)

    def dead_loads(self, states: tuple[Floats, ...], case: LoadCase) -> tuple[Floats, Floats | None]:
        """(states, rows, 18): see `dead_loads`; with what the loops exert, which comes with it (see `LoopForces`)."""
        if self.closed is None:
            return dead_loads(self.model.tree, states, case), None
        states = as_driven(self.closed.closing.arm, states, case)
        found = resolve(self.closed, states, case, self.model.effects)
        case = LoadCase({**(case.external or {}), **found.external}, **case.on_links)
        return dead_loads(self.model.tree, states, case, cut=True), found.exerted

    # Motion

    def frame_motions(self, y: Floats) -> tuple[Floats, Floats]:
        """Displacements and rotations (states, modes, links, 3) of the link frames, for coordinates (states, modes,
        size).
        """
        return self.frames_moved(self.spread(y))

    def frames_moved(self, full: Floats) -> tuple[Floats, Floats]:
        """The same for all coordinates (states, modes, total)."""
        twists = self._by_piece(full) @ np.swapaxes(self.extension.on_frames, -1, -2)[:, None]
        twists = np.swapaxes(twists, -1, -2)[..., self.model.frames, :]  # (states, modes, links, 6)
        turned = twists[..., 3:]
        return twists[..., :3] + np.cross(turned, self.origins[:, None, self.model.frames]), turned

    def _by_piece(self, full: Floats) -> Floats:
        """(states, modes, 6, pieces): twists of the pieces by all coordinates (states, modes, total)."""
        result = np.zeros((*full.shape[:2], 6, len(self.model.pieces)))
        for k, piece in enumerate(self.model.pieces):
            result[..., k] = full[..., piece.columns] @ np.swapaxes(self.twists[..., piece.columns], -1, -2)
        return result

    def chosen(self, rows: Bools) -> PlacedModel:
        """Some of the states."""
        return self if rows.all() else PlacedModel(self.model, self.q[rows])

    def beam_lines(self, y: Floats, points: int) -> list[BeamCurve]:
        """Of the first state: all beams, moved by coordinates (modes, size)."""
        model = self.model
        twists = self._by_piece(self.spread(np.broadcast_to(y, (self.count, *y.shape))))[0]  # (modes, 6, pieces)
        curves = []
        for beam, placed in enumerate(model.tree.placed_beams):
            parts: list[tuple[Floats, Floats, Floats]] = []
            start = np.zeros((len(y), 6))
            for k, x, shape in self._drawn(beam, np.linspace(0.0, 1.0, points)):
                piece = model.pieces[k]
                R, p = self.R[0, piece.link], self.p[0, piece.link]
                at = p + (placed.start + x[:, None] * placed.axes[:, 0]) @ R.T
                twist = twists @ self.extension.before[0, k]
                if not parts:
                    start = twist
                own = shape[:, :3] @ y[:, piece.columns].T
                parts.append((x, at, moved_by(twist, at, R @ placed.axes, own)))
            position, at_points, moved = (list(each) for each in zip(*parts, strict=True))
            curves.append(BeamCurve(beam, placed.link, np.concatenate(position), np.concatenate(at_points),
                                    np.concatenate(moved, axis=1), start))
        return curves

    def _drawn(self, beam: int, share: Floats) -> Iterator[tuple[int, Floats, Floats]]:
        """The pieces of a beam in the first state: their numbers, points from the beam's start, shapes there."""
        groups = self.model.stretching
        stretching = {int(piece): (group, k) for group in groups for k, piece in enumerate(group.numbers)}
        first = self.model.line_pieces[0]
        starts, stops = (np.concatenate([np.zeros(0), *(both[edge][0] for both in self.extension.edges)])
                         for edge in range(2))
        for k, piece in enumerate(self.model.pieces):
            if piece.beam != beam:
                continue
            if piece.stretch is not None:
                x = share * piece.stretch.length
                values = shapes(piece.stretch, x, piece.order, self.model.effects).values
                yield k, piece.stretch.start + x, values
            elif stops[k - first] > starts[k - first]:
                start, stop = float(starts[k - first]), float(stops[k - first])
                group, number = stretching[k]
                yield k, np.minimum(start + share * (stop - start), stop), group.shapes(number, stop - start, share)
