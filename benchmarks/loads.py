"""How fast joint wrenches are, and their breakdown by cause: a seven-joint arm and a humanoid, one core.

Results are wide: rows say how long writing a constant into the same memory takes, which is how fast they could be.
The C library writes it: NumPy's `fill` stores number by number and takes twice as long.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
import tracemalloc
import warnings
from functools import partial
from typing import Any

import numpy as np

import loadpath as lp
from benchmarks.peers import states, urdf_files
from benchmarks.report import Row
from benchmarks.timing import best_times

BATCH = 2048


def write(array: np.ndarray) -> None:
    """Nothing but writing: one byte everywhere."""
    ctypes.memset(array.ctypes.data, 1, array.nbytes)


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    robot = lp.catalog.panda()
    repetitions = 3 if quick else 60
    from_file = lp.load(urdf_files()["panda_description/panda"])
    return [
        *_wrenches(robot, repetitions),
        *_as_called("catalog", robot, repetitions),
        *_as_called("URDF", from_file, repetitions),
        *_breakdowns(robot, repetitions),
        *_humanoid(quick),
        _streamed(robot, quick),
    ]


def _wrenches(robot: lp.Robot, repetitions: int) -> list[Row]:
    q, qd, qdd = states(robot, 4096)
    tau, wrenches = np.empty_like(q), robot.joint_wrenches(q, qd, qdd)
    out = (wrenches.force, wrenches.torque)
    times = best_times(
        {
            "forces": lambda: robot.inverse_dynamics(q, qd, qdd, out=tau),
            "wrenches": lambda: robot.joint_wrenches(q, qd, qdd, out=out),
        },
        repetitions,
    )
    nanoseconds = {name: 1e9 * seconds / len(q) for name, seconds in times.items()}
    return [
        Row(
            "Panda, 4096 states: joint_wrenches / inverse_dynamics",
            times["wrenches"] / times["forces"],
            at_most=1.6,
            remark=f"{nanoseconds['wrenches']:.1f} ns / {nanoseconds['forces']:.1f} ns a state",
        )
    ]


def _as_called(source: str, robot: lp.Robot, repetitions: int) -> list[Row]:
    """Without `out`, in a loop that drops each result for the next. The least that wrenches could take, the torques and
    then nothing but writing, is in the remark.
    """
    found = []
    for count, required in ((4096, 1.6), (16_384, 2.0)):
        q, qd, qdd = states(robot, count)
        room = np.empty((count, 6 * len(robot.joints)))
        held: list[object] = [None]

        def drop(result: object, held: list[object] = held) -> None:
            held[0] = result

        times = best_times(
            {
                "forces": lambda: drop(robot.inverse_dynamics(q, qd, qdd)),  # noqa: B023
                "wrenches": lambda: drop(robot.joint_wrenches(q, qd, qdd)),  # noqa: B023
                "memory": partial(write, room),
            },
            repetitions,
        )
        nanoseconds = {name: 1e9 * seconds / count for name, seconds in times.items()}
        found.append(Row(
            f"Panda ({source}), {count} states as called: joint_wrenches / inverse_dynamics",
            times["wrenches"] / times["forces"],
            at_most=required,
            remark=f"{nanoseconds['wrenches']:.1f} ns / {nanoseconds['forces']:.1f} ns a state; "
            f"writing {room.shape[1]} numbers alone: {nanoseconds['memory']:.0f} ns; the torques and writing: "
            f"{1.0 + times['memory'] / times['forces']:.2f} times the torques",
        ))
    return found


def _breakdowns(robot: lp.Robot, repetitions: int) -> list[Row]:
    q, qd, qdd = states(robot, BATCH)
    found = []
    asked: list[tuple[str, dict[str, Any], float | None, float | None]] = [
        ("all joints, all causes", {}, 100_000, 850_000),
        ("the same in world axes", {"frame": "world"}, None, None),
        ("with the link that carries each term", {"by_link": True}, 10_000, None),
    ]
    for what, options, required, as_called in asked:
        begin = time.process_time()
        loads = robot.load_breakdown(q, qd, qdd, **options)
        first = time.process_time() - begin
        out = (loads.values, loads.friction, loads.rotor)

        def work(options: dict[str, Any] = options, out: tuple[Any, Any, Any] = out) -> None:
            robot.load_breakdown(q, qd, qdd, out=out, **options)

        def call(options: dict[str, Any] = options) -> None:
            robot.load_breakdown(q, qd, qdd, **options)

        times = best_times({"out": work, "as called": call, "memory": partial(write, loads.values)}, repetitions)
        remark = f"{loads.values[0].size} numbers a state; first call {first:.1f} s, less if cached"
        name = f"load_breakdown, {what}"
        speed = {way: BATCH / seconds for way, seconds in times.items()}
        found.append(Row(name, speed["out"], "states/s", at_least=required, remark=remark))
        remark = f"{times['as called'] / times['out']:.2f} of the time with `out`; " \
            f"writing so many numbers alone: {speed['memory']:.0f} states/s"
        found.append(Row(f"{name}, as called", speed["as called"], "states/s", at_least=as_called, remark=remark))
    return found


FIRST_BREAKDOWN = """
import sys, time
import numpy as np
import loadpath as lp
robot = lp.load(sys.argv[1]).floating()
q, still = robot.neutral(), np.zeros(robot.n)
begin = time.process_time()
robot.load_breakdown(q, still, still)
print(time.process_time() - begin)
"""


def _humanoid(quick: bool) -> list[Row]:
    """Talos on a free base: too many terms to be compiled one by one."""
    path = urdf_files()["talos_data/talos_full_v2"]
    command = [sys.executable, "-W", "ignore", "-c", FIRST_BREAKDOWN, str(path)]
    environment = {**os.environ, "LOADPATH_CACHE_DIR": "off"}
    first = float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = lp.load(path).floating()
    count = 64 if quick else 512
    q, qd, qdd = states(robot, count)
    found = robot.load_breakdown(q, qd, qdd)
    out = (found.values, found.friction, found.rotor)
    times = best_times({"out": lambda: robot.load_breakdown(q, qd, qdd, out=out),
                        "as called": lambda: robot.load_breakdown(q, qd, qdd),
                        "memory": partial(write, found.values)}, 3 if quick else 12)
    what = f"load_breakdown of Talos, {robot.n} freedoms"
    remark = f"{found.values[0].size} numbers a state, {1e3 * times['out'] / count:.3f} ms with `out`; " \
        f"writing them alone: {1e3 * times['memory'] / count:.3f} ms"
    return [
        Row(f"{what}, as called, a state", 1e3 * times["as called"] / count, "ms", at_most=0.1, remark=remark),
        Row(f"{what}, first result, nothing cached", first, "s", at_most=5.0, remark="processor time"),
    ]


def _streamed(robot: lp.Robot, quick: bool) -> Row:
    count = 20_000 if quick else 1_000_000
    arrays = states(robot, count)
    tracemalloc.start()
    begin = time.process_time()
    robot.reduce_loads(arrays, lp.LoadExtremes())
    seconds = time.process_time() - begin
    memory = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return Row(
        f"reduce_loads to extremes, {count:,} states: memory",
        memory,
        "MB",
        at_most=100,
        remark=f"{seconds:.1f} s, {count / seconds:,.0f} states/s",
    )
