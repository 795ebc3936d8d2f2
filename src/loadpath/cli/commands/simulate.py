"""`loadpath simulate`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli.options import AsJson, Payload, PayloadLink, Positions, RobotName, Speeds


def simulate(
    robot: RobotName = "panda",
    *,
    q: Positions = None,
    qd: Speeds = None,
    torque: Annotated[
        str,
        typer.Option(
            help="Forces of the drives: 'zero', 'hold' (what holds the robot at the start), or a CSV file with the "
            "columns t and the names of the drives, as loadpath loads --csv writes."
        ),
    ] = "zero",
    duration: Annotated[float, typer.Option(help="How long (s).")] = 1.0,
    rate: Annotated[float, typer.Option(min=1e-3, max=1e6, help="Samples a second of the result.")] = 100.0,
    velocity: Annotated[
        str | None, typer.Option(help="Of a rover, the velocity of its base at the start: v,w or vx,vy,w (m/s, rad/s).")
    ] = None,
    payload: Payload = 0.0,
    link: PayloadLink = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="A file to write, .csv or .npz: positions, speeds, forces, energies."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """A robot, flexible arm or rover set free in a state: how it moves, where the energy goes, what happens."""
    from loadpath.cli import simulate as work

    work.simulate(robot, q=q, qd=qd, torque=torque, duration=duration, rate=rate, velocity=velocity, payload=payload,
                  link=link, output=output, as_json=as_json)  # fmt: skip
