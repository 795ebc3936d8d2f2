"""`loadpath demo`, `info` and `count`."""

from __future__ import annotations

import time

import numpy as np

import loadpath as lp
from loadpath.cli import tables
from loadpath.cli.messages import busy, errors_reported, heading, print_warnings, show, terminal
from loadpath.cli.robots import find
from loadpath.counting import of_the_sources
from loadpath.engine.quantity import compiled_quantities
from loadpath.scalars import OperationCount

STATES = 2001

def demo(
    robot: str, *, samples: int, payload: float, link: str | None, joint: str | None, duration: float | None
) -> None:
    """Torques and joint wrenches of a robot over a short smooth motion."""
    with errors_reported():
        named = find(robot)
        print_warnings(named.warnings)
        loaded = named.robot.with_payload(payload, link=link) if payload or link else named.robot
        if not loaded.n:
            raise ValueError(f"robot '{loaded.name}' has no moving joints")
        if duration is not None and not 0 < duration < np.inf:
            raise ValueError(f"duration is {duration:g} s: expected more than zero")
        if joint is not None:
            joint = loaded.joint(joint).name
        motion = lp.Motion.swing(loaded, STATES, duration)
        with busy(f"Compiling {loaded.name} ..."):
            loaded.inverse_dynamics(motion.q[0], motion.qd[0], motion.qdd[0])
            loaded.joint_wrenches(motion.q[0], motion.qd[0], motion.qdd[0])
    begin = time.perf_counter()
    tau = loaded.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    wrenches = loaded.joint_wrenches(motion.q, motion.qd, motion.qdd)
    elapsed = time.perf_counter() - begin
    if joint is None:
        moving = [k for k, part in enumerate(loaded.joints) if part.motion.dof]
        size = np.linalg.norm(wrenches.torque[:, moving], axis=-1).max(axis=0)
        joint = loaded.joint_names[moving[int(size.argmax())]]
    console = terminal()
    show(
        console,
        heading(loaded, payload),
        f"Swing of {motion.t[-1]:.2f} s between two poses, from rest to rest.",
        "",
        tables.drive_table(loaded, motion, tau, samples, console),
        tables.peak_table(loaded, motion, wrenches, "force", console),
        tables.peak_table(loaded, motion, wrenches, "torque", console),
        tables.wrench_table(motion, wrenches, joint, samples, console),
        f"{tables.legend(console)}\n{STATES:,} states of torques and wrenches in {1e3 * elapsed:.2g} ms.",
    )


def info(robot: str) -> None:
    """Links, joints, masses and limits of a robot, and warnings about them."""
    with errors_reported():
        named = find(robot)
    console = terminal()
    parts = [tables.link_table(named.robot, console), tables.joint_table(named.robot, console)]
    if any(joint.mimic for joint in named.robot.joints):
        parts.append(tables.mimic_table(named.robot, console))
    show(console, heading(named.robot), "", *parts)
    print_warnings(named.warnings, most=len(named.warnings))


def count(robot: str, function: list[str] | None) -> None:
    """Multiplications and additions of every function of a robot, and those that the sources print."""
    known = compiled_quantities(lp.Robot)
    with errors_reported():
        unknown = [name for name in function or () if name not in known]
        if unknown:
            raise ValueError(f"no function '{unknown[0]}'; there are {', '.join(known)}")
        named = find(robot)
        print_warnings(named.warnings)
        counts = []
        for quantity in (known[name] for name in function or known):
            link = named.robot.link_names[-1] if quantity.takes_link else None
            for formulation in quantity.formulations:
                name = f"{quantity.name}, {formulation}" if len(quantity.formulations) > 1 else quantity.name
                with busy(f"Counting {name} ..."):
                    counts.append((name, _operations(named.robot, quantity.name, formulation, link)))
    console = terminal()
    show(console, tables.count_table(named.robot, counts, console))
    if function is None and named.robot.n:
        show(console, tables.source_count_table(of_the_sources(named.robot.n), named.robot.n, console))


def _operations(robot: lp.Robot, name: str, formulation: str, link: str | None) -> OperationCount | None:
    """The count, or None if there is no such function of this robot (no mass to move, say)."""
    try:
        return robot.operation_count(name, formulation, link)
    except (ValueError, ArithmeticError):
        return None
