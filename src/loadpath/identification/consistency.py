"""From base parameters to bodies that can exist: the full parameters nearest to the prior robot that explain the fit.

The full parameters phi follow from the base parameters b and from those that are not kept, z: what is kept is b less
the shares of z. The measured forces speak of b alone, the prior robot of the rest. Sought is the minimum of

    1/2 |R (b - b_fit)|^2  +  w sum over links D(J, J0),     D = tr(J0^-1 J) - log det(J0^-1 J) - 4

with R'R the inverse covariance of the fit, J the pseudo-inertia of a link and J0 that of the prior. D is the entropic
divergence of Lee, Wensing and Park: zero for J = J0, infinite where a body stops being possible, the same in all frames
and units. Friction and rotors are bodies of one dimension. The problem is convex with one minimum, and Newton's method
finds it from the prior, w being lowered step by step to its small value. With it a fit that bodies can have is kept to
a small part of its standard deviation, and the prior decides about nothing but what the forces leave open.

- T. Lee, P. M. Wensing, F. C. Park, Geometric robot dynamic identification: a convex programming approach, IEEE Trans.
  Robotics 36 (2020), 348-365.
- S. Boyd, L. Vandenberghe, Convex Optimization, Cambridge 2004, section 9.6 (Newton's method, self-concordance).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag, solve_triangular

from loadpath.identification.base import BaseParameters
from loadpath.identification.batches import Floats
from loadpath.identification.clusters import frames_only
from loadpath.identification.least_squares import Fit
from loadpath.identification.pseudo_inertia import UNITS, nearby_definite, pseudo_inertia, ten_parameters

# A prior body thinner than this (part of its second moments, in units of the mean link) says no more than one of it.
_THINNEST = 1e-4
_ROUNDS = 400
_LOWERING = 0.03
# Rows and columns of the ten different entries of a symmetric 4 x 4 matrix, those off the diagonal counting twice.
_ROWS, _COLUMNS = np.triu_indices(4)
_TWICE = np.where(_ROWS == _COLUMNS, 1.0, np.sqrt(2.0))


@dataclass(frozen=True, eq=False)
class Bodies:
    """Which parameters may change, in units of the scale: ten of each link with influence, one of each drive."""

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


def bodies(base: BaseParameters, prior: Floats) -> Bodies:
    """The bodies behind the parameters, the prior's (in units of the scale) mended where no real body has them."""
    p, idle = base.parameters, set(base.grouping.idle)
    frames = {base.robot.link_names.index(link) for link in frames_only(base.robot)}
    links = [i for i in range(len(base.robot.links))
             if i not in frames and not idle.issuperset(range(10 * i, 10 * i + 10))]  # fmt: skip
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
    rest = [k for k in range(len(columns)) if k not in set(at_kept)]
    shares = base.matrix[:, columns] * units[columns] / units[kept][:, None]
    # phi = G b + N z
    G = np.zeros((len(columns), len(kept)))
    G[at_kept, np.arange(len(kept))] = 1.0
    N = np.zeros((len(columns), len(rest)))
    N[rest, np.arange(len(rest))] = 1.0
    N[at_kept] = -shares[:, rest]
    start = found.values()
    b, z = _minimum(found, G, N, fit, shares @ start, start[rest], weight)
    result = prior.copy()
    result[columns] = G @ b + N @ z
    return result


