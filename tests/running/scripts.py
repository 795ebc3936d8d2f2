"""Scripts in processes of their own, which may crash or hang, and the arm and states that these tests share."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

import loadpath as lp


def run(script: str, *, seconds: float = 300.0, cache: str = "off", code: int = 0) -> str:
    """What a script prints in a process of its own, without a disk cache unless one is given."""
    environment = {**os.environ, "LOADPATH_CACHE_DIR": cache, "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=seconds
    )
    assert done.returncode == code, f"{done.returncode}: {done.stderr[-2000:]}"
    assert "Fatal Python error" not in done.stderr, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def mixed_arm() -> lp.Robot:
    return lp.catalog.random_chain(3, 61, ["revolute", "spherical", "prismatic"], general=True)


def states(arm: lp.Robot, *batch: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(*batch, arm.nq)), rng.normal(size=(*batch, arm.n)), rng.normal(size=(*batch, arm.n))
