"""`loadpath info`: its arguments and options."""

from __future__ import annotations

from loadpath.cli.options import AsJson, RobotName


def info(robot: RobotName = "panda", *, as_json: AsJson = False) -> None:
    """Links, joints, masses and limits of a robot, and warnings about them."""
    from loadpath.cli import info as work

    work.info(robot, as_json=as_json)
