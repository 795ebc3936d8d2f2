"""The vibrating arm with few coordinates: combinations of its elastic ones that hold the lowest modes of a motion.

The combinations stay the same while the arm moves, so that its mass matrix alone changes with the pose. They are the
lowest modes of poses along the motion, made orthonormal; in elastic coordinates, whose stiffness matrix is the
identity, they keep that of an arm without load. What moves of them is in `kinetics`.

Links that slide in guides stand still meanwhile. At one extension the coordinates of the slides follow from the elastic
ones by constant numbers (y = T eta, see `vibration.model`), because both beams of a guide are held in the same place of
each other. So the arm is a tree like any other, its pieces between pads included, with the combinations T Y of its
coordinates; the slides are pieces without length. What the loads of a pad add because it turns with its beam comes in
addition. Arms with loops: `closed_reduction`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

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
from loadpath.structure.response.kinetics import Kinetics, Placed, kinetics_at, momenta_beyond, summed
from loadpath.structure.response.march import Matrices
from loadpath.structure.response.moving_frame import moving_terms, products
from loadpath.structure.response.section_forces import section_map
from loadpath.structure.vibration.geometric_stiffness import stiffnesses_at
from loadpath.structure.vibration.model import VibrationModel
from loadpath.structure.vibration.piece_loads import dead_loads, piece_loads, rows_of
from loadpath.structure.vibration.placed import PlacedModel
from loadpath.structure.vibration.world_axes import skew

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.response.track import Track

States = tuple[Floats, Floats, Floats]
STILL = 1e-6
"""Share of the length of a beam in a guide by which it may slide during a motion and still stand."""
KEPT = 3e-3
"""Combinations of the modes of several poses that are nearer than this to the others are left out."""


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


class Reduced(Protocol):
    """A vibration model in few combinations of its coordinates, as motions need it."""

    @property
    def model(self) -> VibrationModel:
        """What is reduced."""

    @property
    def arm(self) -> ElasticQuantities:
        """The arm."""

    @property
    def size(self) -> int:
        """Number of combinations."""

    @property
    def least_mass(self) -> float:
        """Combinations that have less in some pose are given this much there: they vibrate too fast to matter."""

    def masses(self, q: Floats) -> Floats:
        """Mass matrices (poses, size, size) of poses (poses, nq)."""

    def matrices(self, states: States, case: LoadCase, *, loaded: bool, coarse: bool = False) -> Matrices:
        """Mass, gyroscopic matrix and stiffness in states; coarse, without what the links' speeds bring."""

    def forces(self, states: States, case: LoadCase) -> Floats:
        """Generalized forces (states, size)."""

    def frames_in(self, q: Floats) -> Floats:
        """(poses, links, 6, size): displacement and rotation of the link frames."""

    def section_loads(self, sections: int, q: Floats, values: Floats) -> Floats:
        """(poses, sections, 6): force and moment, beam axes, in the sections of `stress`, of coordinates (poses,
        size).
        """

    def joint_momenta(self, q: Floats) -> Floats:
        """(poses, joints, 6, size): what a unit of the coordinates' accelerations adds to the wrenches of the joints
        (and of the loops after them), by the parent on the child, in the child's joint frame.
        """

    def ends_moved_by(self, link: int) -> Hashable:
        """Alike for links whose frames are moved by the same pieces."""


