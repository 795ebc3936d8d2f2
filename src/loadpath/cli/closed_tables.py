"""What the commands print of closed chains: loops, couplings, freedoms and drives."""

from __future__ import annotations

from rich.console import Console, Group

from loadpath.api.kinds import ClosedRobot
from loadpath.cli.sheet import Sheet, titled
from loadpath.printable import printable
from loadpath.report.closed import ratio_words


def loop_table(robot: ClosedRobot, console: Console) -> Group:
    """The joints that close the loops."""
    table = Sheet(["loop", "type", "first link", "second link", "holds"], left=4)
    for loop in robot.loops:
        table.add_row(loop.name, type(loop.motion).__name__.lower(), loop.first, loop.second, str(loop.rows))
    return titled("Joints that close loops, and how many directions each holds", table)


def coupling_table(robot: ClosedRobot, console: Console) -> Group:
    """Fixed ratios between speeds."""
    table = Sheet(["coupling", "of speeds"], left=2)
    for coupling in robot.couplings:
        speeds = " ".join(ratio_words(*ratio) for ratio in coupling.ratios).removeprefix("+ ")
        table.add_row(coupling.name, f"{speeds} = 0")
    return titled("Couplings", table)


def freedom_lines(robot: ClosedRobot) -> list[str]:
    """Mobility, counted and real, and who drives it."""
    lines = [*robot.mobility_report().splitlines(), f"passive: {', '.join(robot.passive) or 'none'}"]
    return [printable(line) for line in lines]
