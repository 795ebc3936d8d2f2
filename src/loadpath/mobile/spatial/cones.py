"""One complementarity problem for all contacts: normal forces, and friction within limits that grow with them.

Sought is lambda, of which every entry is a normal force or belongs to a group of one or two rows of friction. With the
accelerations (or velocities, for impulses) v = W lambda + b that are left,

    0 <= lambda_n,  0 <= v_n,  lambda_n v_n = 0;        |lambda_g| <= l_g = c_g + mu_g lambda_n,
    v_g = 0 inside, and lambda_g = - l_g v_g/|v_g| where it is used up.

Within given limits this is Gauss' principle of least constraint, a convex problem. All of it says that lambda is its
own projection, lambda = P(lambda - v), a semismooth equation: Newton's method solves it in a few steps (Alart and
Curnier). Where it does not, because many contacts could hold the same and W is singular, the convex problem for limits
that stay is solved in accelerations, where its solution is one whatever contacts share (`_least_motion`), again and
again for the limits of its normal forces; and sweeps of Gauss-Seidel, contact by contact (Jean and Moreau), bring it
nearer, many of them if need be. W may have sliding friction in its columns of normal forces, and is then not symmetric.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats, Ints

_STEPS, _SWEEPS, _FEW, _LONG, _ROUNDS = 40, 20, 8, 40, 8
_SOFTER = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
"""Compliances beside those of the rows, which are 1."""
_DONE = 1e-12
"""Of the largest acceleration, what may be left."""
_SYMMETRIC, _RANK = 1e-9, 1e-13
_SOFTEST = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
_LIMITS, _STEADY, _NEARLY = 60, 1e-9, 1e-6
"""Rounds for the limits, what they may change in the last one, and of the largest numbers what may be left."""


class Sets(NamedTuple):
    """What every entry of lambda is."""

    normals: Ints
    groups: tuple[Ints, ...]
    limits: Floats
    """(groups,): c_g."""
    friction: Floats
    """(groups,): mu_g."""
    of: Ints
    """(groups,): entry of the normal force that it belongs to; of any, where mu_g is zero."""

    def within(self, x: Floats) -> Floats:
        """(groups,): the limits for forces."""
        if not len(self.limits):
            return self.limits
        result: Floats = self.limits + self.friction * np.maximum(x[self.of], 0.0)
        return result


def contact_forces(
    W: Floats, b: Floats, sets: Sets, start: Floats | None = None, alone: Floats | None = None
) -> tuple[Floats, bool]:
    """Forces, or impulses, and whether they solve the problem. `alone` is W without sliding friction in its columns,
    where it has some.

    >>> W, b = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-4.0, 1.0])
    >>> sets = Sets(np.array([0]), (np.array([1]),), np.zeros(1), np.array([0.1]), np.array([0]))
    >>> x, solved = contact_forces(W, b, sets)
    >>> x.round(6).tolist(), solved                                        # friction is used up
    ([2.051282, -0.205128], True)
    """
    size = len(b)
    if not size:
        return np.zeros(0), True
    # Rows of one size; groups keep their circles.
    scale = np.empty(size)
    own = np.abs(np.diag(W)) + 1e-300
    scale[sets.normals] = 1.0 / np.sqrt(own[sets.normals])
    for group in sets.groups:
        scale[group] = 1.0 / np.sqrt(own[group].max())
    A, right = W * np.outer(scale, scale), b * scale
    first = np.array([scale[group[0]] for group in sets.groups])
    if len(first):
        factor = scale[sets.of] / first if len(sets.normals) else 0.0 * first
        sets = sets._replace(limits=sets.limits / first, friction=sets.friction * factor)
    x = np.zeros(size) if start is None else start / scale
    small = _DONE * (1.0 + float(np.abs(right).max()))
    symmetric = float(np.abs(A - A.T).max()) < _SYMMETRIC
    x, solved = _by_newton(A, right, sets, x, small, symmetric)
    if not solved and symmetric:
        x, solved = _patiently(A, right, sets, small, _LONG)
    elif not solved and alone is not None:
        x, solved = _lagging(A, right, sets, alone * np.outer(scale, scale), small)
    return x * scale, solved


def _by_newton(
    A: Floats, b: Floats, sets: Sets, x: Floats, small: float, symmetric: bool
) -> tuple[Floats, bool]:
    """Newton's method, and what brings it near to a solution."""
    for k in range(_ROUNDS):
        x = _newton(A, b, sets, x, small)
        left = float(np.abs(_residual(A, b, sets, x)).max())
        if left <= 100 * small or not np.isfinite(left):
            return x, bool(left <= 100 * small)
        if not k:
            bold = _newton(A, b, sets, x, small, damped=False)
            if float(np.abs(_residual(A, b, sets, bold)).max()) <= 100 * small:
                return bold, True
        if not k and symmetric:
            swept, solved = _patiently(A, b, sets, small, _FEW)
            x, solved = (swept, solved) if solved else _least_motion(A, b, sets, x)
            if solved:
                return x, True
        if k % 2:
            x = _from_soft(A, b, sets, x, small)
            continue
        for _ in range(_SWEEPS):
            _sweep(A, b, sets, x)
    return x, False


