"""The elements of an arm with the shapes that they take: twists, momenta and mass of each coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.robot.beams.profile import Stretch
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import ElasticElement
from loadpath.structure.vibration.basis import RESULTANTS, order_of_piece, polynomials, shapes
from loadpath.structure.vibration.guided_cuts import guided_size
from loadpath.structure.vibration.mass import (
    ArmParts,
    Rotary,
    arm_parts,
    axes_of,
)
from loadpath.structure.vibration.world_axes import skew

if TYPE_CHECKING:
    from loadpath.api.kinds import FlexibleRobot


@dataclass(frozen=True, eq=False)
class Piece:
    """An element with its shapes."""

    element: ElasticElement
    stretch: Stretch | None
    start: Floats
    """Where it starts, in the joint frame of its link."""
    axes: Floats
    columns: slice
    """Its coordinates among all."""
    labels: tuple[str, ...]
    """What each of them belongs to."""
    twists: Floats
    """(6, coordinates): see `VibrationModel`."""
    momenta: Floats
    own_mass: Floats
    order: int
    """Polynomials of its bending moments."""
    owner: str
    """Name of the link whose beam it is, or of the joint."""


def element_pieces(
    arm: FlexibleRobot, cut: ArmParts, sections: Rotary, effects: tuple[str, ...], order: int
) -> list[Piece]:
    """The elements with their shapes; their coordinates are numbered one element after the other."""
    orders = _orders(cut, order)
    pieces: list[Piece] = []
    for k, (element, stretch) in enumerate(zip(cut.elements, cut.stretches, strict=True)):
        start, axes = cut.offsets[element.root] + element.start.astype(float), axes_of(element)
        first = pieces[-1].columns.stop if pieces else 0
        if stretch is None:
            pieces.append(_joint_piece(cut, element, start, axes, first, "joints" in effects))
        else:
            share = cut.shares[k], sections.shares[k]
            pieces.append(_beam_piece(arm, element, stretch, start, axes, first, share, orders[k], effects))
    return pieces


def model_size(arm: FlexibleRobot, effects: tuple[str, ...], order: int) -> int:
    """The number of coordinates of such a model."""
    cut = arm_parts(arm)
    beams = [orders for orders, stretch in zip(_orders(cut, order), cut.stretches, strict=True) if stretch is not None]
    joints = [e for e, stretch in zip(cut.elements, cut.stretches, strict=True) if stretch is None]
    chosen = [resultant for resultant in RESULTANTS if resultant.effect in effects]
    of_joints = sum(int(_joint_shapes(e).shape[1]) for e in joints) if "joints" in effects else 0
    of_joints += guided_size(cut, effects, order)
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


def _joint_piece(
    cut: ArmParts, element: ElasticElement, start: Floats, axes: Floats, first: int, gives_way: bool
) -> Piece:
    shape = _joint_shapes(element) if gives_way else np.zeros((6, 0))
    count = shape.shape[1]
    name = cut.mechanism.bodies[element.root].joint.name
    label = f"joint '{name}'"
    nothing = np.zeros((6, count)), np.zeros((count, count))
    return Piece(element, None, start, axes, slice(first, first + count), (label,) * count, shape, *nothing, 0, name)


def _beam_piece(
    arm: FlexibleRobot,
    element: ElasticElement,
    stretch: Stretch,
    start: Floats,
    axes: Floats,
    first: int,
    share: tuple[float, float],
    order: int,
    effects: tuple[str, ...],
) -> Piece:
    of = shapes(stretch, np.array([stretch.length]), order, effects)
    shape = turned_shapes(axes, of.values)[0]
    at = start + axes[:, 0] * stretch.length
    twists = shape.copy()
    twists[:3] -= np.cross(shape[3:].T, at).T  # of the point beyond that lies on the joint's origin
    momenta, own = _line(stretch, share, axes, start, order, effects)
    where = _beam_name(arm, element)
    labels = tuple(f"{where}: {RESULTANTS[r].name}" for r in of.resultants)
    columns = slice(first, first + len(labels))
    return Piece(element, stretch, start, axes, columns, labels, twists, momenta, own, order, element.link)


def _joint_shapes(element: ElasticElement) -> Floats:
    """(6, directions): how the child moves per unit of each coordinate, so that their products are the compliance."""
    compliance = element.effects["joints"].compliance
    scale = np.sqrt(np.where(np.diag(compliance) > 0, np.diag(compliance), 1.0))  # so that metres and radians compare
    values, vectors = np.linalg.eigh(compliance / np.outer(scale, scale))
    kept = values > 1e-12 * max(values.max(), 1e-300)
    result: Floats = scale[:, None] * vectors[:, kept] * np.sqrt(values[kept])
    return result


def _beam_name(arm: FlexibleRobot, element: ElasticElement) -> str:
    several = sum(beam.link == element.link for beam in arm.placed_beams) > 1
    end = arm.placed_beams[element.beam].beam.end
    return f"link '{element.link}' to {end!r}" if several else f"link '{element.link}'"


def turned_shapes(axes: Floats, values: Floats) -> Floats:
    """Shapes (..., 6, coordinates) from beam axes to those of the link."""
    result: Floats = np.concatenate([axes @ values[..., :3, :], axes @ values[..., 3:, :]], axis=-2)
    return result


def _line(
    stretch: Stretch, share: tuple[float, float], axes: Floats, start: Floats, order: int, effects: tuple[str, ...]
) -> tuple[Floats, Floats]:
    """Of the line mass of a piece (the shares of its mass and of its sections' rotary inertia that count): momentum
    (6, coordinates) of its shapes about the joint's origin, and their mass matrix.
    """
    x, weights = stretch.nodes()
    p = stretch.properties(x)
    values = turned_shapes(axes, shapes(stretch, x, order, effects).values)
    mu, moments = weights * share[0], (p.inertia_y + p.inertia_z, p.inertia_y, p.inertia_z)
    about = np.einsum("ij,jx,kj->xik", axes, share[1] * mu * np.array(moments), axes)
    moved, turned = values[:, :3], values[:, 3:]
    linear, angular = (mu * p.mass)[:, None, None] * moved, about @ turned
    arm = start + x[:, None] * axes[:, 0]
    moment = skew(arm) @ linear + angular
    own = np.einsum("xic,xid->cd", moved, linear) + np.einsum("xic,xid->cd", turned, angular)
    return np.concatenate([linear.sum(axis=0), moment.sum(axis=0)]), own
