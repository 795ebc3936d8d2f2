"""States that a robot can be in, by the names of the arguments that take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import loadpath as lp

COUNT = 3
"""States of a batch."""


def is_rover(robot: Any) -> bool:
    return isinstance(robot, lp.Rover)


def arm_of(robot: Any) -> Any:
    """The robot itself, or the one that a rover carries."""
    return robot.robot if is_rover(robot) else robot


def is_robot(value: Any) -> bool:
    return is_rover(value) or (hasattr(value, "dof_names") and hasattr(value, "links") and hasattr(value, "joints"))


def states_of(robot: Any, seed: int) -> dict[str, Any]:
    """Arguments of every name: arrays of `COUNT` states, a motion, loads, a moving base, links and joints."""
    rng = np.random.default_rng(seed)
    arm = arm_of(robot)
    values = _closed_states(arm, rng) if isinstance(arm, lp.ClosedRobot) else _open_states(arm, rng)
    q, qd = values["q"], values["qd"]
    tau = rng.uniform(-20, 20, qd.shape)
    tip, names = arm.link_names[-1], arm.link_names
    values |= {"tau": tau, "u": tau, "torque": tau, "known": tau, "v": qd, "x": np.concatenate([q, qd], axis=-1),
              "direction": rng.normal(size=(COUNT, 3)), "step": np.full(COUNT, 0.01), "q_target": q, "states": q,
              "velocity": _base_motions(robot, rng), "acceleration": _base_motions(robot, rng),
              "heading": rng.uniform(-3, 3, COUNT), "link": tip, "axes": "world"}
    external = {tip: lp.Wrench(force=(30.0, -20.0, -50.0), torque=(2.0, 1.0, -3.0))}
    if len(names) > 1:
        external[names[1]] = lp.Wrench(force=(5.0, 8.0, -12.0), point=(0.1, -0.2, 0.3), axes="link")
    values["loads"] = {"external": external, "base_velocity": np.array([0.1, 0.2, -0.1, 0.3, -0.2, 0.1]),
                      "base_acceleration": np.array([0.3, -0.2, 0.1, 0.2, 0.1, -0.3])}
    return values


def _base_motions(robot: Any, rng: np.random.Generator) -> Any:
    """Motions (v_x, v_y, w) that the wheels of a rover allow; none where they allow none."""
    wanted = 0.2 * rng.normal(size=(COUNT, 3))
    if not is_rover(robot):
        return wanted
    rows = np.asarray(robot.constraint_matrix())
    return wanted @ (np.eye(3) - np.linalg.pinv(rows) @ rows)


def _limits(robot: Any) -> tuple[Any, Any]:
    """Lowest and highest coordinate of each DoF, where a joint has such limits, else a moderate range."""
    low, high = np.full(robot.n, -0.7), np.full(robot.n, 0.7)
    for name, where in robot.v_slices.items():
        limits = robot.joint(name).limits
        for k, limit in zip(range(where.start, where.stop), limits, strict=False):
            if limit.lower is not None and limit.upper is not None and np.isfinite([limit.lower, limit.upper]).all():
                low[k], high[k] = max(low[k], limit.lower), min(high[k], limit.upper)
                if low[k] >= high[k]:
                    low[k], high[k] = limit.lower, limit.upper
    return low, high


def _open_states(robot: Any, rng: np.random.Generator) -> dict[str, Any]:
    low, high = _limits(robot)
    neutral = np.broadcast_to(robot.neutral(), (COUNT, robot.nq))
    q, to = (robot.integrate.uncompiled(neutral, rng.uniform(low, high, (COUNT, robot.n))) for _ in range(2))
    qd, qdd = rng.uniform(-1, 1, (2, COUNT, robot.n))
    t, (height, rate, second) = _step()
    v = rng.uniform(0.1, 0.3, robot.n) * (high - low)
    path = robot.integrate.uncompiled(np.broadcast_to(q[0], (len(t), robot.nq)), height * v)
    return {"q": q, "to": to, "qd": qd, "qdd": qdd, "samples": (t, path, rate * v, second * v)}


def _closed_states(robot: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Closed configurations near the robot's home, with speeds and accelerations that keep its loops closed."""
    T = robot.complement.uncompiled(robot.home)
    count = T.shape[1]

    def near_home(shares: Any) -> Any:
        moved = robot.tree.integrate.uncompiled(np.broadcast_to(robot.home, (len(shares), robot.nq)), shares @ T.T)
        return robot.assemble(near=moved, path=False).q

    def completed(q: Any, *rates: Any) -> Any:
        by_name: list[Mapping[str, Any]] = [dict(zip(robot.independent, part.T, strict=True)) for part in rates]
        return robot.complete(q, *by_name)

    q, to = near_home(rng.uniform(-0.2, 0.2, (2 * COUNT, count))).reshape(2, COUNT, -1)
    qd, qdd = completed(q, *rng.uniform(-1, 1, (2, COUNT, count)))
    t, (height, rate, second) = _step()
    v = rng.uniform(0.1, 0.2, count)
    path = near_home(height * v)
    return {"q": q, "to": to, "qd": qd, "qdd": qdd, "samples": (t, path, *completed(path, rate * v, second * v))}


def _step(duration: float = 0.4, samples: int = 11) -> tuple[Any, list[Any]]:
    """Times, and a path from 0 to 1 and from rest to rest with its two rates, each (samples, 1)."""
    x = np.linspace(0, 1, samples)[:, None]
    height = x**3 * (10 + x * (6 * x - 15))
    rate, second = 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x)
    return duration * x[:, 0], [height, rate / duration, second / duration**2]


def motion_of(robot: Any, values: Mapping[str, Any]) -> lp.Motion:
    """A short motion of the robot, or of what a rover carries."""
    return lp.Motion(*values["samples"], robot=arm_of(robot))
