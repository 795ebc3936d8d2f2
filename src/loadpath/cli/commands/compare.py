"""`loadpath compare`: its arguments and options."""

from __future__ import annotations

from typing import Annotated

import typer

from loadpath.cli import completion
from loadpath.cli.options import AsJson, Payload, PayloadLink, SwingDuration


def compare(
    first: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT",
            help="The one design: a project file, a robot's file, or a robot of the catalog.",
            autocompletion=completion.robots,
        ),
    ],
    second: Annotated[
        str, typer.Argument(metavar="ROBOT", help="The other design.", autocompletion=completion.robots)
    ],
    *,
    motion: Annotated[
        str | None, typer.Option(help="The motion of both: a file, or 'swing'; else that of the cells, or a swing.")
    ] = None,
    payload: Payload = 0.0,
    link: PayloadLink = None,
    duration: SwingDuration = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="An HTML or PDF file to write as well.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Two designs over one motion side by side: loads, utilisation, and the causes that changed."""
    from loadpath.cli import compare as work

    work.compare(first, second, motion, payload=payload, link=link, duration=duration, output=output,
                 as_json=as_json)  # fmt: skip
