"""The loads of all pieces of an arm, 18 numbers each: forces at points (`beams.dead_loads`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import kept
from loadpath.robot.beams.placement import link_in_joint_frame
from loadpath.robot.mechanism import BASE
from loadpath.scalars.types import Floats
from loadpath.structure.beams.dead_loads import LOADS, LoadRows, load_rows
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.quantities import at_once
from loadpath.structure.vibration.mass import axes_of
from loadpath.structure.vibration.world_axes import frames_of_joints

if TYPE_CHECKING:
    from loadpath.quantities.wrench import Wrench
    from loadpath.states import LoadCase
    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.vibration.extension import Extension
    from loadpath.structure.vibration.model import VibrationModel


@kept()
def rows_of(model: VibrationModel) -> LoadRows:
    """Which row of the arm's dead loads has what."""
    return load_rows(skeleton(model.tree))


def dead_loads(
    arm: ElasticQuantities, states: tuple[Floats, ...], case: LoadCase, *, cut: bool = False
) -> Floats:
    """(..., rows, 18): the dead loads of states, with external forces at the points where they act. The rows are those
    of the elements, then those of `load_rows`. `cut` as in `frames_of_joints`.
    """
    q, qd, qdd = states
    found = at_once(arm.dead_loads, q, qd, qdd, **case.keywords) if cut else arm.dead_loads(q, qd, qdd, **case.keywords)
    rows: Floats = np.asarray(found, dtype=float)
    away = {link: wrench for link, wrench in (case.external or {}).items()
            if np.any(wrench.point) or hasattr(wrench, "spread")}
    if away:
        _move_points(arm, q, away, rows, cut)
    return rows


def _move_points(
    arm: ElasticQuantities, q: Floats, external: Mapping[str, Wrench], rows: Floats, cut: bool
) -> None:
    """Adds what forces at other points than the origin of their link's frame have of G, as far as the tree goes: a
    guide passes it on at its tail pad. Of the moment of such a force, which counts already, G has the antisymmetric
    part; here is the symmetric one.
    """
    elastic = skeleton(arm)
    mechanism, of = elastic.mechanism, load_rows(elastic)
    R = frames_of_joints(arm, q, cut=cut)[0]
    numbers = {name: k for k, name in enumerate(arm.link_names)}
    lines = {line.body: k for k, line in enumerate(elastic.lines)}
    slides = {slide.body: k for k, slide in enumerate(elastic.guides)}
    ends = {element.end: k for k, element in enumerate(elastic.elements)}
    for link, wrench in external.items():
        outer = np.asarray(wrench.point)[..., :, None] * np.asarray(wrench.force)[..., None, :]
        symmetric = 0.5 * (outer + np.swapaxes(outer, -1, -2))
        if hasattr(wrench, "spread"):  # of carried loads, which are bodies
            symmetric = symmetric + wrench.spread.reshape(*wrench.spread.shape[:-1], 3, 3)
        if wrench.axes == "link":
            turn = R[..., numbers[link], :, :] @ np.asarray(link_in_joint_frame(arm, link).R)
            symmetric = turn @ symmetric @ np.swapaxes(turn, -1, -2)

        def add(row: int, link: str, axes: Floats, symmetric: Floats = symmetric) -> None:
            turn = R[..., numbers[link], :, :] @ axes
            seen = np.swapaxes(turn, -1, -2) @ symmetric @ turn
            rows[..., row, 3:12] += seen.reshape(*seen.shape[:-2], 9)

        body = mechanism.link_frames[link].body
        station = next((line.frame for line in elastic.lines if line.link == link), None)
        while True:
            if body in lines and station is not None:
                line = elastic.lines[lines[body]]
                add(of.stations[lines[body]][station], line.link, line.axes)
            if body == BASE:
                break
            if body in ends:
                element = elastic.elements[ends[body]]
                add(ends[body], element.link, axes_of(element))
            parent, station = mechanism.bodies[body].parent, None
            if body in slides:
                guide = elastic.guides[slides[body]].guide
                add(of.slides[slides[body]], guide.inner, np.eye(3))
                if parent in lines:
                    carried = elastic.lines[lines[parent]].carried
                    station = next(pads for other, _, pads in carried if other is guide)[0]
            elif parent in lines:
                station = elastic.lines[lines[parent]].held.get(body)
            body = parent


