"""The program `loadpath` and its commands, which are imported when they are used."""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from loadpath import plugins
from loadpath.cli.command_list import COMMANDS, EXAMPLES, GROUP_OF, OTHERS
from loadpath.cli.options import ROBOTS, Debug, NoProgress, Trust, Xacro, loading_options, robots_of_plugins
from loadpath.errors import ModelError, PluginWarning
from loadpath.printable import message_of, printable
from loadpath.progress import hidden

# How the program ends: what went wrong in one line, and a code that scripts can rely on.
#
# 0: done. 1: `verify` found a difference, `verdict` a part that does not hold, `study` no design
# that is asked for, `size` no combination that holds, or `check` errors or warnings. 2: the
# request, a file or the output was wrong. 3: a fault of the program itself. 130: interrupted.
# 141: whoever read the output left, as in `loadpath demo | head` (128 and the number of SIGPIPE, as shells count).
#
# No traceback is printed unless `--debug` asks for it.


WRONG = 2
FAULT = 3
INTERRUPTED = 130
READER_LEFT = 141

UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""What Typer raises for unknown commands and options; it does not export it."""


class _Debugging:
    """Whether tracebacks are printed."""

    asked = False


@contextmanager
def debugging(asked: bool) -> Iterator[None]:
    """Print tracebacks of what goes wrong meanwhile, if that is asked for, or was before."""
    before = _Debugging.asked
    _Debugging.asked = before or asked
    try:
        yield
    except (typer.Exit, typer.Abort, KeyboardInterrupt, UsageError):
        raise
    except Exception:
        print_traceback()
        raise
    finally:
        _Debugging.asked = before


def print_traceback() -> None:
    """The traceback of the exception that is being handled, with `--debug`."""
    if _Debugging.asked:
        with suppress(OSError):
            typer.echo(traceback.format_exc(), err=True, nl=False)


class Commands(TyperGroup):
    """The group of commands: whatever goes wrong in one of them is one line on stderr."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(_silenced(READER_LEFT)) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except MemoryError as problem:
            raise typer.Exit(complain(str(problem) or "there is not enough memory for this")) from None
        except OSError as problem:  # those about files are reported where they are read
            raise typer.Exit(_not_written(problem)) from None
        except (typer.Exit, typer.Abort, UsageError):
            raise
        except Exception as problem:
            raise typer.Exit(_fault(problem)) from None

    def main(self, *args: Any, standalone_mode: bool = True, **options: Any) -> Any:
        """Run the program."""
        with _plugin_warnings_in_one_line():
            return self._main(*args, standalone_mode=standalone_mode, **options)

    def _main(self, *args: Any, standalone_mode: bool, **options: Any) -> Any:
        start: Any = super().main
        _accept_all_letters()
        if not standalone_mode:
            return start(*args, standalone_mode=False, **options)
        try:
            code = start(*args, standalone_mode=False, **options)
        except UsageError as problem:
            if type(problem).__name__ == "NoArgsIsHelpError":
                problem.show()  # type: ignore[attr-defined]
                sys.exit(WRONG)
            code = complain(_usage(problem))
        except (typer.Abort, KeyboardInterrupt):
            code = INTERRUPTED
        except OSError as problem:
            code = _not_written(problem)
        sys.exit(_flushed(code if isinstance(code, int) else 0))


def complain(message: str) -> int:
    """Print what is wrong, in one line; the code to end with."""
    with suppress(OSError):
        typer.secho("loadpath:", fg="red", nl=False, err=True, color=False if os.environ.get("NO_COLOR") else None)
        typer.echo(f" {message_of(printable(message))}", err=True)
    return WRONG


def _fault(problem: Exception) -> int:
    """A fault of the program: one line, which says how to see more."""
    said = f"{type(problem).__name__}: {problem}".rstrip(": ")
    complain(f"this is a fault of loadpath, please report it: {said} (--debug prints the traceback)")
    return FAULT


