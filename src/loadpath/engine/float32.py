"""The loop for float32, made when it is first asked for: hardly anybody asks, and it is half of what LLVM does.

In its place the object code has a short entry, and the program: its tape, as bytes. NumPy calls the entry with the
address of a `Later`, which knows where the loop is or makes it, from the tape alone and without tracing anything. From
then on a call costs one jump more. Nothing of this is on the way of float64.
"""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.engine import jit
from loadpath.engine.llvm.lanes import external
from loadpath.engine.notice import Say
from loadpath.engine.program import Tape
from loadpath.engine.tape import OPERATIONS

ENVIRONMENT = 512
"""Bytes that surely hold C's floating-point environment, `fenv_t`."""
NOTHING = -1
"""In place of the second argument of an operation of one."""


class Later:
    """A loop that is made when the entry first needs it, and kept as long as this is.

    `make` gives the library of the loop and its symbol there; `wait` runs something as long as it takes.
    """

    def __init__(self, make: Callable[[Say], tuple[jit.Library, str]], wait: Callable[[Callable[[Say], Any]], Any]):
        self._make, self._wait = make, wait
        self._library: jit.Library | None = None
        self._fields = (ctypes.c_void_p * 2)(None, id(self))  # the loop, as soon as there is one; whom to ask for it
        self.address = ctypes.addressof(self._fields)
        """What the entry is to be called with."""

    def __call__(self) -> None:
        self._wait(self._once)

    def _once(self, say: Say) -> None:
        with jit.lock:  # who asks at the same time gets the same one; a fork waits for it
            if self._library is None:
                library, symbol = self._make(say)
                self._fields[0] = library.address(symbol)
                self._library = library


def entry_symbols(name: str) -> list[str]:
    """Of the entry, and of the tape."""
    return [f"{name}_float32", f"{name}_tape"]


def float32_entry(name: str, tape: Tape) -> str:
    """LLVM assembly of the entry and of the tape.

    What making the loop does to the floating-point flags is undone: NumPy would take it for the loop's. If it fails,
    Python's error is set, and NumPy passes it on.
    """
    entry, content = entry_symbols(name)
    data = pack(tape)
    return f"""
{external("fegetenv", "i32", "ptr")}
{external("fesetenv", "i32", "ptr")}
{external("call_python", "ptr", "ptr")}
{external("drop_python", "void", "ptr")}
@"{content}" = constant [{len(data)} x i8] c"\\{data.hex(chr(92))}"
define void @"{entry}"(ptr %args, ptr %dimensions, ptr %steps, ptr %later) nounwind {{
begin:
  %there = load atomic ptr, ptr %later acquire, align 8
  %missing = icmp eq ptr %there, null
  br i1 %missing, label %make, label %run
make:
  %environment = alloca i8, i64 {ENVIRONMENT}, align 16
  %save = load ptr, ptr @at_fegetenv
  %saved = call i32 %save(ptr %environment)
  %lock = load ptr, ptr @at_lock_python
  %state = call i32 %lock()
  %maker.at = getelementptr ptr, ptr %later, i64 1
  %maker = load ptr, ptr %maker.at
  %call = load ptr, ptr @at_call_python
  %answer = call ptr %call(ptr %maker)
  %failed = icmp eq ptr %answer, null
  br i1 %failed, label %restore, label %drop
drop:
  %let_go = load ptr, ptr @at_drop_python
  call void %let_go(ptr %answer)
  br label %restore
restore:
  %unlock = load ptr, ptr @at_unlock_python
  call void %unlock(i32 %state)
  %undo = load ptr, ptr @at_fesetenv
  %undone = call i32 %undo(ptr %environment)
  br i1 %failed, label %end, label %made
made:
  %new = load atomic ptr, ptr %later acquire, align 8
  br label %run
run:
  %loop = phi ptr [%there, %begin], [%new, %made]
  call void %loop(ptr %args, ptr %dimensions, ptr %steps, ptr null)
  br label %end
end:
  ret void
}}
"""


def pack(tape: Tape) -> bytes:
    """A tape as bytes, which begin with their number; equal bytes mean equal tapes.

    >>> tape = Tape(1, {1: -0.5}, {2: ("mul", (0, 1)), 3: ("neg", (2,))}, {3: (4, 5)}, (4,))
    >>> data = ctypes.create_string_buffer(pack(tape))
    >>> unpack(ctypes.addressof(data)) == tape
    True
    """
    numbers = [tape.inputs, len(tape.constants), len(tape.operations), len(tape.angles), *tape.constants]
    for value, (name, arguments) in tape.operations.items():
        numbers += (value, OPERATIONS.index(name), arguments[0], arguments[1] if len(arguments) > 1 else NOTHING)
    for angle, pair in tape.angles.items():
        numbers += (angle, *pair)
    numbers += tape.outputs
    constants = np.array(list(tape.constants.values()), "<f8").tobytes()
    data = zlib.compress(constants + np.array(numbers, "<i4").tobytes(), 1)
    return np.array([len(data), len(constants)], "<i8").tobytes() + data


def unpack(address: int) -> Tape:
    """The tape of bytes in memory."""
    length, constants = np.frombuffer(ctypes.string_at(address, 16), "<i8")
    data = zlib.decompress(ctypes.string_at(address + 16, int(length)))
    values = np.frombuffer(data[:constants], "<f8").tolist()
    inputs, *counts = np.frombuffer(data[constants:], "<i4", 4).tolist()
    numbers = iter(np.frombuffer(data[constants:], "<i4", offset=16).tolist())

    def rows(count: int, length: int) -> list[list[int]]:
        return [[next(numbers) for _ in range(length)] for _ in range(count)]

    return Tape(
        inputs,
        dict(zip((value for value, in rows(counts[0], 1)), values, strict=True)),
        {v: (OPERATIONS[name], (a,) if b == NOTHING else (a, b)) for v, name, a, b in rows(counts[1], 4)},
        {angle: (sine, cosine) for angle, sine, cosine in rows(counts[2], 3)},
        tuple(numbers),
    )
