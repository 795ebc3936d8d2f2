"""The vibrating arm: coordinates of its elastic pieces, and its mass matrix in them for a batch of poses.

Every piece of a beam has the shapes of `basis`, every compliant joint the directions in which it gives way. A
coordinate moves everything beyond its piece like a rigid body: a twist, constant in the axes of its link. So the mass
matrix of a pose comes from three sets of constants, transformed to where the links are: the inertia of every body (what
is held at one point of a beam, with the line mass of the piece that starts there), the momentum of each coordinate's
own piece, and the mass of the shapes among themselves.

The stiffness matrix is the identity: see `basis`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from loadpath.robot.mechanism import BASE
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.structure.extensions import refuse_guides
from loadpath.structure.vibration.basis import shapes
from loadpath.structure.vibration.geometric_stiffness import dead_loads, geometric_stiffness, largest_strains
from loadpath.structure.vibration.mass import (
    ArmParts,
    Rotary,
    arm_parts,
    body_mass,
    rotary,
    sections_tensor,
)
from loadpath.structure.vibration.pieces import Piece, element_pieces
from loadpath.structure.vibration.placed_arm import BeamCurve, ElasticModel, PlacedArm
from loadpath.structure.vibration.world_axes import carried, carried_inertias, frames_of_joints, moved_by, spatial

if TYPE_CHECKING:
    from loadpath.api.kinds import FlexibleRobot
    from loadpath.states import LoadCase


KEPT = 6
"""Models that are kept with an arm."""


@dataclass(frozen=True, eq=False)
class VibrationModel(ElasticModel):
    """An arm with `size` elastic coordinates; constants are in the joint frames of links, about their origins."""

    arm: FlexibleRobot
    effects: tuple[str, ...]
    order: int
    pieces: tuple[Piece, ...]
    part_names: tuple[str, ...]
    part_of: Floats
    twists: Floats
    """(size, 6): velocity and angular velocity of what lies beyond, per unit of each coordinate's rate."""
    momenta: Floats
    """(size, 6): momentum and angular momentum of the coordinate's own piece."""
    own_mass: Floats
    """(size, size): mass of the shapes among themselves."""
    link_of: tuple[int, ...]
    """For each coordinate the number of its link."""
    carries: Floats
    """(size, size): one where the row's piece lies between the base and the column's."""
    same_piece: Floats
    """(size, size): one where both belong to one piece."""
    inertias: Floats
    """(bodies, 6, 6), of the bodies that have mass."""
    body_links: tuple[int, ...]
    body_moved: Floats
    """(bodies, pieces): one where the piece moves the body."""
    piece_moved: Floats
    """(pieces, size): one where the coordinate moves the start of the piece."""
    frame_moved: Floats
    """(links, size): one where the coordinate moves the link's frame."""

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of coordinates."""
        return len(self.link_of)

    @property
    def owners(self) -> tuple[tuple[str, slice], ...]:
        """For each piece the name of its link or joint, and its coordinates."""
        return tuple((piece.owner, piece.columns) for piece in self.pieces)

    @property
    def floats_each(self) -> int:
        """Numbers that the matrices of one state take."""
        return 6 * self.size**2 + 90 * self.size + 100 * len(self.pieces)

    def at(self, q: ArrayLike) -> PlacedVibration:
        """The model in states (states, nq)."""
        return PlacedVibration(self, np.asarray(q, dtype=float))

    def joint_frames(self, q: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Rotations (..., links, 3, 3) and origins (..., links, 3) of the links' joint frames in the world; and the
        origins of the link frames.
        """
        return frames_of_joints(self.arm, q)

    def world_twists(self, R: Floats, p: Floats) -> Floats:
        """The twists (..., 6, size) of poses given by the links' joint frames: world axes, about the world's origin."""
        links = self.link_of
        result: Floats = np.swapaxes(
            carried(self.twists, R[..., links, :, :], p[..., links, :], moment_first=True), -1, -2
        )
        return result

    def matrices(self, R: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
        """Of poses given by the links' joint frames: the mass matrix (..., size, size), the momenta (..., size, 6) that
        the coordinates share with a motion of the base, and the twists (..., 6, size); world axes, about the
        world's origin.
        """
        rotation, origin = R[..., self.link_of, :, :], p[..., self.link_of, :]
        S = self.world_twists(R, p)
        twists = np.swapaxes(S, -1, -2)
        beyond = np.zeros_like(S)  # momentum of all bodies that a coordinate moves
        if len(self.inertias):
            inertias = carried_inertias(self.inertias, R[..., self.body_links, :, :], p[..., self.body_links, :])
            for piece, moved in zip(self.pieces, self.body_moved.T, strict=True):
                composite = np.einsum("b,...bij->...ij", moved, inertias)
                beyond[..., piece.columns] = composite @ S[..., piece.columns]
        own = np.swapaxes(carried(self.momenta, rotation, origin, moment_first=False), -1, -2)
        # Of two coordinates in a row, both move what the outer one moves.
        outer = (twists @ (beyond + own)) * self.carries
        M = outer + np.swapaxes(outer, -1, -2) + (twists @ beyond) * self.same_piece + self.own_mass
        return M, np.swapaxes(beyond + own, -1, -2), S


class PlacedVibration(PlacedArm):
    """A model without guides in states."""

    def __init__(self, model: VibrationModel, q: Floats) -> None:
        self.model, self.q = model, q

    @cached_property
    def frames(self) -> tuple[Floats, Floats, Floats]:
        """See `VibrationModel.joint_frames`."""
        return self.model.joint_frames(self.q)

    @cached_property
    def twists(self) -> Floats:
        """See `VibrationModel.world_twists`."""
        return self.model.world_twists(*self.frames[:2])

    def matrices(self) -> tuple[Floats, Floats]:
        """See `PlacedArm`."""
        M, momenta, twists = self.model.matrices(*self.frames[:2])
        self.__dict__["twists"] = twists
        return M, momenta

    def loaded(self, states: tuple[Floats, ...], case: LoadCase) -> tuple[Floats, Floats]:
        """See `PlacedArm`."""
        loads = dead_loads(self.model.arm, states, case)
        return geometric_stiffness(self.model, self.frames[0], loads), largest_strains(self.model, loads)

    def frame_motions(self, y: Floats) -> tuple[Floats, Floats]:
        """See `PlacedArm`."""
        twists = np.einsum("pic,lc,pmc->pmli", self.twists, self.model.frame_moved, y, optimize=True)
        turned = twists[..., 3:]
        return twists[..., :3] + np.cross(turned, self.frames[2][:, None]), turned

    def chosen(self, rows: Bools) -> PlacedVibration:
        """See `PlacedArm`."""
        found = PlacedVibration(self.model, self.q[rows])
        for name in ("frames", "twists"):
            if name in self.__dict__:
                value = self.__dict__[name]
                found.__dict__[name] = value[rows] if name == "twists" else tuple(part[rows] for part in value)
        return found

    def beam_lines(self, y: Floats, points: int) -> list[BeamCurve]:
        """See `PlacedArm`."""
        model, (R, p, _), S = self.model, self.frames, self.twists[0]
        numbers = {link: k for k, link in enumerate(model.arm.link_names)}
        found = []
        for beam, placed in enumerate(model.arm.placed_beams):
            link = numbers[placed.link]
            parts, start = [], np.zeros((len(y), 6))
            for piece, before in zip(model.pieces, model.piece_moved, strict=True):
                if piece.stretch is None or piece.element.beam != beam:
                    continue
                x = np.linspace(0.0, piece.stretch.length, points)
                own = shapes(piece.stretch, x, piece.order, model.effects).values[:, :3] @ y[:, piece.columns].T
                twist = np.einsum("ic,c,mc->mi", S, before, y)
                if piece.stretch.start == 0.0:
                    start = twist
                at = p[0, link] + (piece.start + x[:, None] * piece.axes[:, 0]) @ R[0, link].T
                parts.append((piece.stretch.start + x, at, moved_by(twist, at, R[0, link] @ piece.axes, own)))
            found.append(BeamCurve(beam, placed.link, *joined_parts(parts), start))
        return found


def joined_parts(parts: list[tuple[Floats, Floats, Floats]]) -> tuple[Floats, Floats, Floats]:
    """Positions, points and displacements of the pieces of a beam, one after the other."""
    positions, points, moved = zip(*parts, strict=True)
    return np.concatenate(positions), np.concatenate(points), np.concatenate(moved, axis=1)


def without_guides(model: ElasticModel, what: str, instead: str) -> VibrationModel:
    """The model of an arm that has no guides; an error where it has some, in words for what was asked."""
    refuse_guides(model.arm, what, instead)
    assert isinstance(model, VibrationModel)
    return model


def vibration_model(arm: FlexibleRobot, effects: tuple[str, ...], order: int) -> VibrationModel:
    """The model of an arm with `order` polynomials for the bending moments of the longest piece of each beam. The last
    few models are kept with the arm. See `elastic_model` for arms with guides, which are refused here.
    """
    refuse_guides(arm, "a model of pieces that stay", "lock the joint, arm.locked({...}), or ask for its frequencies")
    kept: dict[tuple[tuple[str, ...], int], VibrationModel] = arm.__dict__.setdefault("_vibration_models", {})
    if (effects, order) not in kept:
        made = _model(arm, effects, order)
        while len(kept) >= KEPT:
            kept.pop(next(iter(kept)))
        kept[effects, order] = made
    return kept[effects, order]


def _model(arm: FlexibleRobot, effects: tuple[str, ...], order: int) -> VibrationModel:
    cut = arm_parts(arm)
    sections = rotary(cut)
    pieces = element_pieces(arm, cut, sections, effects, order)
    size = pieces[-1].columns.stop if pieces else 0
    moves = _coordinates_moving(cut, pieces, size)
    carries, same_piece, own_mass = (np.zeros((size, size)) for _ in range(3))
    for piece in pieces:
        same_piece[piece.columns, piece.columns] = 1.0
        carries[:, piece.columns] = moves[piece.element.root][:, None]
        own_mass[piece.columns, piece.columns] = piece.own_mass
    inertias = moved_inertias(cut, sections)
    labels = [label for piece in pieces for label in piece.labels]
    part_names = tuple(dict.fromkeys(labels))
    part_of = [[float(name == part) for part in part_names] for name in labels]
    link_number = {link: k for k, link in enumerate(arm.link_names)}
    frames = cut.mechanism.link_frames
    return VibrationModel(
        arm=arm,
        effects=effects,
        order=order,
        pieces=tuple(pieces),
        part_names=part_names,
        part_of=np.array(part_of).reshape(size, len(part_names)),
        twists=np.concatenate([np.zeros((0, 6)), *(piece.twists.T for piece in pieces)]),
        momenta=np.concatenate([np.zeros((0, 6)), *(piece.momenta.T for piece in pieces)]),
        own_mass=own_mass,
        link_of=tuple(link_number[piece.element.link] for piece in pieces for _ in piece.labels),
        carries=carries,
        same_piece=same_piece,
        inertias=np.array(list(inertias.values())).reshape(len(inertias), 6, 6),
        body_links=tuple(link_number[cut.links[body]] for body in inertias),
        body_moved=_pieces_moving(cut, pieces)[list(inertias)],
        piece_moved=np.array([moves[piece.element.root] for piece in pieces]).reshape(len(pieces), size),
        frame_moved=np.array([moves[frames[name].body] for name in arm.link_names]).reshape(len(arm.links), size),
    )


def moved_inertias(cut: ArmParts, sections: Rotary) -> dict[int, Floats]:
    """Spatial inertias (6, 6) of the bodies that have one, about the joint frame's origin of their links. The rotary
    inertia of the sections goes from the body that has it to the bodies on which the pieces start.
    """
    moved = {body: -given for body, given in sections.given.items()}
    for k, (element, stretch) in enumerate(zip(cut.elements, cut.stretches, strict=True)):
        if stretch is not None:
            so_far = moved.get(element.root, np.zeros((3, 3)))
            moved[element.root] = so_far + sections.shares[k] * sections_tensor(cut, k)
    result = {}
    for i, body in enumerate(cut.mechanism.bodies):
        mass = body_mass(body).seen_from(-cut.offsets[i])
        inertia = spatial(mass._replace(tensor=mass.tensor + moved.get(i, np.zeros((3, 3)))))
        if np.any(inertia):
            result[i] = inertia
    return result


def _pieces_moving(cut: ArmParts, pieces: list[Piece]) -> Floats:
    """(bodies, pieces): one where the piece lies between the base and the body, or ends at it."""
    of = {piece.element.end: k for k, piece in enumerate(pieces)}
    rows = np.zeros((len(cut.mechanism.bodies), len(pieces)))
    for i, body in enumerate(cut.mechanism.bodies):
        if body.parent != BASE:
            rows[i] = rows[body.parent]
        if i in of:
            rows[i, of[i]] = 1.0
    return rows


def _coordinates_moving(cut: ArmParts, pieces: list[Piece], size: int) -> dict[int, Floats]:
    """For each body, one for every coordinate between it and the base."""
    of = {piece.element.end: piece.columns for piece in pieces}
    path = {BASE: np.zeros(size)}
    for i, body in enumerate(cut.mechanism.bodies):
        path[i] = path[body.parent].copy()
        if i in of:
            path[i][of[i]] = 1.0
    return path


