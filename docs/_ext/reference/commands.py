"""The page of the command line, from its own help."""

from __future__ import annotations

import inspect

import typer
from typer.core import TyperGroup
from typer.main import get_command

from loadpath.cli.app import app

EXAMPLES = {
    "demo": "loadpath demo robot.urdf --payload 2.5",
    "info": "loadpath info puma560",
    "count": "loadpath count puma560 --function inverse_dynamics",
    "equations": "loadpath equations two_link --latex",
    "verify": "loadpath verify puma560",
    "verdict": "loadpath verdict cell.toml --csv checks.csv",
    "check": "loadpath check arm.urdf --fix -o fixed.urdf",
    "report": "loadpath report robot.urdf --payload 2.5 --motion cycle.csv -o cycle.html",
    "convert": "loadpath convert robot.xml robot.urdf",
    "view": "loadpath view robot.urdf --motion cycle.csv",
    "compare": "loadpath compare light.toml stiff.toml -o compare.html",
}


def page() -> str:
    """All commands with their arguments and options."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    parts = [
        "# Reference: command line\n",
        f"{group.help}\n",
        "What is wrong with a request is one line on stderr and the exit code 2. "
        "`loadpath --version` prints the version.\n",
    ]
    for name, command in group.commands.items():
        context = typer.Context(command, info_name=f"loadpath {name}")
        usage = " ".join(piece for piece in command.collect_usage_pieces(context))
        parts += [f"## loadpath {name}\n", f"{inspect.cleandoc(command.help or '')}\n"]
        parts += [f"```sh\nloadpath {name} {usage}\n```\n"]
        if name in EXAMPLES:
            parts += [f"For example:\n\n```sh\n{EXAMPLES[name]}\n```\n"]
        rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
        if rows:
            parts += ["| argument or option | meaning | if left out |\n|---|---|---|\n" + "\n".join(rows) + "\n"]
    return "\n".join(parts)


def _row(parameter: typer.core.TyperArgument | typer.core.TyperOption) -> str:
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    if isinstance(parameter, typer.core.TyperArgument):
        names = "`" + (parameter.metavar or parameter.name or "").strip("[]") + "`"
    default = parameter.default
    none = default is None or default is False or callable(default)
    shown = "" if none else f"`{getattr(default, 'value', default)}`"
    text = " ".join((getattr(parameter, "help", "") or "").split()).replace("|", r"\|")
    return f"| {names} | {text} | {shown} |"
