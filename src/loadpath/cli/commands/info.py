"""`loadpath info`: what a robot or rover is made of."""

from __future__ import annotations

import loadpath as lp
from loadpath.cli.lazy import will_run
from loadpath.cli.options import AsJson, RobotName

if will_run():
    from loadpath.cli import elastic_tables, tables
    from loadpath.cli.described import described
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import errors_reported, heading, print_all_warnings, show, terminal
    from loadpath.cli.robots import find
    from loadpath.drawing.robot_table import parts_words
    from loadpath.printable import printable


def info(robot: RobotName = "panda", *, as_json: AsJson = False) -> None:
    """Links, joints, masses and limits of a robot, and warnings about them."""
    with errors_reported():
        named = find(robot)
        if as_json:
            print_json(**described(named))
            return
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
            lines = tables.freedom_lines(named.robot)
        if named.robot.loops:
            parts.append(tables.loop_table(named.robot, console))
        if named.robot.couplings:
            parts.append(tables.coupling_table(named.robot, console))
    if named.robot.parts:
        lines.append(printable(f"Parts: {parts_words(named.robot)}"))
    show(console, heading(named.robot), *lines, "", *parts)
    print_all_warnings(named.warnings)
