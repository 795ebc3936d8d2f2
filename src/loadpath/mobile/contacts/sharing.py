"""How contacts share what balance leaves open: by their compliances, each within its friction.

A base on several rigid contacts is statically indeterminate in the plane. The rule here, used for wheel loads,
accelerations and simulations alike: of all forces f in balance with the load p that keep every contact i within its
friction limit l_i, those with the least energy sum c_i |f_i|^2 / 2 of the contacts' compliances. That is what happens
if the base yields by a small motion x: contact i is displaced by u_i = R_i x and answers with

    f_i = u_i / c_i  up to |f_i| = l_i, from then on with l_i u_i / |u_i|:    sum R_i^T f_i = p.

Contacts that are asked for more than their friction creep and leave the remainder to others. The x sought is the
minimum of a convex function of as many unknowns as the base has freedoms; Newton's method finds it. There is none if
the load cannot be held: then some motion x shows it, in which the load does more work than friction can take,
p.x > sum l_i |R_i x|. The least factor on all limits with which the load could be held is the largest quotient of both
(`friction_needed`).

What resists rolling at rest shares in by the same rule, but yields `SOFT` times as easily: a free wheel holds only what
grip cannot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Bools, Floats, Ints

SOFT = 1e6
"""Compliance of rolling resistance at rest, in compliances of the same contact's grip."""
HELD = 1e-12
"""Share by which rounding may take a force beyond its limit."""
_SINGULAR = 1e-10
_MANY = 64
_ITERATIONS, _NEAR = 60, 8
_BALANCED = 1e-11
"""Of the load, what may be missing in balance."""
_CERTAIN = 1e-9
"""Share by which a load must exceed what friction can take for a motion to show it."""


# Without limits


def scales(rows: Floats, size: float) -> Floats:
    """What the speeds of rows count by: 1 of the first two, along the ground, the size of the base (m) of rotations,
    its own and those of joints.
    """
    result = np.full(rows.shape[-1], size)
    result[:2] = 1.0
    return result


def elastic(rows: Floats, weights: Floats, load: Floats, size: float) -> Floats:
    """Forces (..., k) along rows (..., k, 3), in proportion to their weights (1/compliance), that come nearest to a
    load (..., 3): with the least sum x^2/weight of all that do. Moments count against forces by the size of the base.
    """
    scaled = rows / scales(rows, size)
    right = load / scales(rows, size)
    if rows.shape[-2] == 0:
        return np.zeros((*np.broadcast_shapes(rows.shape[:-2], load.shape[:-1]), 0))
    inverse = _inverse(scaled, weights)
    shape = np.broadcast_shapes(inverse.shape[:-2], load.shape[:-1])
    motion = inverse @ np.broadcast_to(right, (*shape, right.shape[-1]))[..., None]
    result: Floats = weights * _seen(scaled, motion[..., 0])
    return result


def _seen(rows: Floats, motion: Floats) -> Floats:
    """Displacements (..., k) along rows (..., k, r), or (k, r) if they are the same in all states, in motions (..., r).
    """
    if rows.ndim == 2:
        return motion @ rows.T
    result: Floats = (rows @ motion[..., None])[..., 0]
    return result


def _summed(rows: Floats, forces: Floats) -> Floats:
    """The load (..., r) that forces (..., k) along rows give."""
    if rows.ndim == 2:
        return forces @ rows
    result: Floats = (forces[..., None, :] @ rows)[..., 0, :]
    return result


def _inverse(rows: Floats, weights: Floats) -> Floats:
    """Pseudoinverse (..., r, r) of sum w R^T R, for rows (..., k, r) and weights (..., k): the motion per load."""
    if rows.ndim == 2 and weights.ndim == 2 and len(weights) > _MANY:
        # Few patterns of weights (which contacts carry, which are at rest), many states.
        largest = weights.max(axis=0)
        there = weights > 0
        if (weights == np.where(there, largest, 0.0)).all():
            number = there @ (1 << np.arange(weights.shape[1]))
            _, first, of = np.unique(number, return_index=True, return_inverse=True)
            each: Floats = _inverse(rows, weights[first][:, None])[:, 0][of.reshape(-1)]
            return each
    system = np.swapaxes(rows * weights[..., None], -1, -2) @ rows
    good = np.isfinite(system).all(axis=(-2, -1), keepdims=True)  # a bad row stays the only bad one
    inverse = np.linalg.pinv(np.where(good, system, np.eye(rows.shape[-1])), rcond=_SINGULAR, hermitian=True)
    return np.where(good, inverse, np.nan)


