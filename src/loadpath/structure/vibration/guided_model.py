"""The vibrating arm with guides: pieces between pads that move, and the sliding links tied to their pads.

The tree is that of any arm, but a link that slides hangs on the tail pad of its guide by a twist of six coordinates of
its own, which have no stiffness (`slides`). They follow from the others, because both beams are displaced alike at the
pads: y = T eta, T = [1; C], so that M = T^T M_y T, and the stiffness without load stays the identity. The beams in
guides are cut at all their stations, those that move included; where one passes another, pieces have no length.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.robot.mechanism import BASE
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.structure.beams.elastic_mechanism import BodyGuide
from loadpath.structure.beams.guided_line import GuidedLine
from loadpath.structure.beams.line_mass import Mass
from loadpath.structure.beams.profile import Stretch
from loadpath.structure.beams.station import Station
from loadpath.structure.vibration.basis import RESULTANTS, shapes
from loadpath.structure.vibration.guided_cuts import cuts_of
from loadpath.structure.vibration.guided_pieces import LinePiece, PieceConstants, PieceNumbers, constants_of
from loadpath.structure.vibration.guided_stiffness import guided_loads, guided_stiffness, guided_strains
from loadpath.structure.vibration.mass import ArmParts, affordable, arm_parts, rotary
from loadpath.structure.vibration.model import (
    BeamCurve,
    ElasticModel,
    Piece,
    PlacedArm,
    carried,
    carried_inertias,
    element_pieces,
    frames_of_joints,
    joined_parts,
    moved_by,
    moved_inertias,
    skew,
    spatial,
)

if TYPE_CHECKING:
    from loadpath.api.flexible import FlexibleRobot
    from loadpath.states import LoadCase

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
        return np.stack([_of_states(station, q) for station in self.line.stations], axis=-1)

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


def _of_states(station: Station, q: Floats) -> Floats:
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


@dataclass(frozen=True, eq=False)
class GuidedModel(ElasticModel):
    """An arm with guides and `size` elastic coordinates; see `VibrationModel` for what has the same name."""

    arm: FlexibleRobot
    effects: tuple[str, ...]
    order: int
    cut: ArmParts
    elements: tuple[Piece, ...]
    """Pieces of beams that are in no guide, and compliant joints."""
    lines: tuple[LineModel, ...]
    slides: tuple[Slide, ...]
    owned: tuple[tuple[str, slice], ...]
    part_names: tuple[str, ...]
    part_of: Floats
    size: int
    inertias: Floats
    """(bodies, 6, 6): of bodies that are no line's; then the lumps of the lines."""
    holders: tuple[tuple[int | None, int], ...]
    """For each of them its line and station, or None and its body."""
    body_links: tuple[int, ...]
    drives: tuple[tuple[int, int, float], ...]
    """Piece, column, and displacement per unit (m) of the drives that give way."""

    @property
    def owners(self) -> tuple[tuple[str, slice], ...]:
        """For each piece the name of its link or joint, and its coordinates."""
        return self.owned

    @property
    def floats_each(self) -> int:
        """Numbers that the matrices of one state take."""
        return 9 * self.total**2 + 150 * self.total + 200 * len(self.columns)

    @property
    def total(self) -> int:
        """Coordinates with those of the slides, which are the last."""
        return self.size + FREEDOMS * len(self.slides)

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """The coordinates of all pieces: elements, lines, drives, slides."""
        found = [piece.columns for piece in self.elements]
        for line in self.lines:
            found += line.columns
        found += [slice(column, column + 1) for _, column, _ in self.drives]
        return (*found, *(slide.columns for slide in self.slides))

    @cached_property
    def piece_of(self) -> Any:
        """(total,): the piece of each coordinate."""
        result = np.empty(self.total, dtype=int)
        for k, columns in enumerate(self.columns):
            result[columns] = k
        return result

    def at(self, q: ArrayLike) -> PlacedModel:
        """The model in states (states, nq)."""
        return PlacedModel(self, np.asarray(q, dtype=float))


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
        """(states, 6): what takes a twist to the displacement of a pad (or the rotation there) along an axis of the inner
        line.
        """
        guide = slide.of.guide
        R, p = self.R[:, slide.link], self.p[:, slide.link]
        e = R @ guide.axes[:, axis]
        if turns:
            return np.concatenate([np.zeros_like(e), e], axis=-1)
        x = _of_states(guide.pads[pad].inner, self.q)
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
        """The mass matrices (states, size, size), and the momenta (states, size, 6) shared with a motion of the base."""
        model, S = self.model, self.twists
        moved, inertias = self._masses()
        flat = np.swapaxes(moved, -1, -2) @ inertias.reshape(self.count, -1, 36)
        composite = flat.reshape(self.count, -1, 6, 6)
        momenta, own = self._own()
        beyond = np.empty_like(S)
        for k, columns in enumerate(model.columns):
            beyond[..., columns] = composite[:, k] @ S[..., columns]
        twists = np.swapaxes(S, -1, -2)
        shared = beyond + np.swapaxes(momenta, -1, -2)
        outer = (twists @ shared) * self.carries
        M = outer + np.swapaxes(outer, -1, -2)
        for k, columns in enumerate(model.columns):
            M[:, columns, columns] += twists[:, columns] @ beyond[..., columns]
            if own[k] is not None:
                M[:, columns, columns] += own[k]
        size = model.size
        along = np.swapaxes(shared, -1, -2)
        return self.gathered(M), along[:, :size] + np.swapaxes(self.C, -1, -2) @ along[:, size:]

    @cached_property
    def carries(self) -> Floats:
        """(states, total, total): one where the row's piece lies between the base and the column's; one matrix where it is
        the same in all states.
        """
        before = self.before
        if (before == before[:1]).all():
            before = before[:1]
        of = self.model.piece_of
        result: Floats = np.swapaxes(before, -1, -2)[:, of[:, None], of]
        return result

    def _masses(self) -> tuple[Floats, Floats]:
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
                local.append(np.broadcast_to(_line_inertia(line.line, start[:, k], of), (self.count, 6, 6)))
                links.append(line.link)
        at = np.array(links, dtype=int)
        inertias = np.stack(local, axis=1)
        return np.stack(moved, axis=1), carried_inertias(inertias, self.R[:, at], self.p[:, at])

    def _own(self) -> tuple[Floats, list[Floats | None]]:
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
        """Displacements and rotations (states, modes, links, 3) of the link frames, for coordinates (states, modes, size)."""
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
            parts, start = [], np.zeros((len(y), 6))
            for stretch, k, piece, shape in self._drawn(beam, line, np.linspace(0.0, 1.0, points)):
                link = self.links[piece.start]
                R, p = self.R[0, link], self.p[0, link]
                x, origin, axes, own = stretch[0], stretch[1], stretch[2], shape
                at = p + (origin + x[:, None] * axes[:, 0]) @ R.T
                twist = twists @ self.before[0, k]
                if not parts:
                    start = twist
                parts.append((x, at, moved_by(twist, at, R @ axes, own[:, :3] @ y[:, piece].T)))
            found.append(BeamCurve(beam, placed.link, *joined_parts(parts), start))
        return found

    def _drawn(self, beam: int, line: LineModel | None, share: Floats) -> Iterator[tuple[Any, int, slice, Floats]]:
        """Of the pieces of a beam in the first state: places along it with its start and axes, the number of the piece,
        its coordinates and its shapes.
        """
        model = self.model
        if line is not None:
            starts, stops = (edges[0] for edges in self.edges[model.lines.index(line)])
            where = line.line.start, line.line.axes
            for k, (columns, piece) in enumerate(zip(line.columns, line.pieces, strict=True)):
                a, length = starts[k], float(stops[k] - starts[k])
                if length > 0:
                    yield (a + share * length, *where), line.first + k, columns, piece.shapes(length, share)
            return
        placed = model.arm.placed_beams[beam]
        for k, piece in enumerate(model.elements):
            if piece.stretch is not None and piece.element.beam == beam:
                x = share * piece.stretch.length
                values = shapes(piece.stretch, x, piece.order, model.effects).values
                yield (piece.stretch.start + x, placed.start, placed.axes), k, piece.columns, values


