"""`loadpath equations`: equations of motion of a robot, as text, LaTeX or code."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from loadpath.cli.app import will_run
from loadpath.cli.options import STANDARD_OUTPUT, AsJson, RobotName

if will_run():

    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, wrote
    from loadpath.cli.robots import find
    from loadpath.equations import Equations
    from loadpath.printable import printable, storable
    from loadpath.whole_file import check_ending, check_writable, write_whole

FEW_FREEDOMS = 3
"""Up to this many degrees of freedom, equations have symbols unless asked otherwise."""


class Parameters(StrEnum):
    """What stands for the constants of a robot."""

    numbers = "numbers"
    symbols = "symbols"


class SourceLetters(StrEnum):
    """Sources whose letters equations may have."""

    lau = "lau"
    angeles = "angeles"
    course = "course"
    lecture = "lecture"


class Languages(StrEnum):
    """Languages that equations are written in as functions."""

    python = "python"
    c = "c"
    matlab = "matlab"


ENDINGS = {"tex": (".tex", ".ltx"), "python": (".py",), "c": (".c", ".h"), "matlab": (".m",), "text": (".txt", ".md")}
AS_CODE = ("mass_matrix", "velocity_forces", "gravity", "torques")
"""Objects that are written as code if none is named."""


def equations(
    robot: RobotName = "two_link",
    *,
    formulation: Annotated[str, typer.Option(help="The method they are derived by.")] = "newton-euler",
    parameters: Annotated[
        Parameters | None,
        typer.Option(help=f"What stands for the constants; symbols if there are at most {FEW_FREEDOMS} degrees of "
                          "freedom."),
    ] = None,
    letters: Annotated[
        SourceLetters | None, typer.Option(help="Whose letters to use, for coordinates and speeds too.")
    ] = None,
    objects: Annotated[
        list[str] | None,
        typer.Option("--object", help="Print this object, like joint_wrenches; may be given several times."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print all objects.")] = False,
    latex: Annotated[
        bool, typer.Option("--latex", help="LaTeX instead of text; a whole document with --all or -o.")
    ] = False,
    code: Annotated[Languages | None, typer.Option(help="Functions in this language instead of text.")] = None,
    digits: Annotated[int, typer.Option(min=1, max=15, help="Digits of decimal numbers.")] = 6,
    output: Annotated[str, typer.Option("--output", "-o", help="The file to write; '-' is standard output.")] = "-",
    as_json: AsJson = False,
) -> None:
    """Equations of motion of a robot, in symbols or with its numbers."""
    with errors_reported():
        _check(objects, everything=everything, latex=latex, code=code, output=output)
        if as_json and (latex or code is not None or output not in STANDARD_OUTPUT):
            raise ValueError("--json is a form of its own: leave out --latex, --code and -o")
        named = find(robot)
        if not as_json:
            print_warnings(named.warnings)
        print_notes(named.on_standing_base("the equations are"), named.flexible("the equations are"))
        if not named.robot.n:
            raise ValueError(f"robot '{named.robot.name}' has no moving joints: it has no equations of motion")
        choice = parameters or (Parameters.symbols if named.robot.n <= FEW_FREEDOMS or letters else Parameters.numbers)
        whole = latex and (everything or output not in STANDARD_OUTPUT)
        with busy(f"Deriving the equations of {named.robot.name} ..."):
            found = named.robot.equations(formulation, choice.value, letters=letters and letters.value)
            if as_json:
                _print_json(found, objects, everything=everything, digits=digits, warnings=named.warnings)
                return
            if code is not None:
                text = found.code(_available(found) if everything else objects or AS_CODE, code.value)
            elif whole:
                text = found.document(objects or None, digits=digits) + "\n"
            elif latex:
                text = "\n".join(_latex(found, objects, digits)) + "\n"
            else:
                text = "\n".join(_lines(found, objects, everything=everything, digits=digits)) + "\n"
    if output in STANDARD_OUTPUT:
        typer.echo(text, nl=False)
        return
    with errors_reported():
        write_whole(output, lambda file: file.write(storable(text).encode()))
    wrote(output)


def _check(objects: list[str] | None, *, everything: bool, latex: bool, code: Languages | None, output: str) -> None:
    """Refuse what does not go together, before anything is derived."""
    if latex and code is not None:
        raise ValueError("--latex and --code are two forms of the same: choose one")
    if objects and everything:
        raise ValueError("--object and --all: choose one")
    if output in STANDARD_OUTPUT:
        return
    if code is Languages.matlab and (everything or len(objects or AS_CODE) > 1):
        raise ValueError("MATLAB calls the first function of a file only: name one object, like --object mass_matrix")
    kind = "tex" if latex else code.value if code else "text"
    check_ending(output, ENDINGS[kind], "this")
    check_writable(output)


def _available(found: Equations) -> list[str]:
    """The objects that this robot has in symbols; of the others standard error says why not."""
    names, missing = [], []
    for name in found.objects:
        try:
            found[name]
        except ValueError as problem:
            missing.append(f"{name}: {printable(str(problem))}")
        else:
            names.append(name)
    print_notes(*missing)
    return names


def _print_json(
    found: Equations, objects: list[str] | None, *, everything: bool, digits: int, warnings: list[str]
) -> None:
    if objects or everything:
        names = objects if objects else _available(found)
        made = {name: dict(found[name].lines(digits=digits)) for name in names}
    else:
        made = {"equations": dict(found.lines(digits=digits))}
    print_json(robot=found.robot_name, formulation=found.formulation, objects=made,
               parameters={str(symbol): float(value) for symbol, value in found.parameters.items()},
               notes=found.notes(), warnings=warnings)


def _latex(found: Equations, objects: list[str] | None, digits: int) -> list[str]:
    return [found.latex(name, digits=digits) for name in objects] if objects else [found.latex(digits=digits)]


def _lines(found: Equations, objects: list[str] | None, *, everything: bool, digits: int) -> list[str]:
    """The equations, or some of their objects, as text."""
    if not objects and not everything:
        text = [f"'{printable(found.robot_name)}' by {found.formulation}: {found.heading}"]
        text += [f"{name} = {entry}" for name, entry in found.lines(digits=digits)]
    else:
        text = []
        for name in objects or found.objects:
            try:
                made = found[name]
                lines = made.lines(digits=digits)
            except ValueError as problem:
                if objects:
                    raise
                text += [f"{name}: {printable(str(problem))}", ""]
                continue
            text += [f"{name}: {made.meaning}", *(f"{entry} = {value}" for entry, value in lines), ""]
    text += [printable(note) for note in found.notes()]
    if found.parameters:
        text.append(", ".join(f"{symbol} = {value:.{digits}g}" for symbol, value in found.parameters.items()))
    return text
