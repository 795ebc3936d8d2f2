"""`loadpath export`: its arguments and options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from loadpath.cli.options import AsJson, RobotName


class Targets(StrEnum):
    """What a quantity is exported to."""

    c = "c"
    casadi = "casadi"
    javascript = "javascript"
    wasm = "wasm"


class Scalars(StrEnum):
    """Numbers of C source."""

    double = "double"
    float = "float"


class Modules(StrEnum):
    """Kinds of JavaScript."""

    esm = "esm"
    script = "script"


def export(
    robot: RobotName,
    quantity: Annotated[str, typer.Argument(help="What to export, as inverse_dynamics or joint_wrenches.")],
    *,
    to: Annotated[Targets | None, typer.Option("--to", help="Left out: by the ending of --output, else C.")] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write; '-' is standard output. A module (.wasm) gets its "
                          "loader (.js) beside it.")
    ] = "-",
    link: Annotated[str | None, typer.Option(help="The link, of quantities that are of one.")] = None,
    formulation: Annotated[str | None, typer.Option(help="The method.")] = None,
    external: Annotated[
        list[str] | None,
        typer.Option(help="A link with an external wrench, an argument then: in world axes, or as hand=link in "
                     "those of the link; several times."),
    ] = None,
    array: Annotated[
        list[str] | None, typer.Option(help="An argument that may be left out and shall not be; several times.")
    ] = None,
    choice: Annotated[
        list[str] | None, typer.Option(help="A choice of the quantity, as joint=joint2; several times.")
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(help="A constant that becomes an argument: gravity, or as payload.mass the mass of a link; "
                     "several times."),
    ] = None,
    function_name: Annotated[str | None, typer.Option(help="Name of the function in C or JavaScript.")] = None,
    scalar: Annotated[Scalars, typer.Option(help="Numbers of C.")] = Scalars.double,
    module: Annotated[Modules, typer.Option(help="An ES module or a script, of JavaScript.")] = Modules.esm,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """A quantity of a robot for other tools: C, a CasADi function, JavaScript, WebAssembly."""
    from loadpath.cli import export as work

    options = work.Options(link, formulation, tuple(external or ()), tuple(array or ()), tuple(choice or ()),
                           tuple(parameter or ()))  # fmt: skip
    style = work.Style(function_name, scalar, module)
    work.export(robot, quantity, to, output, options, style, as_json=as_json)
