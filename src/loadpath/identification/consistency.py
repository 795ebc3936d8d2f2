"""From base parameters to bodies that can exist: the full parameters nearest to the prior robot that explain the fit.

The full parameters phi follow from the base parameters b and from those that are not kept, z: what is kept is b less
the shares of z. The measured forces determine b alone; the prior robot decides the remainder. Sought is the minimum of

    1/2 |R (b - b_fit)|^2  +  w sum over links D(J, J0),     D = tr(J0^-1 J) - log det(J0^-1 J) - 4

with R'R the inverse covariance of the fit, J the pseudo-inertia of a link and J0 that of the prior. D is the entropic
divergence of Lee, Wensing and Park: zero for J = J0, infinite where a body stops being possible, the same in all frames
and units. Friction and rotors are bodies of one dimension. The problem is convex and has one minimum, which
`minimum` finds from any prior. With a small w a fit that bodies can have is kept to a small part of its standard
deviation, and the prior decides about nothing but what the forces leave open.

T. Lee, P. M. Wensing, F. C. Park, Geometric robot dynamic identification: a convex programming approach, IEEE Trans.
Robotics 36 (2020), 348-365.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from loadpath.identification.base import BaseParameters
from loadpath.identification.least_squares import Fit
from loadpath.identification.parameters import TENSOR, frames_only
from loadpath.scalars.types import Floats

# The pseudo-inertia of a body: the 4 x 4 matrix that is positive definite for real bodies and only for them.
#
#     J = [ S   h ]      S = tr(I)/2 1 - I, the second moments of the mass; h = m c; I about the frame's origin
#         [ h'  m ]
#
# Positive definite means a positive mass, positive principal moments and the triangle inequality among them at once.
#
# P. M. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically consistent inertial parameter
# identification: a statistical perspective on the mass distribution, IEEE Robotics and Automation Letters 3 (2018),
# 60-67.

def pseudo_inertia(ten: Floats) -> Floats:
    """The matrix of ten parameters.

    >>> pseudo_inertia(np.array([2.0, 1, 0, 0, 0.25, 0, 0.5, 0, 0, 0.75])).tolist()[0]
    [0.5, 0.0, 0.0, 1.0]
    """
    tensor = ten[np.array(TENSOR)]
    J = np.zeros((4, 4))
    J[:3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor
    J[:3, 3] = J[3, :3] = ten[1:4]
    J[3, 3] = ten[0]
    return J


def ten_parameters(J: Floats) -> Floats:
    """The ten parameters of a pseudo-inertia.

    >>> ten = np.array([2.0, 1, 0.5, 0, 0.1, 0.02, 0.6, 0, 0, 0.6])
    >>> bool(abs(ten_parameters(pseudo_inertia(ten)) - ten).max() < 1e-15)
    True
    """
    S = J[:3, :3]
    tensor = np.trace(S) * np.eye(3) - S
    upper = [tensor[0, 0], tensor[0, 1], tensor[1, 1], tensor[0, 2], tensor[1, 2], tensor[2, 2]]
    return np.array([J[3, 3], *J[:3, 3], *upper])


UNITS = np.stack([pseudo_inertia(unit) for unit in np.eye(10)])
"""(10, 4, 4): J is linear in the parameters, and these are its derivatives."""


def nearby_definite(J: Floats, least: float) -> Floats:
    """The matrix with its eigenvalues raised to `least` of their sum, where they are smaller."""
    values, vectors = np.linalg.eigh(J)
    floor = least * float(np.maximum(values, 0.0).sum())
    definite: Floats = vectors @ np.diag(np.maximum(values, floor)) @ vectors.T
    return J if values[0] >= floor else (definite + definite.T) / 2


# The minimum of a quadratic function of bodies that can exist: a primal-dual interior-point method.
#
#     minimise  1/2 |R (b - goal)|^2 + w sum (tr(J0^-1 J) - log det J),    J linear in phi = G b + N z
#
# Each J has a dual matrix S; at the minimum J S = w 1, and S is the derivative by J of the quadratic function and of
# the linear term. Newton's steps for both are taken in axes in which J and S are the same diagonal matrix (Nesterov
# and Todd), with J S = mu 1 and mu lowered to w. Close to the minimum Newton's method for J alone finishes.
#
# Why not a general conic solver: Clarabel (log det by 8 x 8 semidefinite and exponential cones) takes a third of the
# time to the same time for noisy measurements, but for exact ones, where R is large, its bodies cannot exist.
#
# - Yu. E. Nesterov, M. J. Todd, Primal-dual interior-point methods for self-scaled cones, SIAM J. Optimization 8
#   (1998), 324-364.
# - S. Boyd, L. Vandenberghe, Convex Optimization, Cambridge 2004, section 9.6 (Newton's method, self-concordance).

_ROUNDS = 300
_SHORTEST = 1e-12
# Rows and columns of the ten different entries of a symmetric 4 x 4 matrix, those off the diagonal counting twice.
_ROWS, _COLUMNS = np.triu_indices(4)
_TWICE = np.where(_ROWS == _COLUMNS, 1.0, np.sqrt(2.0))


@dataclass(frozen=True, eq=False)
class Bodies:
    """Which parameters may change: ten of each link with influence, one of each drive; and the prior's."""

    links: list[int]
    prior: Floats
    """(links, 4, 4): pseudo-inertias."""
    drives: list[int]
    prior_drives: Floats

    @property
    def columns(self) -> list[int]:
        """Numbers of their parameters, link by link, then drives."""
        return [10 * i + k for i in self.links for k in range(10)] + self.drives

    def values(self) -> Floats:
        """The prior's parameters, in the order of `columns`."""
        return np.concatenate([*(ten_parameters(J) for J in self.prior), self.prior_drives])

    def split(self, phi: Floats) -> tuple[Floats, Floats]:
        """Pseudo-inertias of the links, and drive parameters."""
        count = len(self.links)
        J: Floats = np.tensordot(phi[: 10 * count].reshape(count, 10), UNITS, axes=1)
        return J, phi[10 * count :]


