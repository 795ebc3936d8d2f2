"""What loads do to the stiffness of an arm: they keep their direction while the arm gives way.

With the elastic coordinates of `basis` the energy of the arm under dead forces is, to second order,

    V = 1/2 eta (1 + K_G) eta - f eta,

K_G linear in the loads. A point x beyond two coordinates moves, to second order, by w_i x (v_k + w_k x (x - p_k)), i
nearer to the base than k; so

    K_G[i, k] = - integral [ theta_i(s) . d_k(s) + theta_k(s) . d_i(s) ] ds,
    d_k(s) = gamma_k(s) x F(s) + (G(s) - tr G(s)) kappa_k(s),

theta_i(s) the rotation of the section at s per unit of coordinate i (of a compliant joint half of its own), gamma and
kappa the strains, F(s) and G(s) the forces beyond s and their points (`beams.dead_loads`). So an axial force, a
foreshortening, a torque, a moment that turns a narrow section sideways, a bent arm in space are one and the same.

Each piece has 18 numbers of load, and K_G of its own coordinates is their sum with 18 constant matrices; all that
couples two pieces is three numbers of each coordinate: its rotation, and the integral of its d.

Loads of a motion are taken as forces that stay what they are: the changes that a vibration makes to them (gyroscopic
terms, and the softening by rotation, some omega^2 of the squares of the frequencies) are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.robot.beams.placement import link_in_joint_frame
from loadpath.robot.beams.profile import Stretch
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars.types import Floats, Ints
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.kept import kept
from loadpath.structure.vibration.basis import shapes, strains
from loadpath.structure.vibration.mass import arm_parts, axes_of

if TYPE_CHECKING:
    from loadpath.api.kinds import FlexibleRobot
    from loadpath.loads.wrench import Wrench
    from loadpath.states import LoadCase
    from loadpath.structure.vibration.model import VibrationModel
    from loadpath.structure.vibration.pieces import Piece

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


@kept
def piece_stiffnesses(model: VibrationModel) -> tuple[PieceStiffness, ...]:
    """The constants of every piece."""
    assert len(skeleton(model.arm).elements) == len(model.pieces)
    shares = arm_parts(model.arm).shares
    return tuple(_piece(model, piece, share) for piece, share in zip(model.pieces, shares, strict=True))


def _piece(model: VibrationModel, piece: Piece, share: float) -> PieceStiffness:
    if piece.stretch is None:
        return joint_stiffness(piece.twists, stands_on_ground(model.arm, piece))
    return stretch_stiffness(piece.stretch, piece.order, model.effects, share)


def stands_on_ground(arm: FlexibleRobot, piece: Piece) -> bool:
    """Whether a compliant joint is contacts that stand on the ground."""
    return dict(arm.joint_compliances)[piece.owner].resolved_on_ground


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
    F, G = _load_shapes(nothing, nothing, nothing, nothing, nothing)
    F[:, 12:] = G[:, 12:] = 0.0
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
    F, G = _load_shapes(stretch.length - x, *_mass_beyond(stretch, x, share))
    return _integrated(weights, theta, strain[:, :3], strain[:, 3:], F, G)


def _integrated(weights: Floats, theta: Floats, gamma: Floats, kappa: Floats, F: Floats, G: Floats) -> PieceStiffness:
    """From sections with weights: rotations and strains (sections, 3, coordinates), F and G of each load."""
    # gamma x F, and (G - tr G) kappa
    d = np.cross(gamma[:, None], F[..., None], axisa=2, axisb=2, axisc=2)
    d = d + (G - np.trace(G, axis1=-2, axis2=-1)[..., None, None] * AXES) @ kappa[:, None]
    half = np.einsum("x,xai,xmak->mik", weights, theta, d, optimize=True)
    return PieceStiffness(-half - np.swapaxes(half, -1, -2), np.einsum("x,xmak->mak", weights, d), half)


def _load_shapes(lever: Floats, m0: Floats, m1: Floats, n0: Floats, n1: Floats) -> tuple[Floats, Floats]:
    """F (sections, 18, 3) and G (sections, 18, 3, 3) of a unit of each of a piece's loads: F and G at its end, A, B."""
    count = len(lever)
    F, G = np.zeros((count, LOADS, 3)), np.zeros((count, LOADS, 3, 3))
    for first, force, moment in ((0, np.ones(count), lever), (12, -m0, -n0), (15, -m1, -n1)):
        for k in range(3):
            F[:, first + k, k] = force
            G[:, first + k, 0, k] = moment  # the points lie along the piece
    for k in range(9):
        G[:, 3 + k].reshape(count, 9)[:, k] = 1.0
    return F, G