# Within limits


class Groups(NamedTuple):
    """Which rows share one limit: those of one contact's grip, of one wheel's rolling."""

    of_row: Ints
    """(k,): number of the group."""
    member: Floats
    """(k, groups): 1 where a row belongs to a group."""

    def sizes(self, vectors: Floats) -> Floats:
        """(..., groups): lengths of the vectors that the rows of each group make."""
        result: Floats = np.sqrt((vectors * vectors) @ self.member)
        return result


def groups_of(of_row: Ints, count: int) -> Groups:
    """Groups from the number of each row's."""
    member = np.zeros((len(of_row), count))
    member[np.arange(len(of_row)), of_row] = 1.0
    return Groups(of_row, member)


class Creep(NamedTuple):
    """The motion x by which the base yields, and what follows."""

    x: Floats
    """(..., r)."""
    forces: Floats
    """(..., k)."""
    holds: Bools
    """(...): whether the forces are in balance with the load."""
    fails: Bools
    """(...): whether x shows that no forces within the limits are. Neither: at the limit, to rounding."""
    stretch: Floats
    """(...): largest displacement of a group, in those at which it reaches its limit."""


class _Answer(NamedTuple):
    """What the groups do in a motion x: all (..., groups), but for displacements and forces (..., k)."""

    u: Floats
    moved: Floats
    strain: Floats
    """Displacement, in those at which the limit is reached."""
    gives: Bools
    per: Floats
    """Force per displacement."""
    forces: Floats

    def some(self, of: Bools) -> _Answer:
        """Those of some states."""
        u, moved, strain, per, forces = (part[of] for part in (self.u, self.moved, self.strain, self.per, self.forces))
        return _Answer(u, moved, strain, self.gives[of], per, forces)


def _answer(A: Floats, groups: Groups, weight: Floats, limit: Floats, x: Floats) -> _Answer:
    """f_i = u_i / c_i up to |f_i| = l_i, from then on l_i u_i / |u_i|."""
    u = (A @ x[..., None])[..., 0]
    moved = groups.sizes(u)
    strain = weight * moved / limit
    gives: Bools = np.asarray(strain > 1.0)
    per = np.where(gives, limit / np.where(gives, moved, 1.0), weight)
    return _Answer(u, moved, strain, gives, per, per[..., groups.of_row] * u)


def _resistance(A: Floats, groups: Groups, answer: _Answer) -> Floats:
    """d(sum R_i^T f_i)/dx (..., r, r): per R^T R, less what a group that gives does not resist along its own way."""
    u, moved, _, gives, per, _ = answer
    hessian = np.swapaxes(A, -1, -2) @ (per[..., groups.of_row, None] * A)
    along = np.swapaxes(u[..., None] * A, -1, -2) @ groups.member
    bend = np.where(gives, per / np.where(gives, moved, 1.0) ** 2, 0.0)
    result: Floats = hessian - (along * bend[..., None, :]) @ np.swapaxes(along, -1, -2)
    return result


