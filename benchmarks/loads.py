"""How fast joint wrenches are, and their breakdown by cause: a seven-joint arm, one core."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np

import loadpath as lp
from benchmarks.peers import states
from benchmarks.report import Row
from benchmarks.timing import best_times

BATCH = 2048


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    robot = lp.catalog.panda()
    repetitions = 3 if quick else 60
    return [*_wrenches(robot, repetitions), *_breakdowns(robot, repetitions), _streamed(robot, quick)]


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
            remark=f"{nanoseconds['wrenches']:.0f} ns / {nanoseconds['forces']:.0f} ns a state",
        )
    ]


def _breakdowns(robot: lp.Robot, repetitions: int) -> list[Row]:
    q, qd, qdd = states(robot, BATCH)
    found = []
    asked: list[tuple[str, dict[str, Any], float | None]] = [
        ("all joints, all causes", {}, 100_000),
        ("the same in world axes", {"frame": "world"}, None),
        ("with the link that carries each term", {"by_link": True}, 10_000),
    ]
    for what, options, required in asked:
        begin = time.process_time()
        loads = robot.load_breakdown(q, qd, qdd, **options)
        first = time.process_time() - begin
        out = (loads.values, loads.friction, loads.rotor)

        def work(options: dict[str, Any] = options, out: tuple[Any, Any, Any] = out) -> None:
            robot.load_breakdown(q, qd, qdd, out=out, **options)

        seconds = best_times({what: work}, repetitions)[what]
        remark = f"{loads.values[0].size} numbers a state; first call {first:.1f} s, less if cached"
        found.append(Row(f"load_breakdown, {what}", BATCH / seconds, "states/s", at_least=required, remark=remark))
    return found


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
