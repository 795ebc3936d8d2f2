"""States of a robot by the names of the arguments that take them, results as plain arrays, and quantities asked for
without compiling them, where that is possible.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import loadpath as lp
from loadpath.engine.packed import Packed
from loadpath.engine.quantity import Compiled, quantities_of

Floats = NDArray[np.float64]
States = dict[str, Any]

COMPILED = quantities_of(lp.Robot)
"""The compiled quantities of a robot, by name."""
NEEDS_COMPILING = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives", "jacobian_dot")
"""Those that differentiate recorded equations: they cannot run on NumPy batches."""
STEP = 0.01


def states_of(robot: Any, count: int = 3, seed: int = 1) -> States:
    """Random states (count, ...) of a robot, by the names that arguments have."""
    if robot.held_by_loops:
        return closed_states(robot, count, seed)
    rng = np.random.default_rng(seed)
    moves, others = rng.uniform(-0.7, 0.7, (2, count, robot.n))
    neutral = np.asarray(robot.neutral())
    q = robot.integrate.uncompiled(np.broadcast_to(neutral, (count, len(neutral))), moves)
    qd, qdd = rng.uniform(-1, 1, (2, count, robot.n))
    tau = rng.uniform(-20, 20, (count, robot.n))
    to = robot.integrate.uncompiled(q, others)
    x = np.concatenate([q, qd], axis=-1)
    direction = rng.normal(size=(count, 3))
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "u": tau, "v": qd, "x": x, "to": to, "direction": direction,
            "step": np.full(count, STEP), "known": tau}


def closed_states(robot: Any, count: int, seed: int) -> States:
    """The same of a robot with loops, near its home; forces of its drives alone."""
    rng = np.random.default_rng(seed)
    home, T = robot.home, robot.complement.uncompiled(robot.home)
    near = [robot.tree.integrate.uncompiled(home, rng.uniform(-0.5, 0.5, T.shape[1]) @ T.T) for _ in range(2 * count)]
    q, to = robot.assemble(near=np.array(near), path=False).q.reshape(2, count, -1)
    speeds = rng.uniform(-1, 1, (2, count, T.shape[1]))
    by_name = [{name: part[:, k] for k, name in enumerate(robot.independent)} for part in speeds]
    qd, qdd = robot.complete(q, *by_name)
    driven = np.isin(np.arange(robot.n), robot.split.driven)
    tau = np.where(driven, rng.uniform(-20, 20, (count, robot.n)), 0.0)
    x = np.concatenate([q, qd], axis=-1)
    direction = rng.normal(size=(count, 3))
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "u": tau, "v": qd, "x": x, "to": to, "direction": direction,
            "step": np.full(count, STEP), "known": tau}


def options_of(quantity: Compiled, tip: str, joint: str) -> dict[str, Any]:
    """The link or joint that a quantity is asked for."""
    known = {"joint": joint, "prescribed": (joint,)}
    chosen = {key: value for key, value in known.items() if key in quantity.choices}
    return ({"link": tip} if quantity.takes_link else {}) | chosen


def numbers(result: Any) -> list[Floats]:
    """The arrays of a result."""
    if isinstance(result, (np.ndarray, float, np.floating)):
        return [np.asarray(result)]
    if hasattr(result, "force") and hasattr(result, "torque"):
        return [result.force, result.torque]
    if isinstance(result, Packed):
        return numbers(result.dense())
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in numbers(part)]
    if is_dataclass(result):
        return [array for part in fields(result) for array in numbers(getattr(result, part.name))]
    return []


def compute(robot: Any, name: str, states: States, *, tip: str = "tip", joint: str = "joint2", **loads: Any) -> Any:
    """A compiled quantity of a robot; on NumPy batches where it can be."""
    quantity = COMPILED[name]
    arrays = [states[argument] for argument in quantity.argument_names]
    method = getattr(robot, name)
    run = method if name in NEEDS_COMPILING else method.uncompiled
    options = options_of(quantity, tip, joint)
    if "prescribed" in options:
        options["prescribed"] = (robot.dof_names[-1],)
    return run(*arrays, **options, **loads)


def partitioned(M: Floats, bias: Floats, known: Floats) -> list[Floats]:
    """Accelerations and forces where the acceleration of the last speed is known, and the forces of the others."""
    qdd, tau = known.copy(), known.copy()
    left = known[..., :-1] - bias[..., :-1] - M[..., :-1, -1] * known[..., -1:]
    qdd[..., :-1] = np.linalg.solve(M[..., :-1, :-1], left[..., None])[..., 0]
    tau[..., -1] = np.einsum("...j,...j->...", M[..., -1, :], qdd) + bias[..., -1]
    return [qdd, tau]


def ask(robot: Any, name: str, states: States, **options: Any) -> list[Floats]:
    """The same as arrays."""
    return numbers(compute(robot, name, states, **options))


BY_DIFFERENCES: dict[str, list[tuple[str, int | slice, str]]] = {
    "joint_wrench_derivatives": [("joint_wrenches", slice(None), argument) for argument in ("q", "qd", "qdd")],
    "inverse_dynamics_second_derivatives": [
        ("inverse_dynamics_derivatives", 0, "q"), ("inverse_dynamics_derivatives", 0, "qd"),
        ("inverse_dynamics_derivatives", 1, "qd"), ("inverse_dynamics_derivatives", 0, "qdd")],
    "forward_dynamics_second_derivatives": [
        ("forward_dynamics_derivatives", 0, "q"), ("forward_dynamics_derivatives", 0, "qd"),
        ("forward_dynamics_derivatives", 1, "qd"), ("forward_dynamics_derivatives", 0, "tau")],
}
"""Quantities that are derivatives of others, by name: which part of which one, by which argument."""


def by_differences(robot: Any, name: str, s: States, h: float = 1e-3, **loads: Any) -> list[Floats]:
    """A quantity of the table above, by differences of fourth order of what it is the derivative of."""
    steps, weights = np.array([1.0, -1.0, 2.0, -2.0]), np.array([8.0, -8.0, -1.0, 1.0]) / (12 * h)
    # (units, steps, states, n), all of them in one batch; what is differentiated runs on NumPy batches.
    by = h * steps[None, :, None, None] * np.eye(robot.n)[:, None, None] * np.ones((len(s["q"]), 1))
    found = []
    for quantity, parts, argument in BY_DIFFERENCES[name]:
        whole = {key: np.broadcast_to(s[key], (*by.shape[:-1], s[key].shape[-1])) for key in ("q", "qd", "qdd", "tau")}
        whole[argument] = robot.integrate.uncompiled(whole["q"], by) if argument == "q" else s[argument] + by
        method = getattr(robot, quantity)
        results = numbers(method.uncompiled(*(whole[key] for key in COMPILED[quantity].argument_names), **loads))
        for part in results[parts] if isinstance(parts, slice) else [results[parts]]:
            found.append(np.moveaxis(np.einsum("s,us...->u...", weights, part), 0, -1))
    return found
