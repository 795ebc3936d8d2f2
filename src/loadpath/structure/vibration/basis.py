"""The shapes that a piece of a beam may take while it vibrates, and what its loads do to its stiffness: 18 constant
matrices, one for each number of its load (see `geometric_stiffness` for theta, d, F and G).

The coordinates are stress resultants: along a piece the normal force, the shear forces, the torque and the bending
moments are polynomials (Legendre's), the strains are those divided by the stiffness of the section, and the
displacements are integrals of the strains. So a piece loaded at its end bends exactly right whatever its taper, shear
never locks, an effect that is switched off is left out, and higher orders converge faster than any power.

The polynomials are combined so that a unit of a coordinate has the energy 1/2 and no two share any: the stiffness
matrix of every arm is the identity, and its vibrations are the eigenvalues of its mass matrix alone.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import legvander

from loadpath.robot.beams.placement import POINTS, WEIGHTS, Properties, Stretch
from loadpath.scalars.types import Floats
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.beams.piece_constants import Beyond, beyond


class Resultant(NamedTuple):
    """One of the six stress resultants: its name, the effect it belongs to, and where its strain leads."""

    name: str
    effect: str
    stiffness: str
    """Of `Properties`."""
    slides: int | None
    """Component of the displacement that its strain integrates to."""
    turns: int | None
    """Component of the rotation that its strain integrates to."""
    lever: tuple[int, float] | None
    """The displacement that this rotation adds up to along the piece, and its sign."""


RESULTANTS = (
    Resultant("bending about z", "bending", "EIz", None, 5, (1, 1.0)),
    Resultant("bending about y", "bending", "EIy", None, 4, (2, -1.0)),
    Resultant("torsion", "torsion", "GJ", None, 3, None),
    Resultant("extension", "extension", "EA", 0, None, None),
    Resultant("shear along y", "shear", "GAy", 1, None, None),
    Resultant("shear along z", "shear", "GAz", 2, None, None),
)


def polynomials(resultant: Resultant, order: int) -> int:
    """How many polynomials a resultant has: `order` for moments, one less for the others, because a shear force is the
    slope of a moment.
    """
    return order if resultant.effect == "bending" else max(order - 1, 1)


def order_of_piece(order: int, share: float) -> int:
    """The order of a piece whose length is a share of the longest piece's, which has `order`. Not below 3, with which a
    piece under a uniform load is exact; and it rises with every second step of the orders that are tried, because what
    never changes would not show in an error that is judged by changes.

    >>> [order_of_piece(order, 0.1) for order in (2, 4, 6, 10, 14, 20)]
    [2, 3, 4, 5, 6, 7]
    """
    return min(order, max(2 + (order + 2) // 4, math.ceil(order * share - 1e-9)))


class Shapes(NamedTuple):
    """Displacements of cross sections of a piece, per unit of each coordinate."""

    values: Floats
    """(sections, 6, coordinates): displacement above rotation, beam axes, against the piece's start."""
    resultants: tuple[int, ...]
    """For each coordinate the number of its resultant."""


def shapes(stretch: Stretch, x: Floats, order: int, effects: tuple[str, ...]) -> Shapes:
    """The shapes of a piece at the distances `x` (m) from its start; for `order` see `polynomials`.

    >>> from loadpath.structure import Beam, Rod, STEEL
    >>> from loadpath.robot.beams.placement import stretches
    >>> rod = Rod(0.01)
    >>> (piece,) = stretches(Beam(rod, STEEL, end=(2, 0, 0)), 2.0)
    >>> tip = shapes(piece, np.array([2.0]), 3, ("bending",)).values[0]
    >>> compliance = tip @ tip.T                 # of the end: the tables' L^3 / 3 E I
    >>> bool(abs(compliance[1, 1] * 3 * 210e9 * rod.second_moment_z / 2**3 - 1) < 1e-13)
    True
    """
    blocks, owners = [], []
    xi = 0.5 * x[:, None] * (POINTS + 1)  # points between the start and each x
    weights = 0.5 * x[:, None] * WEIGHTS
    for number, strain in _strains(stretch, xi, order, effects):
        resultant, size = RESULTANTS[number], strain.shape[-1]
        block = np.zeros((len(x), 6, size))
        for component in (resultant.slides, resultant.turns):
            if component is not None:
                block[:, component] = np.einsum("xp,xpc->xc", weights, strain)
        if resultant.lever is not None:
            component, sign = resultant.lever
            block[:, component] = sign * np.einsum("xp,xp,xpc->xc", weights, x[:, None] - xi, strain)
        blocks.append(block)
        owners += [number] * size
    values = np.concatenate(blocks, axis=2) if blocks else np.zeros((len(x), 6, 0))
    return Shapes(values, tuple(owners))


def strains(stretch: Stretch, x: Floats, order: int, effects: tuple[str, ...]) -> Floats:
    """(sections, 6, coordinates): stretch and shear above twist and curvature of the sections at `x`, per unit of each
    coordinate of `shapes`, in beam axes.
    """
    blocks = [np.zeros((len(x), 6, 0))]
    for number, strain in _strains(stretch, x, order, effects):
        resultant = RESULTANTS[number]
        component = resultant.turns if resultant.slides is None else resultant.slides
        block = np.zeros((len(x), 6, strain.shape[-1]))
        block[:, component] = strain
        blocks.append(block)
    return np.concatenate(blocks, axis=2)


