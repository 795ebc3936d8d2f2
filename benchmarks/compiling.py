"""How long a user waits: the first call of a fresh process, with and without the disk cache, and long chains."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.report import Row

FIRST_CALL = """
import sys, time
import numpy as np
import loadpath as lp
kind, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
robot = lp.catalog.panda() if kind == "panda" else lp.catalog.random_chain(n, seed, joints="revolute")
state = np.zeros(robot.n)
begin = time.perf_counter()
robot.inverse_dynamics(state, state, state)
print(time.perf_counter() - begin)
"""


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    repetitions = 1 if quick else 5
    cold, cached = [], []
    for _ in range(repetitions):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(first_call("panda", 7, 1, cache=folder))
            cached += [first_call("panda", 7, 1, cache=folder) for _ in range(2)]
    chains = {n: min(first_call("chain", n, seed, cache="off") for seed in range(repetitions)) for n in (25, 50, 100)}
    told = ", ".join(f"{n}: {seconds:.2f} s" for n, seconds in chains.items())
    return [
        Row("first call of a 7-joint robot, cold", min(cold), "s", at_most=1.0, remark="import of CasADi included"),
        Row("same, from the disk cache", min(cached), "s", at_most=0.1),
        Row("first call of a chain of 100 joints, cold", chains[100], "s", at_most=6.0, remark=told),
        Row("same, 100 joints / 25 joints / 4 (1 is linear)", chains[100] / chains[25] / 4, at_most=1.25),
    ]


def first_call(kind: str, n: int, seed: int, cache: str) -> float:
    """Seconds of the first call in a process of its own, after importing loadpath and making the robot."""
    environment = {**os.environ, "LOADPATH_CACHE_DIR": cache}
    command = [sys.executable, "-c", FIRST_CALL, kind, str(n), str(seed)]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
