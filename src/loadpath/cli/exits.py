"""How the program ends: what went wrong in one line, and a code that scripts can rely on.

0: done. 1: `verify` found a difference, `verdict` a part that does not hold, or `check` errors or warnings. 2: the
request, a file or the output was wrong. 3: a fault of the program itself. 130: interrupted.
141: whoever read the output left, as in `loadpath demo | head` (128 and the number of SIGPIPE, as shells count).

No traceback is printed unless `--debug` asks for it.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import typer
from typer.core import TyperGroup

from loadpath.printable import message_of, printable

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