def creep(R: Floats, groups: Groups, weight: Floats, limit: Floats, load: Floats, start: Floats) -> Creep:
    """The least energy within limits, for states (s, ...): rows R (s, k, r), weights and limits (s, groups), loads
    (s, r) in the range of R^T, from motions `start` (s, r).
    """
    size = np.sqrt((load * load).sum(axis=-1)) + 1e-100
    limit = np.clip(np.where(weight > 0, limit, 0.0), 1e-100, 1e12 * size[:, None])
    least = 1e-14 * (weight * ((R * R).sum(axis=-1) @ groups.member)).sum(axis=-1) + 1e-100  # where nothing resists
    x, todo = start.copy(), np.arange(len(load))
    holds, fails = np.zeros(len(load), dtype=bool), np.zeros(len(load), dtype=bool)
    forces, stretch = np.zeros((len(load), R.shape[1])), np.zeros(len(load))
    for _ in range(_ITERATIONS):
        A, w, most, p, y = R[todo], weight[todo], limit[todo], load[todo], x[todo]
        answer = _answer(A, groups, w, most, y)
        missing = p - (answer.forces[:, None, :] @ A)[:, 0]
        forces[todo], stretch[todo] = answer.forces, answer.strain.max(axis=-1, initial=0.0)
        holds[todo] = np.sqrt((missing * missing).sum(axis=-1)) <= _BALANCED * size[todo]
        work = (p * y).sum(axis=-1) * (1.0 - _CERTAIN / 4)
        fails[todo] = ~holds[todo] & ((most * answer.moved).sum(axis=-1) < work)
        go = ~(holds | fails)[todo]
        if not go.any():
            break
        todo = todo[go]
        A, w, most, p, y, missing = (part[go] for part in (A, w, most, p, y, missing))
        hessian = _resistance(A, groups, answer.some(go))
        hessian[..., range(hessian.shape[-1]), range(hessian.shape[-1])] += least[todo, None]
        step: Floats = np.asarray(np.linalg.solve(hessian, missing[..., None])[..., 0], dtype=float)
        # Where little resists, the step itself may show that nothing holds.
        work = (p * step).sum(axis=-1) * (1.0 - _CERTAIN / 4)
        lost = (most * groups.sizes((A @ step[..., None])[..., 0])).sum(axis=-1) < work
        if lost.any():
            fails[todo[lost]] = True
            todo = todo[~lost]
            if not len(todo):
                break
            A, w, most, p, y, step, missing = (part[~lost] for part in (A, w, most, p, y, step, missing))
        x[todo] = y + _shortened(A, groups, w, most, p, y, step, missing)[:, None] * step
    return Creep(x, forces, holds, fails, stretch)


class Crept(NamedTuple):
    """The same of one state: one that holds, or, with an infinite stretch, one whose motion shows that it fails."""

    x: Floats
    forces: Floats
    stretch: float


def creep_on(L: Floats, groups: Groups, weight: Floats, limit: Floats, load: Floats, start: Floats) -> Crept | None:
    """The least energy within limits of one state, from a motion that is near: whole steps of Newton's method, few and
    quick; or a motion on the way that shows that nothing holds. None where they lead to neither.
    """
    x, allowed = start, (_BALANCED * _BALANCED) * float(load @ load) + 1e-200
    for _ in range(_NEAR):
        answer = _answer(L, groups, weight, limit, x)
        missing = load - answer.forces @ L
        if float(missing @ missing) <= allowed:
            return Crept(x, answer.forces, float(answer.strain.max()))
        if float(limit @ answer.moved) < float(load @ x) * (1.0 - _CERTAIN / 4):
            return Crept(x, answer.forces, np.inf)
        try:
            x = x + np.linalg.solve(_resistance(L, groups, answer), missing)
        except np.linalg.LinAlgError:
            return None
    return None


def _shortened(
    A: Floats, groups: Groups, w: Floats, most: Floats, p: Floats, x: Floats, step: Floats, missing: Floats
) -> Floats:
    """Lengths (s,) of Newton steps with which the energy falls as it should."""

    def energy(t: Floats, of: Ints) -> Floats:
        y = x[of] + t[:, None] * step[of]
        moved = groups.sizes((A[of] @ y[..., None])[..., 0])
        inside = w[of] * moved <= most[of]
        each = np.where(inside, 0.5 * w[of] * moved**2,
                        most[of] * moved - 0.5 * most[of] ** 2 / np.where(inside, 1.0, w[of]))
        result: Floats = each.sum(axis=-1) - (p[of] * y).sum(axis=-1)
        return result

    t, todo = np.ones(len(x)), np.arange(len(x))
    begin, slope = energy(np.zeros(len(x)), todo), (missing * step).sum(axis=-1)
    todo = todo[slope > 1e-11 * np.abs(begin)]  # else there is nothing to see but rounding
    for _ in range(40):
        high = energy(t[todo], todo) > begin[todo] - 1e-4 * t[todo] * slope[todo]
        todo = todo[high]
        if not len(todo):
            break
        t[todo] *= 0.5
    return t


