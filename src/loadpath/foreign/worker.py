"""What runs in a parser's process: it reads requests, has the parser answer them, and ends when there are no more."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from loadpath.errors import ModelError
from loadpath.foreign.messages import Message, Pipe, read_message, write_message

_MOST_OPEN = 64
"""Files that a parser may have open."""
_REFUSED_EVENTS = (
    "socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn",
    "os.spawn", "os.fork", "os.forkpty", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink",
    "os.truncate", "os.chmod", "os.chown", "webbrowser.open",
)
"""What nothing that is written in Python does here."""


def serve(module: str) -> None:
    """Answers requests until the caller has gone. Standard input and output are the caller's alone: what libraries
    print goes nowhere.
    """
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    try:
        run, missing = importlib.import_module(module).run, ""
    except ImportError as problem:
        run, missing = None, str(problem)
    _confine()
    while True:
        try:
            request = read_message(requests)
        except EOFError:
            return
        if run is None:
            reply = Message({"kind": "missing", "words": missing})
        else:
            _limit(*request.fields["limits"])
            reply = _reply(run, request, requests, replies)
        write_message(replies, reply)


def _reply(run: Callable[..., Message], request: Message, requests: Pipe, replies: Pipe) -> Message:
    def ask(fields: dict[str, Any]) -> Message:
        write_message(replies, Message({**fields, "kind": "question"}))
        return read_message(requests)

    try:
        reply = run(request, ask)
        reply.fields["kind"] = "result"
        return reply
    except ModelError as problem:
        return Message({"kind": "refused", "words": str(problem)})
    except ImportError as problem:
        return Message({"kind": "missing", "words": str(problem)})
    except MemoryError:
        return Message({"kind": "memory"})
    except Exception as problem:  # a fault of the parser; its process is not used again
        return Message({"kind": "failed", "words": f"{type(problem).__name__}: {problem}"[:1000]})


def _limit(seconds: float, gibibytes: float) -> None:
    """Limits of the system for the next request; where there are none (Windows), the caller's clock is left."""
    try:
        import resource
    except ImportError:
        return
    used = time.process_time()
    limits = {
        resource.RLIMIT_AS: int(gibibytes * 2**30),
        resource.RLIMIT_CPU: int(used + seconds) + 1,
        resource.RLIMIT_NOFILE: _MOST_OPEN,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        with contextlib.suppress(ValueError, OSError):  # not on every system
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _confine() -> None:
    """From here on, what is written in Python opens no file but modules, makes none, and starts nothing."""
    sys.dont_write_bytecode = True
    modules = tuple({os.path.realpath(folder) + os.sep for folder in (*sys.path, sys.prefix, sys.base_prefix)})
    modules += tuple({os.path.abspath(folder) + os.sep for folder in (*sys.path, sys.prefix, sys.base_prefix)})  # noqa: PTH100

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if writes or (isinstance(path, (str, bytes)) and not os.fsdecode(path).startswith(modules)):
                raise PermissionError(f"a parser opens '{os.fsdecode(path)}'")
        elif event in _REFUSED_EVENTS:
            raise PermissionError(f"a parser calls {event}")

    sys.addaudithook(hook)
