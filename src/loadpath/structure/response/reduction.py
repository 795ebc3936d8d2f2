"""The vibrating arm with few coordinates: combinations of its elastic ones that hold the lowest modes of a motion.

The combinations stay the same while the arm moves, so that its mass matrix alone changes with the pose. They are the
lowest modes of poses along the motion, made orthonormal; in elastic coordinates, whose stiffness matrix is the
identity, they keep that of an arm without load. A piece moves what lies beyond it by one twist per combination,
constant in the axes of its link: the mass matrix of a pose comes from a few products, whatever the polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.structure.response.damping import joint_damping
from loadpath.structure.response.generalized_loads import generalized_load_map
from loadpath.structure.response.moving_frame import LineMoments, LinePiece, line_moments
from loadpath.structure.response.section_forces import section_map
from loadpath.structure.vibration.geometric_stiffness import dead_loads, piece_stiffnesses
from loadpath.structure.vibration.mass import arm_parts
from loadpath.structure.vibration.model import VibrationModel
from loadpath.structure.vibration.placed_arm import ElasticModel
from loadpath.structure.vibration.world_axes import frames_of_joints, skew

if TYPE_CHECKING:
    from loadpath.api.kinds import FlexibleRobot

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


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """A vibration model in `size` combinations of its coordinates."""

    model: ElasticModel
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
    """(size, 18 times all pieces)."""
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
    least_mass: float = 0.0
    """Combinations that have less in some pose are given this much there: they vibrate too fast to matter."""

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return int(self.basis.shape[1])

    @property
    def arm(self) -> FlexibleRobot:
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
        """(poses, all pieces, 18): what the geometric stiffness of states is made of."""
        return dead_loads(self.arm, states, case)

    def section_map(self, sections: int) -> Floats:
        """(sections, 6, size): force and moment, beam axes, in the sections of `stress`."""
        assert isinstance(self.model, VibrationModel)
        return section_map(self.model, sections) @ self.basis

    def geometric_stiffness(self, at: Placed, loads: Floats) -> Floats:
        """Geometric stiffness (poses, size, size), from `loads`."""
        own = loads[:, self.pieces]
        count, size = len(own), self.size
        K = own.reshape(count, -1) @ self.stiffening.reshape(-1, size * size)
        along = np.empty((count, len(self.pieces), 3, size))
        for k, shapes in enumerate(self.along):
            along[:, k] = at.R[:, self.links[k]] @ (own[:, k] @ shapes.reshape(len(shapes), -1)).reshape(-1, 3, size)
        # The rotation of all that lies before a piece does work with what its own loads do to it.
        outer = _products(summed(self.before, at.twists[:, :, 3:]), along)
        return K.reshape(count, size, size) - outer - np.swapaxes(outer, -1, -2)

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


def reduced(model: VibrationModel, basis: Floats) -> ReducedModel:
    """The model without guides in the combinations of a basis (model's size, size)."""
    chosen = [k for k, piece in enumerate(model.pieces) if piece.columns.stop > piece.columns.start]
    first = [model.pieces[k].columns.start for k in chosen]
    parts = [basis[model.pieces[k].columns] for k in chosen]
    constants = [piece_stiffnesses(model)[k] for k in chosen]
    shares = arm_parts(model.arm).shares
    lines = [
        LinePiece(model.pieces[k].stretch, shares[k], model.pieces[k].start, model.pieces[k].axes,
                  model.pieces[k].order, part)
        for k, part in zip(chosen, parts, strict=True)
    ]  # fmt: skip
    return ReducedModel(
        model=model,
        basis=basis,
        pieces=tuple(chosen),
        twists=np.array([model.pieces[k].twists @ part for k, part in zip(chosen, parts, strict=True)]),
        momenta=np.array([model.pieces[k].momenta @ part for k, part in zip(chosen, parts, strict=True)]),
        own_mass=basis.T @ model.own_mass @ basis,
        load_map=basis.T @ generalized_load_map(model),
        stiffening=np.array([part.T @ each.own @ part for each, part in zip(constants, parts, strict=True)]),
        along=np.array(
            [model.pieces[k].axes @ each.along @ part for k, each, part in zip(chosen, constants, parts, strict=True)]
        ),
        joint_damping=basis.T @ joint_damping(model) @ basis,
        lines=line_moments(lines, model.effects),
        links=tuple(model.link_of[c] for c in first),
        before=model.piece_moved[chosen][:, first],
        inertias=model.inertias,
        body_links=model.body_links,
        body_moved=model.body_moved[:, chosen],
        frame_moved=model.frame_moved[:, first],
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
