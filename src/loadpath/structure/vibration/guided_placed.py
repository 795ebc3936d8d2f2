"""A model with guides in states: who moves whom, how the sliding links follow their pads, and the mass matrix."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.robot.mechanism import BASE
from loadpath.scalars.types import Bools, Floats
from loadpath.structure.vibration.basis import shapes
from loadpath.structure.vibration.guided_parts import LineModel, Slide, line_inertia, of_states
from loadpath.structure.vibration.guided_stiffness import guided_loads, guided_stiffness, guided_strains
from loadpath.structure.vibration.model import joined_parts
from loadpath.structure.vibration.placed_arm import BeamCurve, PlacedArm
from loadpath.structure.vibration.world_axes import carried, carried_inertias, frames_of_joints, moved_by, skew

if TYPE_CHECKING:
    from loadpath.states import LoadCase
    from loadpath.structure.vibration.guided_model import GuidedModel


class PlacedModel(PlacedArm):
    """A model with guides in states; world axes, about the world's origin."""

    def __init__(self, model: GuidedModel, q: Floats) -> None:
        self.model, self.q = model, q
        self.R, self.p, self.origins = frames_of_joints(model.arm, q)
        count, pieces = len(q), len(model.columns)
        self.places = [line.places(q) for line in model.lines]
        self.edges = [line.edges(places) for line, places in zip(model.lines, self.places, strict=True)]
        self.numbers = [
            [piece.numbers(stop[:, k] - start[:, k]) for k, piece in enumerate(line.pieces)]
            for line, (start, stop) in zip(model.lines, self.edges, strict=True)
        ]
        self.count = count
        self.before = np.zeros((count, pieces, pieces))
        """(states, pieces, pieces): one where the second moves the start of the first."""
        self.on_body: dict[int, Floats] = {BASE: np.zeros((1, pieces))}
        self._walk()
        self.twists = self._twists()
        self.C = self._follow()

    # Which pieces move what

    def _walk(self) -> None:
        model = self.model
        mechanism = model.cut.mechanism
        ends = {piece.element.end: k for k, piece in enumerate(model.elements)}
        slides = {slide.of.body: slide for slide in model.slides}
        lines = {line.line.body: k for k, line in enumerate(model.lines)}
        if BASE in lines:
            self._start_line(lines[BASE])
        for i, body in enumerate(mechanism.bodies):
            parent = self.on_body[body.parent]
            if i in slides:
                own = parent
                if body.parent in lines:
                    own = self.on_station(lines[body.parent], self.outer_pads(slides[i])[0])
                self.before[:, slides[i].piece] = own
                own = _with(own, slides[i].piece)
            elif body.parent in lines and i in model.lines[lines[body.parent]].line.held:
                own = self.on_station(lines[body.parent], model.lines[lines[body.parent]].line.held[i])
            else:
                own = parent
            if i in ends:
                self.before[:, ends[i]] = own
                own = _with(own, ends[i])
            self.on_body[i] = own
            if i in lines:
                self._start_line(lines[i])

    def _start_line(self, k: int) -> None:
        line = self.model.lines[k]
        moved = self.on_body[line.line.body]
        for n in range(len(line.pieces)):
            self.before[:, line.first + n] = moved
            moved = _with(moved, line.first + n)

    def on_station(self, line: int, station: int) -> Floats:
        """(states, pieces): one for those that move a station."""
        model = self.model.lines[line]
        result = np.broadcast_to(self.on_body[model.line.body], (self.count, len(self.model.columns))).copy()
        reached = self.edges[line][1] <= self.places[line][:, [station]]
        result[:, model.first : model.first + len(model.pieces)] = reached
        return result

    def outer_pads(self, slide: Slide) -> tuple[int, ...]:
        """The stations of the pads on the line that carries a guide."""
        parent = self.model.cut.mechanism.bodies[slide.of.body].parent
        line = next(line.line for line in self.model.lines if line.line.body == parent)
        return next(pads for guide, _, pads in line.carried if guide is slide.of.guide)

    def pad_masks(self, slide: Slide, pad: int) -> tuple[Floats, Floats]:
        """(states, pieces) each: which pieces move a pad of a guide, on the link that slides and on its carrier."""
        mechanism, lines = self.model.cut.mechanism, {line.line.body: k for k, line in enumerate(self.model.lines)}
        body = slide.of.body
        inner, outer = self.on_body[body], self.on_body[mechanism.bodies[body].parent]
        if body in lines:
            inner = self.on_station(lines[body], self.model.lines[lines[body]].line.own_pads[pad])
        if mechanism.bodies[body].parent in lines:
            outer = self.on_station(lines[mechanism.bodies[body].parent], self.outer_pads(slide)[pad])
        return inner, outer

    def on_frames(self) -> Floats:
        """(states, links, pieces): which pieces move the link frames."""
        lines = {line.line.link: k for k, line in enumerate(self.model.lines)}
        found = []
        for name, frame in self.model.cut.mechanism.link_frames.items():
            if name in lines:
                found.append(self.on_station(lines[name], self.model.lines[lines[name]].line.frame))
            else:
                found.append(np.broadcast_to(self.on_body[frame.body], (self.count, len(self.model.columns))))
        return np.stack(found, axis=1)

    # Twists and constraints

    def _twists(self) -> Floats:
        model = self.model
        local, links = np.zeros((self.count, model.total, 6)), np.zeros(model.total, dtype=int)
        numbers = {name: k for k, name in enumerate(model.arm.link_names)}
        for piece in model.elements:
            local[:, piece.columns], links[piece.columns] = piece.twists.T, numbers[piece.element.link]
        for line, (_, stop), constants in zip(model.lines, self.edges, self.numbers, strict=True):
            axes, start = line.line.axes, line.line.start
            for k, (columns, of) in enumerate(zip(line.columns, constants, strict=True)):
                moved, turned = axes @ of.end[:, :3], axes @ of.end[:, 3:]
                at = start + stop[:, k, None] * axes[:, 0]
                local[:, columns, :3] = np.swapaxes(moved + skew(at) @ turned, -1, -2)
                local[:, columns, 3:] = np.swapaxes(turned, -1, -2)
                links[columns] = line.link
        for slide in model.slides:
            local[:, slide.columns], links[slide.columns] = np.eye(6), slide.link
        self.links = links
        result: Floats = np.swapaxes(carried(local, self.R[:, links], self.p[:, links], moment_first=True), -1, -2)
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
        x = of_states(guide.pads[pad].inner, self.q)
        point = p + np.einsum("sij,sj->si", R, guide.origin + x[:, None] * guide.axes[:, 0])
        return np.concatenate([e, np.cross(point, e)], axis=-1)

    def conditions(self, slide: Slide) -> list[tuple[int, int, bool]]:
        """Pad, axis, and whether it is a rotation: where both links move alike."""
        guide = slide.of.guide.guide
        if guide.clamps:
            return [(0, axis, turns) for turns in (False, True) for axis in range(3)]
        along, torsion = (0 if name == "tail" else 1 for name in (guide.along, guide.torsion))
        across = [(pad, axis, False) for pad in range(2) for axis in (1, 2)]
        return [*across, (along, 0, False), (torsion, 0, True)]

    def _follow(self) -> Floats:
        """C (states, slides' coordinates, size)."""
        model, size = self.model, self.model.size
        C = np.zeros((self.count, model.total - size, size))
        for slide in model.slides:
            own = slice(slide.columns.start - size, slide.columns.stop - size)
            A, b = np.empty((self.count, 6, 6)), np.empty((self.count, 6, size))
            masks = [self.pad_masks(slide, pad) for pad in range(len(slide.of.guide.pads))]
            for row, (pad, axis, turns) in enumerate(self.conditions(slide)):
                f = self.functional(slide, pad, axis, turns=turns)[:, None]
                inner, outer = masks[pad]
                # What both have in common drops out; the slide itself is in `inner` alone.
                difference = (outer - inner)[:, model.piece_of]
                values = (f @ self.twists)[:, 0] * difference
                A[:, row] = -values[:, slide.columns]
                values[:, slide.columns] = 0.0
                b[:, row] = values[:, :size] + (values[:, None, size:] @ C)[:, 0]
                if axis == 0 and not turns and slide.drive is not None:
                    b[:, row, slide.drive] += math.sqrt(slide.of.along)
            C[:, own] = np.linalg.solve(A, b)
        return C

    def spread(self, y: Floats) -> Floats:
        """All coordinates (states, ..., total) from elastic ones (states, ..., size)."""
        flat = y.reshape(len(y), -1, self.model.size)
        rest = flat @ np.swapaxes(self.C, -1, -2)
        return np.concatenate([flat, rest], axis=-1).reshape(*y.shape[:-1], self.model.total)

    def gathered(self, M: Floats) -> Floats:
        """T^T M T (states, size, size) of symmetric matrices in all coordinates."""
        size, C = self.model.size, self.C
        cross = np.swapaxes(C, -1, -2) @ M[:, size:, :size]
        result: Floats = M[:, :size, :size] + cross + np.swapaxes(cross, -1, -2)
        return result + np.swapaxes(C, -1, -2) @ M[:, size:, size:] @ C

    # Mass

    def matrices(self) -> tuple[Floats, Floats]:
        """See `PlacedArm`."""
        model, S = self.model, self.twists
        moved, inertias = self.masses()
        flat = np.swapaxes(moved, -1, -2) @ inertias.reshape(self.count, -1, 36)
        composite = flat.reshape(self.count, -1, 6, 6)
        momenta, own = self.own_momenta()
        beyond = np.empty_like(S)
        for k, columns in enumerate(model.columns):
            beyond[..., columns] = composite[:, k] @ S[..., columns]
        twists = np.swapaxes(S, -1, -2)
        shared = beyond + np.swapaxes(momenta, -1, -2)
        outer = (twists @ shared) * self.carries
        M = outer + np.swapaxes(outer, -1, -2)
        for k, columns in enumerate(model.columns):
            M[:, columns, columns] += twists[:, columns] @ beyond[..., columns]
            among = own[k]
            if among is not None:
                M[:, columns, columns] += among
        size = model.size
        along = np.swapaxes(shared, -1, -2)
        return self.gathered(M), along[:, :size] + np.swapaxes(self.C, -1, -2) @ along[:, size:]

    @cached_property
    def carries(self) -> Floats:
        """(states, total, total): one where the row's piece lies between the base and the column's; one matrix where it
        is the same in all states.
        """
        before = self.before
        if (before == before[:1]).all():
            before = before[:1]
        of = self.model.piece_of
        result: Floats = np.swapaxes(before, -1, -2)[:, of[:, None], of]
        return result

    def masses(self) -> tuple[Floats, Floats]:
        """(states, bodies, pieces) what moves them, and (states, bodies, 6, 6) their inertias in the world."""
        model = self.model
        shape = (self.count, len(model.columns))
        moved = [
            np.broadcast_to(self.on_body[at] if line is None else self.on_station(line, at), shape)
            for line, at in model.holders
        ]
        local = [np.broadcast_to(inertia, (self.count, 6, 6)) for inertia in model.inertias]
        links = list(model.body_links)
        for line, (start, _), constants in zip(model.lines, self.edges, self.numbers, strict=True):
            for k, of in enumerate(constants):
                moved.append(self.before[:, line.first + k])
                local.append(np.broadcast_to(line_inertia(line.line, start[:, k], of), (self.count, 6, 6)))
                links.append(line.link)
        at = np.array(links, dtype=int)
        inertias = np.stack(local, axis=1)
        return np.stack(moved, axis=1), carried_inertias(inertias, self.R[:, at], self.p[:, at])

    def own_momenta(self) -> tuple[Floats, list[Floats | None]]:
        """Momenta (states, total, 6) of the pieces' own shapes, and the mass of these among themselves."""
        model = self.model
        local = np.zeros((self.count, model.total, 6))
        own: list[Floats | None] = []
        for piece in model.elements:
            local[:, piece.columns] = piece.momenta.T
            own.append(piece.own_mass)
        for line, (start, _), constants in zip(model.lines, self.edges, self.numbers, strict=True):
            axes = line.line.axes
            for k, (columns, of) in enumerate(zip(line.columns, constants, strict=True)):
                linear = axes @ of.linear
                at = line.line.start + start[:, k, None] * axes[:, 0]
                angular = skew(at) @ linear + axes @ (skew(np.array([1.0, 0.0, 0.0])) @ of.first + of.turning)
                local[:, columns, :3], local[:, columns, 3:] = (np.swapaxes(x, -1, -2) for x in (linear, angular))
                own.append(of.own)
        own += [None] * (len(model.columns) - len(own))
        return carried(local, self.R[:, self.links], self.p[:, self.links], moment_first=False), own

    # Motion

    def frame_motions(self, y: Floats) -> tuple[Floats, Floats]:
        """See `PlacedArm`."""
        by_piece = self._by_piece(self.spread(y))
        twists = np.einsum("slp,smip->smli", self.on_frames(), by_piece, optimize=True)
        turned = twists[..., 3:]
        return twists[..., :3] + np.cross(turned, self.origins[:, None]), turned

    def _by_piece(self, full: Floats) -> Floats:
        """(states, modes, 6, pieces): twists of the pieces by all coordinates (states, modes, total)."""
        result = np.zeros((*full.shape[:2], 6, len(self.model.columns)))
        for k, columns in enumerate(self.model.columns):
            result[..., k] = full[..., columns] @ np.swapaxes(self.twists[..., columns], -1, -2)
        return result

    def chosen(self, rows: Bools) -> PlacedModel:
        """See `PlacedArm`."""
        return self if rows.all() else PlacedModel(self.model, self.q[rows])

    def loaded(self, states: tuple[Floats, ...], case: LoadCase) -> tuple[Floats, Floats]:
        """See `PlacedArm`."""
        rows = guided_loads(self, states, case)
        return guided_stiffness(self, rows), guided_strains(self, rows)

    def beam_lines(self, y: Floats, points: int) -> list[BeamCurve]:
        """See `PlacedArm`."""
        model = self.model
        twists = self._by_piece(self.spread(np.broadcast_to(y, (self.count, *y.shape))))[0]  # (modes, 6, pieces)
        found = []
        for beam, placed in enumerate(model.arm.placed_beams):
            line = next((line for line in model.lines if line.line.beam == beam), None)
            parts: list[tuple[Floats, Floats, Floats]] = []
            start = np.zeros((len(y), 6))
            for drawn in self._drawn(beam, line, np.linspace(0.0, 1.0, points)):
                link = self.links[drawn.columns.start]
                R, p = self.R[0, link], self.p[0, link]
                at = p + (placed.start + drawn.x[:, None] * placed.axes[:, 0]) @ R.T
                twist = twists @ self.before[0, drawn.piece]
                if not parts:
                    start = twist
                own = drawn.shapes[:, :3] @ y[:, drawn.columns].T
                parts.append((drawn.x, at, moved_by(twist, at, R @ placed.axes, own)))
            found.append(BeamCurve(beam, placed.link, *joined_parts(parts), start))
        return found

    def _drawn(self, beam: int, line: LineModel | None, share: Floats) -> Iterator[_Drawn]:
        """The pieces of a beam in the first state."""
        model = self.model
        if line is not None:
            starts, stops = (edges[0] for edges in self.edges[model.lines.index(line)])
            for k, (columns, constants) in enumerate(zip(line.columns, line.pieces, strict=True)):
                length = float(stops[k] - starts[k])
                if length > 0:
                    x = np.minimum(starts[k] + share * length, stops[k])
                    yield _Drawn(x, line.first + k, columns, constants.shapes(length, share))
            return
        for k, piece in enumerate(model.elements):
            if piece.stretch is not None and piece.element.beam == beam:
                x = share * piece.stretch.length
                values = shapes(piece.stretch, x, piece.order, model.effects).values
                yield _Drawn(piece.stretch.start + x, k, piece.columns, values)


class _Drawn(NamedTuple):
    """A piece at points: their distance from the beam's start, its number, its coordinates and its shapes there."""

    x: Floats
    piece: int
    columns: slice
    shapes: Floats


def _with(mask: Floats, piece: int) -> Floats:
    result = mask.copy()
    result[:, piece] = 1.0
    return result
