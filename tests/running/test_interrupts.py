"""Ctrl-C: answered while something is compiled, simulated or computed, and what follows works."""

from __future__ import annotations

import sys

import pytest
from scripts import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

INTERRUPTED = """
import os, signal, threading, time
import numpy as np, loadpath as lp
from loadpath.engine import {module} as module
robot = lp.catalog.random_chain(10, 1)
q, still = robot.neutral(), np.zeros(robot.n)
original, reached = module.{step}, threading.Event()
def reaching(*arguments):
    reached.set()
    return original(*arguments)
module.{step} = reaching
sent = []
def press():
    reached.wait()
    time.sleep({after})
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    robot.forward_dynamics_derivatives(q, still, still)
    print("not interrupted")
except KeyboardInterrupt:
    print("late" if time.monotonic() - sent[0] > 2.5 else "interrupted")
assert np.isfinite(robot.gravity_forces(q)).all()                       # another function
found = robot.forward_dynamics_derivatives(q, still, still)             # and the same, again
step, unit = 1e-6, np.eye(robot.n)[3]
slope = robot.forward_dynamics(q, still, step * unit) - robot.forward_dynamics(q, still, -step * unit)
assert np.allclose(found.tau[:, 3], slope / (2 * step), rtol=1e-6, atol=1e-6 * abs(found.tau).max())
print("usable")
"""


@pytest.mark.parametrize(
    ("module", "step", "after"),
    [("kernels", "_traced", 0.05), ("kernels", "llvm_text", 0.05), ("jit", "compile_quickly", 0.05)],
)
def test_ctrl_c_is_answered_while_something_is_compiled(module: str, step: str, after: float) -> None:
    """While it is traced, written as LLVM text, and compiled; what follows works."""
    assert run(INTERRUPTED.format(module=module, step=step, after=after)) == "interrupted\nusable\n"


LEAVING = """
import os, signal, threading, time
import numpy as np, loadpath as lp
from loadpath.engine import jit
robot = lp.catalog.random_chain(9, 1)
original = jit.compile_quickly
def compiling(text):
    jit.compile_quickly = original
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    return original(text)
jit.compile_quickly = compiling
try:
    robot.forward_dynamics_derivatives(robot.neutral(), np.zeros(robot.n), np.zeros(robot.n))
except KeyboardInterrupt:
    print("leaving")
"""


def test_a_process_ends_well_while_something_is_compiled() -> None:
    assert run(LEAVING) == "leaving\n"


LONG_WORK = """
import os, signal, threading, time
import numpy as np, loadpath as lp
arm = lp.catalog.planar(2)
arm.simulate([0.3, 0.0], [0.0, 0.0], duration=0.01)                     # compiled beforehand
q = np.random.default_rng(0).normal(size=(200_000, 2))
arm.load_breakdown(q[:2], q[:2], q[:2])
def press(after):
    def later():
        time.sleep(after)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=later, daemon=True).start()
for work in (lambda: arm.simulate([0.3, 0.0], [0.0, 0.0], duration=1e5),
             lambda: [arm.reduce_loads((q, q, q), lp.LoadRMS()) for _ in range(10_000)],
             lambda: [arm.inverse_dynamics(q, q, q) for _ in range(1_000_000)]):
    press(0.5)
    started = time.monotonic()
    try:
        work()
        print("not interrupted")
    except KeyboardInterrupt:
        print("interrupted" if time.monotonic() - started < 10 else "late")
assert np.isfinite(arm.inverse_dynamics(q, q, q)).all()
print("usable")
"""


def test_ctrl_c_ends_long_work() -> None:
    """A simulation, a reduction, a loop of batches."""
    assert run(LONG_WORK) == "interrupted\n" * 3 + "usable\n"


COMMAND = """
import os, signal, subprocess, sys, time
command = subprocess.Popen([sys.executable, "-c", "import sys; from loadpath.cli.app import app; app()", "equations",
                            "panda", "--parameters", "symbols"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, start_new_session=True)
time.sleep(3)
ended = command.poll()
if ended is None:
    command.send_signal(signal.SIGINT)
out, err = command.communicate(timeout=60)
print("Traceback" in err, ended is None and command.returncode != 0)
"""


def test_ctrl_c_ends_a_command_without_a_traceback() -> None:
    assert run(COMMAND) == "False True\n"