@dataclass(frozen=True, eq=False)
class Problem:
    """The function to be minimised."""

    bodies: Bodies
    G: Floats
    N: Floats
    R: Floats
    goal: Floats
    w: float

    def phi(self, b: Floats, z: Floats) -> Floats:
        """All parameters."""
        phi: Floats = self.G @ b + self.N @ z
        return phi

    def misfit(self, b: Floats) -> Floats:
        """Whitened distance of the base parameters from their goal."""
        misfit: Floats = self.R @ (b - self.goal)
        return misfit

    def value(self, b: Floats, z: Floats) -> float:
        """The function; infinite for bodies that cannot exist."""
        J, drives = self.bodies.split(self.phi(b, z))
        try:
            L = np.linalg.cholesky(J)
        except np.linalg.LinAlgError:
            return float("inf")
        if drives.min(initial=1.0) <= 0:
            return float("inf")
        misfit, ratios = self.misfit(b), drives / self.bodies.prior_drives
        divergence = np.trace(np.linalg.solve(self.bodies.prior, J), axis1=1, axis2=2).sum()
        divergence += np.linalg.slogdet(self.bodies.prior)[1].sum() - 4 * len(J)
        divergence += np.sum(ratios - np.log(ratios) - 1) - 2 * np.log(np.diagonal(L, axis1=1, axis2=2)).sum()
        return float(0.5 * misfit @ misfit + self.w * divergence)


def minimum(problem: Problem, b: Floats, z: Floats) -> tuple[Floats, Floats]:
    """b and z of the minimum, from any b and z of bodies that can exist."""
    return _newton(problem, *_primal_dual(problem, b, z))


