"""What the motion of the links adds to the equation of the vibrating arm: gyroscopic terms and spin softening.

A point of the arm is displaced by Sum u_j eta_j, u_j turning and moving with the links. Its acceleration is
Sum (u_j eta_j'' + 2 u_j' eta_j' + u_j'' eta_j), so that with the mass matrix M_ij = Sum dm u_i . u_j there come

    N_ij = Sum dm u_i . u_j',        L_ij = Sum dm u_i . u_j'',

and the equation, complete to first order in eta, is M eta'' + 2 N eta' + (1 + K_G + L) eta = f.

A piece moves what lies beyond it by the twist S, fixed in its link, so that S' = ad(V) S with the velocity V of the
link. On a point of body b, whose velocity and acceleration are nu + W x and a + Omega x,

    u' = S'(x) + w x (nu + W x),        u'' = S''(x) + 2 w' x (nu + W x) + w x (a + Omega x).

The momentum of the second kind of terms is that of a field w x (c + E x); see `_crossed_momentum`. The sections' rotary
inertia is left out of these terms (it is that of the sections of a slender beam).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.robot.beams.placement import Stretch
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.structure.quantities import at_once
from loadpath.structure.vibration.basis import shapes
from loadpath.structure.vibration.pieces import turned_shapes
from loadpath.structure.vibration.world_axes import skew

if TYPE_CHECKING:
    from loadpath.structure.response.kinetics import Kinetics, Placed


@dataclass(frozen=True, eq=False)
class LineMoments:
    """Of the own shapes s of every piece that has coordinates, in the axes of its link."""

    first: Floats
    """(pieces, 3, size): Sum dm s."""
    second: Floats
    """(pieces, 3, size): Sum dm x s, x from the piece's start."""
    products: tuple[LineProducts, ...]
    starts: Floats
    """(pieces, 3)."""
    directions: Floats
    """(pieces, 3)."""

    def between(self, matrices: Floats, size: int) -> Floats:
        """(poses, size, size): Sum dm s_i . A s_j over all pieces, with the matrices A (poses, pieces, 3, 3)."""
        result = np.zeros((len(matrices), size, size))
        for pieces, columns, products in self.products:
            among = matrices[:, pieces].reshape(len(matrices), -1) @ products
            count = columns.stop - columns.start
            result[:, columns, columns] += among.reshape(-1, count, count)
        return result


class LineProducts(NamedTuple):
    """Of the pieces that have the same coordinates of all."""

    pieces: tuple[int, ...]
    columns: slice
    """Which coordinates these are."""
    products: Floats
    """(9 times the pieces, their coordinates squared): Sum dm s_i s_j^T, by rows."""


class LinePiece(NamedTuple):
    """A piece that has coordinates, with the line mass along it."""

    stretch: Stretch | None
    """The piece of a beam that it is; None for what has no length."""
    share: float
    """Of its mass that counts."""
    start: Floats
    """Where it starts, in the joint frame of its link."""
    axes: Floats
    order: int
    """Polynomials of its bending moments."""
    basis: Floats
    """(its coordinates, size)."""


def line_moments(pieces: Sequence[LinePiece], effects: tuple[str, ...]) -> LineMoments:
    """The moments of pieces in the combinations of a basis."""
    size, count = pieces[0].basis.shape[1] if pieces else 0, len(pieces)
    first, second = np.zeros((count, 3, size)), np.zeros((count, 3, size))
    products: dict[tuple[int, int], dict[int, Floats]] = {}
    for row, piece in enumerate(pieces):
        if piece.stretch is None:
            continue
        x, weights = piece.stretch.nodes()
        mass = piece.share * weights * piece.stretch.properties(x).mass
        own = turned_shapes(piece.axes, shapes(piece.stretch, x, piece.order, effects).values)[:, :3]
        s = own @ piece.basis
        first[row], second[row] = np.tensordot(mass, s, 1), np.tensordot(mass * x, s, 1)
        used = np.flatnonzero(piece.basis.any(axis=0))
        if not used.size:
            continue
        columns = int(used[0]), int(used[-1]) + 1
        flat = (np.sqrt(mass)[:, None, None] * s[..., slice(*columns)]).transpose(1, 0, 2)
        products.setdefault(columns, {})[row] = np.stack([(a.T @ b).ravel() for a in flat for b in flat])
    starts = np.array([piece.start for piece in pieces]).reshape(count, 3)
    directions = np.array([piece.axes[:, 0] for piece in pieces]).reshape(count, 3)
    grouped = tuple(LineProducts(tuple(of), slice(*columns), np.concatenate([*of.values()]))
                    for columns, of in products.items())
    return LineMoments(first, second, grouped, starts, directions)


