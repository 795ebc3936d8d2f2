"""How more drives than freedoms share their work: `weights=` and `preload=` by name, as arrays over the drives.

A preload is what the drives do in addition to the work of the motion: forces that hold each other, through the loops.
It is given at drives, or as the wrench that it puts on a loop (a grasp); the drives' forces for that are -J_D' lambda.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from loadpath.engine.method import CompiledMethod
from loadpath.scalars.types import Floats

EFFORT = ("weights", "preload")
PARTS = ("force x", "force y", "force z", "torque x", "torque y", "torque z")
_ROUNDING = 1e-9


def read_effort(method: CompiledMethod, given: Mapping[str, Any]) -> dict[str, Floats]:
    """The weights and the preload of a call that are given by name, as arrays (..., drives); `given` are its arrays."""
    robot, title = method.robot, method.__name__
    found = {}
    if isinstance(given.get("weights"), Mapping):
        found["weights"] = weights_of(robot, given["weights"], title)
    elif isinstance(given.get("weights"), (np.ndarray, list, tuple)):
        _check_weights(robot, np.asarray(given["weights"], dtype=float), title)
    if isinstance(given.get("preload"), Mapping):
        found["preload"] = preload_of(robot, given["preload"], np.asarray(given["q"], dtype=float), title)
    return found


def weights_of(robot: Any, weights: Mapping[str, Any], title: str) -> Floats:
    """(..., drives): one for each drive that is not named."""
    values = {}
    for name, value in weights.items():
        _check_drive(robot, name, f"{title}: 'weights'")
        values[name] = np.asarray(value, dtype=float)
        if not ((values[name] > 0) & np.isfinite(values[name])).all():
            raise ValueError(_wrong_weight(title, name, value))
    return _over_drives(robot, values, 1.0)


def _check_weights(robot: Any, weights: Floats, title: str) -> None:
    """Refuse weights of drives, (..., drives), that are not above zero or infinite; NaN stays in its own state."""
    wrong = (weights <= 0) | np.isinf(weights)
    if wrong.any() and weights.shape[-1:] == (len(robot.driven),):
        where = tuple(np.argwhere(wrong)[0])
        raise ValueError(_wrong_weight(title, robot.driven[where[-1]], weights[where]))


def _wrong_weight(title: str, name: str, value: Any) -> str:
    return (f"{title}: the weight of '{name}' is {value}: expected more than zero and finite; a larger one leaves more "
            "of the work to the others")


def preload_of(robot: Any, preload: Mapping[str, Any], q: Floats, title: str) -> Floats:
    """(..., drives): forces given at drives, and those that put given wrenches on loops."""
    what = f"{title}: 'preload'"
    at_drives = {}
    total: Floats | None = None
    for name, value in preload.items():
        if name in robot.loop_names:
            share = loop_forces(robot, name, in_loop_frame(robot, name, value, q, what), q, what)
            total = share if total is None else total + share
        else:
            _check_drive(robot, name, what)
            at_drives[name] = np.asarray(value, dtype=float)
    forces = _over_drives(robot, at_drives, 0.0)
    return forces if total is None else forces + total


def in_loop_frame(robot: Any, loop: str, wrench: Any, q: Floats, what: str) -> Floats:
    """(..., 6): force and torque of a wrench at the origin and in the axes of a loop's frame `on`."""
    turn = axes_of(robot, loop, wrench, q, what)
    wrench = wrench.at((0.0, 0.0, 0.0))
    force, torque = np.broadcast_arrays(wrench.force, wrench.torque)
    return np.concatenate([(part[..., None, :] @ turn)[..., 0, :] for part in (force, torque)], axis=-1)