def _primal_dual(problem: Problem, b: Floats, z: Floats) -> tuple[Floats, Floats]:
    found, w = problem.bodies, problem.w
    J, x = found.split(problem.phi(b, z))
    size = 4 * len(J) + len(x)
    mu = max(w, float(np.sum(problem.misfit(b) ** 2)) / size)
    S, s = mu * np.linalg.inv(J), mu / x
    lowering, done = 0.1, 0
    for _ in range(_ROUNDS):
        # Axes in which J and S are the same diagonal matrix D: with J = L L', S = M M' and M'L = U D V', the columns
        # of T = L V D^-1/2. For drives the same with numbers.
        L, M = np.linalg.cholesky(J), np.linalg.cholesky(S)
        _, D, Vt = np.linalg.svd(np.swapaxes(M, 1, 2) @ L)
        T = L @ np.swapaxes(Vt, 1, 2) / np.sqrt(D)[:, None, :]
        inverse = np.sqrt(D)[:, :, None] * (Vt @ np.linalg.inv(L))
        t, d = np.sqrt(x / s), np.sqrt(x * s)
        target = max(w, lowering * float(np.sum(D**2) + np.sum(d**2)) / size)
        B = scipy.linalg.block_diag(*_entries(_turned(inverse, UNITS[None])).swapaxes(1, 2), np.diag(1.0 / t))
        pull = w * np.swapaxes(T, 1, 2) @ np.linalg.solve(found.prior, T) - target * _diagonal(1.0 / D)
        r = np.concatenate([_entries(pull).ravel(), w * t / found.prior_drives - target / d])
        db, dz, _ = _step(problem, B, r, problem.misfit(b), 1.0)
        dJ, dx = found.split(problem.phi(db, dz))
        dJ_turned, dx_turned = inverse @ dJ @ np.swapaxes(inverse, 1, 2), dx / t
        dS_turned = target * _diagonal(1.0 / D) - _diagonal(D) - dJ_turned
        ds_turned = target / d - d - dx_turned
        length = min(1.0, 0.9 * min(_longest(D, d, dJ_turned, dx_turned), _longest(D, d, dS_turned, ds_turned)))
        b, z = b + length * db, z + length * dz
        J, x = found.split(problem.phi(b, z))
        S = S + length * np.swapaxes(inverse, 1, 2) @ dS_turned @ inverse
        S, s = (S + np.swapaxes(S, 1, 2)) / 2, s + length * ds_turned / t
        lowering = 0.1 if length > 0.7 else 0.5
        done = done + 1 if target == w and length > 0.7 else 0
        if done == 3:
            break
    return b, z


