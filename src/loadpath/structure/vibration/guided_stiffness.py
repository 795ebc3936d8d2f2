"""What loads do to the stiffness of an arm with guides: `geometric_stiffness` with pads.

The forces of the pads count as forces at points of both links, so that a link that slides is in equilibrium with its
pads. What that leaves out is that a pad turns with the links that it holds. With the displacement a along the slide
between both links at the pad (the drive gives way, the beams stretch) and the rotation theta of the beam along which
it slides, its force p does the work a e_x . (theta x p). A torque t about the slide is about the middle of the axes of
both links: with their rotations it does the work -t/2 e_x . (theta_outer x theta_inner).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from loadpath.robot.beams.guide import CONTACTS
from loadpath.robot.beams.placement import link_in_joint_frame
from loadpath.robot.beams.profile import Stretch
from loadpath.robot.mechanism import BASE
from loadpath.scalars.types import Floats
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.beams.guided_dead_loads import LoadRows, load_rows
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.kept import kept
from loadpath.structure.vibration.geometric_stiffness import (
    PieceStiffness,
    joint_stiffness,
    stands_on_ground,
    stretch_stiffness,
)
from loadpath.structure.vibration.guided_pieces import LinePiece, PieceNumbers, Staying, forces_of
from loadpath.structure.vibration.mass import axes_of
from loadpath.structure.vibration.world_axes import skew

if TYPE_CHECKING:
    from loadpath.loads.wrench import Wrench
    from loadpath.states import LoadCase
    from loadpath.structure.vibration.guided_model import GuidedModel
    from loadpath.structure.vibration.guided_placed import PlacedModel


def rows_of(model: GuidedModel) -> LoadRows:
    """Which row of the arm's dead loads has what."""
    return load_rows(skeleton(model.arm))


def guided_loads(placed: PlacedModel, states: tuple[Floats, ...], case: LoadCase) -> Floats:
    """(states, rows, 18): the dead loads of states, with external forces at the points where they act."""
    q, qd, qdd = states
    arm = placed.model.arm
    rows: Floats = np.array(arm.dead_loads(q, qd, qdd, **case.keywords), dtype=float)
    away = {link: wrench for link, wrench in (case.external or {}).items()
            if np.any(wrench.point) or hasattr(wrench, "spread")}  # fmt: skip
    if away:
        _move_points(placed, away, rows)
    return rows


def _move_points(placed: PlacedModel, external: Mapping[str, Wrench], rows: Floats) -> None:
    """Adds the symmetric part of G of forces at other points than the origin of their link's frame, as far as the tree
    goes: a guide passes it on at its tail pad.
    """
    model = placed.model
    mechanism, of = model.cut.mechanism, rows_of(model)
    numbers = {name: k for k, name in enumerate(model.arm.link_names)}
    lines = {line.line.body: k for k, line in enumerate(model.lines)}
    slides = {slide.of.body: k for k, slide in enumerate(model.slides)}
    ends = {piece.element.end: k for k, piece in enumerate(model.elements)}
    for link, wrench in external.items():
        product = np.asarray(wrench.point)[..., :, None] * np.asarray(wrench.force)[..., None, :]
        symmetric = 0.5 * (product + np.swapaxes(product, -1, -2))
        if hasattr(wrench, "spread"):  # of carried loads, which are bodies
            symmetric = symmetric + wrench.spread.reshape(*wrench.spread.shape[:-1], 3, 3)
        if wrench.axes == "link":
            offset = np.asarray(link_in_joint_frame(model.arm, link).R)
            turn = placed.R[:, numbers[link]] @ offset
            symmetric = turn @ symmetric @ np.swapaxes(turn, -1, -2)

        def add(row: int, turn: Floats, symmetric: Floats = symmetric) -> None:
            seen = np.swapaxes(turn, -1, -2) @ symmetric @ turn
            rows[:, row, 3:12] += seen.reshape(*seen.shape[:-2], 9)

        body = mechanism.link_frames[link].body
        line = next((line.line for line in model.lines if line.line.link == link), None)
        station = None if line is None else line.frame
        while True:
            if body in lines and station is not None:
                k = lines[body]
                add(of.stations[k][station], placed.R[:, model.lines[k].link] @ model.lines[k].line.axes)
            if body == BASE:
                break
            if body in ends:
                piece = model.elements[ends[body]]
                add(ends[body], placed.R[:, numbers[piece.element.link]] @ axes_of(piece.element))
            parent, station = mechanism.bodies[body].parent, None
            if body in slides:
                slide = model.slides[slides[body]]
                add(of.slides[slides[body]], placed.R[:, slide.link])
                if parent in lines:
                    station = placed.outer_pads(slide)[0]
            elif parent in lines:
                station = model.lines[lines[parent]].line.held.get(body)
            body = parent