@dataclass(frozen=True, eq=False)
class ReducedModel(Kinetics):
    """A vibration model of a tree in `size` combinations of its coordinates."""

    basis: Floats
    """(model's size, size), orthonormal columns."""
    load_map: Floats
    """(size, 18 times all rows of the dead loads)."""
    stiffening: Floats
    """(pieces, 18, size, size): geometric stiffness of a piece per unit of its loads."""
    along: Floats
    """(pieces, 18, 3, size): see `PieceStiffness`, in the axes of the piece's link."""
    joint_damping: Floats
    """(size, size)."""
    frozen: PlacedModel
    """The model in a pose in which its guides stand as in all others."""
    piece_loads: Floats | None
    """(18 times all rows, 18 times all pieces); None without guides, where the rows are the pieces' loads."""
    pads: tuple[TurningPad, ...]
    least_mass: float = 0.0

    @property
    def arm(self) -> ElasticQuantities:
        """The arm."""
        return self.model.arm

    def mass(self, at: Placed) -> Floats:
        """Mass matrices (poses, size, size)."""
        return heavy_enough(super().mass(at), self.least_mass)

    def masses(self, q: Floats) -> Floats:
        """Mass matrices (poses, size, size) of poses (poses, nq)."""
        return self.mass(self.placed(q))

    def matrices(self, states: States, case: LoadCase, *, loaded: bool, coarse: bool = False) -> Matrices:
        """See `Reduced`."""
        at = self.placed(states[0])
        M = self.mass(at)
        K = np.broadcast_to(np.eye(self.size), M.shape)
        N, L = np.zeros_like(M), np.zeros_like(M)
        if not coarse and (np.any(states[1]) or case.base_motion):
            N, L = moving_terms(self, at, states, case)
        if loaded:
            K = K + L + self.geometric_stiffness(at, self.loads(states, case))
        return Matrices(M, 2 * N, K, self.joint_damping)

    def forces(self, states: States, case: LoadCase) -> Floats:
        """Generalized forces (states, size)."""
        loads = np.asarray(self.arm.dead_loads(*states, **case.keywords))
        result: Floats = loads.reshape(len(loads), -1) @ self.load_map.T
        return result

    def frames_in(self, q: Floats) -> Floats:
        """(poses, links, 6, size): displacement and rotation of the link frames."""
        return self.frames(self.placed(q))

    def frames(self, at: Placed) -> Floats:
        """The same, of poses with their twists."""
        twists = summed(self.frame_moved, at.twists)
        moved = twists[:, :, :3] - skew(at.origins) @ twists[:, :, 3:]
        return np.concatenate([moved, twists[:, :, 3:]], axis=-2)

    def ends_moved_by(self, link: int) -> Hashable:
        """Alike for links whose frames are moved by the same pieces."""
        pieces: bytes = self.frame_moved[link].tobytes()
        return pieces

    def section_loads(self, sections: int, q: Floats, values: Floats) -> Floats:
        """(poses, sections, 6): see `Reduced`."""
        result: Floats = np.einsum("sic,tc->tsi", self.section_map(sections), values)
        return result

    def joint_momenta(self, q: Floats) -> Floats:
        """(poses, joints, 6, size): see `Reduced`; the rate of the momentum of all that lies beyond a joint."""
        return momenta_beyond(self, self.placed(q))

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
        outer = products(summed(self.before, at.twists[:, :, 3:]), along)
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


def heavy_enough(M: Floats, least: float) -> Floats:
    """Mass matrices whose eigenvalues are no less than this, smoothly, and without change of larger ones."""
    if least == 0:
        return M
    values, vectors = np.linalg.eigh(M)
    raised = (np.maximum(values, 0.0) ** 4 + least**4) ** 0.25
    return np.asarray((vectors * raised[:, None, :]) @ np.swapaxes(vectors, -1, -2), dtype=float)


def reduced_at(model: VibrationModel, basis: Floats, pose: Floats) -> ReducedModel:
    """A model in the combinations of a basis (model's size, size), with guides at the extension of a pose (1, nq)."""
    frozen = model.at(pose)
    full = frozen.spread(basis.T[None])[0].T
    kinetics = kinetics_at(frozen, full)
    stiffnesses, chosen = stiffnesses_at(frozen), kinetics.pieces
    parts = [(*stiffnesses[k], model.pieces[k].axes, full[model.pieces[k].columns]) for k in chosen]
    count = rows_of(model).total
    units = np.eye(LOADS * count).reshape(-1, count, LOADS)
    return ReducedModel(
        **vars(kinetics),
        basis=basis,
        load_map=basis.T @ generalized_forces(frozen, units).T,
        stiffening=np.array([part.T @ own @ part for own, _, _, part in parts]),
        along=np.array([axes @ d @ part for _, d, axes, part in parts]),
        joint_damping=basis.T @ joint_damping(model) @ basis,
        frozen=frozen,
        piece_loads=piece_loads(model, units, frozen.extension).reshape(len(units), -1) if model.slides else None,
        pads=tuple(_pads(frozen, full, list(chosen))),
    )


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
