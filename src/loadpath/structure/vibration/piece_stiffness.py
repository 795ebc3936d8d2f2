"""What loads on one piece do to its stiffness: 18 constant matrices, one for each number of its load.

See `geometric_stiffness` for theta, d, F and G.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.robot.beams.placement import Stretch
from loadpath.scalars.types import Floats
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.beams.element_response import Beyond, beyond
from loadpath.structure.vibration.basis import shapes, strains

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
