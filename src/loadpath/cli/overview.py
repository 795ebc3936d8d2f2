"""`loadpath demo`, `info` and `count`."""

from __future__ import annotations

import time
from typing import cast

import numpy as np
from rich.console import RenderableType
from rich.text import Text

import loadpath as lp
from loadpath.cli import closed_tables, elastic_tables, tables
from loadpath.cli.messages import (
    busy,
    errors_reported,
    heading,
    print_all_warnings,
    print_notes,
    print_warnings,
    show,
    terminal,
)
from loadpath.cli.motions import swing
from loadpath.cli.robots import find
from loadpath.counting import of_the_sources
from loadpath.drawing.robot_table import parts_words
from loadpath.engine.quantity import compiled_quantities
from loadpath.loads.carriers import carrier, carrier_names, carriers, is_closed
from loadpath.printable import printable
from loadpath.scalars import OperationCount

STATES = 2001


def demo(
    robot: str, *, samples: int, payload: float, link: str | None, joint: str | None, duration: float | None
) -> None:
    """Torques and joint wrenches of a robot over a short smooth motion."""
    with errors_reported():
        named = find(robot)
        print_warnings(named.warnings)
        named = named.with_payload(payload, link)
        print_notes(named.carried_on(link))
        loaded = named.robot
        if not loaded.n:
            raise ValueError(f"robot '{loaded.name}' has no moving joints")
        if joint is not None:
            joint = carrier(loaded, joint).name
        motion = swing(loaded, STATES, duration)
        with busy(f"Compiling {loaded.name} ..."):
            loaded.inverse_dynamics(motion.q[0], motion.qd[0], motion.qdd[0])
            loaded.joint_wrenches(motion.q[0], motion.qd[0], motion.qdd[0])
    begin = time.perf_counter()
    tau = loaded.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    wrenches = loaded.joint_wrenches(motion.q, motion.qd, motion.qdd)
    elapsed = time.perf_counter() - begin
    if joint is None:
        moving = [k for k, part in enumerate(carriers(loaded)) if part.motion.dof]
        # In closed chains pins carry forces, and only drives and guides carry torques.
        part = wrenches.force if is_closed(loaded) else wrenches.torque
        size = np.linalg.norm(part[:, moving], axis=-1).max(axis=0)
        joint = carrier_names(loaded)[moving[int(size.argmax())]]
    console = terminal()
    with errors_reported():
        rover = named.rover
        wheels: list[RenderableType] = []
        elastic: list[RenderableType] = []
        if isinstance(loaded, lp.FlexibleRobot) or (rover is not None and rover.base.on_tyres):
            with busy(f"Bending {loaded.name} ..."):
                lines = elastic_tables.elastic_lines(cast(lp.FlexibleRobot, loaded) if rover is None else rover, motion)
            elastic += [Text("What gives way", style="bold"), *lines,
                        "The tables below are those of the rigid arm.", ""]  # fmt: skip
        if rover is not None:
            wheels += [tables.wheel_load_table(rover, motion, samples, console), tables.stability_line(rover, motion)]
            wheels.append("")
    show(
        console,
        heading(loaded, payload),
        f"Swing of {motion.t[-1]:.3g} s between two poses, from rest to rest.",
        "",
        *wheels,
        *elastic,
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
    with errors_reported():
        if named.rover is not None:
            parts = [tables.contact_table(named.rover, console), tables.edge_table(named.rover, console), *parts]
    if isinstance(named.robot, (lp.FlexibleRobot, lp.ClosedFlexibleRobot)):
        placed = named.robot.cut if isinstance(named.robot, lp.ClosedFlexibleRobot) else named.robot
        if placed.beams:
            parts.append(elastic_tables.beam_table(placed, console))
        if placed.placed_guides:
            parts.append(elastic_tables.guide_table(placed, console))
        if named.robot.joint_compliances:
            parts.append(elastic_tables.compliance_table(named.robot.joint_compliances, console))
    if any(joint.mimic for joint in named.robot.joints):
        parts.append(tables.mimic_table(named.robot, console))
    lines: list[str] = []
    if isinstance(named.robot, lp.ClosedRobot):
        with errors_reported():
            lines = closed_tables.freedom_lines(named.robot)
        if named.robot.loops:
            parts.append(closed_tables.loop_table(named.robot, console))
        if named.robot.couplings:
            parts.append(closed_tables.coupling_table(named.robot, console))
    if named.robot.parts:
        lines.append(printable(f"Parts: {parts_words(named.robot)}"))
    show(console, heading(named.robot), *lines, "", *parts)
    print_all_warnings(named.warnings)


def count(robot: str, function: list[str] | None) -> None:
    """Multiplications and additions of every function of a robot, and those that the sources print."""
    with errors_reported():
        named = find(robot)
        known = compiled_quantities(type(named.robot) if is_closed(named.robot) else lp.Robot)
        unknown = [name for name in function or () if name not in known]
        if unknown:
            raise ValueError(f"no function '{unknown[0]}'; there are {', '.join(known)}")
        print_warnings(named.warnings)
        print_notes(named.on_standing_base("the counts are"), named.flexible("the counts are"))
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
