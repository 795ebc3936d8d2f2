"""A parser that does whatever its request asks for; runs in a process of its own."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.foreign.messages import Message


def run(request: Message, ask: Callable[[dict[str, Any]], Message]) -> Message:
    return globals()[request.fields["do"]](request, ask)  # type: ignore[no-any-return]


def answer(request: Message, ask: Any) -> Message:
    about = {"pid": os.getpid(), "folder": str(Path.cwd()), "seen": sorted(os.environ)}
    return Message(about, {"doubled": request.arrays["x"] * 2})


def question(request: Message, ask: Any) -> Message:
    return Message({"heard": ask({"of": "the caller"}).fields["words"]})


def refuse(request: Message, ask: Any) -> Message:
    raise ModelError("body 'b': no")


def fail(request: Message, ask: Any) -> Message:
    raise KeyError("inside")


def sleep(request: Message, ask: Any) -> Message:
    time.sleep(600)
    return Message()


def compute(request: Message, ask: Any) -> Message:
    while True:
        pass


def crash(request: Message, ask: Any) -> Message:
    ctypes.string_at(0)
    return Message()


def abort(request: Message, ask: Any) -> Message:
    os.abort()


def leave(request: Message, ask: Any) -> Message:
    os._exit(3)


def fill(request: Message, ask: Any) -> Message:
    return Message(arrays={"x": np.ones(2**40, dtype=np.uint8)})


def print_much(request: Message, ask: Any) -> Message:
    os.write(1, b"WARNING: unheard\n" * 10_000)
    print("also", file=sys.stderr)
    return Message({"fine": True})


def no_message(request: Message, ask: Any) -> Message:
    pipe = max(int(entry.name) for entry in Path("/proc/self/fd").iterdir() if _is_pipe(entry))
    os.write(pipe, b"\x80\x04}." * 100)
    time.sleep(600)
    return Message()


def _is_pipe(entry: Path) -> bool:
    try:
        return str(entry.readlink()).startswith("pipe:")
    except OSError:
        return False


def not_finite(request: Message, ask: Any) -> Message:
    return Message({"x": float("nan")})


def open_file(request: Message, ask: Any) -> Message:
    Path(request.fields["file"]).read_bytes()
    return Message()


def write_file(request: Message, ask: Any) -> Message:
    Path(request.fields["file"]).write_bytes(b"x")
    return Message()


def start_process(request: Message, ask: Any) -> Message:
    subprocess.run(["true"], check=True)
    return Message()


def connect(request: Message, ask: Any) -> Message:
    socket.create_connection(("127.0.0.1", 9))
    return Message()
