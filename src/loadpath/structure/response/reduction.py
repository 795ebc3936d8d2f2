"""The vibrating arm with few coordinates: combinations of its elastic ones that hold the lowest modes of a motion.

The combinations stay the same while the arm moves, so that its mass matrix alone changes with the pose. They are the
lowest modes of poses along the motion, made orthonormal; in elastic coordinates, whose stiffness matrix is the
identity, they keep that of an arm without load. A piece moves what lies beyond it by one twist per combination,
constant in the axes of its link: the mass matrix of a pose comes from a few products, whatever the polynomials.

Links that slide in guides stand still meanwhile. At one extension the coordinates of the slides follow from the elastic
ones by constant numbers (y = T eta, see `vibration.model`), because both beams of a guide are held in the same place of
each other. So the arm is a tree like any other, its pieces between pads included, with the combinations T Y of its
coordinates; the slides are pieces without length. What the loads of a pad add because it turns with its beam comes in
addition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.beams.beam import CONTACTS
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.checks import check_guide_range
from loadpath.structure.response.damping import joint_damping
from loadpath.structure.response.generalized_loads import generalized_forces
from loadpath.structure.response.moving_frame import LineMoments, LinePiece, line_moments
from loadpath.structure.response.section_forces import section_map
from loadpath.structure.vibration.geometric_stiffness import stiffnesses_at
from loadpath.structure.vibration.model import VibrationModel
from loadpath.structure.vibration.piece_loads import dead_loads, piece_loads, rows_of
from loadpath.structure.vibration.placed import PlacedModel
from loadpath.structure.vibration.world_axes import frames_of_joints, skew

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.response.track import Track

STILL = 1e-6
"""Share of the length of a beam in a guide by which it may slide during a motion and still stand."""
KEPT = 3e-3
"""Combinations of the modes of several poses that are nearer than this to the others are left out."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A batch of poses: where the links' joint frames are, and the twists of the pieces there."""

    R: Floats
    """(poses, links, 3, 3)."""
    p: Floats
    origins: Floats
    """(poses, links, 3): of the link frames."""
    twists: Floats
    """(poses, pieces, 6, coordinates): world axes, about the world's origin."""


