"""The minimum of a quadratic function of bodies that can exist: a primal-dual interior-point method.

    minimise  1/2 |R (b - goal)|^2 + w sum (tr(J0^-1 J) - log det J),    J linear in phi = G b + N z

Each J has a dual matrix S; at the minimum J S = w 1, and S is the derivative by J of the quadratic function
and of the linear term. Newton's steps for both are taken in axes in which J and S are the same diagonal matrix
(Nesterov and Todd), with J S = mu 1 and mu lowered to w. Close to the minimum Newton's method for J alone finishes.

Why not a general conic solver: Clarabel (log det by 8 x 8 semidefinite and exponential cones) takes a third of the time
to the same time for noisy measurements, but for exact ones, where R is large, its bodies cannot exist.

- Yu. E. Nesterov, M. J. Todd, Primal-dual interior-point methods for self-scaled cones, SIAM J. Optimization 8 (1998),
  324-364.
- S. Boyd, L. Vandenberghe, Convex Optimization, Cambridge 2004, section 9.6 (Newton's method, self-concordance).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # its parts are imported where they are first used

from loadpath.identification.pseudo_inertia import UNITS, ten_parameters
from loadpath.scalars.types import Floats

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