class FrameMotion(NamedTuple):
    """Of the links' joint frames: velocity and acceleration of the origin, in the axes of the frame, and the matrices
    that take a point of the frame to what it has beyond that.
    """

    nu: Floats
    """(poses, links, 3)."""
    W: Floats
    """(poses, links, 3, 3)."""
    a: Floats
    Omega: Floats
    velocity: Floats
    """(poses, links, 6): of the point at the world's origin, and angular; world axes."""
    velocity_rate: Floats


def frame_motion(
    reduced: Kinetics, at: Placed, states: tuple[Floats, Floats, Floats], case: LoadCase
) -> FrameMotion:
    """How the links move in states."""
    tree, (q, qd, qdd) = reduced.model.tree, states
    moving = {name: value for name, value in case.base_motion.items() if name == "base_velocity"}
    if reduced.model.closing is None:
        velocities = tree.link_velocities(q, qd, **moving)
        accelerations = tree.link_accelerations(q, qd, qdd, **case.base_motion)
    else:
        velocities = at_once(tree.link_velocities, q, qd, **moving)
        accelerations = at_once(tree.link_accelerations, q, qd, qdd, **case.base_motion)
    v, omega, b, alpha = velocities.linear, velocities.angular, accelerations.linear, accelerations.angular
    W, Omega = skew(omega), skew(alpha) + skew(omega) @ skew(omega)
    origin, back = at.origins, np.swapaxes(at.R, -1, -2)

    def times(matrix: Floats, vector: Floats) -> Floats:
        result: Floats = (matrix @ vector[..., None])[..., 0]
        return result

    nu, a = v + times(W, at.p - origin), b + times(Omega, at.p - origin)  # of the joint frames' origins
    at_zero = v - times(W, origin)
    # Of the spatial velocity: the acceleration of the point at the world's origin, without what passes by there.
    rate = b - times(Omega, origin) - times(W, at_zero)
    return FrameMotion(
        nu=times(back, nu),
        W=back @ W @ at.R,
        a=times(back, a),
        Omega=back @ Omega @ at.R,
        velocity=np.concatenate([at_zero, omega], axis=-1),
        velocity_rate=np.concatenate([rate, alpha], axis=-1),
    )


def _ad(velocity: Floats) -> Floats:
    """(..., 6, 6): takes a twist that is fixed in a moving frame to its rate."""
    result = np.zeros((*velocity.shape, 6))
    turning = skew(velocity[..., 3:])
    result[..., :3, :3] = result[..., 3:, 3:] = turning
    result[..., :3, 3:] = skew(velocity[..., :3])
    return result


def _crossed_momentum(inertia: Floats, c: Floats, E: Floats) -> Floats:
    """(poses, bodies, 6, 3): momentum and angular momentum of the field w x (c + E x) per unit of w, for bodies with
    the inertias (bodies, 6, 6).
    """
    mass, moment = inertia[:, 0, 0], np.stack([inertia[:, 5, 1], inertia[:, 3, 2], inertia[:, 4, 0]], axis=-1)
    tensor = inertia[:, 3:, 3:]
    unit = np.eye(3)
    points = 0.5 * np.trace(tensor, axis1=-2, axis2=-1)[:, None, None] * unit - tensor  # Sum dm x x^T
    linear = mass[:, None] * c + (E @ moment[..., None])[..., 0]
    spread = E @ points
    angular = np.trace(spread, axis1=-2, axis2=-1)[..., None, None] * unit - spread - skew(moment) @ skew(c)
    return np.concatenate([-skew(linear), angular], axis=-2)


def moving_terms(
    reduced: Kinetics, at: Placed, states: tuple[Floats, Floats, Floats], case: LoadCase
) -> tuple[Floats, Floats]:
    """N and L (poses, size, size)."""
    motion = frame_motion(reduced, at, states, case)
    links = list(reduced.links)
    ad = _ad(motion.velocity[:, links])
    twists = [at.twists, ad @ at.twists, (_ad(motion.velocity_rate[:, links]) + ad @ ad) @ at.twists]
    N, L = _of_bodies(reduced, at, twists, motion)
    own_N, own_L = _of_lines(reduced, at, twists, motion)
    return N + own_N, L + own_L


