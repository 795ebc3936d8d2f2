"""`loadpath export`: a quantity of a robot, for other tools."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from loadpath.cli.app import will_run
from loadpath.cli.options import STANDARD_OUTPUT, AsJson, Carried, Payload, RobotName

if will_run():
    from rich.text import Text

    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, terminal
    from loadpath.cli.robots import find
    from loadpath.exports.c_source import c_source
    from loadpath.exports.casadi_function import casadi_function
    from loadpath.exports.javascript import javascript_source
    from loadpath.exports.request import Request, request
    from loadpath.exports.webassembly.kernel import webassembly
    from loadpath.printable import printable
    from loadpath.whole_file import check_ending, check_writable, write_whole


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


ENDINGS: dict[Targets, tuple[str, ...]] = {
    Targets.c: (".c", ".h"),
    Targets.casadi: (".casadi",),
    Targets.javascript: (".js", ".mjs"),
    Targets.wasm: (".wasm",),
}


_PROTOTYPE = re.compile(r"^void [^{};]*;$", re.MULTILINE)
"""Of a C function."""


@dataclass(frozen=True)
class Choices:
    """What is chosen about the quantity."""

    link: Annotated[str | None, typer.Option(help="The link, of quantities that are of one.")] = None
    formulation: Annotated[str | None, typer.Option(help="The method.")] = None
    external: Annotated[
        list[str] | None,
        typer.Option(
            help="A link with an external wrench, an argument then: in world axes, or as hand=link in "
            "those of the link; several times."
        ),
    ] = None
    array: Annotated[
        list[str] | None, typer.Option(help="An argument that may be left out and shall not be; several times.")
    ] = None
    choice: Annotated[
        list[str] | None, typer.Option(help="A choice of the quantity, as joint=joint2; several times.")
    ] = None
    parameter: Annotated[
        list[str] | None,
        typer.Option(help="A number that becomes an argument: gravity, payload.mass, link3.length, ...; several "
                     "times."),
    ] = None

    @property
    def keywords(self) -> dict[str, Any]:
        """As keywords of a request."""
        return {
            "link": self.link,
            "formulation": self.formulation,
            "external": self._axes,
            "arrays": tuple(self.array or ()),
            "choices": {key: _value(key, value) for key, value in map(_pair, self.choice or ())},
            "parameters": tuple(self.parameter or ()),
        }

    @property
    def _axes(self) -> dict[str, str]:
        pairs = [_pair(text) for text in self.external or ()]
        links = [link for link, _ in pairs]
        twice = next((link for link in links if links.count(link) > 1), None)
        if twice is not None:
            raise ValueError(f"--external names the link '{twice}' twice")
        return {link: axes or "world" for link, axes in pairs}


@dataclass(frozen=True)
class Style:
    """How source is written."""

    function_name: Annotated[str | None, typer.Option(help="Name of the function in C or JavaScript.")] = None
    scalar: Annotated[Scalars, typer.Option(help="Numbers of C.")] = Scalars.double
    module: Annotated[Modules, typer.Option(help="An ES module or a script, of JavaScript.")] = Modules.esm


def export(
    robot: RobotName,
    quantity: Annotated[str, typer.Argument(help="What to export, as inverse_dynamics or joint_wrenches.")],
    *,
    to: Annotated[Targets | None, typer.Option("--to", help="Left out: by the ending of --output, else C.")] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write; '-' is standard output. A module (.wasm) gets its "
                          "loader (.js) beside it.")
    ] = "-",
    payload: Payload = 0.0,
    payload_link: Annotated[
        str | None, typer.Option(help="Link that carries the payload, if not the last.")
    ] = None,
    choices: Choices,
    style: Style,
    as_json: AsJson = False,
) -> None:
    """Writes the export."""
    with errors_reported():
        target = to or _by_ending(output)
        _check(target, output, style, as_json=as_json)
        carried = Carried(payload, payload_link)
        named = find(robot).with_payload(carried)
        if not as_json:
            print_warnings(named.warnings)
        on = named.carried_on(carried)
        print_notes(named.on_standing_base("what is exported is of"), on and on.replace("--link", "--payload-link"))
        with busy(f"Exporting {quantity} of {named.robot.name} ..."):
            asked = request(named.robot, quantity, **choices.keywords)
            content, beside = MAKERS[target](asked, style)
    if output in STANDARD_OUTPUT:
        if target is Targets.wasm:
            sys.stdout.buffer.write(content)
        else:
            typer.echo(content.decode(), nl=False)
        return
    with errors_reported():
        files = {Path(output): content}
        if beside:
            files[Path(output).with_suffix(".js")] = beside
        for path in files:
            check_writable(path)
        for path, text in files.items():
            write_whole(path, lambda file, text=text: file.write(text))  # type: ignore[misc]
    if as_json:
        print_json(**_described(asked, target, files), warnings=named.warnings)
        return
    listed = Text(" and ").join([Text(printable(str(path)), "bold") for path in files])
    terminal().print(Text.assemble("Wrote ", listed, "."), soft_wrap=True)
    if target is Targets.c and (prototype := _PROTOTYPE.search(content.decode())):
        terminal().print(prototype[0])


def _c(asked: Request, style: Style) -> tuple[bytes, bytes]:
    scalar: Literal["double", "float"] = style.scalar.value
    return c_source(asked, style.function_name, scalar).encode(), b""


def _casadi(asked: Request, style: Style) -> tuple[bytes, bytes]:
    return (casadi_function(asked).serialize() + "\n").encode(), b""


def _javascript(asked: Request, style: Style) -> tuple[bytes, bytes]:
    module: Literal["esm", "script"] = style.module.value
    return javascript_source(asked, style.function_name, module).encode(), b""


def _wasm(asked: Request, style: Style) -> tuple[bytes, bytes]:
    kernel = webassembly(asked)
    return kernel.module, kernel.javascript.encode()


MAKERS: dict[Targets, Callable[[Request, Style], tuple[bytes, bytes]]] = {
    Targets.c: _c,
    Targets.casadi: _casadi,
    Targets.javascript: _javascript,
    Targets.wasm: _wasm,
}
"""What makes the content of the file, and of one beside it."""


def _by_ending(output: str) -> Targets:
    suffix = Path(output).suffix.lower()
    return next((target for target, endings in ENDINGS.items() if suffix in endings), Targets.c)


def _check(target: Targets, output: str, style: Style, *, as_json: bool) -> None:
    """Refuse what does not go together, before anything is traced."""
    if style.function_name is not None and target not in (Targets.c, Targets.javascript):
        raise ValueError(f"--function-name is for C and JavaScript; {target.value} has none")
    if style.scalar is not Scalars.double and target is not Targets.c:
        raise ValueError(f"--scalar is for C; {target.value} is in double precision")
    if style.module is not Modules.esm and target is not Targets.javascript:
        raise ValueError(f"--module is for JavaScript, not for {target.value}")
    if output not in STANDARD_OUTPUT:
        check_ending(output, ENDINGS[target], f"an export to {target.value}")
        check_writable(output)
    elif as_json:
        raise ValueError("--json says what was written into a file: name one with --output")
    elif target is Targets.wasm and sys.stdout.isatty():
        raise ValueError("a module is not for a terminal to show: name a file with --output")


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def _value(key: str, text: str) -> Hashable:
    """A choice from its text: truths and numbers are what they are."""
    if not text:
        raise ValueError(f"--choice is '{key}': expected NAME=VALUE")
    return {"true": True, "false": False}.get(text.lower(), text)


def _described(asked: Request, target: Targets, files: dict[Path, bytes]) -> dict[str, Any]:
    program = asked.program()
    return {
        "quantity": asked.name,
        "robot": asked.robot.name,
        "to": target.value,
        "files": [{"file": str(path), "bytes": len(content)} for path, content in files.items()],
        "arguments": [{"name": operand.name, "shape": operand.shape} for operand in program.inputs],
        "results": [{"name": operand.name, "shape": operand.shape} for operand in program.outputs],
    }
