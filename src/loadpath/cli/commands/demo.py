"""`loadpath demo`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import AsJson, Payload, PayloadLink, RobotName


def demo(
    robot: RobotName = "panda",
    *,
    samples: Annotated[int, typer.Option(min=2, max=50, help="Instants of the motion to show.")] = 6,
    payload: Payload = 0.0,
    link: PayloadLink = None,
    joint: Annotated[str | None, typer.Option(help="Joint to show in full, if not the most loaded.")] = None,
    duration: Annotated[float | None, typer.Option(help="Duration of the motion (s).")] = None,
    as_json: AsJson = False,
) -> None:
    """Torques and joint wrenches of a robot over a short smooth motion."""
    from loadpath.cli import demo as work

    work.demo(robot, samples=samples, payload=payload, link=link, joint=joint, duration=duration,
              as_json=as_json)  # fmt: skip