def _accept_all_letters() -> None:
    """On a terminal that cannot show a letter of a name, an escape sequence stands for it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _usage(problem: Any) -> str:
    """What is wrong with the arguments, and where help is."""
    message = " ".join(str(problem.format_message()).split())
    context = problem.ctx
    command = context.command_path if context is not None else "loadpath"
    return f"{message.rstrip('.')}; see {command} --help"


def _flushed(code: int) -> int:
    """The code, once all output is out; a full disk shows only then."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return _silenced(READER_LEFT)
    except OSError as problem:
        return _not_written(problem)
    return code


def _not_written(problem: OSError) -> int:
    if isinstance(problem, BrokenPipeError):
        return _silenced(READER_LEFT)
    return _silenced(complain(f"the output could not be written: {problem.strerror or problem}"))


def _silenced(code: int) -> int:
    """The code; what is still to be written goes nowhere, so that nothing fails at the end of the program."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


# What a command's function takes, as options: sets of options that several commands have are one parameter each.


def with_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options `--debug` and `--no-progress`, which all have, and `--xacro` and `--trust`, which
    those have that load a robot; a parameter whose type is a dataclass becomes the options that are its fields.
    """
    signature = inspect.signature(command, eval_str=True)
    loads_robots = not {"robot", "first"}.isdisjoint(signature.parameters)
    sets = {name: part.annotation for name, part in signature.parameters.items() if is_dataclass(part.annotation)}

    @functools.wraps(command)
    def run(
        *arguments: Any, debug: bool = False, no_progress: bool = False, xacro: list[str] | None = None,
        trust: bool = False, **others: Any
    ) -> None:
        with debugging(debug), loading_options(xacro or (), trust), hidden() if no_progress else nullcontext():
            filled = {name: _filled(options, others) for name, options in sets.items()}
            command(*arguments, **others, **filled)

    parameters = [one for part in signature.parameters.values() for one in _options(part)]
    parameters += [_option("debug", False, Debug), _option("no_progress", False, NoProgress)]
    if loads_robots:
        parameters += [_option("xacro", None, Xacro), _option("trust", False, Trust)]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {part.name: part.annotation for part in parameters} | {"return": None}
    return run


