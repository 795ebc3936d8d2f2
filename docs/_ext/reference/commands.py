"""The page of the command line, from its own help."""

from __future__ import annotations

import inspect

import typer

from loadpath.cli.app import COMMANDS, app
from loadpath.cli.app import command as command_of
from loadpath.cli.json_output import KEYS

EXAMPLES = {
    "new": "loadpath new robot.urdf -o project.toml",
    "info": "loadpath info puma560",
    "check": "loadpath check arm.urdf --fix -o fixed.urdf",
    "convert": "loadpath convert robot.xml robot.urdf",
    "view": "loadpath view robot.urdf --motion cycle.csv",
    "demo": "loadpath demo robot.urdf --payload 2.5",
    "loads": "loadpath loads robot.urdf --q elbow=90deg --joint elbow --causes 5",
    "deflect": "loadpath deflect project.toml --q elbow=90deg",
    "rover": "loadpath rover project.toml --velocity 1,0 --acceleration -2,0",
    "simulate": "loadpath simulate project.toml --torque hold --duration 2 -o free.csv",
    "report": "loadpath report robot.urdf --payload 2.5 --motion cycle.csv -o cycle.html",
    "compare": "loadpath compare light.toml stiff.toml -o compare.html",
    "verdict": "loadpath verdict project.toml --csv checks.csv",
    "fastest": "loadpath fastest project.toml --motion cycle.csv -o quicker.csv",
    "study": "loadpath study project.toml --front mass,utilisation --why knee --csv designs.csv",
    "equations": "loadpath equations two_link --latex",
    "count": "loadpath count puma560 --function inverse_dynamics",
    "verify": "loadpath verify puma560",
    "export": "loadpath export robot.urdf inverse_dynamics -o arm.c",
    "bench": "loadpath bench robot.urdf",
}


def page() -> str:
    """All commands with their arguments and options."""
    parts = [
        "# Reference: command line\n",
        f"{app.info.help}\n",
        "What is wrong with a request is one line on stderr and the exit code 2. "
        "`loadpath --version` prints the version.\n",
    ]
    for name, summary in COMMANDS.items():
        command = command_of(name, summary)
        context = typer.Context(command, info_name=f"loadpath {name}")
        usage = " ".join(piece for piece in command.collect_usage_pieces(context))
        parts += [f"## loadpath {name}\n", f"{inspect.cleandoc(command.help or '')}\n"]
        parts += [f"```sh\nloadpath {name} {usage}\n```\n"]
        if name in EXAMPLES:
            parts += [f"For example:\n\n```sh\n{EXAMPLES[name]}\n```\n"]
        rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
        if rows:
            parts += ["| argument or option | meaning | if left out |\n|---|---|---|\n" + "\n".join(rows) + "\n"]
        if name in KEYS:
            keys = "\n".join(f"| `{key}` | {meaning} |" for key, meaning in KEYS[name].items())
            parts += [f"With `--json`, an object with these keys:\n\n| key | what it is |\n|---|---|\n{keys}\n"]
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
