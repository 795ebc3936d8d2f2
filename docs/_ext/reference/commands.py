"""The command line, from its own help."""

from __future__ import annotations

import inspect

import typer

from docs._ext.reference.layout import Topic
from loadpath.cli.app import app
from loadpath.cli.app import command as command_of
from loadpath.cli.command_list import COMMANDS, EXAMPLES
from loadpath.cli.json_output import KEYS


def about() -> str:
    """What holds for all commands."""
    return (
        f"{app.info.help}\n\nWhat is wrong with a request is one line on stderr and the exit code 2. "
        "`loadpath --version` prints the version."
    )


def topics() -> list[Topic]:
    """All commands with their arguments and options."""
    return [Topic(f"loadpath {name}", (), _of(name, summary), summary) for name, summary in COMMANDS.items()]


def _of(name: str, summary: str) -> str:
    command = command_of(name, summary)
    context = typer.Context(command, info_name=f"loadpath {name}")
    usage = " ".join(piece for piece in command.collect_usage_pieces(context))
    examples = "\n".join(EXAMPLES[name])
    parts = [
        f"{inspect.cleandoc(command.help or '')}\n",
        f"```sh\nloadpath {name} {usage}\n```\n",
        f"For example:\n\n```sh\n{examples}\n```\n",
    ]
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