def _local(reduced: Kinetics, at: Placed, which: Floats, links: list[int], twists: Floats) -> Floats:
    """(poses, rows, 6, size): sums of twists in the axes and about the origin of the rows' links."""
    flat = twists.reshape(*twists.shape[:2], -1)
    total = (which @ flat).reshape(len(twists), len(which), 6, reduced.size)
    back = np.swapaxes(at.R[:, links], -1, -2)
    turned = back @ total[:, :, 3:]
    moved = back @ (total[:, :, :3] - skew(at.p[:, links]) @ total[:, :, 3:])
    return np.concatenate([moved, turned], axis=-2)


def products(a: Floats, b: Floats) -> Floats:
    """(poses, size, size): sums of a^T b over the second and third axis."""
    flat_a, flat_b = (values.reshape(len(values), -1, values.shape[-1]) for values in (a, b))
    result: Floats = np.swapaxes(flat_a, -1, -2) @ flat_b
    return result


def _of_bodies(reduced: Kinetics, at: Placed, twists: list[Floats], motion: FrameMotion) -> tuple[Floats, Floats]:
    links, inertias = list(reduced.body_links), reduced.inertias
    S, rate, second = (_local(reduced, at, reduced.body_moved, links, each) for each in twists)
    once = _crossed_momentum(inertias, motion.nu[:, links], motion.W[:, links])
    twice = _crossed_momentum(inertias, motion.a[:, links], motion.Omega[:, links])
    N = inertias @ rate + once @ S[:, :, 3:]
    L = inertias @ second + 2 * once @ rate[:, :, 3:] + twice @ S[:, :, 3:]
    return products(S, N), products(S, L)


def _of_lines(reduced: Kinetics, at: Placed, twists: list[Floats], motion: FrameMotion) -> tuple[Floats, Floats]:
    """Of the pieces' own shapes, which turn with their links, with each other and with what lies before the piece."""
    lines, links = reduced.lines, list(reduced.links)
    S, rate, second = (_local(reduced, at, reduced.before, links, each) for each in twists)
    nu, W, a, Omega = (part[:, links] for part in motion[:4])
    starts, directions = lines.starts[:, :, None], lines.directions[:, :, None]
    results = []
    for matrix, velocity_of_start, along in (
        (W, _at(S, rate, None, nu, W, None, None, starts), _along(S, rate, None, W, None, directions)),
        (Omega, _at(S, rate, second, nu, W, a, Omega, starts), _along(S, rate, second, W, Omega, directions)),
    ):
        first, moment = matrix @ lines.first, matrix @ lines.second
        angular = skew(lines.starts) @ first + skew(lines.directions) @ moment
        total = products(S, np.concatenate([first, angular], axis=-2))
        own = np.broadcast_to(lines.first, velocity_of_start.shape), np.broadcast_to(lines.second, along.shape)
        total = total + products(own[0], velocity_of_start) + products(own[1], along)
        results.append(total + lines.between(matrix, reduced.size))
    return results[0], results[1]


def _at(
    S: Floats,
    rate: Floats,
    second: Floats | None,
    nu: Floats,
    W: Floats,
    a: Floats | None,
    Omega: Floats | None,
    x: Floats,
) -> Floats:
    """(poses, pieces, 3, size): u', or with `second` u'', at a point x of each piece."""
    speed = nu + (W @ x)[..., 0]
    if second is None or a is None or Omega is None:
        return rate[:, :, :3] - skew(x[..., 0]) @ rate[:, :, 3:] - skew(speed) @ S[:, :, 3:]
    growth = a + (Omega @ x)[..., 0]
    field = second[:, :, :3] - skew(x[..., 0]) @ second[:, :, 3:]
    return field - 2 * skew(speed) @ rate[:, :, 3:] - skew(growth) @ S[:, :, 3:]


def _along(S: Floats, rate: Floats, second: Floats | None, W: Floats, Omega: Floats | None, e: Floats) -> Floats:
    """(poses, pieces, 3, size): the same per unit of length along the piece."""
    speed = (W @ e)[..., 0]
    if second is None or Omega is None:
        return -skew(e[..., 0]) @ rate[:, :, 3:] - skew(speed) @ S[:, :, 3:]
    growth = (Omega @ e)[..., 0]
    return (-skew(e[..., 0]) @ second[:, :, 3:] - 2 * skew(speed) @ rate[:, :, 3:]
            - skew(growth) @ S[:, :, 3:])