def _newton(problem: Problem, b: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Newton's method for J alone, with the gradient B'r and the Hessian B'B: with J = L L', the entries of
    L^-1 (dJ/dphi) L^-T and of L' J0^-1 L - 1.
    """
    found, w = problem.bodies, problem.w
    for _ in range(_ROUNDS):
        J, x = found.split(problem.phi(b, z))
        L = np.linalg.cholesky(J)
        B = scipy.linalg.block_diag(*_entries(_turned(np.linalg.inv(L), UNITS[None])).swapaxes(1, 2), np.diag(1.0 / x))
        off = np.swapaxes(L, 1, 2) @ np.linalg.solve(found.prior, L) - np.eye(4)
        r = np.concatenate([_entries(off).ravel(), x / found.prior_drives - 1.0])
        db, dz, decrement = _step(problem, B, r, problem.misfit(b), w)
        now, length = problem.value(b, z), 1.0
        while length > _SHORTEST:
            if problem.value(b + length * db, z + length * dz) <= now - 0.1 * length * decrement + 1e-12 * abs(now):
                b, z = b + length * db, z + length * dz
                break
            length /= 2
        # A short step this near to the minimum is one that rounding has cut.
        if decrement <= 1e-6 * w or (decrement <= 0.01 * w and length < 0.1):
            return b, z
    raise ArithmeticError("no physically consistent robot was found near the measurements: give a prior robot that is "
                          "nearer to them, or a larger prior_weight")


def _step(problem: Problem, B: Floats, r: Floats, misfit: Floats, w: float) -> tuple[Floats, Floats, float]:
    """A step as a least-squares problem, z eliminated first: the forces do not depend on z, however large R is.

    minimise |R db + misfit|^2 + w |B (G db + N dz) + r|^2
    """
    on_b, on_z, R = B @ problem.G, B @ problem.N, problem.R
    count = on_z.shape[1]
    Q, T = np.linalg.qr(on_z, mode="complete")
    Q1, Q2 = Q[:, :count], Q[:, count:]
    root = np.sqrt(w)
    stacked, right = np.vstack([R, root * (Q2.T @ on_b)]), np.concatenate([misfit, root * (Q2.T @ r)])
    Qb, Tb = np.linalg.qr(stacked)
    db = -scipy.linalg.solve_triangular(Tb, Qb.T @ right)
    dz = -scipy.linalg.solve_triangular(T[:count], Q1.T @ (r + on_b @ db))
    decrement = float(np.sum((R @ db) ** 2) + w * np.sum((on_b @ db + on_z @ dz) ** 2))
    return db, dz, decrement


def _longest(D: Floats, d: Floats, turned: Floats, of_drives: Floats) -> float:
    """How far a step may go until a matrix D, or a number d, is no longer positive."""
    root = 1.0 / np.sqrt(D)
    relative = np.linalg.eigvalsh(root[:, :, None] * turned * root[:, None, :])
    worst = min(float(relative.min(initial=0.0)), float((of_drives / d).min(initial=0.0)))
    return float("inf") if worst >= 0 else -1.0 / worst


def _turned(inverse: Floats, matrices: Floats) -> Floats:
    turned: Floats = inverse[:, None] @ matrices @ np.swapaxes(inverse, 1, 2)[:, None]
    return turned


def _entries(matrices: Floats) -> Floats:
    """The ten entries of symmetric matrices, scaled so that their squares add up to those of the matrix."""
    entries: Floats = matrices[..., _ROWS, _COLUMNS] * _TWICE
    return entries


def _diagonal(values: Floats) -> Floats:
    matrices: Floats = values[:, :, None] * np.eye(4)
    return matrices


# A prior body thinner than this (part of its second moments, in units of the mean link) says no more than one of it.
_THINNEST = 1e-4


def bodies(base: BaseParameters, prior: Floats) -> Bodies:
    """The bodies that the parameters belong to; those of the prior (in units of the scale) are corrected where no real
    body has them.
    """
    p, idle = base.parameters, set(base.grouping.idle)
    frames = {base.robot.link_names.index(link) for link in frames_only(base.robot)}
    links = [i for i in range(len(base.robot.links))
             if i not in frames and not idle.issuperset(range(10 * i, 10 * i + 10))]
    masses = [float(prior[10 * i]) for i in links if prior[10 * i] > 0]
    typical = sum(masses) / len(masses) if masses else 1.0
    matrices = []
    for i in links:
        J = pseudo_inertia(prior[10 * i : 10 * i + 10])
        small = np.linalg.eigvalsh(J).max() <= 0
        matrices.append(_THINNEST * typical * np.eye(4) if small else nearby_definite(J, _THINNEST))
    drives = list(range(p.of_links, len(p.names)))
    return Bodies(links, np.array(matrices), drives, np.maximum(prior[drives], 1e-3 * typical))


def consistent(base: BaseParameters, fit: Fit, units: Floats, prior: Floats, weight: float) -> Floats:
    """All parameters, in the given units of the base and full parameters: those of the prior, but for links with
    influence and for drives, which explain the fit as well as possible bodies can.
    """
    found = bodies(base, prior)
    columns = found.columns
    place = {j: k for k, j in enumerate(columns)}
    kept = list(base.grouping.kept)
    at_kept = [place[j] for j in kept]
    others = [k for k in range(len(columns)) if k not in set(at_kept)]
    shares = base.matrix[:, columns] * units[columns] / units[kept][:, None]
    # phi = G b + N z
    G = np.zeros((len(columns), len(kept)))
    G[at_kept, np.arange(len(kept))] = 1.0
    N = np.zeros((len(columns), len(others)))
    N[others, np.arange(len(others))] = 1.0
    N[at_kept] = -shares[:, others]
    start = found.values()
    problem = Problem(found, G, N, fit.factor, fit.values, weight)
    b, z = minimum(problem, shares @ start, start[others])
    result = prior.copy()
    result[columns] = G @ b + N @ z
    return result