def _lagging(A: Floats, b: Floats, sets: Sets, alone: Floats, small: float) -> tuple[Floats, bool]:
    """With the sliding friction of the normal forces found last, again and again: problems that have a solution. They
    come to one unless friction presses contacts into the ground by more than the ground pushes them away.
    """
    x = np.zeros(len(b))
    for _ in range(_LONG):
        new, solved = contact_forces(alone, b + (A - alone) @ x, sets, x)
        moved, x = float(np.abs(new - x).max()), new
        if not solved or moved <= _STEADY * (1.0 + float(np.abs(x).max())):
            break
    near = _newton(A, b, sets, x, small)
    for tried, most in ((near, 100 * small), (x, _NEARLY * (1.0 + float(np.abs(b).max()) + float(np.abs(x).max())))):
        if float(np.abs(_residual(A, b, sets, tried)).max()) <= most:
            return tried, True
    return x, False


def _patiently(A: Floats, b: Floats, sets: Sets, small: float, rounds: int) -> tuple[Floats, bool]:
    """Sweeps from nothing until they settle: without friction in W there is a solution, and they find it slowly."""
    x = np.zeros(len(b))
    for _ in range(rounds):
        for _ in range(_LONG):
            _sweep(A, b, sets, x)
        near = _newton(A, b, sets, x, small)
        for tried, most in ((near, 100 * small), (x, 1e3 * small)):
            if float(np.abs(_residual(A, b, sets, tried)).max()) <= most:
                return tried, True
    return x, False


def _least_motion(A: Floats, b: Floats, sets: Sets, x: Floats) -> tuple[Floats, bool]:
    """Forces by the least motion that contacts leave, for limits that are those of the normal forces found last; and
    whether they became steady.

    With A = R R^T and v = R a + b, a is the minimum of |a|^2/2 + sum over normals of min(v, 0)^2/(2 eps) + sum over
    groups of l_g |v_g|, rounded off up to l_g eps: contacts that give way by eps, which becomes less and less.
    """
    values, vectors = np.linalg.eigh(0.5 * (A + A.T))
    some = values > _RANK * max(float(values[-1]), 1e-300)
    R = vectors[:, some] * np.sqrt(values[some])
    a = R.T @ x
    coupled = bool(np.any(sets.friction))
    limits = sets.within(x)
    before = np.inf
    for k in range(_LIMITS if coupled else 1):
        for eps in _SOFTEST if k == 0 else _SOFTEST[-3:]:
            nearer, forces = _minimum(R, b, sets, limits, a, eps)
            if float(np.abs(nearer - R.T @ forces).max(initial=0.0)) <= _NEARLY * (1.0 + float(np.abs(a).max())):
                a, x = nearer, forces  # else rounding ended the search for the minimum of a smaller eps
        new = sets.within(x)
        moved = float(np.abs(new - limits).max(initial=0.0))
        limits = new
        if moved <= _STEADY * (1.0 + float(limits.max(initial=0.0))):
            break
        if moved > 0.5 * before and _nearly(A, b, sets, x):
            break  # what still moves is rounding, which a small eps makes large
        before = moved
    return x, _nearly(A, b, sets, x)


def _nearly(A: Floats, b: Floats, sets: Sets, x: Floats) -> bool:
    """Whether these are forces, as nearly as rounding lets the least motion say."""
    left = float(np.abs(_residual(A, b, sets, x)).max())
    return bool(left <= _NEARLY * (1.0 + float(np.abs(b).max()) + float(np.abs(x).max())))