def piece_loads(placed: PlacedModel, rows: Floats) -> Floats:
    """(states, pieces, 18): the loads of all pieces, from the rows of the dead loads."""
    model = placed.model
    of, count = rows_of(model), len(model.elements)
    result = np.zeros((len(rows), len(model.columns), LOADS))
    result[:, :count] = rows[:, :count]
    for k, line in enumerate(model.lines):
        start, stop = placed.edges[k]
        at = rows[:, of.stations[k]]
        A, B = rows[:, of.lines[k], 12:15], rows[:, of.lines[k], 15:]
        beyond = (placed.places[k][:, None, :] >= stop[:, :, None]).astype(float)  # (states, pieces, stations)
        total = beyond @ at[..., :12]
        F, G = total[..., :3], total[..., 3:].reshape(len(rows), -1, 3, 3)
        # The mass of the pieces beyond: its moments from the beam's start.
        local = np.stack([np.broadcast_to(n.mass, (len(rows), 3)) for n in placed.numbers[k]], axis=1)
        m0, m1, m2 = np.moveaxis(local, -1, 0)
        moments = np.stack([m0, m1 + start * m0, m2 + 2 * start * m1 + start**2 * m0], axis=-1)
        later = np.cumsum(moments[:, ::-1], axis=1)[:, ::-1] - moments
        n0, n1, n2 = (later[..., j, None] for j in range(3))
        F = F - n0 * A[:, None] - n1 * B[:, None]
        G = G.copy()
        G[..., 0, :] -= n1 * A[:, None] + n2 * B[:, None]
        G[..., 0, :] -= stop[..., None] * F  # about the piece's end
        pieces = slice(line.first, line.first + len(line.pieces))
        result[:, pieces, :3], result[:, pieces, 3:12] = F, G.reshape(len(rows), -1, 9)
        result[:, pieces, 12:15] = A[:, None] + start[..., None] * B[:, None]
        result[:, pieces, 15:] = B[:, None]
    for slide, row in zip(model.slides, of.slides, strict=True):
        result[:, slide.piece, :12] = rows[:, row, :12]
    return result


@kept
def _constants(model: GuidedModel) -> tuple[PieceStiffness, ...]:
    """Of the elements."""
    return tuple(
        joint_stiffness(piece.twists, stands_on_ground(model.arm, piece))
        if piece.stretch is None
        else stretch_stiffness(piece.stretch, piece.order, model.effects, share)
        for piece, share in zip(model.elements, model.cut.shares, strict=True)
    )


_SLIDE = joint_stiffness(np.eye(6))