class TurningPad(NamedTuple):
    """A pad of a guide, in the coordinates of a reduced model."""

    row: int
    """Of its force and torque in the dead loads."""
    link: int
    """The one that slides; and the axes of its line there."""
    axes: Floats
    slips: Floats
    """(size,): displacement along the slide between both links at the pad."""
    inner: Floats
    """(pieces,): one for those that move the pad, on the link that slides; and on its carrier."""
    outer: Floats
    turns_with_outer: bool
    torsion: bool
    """Whether it carries the torque about the slide."""


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """A vibration model in `size` combinations of its coordinates."""

    model: VibrationModel
    basis: Floats
    """(model's size, size), orthonormal columns."""
    pieces: tuple[int, ...]
    """Numbers of the pieces that have coordinates."""
    twists: Floats
    """(pieces, 6, size), in the joint frame of the piece's link."""
    momenta: Floats
    """(pieces, 6, size)."""
    own_mass: Floats
    """(size, size)."""
    load_map: Floats
    """(size, 18 times all rows of the dead loads)."""
    stiffening: Floats
    """(pieces, 18, size, size): geometric stiffness of a piece per unit of its loads."""
    along: Floats
    """(pieces, 18, 3, size): see `PieceStiffness`, in the axes of the piece's link."""
    joint_damping: Floats
    """(size, size)."""
    lines: LineMoments
    links: tuple[int, ...]
    """Of each piece."""
    before: Floats
    """(pieces, pieces): one where the column's piece moves the start of the row's."""
    inertias: Floats
    """(bodies, 6, 6), of the bodies that have mass."""
    body_links: tuple[int, ...]
    body_moved: Floats
    """(bodies, pieces)."""
    frame_moved: Floats
    """(links, pieces)."""
    frozen: PlacedModel
    """The model in a pose in which its guides stand as in all others."""
    piece_loads: Floats | None
    """(18 times all rows, 18 times all pieces); None without guides, where the rows are the pieces' loads."""
    pads: tuple[TurningPad, ...]
    least_mass: float = 0.0
    """Combinations that have less in some pose are given this much there: they vibrate too fast to matter."""

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return int(self.basis.shape[1])

    @property
    def arm(self) -> ElasticQuantities:
        """The arm."""
        return self.model.arm

    def placed(self, q: Floats) -> Placed:
        """Of poses (poses, nq)."""
        R, p, origins = frames_of_joints(self.arm, q)
        rotation, origin = R[:, self.links], p[:, self.links]
        turned = rotation @ self.twists[:, 3:]
        moved = rotation @ self.twists[:, :3] + skew(origin) @ turned
        return Placed(R, p, origins, np.concatenate([moved, turned], axis=-2))

    def mass(self, at: Placed) -> Floats:
        """Mass matrices (poses, size, size)."""
        M = np.broadcast_to(self.own_mass, (len(at.R), self.size, self.size)).copy()
        bodies = summed(self.body_moved, at.twists)
        links = self.body_links
        rotation, origin = at.R[:, links], at.p[:, links]
        back = np.swapaxes(rotation, -1, -2)
        turned = back @ bodies[:, :, 3:]
        moved = back @ (bodies[:, :, :3] - skew(origin) @ bodies[:, :, 3:])
        local = np.concatenate([moved, turned], axis=-2)  # of the joint frame's origin, in its axes
        M += _products(local, self.inertias @ local)
        outer = _products(summed(self.before, at.twists), self.momenta_at(at))
        return self._heavy_enough(M + outer + np.swapaxes(outer, -1, -2))

    def _heavy_enough(self, M: Floats) -> Floats:
        if self.least_mass == 0:
            return M
        values, vectors = np.linalg.eigh(M)
        raised = (np.maximum(values, 0.0) ** 4 + self.least_mass**4) ** 0.25  # smooth, and no change of larger ones
        return np.asarray((vectors * raised[:, None, :]) @ np.swapaxes(vectors, -1, -2), dtype=float)

    def loads(self, states: tuple[Floats, Floats, Floats], case: LoadCase) -> Floats:
        """(poses, rows, 18): what the geometric stiffness of states is made of."""
        return dead_loads(self.arm, states, case)

    def section_map(self, sections: int) -> Floats:
        """(sections, 6, size): force and moment, beam axes, in the sections of `stress`."""
        return section_map(self.frozen, sections) @ self.basis

    def geometric_stiffness(self, at: Placed, loads: Floats) -> Floats:
        """Geometric stiffness (poses, size, size), from `loads`."""
        own, count, size = loads, len(loads), self.size
        if self.piece_loads is not None:
            own = (loads.reshape(count, -1) @ self.piece_loads).reshape(count, -1, LOADS)
        own = own[:, self.pieces]
        K = own.reshape(count, -1) @ self.stiffening.reshape(-1, size * size)
        along = np.empty((count, len(self.pieces), 3, size))
        for k, shapes in enumerate(self.along):
            along[:, k] = at.R[:, self.links[k]] @ (own[:, k] @ shapes.reshape(len(shapes), -1)).reshape(-1, 3, size)
        # The rotation of all that lies before a piece does work with what its own loads do to it.
        outer = _products(summed(self.before, at.twists[:, :, 3:]), along)
        K = K.reshape(count, size, size) - outer - np.swapaxes(outer, -1, -2)
        return K - self._turning_pads(at, loads) if self.pads else K

    def _turning_pads(self, at: Placed, loads: Floats) -> Floats:
        """(poses, size, size): see `geometric_stiffness`."""
        total, turned = np.zeros((len(loads), self.size, self.size)), at.twists[:, :, 3:]
        for pad in self.pads:
            inner, outer = (summed(mask[None], turned)[:, 0] for mask in (pad.inner, pad.outer))
            axes, force = at.R[:, pad.link] @ pad.axes, loads[:, pad.row]
            p = axes[:, :, 1] * force[:, 1, None] + axes[:, :, 2] * force[:, 2, None]
            lever = np.cross(p, axes[:, :, 0])[:, None]
            total += pad.slips[:, None] * (lever @ (outer if pad.turns_with_outer else inner))
            if pad.torsion:
                total += 0.5 * force[:, 3, None, None] * (np.swapaxes(outer, -1, -2) @ skew(axes[:, :, 0]) @ inner)
        return total + np.swapaxes(total, -1, -2)

    def momenta_at(self, at: Placed) -> Floats:
        """(poses, pieces, 6, size): momentum and angular momentum of the pieces' own shapes; world axes and origin."""
        rotation, origin = at.R[:, self.links], at.p[:, self.links]
        linear = rotation @ self.momenta[:, :3]
        return np.concatenate([linear, rotation @ self.momenta[:, 3:] + skew(origin) @ linear], axis=-2)

    def frames(self, at: Placed) -> Floats:
        """(poses, links, 6, size): displacement and rotation of the link frames."""
        twists = summed(self.frame_moved, at.twists)
        moved = twists[:, :, :3] - skew(at.origins) @ twists[:, :, 3:]
        return np.concatenate([moved, twists[:, :, 3:]], axis=-2)


def summed(which: Floats, twists: Floats) -> Floats:
    """(poses, rows, 6, size): sums of twists (poses, pieces, 6, size) over the pieces that a row has."""
    flat = twists.reshape(*twists.shape[:2], -1)
    result: Floats = (which @ flat).reshape(len(twists), len(which), *twists.shape[2:])
    return result


def _products(a: Floats, b: Floats) -> Floats:
    """(poses, size, size): sums of a^T b over the second and third axis."""
    flat_a, flat_b = (values.reshape(len(values), -1, values.shape[-1]) for values in (a, b))
    result: Floats = np.swapaxes(flat_a, -1, -2) @ flat_b
    return result


