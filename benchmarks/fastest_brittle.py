"""Paths of a Panda of the kinds on which other time-optimal parametrisations are reported to give up: solved, nothing
relaxed.

The demo of moveit_drake#67 takes a planner's configurations, straight from one to the next, and fails in its last
interval, where the arm comes to rest; drake#20619 is a cubic spline with continuous curvature through points of a path,
on 5,000 intervals; in reports to toppra (#17, #59, #150) points are nearly the same, or the whole path is as short as
what rounding leaves. They are within speeds and accelerations; the robot's own torques are limits here, too.
Configurations are ours, of these kinds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

import loadpath as lp
from benchmarks.report import Row

ACCELERATION = [3.75, 1.875, 2.5, 3.125, 3.75, 5.0, 5.0]
"""rad/s^2, as MoveIt's configuration of a Panda has them. Torques and speeds are the robot's own."""
HOME = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
EACH = 97
INTERVALS = 1000
"""Of Drake's grid, beside the breaks of the path."""


def paths() -> Iterator[tuple[str, lp.Path, dict[str, Any]]]:
    """What each is, and what limits it beside torques and speeds."""
    arm, limits, rng = lp.catalog.panda(), {"acceleration": ACCELERATION}, np.random.default_rng(67)
    far = np.clip(HOME + rng.uniform(-0.8, 0.8, (5, 7)), *bounds(arm, 0.05))
    planned = np.concatenate([lines_between(far, 25)[:, :-1].reshape(-1, 7), far[-1:]])
    yield "a planner's 101 configurations, straight lines", lp.Path.lines(planned), limits
    yield "the same, corners rounded from 0.002 rad on", lp.Path.lines(far, blend=0.002), limits
    yield "the same 101 configurations, cubic spline", lp.Path.through(planned), limits
    smooth = smooth_points(rng)
    noisy = smooth + rng.normal(0, 1e-3, smooth.shape)
    yield "40 points with noise of 0.001 rad, cubic spline", lp.Path.through(noisy), limits
    again = [1, 7, 7, 20, 39]
    twice = np.insert(smooth, again, smooth[again] + rng.normal(0, 1e-5, (5, 7)), axis=0)
    yield "40 points, and five again 1e-5 rad beside them, cubic spline", lp.Path.through(twice), limits
    lowest, highest = bounds(arm)
    yield "from one end of all joints to the other", lp.Path.through([lowest, HOME, highest]), limits
    yield "1e-6 rad", lp.Path.through([HOME, HOME + 1e-6 * rng.normal(size=7)]), limits
    held = np.maximum(np.abs(arm.gravity_forces(lines_between(far, 4000).reshape(-1, 7))).max(axis=0), 0.1)
    for share in (1.01, 1.0001):
        yield f"straight lines, torques {share:g} of what gravity takes", lp.Path.lines(far), \
            {**limits, "torque": share * held}


def splines(count: int) -> Iterator[lp.Path]:
    """Cubic splines through 40 points of smooth paths."""
    for seed in range(count):
        yield lp.Path.through(smooth_points(np.random.default_rng(seed)))


def smooth_points(rng: np.random.Generator) -> np.ndarray:
    """Forty, on sines of each joint about its position at home."""
    t = np.linspace(0, 1, 40)[:, None]
    phases = 2 * np.pi * t * rng.uniform(0.3, 1.2, 7) + rng.uniform(0, 6, 7)
    found: np.ndarray = HOME + np.sin(phases) * rng.uniform(0.1, 0.5, 7)
    return found


def lines_between(points: np.ndarray, count: int) -> np.ndarray:
    """(lines, count + 1, n)"""
    return np.linspace(points[:-1], points[1:], count + 1).swapaxes(0, 1)


