"""Fastest motions of robots with loops and of rovers on random paths: what is exceeded between points."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import loadpath as lp
from benchmarks.report import Row

CLOSED = ("four_bar", "five_bar", "parallelogram_palletizer", "excavator", "delta", "stewart_platform")
SPATIAL = ("delta", "stewart_platform")
"""Of fewer paths: they take some seconds each."""
EACH = 97
REACH = 0.25
"""rad, or a third of it in m: how far paths go from home."""


def rows(count: int) -> Iterator[Row]:
    """A row for each robot with loops, and for a rover that stands and one that rolls."""
    warnings.simplefilter("ignore", lp.ModelWarning)
    for name in CLOSED:
        few = max(1, count // 4) if name in SPATIAL else count
        yield of_paths(f"{name}, loops, {few} paths within torques, speeds and the force of a loop", few,
                       lambda rng, name=name: closed(getattr(lp.catalog, name)(), rng))
    yield of_paths(f"UR5 on a rover that stands, {count} paths within torques, speeds, slip and margin", count,
                   lambda rng: rover(rng, rolls=False))
    yield of_paths(f"UR5 on a rover that rolls, {count} paths within torques, speeds, slip and margin", count,
                   lambda rng: rover(rng, rolls=True))


def of_paths(what: str, count: int, one: Callable[[np.random.Generator], tuple[float, lp.Fastest]]) -> Row:
    """The largest utilisation of some paths."""
    rng = np.random.default_rng(len(what))
    seen, certificates, sizes, seconds, none = [], [], [], [], 0
    while len(seen) < count and none < 10 * count:
        begin = time.process_time()
        try:
            used, found = one(rng)
        except (lp.NoMotionError, lp.ModelError):
            none += 1
            continue
        seconds.append(time.process_time() - begin)
        seen.append(used)
        certificates.append(found.certificate)
        sizes.append(len(found.s) - 1)
    return Row(f"{what}: most used - 1, {EACH}-fold", max(seen) - 1.0, at_most=2e-6,
               remark=f"certificate - 1: {max(certificates) - 1.0:.1e}; {min(sizes)} to {max(sizes)} intervals, "
               f"{np.median(seconds):.1f} s each with the check; {none} paths without a motion")


def closed(robot: lp.Robot, rng: np.random.Generator) -> tuple[float, lp.Fastest]:
    """Torques half above what holds it, and 0.9 of the force of a loop without that limit, or what rest asks for."""
    joints = {joint.name: joint for joint in robot.joints}
    reach = np.array([REACH if joints[name].motion.angular[0] else REACH / 3 for name in robot.independent])
    home = robot.home[[robot.coordinate_names.index(name) for name in robot.independent]]
    points = home + rng.uniform(-1, 1, (int(rng.integers(2, 5)), len(home))) * reach
    there = robot.assemble(dict(zip(robot.independent, np.linspace(points[:-1], points[1:], 9).reshape(-1, len(home)).T,
                                    strict=True)), path=True).q
    hold = np.abs(robot.gravity_forces(there)).max(axis=0)
    limits: dict[str, Any] = {
        "torque": {name: 1.5 * float(hold[robot.dof_names.index(name)]) + 5.0 for name in robot.driven}, "speed": 2.0}
    loop = robot.loops[-1].name
    free = robot.fastest(points, limits, intervals=100)
    size = [float(np.linalg.norm(np.asarray(found[loop].force), axis=-1).max()) for found in (
        robot.joint_wrenches(*free.sampled(3)), robot.static_wrenches(there))]
    limits["force"] = {loop: max(0.9 * size[0], 1.1 * size[1])}
    found = robot.fastest(points, limits)
    q, qd, qdd = found.sampled(EACH)
    tau = np.abs(robot.inverse_dynamics(q, qd, qdd))
    used = [tau[:, robot.dof_names.index(name)].max() / most for name, most in limits["torque"].items()]
    force = np.linalg.norm(np.asarray(robot.joint_wrenches(q, qd, qdd)[loop].force), axis=-1).max()
    return float(max(*used, np.abs(qd).max() / 2.0, force / limits["force"][loop])), found


def rover(rng: np.random.Generator, *, rolls: bool) -> tuple[float, lp.Fastest]:
    """By slip, stability and inverse_dynamics themselves."""
    wheels = [lp.FixedWheel((x, y), 0.1, name=f"wheel {x:+} {y:+}", spin_inertia=0.02)
              for x in (0.35, -0.35) for y in (0.3, -0.3)]
    base = lp.WheeledBase(mass=80, center_of_mass=(0, 0, 0.25), inertia=np.diag([3.0, 4.0, 5.0]), wheels=wheels,
                          friction=lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.01))
    machine = base.carrying(lp.catalog.ur5(), at=(0, 0, 0.3))
    points = np.array([0, -1.4, 1.2, -0.3, 0.4, 0]) + rng.uniform(-0.6, 0.6, (int(rng.integers(2, 5)), 6))
    if rolls:
        x = np.linspace(0.0, rng.uniform(0.5, 3.0), len(points))
        points = np.column_stack([x, 0 * x, 0 * x, points])
    share, margin = rng.uniform(0.4, 1.0), rng.uniform(0.02, 0.1)
    found = machine.fastest(points, {"slip": share, "margin": margin})
    states = found.sampled(EACH)
    named = machine.from_planar(*states) if rolls else dict(zip(("q", "qd", "qdd"), states, strict=True))
    slip, standing = machine.slip(**named), machine.stability(**named)
    missing = (margin - float(standing.margin.min())) / 0.3  # of the margin of a load in the middle
    tau = np.abs(machine.inverse_dynamics(*(named[key] for key in ("q", "qd", "qdd")), **{
        key: named[key] for key in ("velocity", "acceleration") if key in named}))
    own = {limit.name: limit.capacity for limit in found.limits if limit.kind == "torque"}
    torque = max(float(tau[:, machine.dof_names.index(name)].max()) / most for name, most in own.items())
    return max(float(slip.ratio.max()) / share, 1.0 + missing, torque), found
