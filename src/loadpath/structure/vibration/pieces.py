"""The elastic pieces of an arm with the shapes that they take: twists, momenta and mass of each coordinate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.robot.beams.placement import Stretch
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import NO_BEAM, ElasticElement
from loadpath.structure.vibration.basis import RESULTANTS, order_of_piece, polynomials, shapes
from loadpath.structure.vibration.lines import size_of_lines
from loadpath.structure.vibration.mass import ArmParts, Rotary, arm_parts, axes_of
from loadpath.structure.vibration.world_axes import skew


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of a beam, a compliant joint, the drive of a guide, or a link that slides in one.

    Vectors are in the joint frame of its link. Those of a piece that `moves`, whose ends change their places on its
    beam, are zero here: see `Stretching`.
    """

    owner: str
    """Name of the link whose beam it is, or of the joint."""
    link: int
    """Number of its link."""
    beam: int
    """Number of its beam, or `NO_BEAM`."""
    columns: slice
    """Its coordinates among all."""
    labels: tuple[str, ...]
    """What each of them belongs to."""
    twists: Floats
    """(6, coordinates): velocity and angular velocity of what lies beyond, per unit of each coordinate's rate."""
    momenta: Floats
    """(6, coordinates): momentum and angular momentum of the piece itself."""
    own_mass: Floats
    """(coordinates, coordinates): mass of the shapes among themselves."""
    start: Floats
    """Where it starts."""
    axes: Floats
    stretch: Stretch | None = None
    """The piece of a beam that it is, if that stays the same."""
    share: float = 0.0
    """Of its mass that counts."""
    order: int = 0
    """Polynomials of its bending moments."""
    moves: bool = False

    @property
    def size(self) -> int:
        """Number of its coordinates."""
        return int(self.columns.stop - self.columns.start)


def element_pieces(
    arm: RobotModel, cut: ArmParts, sections: Rotary, effects: tuple[str, ...], order: int
) -> list[Piece]:
    """The elements with their shapes; their coordinates are numbered one element after the other."""
    orders = _orders(cut, order)
    numbers = {name: k for k, name in enumerate(arm.link_names)}
    pieces: list[Piece] = []
    for k, (element, stretch) in enumerate(zip(cut.elements, cut.stretches, strict=True)):
        start, axes = cut.offsets[element.root] + element.start.astype(float), axes_of(element)
        first, link = pieces[-1].columns.stop if pieces else 0, numbers[element.link]
        if stretch is None:
            name = cut.mechanism.bodies[element.root].joint.name
            twists = joint_shapes(element.effects["joints"].compliance) if "joints" in effects else np.zeros((6, 0))
            pieces.append(massless_piece(name, link, first, twists, f"joint '{name}'", start))
        else:
            shares = cut.shares[k], sections.shares[k]
            where = _beam_name(arm, element), element.link, link, element.beam
            pieces.append(beam_piece(where, stretch, start, axes, first, shares, orders[k], effects))
    return pieces


def tree_size(arm: RobotModel, effects: tuple[str, ...], order: int) -> int:
    """The number of coordinates of such a model of a tree."""
    cut = arm_parts(arm)
    beams = [orders for orders, stretch in zip(_orders(cut, order), cut.stretches, strict=True) if stretch is not None]
    joints = [e for e, stretch in zip(cut.elements, cut.stretches, strict=True) if stretch is None]
    chosen = [resultant for resultant in RESULTANTS if resultant.effect in effects]
    of_joints = sum(int(joint_shapes(e.effects["joints"].compliance).shape[1]) for e in joints if "joints" in effects)
    of_joints += size_of_lines(cut, effects, order)
    return of_joints + sum(polynomials(resultant, of_piece) for resultant in chosen for of_piece in beams)


def _orders(cut: ArmParts, order: int) -> list[int]:
    """For each element the order of its shapes: `order` for the longest piece of a beam, less for shorter ones."""
    longest: dict[int, float] = {}
    for element in cut.elements:
        longest[element.beam] = max(longest.get(element.beam, 0.0), element.length)
    return [
        order_of_piece(order, element.length / longest[element.beam]) if element.is_beam else 0
        for element in cut.elements
    ]