def _minimum(R: Floats, b: Floats, sets: Sets, limits: Floats, a: Floats, eps: float) -> tuple[Floats, Floats]:
    """The minimum for one eps by Newton's method from a, and its forces."""
    normals, groups = sets.normals, sets.groups
    unit = np.eye(R.shape[1])

    def look(a: Floats, bends: bool) -> tuple[float, Floats, Floats]:
        v = R @ a + b
        x, K = np.zeros(len(v)), np.zeros((len(v), len(v)))
        into = np.minimum(v[normals], 0.0)
        x[normals] = -into / eps
        K[normals, normals] = (into < 0) / eps
        value = 0.5 * float(a @ a) + float(into @ into) / (2 * eps)
        for group, limit in zip(groups, limits, strict=True):
            s = v[group]
            size = float(np.sqrt(s @ s))
            if size <= limit * eps:
                x[group] = -s / eps
                value += size * size / (2 * eps)
                if bends:
                    K[group, group] = 1.0 / eps
            else:
                u = s / size
                x[group] = -limit * u
                value += limit * (size - 0.5 * limit * eps)
                if bends:
                    K[np.ix_(group, group)] = (limit / size) * (np.eye(len(group)) - np.outer(u, u))
        return value, x, K

    value, x, K = look(a, True)
    for _ in range(_STEPS):
        slope = a - R.T @ x
        if float(np.abs(slope).max(initial=0.0)) <= _DONE * (1.0 + float(np.abs(a).max(initial=0.0))):
            break
        step = -np.linalg.solve(unit + R.T @ K @ R, slope)
        falls = float(slope @ step)
        length = 1.0
        while length > 1e-8:
            tried, _, _ = look(a + length * step, False)
            if tried <= value + 1e-4 * length * falls + 1e-14 * abs(value):
                break
            length *= 0.5
        else:
            break
        a = a + length * step
        value, x, K = look(a, True)
    return a, x


def _from_soft(A: Floats, b: Floats, sets: Sets, x: Floats, small: float) -> Floats:
    """Nearer to a solution through those of contacts that give way less and less: where several could hold the same, A
    is nearly singular, and Newton's method needs a start that is near.
    """
    for soft in _SOFTER:
        x = _newton(A + soft * np.eye(len(x)), b, sets, x, small)
    return x


def _residual(A: Floats, b: Floats, sets: Sets, x: Floats) -> Floats:
    z = x - (A @ x + b)
    p = z.copy()
    p[sets.normals] = np.maximum(z[sets.normals], 0.0)
    for group, limit in zip(sets.groups, sets.within(x), strict=True):
        length = float(np.sqrt(z[group] @ z[group]))
        if length > limit:
            p[group] = z[group] * (limit / length)
    result: Floats = x - p
    return result


def _newton(A: Floats, b: Floats, sets: Sets, x: Floats, small: float, *, damped: bool = True) -> Floats:
    """Newton's method; without damping it passes where an element that hardly moves comes to its limit: beyond it the
    residual is a force, which is large against the acceleration on this side, until the next step.
    """
    F = _residual(A, b, sets, x)
    size = float(np.sqrt(F @ F))
    unit = np.eye(len(x))
    for _ in range(_STEPS):
        if float(np.abs(F).max()) <= small:
            break
        z, P, more = x - (A @ x + b), unit.copy(), np.zeros((len(x), len(x)))
        off = sets.normals[z[sets.normals] <= 0]
        P[off, off] = 0.0
        for g, (group, limit) in enumerate(zip(sets.groups, sets.within(x), strict=True)):
            length = float(np.sqrt(z[group] @ z[group]))
            if length > limit:
                u = z[group] / length
                P[np.ix_(group, group)] = (limit / length) * (np.eye(len(group)) - np.outer(u, u))
                if sets.friction[g] and x[sets.of[g]] > 0:
                    more[group, sets.of[g]] = sets.friction[g] * u
        try:
            d = np.linalg.solve(unit - P @ (unit - A) - more, -F)
        except np.linalg.LinAlgError:
            break
        share = 1.0
        while share > 1e-3:
            tried = x + share * d
            F_tried = _residual(A, b, sets, tried)
            size_tried = float(np.sqrt(F_tried @ F_tried))
            if not damped or size_tried < (1 - 1e-4 * share) * size:
                break
            share *= 0.5
        else:
            break
        x, F, size = tried, F_tried, size_tried
    return x


def _sweep(A: Floats, b: Floats, sets: Sets, x: Floats) -> None:
    """One pass of projected Gauss-Seidel, in place."""
    for k in sets.normals:
        if A[k, k] > 0:
            x[k] = max(0.0, x[k] - (A[k] @ x + b[k]) / A[k, k])
    for g, group in enumerate(sets.groups):
        limit = float(sets.within(x)[g])
        z = x[group] - (A[group] @ x + b[group]) / float(A[group, group].sum())
        length = float(np.sqrt(z @ z))
        x[group] = z * (limit / length) if length > limit else z
