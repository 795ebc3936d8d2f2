"""`loadpath bench`: how fast the functions of a robot are on this machine, and Pinocchio's, if it is installed."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, RobotName

if will_run():
    import numpy as np
    from rich.console import RenderableType

    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, heading, print_notes, print_warnings, show, terminal
    from loadpath.cli.pinocchio import Twin, twin_of
    from loadpath.cli.robots import find
    from loadpath.cli.tables import NONE, Sheet, titled
    from loadpath.progress import each

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity_forces", "joint_wrenches", "link_poses")
AT_LEAST = 0.05
"""Seconds of each measurement; the best of a few counts."""
REPEATS = 3


class Speed(NamedTuple):
    """How long a function takes, s."""

    function: str
    first_call: float
    """With compiling, or loading what was compiled before."""
    one_call: float
    in_batch: float
    """A state of a batch."""
    pinocchio: float | None
    """A call of Pinocchio from Python, for one state."""


def bench(
    robot: RobotName = "panda",
    *,
    states: Annotated[int, typer.Option(min=1, max=1_000_000, help="States of a batch.")] = 10_000,
    as_json: AsJson = False,
) -> None:
    """States a second of the functions of a robot."""
    with errors_reported():
        named = find(robot)
        subject = named.robot
        if not subject.n:
            raise ValueError(f"robot '{subject.name}' has no moving joints")
        batch = _states(subject, states)
        twin, why_not = twin_of(subject, tuple(part[0] for part in batch))
        found = []
        with busy(f"Timing functions of {subject.name} ..."):
            found += [_timed(subject, name, batch, twin) for name in each(FUNCTIONS)]
    machine = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
    if as_json:
        print_json(robot=subject.name, machine=machine, states=states, pinocchio=None if twin is None else twin.version,
                   functions=[row._asdict() for row in found], warnings=named.warnings)
        return
    show(terminal(), heading(subject), f"On {machine}.", "",
         _speed_table(found, states))
    print_notes(named.on_standing_base("the times are"), named.flexible("the times are"), why_not)
    print_warnings(named.warnings)


def _speed_table(rows: list[Speed], states: int) -> RenderableType:
    peer = any(row.pinocchio is not None for row in rows)
    more = ["Pinocchio (us)", "ratio, one call", "ratio, batch"] if peer else []
    table = Sheet(["function", "first call (ms)", "one call (us)", "in a batch (ns)", "states/s", *more])
    for row in rows:
        cells = [f"{1e3 * row.first_call:.3g}", f"{1e6 * row.one_call:.3g}", f"{1e9 * row.in_batch:.3g}",
                 f"{1 / row.in_batch:,.0f}"]
        if peer and row.pinocchio is None:
            cells += [NONE] * 3
        elif row.pinocchio is not None:
            cells += [f"{1e6 * row.pinocchio:.3g}", f"{row.pinocchio / row.one_call:.3g}",
                      f"{row.pinocchio / row.in_batch:.3g}"]
        table.add_row(row.function, *cells)
    of_peer = "; Pinocchio called from Python state by state, ratios above 1: quicker here" if peer else ""
    return titled(f"Time of a state, alone and in batches of {states:,}{of_peer}", table)


def _timed(robot: lp.Robot, name: str, batch: tuple[Any, ...], twin: Twin | None) -> Speed:
    function = getattr(robot, name)
    arrays = batch[:1] if name in ("mass_matrix", "gravity_forces", "link_poses") else batch
    one = tuple(np.ascontiguousarray(part[0]) for part in arrays)
    begin = time.perf_counter()
    function(*one)
    first = time.perf_counter() - begin
    alone, together = _best(lambda: function(*one)), _best(lambda: function(*arrays)) / len(batch[0])
    peer = twin.functions.get(name) if twin is not None else None
    return Speed(name, first, alone, together, None if peer is None else _best(peer))


def _best(call: Callable[[], object]) -> float:
    """The least time of a call, over a few measurements."""
    call()
    times = []
    for _ in range(REPEATS):
        begin, calls = time.perf_counter(), 0
        while (elapsed := time.perf_counter() - begin) < AT_LEAST or not calls:
            call()
            calls += 1
        times.append(elapsed / max(calls, 1))
    return min(times)


def _states(robot: lp.Robot, count: int) -> tuple[Any, ...]:
    """States within the robot's range: samples of its swing, repeated."""
    motion = lp.Motion.swing(robot, 501)
    rows = np.resize(np.arange(501), count)
    parts = tuple(np.ascontiguousarray(part[rows]) for part in (motion.q, motion.qd, motion.qdd))
    return parts
