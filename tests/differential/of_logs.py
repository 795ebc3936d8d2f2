"""Logs and smoothing: against a frame of pandas, and against penalised least squares in dense matrices."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import loadpath as lp
from differential.of_motions import planar
from differential.register import Compared, check
from differential.robots import Case


@check("Motion.smoothed", "Smoothing", against="NumPy, penalised least squares solved in dense matrices", bound=1e-9)
def smoothed(case: Case) -> Iterator[Compared]:
    robot, rng = planar(case)
    rate, cutoff = 100.0, float(rng.uniform(4.0, 20.0))
    t = np.arange(150) / rate
    q = np.sin(np.multiply.outer(t, rng.uniform(1, 4, robot.n))) + rng.normal(0, 1e-3, (150, robot.n))
    motion = lp.Motion.from_checked(t, q, 0 * q, 0 * q, robot)
    found = motion.smoothed(cutoff)
    jerk = np.diff(np.eye(150), 3, axis=0) * rate**3
    penalty = 1 / (2 * np.pi * cutoff) ** 6  # over rate samples a second, each standing for 1 / rate
    expected = np.linalg.solve(np.eye(150) + penalty * jerk.T @ jerk, q)
    yield Compared(found.q, expected, 1.0)
    assert found.smoothing is not None
    yield Compared(found.smoothing.rms, np.sqrt(np.mean((expected - q) ** 2, axis=0)))
    yield Compared(found.smoothing.largest, np.abs(expected - q).max(axis=0))


@check("LowPass", against="the response of its filter, 1 / (1 + (f / cutoff)^6)", bound=1e-3)
def filtered(case: Case) -> Iterator[Compared]:
    rng = case.rng("filter")
    t = np.arange(8001) / 1000
    cutoff = float(rng.uniform(5, 20))
    tone = cutoff * float(rng.uniform(0.3, 1.5))
    wave = np.cos(2 * np.pi * tone * t)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = lp.Motion(t, wave, smooth=lp.LowPass(cutoff))
    inner = slice(2000, 6001)
    yield Compared(found.q[inner], wave[inner] / (1 + (tone / cutoff) ** 6), 1.0)


@check("Motion.from_frame", "Motion.from_parquet", "Motion.tau", against="a frame of pandas", bound=1e-15)
def frames(case: Case) -> Iterator[Compared]:
    robot, rng = planar(case)
    t = np.arange(40) * 0.01
    q = np.cos(np.multiply.outer(t, rng.uniform(1, 3, robot.n)))
    frame = pd.DataFrame({"time_ms": 1000 * t})
    for k, name in enumerate(robot.dof_names):
        frame[f"{name} [deg]"] = 180 / np.pi * q[:, k]
        frame[f"effort_{name}"] = 2 * q[:, k]
    frame = frame[rng.permutation(frame.columns)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "log.parquet"
        frame.to_parquet(file)
        for motion in (lp.Motion.from_frame(frame, robot), lp.Motion.from_parquet(file, robot)):
            yield Compared(motion.t, t)
            yield Compared(motion.q, q)
            yield Compared(motion.tau, 2 * q)