def _with(mask: Floats, piece: int) -> Floats:
    result = mask.copy()
    result[:, piece] = 1.0
    return result


def _line_inertia(line: GuidedLine, start: Floats, of: PieceNumbers) -> Floats:
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
                          + m2[:, None, None] * x @ x) + np.einsum("ij,...j,kj->...ik", axes, of.sections, axes)  # fmt: skip
    return result


# Making one


def guided_model(arm: FlexibleRobot, effects: tuple[str, ...], order: int) -> GuidedModel:
    """The model of an arm with guides; see `vibration_model`."""
    cut = arm_parts(arm)
    sections = rotary(cut)
    numbers = {name: k for k, name in enumerate(arm.link_names)}
    elements = element_pieces(arm, cut, sections, effects, order)
    first = elements[-1].columns.stop if elements else 0
    lines: list[LineModel] = []
    lumps: list[tuple[Floats, int, int]] = []
    labels = [label for piece in elements for label in piece.labels]
    owners = [(piece.owner, piece.columns) for piece in elements]
    for line in cut.lines:
        share, lump = _rotary_of_line(line)
        made = _line_model(line, numbers[line.link], effects, order, share, first, len(elements) + sum(
            len(other.pieces) for other in lines))  # fmt: skip
        if lump is not None and line.lump is not None:
            lumps.append((spatial(lump), len(lines), line.lump.station))
        lines.append(made)
        first = made.columns[-1].stop if made.columns else first
        labels += made.labels
        owners += [(line.link, columns) for columns in made.columns]
    drives, slides = [], []
    piece = len(elements) + sum(len(line.pieces) for line in lines)
    for guide in cut.guides:
        if guide.along > 0 and "joints" in effects:
            drives.append((piece, first, math.sqrt(guide.along)))
            owners.append((guide.guide.joint, slice(first, first + 1)))
            labels.append(f"joint '{guide.guide.joint}'")
            piece, first = piece + 1, first + 1
    size, left = first, list(drives)
    for guide in cut.guides:
        drive = left.pop(0)[1] if guide.along > 0 and "joints" in effects else None
        slides.append(Slide(guide, numbers[guide.guide.inner], piece, slice(first, first + FREEDOMS), drive))
        piece, first = piece + 1, first + FREEDOMS
    part_names = tuple(dict.fromkeys(labels))
    part_of = np.array([[float(name == part) for part in part_names] for name in labels])
    bodies = {i: inertia for i, inertia in moved_inertias(cut, sections).items()
              if i not in {line.body for line in cut.lines}}  # fmt: skip
    inertias = [*bodies.values(), *(inertia for inertia, _, _ in lumps)]
    return GuidedModel(
        arm=arm,
        effects=effects,
        order=order,
        cut=cut,
        elements=tuple(elements),
        lines=tuple(lines),
        slides=tuple(slides),
        owned=tuple(owners),
        part_names=part_names,
        part_of=part_of.reshape(size, len(part_names)),
        size=size,
        inertias=np.array(inertias).reshape(len(inertias), 6, 6),
        holders=(*((None, i) for i in bodies), *((line, station) for _, line, station in lumps)),
        body_links=(*(numbers[cut.links[i]] for i in bodies), *(lines[line].link for _, line, _ in lumps)),
        drives=tuple(drives),
    )


