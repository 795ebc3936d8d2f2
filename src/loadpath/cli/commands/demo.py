"""`loadpath demo`: torques and joint wrenches of a robot over a swing."""

from __future__ import annotations

import time
from typing import Annotated, Any, cast

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, Carried, RobotName

if will_run():
    import numpy as np
    from rich.console import RenderableType
    from rich.text import Text

    from loadpath.cli import tables
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, heading, print_notes, print_warnings, show, terminal
    from loadpath.cli.robots import Named, find, joint_of
    from loadpath.cli.states import swing
    from loadpath.quantities.carriers import carriers, is_closed

STATES = 2001


def demo(
    robot: RobotName = "panda",
    *,
    samples: Annotated[int, typer.Option(min=2, max=50, help="Instants of the motion to show.")] = 6,
    carried: Carried,
    joint: Annotated[str | None, typer.Option(help="Joint to show in full, if not the most loaded.")] = None,
    duration: Annotated[float | None, typer.Option(help="Duration of the motion (s).")] = None,
    as_json: AsJson = False,
) -> None:
    """Torques and joint wrenches of a robot over a short smooth motion."""
    with errors_reported():
        named = find(robot)
        if not as_json:
            print_warnings(named.warnings)
        named = named.with_payload(carried)
        print_notes(None if as_json else named.carried_on(carried))
        loaded = named.robot
        if not loaded.n:
            raise ValueError(f"robot '{loaded.name}' has no moving joints")
        if joint is not None:
            joint = joint_of(loaded, joint)
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
        joint = loaded.closed_joint_names[moving[int(size.argmax())]]
    if as_json:
        _print_json(named, motion, tau, wrenches, samples)
        return
    console = terminal()
    with errors_reported():
        rover = named.rover
        wheels: list[RenderableType] = []
        elastic: list[RenderableType] = []
        if isinstance(loaded, lp.FlexibleRobot) or (rover is not None and rover.base.on_tyres):
            with busy(f"Bending {loaded.name} ..."):
                lines = tables.elastic_lines(cast(lp.FlexibleRobot, loaded) if rover is None else rover, motion)
            elastic += [Text("What gives way", style="bold"), *lines,
                        "The tables below are those of the rigid arm.", ""]
        if rover is not None:
            wheels += [tables.wheel_load_table(rover, motion, samples, console), tables.stability_line(rover, motion)]
            wheels.append("")
    show(
        console,
        heading(loaded, carried.payload),
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


def _print_json(named: Named, motion: lp.Motion, tau: Any, wrenches: Any, samples: int) -> None:
    """Drives and joint wrenches at the instants that the tables show."""
    at = np.linspace(0, len(motion.t) - 1, samples).round().astype(int)
    units = tables.dof_units(named.robot)
    drives = [{"drive": name, "unit": unit, "values": tau[at, k]}
              for k, (name, unit) in enumerate(zip(named.robot.dof_names, units, strict=True))]
    joints = [{"joint": name, "force": wrenches[name].force[at], "torque": wrenches[name].torque[at]}
              for name in named.robot.closed_joint_names]
    print_json(robot=named.robot.name, duration=motion.t[-1], times=motion.t[at], drives=drives, joints=joints,
               warnings=named.warnings)
