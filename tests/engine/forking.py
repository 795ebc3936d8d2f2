"""Forks in the middle of tracing and compiling. Run as a program, with who does it and how many forks, it prints how
many children ended well before one did not, and on stderr where that one hangs.
"""

from __future__ import annotations

import faulthandler
import itertools
import os
import signal
import sys
import threading
import time

import loadpath as lp
from loadpath.engine import jit, kernels  # kernels, because it holds the locks while forking
from loadpath.engine.program import Operand
from loadpath.engine.trace import trace
from loadpath.scalars import Array, array, sin

PATIENCE = 60.0
"""s: for one compilation of a few instructions in a child, also on a machine that is busy with other things."""
LONGEST_DELAYS = {"ours": 0.004, "others": 0.002, "symbols": 0.004, "whole": 0.1}
"""s between forks: more than one compilation, so that forks fall into every moment of one."""
PAYLOADS = itertools.count(1)


def text(number: int) -> str:
    return f"define i32 @f{number}() {{ ret i32 {number} }}"


def others() -> None:
    """What another user of llvmlite does, who knows nothing of our lock: make something of LLVM's and drop it."""
    import llvmlite.binding as llvm

    llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()


def symbols() -> None:
    """Equations become a program."""

    def repeated(x: Array) -> Array:
        y = x
        for _ in range(10):
            y = array([sin(a) * b for a, b in zip(y, x, strict=True)])
        return y

    trace(repeated, "f", [Operand("x", (20,))], [Operand("y", (20,))])


def whole() -> None:
    """All of the way, from equations to numbers, of a robot that is new each time."""
    arm = lp.catalog.planar(2).with_payload(0.001 * next(PAYLOADS))
    assert arm.gravity_forces([0.1, 0.2]).shape == (2,)


def one() -> None:
    library = jit.load_object(jit.compile_object(text(1)), "f1")
    assert library.address("f1")


def ends(child: int) -> bool:
    """Whether a child ends well; one that hangs is killed."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.001)
    os.kill(child, signal.SIGUSR1)  # it says where it is
    time.sleep(0.5)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def ended(kind: str, forks: int) -> int:
    """Children that end well, of so many forks while two threads compile, up to the first that does not."""
    faulthandler.register(signal.SIGUSR1)
    work = {"ours": one, "others": others, "symbols": symbols, "whole": whole}[kind]
    in_child = one if kind == "others" else work
    in_child()
    work()
    stop = threading.Event()

    def compile_on() -> None:
        while not stop.is_set():
            work()

    threads = [threading.Thread(target=compile_on, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    well = 0
    for k in range(forks):
        time.sleep(LONGEST_DELAYS[kind] * k / forks)
        child = os.fork()
        if child == 0:
            signal.alarm(int(2 * PATIENCE))
            in_child()
            os._exit(0)
        if not ends(child):
            break
        well += 1
    stop.set()
    for thread in threads:
        thread.join()
    return well


if __name__ == "__main__":
    assert kernels is not None
    print(ended(sys.argv[1], int(sys.argv[2])))