def _mass_beyond(stretch: Stretch, x: Floats, share: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Integrals from x to the end of mu, mu xi, (xi - x) mu and (xi - x) mu xi."""
    points, weights = np.polynomial.legendre.leggauss(24)
    left = stretch.length - x[:, None]
    xi, w = x[:, None] + 0.5 * left * (points + 1), 0.5 * left * weights
    mu = share * stretch.properties(xi).mass * w
    lever = xi - x[:, None]
    return mu.sum(1), (mu * xi).sum(1), (mu * lever).sum(1), (mu * lever * xi).sum(1)


def dead_loads(arm: FlexibleRobot, states: tuple[Floats, ...], case: LoadCase) -> Floats:
    """(..., elements, 18): the loads of every piece, with external forces at the points where they act."""
    q, qd, qdd = states
    result: Floats = np.asarray(arm.dead_loads(q, qd, qdd, **case.keywords), dtype=float)
    away = {link: wrench for link, wrench in (case.external or {}).items()
            if np.any(wrench.point) or hasattr(wrench, "spread")}  # fmt: skip
    if away:
        _move_points(arm, q, away, result)
    return result


def _move_points(arm: FlexibleRobot, q: Floats, external: Mapping[str, Wrench], loads: Floats) -> None:
    """Adds what forces at other points than the origin of their link's frame have of G. Of the moment of such a force,
    which counts already, G has the antisymmetric part; here is the symmetric one.
    """
    elastic = skeleton(arm)
    poses = np.asarray(arm.link_poses(q), dtype=float)[..., :3, :3]
    numbers = {name: k for k, name in enumerate(arm.link_names)}
    frames = {name: poses[..., k, :, :] @ _joint_frame(arm, name) for name, k in numbers.items()}
    for link, wrench in external.items():
        product = wrench.point[..., :, None] * wrench.force[..., None, :]
        symmetric = 0.5 * (product + np.swapaxes(product, -1, -2))
        if hasattr(wrench, "spread"):  # of carried loads, which are bodies
            symmetric = symmetric + wrench.spread.reshape(*wrench.spread.shape[:-1], 3, 3)
        if wrench.axes == "link":
            turn = poses[..., numbers[link], :, :]
            symmetric = turn @ symmetric @ np.swapaxes(turn, -1, -2)
        path = _path(elastic.mechanism, elastic.mechanism.link_frames[link].body)
        for row, element in enumerate(elastic.elements):
            if element.end in path:
                turn = frames[element.link] @ axes_of(element)
                seen = np.swapaxes(turn, -1, -2) @ symmetric @ turn
                loads[..., row, 3:12] += seen.reshape(*seen.shape[:-2], 9)


def _path(mechanism: Mechanism, body: int) -> set[int]:
    """The bodies from the base to this one."""
    found = set()
    while body != BASE:
        found.add(body)
        body = mechanism.bodies[body].parent
    return found


def _joint_frame(arm: FlexibleRobot, link: str) -> Floats:
    """Rotation from a link's joint frame to its own frame's axes."""
    return np.asarray(link_in_joint_frame(arm, link).R).T


@dataclass(frozen=True, eq=False)
class LoadedCoordinates:
    """Some of the coordinates of a model, with what K_G among them is made of."""

    columns: Ints
    """Which ones, rising."""
    parts: tuple[tuple[int, int, slice], ...]
    """Piece, its link, and its place among these coordinates."""
    own: tuple[Floats, ...]
    """For each part (18, its coordinates squared)."""
    along: tuple[Floats, ...]
    """For each part (18, 3 times its coordinates), in link axes."""
    turns: Floats
    """(coordinates, 3): rotation of all that lies beyond, in link axes."""
    link_of: tuple[int, ...]
    carries: Floats
    """(coordinates, coordinates): one where the row's piece lies between the base and the column's."""
    part_of: Floats
    """(coordinates, parts): one where the coordinate belongs to the part."""
    part_carries: Floats
    """(parts, parts): one where the row lies between the base and the column."""

    def vectors(self, R: Floats, loads: Floats) -> tuple[Floats, Floats]:
        """Rotations (..., 3, coordinates) and integrals of d (..., 3, coordinates), world axes, from the links'
        rotations (..., links, 3, 3) and the pieces' loads (..., pieces, 18).
        """
        batch = loads.shape[:-2]
        turned, along = (np.empty((*batch, 3, len(self.columns))) for _ in range(2))
        for (piece, link, place), constants in zip(self.parts, self.along, strict=True):
            local = (loads[..., piece, :] @ constants).reshape(*batch, 3, -1)
            along[..., place] = R[..., link, :, :] @ local
            turned[..., place] = R[..., link, :, :] @ self.turns[place].T
        return turned, along

    def stiffness(self, R: Floats, loads: Floats) -> Floats:
        """K_G (..., coordinates, coordinates)."""
        turned, along = self.vectors(R, loads)
        outer = (np.swapaxes(turned, -1, -2) @ along) * self.carries
        K: Floats = -outer - np.swapaxes(outer, -1, -2)
        for (piece, _, place), constants in zip(self.parts, self.own, strict=True):
            count = place.stop - place.start
            K[..., place, place] += (loads[..., piece, :] @ constants).reshape(*K.shape[:-2], count, count)
        return K

    def product(self, R: Floats, loads: Floats, x: Floats) -> Floats:
        """K_G x (..., coordinates), without K_G."""
        turned, along = self.vectors(R, loads)
        beyond = ((along * x[..., None, :]) @ self.part_of) @ self.part_carries.T
        before = ((turned * x[..., None, :]) @ self.part_of) @ self.part_carries
        own = np.empty_like(x)
        for k, ((piece, _, place), constants) in enumerate(zip(self.parts, self.own, strict=True)):
            count = place.stop - place.start
            block = (loads[..., piece, :] @ constants).reshape(*x.shape[:-1], count, count)
            own[..., place] = (block @ x[..., place, None])[..., 0]
            own[..., place] -= (beyond[..., None, :, k] @ turned[..., place])[..., 0, :]
            own[..., place] -= (before[..., None, :, k] @ along[..., place])[..., 0, :]
        return own


def loaded_coordinates(model: VibrationModel, columns: Ints | None = None) -> LoadedCoordinates:
    """All coordinates of a model, or some of them."""
    return _all_coordinates(model) if columns is None else _coordinates(model, columns)


@kept
def _all_coordinates(model: VibrationModel) -> LoadedCoordinates:
    return _coordinates(model, np.arange(model.size))


def _coordinates(model: VibrationModel, columns: Ints) -> LoadedCoordinates:
    parts, own, along, first = [], [], [], 0
    for k, (piece, constants) in enumerate(zip(model.pieces, piece_stiffnesses(model), strict=True)):
        inside = columns[(columns >= piece.columns.start) & (columns < piece.columns.stop)] - piece.columns.start
        if not len(inside):
            continue
        place = slice(first, first + len(inside))
        first = place.stop
        parts.append((k, model.link_of[piece.columns.start], place))
        own.append(constants.own[:, inside][:, :, inside].reshape(LOADS, -1))
        along.append((piece.axes @ constants.along[:, :, inside]).reshape(LOADS, -1))
    of = np.zeros((len(columns), len(parts)))
    for k, (_, _, place) in enumerate(parts):
        of[place, k] = 1.0
    firsts = [place.start for _, _, place in parts]
    carries = model.carries[np.ix_(columns, columns)]
    return LoadedCoordinates(
        columns=columns,
        parts=tuple(parts),
        own=tuple(own),
        along=tuple(along),
        turns=model.twists[columns, 3:],
        link_of=tuple(model.link_of[c] for c in columns),
        carries=carries,
        part_of=of,
        part_carries=carries[np.ix_(firsts, firsts)],
    )


def geometric_stiffness(model: VibrationModel, R: Floats, loads: Floats) -> Floats:
    """K_G (..., size, size), from the links' rotations (..., links, 3, 3) of `VibrationModel.joint_frames` and the
    pieces' loads (..., pieces, 18) of `dead_loads`.
    """
    return loaded_coordinates(model).stiffness(R, loads)


def largest_strains(model: VibrationModel, loads: Floats) -> Floats:
    """(...): the largest stretch or shear that the forces in any beam could cause, whatever their direction: force
    over the smaller stiffness, of the effects that count. From the loads (..., pieces, 18).
    """
    result = np.zeros(loads.shape[:-2])
    for k, weights in _forces_per_load(model):
        forces = (loads[..., k, :] @ weights).reshape(*result.shape, 2, 3)
        result = np.maximum(result, np.linalg.norm(forces, axis=-1).max(axis=-1))
    return result


@kept
def _forces_per_load(model: VibrationModel) -> tuple[tuple[int, Floats], ...]:
    """For each piece of a beam (18, 6): force over stiffness at both its ends per unit of its loads."""
    found = []
    shares = arm_parts(model.arm).shares
    for k, piece in enumerate(model.pieces):
        if piece.stretch is None:
            continue
        x = np.array([0.0, piece.stretch.length])
        at = piece.stretch.properties(x)
        stiffnesses = (("extension", at.EA), ("shear", at.GAy), ("shear", at.GAz))
        counting = [values for effect, values in stiffnesses if effect in model.effects]
        if counting:
            F, _ = _load_shapes(piece.stretch.length - x, *_mass_beyond(piece.stretch, x, shares[k]))
            F = F / np.min(counting, axis=0)[:, None, None]
            found.append((k, np.concatenate([F[0], F[1]], axis=-1)))
    return tuple(found)
