"""The moving masses of a model in combinations of its coordinates: what of them is the same in every pose.

A piece moves what lies beyond it by one twist per combination, constant in the axes of its link: the mass matrix of a
pose comes from a few products, whatever the polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.structure.response.moving_frame import LineMoments, LinePiece, line_moments, products
from loadpath.structure.vibration.model import VibrationModel
from loadpath.structure.vibration.placed import PlacedModel
from loadpath.structure.vibration.world_axes import frames_of_joints, skew


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
class Kinetics:
    """The pieces of a model that have coordinates, and its bodies, in `size` combinations."""

    model: VibrationModel
    pieces: tuple[int, ...]
    """Numbers of the pieces that have coordinates."""
    twists: Floats
    """(pieces, 6, size), in the joint frame of the piece's link."""
    momenta: Floats
    """(pieces, 6, size)."""
    own_mass: Floats
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

    @property
    def size(self) -> int:
        """Number of combinations."""
        return len(self.own_mass)

    def placed(self, q: Floats) -> Placed:
        """Of poses (poses, nq)."""
        R, p, origins = frames_of_joints(self.model.tree, q, cut=self.model.closing is not None)
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
        M += products(local, self.inertias @ local)
        outer = products(summed(self.before, at.twists), self.momenta_at(at))
        result: Floats = M + outer + np.swapaxes(outer, -1, -2)
        return result

    def momenta_at(self, at: Placed) -> Floats:
        """(poses, pieces, 6, size): momentum and angular momentum of the pieces' own shapes; world axes and origin."""
        rotation, origin = at.R[:, self.links], at.p[:, self.links]
        linear = rotation @ self.momenta[:, :3]
        return np.concatenate([linear, rotation @ self.momenta[:, 3:] + skew(origin) @ linear], axis=-2)

    def joint_momentum(self, at: Placed, links: set[int], child: int) -> Floats:
        """(poses, 6, size): momentum, and angular momentum about the origin of the joint frame of `child`, of the links
        beyond it, per unit of the combinations' rates, in the axes of that frame.
        """
        total = np.zeros((len(at.R), 6, self.size))
        origin, R = at.p[:, child], at.R[:, child]
        for body, link in enumerate(self.body_links):
            if link not in links:
                continue
            twist = (self.body_moved[body] @ at.twists.reshape(*at.twists.shape[:2], -1)).reshape(total.shape)
            back = np.swapaxes(at.R[:, link], -1, -2)
            moved = back @ (twist[:, :3] - skew(at.p[:, link]) @ twist[:, 3:])
            local = self.inertias[body] @ np.concatenate([moved, back @ twist[:, 3:]], axis=1)
            linear = at.R[:, link] @ local[:, :3]
            total[:, :3] += linear
            total[:, 3:] += at.R[:, link] @ local[:, 3:] + skew(at.p[:, link] - origin) @ linear
        own = self.momenta_at(at)
        for k, link in enumerate(self.links):
            if link in links:
                total[:, :3] += own[:, k, :3]
                total[:, 3:] += own[:, k, 3:] - skew(origin) @ own[:, k, :3]
        turn = np.swapaxes(R, -1, -2)
        return np.concatenate([turn @ total[:, :3], turn @ total[:, 3:]], axis=1)


def momenta_beyond(kinetics: Kinetics, at: Placed) -> Floats:
    """(poses, joints, 6, size): `joint_momentum` of all joints of the model's tree."""
    tree = kinetics.model.tree
    numbers = {name: k for k, name in enumerate(tree.link_names)}
    beyond = {name: {k} for name, k in numbers.items()}
    for joint in reversed(tree.joints):
        beyond[joint.parent] |= beyond[joint.child]
    found = [kinetics.joint_momentum(at, beyond[joint.child], numbers[joint.child]) for joint in tree.joints]
    return np.stack(found, axis=1)


def summed(which: Floats, twists: Floats) -> Floats:
    """(poses, rows, 6, size): sums of twists (poses, pieces, 6, size) over the pieces that a row has."""
    flat = twists.reshape(*twists.shape[:2], -1)
    result: Floats = (which @ flat).reshape(len(twists), len(which), *twists.shape[2:])
    return result


def kinetics_at(frozen: PlacedModel, full: Floats) -> Kinetics:
    """The model of one pose in combinations (all coordinates, size) of its coordinates, its guides standing there."""
    model, of = frozen.model, frozen.extension
    chosen = [k for k, piece in enumerate(model.pieces) if piece.size]
    columns = [model.pieces[k].columns for k in chosen]
    own_mass = np.zeros((model.total, model.total))
    for piece, own in zip(model.pieces, of.own_masses, strict=True):
        own_mass[piece.columns, piece.columns] = own[0]
    lines = _line_pieces(frozen, full)
    return Kinetics(
        model=model,
        pieces=tuple(chosen),
        twists=np.array([of.twists[0][:, each] @ full[each] for each in columns]),
        momenta=np.array([of.momenta[0][:, each] @ full[each] for each in columns]),
        own_mass=full.T @ own_mass @ full,
        lines=line_moments([lines[k] for k in chosen], model.effects),
        links=tuple(model.pieces[k].link for k in chosen),
        before=of.before[0][np.ix_(chosen, chosen)],
        inertias=of.inertias[0],
        body_links=model.body_links,
        body_moved=of.on_inertias[0][:, chosen],
        frame_moved=of.on_frames[0][:, chosen],
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
