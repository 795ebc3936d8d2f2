"""Commands that are imported when they are used: a command is a module of `loadpath.cli.commands`, with a function of
its name whose parameters are its arguments and options.

To list the commands no module is needed. To complete words and to show the help of a command its signature is enough:
`will_run` is then false while its module is imported, and what the module imports for its work is left out. Such a
module is not kept.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import typer
from typer.core import TyperCommand

from loadpath.cli.exits import Commands
from loadpath.cli.signatures import with_shared_options

_FOLDER = "loadpath.cli.commands"


class _Imported:
    """Why a command's module is being imported."""

    to_run = True


def will_run() -> bool:
    """Whether a command is imported to be run, and not for its signature alone."""
    return _Imported.to_run


def command(name: str, summary: str, *, to_run: bool = True) -> TyperCommand:
    """A command with its arguments and options; one that is not to run can be completed and show its help."""
    program = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    with _imported(name, to_run) as module:
        program.command(name=name, help=summary)(with_shared_options(getattr(module, name)))
    made = typer.main.get_command(program)
    assert isinstance(made, TyperCommand)
    return made


@contextmanager
def _imported(name: str, to_run: bool) -> Iterator[ModuleType]:
    path = f"{_FOLDER}.{name}"
    if to_run or path in sys.modules:
        yield importlib.import_module(path)
        return
    _Imported.to_run = False
    try:
        yield importlib.import_module(path)
    finally:
        _Imported.to_run = True
        sys.modules.pop(path, None)
        vars(sys.modules[_FOLDER]).pop(name, None)


def group_of(summaries: Mapping[str, str]) -> type[Commands]:
    """The group of commands that are there by name and summary until one is asked for."""

    class Group(Commands):
        def __init__(self, **options: Any) -> None:
            listed: Any = {name: TyperCommand(name, help=summary) for name, summary in summaries.items()}
            super().__init__(**{**options, "commands": listed})

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """The command that is called, completed or explained."""
            name, listed, rest = super().resolve_command(ctx, args)
            if name is None or name not in summaries:
                return name, listed, rest
            return name, command(name, summaries[name], to_run=not ctx.resilient_parsing and rest != ["--help"]), rest

    return Group
