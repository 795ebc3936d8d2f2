"""Cycles: loads against payloads that are links, lines against the law of cosines, spectra and repetitions by hand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case


@check("Motion.with_loads", "Carried", against="the load as a link of the robot (with_payload)", bound=1e-11)
def carried(case: Case) -> Iterator[Compared]:
    rng = case.rng("carried")
    robot = lp.catalog.planar(2)
    t = np.linspace(0, 1, 9)
    w = rng.uniform(0.5, 3, 2)
    phase = np.multiply.outer(t, w)
    motion = lp.Motion(t, np.sin(phase), w * np.cos(phase), -w * w * np.sin(phase), robot=robot)
    mass, center, spread = float(rng.uniform(0.5, 5)), rng.uniform(-0.2, 0.2, 3), rng.uniform(0.01, 0.1, 3)
    body = {"center_of_mass": center.tolist(), "inertia": np.diag(spread + spread.sum()).tolist(), "link": "link2"}
    load = lp.Carried(mass, from_=0.3, to=0.8, **body)
    heavy = robot.with_payload(mass, **body)
    both = heavy.inverse_dynamics(motion.q, motion.qd, motion.qdd), robot.inverse_dynamics(motion)
    when = (t >= 0.3) & (t < 0.8)
    yield Compared(robot.inverse_dynamics(motion.with_loads([load])), np.where(when[:, None], *both))


@check("Motion.repeated", "Motion.dwell", against="numpy.tile", bound=1e-12)
def again(case: Case) -> Iterator[Compared]:
    rng = case.rng("again")
    robot = lp.catalog.planar(int(rng.integers(1, 4)))
    home, away = np.zeros(robot.n), rng.uniform(-1, 1, robot.n)
    motion = lp.Motion.through(robot, [home, away, home], [0.0, 1.0, 2.5], rate=20)
    count = int(rng.integers(2, 6))
    many = motion.repeated(count)
    yield Compared(many.q[1:], np.tile(motion.q[1:], (count, 1)), 1.0)
    yield Compared(many.t[-1], 2.5 * count)
    rest = motion.dwell(0.5, before=0.25, rate=40)
    yield Compared(rest.t[[0, -1]], np.array([-0.25, 3.0]))
    yield Compared(rest.q[-20:], np.tile(motion.q[-1], (20, 1)), 1.0)
    yield Compared(rest.qdd[-20:], np.zeros((20, robot.n)), 1.0)


@check("Motion.line", against="the law of cosines, and the Jacobian written out", bound=1e-9)
def lines(case: Case) -> Iterator[Compared]:
    rng = case.rng("line")
    robot = lp.catalog.planar(2)
    near = np.array([rng.uniform(-1, 1), rng.uniform(0.5, 2.0)])
    ends = [robot.link_poses(near + shift)[-1, :3, 3] for shift in (0.0, rng.uniform(-0.3, 0.3, 2))]
    motion = lp.Motion.line(robot, ends, speed=0.3, acceleration=1.0, near=near, rate=50)
    way = ends[1] - ends[0]
    length = float(np.linalg.norm(way))
    # How far the tool is, speed and acceleration, from the corners of the trapezoid.
    blend = min(0.3, np.sqrt(length))
    top = blend * 1.0
    T = length / top + blend
    at = np.minimum(motion.t, T - motion.t)
    v = np.minimum(at, blend) * 1.0
    up = np.where(at < blend, at**2 / 2, top * (at - blend / 2))
    s = np.where(motion.t <= T / 2, up, length - up)
    p = ends[0] + s[:, None] / length * way
    x, z = p[:, 0], p[:, 2]
    elbow = np.arccos((x**2 + z**2 - 2) / 2)
    shoulder = np.arctan2(z, x) - np.arctan2(np.sin(elbow), 1 + np.cos(elbow))
    turns = 2 * np.pi * np.round((motion.q[:, 0] - shoulder) / (2 * np.pi))
    yield Compared(motion.q, np.stack([shoulder + turns, elbow], axis=1), 1.0)
    a, b = shoulder, shoulder + elbow
    J = np.array([[-np.sin(a) - np.sin(b), -np.sin(b)], [np.cos(a) + np.cos(b), np.cos(b)]]).transpose(2, 0, 1)
    u = way[[0, 2]] / length
    yield Compared(motion.qd, np.linalg.solve(J, (v[:, None] * u)[..., None])[..., 0], 1.0)


@check("DutySpectrum", against="NumPy, sums over all samples with their share", bound=1e-12)
def spectra(case: Case) -> Iterator[Compared]:
    rng = case.rng("spectrum")
    robot = lp.catalog.planar(2)
    ends = rng.uniform(-1, 1, (3, 2))
    motions = [lp.Motion.through(robot, [ends[k], ends[k + 1]], [0.0, 1.0 + k], rate=20) for k in range(2)]
    share = float(rng.uniform(0.1, 0.9))
    peaks = robot.peak_loads(lp.DutySpectrum(list(zip(motions, (share, 1 - share), strict=True))))
    tau = [robot.inverse_dynamics(motion) for motion in motions]
    squares = [np.trapezoid(each**2, motion.t, axis=0) / motion.duration
               for each, motion in zip(tau, motions, strict=True)]
    yield Compared(peaks.drive.rms**2, share * squares[0] + (1 - share) * squares[1])
    yield Compared(peaks.drive.maximum, np.concatenate(tau).max(axis=0))
    again = lp.DutySpectrum.of_repeats([(motions[0], 3), (motions[1], 2)])
    yield Compared(np.array(again.shares), np.array([3.0, 4.0]) / 7)
