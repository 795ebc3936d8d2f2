"""How fast inverse dynamics is: the Panda against Pinocchio, two threads against one, long chains against short."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pinocchio as pin

import loadpath as lp
from benchmarks.limit import floating_point_limit
from benchmarks.peers import panda, states
from benchmarks.report import Row
from benchmarks.timing import best_times
from loadpath.engine import kernels
from loadpath.engine.arguments import Variant
from loadpath.engine.gufunc import make_ufunc
from loadpath.engine.llvm import emit
from loadpath.engine.trace import trace

BATCH = 4096


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    repetitions = 5 if quick else 200
    return [
        *_against_pinocchio(repetitions),
        _two_threads(50_000 if quick else 1_000_000, 5 if quick else 30),
        _long_chain(256 if quick else BATCH, repetitions),
        *_in_one_function(repetitions),
    ]


def _in_one_function(repetitions: int) -> list[Row]:
    """A short program becomes one function when it is optimised: against the same one compiled function by function."""
    arms = {"Panda": (lp.catalog.panda(), 0.92), "general 6-revolute arm": (lp.catalog.random_dh_arm(6, 1), 0.90)}
    found = []
    for name, (robot, required) in arms.items():
        arrays = states(robot, BATCH)
        tau = np.empty_like(arrays[0])
        ways = {"one": _compiled_as(robot, emit.INLINED), "many": _compiled_as(robot, 0)}
        times = best_times({way: partial(ufunc, *arrays, out=tau) for way, ufunc in ways.items()}, repetitions)
        remark = " / ".join(f"{1e9 * seconds / BATCH:.1f} ns" for seconds in times.values()) + " a state"
        what = f"{name}: inverse dynamics in one function / function by function"
        found.append(Row(what, times["one"] / times["many"], at_most=required, remark=remark))
    return found


def _compiled_as(robot: lp.Robot, inlined: int) -> np.ufunc:
    """Inverse dynamics whose program becomes one function if it has at most so many operations."""
    quantity, variant = robot.inverse_dynamics.quantity, Variant()
    inputs, outputs = quantity.operands(robot, variant)
    program = trace(quantity.equations(robot, variant), "inverse_dynamics", inputs, outputs)
    before, emit.INLINED = emit.INLINED, inlined
    try:
        texts = kernels.llvm_text(program)
    finally:
        emit.INLINED = before
    loop = emit.symbol(program.name, "f8")
    library = kernels.machine_code(texts, [loop], None)
    shapes = [operand.shape for operand in inputs], [operand.shape for operand in outputs]
    return make_ufunc(program.name, "", {"f8": library.address(loop)}, *shapes, library)


def _against_pinocchio(repetitions: int) -> list[Row]:
    both = panda()
    robot, model, data = both.robot, both.model, both.data
    q, qd, qdd = states(robot, BATCH)
    tau = np.empty_like(q)
    one = q[0], qd[0], qdd[0]
    pool = pin.ModelPool(model, 1)
    columns = [np.asfortranarray(array.T) for array in (q, qd, qdd)]
    tau_columns = np.empty((model.nv, BATCH), order="F")
    pin.rneaInParallel(1, pool, *columns, tau_columns)
    error = np.abs(robot.inverse_dynamics(q, qd, qdd) - tau_columns.T).max() / np.abs(tau_columns).max()
    if error > 1e-11:
        raise RuntimeError(f"the peers compute different things: they differ by {error:.2g}")

    def loop() -> None:
        for k in range(BATCH):
            pin.rnea(model, data, q[k], qd[k], qdd[k])

    times = best_times(
        {
            "ours": lambda: robot.inverse_dynamics(q, qd, qdd, out=tau),
            "loop": loop,
            "parallel": lambda: pin.rneaInParallel(1, pool, *columns, tau_columns),
            "our one": lambda: robot.inverse_dynamics(*one),
            "their one": lambda: pin.rnea(model, data, *one),
        },
        repetitions,
    )
    ours = times["ours"] / BATCH
    count = robot.operation_count("inverse_dynamics")
    operations = count.multiplications + count.additions
    limit = floating_point_limit(repetitions)
    per_state = {name: f"{1e9 * times[name] / BATCH:.0f} ns" for name in ("ours", "loop", "parallel")}
    return [
        Row(
            "Panda, 4096 states: Pinocchio's rnea in a Python loop / ours",
            times["loop"] / times["ours"],
            at_least=40,
            remark=f"{per_state['loop']} / {1e9 * ours:.1f} ns a state",
        ),
        Row(
            "same: Pinocchio's rneaInParallel on one thread / ours",
            times["parallel"] / times["ours"],
            at_least=20,
            remark=f"{per_state['parallel']} / {1e9 * ours:.1f} ns a state",
        ),
        Row(
            "one unbatched call: Pinocchio's rnea from Python / ours",
            times["their one"] / times["our one"],
            at_least=1.0,
            remark=f"{1e9 * times['their one']:.0f} ns / {1e9 * times['our one']:.0f} ns",
        ),
        Row("operations per state, batch of 4096", operations, remark=f"{count}; sines and cosines not counted"),
        Row(
            "share of the core's floating-point limit",
            100 * operations / ours / limit,
            "%",
            remark=f"{operations / ours / 1e9:.1f} of {limit / 1e9:.1f} Gop/s; limit: multiply-adds, measured here",
        ),
    ]


def _two_threads(count: int, repetitions: int) -> Row:
    robot = panda().robot
    arrays = states(robot, count)
    out = np.empty((count, robot.n))
    half = count // 2
    parts = [slice(0, half), slice(half, count)]

    def part(rows: slice) -> None:
        robot.inverse_dynamics(*(array[rows] for array in arrays), out=out[rows])

    with ThreadPoolExecutor(2) as threads:
        times = best_times(
            {
                "one": lambda: part(slice(0, count)),
                "two": lambda: list(threads.map(part, parts)),
            },
            repetitions,
            clock=time.perf_counter,
        )
    return Row(
        f"two Python threads / one, {count:,} states",
        times["one"] / times["two"],
        at_least=1.7,
        remark=f"{1e3 * times['one']:.1f} ms / {1e3 * times['two']:.1f} ms",
    )


def _long_chain(batch: int, repetitions: int) -> Row:
    work, per_joint = {}, {}
    for n in (7, 100):
        robot = lp.catalog.random_chain(n, seed=1, joints="revolute")
        arrays = states(robot, batch)
        out = np.empty((batch, n))
        work[str(n)] = lambda robot=robot, arrays=arrays, out=out: robot.inverse_dynamics(*arrays, out=out)
    for name, seconds in best_times(work, repetitions).items():
        per_joint[name] = 1e9 * seconds / batch / int(name)
    return Row(
        "time per state and joint, random revolute chains: 100 joints / 7 joints",
        per_joint["100"] / per_joint["7"],
        at_most=2.5,
        remark=f"{per_joint['100']:.2f} ns / {per_joint['7']:.2f} ns",
    )