def piece_loads(model: VibrationModel, rows: Floats, at: Extension) -> Floats:
    """(states, pieces, 18): the loads of all pieces, from the rows (states, rows, 18) of the dead loads."""
    if not model.follows:
        return rows
    of, count = rows_of(model), len(model.cut.elements)
    result = np.zeros((len(rows), len(model.pieces), LOADS))
    result[:, :count] = rows[:, :count]
    for k, line in enumerate(model.lines):
        start, stop = at.edges[k]
        A, B = rows[:, of.lines[k], None, 12:15], rows[:, of.lines[k], None, 15:]
        beyond = (at.places[k][:, None, :] >= stop[:, :, None]).astype(float)  # (states, pieces, stations)
        total = beyond @ rows[:, of.stations[k], :12]
        F, G = total[..., :3], total[..., 3:].reshape(len(rows), -1, 3, 3)
        # The mass of the pieces beyond: its moments from the beam's start.
        first = model.line_pieces[0]
        m0, m1, m2 = np.moveaxis(at.line_masses[0][:, line.pieces.start - first : line.pieces.stop - first], -1, 0)
        moments = np.stack([m0, m1 + start * m0, m2 + 2 * start * m1 + start**2 * m0], axis=-1)
        later = np.cumsum(moments[:, ::-1], axis=1)[:, ::-1] - moments
        n0, n1, n2 = (later[..., j, None] for j in range(3))
        F = F - n0 * A - n1 * B
        G[..., 0, :] -= n1 * A + n2 * B
        G[..., 0, :] -= stop[..., None] * F  # about the piece's end
        result[:, line.pieces, :3], result[:, line.pieces, 3:12] = F, G.reshape(len(rows), -1, 9)
        result[:, line.pieces, 12:15] = A + start[..., None] * B
        result[:, line.pieces, 15:] = B
    for joint in model.closing.joints if model.closing else ():
        if not joint.guided:
            result[:, joint.piece, :12] = rows[:, joint.row, :12]
    for slide, row in zip(model.slides, of.slides, strict=True):
        result[:, slide.piece, :12] = rows[:, row, :12]
    return result


def largest_strains(model: VibrationModel, rows: Floats, at: Extension) -> Floats:
    """(states,): the largest stretch or shear that the forces in any beam could cause, whatever their direction: force
    over the smaller stiffness, of the effects that count, at both ends of each piece.
    """
    pieces, weakest = _weakest(model)
    if not len(pieces):
        return np.zeros(len(rows))
    loads = piece_loads(model, rows, at)[:, pieces]
    mass = np.array([element.mass_moments for element in model.cut.elements]).reshape(-1, 3)[None]
    if model.lines:
        mass = np.concatenate([np.broadcast_to(mass, (at.count, *mass.shape[1:])), at.line_masses[0]], axis=1)
    end, mass = loads[..., :3], mass[:, pieces]
    start = end - mass[..., :1] * loads[..., 12:15] - mass[..., 1:2] * loads[..., 15:]
    squares = [(force**2).sum(axis=-1) / k**2 for force, k in zip((start, end), weakest.T, strict=True)]
    result: Floats = np.sqrt(np.maximum(*squares).max(axis=-1))
    return result


@kept()
def _weakest(model: VibrationModel) -> tuple[Floats, Floats]:
    """Numbers (n,) of the pieces of beams, and the smallest stiffness (n, 2) that counts at their starts and ends."""
    stretches = [*model.cut.stretches, *(part.stretch for line in model.lines
                                         for part, cut in zip(line.line.parts, line.cuts, strict=True)
                                         for _ in cut.orders)]
    pieces, weakest = [], []
    for k, stretch in enumerate(stretches):
        if stretch is None:
            continue
        at = stretch.properties(np.array([0.0, stretch.length]))
        stiffnesses = (("extension", at.EA), ("shear", at.GAy), ("shear", at.GAz))
        counting = [values for effect, values in stiffnesses if effect in model.effects]
        if counting:
            pieces.append(k)
            weakest.append(np.min(counting, axis=0))
    return np.array(pieces, dtype=int), np.array(weakest).reshape(-1, 2)
