"""`loadpath fastest`: the path of a motion, as quickly as its limits let it be."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, Carried, MotionAsked, RobotName

if will_run():
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, show, terminal, wrote
    from loadpath.cli.robots import find
    from loadpath.cli.states import motion_for
    from loadpath.cli.tables import Sheet
    from loadpath.report.fastest import fastest_section
    from loadpath.report.report import Report
    from loadpath.whole_file import check_ending, check_writable

NONE = 1
PAGES = (".html", ".htm", ".pdf")
LESS_IMPORTANT = ("capacity", "10 % more saves (s)")


def fastest(
    robot: RobotName = "panda",
    *,
    asked: MotionAsked,
    carried: Carried,
    factor: Annotated[float, typer.Option(help="Of all limits: 0.8 leaves a fifth.")] = 1.0,
    acceleration: Annotated[
        float | None, typer.Option(help="A limit of all joint accelerations (rad/s^2, m/s^2).")
    ] = None,
    torque_rate: Annotated[
        float | None, typer.Option(help="A limit of how fast all torques change (N m/s, N/s).")
    ] = None,
    jerk: Annotated[float | None, typer.Option(help="A limit of all joint jerks (rad/s^3, m/s^3).")] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A CSV file to write the motion to, or a page (.html, .pdf).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The motion as a table of its limits, or as JSON; exit code 1 if none keeps them."""
    with errors_reported():
        if output is not None:
            check_ending(output, (".csv", *PAGES), "a motion or a page")
            check_writable(output)
        named = find(robot).with_payload(carried)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            motion = motion_for(named, asked)
            given = {"acceleration": acceleration, "torque_rate": torque_rate, "jerk": jerk}
            limits = {kind: value for kind, value in given.items() if value is not None}
            problem: lp.NoMotionError | None = None
            found: lp.Fastest | None = None
            with busy(f"Searching the fastest motion of {named.robot.name} ..."):
                try:
                    found = named.robot.fastest(motion, limits, factor=factor)
                except lp.NoMotionError as none:
                    problem = none
            if output is not None and output.lower().endswith(PAGES):
                section = fastest_section(found or problem, motion.duration)  # type: ignore[arg-type]  # one of them
                Report(named.robot.name, "The fastest motion on a path.", [section]).save(output)
            elif found is not None and output is not None:
                found.motion.to_csv(output)
    messages = [*named.warnings, *(str(warning.message) for warning in caught)]
    if as_json:
        _print_json(named.robot.name, motion, found, problem, output, messages)
    else:
        print_notes(named.on_standing_base("the limits are"), named.flexible("the limits are"),
                    named.carried_on(carried))
        print_warnings(messages)
        console = terminal()
        if found is None:
            show(console, str(problem))
        else:
            table = found.table()
            show(console, f"{motion.duration:.4g} s as it was; {table.title}", "", Sheet.of(table, LESS_IMPORTANT))
            if found.left_out:
                show(console, f"not limited here: {', '.join(found.left_out)}; loadpath verdict checks them")
    if found is None:
        raise typer.Exit(NONE)
    if output is not None and not as_json:
        wrote(output)


def _print_json(
    name: str, motion: lp.Motion, found: lp.Fastest | None, problem: lp.NoMotionError | None, output: str | None,
    messages: list[str],
) -> None:
    if found is None:
        assert problem is not None
        print_json(robot=name, before=motion.duration, duration=None, certificate=None, limits=None, rules=None,
                   at_rest=[vars(each) for each in problem.at_rest], pair=[vars(each) for each in problem.pair],
                   left_out=[], file=None, warnings=messages)
        return
    costs, used = found.costs, found.utilisation.max(axis=0)
    limits = [{**limit._asdict(), "utilisation": float(used[k]), "saves": costs.get(str(limit))}
              for k, limit in enumerate(found.limits)]
    print_json(robot=name, before=motion.duration, duration=found.duration, certificate=found.certificate,
               limits=limits, rules=[stretch._asdict() for stretch in found.rules], at_rest=None, pair=None,
               left_out=list(found.left_out), file=output, warnings=messages)