def reduced_at(model: VibrationModel, basis: Floats, pose: Floats) -> ReducedModel:
    """A model in the combinations of a basis (model's size, size), with guides at the extension of a pose (1, nq)."""
    frozen = model.at(pose)
    of = frozen.extension
    full = frozen.spread(basis.T[None])[0].T
    chosen = [k for k, piece in enumerate(model.pieces) if piece.size]
    columns = [model.pieces[k].columns for k in chosen]
    parts = [full[each] for each in columns]
    own_mass = np.zeros((model.total, model.total))
    for piece, own in zip(model.pieces, of.own_masses, strict=True):
        own_mass[piece.columns, piece.columns] = own[0]
    stiffnesses, lines = stiffnesses_at(frozen), _line_pieces(frozen, full)
    constants = [stiffnesses[k] for k in chosen]
    count = rows_of(model).total
    units = np.eye(LOADS * count).reshape(-1, count, LOADS)
    return ReducedModel(
        model=model,
        basis=basis,
        pieces=tuple(chosen),
        twists=np.array([of.twists[0][:, each] @ part for each, part in zip(columns, parts, strict=True)]),
        momenta=np.array([of.momenta[0][:, each] @ part for each, part in zip(columns, parts, strict=True)]),
        own_mass=full.T @ own_mass @ full,
        load_map=basis.T @ generalized_forces(frozen, units).T,
        stiffening=np.array([part.T @ own @ part for (own, _), part in zip(constants, parts, strict=True)]),
        along=np.array(
            [model.pieces[k].axes @ d @ part for k, (_, d), part in zip(chosen, constants, parts, strict=True)]
        ),
        joint_damping=basis.T @ joint_damping(model) @ basis,
        lines=line_moments([lines[k] for k in chosen], model.effects),
        links=tuple(model.pieces[k].link for k in chosen),
        before=of.before[0][np.ix_(chosen, chosen)],
        inertias=of.inertias[0],
        body_links=model.body_links,
        body_moved=of.on_inertias[0][:, chosen],
        frame_moved=of.on_frames[0][:, chosen],
        frozen=frozen,
        piece_loads=piece_loads(model, units, of).reshape(len(units), -1) if model.slides else None,
        pads=tuple(_pads(frozen, full, chosen)),
    )


def _line_pieces(frozen: PlacedModel, full: Floats) -> list[LinePiece]:
    """All pieces as they are in a state."""
    model, found = frozen.model, []
    for piece in model.pieces:
        basis = full[piece.columns]
        found.append(LinePiece(piece.stretch, piece.share, piece.start, piece.axes, piece.order, basis))
    for line, (starts, stops) in zip(model.lines, frozen.extension.edges, strict=True):
        for k, (stretch, share, order) in enumerate(line.stretches(starts[0], stops[0]), start=line.first):
            start = line.line.start + starts[0, k - line.first] * line.line.axes[:, 0]
            found[k] = found[k]._replace(stretch=stretch, share=share, start=start, order=order)
    return found


def _pads(frozen: PlacedModel, full: Floats, chosen: list[int]) -> list[TurningPad]:
    model, found = frozen.model, []
    for slide, numbers in zip(model.slides, rows_of(model).pads, strict=True):
        guide = slide.of.guide
        for pad, (row, (_, on_child)) in enumerate(zip(numbers, guide.guide.positions(), strict=False)):
            inner, outer = (mask[0] for mask in frozen.extension.pad_masks(slide, pad))
            along = frozen.functional(slide, pad, 0)[0] @ frozen.twists[0]
            slips = (along * (inner - outer)[model.piece_of]) @ full
            torsion = pad == CONTACTS.index(guide.guide.torsion) and not guide.guide.clamps
            found.append(TurningPad(row, slide.link, guide.axes, slips, inner[chosen], outer[chosen], on_child,
                                    torsion))
    return found


def refuse_sliding(arm: RobotModel, track: Track) -> None:
    """An error for a motion in which a link slides in its guide: the places where its beam is held move."""
    check_guide_range(arm, track.q)
    for guide in arm.placed_guides:
        if not guide.extension.moves:
            continue
        x = guide.extension.of_states(track.q)
        travel, length = float(np.ptp(x)), max(length or 0.0 for length in guide.lengths)
        if travel > STILL * max(length, 1e-3):
            raise ModelError(
                f"arm '{arm.name}': joint '{guide.joint}' goes from {x.min():.4g} to {x.max():.4g} m during the "
                f"motion, and vibration in time (respond, shaped) does not know beams that slide in their guide "
                f"({guide.guide}) meanwhile. Let it stand at one extension, or lock it there, "
                f"arm.locked({{'{guide.joint}': ...}}); natural_frequencies and frequency_response take every extension"
            )


def joined(shapes: Floats) -> Floats:
    """Orthonormal columns (size, n) that hold modes (poses, modes, size), those of all poses together.

    >>> joined(np.array([[[1.0, 0, 0]], [[0.6, 0.8, 0]]])).shape
    (3, 2)
    """
    flat = shapes.reshape(-1, shapes.shape[-1])
    flat = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    vectors, values, _ = np.linalg.svd(flat.T, full_matrices=False)
    result: Floats = vectors[:, values > KEPT * values[0]]
    return result
