"""How contacts share the weight: a rigid base on springs that push and cannot pull.

The ground gives a force F_z along its normal and moments N_x, N_y about the origin of the base frame. Contacts at
(x_i, y_i) with compliances c_i carry N_i with sum N_i = F_z, sum y_i N_i = N_x, -sum x_i N_i = N_y and, the base being
rigid, c_i N_i = z0 + a x_i + b y_i: of all loads in balance those with the least sum c_i N_i^2. Three contacts carry
what balance alone says. Where a spring would have to pull, its contact lifts, and the others share without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from loadpath.robot.wheels.base import hull
from loadpath.scalars import Array, Scalar, array
from loadpath.scalars.types import Bools, Floats, Ints

Pair = tuple[Scalar, Scalar]
# Up to this number of contacts every set of them is tried as the set that carries.
_FEW = 8
_FEW_THAT_MOVE = 12
_ROUNDING = 1e-12
_SINGULAR = 1e-13
"""Share of the largest stiffness below which a motion is held by nothing."""


class Shared(NamedTuple):
    """Normal forces (..., contacts) and how far the base sinks in at each contact, c_i N_i where it carries."""

    normal: Floats
    sinkage: Floats


def sinkages(
    at: Sequence[Pair], stiffness: Sequence[Scalar], force: Scalar, about_x: Scalar, about_y: Scalar
) -> list[Scalar]:
    """How far the base sinks in at contacts (x, y) on springs under F_z, N_x, N_y; over scalars."""
    total = sum(stiffness)
    each = list(zip(stiffness, at, strict=True))
    # About the middle of the springs, sinking and tilting do not mix.
    middle_x, middle_y = sum(k * x for k, (x, _) in each) / total, sum(k * y for k, (_, y) in each) / total
    offset = [(k, x - middle_x, y - middle_y) for k, (x, y) in each]
    uu, uv, vv = sum(k * u * u for k, u, _ in offset), sum(k * u * v for k, u, v in offset), sum(
        k * v * v for k, _, v in offset)
    along_u, along_v = -about_y - middle_x * force, about_x - middle_y * force
    inverse = 1.0 / (uu * vv - uv * uv)
    a, b = (vv * along_u - uv * along_v) * inverse, (uu * along_v - uv * along_u) * inverse
    return [force / total + a * u + b * v for _, u, v in offset]


def unit_shares(model: object, points: Array, stiffness: Array) -> tuple[Array, Array]:
    """Normal forces and sinkages (contacts, 3) per unit of F_z, N_x, N_y; over scalars, to be compiled."""
    at = [(x, y) for x, y in points]
    units = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    sinks = array([sinkages(at, list(stiffness), *unit) for unit in units]).T
    return stiffness[:, None] * sinks, sinks


def on_springs(points: Floats, stiffness: Floats, load: Floats) -> Shared:
    """Shares of a load (..., 3), F_z, N_x, N_y, among springs that push and pull; those of stiffness 0 do not count.

    >>> square = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1.0)])
    >>> on_springs(square, np.ones(4), np.array([4.0, 0.0, -2.0])).normal.tolist()     # the load is 0.5 m forward
    [1.5, 0.5, 0.5, 1.5]
    """
    count = points.shape[-2]
    at = [(points[..., k, 0], points[..., k, 1]) for k in range(count)]
    found = sinkages(at, [stiffness[..., k] for k in range(count)], *(load[..., i] for i in range(3)))
    sinkage = np.stack(np.broadcast_arrays(*found), axis=-1)
    return Shared(stiffness * sinkage, sinkage)


def normal_rows(points: Floats) -> Floats:
    """(..., contacts, 3): how far contacts are pressed in per unit of sinking, and of the rotations about x and y."""
    return np.stack([np.ones(points.shape[:-1]), points[..., 1], -points[..., 0]], axis=-1)


def on_rows(rows: Floats, stiffness: Floats, load: Floats) -> Shared:
    """Shares of loads (..., r) among springs that push and pull, by how far each is pressed in per unit of the motions
    that the loads act along: rows (..., contacts, r), r being 3 (`normal_rows`), and one more for each joint that the
    weight on its wheels holds. Springs of stiffness 0 do not count; NaN where those that do hold not every motion.
    """
    matrix = np.swapaxes(rows, -1, -2) @ (stiffness[..., None] * rows)
    shape = np.broadcast_shapes(matrix.shape[:-2], load.shape[:-1])
    good: Bools = np.asarray(np.isfinite(matrix).all(axis=(-2, -1)))
    values = np.linalg.eigvalsh(np.where(good[..., None, None], matrix, np.eye(matrix.shape[-1])))
    good = np.asarray(good & (values[..., 0] > _SINGULAR * values[..., -1]))
    safe = np.where(good[..., None, None], matrix, np.eye(matrix.shape[-1]))
    motion = np.linalg.solve(safe, np.broadcast_to(load, (*shape, load.shape[-1]))[..., None])[..., 0]
    sinkage = np.where(good[..., None], (rows @ motion[..., None])[..., 0], np.nan)
    return Shared(stiffness * sinkage, sinkage)


def share_on_rows(rows: Floats, compliance: Floats, load: Floats, tips: Bools) -> Floats:
    """Normal forces (s, contacts) for loads (s, r) along the motions of rows (s, contacts, r): as `share_normals`."""
    stiffness = 1.0 / compliance
    normal = on_rows(rows, stiffness, load).normal
    lifting = np.flatnonzero((normal < 0).any(axis=-1) & ~tips)
    if not len(lifting):
        return normal
    if rows.shape[-2] == rows.shape[-1]:
        normal[lifting] = np.maximum(normal[lifting], 0.0)
        return normal
    count = rows.shape[-2]
    if count > _FEW_THAT_MOVE:
        raise ValueError(f"{count} contacts, some of them on links: expected {_FEW_THAT_MOVE} at most")
    sets = (_mask(count, chosen) for size in range(count - 1, rows.shape[-1] - 1, -1)
            for chosen in combinations(range(count), size))
    normal[lifting] = _first_right(
        sets, lambda carrying, left: on_rows(rows[lifting[left]], stiffness * carrying, load[lifting[left]]), stiffness,
        len(lifting))
    return normal


def supported(points: Floats, standing: Bools) -> Bools:
    """Whether the contacts that stand are three or more and not in a line."""
    weight = standing.astype(float)
    count = np.maximum(weight.sum(axis=-1), 1.0)[..., None]
    middle = (weight[..., None] * points).sum(axis=-2) / count
    offset = (points - middle[..., None, :]) * weight[..., None]
    xx, yy, xy = ((offset[..., i] * offset[..., j]).sum(axis=-1) for i, j in ((0, 0), (1, 1), (0, 1)))
    result: Bools = (standing.sum(axis=-1) >= 3) & (xx * yy - xy * xy > 1e-12 * (xx + yy) ** 2)
    return result


def share_normals(points: Floats, compliance: Floats, load: Floats, tips: Bools) -> Floats:
    """Normal forces (..., contacts) for loads (..., 3): F_z, N_x, N_y.

    None is negative, but in states that tip: there, no contact forces are in balance, and what is returned are the
    forces that would be, were the contacts able to pull.
    """
    stiffness = 1.0 / compliance
    normal = _linear(points, stiffness, load).normal
    count = points.shape[-2]
    if count == 3:
        return np.where(tips[..., None] | ~(normal < 0), normal, 0.0) if (normal < 0).any() else normal
    lifting = (normal < 0).any(axis=-1) & ~tips
    if not lifting.any():
        return normal
    moves = points.ndim > 2
    shape = normal.shape[:-1]
    rows = np.argwhere(lifting)
    at = tuple(rows.T)
    loads = np.broadcast_to(load, (*shape, 3))[at]
    places = np.broadcast_to(points, (*shape, count, 2))[at] if moves else points
    if not shape:
        loads, places = loads.reshape(1, 3), places.reshape(-1, count, 2) if moves else places
    normal = np.array(normal)
    normal[at] = _unilateral(places, stiffness, loads, moves=moves).reshape(normal[at].shape)
    return normal


def _linear(points: Floats, stiffness: Floats, load: Floats) -> Shared:
    """The same as `on_springs`, as products with constant matrices where the contacts do not move."""
    if points.ndim > 2:
        return on_springs(points, stiffness, load)
    unit = on_springs(points, stiffness, np.eye(3))
    return Shared(load @ unit.normal, load @ unit.sinkage)


def _unilateral(points: Floats, stiffness: Floats, load: Floats, *, moves: bool) -> Floats:
    """Normal forces (rows, contacts), none negative."""

    def part(carrying: Bools, left: Ints) -> Shared:
        return _linear(points[left] if moves else points, stiffness * carrying, load[left])

    return _first_right(_sets(points, moves=moves), part, stiffness, len(load))


def _first_right(
    sets: Iterable[Bools], share: Callable[[Bools, Ints], Shared], stiffness: Floats, count: int
) -> Floats:
    """Normal forces (count, contacts) by trying out sets of contacts that carry: one is right if none of them pulls and
    the base sinks in at no other. `share` has what the contacts of a set carry in some of the states.
    """
    best = np.zeros((count, len(stiffness)))
    least = np.full(count, np.inf)
    left = np.arange(count)
    for carrying in sets:
        with np.errstate(divide="ignore", invalid="ignore"):  # sets that lie in a line at some places carry nothing
            part = share(carrying, left)
        scale = np.abs(part.normal).max(axis=-1)
        pulls = np.where(carrying, -part.normal, 0.0).max(axis=-1)
        sinks = np.where(carrying, 0.0, stiffness * part.sinkage).max(axis=-1)
        wrong = np.fmax(pulls, sinks) / np.where(scale > 0, scale, 1.0)
        better = wrong < least[left]
        best[left[better]], least[left[better]] = part.normal[better], wrong[better]
        left = left[~(least[left] <= _ROUNDING)]
        if not len(left):
            break
    return np.maximum(best, 0.0)


def _sets(points: Floats, *, moves: bool) -> Iterator[Bools]:
    """Sets of contacts that may carry, not in a line, the largest first."""
    count = points.shape[-2]
    if moves and count > _FEW_THAT_MOVE:
        raise ValueError(f"{count} contacts, casters with a trail among them: expected {_FEW_THAT_MOVE} at most")
    if moves:
        yield from (_mask(count, chosen) for chosen in _all_sets(count))
        return
    for numbers in _all_sets(count) if count <= _FEW else sorted(_cut_off(points), key=len, reverse=True):
        if len(hull(points[list(numbers)])) > 2:
            yield _mask(count, numbers)


def _all_sets(count: int) -> list[tuple[int, ...]]:
    return [chosen for size in range(count - 1, 2, -1) for chosen in combinations(range(count), size)]


def _cut_off(points: Floats) -> list[tuple[int, ...]]:
    """Sets of contacts on one side of a line: where a plane dips into the ground it carries, elsewhere it is lifted."""
    found: dict[frozenset[int], None] = {}
    size = float(np.ptp(points, axis=0).max())
    for i, j in combinations(range(len(points)), 2):
        along = points[j] - points[i]
        length = float(np.hypot(*along))
        if length <= 1e-9 * size:
            continue
        offset = points - points[i]
        side = (along[0] * offset[:, 1] - along[1] * offset[:, 0]) / length
        on = [int(k) for k in np.flatnonzero(np.abs(side) <= 1e-9 * size)]
        on.sort(key=lambda k: float(along @ points[k]))
        for beside in (side > 1e-9 * size, side < -1e-9 * size):
            whole = {int(k) for k in np.flatnonzero(beside)}
            for cut in range(len(on) + 1):
                found[frozenset(whole | set(on[:cut]))] = None
                found[frozenset(whole | set(on[cut:]))] = None
    return [tuple(sorted(entry)) for entry in found if len(entry) > 2]


def _mask(count: int, chosen: tuple[int, ...]) -> Bools:
    mask = np.zeros(count, dtype=bool)
    mask[list(chosen)] = True
    return mask