def _minimum(
    found: Bodies, G: Floats, N: Floats, fit: Fit, b: Floats, z: Floats, weight: float
) -> tuple[Floats, Floats]:
    R, goal = fit.factor, fit.values
    w = max(weight, 0.1 * float(np.sum((R @ (b - goal)) ** 2)))
    for _ in range(_ROUNDS):
        B, r = _divergence(found, G @ b + N @ z)
        step_b, step_z, decrement = _newton_step(B @ G, B @ N, r, R, R @ (b - goal), w)
        now = _objective(found, G @ b + N @ z, R @ (b - goal), w)
        length = 1.0
        while length > 1e-12:
            b_new, z_new = b + length * step_b, z + length * step_z
            then = _objective(found, G @ b_new + N @ z_new, R @ (b_new - goal), w)
            if then <= now - 0.1 * length * decrement * (1 - 1e-9) + 1e-12 * abs(now):
                break
            length /= 2
        else:
            return b, z  # rounding: no step is an improvement
        b, z = b_new, z_new
        if decrement <= 0.01 * w:
            # A short step this near to the minimum is one that rounding has cut.
            if w == weight and (decrement <= 1e-10 * w or length < 0.1):
                break
            w = max(weight, _LOWERING * w)
    return b, z


def _newton_step(
    on_b: Floats, on_z: Floats, r: Floats, R: Floats, misfit: Floats, w: float
) -> tuple[Floats, Floats, float]:
    """Newton's step as a least-squares problem, z eliminated first: the forces do not speak of z, however strong R is.

    minimise |R db + misfit|^2 + w |on_b db + on_z dz + r|^2
    """
    count = on_z.shape[1]
    Q, T = np.linalg.qr(on_z, mode="complete")
    Q1, Q2 = Q[:, :count], Q[:, count:]
    root = np.sqrt(w)
    stacked, right = np.vstack([R, root * (Q2.T @ on_b)]), np.concatenate([misfit, root * (Q2.T @ r)])
    Qb, Tb = np.linalg.qr(stacked)
    db = -solve_triangular(Tb, Qb.T @ right)
    dz = -solve_triangular(T[:count], Q1.T @ (r + on_b @ db))
    decrement = float(np.sum((R @ db) ** 2) + w * np.sum((on_b @ db + on_z @ dz) ** 2))
    return db, dz, decrement


def _divergence(found: Bodies, phi: Floats) -> tuple[Floats, Floats]:
    """B and r with B'r the gradient and B'B the Hessian of the sum of all D: with J = L L', the entries of
    L^-1 (dJ/dphi) L^-T and of L' J0^-1 L - 1.
    """
    J, drives = _split(found, phi)
    L = np.linalg.cholesky(J)
    inverse = np.linalg.inv(L)
    turned = inverse[:, None] @ UNITS @ np.swapaxes(inverse, 1, 2)[:, None]
    entries = (turned[..., _ROWS, _COLUMNS] * _TWICE).swapaxes(1, 2)
    B = block_diag(*entries, np.diag(1.0 / drives))
    off = np.swapaxes(L, 1, 2) @ np.linalg.solve(found.prior, L) - np.eye(4)
    r = np.concatenate([(off[:, _ROWS, _COLUMNS] * _TWICE).ravel(), drives / found.prior_drives - 1.0])
    return B, r


def _objective(found: Bodies, phi: Floats, misfit: Floats, w: float) -> float:
    """The function to be minimised; infinite for bodies that cannot exist."""
    J, drives = _split(found, phi)
    try:
        L = np.linalg.cholesky(J)
    except np.linalg.LinAlgError:
        return float("inf")
    if drives.min(initial=1.0) <= 0:
        return float("inf")
    ratios = drives / found.prior_drives
    determinants = 2 * np.log(np.diagonal(L, axis1=1, axis2=2)).sum() - np.linalg.slogdet(found.prior)[1].sum()
    traces = np.trace(np.linalg.solve(found.prior, J), axis1=1, axis2=2).sum() - 4 * len(J)
    return float(0.5 * misfit @ misfit + w * (traces - determinants + np.sum(ratios - np.log(ratios) - 1)))


def _split(found: Bodies, phi: Floats) -> tuple[Floats, Floats]:
    """Pseudo-inertias of the links, and drive parameters."""
    count = len(found.links)
    J: Floats = np.tensordot(phi[: 10 * count].reshape(count, 10), UNITS, axes=1)
    return J, phi[10 * count :]