def _strains(stretch: Stretch, x: Floats, order: int, effects: tuple[str, ...]) -> Iterator[tuple[int, Floats]]:
    """For every resultant that counts its number, and its strain (..., coordinates) at `x` (...)."""
    at, whole = stretch.properties(x), _of_whole(stretch)
    legendre = legvander(2 * x / stretch.length - 1, max(order, 1) - 1)
    for number, resultant in enumerate(RESULTANTS):
        if resultant.effect not in effects:
            continue
        size = polynomials(resultant, order)
        orthonormal = _orthonormal(stretch, getattr(whole, resultant.stiffness), size)
        strain = legendre[..., :size] @ orthonormal.T
        yield number, strain / getattr(at, resultant.stiffness)[..., None]


def _of_whole(stretch: Stretch) -> Properties:
    return stretch.properties(stretch.nodes()[0])


def _orthonormal(stretch: Stretch, stiffness: Floats, size: int) -> Floats:
    """Rows: combinations of Legendre polynomials whose energies are 1/2 each, and that share none."""
    weights = stretch.nodes()[1]
    values = _at_nodes(size)
    flexibility = np.einsum("p,pi,pk->ik", weights / stiffness, values, values)
    lower = np.linalg.cholesky(flexibility)
    result: Floats = np.linalg.inv(lower)
    return result


@functools.cache
def _at_nodes(size: int) -> Floats:
    """(nodes, size): Legendre's polynomials at the nodes of a piece."""
    return np.asarray(legvander(POINTS, size - 1), dtype=np.float64)


AXES = np.eye(3)


@dataclass(frozen=True, eq=False)
class PieceStiffness:
    """Of one piece, in its axes, for each of its 18 loads."""

    own: Floats
    """(18, coordinates, coordinates): of K_G among its own coordinates."""
    along: Floats
    """(18, 3, coordinates): integral of d."""
    half: Floats
    """(18, coordinates, coordinates): integral of theta_i . d_k."""


def joint_stiffness(twists: Floats, on_ground: bool = False) -> PieceStiffness:
    """Of a joint that gives way by twists (6, coordinates).

    Where the reaction of a joint acts while it gives way is a matter of the joint. A joint in the arm has it halfway
    between both sides, which neither of them prefers. Contacts that stand on the ground (z of the child's frame leads
    away from it) do not slide: their reactions stay where they are, while the child sways and sinks above them. So the
    moment of all loads about the ground grows by F times the whole displacement, and the coupling of displacement and
    rotation is twice that of a joint. In G the points of the reactions count, too: with them sum r f^T is symmetric,
    and they lie in the plane z = 0. Seen from the child they move the other way, and what is left of G_xz and G_zx is
    G_xz, twice, likewise for y.
    """
    gamma, kappa = twists[None, :3], twists[None, 3:]
    nothing = np.zeros(1)
    F, G = _load_shapes(nothing, Beyond(nothing, nothing, nothing, nothing))
    if on_ground:
        G[..., :2, 2] *= 2.0
        G[..., 2, :2] = 0.0
        F = 2.0 * F
    return _integrated(np.ones(1), 0.5 * kappa, gamma, kappa, F, G)


def stretch_stiffness(stretch: Stretch, order: int, effects: tuple[str, ...], share: float) -> PieceStiffness:
    """Of a piece of a beam, with the share of its mass that counts."""
    x, weights = stretch.nodes()
    theta = shapes(stretch, x, order, effects).values[:, 3:]
    strain = strains(stretch, x, order, effects)
    F, G = _load_shapes(stretch.length - x, beyond(stretch, x, share))
    return _integrated(weights, theta, strain[:, :3], strain[:, 3:], F, G)


def _integrated(weights: Floats, theta: Floats, gamma: Floats, kappa: Floats, F: Floats, G: Floats) -> PieceStiffness:
    """From sections with weights: rotations and strains (sections, 3, coordinates), F and G of each load."""
    # gamma x F, and (G - tr G) kappa
    d = np.cross(gamma[:, None], F[..., None], axisa=2, axisb=2, axisc=2)
    d = d + (G - np.trace(G, axis1=-2, axis2=-1)[..., None, None] * AXES) @ kappa[:, None]
    half = np.einsum("x,xai,xmak->mik", weights, theta, d, optimize=True)
    return PieceStiffness(-half - np.swapaxes(half, -1, -2), np.einsum("x,xmak->mak", weights, d), half)


def _load_shapes(lever: Floats, mass: Beyond) -> tuple[Floats, Floats]:
    """F (sections, 18, 3) and G (sections, 18, 3, 3) of a unit of each of a piece's loads: F and G at its end, A, B."""
    count = len(lever)
    F, G = np.zeros((count, LOADS, 3)), np.zeros((count, LOADS, 3, 3))
    by_mass = (12, -mass.mass, -mass.arm), (15, -mass.first, -mass.arm_first)
    for first, force, moment in ((0, np.ones(count), lever), *by_mass):
        for k in range(3):
            F[:, first + k, k] = force
            G[:, first + k, 0, k] = moment  # the points lie along the piece
    for k in range(9):
        G[:, 3 + k].reshape(count, 9)[:, k] = 1.0
    return F, G