def _rotary_of_line(line: GuidedLine) -> tuple[float, Mass | None]:
    """The share of the sections' rotary inertia that the link's tensor has, and what is left of its lump."""
    if line.lump is None:
        return 0.0, None
    wanted = np.zeros((3, 3))
    for part in line.parts:
        x, weights = part.stretch.nodes()
        p = part.stretch.properties(x)
        moments = [float(weights @ each) for each in (p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z)]
        wanted += part.share * line.axes @ np.diag(moments) @ line.axes.T
    mass = line.lump.mass
    share = affordable(mass, wanted) if np.any(wanted) else 0.0
    return share, mass._replace(tensor=mass.tensor - share * wanted)


def _line_model(
    line: GuidedLine, link: int, effects: tuple[str, ...], order: int, rotary_share: float, first: int, piece: int
) -> LineModel:
    cuts, pieces, columns, labels = [], [], [], []
    for part, (inside, orders) in zip(line.parts, cuts_of(line, order), strict=True):
        cuts.append(Cut(part.stretch, inside, tuple(range(len(pieces), len(pieces) + len(orders)))))
        for own in orders:
            uniform = not part.stretch.segment.tapered
            made = constants_of(LinePiece(part.stretch, uniform, part.share, rotary_share, own, effects))
            pieces.append(made)
            labels += [f"link '{line.link}': {RESULTANTS[r].name}" for r in made.resultants]
            columns.append(slice(first, first + len(made.resultants)))
            first = columns[-1].stop
    return LineModel(line, link, tuple(cuts), tuple(pieces), piece, tuple(columns), tuple(labels))
