"""How long a user waits: the first call of a fresh process, with and without the disk cache, and long chains."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import NamedTuple

from benchmarks.report import Row

FIRST_CALL = """
import sys, time
import numpy as np
import loadpath as lp
kind, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
robot = lp.catalog.panda() if kind == "panda" else lp.catalog.random_chain(n, seed, joints="revolute")
state = np.zeros(robot.n)
begin, begin_cpu = time.perf_counter(), time.process_time()
robot.inverse_dynamics(state, state, state)
print(time.perf_counter() - begin, time.process_time() - begin_cpu)
"""

NEW_ROBOT = """
import time
import numpy as np
import loadpath as lp
from loadpath.engine import better
from loadpath.engine.better import settle
state = np.zeros(7)
lp.catalog.panda().inverse_dynamics(state, state, state)
settle()
better.AFTER = 1.0  # what others take of the processor meanwhile does not count
robot = lp.catalog.random_dh_arm(7, 3)
begin, begin_cpu = time.perf_counter(), time.process_time()
robot.inverse_dynamics(state, state, state)
print(time.perf_counter() - begin, time.process_time() - begin_cpu)
settle()
print(time.perf_counter() - begin, time.process_time() - begin_cpu)
"""


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    repetitions = 1 if quick else 5
    cold: list[Seconds] = []
    cached: list[Seconds] = []
    for _ in range(repetitions):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(first_call("panda", 7, 1, cache=folder))
            cached += [first_call("panda", 7, 1, cache=folder) for _ in range(2)]
    chains = {n: best(first_call("chain", n, seed, cache="off") for seed in range(repetitions)) for n in (25, 50, 100)}
    new = [new_robot() for _ in range(repetitions)]
    linear = chains[100].processor / chains[25].processor / 4
    return [
        _row("first call of a 7-joint robot, cold", best(cold), at_most=1.0),
        Row("same, processor time", best(cold).processor, "s", at_most=0.12, remark="load of LLVM included"),
        Row("first call of another one, processor time", best(pair[0] for pair in new).processor, "s", at_most=0.12,
            remark="in a process that has compiled a robot"),
        _row("until its code is optimised, in the background", best(pair[1] for pair in new)),
        _row("same as the first, from the disk cache", best(cached), at_most=0.1, remark=", load of LLVM included"),
        _row("first call of a chain of 25 joints, cold", chains[25]),
        _row("first call of a chain of 50 joints, cold", chains[50]),
        _row("first call of a chain of 100 joints, cold", chains[100], at_most=6.0),
        Row("processor time at 100 joints / 25 joints / 4 (1 is linear)", linear, at_most=1.25),
    ]


class Seconds(NamedTuple):
    """What the clock on the wall says, and what the processor worked; without other load they are alike."""

    wall: float
    processor: float


def best(times: Iterable[Seconds]) -> Seconds:
    """The least of each."""
    wall, processor = zip(*times, strict=True)
    return Seconds(min(wall), min(processor))


def _row(what: str, seconds: Seconds, at_most: float | None = None, remark: str = "") -> Row:
    return Row(what, seconds.wall, "s", at_most=at_most, remark=f"processor time {seconds.processor:.3g} s{remark}")


def new_robot() -> tuple[Seconds, Seconds]:
    """Seconds of the first call of a new robot in a process that has compiled one, and until its code is optimised."""
    environment = {**os.environ, "LOADPATH_CACHE_DIR": "off"}
    command = [sys.executable, "-c", NEW_ROBOT]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    first, second = printed.splitlines()
    return Seconds(*map(float, first.split())), Seconds(*map(float, second.split()))


def first_call(kind: str, n: int, seed: int, cache: str) -> Seconds:
    """Seconds of the first call in a process of its own, after importing loadpath and making the robot."""
    environment = {**os.environ, "LOADPATH_CACHE_DIR": cache}
    command = [sys.executable, "-c", FIRST_CALL, kind, str(n), str(seed)]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return Seconds(*map(float, printed.split()))