class Shared(NamedTuple):
    """Forces of contacts that share a load."""

    forces: Floats
    """(..., k)."""
    missing: Floats
    """(..., 3): the part of the load that they do not give."""
    holds: Bools
    """(...): whether there is a share within all limits."""


def shared(
    rows: Floats, groups: Groups, weight: Floats, limit: Floats, load: Floats, size: float, *, firm: Bools | None = None
) -> Shared:
    """The share of loads (..., r) among rows (..., k, r), r being 3 for a base alone, for weights and limits
    (..., groups).

    Where none is within all limits, only those of `firm` groups (groups,) are kept, of rolling resistance: grip is
    asked for more than it has. Where that is not enough, the forces come as near to the load as they can.
    """
    forces = elastic(rows, weight[..., groups.of_row], load, size)
    given = _summed(rows, forces)
    missing = load - given
    over: Bools = np.asarray((groups.sizes(forces) > limit * (1.0 + HELD)).any(axis=-1))
    if not over.any():
        return Shared(forces, missing, ~over)
    shape, at = over.shape, np.flatnonzero(over)

    def some(part: Floats, core: int) -> Floats:
        whole = np.broadcast_to(part, (*shape, *part.shape[part.ndim - core :]))
        return whole.reshape(-1, *whole.shape[whole.ndim - core :])[at]

    lengths = scales(rows, size)
    A, p = (rows if rows.ndim == 2 else some(rows, 2)) / lengths, some(given, 1) / lengths
    found, holds = _limited(A, groups, some(weight, 1), some(limit, 1), p, some(forces, 1), firm)
    flat, left = forces.reshape(-1, forces.shape[-1]).copy(), missing.reshape(-1, missing.shape[-1]).copy()
    flat[at] = found
    left[at] += (p - _summed(A, found)) * lengths
    every = np.ones(len(flat), dtype=bool)
    every[at] = holds
    return Shared(flat.reshape(forces.shape), left.reshape(missing.shape), every.reshape(shape))


def _limited(
    A: Floats, groups: Groups, weight: Floats, limit: Floats, load: Floats, free: Floats, firm: Bools | None
) -> tuple[Floats, Bools]:
    """Forces (s, k) of states whose share without limits, `free`, is beyond some; and whether all are kept. The rows A
    are (k, 3) where they are the same in all states.
    """
    forces = free.copy()
    holds = np.zeros(len(load), dtype=bool)
    start = (_inverse(A, weight[:, groups.of_row]) @ load[..., None])[..., 0]
    # The motion without limits shows at once that most loads that cannot be held are such.
    moved = groups.sizes(_seen(A, start))
    kept = np.where(weight > 0, limit, 0.0)
    able = (np.where(moved > 0, kept * moved, 0.0)).sum(axis=-1) >= (load * start).sum(axis=-1) * (1.0 - _CERTAIN / 4)
    at = np.flatnonzero(able)
    if len(at):
        every = np.broadcast_to(A, (len(load), *A.shape[-2:]))[at]
        found = creep(every, groups, weight[at], limit[at], load[at], start[at])
        good = found.holds.copy()
        for i in np.flatnonzero(~found.holds & ~found.fails):  # at the limit, to rounding
            basis = independent(every[i])
            best = friction_needed(every[i] @ basis, groups, kept[at[i]], basis.T @ load[at[i]])
            good[i] = best.factor <= 1.0 + _CERTAIN
            found.forces[i] = best.forces
        forces[at[good]] = found.forces[good]
        holds[at[good]] = True
    those = np.flatnonzero(~holds)
    if firm is not None and firm.any() and len(those):
        # Grip is asked for more than it has; rolling resistance, which is firm, gives what it can.
        rows = A if A.ndim == 2 else A[those]
        most = np.where(firm, limit[those], np.inf)
        forces[those] = _as_much_as_goes(rows, groups, weight[those], most, load[those])
    return forces, holds