def axes_of(robot: Any, loop: str, wrench: Any, q: Floats, what: str) -> Floats:
    """(..., 3, 3): from the axes of a loop's frame `on` to those that a wrench is given in."""
    if not all(hasattr(wrench, part) for part in ("force", "torque", "axes", "at")):
        raise ValueError(f"{what} of the loop '{loop}' is a {type(wrench).__name__}: expected an lp.Wrench")
    if wrench.axes == "joint":
        return np.eye(3)
    if wrench.axes != "world":
        raise ValueError(f"{what} of the loop '{loop}' is a wrench in the axes {wrench.axes!r}: expected 'joint', "
                         "those of its frame `on`, or 'world'")
    data = robot.loops[robot.loop_names.index(loop)]
    link = robot.link_names.index(robot.link(data.second).name)
    turn: Floats = np.asarray(robot.link_poses(q))[..., link, :3, :3] @ data.on.R
    return turn


def loop_forces(robot: Any, loop: str, six: Floats, q: Floats, what: str) -> Floats:
    """(..., drives): forces of the drives alone that put a wrench (..., 6) on a loop, with nothing else acting; an
    error where drives cannot.
    """
    held, J = held_and_rows(robot, loop, q)
    multipliers = (held @ six[..., None])[..., 0]
    size = np.abs(six).max(initial=0.0)
    missing = np.abs(six - (multipliers[..., None, :] @ held)[..., 0, :]) > _ROUNDING * size
    if missing.any():
        k = int(np.flatnonzero(missing.any(axis=tuple(range(missing.ndim - 1))))[0])
        raise ValueError(f"{what} of the loop '{loop}' has a {PARTS[k]} of {_largest(six, k):.6g}, which its joint "
                         "does not hold: leave it out")
    still = np.abs(J).max(axis=-1) <= _ROUNDING * np.abs(J).max(axis=(-2, -1))[..., None]
    idle = still & (np.abs(multipliers) > _ROUNDING * size)
    if idle.any():
        row = int(np.flatnonzero(idle.any(axis=tuple(range(idle.ndim - 1))))[0])
        k = int(np.abs(held[..., row, :]).reshape(-1, 6)[0].argmax())
        raise ValueError(f"{what} of the loop '{loop}' has a {PARTS[k]} of {_largest(six, k):.6g}, which no joint "
                         "moves and no drive can give: leave it out")
    forces = -(multipliers[..., None, :] @ J)[..., 0, :]
    passive = [k for k in range(robot.n) if k not in robot.split.driven]
    loaded = np.abs(forces[..., passive]) > _ROUNDING * np.abs(forces).max(axis=-1, initial=0.0)[..., None]
    if loaded.any():
        k = passive[int(np.flatnonzero(loaded.any(axis=tuple(range(loaded.ndim - 1))))[0])]
        raise ValueError(f"{what} of the loop '{loop}' would have to be held by '{robot.dof_names[k]}', which has no "
                         "drive: give the part that the drives can hold, or preload= at the drives")
    result: Floats = forces[..., list(robot.split.driven)]
    return result


def held_and_rows(robot: Any, loop: str, q: Floats) -> tuple[Floats, Floats]:
    """What a loop holds, (..., rows, 6), and its rows of the constraint Jacobian, (..., rows, n)."""
    number = robot.loop_names.index(loop)
    start = sum(each.rows for each in robot.loops[:number])
    rows = slice(start, start + robot.loops[number].rows)
    held = np.asarray(robot.loop_directions(q))[..., rows, :]
    return held, np.asarray(robot.constraint_jacobian(q))[..., rows, :]


def _largest(six: Floats, k: int) -> float:
    values = np.ravel(six[..., k])
    return float(values[np.abs(values).argmax()])


def _check_drive(robot: Any, name: str, what: str) -> None:
    if name in robot.driven:
        return
    has = f"'{name}' is passive" if name in robot.dof_names else f"there is no '{name}'"
    loops = f"; the loops are {', '.join(robot.loop_names)}" if "preload" in what and robot.loop_names else ""
    raise ValueError(f"{what} has '{name}', but {has}: the drives are {', '.join(robot.driven)}{loops}")


def _over_drives(robot: Any, values: Mapping[str, Floats], others: float) -> Floats:
    columns = [np.asarray(values.get(name, others), dtype=float) for name in robot.driven]
    return np.stack(np.broadcast_arrays(*columns), axis=-1)
