"""A parser of others in a process of its own, with limits of time and memory; how it ends there becomes an error with
words.

The process is started by the first file and kept for the next one; after a failure another takes its place. It is no
fork of the caller, who may have threads; it reads the caller's messages and ends when there can be no more of them.
Several threads have a process each, four at most. Ctrl-C ends the process and is answered at once.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import cast

from loadpath.errors import ModelError
from loadpath.foreign.messages import Message, NoMessageError, read_message, write_message
from loadpath.printable import printable

SECONDS = 60.0
"""Time that a parser may take for one file: of the clock, and of the processor."""
GIBIBYTES = 4.0
"""Memory that a parser may take."""
MOST_AT_ONCE = 4
"""Processes of one parser."""
_START = ("import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
          "from loadpath.foreign.worker import serve; serve(sys.argv[1])")
_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "SYSTEMROOT")
"""What of the environment a parser sees."""
_SETTINGS = {"MUJOCO_GL": "disable", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
             "ARROW_DEFAULT_MEMORY_POOL": "system"}  # others reserve more than they take

Answer = Callable[[Message], Message]
"""What the caller answers to a question of the parser, such as for a file that the first one names."""


@dataclass(frozen=True)
class Limits:
    """What a parser may take for one file."""

    seconds: float
    gibibytes: float

    @classmethod
    def now(cls) -> Limits:
        """Those of the environment variables LOADPATH_PARSER_SECONDS and LOADPATH_PARSER_GIB, or the usual ones."""
        return cls(_positive("LOADPATH_PARSER_SECONDS", SECONDS), _positive("LOADPATH_PARSER_GIB", GIBIBYTES))


def _positive(variable: str, usual: float) -> float:
    word = os.environ.get(variable)
    if not word:
        return usual
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0.0 < value < 1e6:
        raise ValueError(f"{variable} is {word!r}: expected a number greater than zero")
    return value


class Parser:
    """A module of this room that runs in a process of its own; `tool` names it in messages."""

    def __init__(self, module: str, tool: str) -> None:
        self.module, self.tool = module, tool
        self.idle: list[_Worker] = []
        self._reset()
        _PARSERS.add(self)

    def _reset(self) -> None:
        """As at the start: what a fork of the caller has, whose processes are its own."""
        self.idle.clear()
        self._places = threading.BoundedSemaphore(MOST_AT_ONCE)

    def run(self, request: Message, source: str, answer: Answer | None = None) -> Message:
        """What the parser makes of a request; `source` is the file that errors name.

        Raises:
            ModelError: the parser refuses the file, crashes, or needs more time or memory than it may have.
            ImportError: the parser is not installed.
        """
        limits = Limits.now()
        request.fields["limits"] = [limits.seconds, limits.gibibytes]
        with self._places:
            try:
                worker = self._idle_or_new()
            except OSError as problem:  # no open files, processes or memory are left to the caller
                raise ModelError(
                    f"{source}: no process could be started for {self.tool} ({problem.strerror}): close files and "
                    "programs, or raise the limits (ulimit -n, ulimit -u)"
                ) from None
            clock = threading.Timer(limits.seconds, worker.expire)
            clock.daemon = True
            clock.start()
            try:
                reply = worker.converse(request, answer)
            except (EOFError, BrokenPipeError, ConnectionError):
                raise ModelError(f"{source}: {self._how_it_ended(worker, limits)}") from None
            except NoMessageError as problem:
                raise ModelError(f"{source}: {self.tool} answers with what is no data ({problem}): the file is "
                                 "damaged, or made to break it") from None
            finally:
                clock.cancel()
                if worker.usable and not self.idle:
                    self.idle.append(worker)
                else:
                    worker.end()
        return self._result(reply, source, limits)

    def _idle_or_new(self) -> _Worker:
        while self.idle:
            try:
                worker = self.idle.pop()
            except IndexError:  # another thread was faster
                break
            if worker.process.poll() is None:
                return worker
            worker.end()
        return _Worker(self.module)

    def _result(self, reply: Message, source: str, limits: Limits) -> Message:
        kind, words = reply.fields.get("kind"), printable(str(reply.fields.get("words", "")))
        if kind == "result":
            return reply
        if kind == "missing":
            raise ImportError(words)
        if kind == "memory":
            raise ModelError(f"{source}: {self._too_much_memory(limits)}")
        if kind == "refused":
            raise ModelError(f"{source}: {words}")
        raise ModelError(f"{source}: {self.tool} fails on this file: {words[:300]}")

    def _how_it_ended(self, worker: _Worker, limits: Limits) -> str:
        code = worker.end(0.5)
        if worker.expired or code == -getattr(signal, "SIGXCPU", 0):
            return (f"{self.tool} needed more than {limits.seconds:g} s on this file and was stopped: simplify the "
                    "model, or allow more by the environment variable LOADPATH_PARSER_SECONDS")
        if code == -getattr(signal, "SIGKILL", 9):
            return f"{self.tool} was killed on this file, as systems do where memory is short: {_SMALLER}"
        name = signal.Signals(-code).name if -code in {int(known) for known in signal.Signals} else f"exit code {code}"
        return (f"{self.tool} crashed on this file ({name}): the file is damaged, or the parser has a fault; nothing "
                "was read")

    def _too_much_memory(self, limits: Limits) -> str:
        return f"{self.tool} needed more than {limits.gibibytes:g} GiB of memory on this file: {_SMALLER}"


_SMALLER = "simplify the model, or allow more by the environment variable LOADPATH_PARSER_GIB"


class _Worker:
    """One process of a parser."""

    def __init__(self, module: str) -> None:
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | _SETTINGS
        self.expired = self.usable = False
        self.process = subprocess.Popen(
            [_python(), "-I", "-c", _START, module, json.dumps(_import_path())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=os.sep,
            env=environment,
            start_new_session=True,  # Ctrl-C is the caller's
        )
        _WORKERS.add(self)

    def converse(self, request: Message, answer: Answer | None) -> Message:
        """Sends a request, answers the questions of the parser, and returns its reply."""
        self.usable = False
        stdin, stdout = cast(FileIO, self.process.stdin), cast(FileIO, self.process.stdout)
        write_message(stdin, request)
        while True:
            reply = read_message(stdout)
            if reply.fields.get("kind") != "question":
                self.usable = reply.fields.get("kind") in ("result", "refused") and not self.expired
                return reply
            if answer is None:
                raise NoMessageError("a question")
            write_message(stdin, answer(reply))

    def expire(self) -> None:
        """Its time is over."""
        self.expired = True
        self.process.kill()

    def end(self, seconds: float = 0.0) -> int:
        """Ends the process, if it does not end by itself in so many seconds; its exit code."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.forget()
        return self.process.wait()

    def forget(self) -> None:
        """Closes the pipes."""
        for stream in (self.process.stdin, self.process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:  # nobody reads any more what is still to be written
                pass


def _python() -> str:
    """The interpreter; a program that embeds one names it by `multiprocessing.set_executable`."""
    from multiprocessing.spawn import get_executable

    found = get_executable()
    if not found or (getattr(sys, "frozen", False) and os.fsdecode(found) == sys.executable):
        raise RuntimeError("MJCF, meshes and Parquet files are read in a process of their own, and this program has no "
                           "interpreter for it: name one by multiprocessing.set_executable")
    return os.fsdecode(found)


def _import_path() -> list[str]:
    """Where the caller imports from, but not from the current folder, whatever it is."""
    here = str(Path(__file__).parents[2])
    path = [os.path.abspath(entry) for entry in sys.path if entry]  # noqa: PTH100  # links stay
    return path if here in path else [here, *path]


_PARSERS: weakref.WeakSet[Parser] = weakref.WeakSet()
_WORKERS: weakref.WeakSet[_Worker] = weakref.WeakSet()


def _in_a_fork() -> None:
    """The processes are those of the caller that forked; a parser's end is the end of all copies of its pipes."""
    for worker in list(_WORKERS):
        worker.process.returncode = 0  # nobody here waits for it
        worker.forget()
    _WORKERS.clear()
    for parser in list(_PARSERS):
        parser._reset()


@atexit.register
def _at_exit() -> None:
    for parser in list(_PARSERS):
        while parser.idle:
            parser.idle.pop().end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_fork)