def _as_much_as_goes(A: Floats, groups: Groups, weight: Floats, limit: Floats, load: Floats) -> Floats:
    """Forces (s, k) of groups that cannot hold a load together: where one has reached its limit, the remainder goes to
    those that have not.
    """
    reached = np.zeros((len(load), A.shape[-2]))
    free = np.where(limit > 0, weight, 0.0)
    forces = reached
    for _ in range(limit.shape[1] + 1):
        left = load - _summed(A, reached)
        more = elastic(A, free[:, groups.of_row], left, 1.0)
        forces = reached + more
        size = groups.sizes(more)
        over = size > limit * (1.0 + HELD)
        if not over.any():
            break
        scale = np.where(over, limit / np.where(over, size, 1.0), 0.0)
        reached = reached + scale[:, groups.of_row] * more
        free = np.where(over, 0.0, free)
        forces = reached
    return forces


def independent(A: Floats) -> Floats:
    """An orthonormal basis (r, rank) of the motions that the rows A (k, r) see."""
    _, values, right = np.linalg.svd(A, full_matrices=False)
    rank = int((values > 1e-9 * max(float(values.max(initial=0.0)), 1e-300)).sum())
    return right[:rank].T


# How much friction it takes


class Needed(NamedTuple):
    """The least factor on all limits with which a load can be held."""

    factor: float
    forces: Floats
    """(k,): the forces then."""
    moves: Bools
    """(groups,): which begin to slip if the load grows beyond that."""


_SMOOTHING = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)
_NEWTON = 20
_ALL_MOVE = 30.0
"""Times the smoothing by which the slowest group must slip for less smoothing to change hardly anything."""
_OPTIMAL = 1e-10
"""Share by which what friction takes in a motion may exceed what it holds the load with: both are the least then."""
_MOVES = 1e-6
"""Share of the fastest slip from which on a group takes part in a motion."""


def friction_needed(
    L: Floats, groups: Groups, limit: Floats, load: Floats, moves: Bools | None = None
) -> Needed:
    """The least factor r with L^T f = load, |f_i| <= r l_i, for independent columns of L (k, r).

    It is 1/g, where g is the least of sum l_i |L_i x| over all motions x with load.x = 1: the motion in which the load
    does most for what friction takes. The base begins to slip by -x: groups with L_i x = 0 stick on. `moves` (groups,)
    is a guess of the others, as of a state nearby: where forces and motion show that it is right, it takes no search.

    >>> pair = groups_of(np.array([0, 1]), 2)
    >>> needed = friction_needed(np.ones((2, 1)), pair, np.array([4.0, 2.0]), np.array([3.0]))
    >>> round(needed.factor, 9), needed.forces.round(9).tolist()
    (0.5, [2.0, 1.0])
    """
    count = len(limit)
    if not L.shape[1] or not load.any():
        return Needed(0.0, np.zeros(len(L)), np.zeros(count, dtype=bool))
    L, values, turned = np.linalg.svd(L, full_matrices=False)  # columns of one size, however weak some were
    load = turned @ load / values
    size = float(np.sqrt(load @ load))
    p = load / size
    scale = float(limit.max())
    most = np.maximum(limit / max(scale, 1e-300), 1e-12)
    unit: Needed | None = None
    if moves is not None:
        near = _while_sticking(L, groups, most, p, moves)
        if near is not None:
            unit = _held_by(L, groups, most, p, near)
            taken, missing = float(most @ groups.sizes(L @ near)), p - unit.forces @ L
            if unit.factor * taken > 1.0 + _OPTIMAL or float(missing @ missing) > _OPTIMAL**2:
                unit = None
    if unit is None:
        unit = _held_by(L, groups, most, p, _least(L, groups, most, p, _across(p[None]), _SMOOTHING))
    return Needed(unit.factor * size / max(scale, 1e-300), size * unit.forces, unit.moves)


