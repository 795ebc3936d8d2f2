"""What loads do to the stiffness of an arm: they keep their direction while the arm gives way.

With the elastic coordinates of `basis` the energy of the arm under dead forces is, to second order,

    V = 1/2 eta (1 + K_G) eta - f eta,

K_G linear in the loads. A point x beyond two coordinates moves, to second order, by w_i x (v_k + w_k x (x - p_k)), i
nearer to the base than k; so

    K_G[i, k] = - integral [ theta_i(s) . d_k(s) + theta_k(s) . d_i(s) ] ds,
    d_k(s) = gamma_k(s) x F(s) + (G(s) - tr G(s)) kappa_k(s),

theta_i(s) the rotation of the section at s per unit of coordinate i (of a compliant joint half of its own), gamma and
kappa the strains, F(s) and G(s) the forces beyond s and their points (`beams.dead_loads`). So an axial force, a
foreshortening, a torque, a moment that turns a narrow section sideways, a bent arm in space are one and the same.

Each piece has 18 numbers of load, and K_G of its own coordinates is their sum with 18 constant matrices; all that
couples two pieces is three numbers of each coordinate: its rotation, and the integral of its d.

Loads of a motion are taken as forces that stay what they are: the changes that a vibration makes to them (gyroscopic
terms, and the softening by rotation, some omega^2 of the squares of the frequencies) are left out.

The forces of the pads of a guide count as forces at points of both links, so that a link that slides is in equilibrium
with its pads. What that leaves out is that a pad turns with the links that it holds. With the displacement a along the
slide between both links at the pad (the drive gives way, the beams stretch) and the rotation theta of the beam along
which it slides, its force p does the work a e_x . (theta x p). A torque t about the slide is about the middle of the
axes of both links: with their rotations it does the work -t/2 e_x . (theta_outer x theta_inner).

What loops exert counts as forces on the links at both sides of their cuts; `closing` has what that leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import kept
from loadpath.robot.beams.beam import CONTACTS
from loadpath.scalars.types import Floats, Ints
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.vibration.basis import PieceStiffness, joint_stiffness, stretch_stiffness
from loadpath.structure.vibration.closing import turning_loops
from loadpath.structure.vibration.piece_loads import piece_loads, rows_of
from loadpath.structure.vibration.world_axes import product, skew

if TYPE_CHECKING:
    from loadpath.structure.vibration.model import VibrationModel
    from loadpath.structure.vibration.placed import PlacedModel


@kept()
def piece_stiffnesses(model: VibrationModel) -> tuple[PieceStiffness | None, ...]:
    """The constants of every piece; None of those that stretch."""
    on_ground = {name for name, compliance in model.tree.joint_compliances if compliance.resolved_on_ground}
    return tuple(
        None
        if piece.moves
        else joint_stiffness(piece.twists, piece.owner in on_ground)
        if piece.stretch is None
        else stretch_stiffness(piece.stretch, piece.order, model.effects, piece.share)
        for piece in model.pieces
    )


def stiffnesses_at(placed: PlacedModel) -> list[tuple[Floats, Floats]]:
    """Of all pieces in the first state, in their axes, for each of their 18 loads: K_G (18, c, c) among their own
    coordinates, and the integral of d (18, 3, c).
    """
    found = [(np.zeros(0), np.zeros(0)) if each is None else (each.own, each.along)
             for each in piece_stiffnesses(placed.model)]
    for group, length in zip(placed.model.stretching, placed.extension.lengths, strict=True):
        units = np.broadcast_to(np.eye(LOADS)[:, None], (LOADS, len(group.numbers), LOADS))
        half, along = group.geometric(length[:1], units)
        for k, piece in enumerate(group.numbers):
            found[piece] = -half[:, k] - np.swapaxes(half[:, k], -1, -2), along[:, k]
    return found


@dataclass(frozen=True, eq=False)
class LoadedCoordinates:
    """Some of the coordinates of pieces that stay, with what K_G among them is made of."""

    columns: Ints
    """Which ones, rising."""
    parts: tuple[tuple[int, int, slice], ...]
    """Piece, its link, and its place among these coordinates."""
    own: tuple[Floats, ...]
    """For each part (18, its coordinates squared): half of K_G among them."""
    along: tuple[Floats, ...]
    """For each part (18, 3 times its coordinates), in link axes."""
    turns: Floats
    """(3, coordinates): rotation of all that lies beyond, in link axes."""
    carries: Floats
    """(coordinates, coordinates): one where the row's piece lies between the base and the column's."""
    part_of: Floats
    """(coordinates, parts): one where the coordinate belongs to the part."""
    part_carries: Floats
    """(parts, parts): one where the row lies between the base and the column."""

    def d(self, R: Floats, loads: Floats) -> Floats:
        """Integrals of d (states, 3, coordinates), world axes, from the links' rotations (states, links, 3, 3) and the
        pieces' loads (states, pieces, 18).
        """
        result = np.zeros((len(loads), 3, len(self.columns)))
        for (piece, link, place), constants in zip(self.parts, self.along, strict=True):
            result[..., place] = R[:, link] @ (loads[:, piece] @ constants).reshape(len(loads), 3, -1)
        return result

    def _turned(self, R: Floats) -> Floats:
        """(states, 3, coordinates): rotations, world axes."""
        result = np.empty((len(R), 3, len(self.columns)))
        for _, link, place in self.parts:
            result[..., place] = product(R[:, link], self.turns[None, :, place])
        return result

    def half(self, turned: Floats, along: Floats, loads: Floats, carries: Floats) -> Floats:
        """H (states, coordinates, coordinates), of which K_G is H + H^T, from rotations and integrals of d."""
        H: Floats = np.swapaxes(turned, -1, -2) @ -along
        H *= carries
        for (piece, _, place), constants in zip(self.parts, self.own, strict=True):
            count = place.stop - place.start
            H[:, place, place] += (loads[:, piece] @ constants).reshape(len(H), count, count)
        return H

    def stiffness(self, R: Floats, loads: Floats) -> Floats:
        """K_G (states, coordinates, coordinates) of an arm without guides."""
        H = self.half(self._turned(R), self.d(R, loads), loads, self.carries)
        return H + np.swapaxes(H, -1, -2)

    def product(self, R: Floats, loads: Floats, x: Floats) -> Floats:
        """K_G x (states, coordinates) of an arm without guides, without K_G."""
        return self.products(R, loads)(x)

    def products(self, R: Floats, loads: Floats) -> Callable[[Floats], Floats]:
        """What makes K_G x of any x (states, coordinates)."""
        turned, along = self._turned(R), self.d(R, loads)
        blocks = []
        for (piece, _, place), constants in zip(self.parts, self.own, strict=True):
            count = place.stop - place.start
            blocks.append(2.0 * (loads[:, piece] @ constants).reshape(len(loads), count, count))

        def product(x: Floats) -> Floats:
            beyond = ((along * x[..., None, :]) @ self.part_of) @ self.part_carries.T
            before = ((turned * x[..., None, :]) @ self.part_of) @ self.part_carries
            own = np.empty_like(x)
            for k, ((_, _, place), block) in enumerate(zip(self.parts, blocks, strict=True)):
                own[:, place] = (block @ x[:, place, None])[..., 0]
                own[:, place] -= (beyond[:, None, :, k] @ turned[..., place])[:, 0]
                own[:, place] -= (before[:, None, :, k] @ along[..., place])[:, 0]
            return own

        return product


def loaded_coordinates(model: VibrationModel, columns: Ints | None = None) -> LoadedCoordinates:
    """All coordinates of a model, those of its slides included, or some of them."""
    return _all_coordinates(model) if columns is None else _coordinates(model, columns)


@kept()
def _all_coordinates(model: VibrationModel) -> LoadedCoordinates:
    return _coordinates(model, np.arange(model.total))


def _coordinates(model: VibrationModel, columns: Ints) -> LoadedCoordinates:
    parts, own, along, first = [], [], [], 0
    for k, (piece, constants) in enumerate(zip(model.pieces, piece_stiffnesses(model), strict=True)):
        inside = columns[(columns >= piece.columns.start) & (columns < piece.columns.stop)] - piece.columns.start
        place = slice(first, first + len(inside))
        first = place.stop
        if len(inside) and constants is not None:
            parts.append((k, piece.link, place))
            own.append(0.5 * constants.own[:, inside][:, :, inside].reshape(LOADS, -1))
            along.append((piece.axes @ constants.along[:, :, inside]).reshape(LOADS, -1))
    of = np.zeros((len(columns), len(parts)))
    for k, (_, _, place) in enumerate(parts):
        of[place, k] = 1.0
    fixed = np.zeros((0, 0)) if model.follows else model.extension(np.zeros((1, model.tree.nq))).carries[0]
    firsts = columns[[place.start for _, _, place in parts]] if len(fixed) else np.zeros(0, dtype=int)
    return LoadedCoordinates(
        columns=columns,
        parts=tuple(parts),
        own=tuple(own),
        along=tuple(along),
        turns=model.twists[3:, columns],
        carries=fixed[np.ix_(columns, columns)] if len(fixed) else fixed,
        part_of=of,
        part_carries=fixed[np.ix_(firsts, firsts)],
    )


def geometric_stiffness(placed: PlacedModel, rows: Floats, exerted: Floats | None = None) -> Floats:
    """K_G (states, size, size), from the rows (states, rows, 18) of `dead_loads`, and what `LoopForces` exert."""
    model, of = placed.model, placed.extension
    staying, loads = loaded_coordinates(model), piece_loads(model, rows, of)
    along = staying.d(placed.R, loads)
    halves = []
    for group, length in zip(model.stretching, of.lengths, strict=True):
        half, d = group.geometric(length, loads[:, group.numbers])
        along[:, :, group.columns] = np.swapaxes((placed.R[:, group.links] @ group.axes) @ d, 1, 2)
        halves.append(half)
    H = staying.half(placed.turns, along, loads, of.carries)
    for group, half in zip(model.stretching, halves, strict=True):
        for k, piece in enumerate(group.pieces):
            H[:, piece.columns, piece.columns] -= half[:, k]
    factors = [*_turning_pads(placed, rows), *turning_loops(placed, loads, exerted)]
    if not factors:
        return placed.symmetric(H)
    left, right = (np.concatenate(each, axis=1) for each in zip(*factors, strict=True))
    return placed.symmetric(H, (np.swapaxes(left, -1, -2), right))


def _turning_pads(placed: PlacedModel, rows: Floats) -> Iterator[tuple[Floats, Floats]]:
    """What the forces of pads add because they turn with the beam along which they slide: pairs of factors (states, k,
    size).
    """
    model, of = placed.model, rows_of(placed.model)
    for slide, numbers in zip(model.slides, of.pads, strict=True):
        guide = slide.of.guide
        axes = placed.R[:, slide.link] @ guide.axes
        for pad, (row, (_, on_child)) in enumerate(zip(numbers, guide.guide.positions(), strict=False)):
            inner, outer = (mask[:, None, model.piece_of] for mask in placed.extension.pad_masks(slide, pad))
            slips = (placed.functional(slide, pad, 0)[:, None] @ placed.twists) * (inner - outer)
            force = rows[:, row, :3]
            p = axes[:, :, 1] * force[:, 1, None] + axes[:, :, 2] * force[:, 2, None]
            lever = np.cross(p, axes[:, :, 0])[:, None]
            turned = placed.reduced((lever @ placed.turns) * (outer if on_child else inner))
            yield placed.reduced(slips), -turned
            if pad == CONTACTS.index(guide.guide.torsion) and not guide.guide.clamps:
                turns = [placed.reduced(placed.turns * mask) for mask in (outer, inner)]
                yield turns[0], -0.5 * rows[:, row, 3, None, None] * (skew(axes[:, :, 0]) @ turns[1])