def _option(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _options(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    """A parameter, or those of its fields if it is a set of options."""
    if not is_dataclass(parameter.annotation):
        yield parameter
        return
    types = get_type_hints(parameter.annotation, include_extras=True)
    for part in fields(parameter.annotation):
        yield from _options(_option(part.name, part.default, types[part.name]))


def _filled(options: Any, values: dict[str, Any]) -> Any:
    """A set of options from what was typed, which is taken out of the values."""
    types: Mapping[str, Any] = get_type_hints(options)
    return options(**{
        part.name: _filled(types[part.name], values) if is_dataclass(types[part.name]) else values.pop(part.name)
        for part in fields(options)
    })


_FOLDER = "loadpath.cli.commands"


class Command(TyperCommand):
    """A command whose help ends with examples of it."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Arguments and options; flags take nothing, and their help does not say `<bool>`."""
        return _flags_without_values(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options, then examples."""
        super().format_help(ctx, formatter)
        examples = EXAMPLES.get(self.name or "", ())
        formatter.write("".join(f"{line}\n" for line in ("Examples:", *(f"  {one}" for one in examples)) if examples))


def _flags_without_values(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


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
        program.command(name=name, cls=Command, help=summary)(with_shared_options(getattr(module, name)))
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
            listed: Any = {name: TyperCommand(name, help=summary, rich_help_panel=GROUP_OF.get(name))
                           for name, summary in summaries.items()}
            super().__init__(**{**options, "commands": listed})

        def get_params(self, ctx: Any) -> list[Any]:
            """Options of the program itself."""
            return _flags_without_values(super().get_params(ctx))

        def list_commands(self, ctx: Any) -> list[str]:
            """Ours, then those of plugins."""
            return [*self.commands, *_offered(summaries)]

        def format_help(self, ctx: Any, formatter: Any) -> None:
            """With the robots of plugins after ours."""
            ours, found = self.epilog, robots_of_plugins()
            self.epilog = f"{(ours or '').rstrip('.')}; of other packages: {', '.join(found)}." if found else ours
            super().format_help(ctx, formatter)
            self.epilog = ours

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """By name and summary: what lists show."""
            ours = super().get_command(ctx, cmd_name)
            if ours is not None or cmd_name not in (found := _offered(summaries)):
                return ours
            from rich.markup import escape  # as Typer does: for help alone

            return TyperCommand(cmd_name, help=escape(printable(found[cmd_name].summary)), rich_help_panel=OTHERS)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """The command that is called, completed or explained."""
            try:
                name, listed, rest = super().resolve_command(ctx, args)
            except UsageError as problem:
                close = difflib.get_close_matches(args[0][:200], _offered(summaries), n=1)
                said: Any = problem
                if close and "Did you mean" not in said.message:
                    said.message = f"{said.message.rstrip('.')}. Did you mean '{close[0]}'?"
                raise
            if name is not None and name not in summaries:
                return name, command_of_plugin(name, summaries), rest
            if name is None:
                return name, listed, rest
            return name, command(name, summaries[name], to_run=not ctx.resilient_parsing and rest != ["--help"]), rest

    return Group


# Commands of plugins.


def _offered(ours: Mapping[str, str]) -> dict[str, plugins.Plugin]:
    return plugins.offered("commands", ours)


def command_of_plugin(name: str, ours: Mapping[str, str]) -> TyperCommand:
    """A command of another package: a function whose parameters become arguments and options as of ours."""
    offer = _offered(ours)[name]
    try:
        function = plugins.find("commands", name, ours, _not_a_command)
    except ModelError as problem:
        raise typer.Exit(complain(str(problem))) from None
    if function is None:
        raise typer.Exit(complain(f"{offer.what} cannot be had: see the warning above"))

    @functools.wraps(function)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            function(*arguments, **options)
        except (typer.Exit, typer.Abort, UsageError, BrokenPipeError, MemoryError):
            raise
        except (ValueError, OSError) as problem:
            print_traceback()
            raise typer.Exit(complain(str(problem))) from None
        except Exception as problem:
            print_traceback()
            said = f"{type(problem).__name__}: {problem}".rstrip(": ")
            complain(f"{offer.what} stops with {said} (--debug prints the traceback)")
            raise typer.Exit(FAULT) from None

    program = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    try:
        program.command(name=name, cls=Command)(with_shared_options(run))
        made = typer.main.get_command(program)
    except Exception as problem:  # whatever Typer makes of its signature
        complain(f"{offer.what} cannot be a command: {type(problem).__name__}: {problem}")
        raise typer.Exit(FAULT) from None
    assert isinstance(made, TyperCommand)
    return made


def _not_a_command(found: object) -> str:
    return "" if inspect.isfunction(found) else "a function whose parameters are options"


@contextmanager
def _plugin_warnings_in_one_line() -> Iterator[None]:
    """What is wrong with a plugin is printed as all warnings are."""
    before, said = warnings.showwarning, set[str]()

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, PluginWarning):
            return before(message, category, *place, **more)
        line = f"warning: {message_of(printable(str(message)))}"
        if line not in said:
            said.add(line)
            with suppress(OSError):
                typer.echo(line, err=True)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = before


# The program `loadpath` and its commands.


app = typer.Typer(
    cls=group_of(COMMANDS),
    help="Every force and torque in a robot, in every direction, at every joint.",
    epilog="loadpath COMMAND --help has examples of each. ROBOT is a robot's file (.urdf, .xml, .sdf, .xacro), a "
    "project file (.toml), a Python file that makes a robot (arm.py, or arm.py:name), or of the catalog: "
    f"{', '.join(ROBOTS)}.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """What the shell calls."""
    app(prog_name="loadpath")


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Every force and torque in a robot, in every direction, at every joint."""
    if version:
        from loadpath._version import __version__

        typer.echo(f"loadpath {__version__}")
        raise typer.Exit()