def _held_by(L: Floats, groups: Groups, most: Floats, p: Floats, x: Floats) -> Needed:
    """The forces that hold a load p of unit length at the limit of the motion x."""
    speed = groups.sizes(L @ x)
    moves: Bools = np.asarray(speed > _MOVES * speed.max())
    # Those that move give r times their limits along their slip, the others whatever is left: solved for both.
    moving = moves[groups.of_row]
    push = np.where(moving, (most / np.maximum(speed, 1e-300))[groups.of_row] * (L @ x), 0.0)
    # These in proportion to their limits where several see the same: so that none goes beyond before the others do.
    room = np.sqrt(most[groups.of_row] * ~moving)[:, None]
    system = np.column_stack([L.T @ push, (room * L).T])
    solution = np.linalg.lstsq(system, p, rcond=1e-12)[0]
    forces = solution[0] * push + room[:, 0] * solution[1:]
    return Needed(float((groups.sizes(forces) / most).max()), forces, moves)


def _across(rows: Floats) -> Floats:
    """Motions (r, left) that rows do not see."""
    _, values, right = np.linalg.svd(rows)
    left: Floats = right[int((values > 1e-9 * values[0]).sum()) :].T
    return left


def _while_sticking(L: Floats, groups: Groups, most: Floats, p: Floats, moves: Bools) -> Floats | None:
    """The same motion as `_least` if all but some groups stick; None where they allow none."""
    held = np.concatenate([p[None], L[~moves[groups.of_row]]])
    x = np.linalg.lstsq(held, np.eye(len(held))[0], rcond=1e-9)[0]
    if abs(float(p @ x) - 1.0) > _MOVES:
        return None
    return _least(L, groups, most, x / (p @ x), _across(held), _SMOOTHING[-1:])


def _least(
    L: Floats, groups: Groups, most: Floats, x: Floats, across: Floats, smoothings: tuple[float, ...]
) -> Floats:
    """The motion x with p.x = 1 at which sum l_i |L_i x| is least, from one of them along all that are `across` p:
    Newton's method on sum l_i sqrt(|L_i x|^2 + eps^2), for ever smaller eps; the smallest at once where all groups
    slip.
    """
    r = across.shape[1] + 1
    if r == 1:
        return x
    K = L @ across
    member, of_row = groups.member, groups.of_row

    def value(x: Floats, eps: float) -> float:
        u = L @ x
        return float(most @ np.sqrt((u * u) @ member + eps * eps))

    all_move = False
    for smoothing in smoothings:
        if all_move and smoothing > smoothings[-1]:
            continue
        eps = smoothing * max(float(groups.sizes(L @ x).max()), 1e-300)
        for _ in range(_NEWTON):
            u = L @ x
            root = np.sqrt((u * u) @ member + eps * eps)
            weighted = (most / root)[of_row][:, None] * K
            gradient = weighted.T @ u
            along = (u[:, None] * K).T @ member
            stiff = weighted.T @ K
            hessian = stiff - (along * (most / root**3)) @ along.T
            # Of groups of one row nothing is left but rounding: a step is then bound by what it turns round.
            hessian.flat[::r] += 1e-13 * float(stiff.trace()) + 1e-300
            step = -np.linalg.solve(hessian, gradient)
            step *= min(1.0, 4.0 * float(root.max()) / max(float(np.abs(K @ step).max()), 1e-300))
            slope = float(gradient @ step)
            now = float(most @ root)
            if not slope < -1e-14 * now:
                break
            length = 1.0
            move = across @ step
            while length > 1e-6 and value(x + length * move, eps) > now + 1e-4 * length * slope:
                length *= 0.5
            if length <= 1e-6:
                break
            x = x + length * move
        all_move = float(root.min()) > _ALL_MOVE * eps
    return x