def bounds(arm: lp.Robot, away: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest positions, so far away from the limits."""
    own = [joint.limits[0] for joint in arm.joints if joint.motion.dof]
    return np.array([limit.lower + away for limit in own]), np.array([limit.upper - away for limit in own])


def exceeded(arm: lp.Robot, found: lp.Fastest, each: int = EACH) -> float:
    """The largest utilisation, by the robot's own quantities at so many instants of each interval."""
    q, qd, qdd = found.sampled(each)
    loads = {"torque": arm.inverse_dynamics(q, qd, qdd), "speed": qd, "acceleration": qdd}
    return max(float(np.abs(loads[limit.kind][:, arm.dof_names.index(limit.name)]).max() / limit.capacity)
               for limit in found.limits)


def rows(quick: bool) -> Iterator[Row]:
    """A row for each path, one for smooth splines, and one of these by Drake; no motion on a path is an error."""
    arm = lp.catalog.panda()
    for what, path, limits in list(paths())[:: 3 if quick else 1]:
        begin = time.process_time()
        found = arm.fastest(path, limits)
        seconds = time.process_time() - begin
        yield Row(f"Panda, {what}: most used - 1, {EACH}-fold", exceeded(arm, found) - 1, at_most=2e-6,
                  remark=f"certificate - 1: {found.certificate - 1:.1e}; {found.duration:.5f} s, {len(found.s) - 1} "
                  f"intervals, {seconds:.2f} s")
    ways = list(splines(3 if quick else 40))
    every = [arm.fastest(path, {"acceleration": ACCELERATION}) for path in ways]
    yield Row(f"Panda, {len(ways)} cubic splines through 40 points of a smooth path: most used - 1, {EACH}-fold",
              max(exceeded(arm, found) for found in every) - 1, at_most=2e-6,
              remark=f"certificate - 1: {max(found.certificate for found in every) - 1:.1e}; each has a motion")
    yield _by_drake(ways, [found.duration for found in every])


def _by_drake(ways: list[lp.Path], durations: list[float]) -> Row:
    """The share of paths for which Drake's Toppra has no motion within speeds and accelerations alone."""
    what = f"the same within speeds and accelerations by Drake's Toppra, {INTERVALS} intervals: share without a motion"
    try:
        from pydrake.multibody.optimization import Toppra
        from pydrake.multibody.plant import MultibodyPlant
        from pydrake.multibody.tree import RevoluteJoint, SpatialInertia
        from pydrake.polynomial import Polynomial
        from pydrake.trajectories import PiecewisePolynomial
    except ImportError:
        return Row(what, np.nan, remark="not measured: Drake is not installed (the extra `peers` has it)")
    plant, body = MultibodyPlant(0.0), None
    for k in range(7):  # any seven joints: these limits are of joints alone
        link = plant.AddRigidBody(f"link{k}", SpatialInertia.SolidSphereWithMass(1.0, 0.1))
        before = (plant.world_body() if body is None else body).body_frame()
        plant.AddJoint(RevoluteJoint(f"joint{k}", before, link.body_frame(), [0.0, 0.0, 1.0]))
        body = link
    plant.Finalize()
    speed = np.array([joint.limits[0].velocity for joint in lp.catalog.panda().joints if joint.motion.dof])
    found = []
    for path in ways:
        rising = path.coefficients[::-1]
        pieces = [np.array([[Polynomial(rising[:, k, j])] for j in range(7)]) for k in range(path.pieces)]
        grid = np.unique(np.concatenate([np.linspace(0.0, path.breaks[-1], INTERVALS + 1), path.breaks]))
        way = PiecewisePolynomial(pieces, path.breaks.tolist())  # which has to outlive what refers to it
        toppra = Toppra(way, plant, grid)
        toppra.AddJointVelocityLimit(-speed, speed)
        toppra.AddJointAccelerationLimit(-np.array(ACCELERATION), np.array(ACCELERATION))
        solved = toppra.SolvePathParameterization()
        found.append(np.nan if solved is None else solved.end_time())
    longer = np.nanmedian(np.array(found) / durations) - 1
    return Row(what, float(np.isnan(found).mean()), remark=f"Drake {version('drake')}; where it has one, it is by "
               f"{100 * longer:.3f} % longer than ours (median)")