def massless_piece(
    owner: str, link: int, first: int, twists: Floats, label: str, start: Floats | None = None
) -> Piece:
    """A piece that has no mass and no axes of its own, of coordinates from `first` on."""
    count = twists.shape[1]
    start, axes = np.zeros(3) if start is None else start, np.eye(3)
    nothing = np.zeros((6, count)), np.zeros((count, count))
    return Piece(owner, link, NO_BEAM, slice(first, first + count), (label,) * count, twists, *nothing, start, axes)


def beam_piece(
    where: tuple[str, str, int, int],
    stretch: Stretch,
    start: Floats,
    axes: Floats,
    first: int,
    shares: tuple[float, float],
    order: int,
    effects: tuple[str, ...],
) -> Piece:
    """A piece of a beam that stays: `where` has words for the beam, the name and number of its link, and its own
    number; `shares` are those of its mass and of its sections' rotary inertia that count.
    """
    words, owner, link, beam = where
    of = shapes(stretch, np.array([stretch.length]), order, effects)
    shape = turned_shapes(axes, of.values)[0]
    at = start + axes[:, 0] * stretch.length
    twists = shape.copy()
    twists[:3] -= np.cross(shape[3:].T, at).T  # of the point beyond that lies on the joint's origin
    momenta, own = _line(stretch, shares, axes, start, order, effects)
    labels = tuple(f"{words}: {RESULTANTS[r].name}" for r in of.resultants)
    columns = slice(first, first + len(labels))
    return Piece(owner, link, beam, columns, labels, twists, momenta, own, start, axes, stretch, shares[0], order)


def joint_shapes(compliance: Floats) -> Floats:
    """(6, directions): how the child moves per unit of each coordinate, so that their products are the compliance."""
    scale = np.sqrt(np.where(np.diag(compliance) > 0, np.diag(compliance), 1.0))  # so that metres and radians compare
    values, vectors = np.linalg.eigh(compliance / np.outer(scale, scale))
    kept = values > 1e-12 * max(values.max(), 1e-300)
    result: Floats = scale[:, None] * vectors[:, kept] * np.sqrt(values[kept])
    return result


def _beam_name(arm: RobotModel, element: ElasticElement) -> str:
    several = sum(beam.link == element.link for beam in arm.placed_beams) > 1
    end = arm.placed_beams[element.beam].beam.end
    return f"link '{element.link}' to {end!r}" if several else f"link '{element.link}'"


def turned_shapes(axes: Floats, values: Floats) -> Floats:
    """Shapes (..., 6, coordinates) from beam axes to those of the link."""
    result: Floats = np.concatenate([axes @ values[..., :3, :], axes @ values[..., 3:, :]], axis=-2)
    return result


def _line(
    stretch: Stretch, shares: tuple[float, float], axes: Floats, start: Floats, order: int, effects: tuple[str, ...]
) -> tuple[Floats, Floats]:
    """Of the line mass of a piece: momentum (6, coordinates) of its shapes about the joint's origin, and their mass
    matrix.
    """
    x, weights = stretch.nodes()
    p = stretch.properties(x)
    values = turned_shapes(axes, shapes(stretch, x, order, effects).values)
    mu, moments = weights * shares[0], (p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z)
    about = np.einsum("ij,jx,kj->xik", axes, shares[1] * mu * np.array(moments), axes)
    moved, turned = values[:, :3], values[:, 3:]
    linear, angular = (mu * p.mass)[:, None, None] * moved, about @ turned
    arm = start + x[:, None] * axes[:, 0]
    moment = skew(arm) @ linear + angular
    own = np.einsum("xic,xid->cd", moved, linear) + np.einsum("xic,xid->cd", turned, angular)
    return np.concatenate([linear.sum(axis=0), moment.sum(axis=0)]), own