def guided_stiffness(placed: PlacedModel, rows: Floats) -> Floats:
    """K_G (states, size, size), from the rows of the dead loads."""
    model, loads, count = placed.model, piece_loads(placed, rows), len(rows)
    along = np.zeros((count, 3, model.total))
    blocks: list[tuple[slice, Floats]] = []

    def add(piece: int, columns: slice, axes: Floats, own: Floats, d: Floats) -> None:
        blocks.append((columns, own))
        if columns.stop > columns.start:
            along[..., columns] = placed.R[:, placed.links[columns.start]] @ (axes @ d)

    for k, (piece, constants) in enumerate(zip(model.elements, _constants(model), strict=True)):
        add(k, piece.columns, piece.axes, *_contracted(loads[:, k], constants))
    for line, (start, stop) in zip(model.lines, placed.edges, strict=True):
        for n, (columns, made) in enumerate(zip(line.columns, line.pieces, strict=True)):
            found = made.geometric(stop[:, n] - start[:, n], loads[:, line.first + n])
            add(line.first + n, columns, line.line.axes, *found)
    for slide in model.slides:
        add(slide.piece, slide.columns, np.eye(3), *_contracted(loads[:, slide.piece], _SLIDE))
    turned = np.swapaxes(placed.twists[:, 3:], -1, -2)
    outer = (turned @ along) * placed.carries
    K = -outer - np.swapaxes(outer, -1, -2)
    for columns, own in blocks:
        K[:, columns, columns] += own
    return placed.gathered(K) + _turning_pads(placed, rows)


def piece_constants(placed: PlacedModel, piece: int) -> tuple[Floats, Floats]:
    """Of a piece in the first state, in its axes, for each of its 18 loads: K_G (18, c, c) among its own coordinates,
    and the integral of d (18, 3, c).
    """
    model = placed.model
    if piece < len(model.elements):
        return _constants(model)[piece].own, _constants(model)[piece].along
    for line, (start, stop) in zip(model.lines, placed.edges, strict=True):
        n = piece - line.first
        if 0 <= n < len(line.pieces):
            return line.pieces[n].geometric(np.full(LOADS, stop[0, n] - start[0, n]), np.eye(LOADS))
    if any(piece == slide.piece for slide in model.slides):
        return _SLIDE.own, _SLIDE.along
    return np.zeros((LOADS, 1, 1)), np.zeros((LOADS, 3, 1))  # a drive turns nothing by itself


def _contracted(loads: Floats, constants: PieceStiffness) -> tuple[Floats, Floats]:
    count = constants.own.shape[-1]
    own, along = (loads @ part.reshape(LOADS, -1) for part in (constants.own, constants.along))
    return own.reshape(-1, count, count), along.reshape(-1, 3, count)


def _turning_pads(placed: PlacedModel, rows: Floats) -> Floats:
    """What the forces of pads add because they turn with the beam along which they slide."""
    model, of = placed.model, rows_of(placed.model)
    K = np.zeros((len(rows), model.size, model.size))
    for slide, numbers in zip(model.slides, of.pads, strict=True):
        guide = slide.of.guide
        for pad, (row, (_, on_child)) in enumerate(zip(numbers, guide.guide.positions(), strict=False)):
            masks = placed.pad_masks(slide, pad)
            inner, outer = (mask[:, model.piece_of] for mask in masks)
            f = placed.functional(slide, pad, 0)[:, None]
            a = _reduced(placed, (f @ placed.twists)[:, 0] * (inner - outer))
            axes = placed.R[:, slide.link] @ guide.axes
            force = rows[:, row, :3]
            p = axes[:, :, 1] * force[:, 1, None] + axes[:, :, 2] * force[:, 2, None]
            lever = np.cross(p, axes[:, :, 0])[:, None]
            b = _reduced(placed, (lever @ placed.twists[:, 3:])[:, 0] * (outer if on_child else inner))
            both = a[:, :, None] * b[:, None]
            K -= both + np.swapaxes(both, -1, -2)
            if pad == CONTACTS.index(guide.guide.torsion) and not guide.guide.clamps:
                turns = [np.stack([_reduced(placed, placed.twists[:, 3 + i] * mask) for i in range(3)], axis=1)
                         for mask in (outer, inner)]  # fmt: skip
                both = np.swapaxes(turns[0], -1, -2) @ skew(axes[:, :, 0]) @ turns[1]
                K -= 0.5 * rows[:, row, 3, None, None] * (both + np.swapaxes(both, -1, -2))
    return K


