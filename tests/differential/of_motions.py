"""Motions: against polynomials and splines of NumPy and SciPy, and against their own files read by NumPy."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.interpolate import BPoly, make_interp_spline

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case


def planar(case: Case) -> tuple[lp.Robot, np.random.Generator]:
    rng = case.rng("motion")
    return lp.catalog.planar(int(rng.integers(1, 4))), rng


def hermite(t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> BPoly:
    """SciPy's piecewise polynomial through positions, speeds and accelerations."""
    return BPoly.from_derivatives(t, np.stack([q, qd, qdd], axis=1))


@check("Motion", "Motion.at", "Motion.resampled", "Motion.between", against="SciPy, BPoly.from_derivatives", bound=1e-9)
def between_samples(case: Case) -> Iterator[Compared]:
    robot, rng = planar(case)
    t = np.cumsum(rng.uniform(0.05, 0.4, 12))
    w = rng.uniform(0.5, 3, robot.n)
    phase = np.multiply.outer(t, w)
    q, qd, qdd = np.sin(phase), w * np.cos(phase), -w * w * np.sin(phase)
    motion = lp.Motion(t, q, qd, qdd, robot=robot)
    theirs = hermite(t, q, qd, qdd)
    times = np.sort(rng.uniform(t[0], t[-1], 20))
    for found in (motion.at(times), motion.resampled(37.0), motion.between(float(times[3]), float(times[15]))):
        for k, part in enumerate((found.q, found.qd, found.qdd)):
            yield Compared(part, theirs.derivative(k)(found.t) if k else theirs(found.t), 1.0)
    yield Compared(motion.duration, t[-1] - t[0])


@check(
    "Motion.qd", "Motion.qdd", against="the sines that were sampled, within the error that the motion states", bound=1.0
)
def derived_rates(case: Case) -> Iterator[Compared]:
    robot, rng = planar(case)
    t = np.linspace(0, 2, 201)
    w = rng.uniform(0.5, 3, robot.n)
    phase = np.multiply.outer(t, w)
    motion = lp.Motion(t, np.sin(phase), robot=robot)
    for found, expected, error in (
        (motion.qd, w * np.cos(phase), motion.qd_error),
        (motion.qdd, -w * w * np.sin(phase), motion.qdd_error),
    ):
        yield Compared(np.abs(found - expected).max(axis=0) / error, np.zeros(robot.n), 1.0)
    spline = make_interp_spline(t, np.sin(phase), 5)
    inner = slice(40, 161)  # away from the ends, where conditions differ
    yield Compared(1e4 * motion.qd[inner], 1e4 * spline(t, 1)[inner], 1.0)


@check("Motion.through", "Motion.swing", against="NumPy, the fifth-degree polynomial from rest to rest", bound=1e-9)
def steps(case: Case) -> Iterator[Compared]:
    robot, rng = planar(case)
    points = rng.uniform(-2, 2, (3, robot.n))
    times = np.array([0.0, 1.0, 1.0]) * rng.uniform(0.5, 2)
    times[2] += rng.uniform(0.5, 2)
    found = lp.Motion.through(robot, points, times, rate=50)
    smooth = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6])
    second = (found.t > times[1]).astype(int)
    span = np.diff(times)[second]
    s = (found.t - times[second]) / span
    height = (points[1:] - points[:-1])[second]
    for k, part in enumerate((found.q, found.qd, found.qdd)):
        value = (smooth.deriv(k)(s) if k else smooth(s)) / span**k
        yield Compared(part, value[:, None] * height + (points[second] if k == 0 else 0.0), 1.0)
    swing = lp.Motion.swing(robot, 31, 1.7)
    s = swing.t / 1.7
    reach = swing.q[-1] - swing.q[0]
    yield Compared(swing.q, swing.q[0] + smooth(s)[:, None] * reach)
    yield Compared(swing.qdd, smooth.deriv(2)(s)[:, None] * reach / 1.7**2)
    # A trapezoid: its speed and acceleration are the limits, its path their integral.
    fast = lp.Motion.through(robot, points[:2], velocity=1.0, acceleration=2.0, profile="trapezoidal", rate=2000)
    far = float(np.abs(points[1] - points[0]).max())
    duration = far / 1.0 + 1.0 / 2.0 if far > 0.5 else 2 * np.sqrt(far / 2.0)
    yield Compared(fast.duration, duration)
    yield Compared(np.trapezoid(fast.qd, fast.t, axis=0), points[1] - points[0])


@check("Motion.scaled", "Motion.followed_by", "Motion.blocks", against="the chain rule in NumPy", bound=1e-12)
def paces(case: Case) -> Iterator[Compared]:
    robot, rng = planar(case)
    points = rng.uniform(-2, 2, (2, robot.n))
    there = lp.Motion.through(robot, points, [0.0, 1.0], rate=20)
    back = lp.Motion.through(robot, points[::-1], [0.0, 2.0], rate=20)
    speed = float(rng.uniform(0.3, 3))
    fast = there.scaled(speed=speed)
    yield Compared(fast.t, there.t / speed)
    yield Compared(fast.qd, there.qd * speed)
    yield Compared(fast.qdd, there.qdd * speed**2)
    whole = there.followed_by(back)
    yield Compared(whole.q[-len(back.t) :], back.q, 1.0)
    yield Compared(whole.t[-1], 3.0)
    yield Compared(np.concatenate([block.q for block in whole.blocks(7)]), whole.q)


@check(
    "Motion.to_csv",
    "Motion.from_csv",
    "Motion.to_npz",
    "Motion.from_npz",
    "Motion.from_simulation",
    against="the csv module and numpy.load",
    bound=1e-15,
)
def motion_files(case: Case) -> Iterator[Compared]:
    robot, rng = planar(case)
    motion = lp.Motion.through(robot, rng.uniform(-2, 2, (2, robot.n)), [0.0, 1.0], rate=20)
    with tempfile.TemporaryDirectory() as folder:
        text, binary = Path(folder) / "m.csv", Path(folder) / "m.npz"
        motion.to_csv(text)
        motion.to_npz(binary)
        with text.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        columns = {name: np.array([float(row[k]) for row in rows[1:]]) for k, name in enumerate(rows[0])}
        for k, name in enumerate(robot.dof_names):
            yield Compared(columns[f"q.{name}"], motion.q[:, k])
            yield Compared(columns[f"qdd.{name}"], motion.qdd[:, k])
        with np.load(binary) as arrays:
            yield Compared(arrays["qd"], motion.qd)
        for again in (lp.Motion.from_csv(text, robot), lp.Motion.from_npz(binary, robot)):
            for part in ("t", "q", "qd", "qdd"):
                yield Compared(getattr(again, part), getattr(motion, part))
    fall = robot.simulate(motion.q[0], 0 * motion.q[0], duration=0.1)
    yield Compared(lp.Motion.from_simulation(fall, robot).q, fall.q)
