"""The preload that makes loops carry given wrenches: what is held between two hands, whatever else they carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from loadpath.quantities.closed import ClosedQuantities
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.batch import place_of
from loadpath.states.effort import PARTS, axes_of, held_and_rows
from loadpath.states.unknown import listed

_ROUNDING = 1e-9


@takes_loads
def preload_for(
    robot: ClosedQuantities,
    wrenches: Mapping[str, Wrench],
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    weights: ArrayLike | Mapping[str, ArrayLike] | None = None,
    **acting: Unpack[LoadKeywords],
) -> dict[str, Wrench]:
    """The `preload=` with which loops carry given wrenches in the motion q, qd, qdd: `{"grasp": lp.Wrench(...)}`, each
    exerted by the loop's first link on its second, at the origin of its frame `on`, in world axes or, with
    `axes="joint"`, in those of the frame. Components that are NaN are left to least effort; so are zeros that no drive
    can change, as those across the plane of a plane mechanism.

    The robot needs more drives than freedoms. Without a preload they share the work with the least effort, and what a
    grasp carries is whatever follows from that.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar().with_driven("crank_joint", "coupler_joint", "rocker_joint")
    >>> q, still = bar.home, [0, 0, 0]
    >>> pressed = bar.preload_for({"rocker_pin": lp.Wrench(force=(0, 0, 50), axes="world")}, q, still, still)
    >>> pin = bar.joint_wrenches(q, still, still, preload=pressed)["rocker_pin"]
    >>> float(abs(pin.force).max().round(9)) <= 50.0, float((pin.force @ pin.force).round(6))
    (True, 2500.0)
    """
    options = acting["under"].keywords | ({} if weights is None else {"weights": weights})
    place = np.asarray(q, dtype=float)
    names = _known(robot, wrenches)
    numbers = [robot.closed_joint_names.index(name) for name in names]

    given = [wrenches[name].at((0.0, 0.0, 0.0)) for name in names]
    turns = [axes_of(robot, name, wrench, place, "preload_for") for name, wrench in zip(names, given, strict=True)]

    def carried(preload: Floats | None) -> Floats:
        """(..., 6 loops): what the loops carry, each in the axes that its wrench is given in."""
        more: dict[str, Any] = {} if preload is None else {"preload": preload}
        found = robot.joint_wrenches(q, qd, qdd, **options, **more)
        parts = [(turn @ part[..., number, :, None])[..., 0] for number, turn in zip(numbers, turns, strict=True)
                 for part in (found.force, found.torque)]
        return np.concatenate(parts, axis=-1)

    before = carried(None)
    parts = [part for wrench in given for part in (wrench.force, wrench.torque)]
    wanted = np.concatenate(np.broadcast_arrays(*parts), axis=-1)
    units = _units(robot, names, place)  # (..., rows, drives): forces of the drives for each held direction
    changes = np.stack([carried(units[..., k, :]) - before for k in range(units.shape[-2])], axis=-1)
    multipliers = _solved(changes, wanted - before, np.broadcast_to(wanted, before.shape), names)
    return _as_wrenches(robot, names, place, multipliers)


def _known(robot: ClosedQuantities, wrenches: Mapping[str, Wrench]) -> list[str]:
    if not isinstance(wrenches, Mapping):
        raise ValueError(f"preload_for: the wrenches are a {type(wrenches).__name__}: expected a mapping from loops to "
                         "lp.Wrench(...)")
    for name in wrenches:
        if name not in robot.loop_names:
            raise ValueError(f"preload_for: there is no loop '{name}'; there are {', '.join(robot.loop_names)}")
    if not wrenches:
        raise ValueError("preload_for: give the wrench of one loop at least, {'grasp': lp.Wrench(...)}")
    return list(wrenches)


def _units(robot: ClosedQuantities, names: list[str], q: Floats) -> Floats:
    """Forces of the drives that balance a unit along each held direction of the loops."""
    rows = np.concatenate([held_and_rows(robot, name, q)[1] for name in names], axis=-2)
    return -rows[..., list(robot.split.driven)]


def _solved(changes: Floats, missing: Floats, wanted: Floats, names: list[str]) -> Floats:
    """(..., rows): how much of each held direction gives what is missing."""
    shape, count = missing.shape[:-1], changes.shape[-1]
    flat, left = changes.reshape(-1, *changes.shape[-2:]), missing.reshape(-1, missing.shape[-1])
    asked, found = wanted.reshape(left.shape), np.zeros((len(flat), count))
    for state, (matrix, right, target) in enumerate(zip(flat, left, asked, strict=True)):
        largest = np.abs(matrix).max(initial=0.0)
        given = ~np.isnan(target)
        moved = np.abs(matrix).max(axis=-1, initial=0.0) > _ROUNDING * largest
        known = given & (moved | (target != 0))
        if not (np.isfinite(matrix).all() and np.isfinite(right[known]).all()):  # a state that is not a number
            found[state] = np.nan
            continue
        solution = np.linalg.lstsq(matrix[known], right[known], rcond=_ROUNDING)[0]
        off = np.abs(matrix[known] @ solution - right[known])
        size = max(np.abs(right[known]).max(initial=0.0), np.abs(target[known]).max(initial=0.0))
        if (off > 1e-7 * size).any():
            k = int(np.flatnonzero(known)[off.argmax()])
            where = f" in state {listed([place_of(state, shape)], 1)}" if shape else ""
            raise ValueError(f"preload_for: the drives cannot make '{names[k // 6]}' carry a {PARTS[k % 6]} of "
                             f"{target[k]:.6g} with the other components given{where}: leave components open with NaN"
                             )
        found[state] = solution
    return found.reshape(*shape, count)


def _as_wrenches(robot: ClosedQuantities, names: list[str], q: Floats, multipliers: Floats) -> dict[str, Wrench]:
    result, start = {}, 0
    for name in names:
        held, _ = held_and_rows(robot, name, q)
        own = multipliers[..., start : start + held.shape[-2]]
        six = (own[..., None, :] @ held)[..., 0, :]
        result[name] = Wrench(six[..., :3], six[..., 3:], axes="joint")
        start += held.shape[-2]
    return result