def _reduced(placed: PlacedModel, values: Floats) -> Floats:
    """A linear form in all coordinates (states, total) as one in the elastic ones."""
    size = placed.model.size
    result: Floats = values[:, :size] + (values[:, None, size:] @ placed.C)[:, 0]
    return result


def _of_element(model: GuidedModel, k: int) -> PieceNumbers:
    piece, share = model.elements[k], model.cut.shares[k]
    assert piece.stretch is not None
    return Staying(LinePiece(piece.stretch, False, share, 0.0, piece.order, model.effects)).numbers(np.zeros(1))


def generalized_forces(placed: PlacedModel, rows: Floats) -> Floats:
    """(states, size): the forces of the loads on the elastic coordinates, which are these coordinates at rest."""
    model, loads = placed.model, piece_loads(placed, rows)
    f = np.zeros((len(rows), model.total))
    for k, piece in enumerate(model.elements):
        if piece.stretch is None:
            G = loads[:, k, 3:12].reshape(-1, 3, 3)
            moment = np.stack([G[:, 1, 2] - G[:, 2, 1], G[:, 2, 0] - G[:, 0, 2], G[:, 0, 1] - G[:, 1, 0]], axis=-1)
            f[:, piece.columns] = np.concatenate([loads[:, k, :3], moment], axis=-1) @ piece.twists
        else:
            f[:, piece.columns] = forces_of(_of_element(model, k), loads[:, k])
    for line, constants in zip(model.lines, placed.numbers, strict=True):
        for n, (columns, of) in enumerate(zip(line.columns, constants, strict=True)):
            f[:, columns] = forces_of(of, loads[:, line.first + n])
    of_rows = rows_of(model)
    for slide, pads in zip(model.slides, of_rows.pads, strict=True):
        if slide.drive is not None:
            pad = 0 if slide.of.guide.guide.clamps else CONTACTS.index(slide.of.guide.guide.along)
            f[:, slide.drive] = -np.sqrt(slide.of.along) * rows[:, pads[pad], 0]
    return _reduced(placed, f)


def guided_strains(placed: PlacedModel, rows: Floats) -> Floats:
    """(states,): `largest_strains` of the beams, those in guides included."""
    model, loads = placed.model, piece_loads(placed, rows)
    result = np.zeros(len(rows))
    for k, piece in enumerate(model.elements):
        if piece.stretch is not None:
            mass = _of_element(model, k).mass
            result = np.maximum(result, _strain(model, piece.stretch, loads[:, k], mass[..., 0], mass[..., 1]))
    for line, constants in zip(model.lines, placed.numbers, strict=True):
        stretches = [cut.stretch for cut in line.cuts for _ in cut.pieces]
        for n, (stretch, of) in enumerate(zip(stretches, constants, strict=True)):
            own = loads[:, line.first + n]
            result = np.maximum(result, _strain(model, stretch, own, of.mass[..., 0], of.mass[..., 1]))
    return result


def _strain(model: GuidedModel, stretch: Stretch, loads: Floats, m0: Floats, m1: Floats) -> Floats:
    """Force over the smaller stiffness at both ends of a piece."""
    at = stretch.properties(np.array([0.0, stretch.length]))
    stiffnesses = (("extension", at.EA), ("shear", at.GAy), ("shear", at.GAz))
    counting = [values for effect, values in stiffnesses if effect in model.effects]
    if not counting:
        return np.zeros(len(loads))
    weakest = np.min(counting, axis=0)
    end = loads[:, :3]
    start = end - m0[:, None] * loads[:, 12:15] - m1[:, None] * loads[:, 15:]
    before, after = np.linalg.norm(start, axis=-1) / weakest[0], np.linalg.norm(end, axis=-1) / weakest[1]
    result: Floats = np.maximum(before, after)
    return result
