"""The end of the interpreter: with threads that compute, with kernels half compiled, from `atexit` and `__del__`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from scripts import run

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

BUSY = """
import threading
import numpy as np, loadpath as lp
arm = lp.catalog.planar(2)
q = np.random.default_rng(0).normal(size=(20_000, 2))
arm.inverse_dynamics(q, q, q)
def busy():
    while True:
        arm.inverse_dynamics(q, q, q)
        arm.inverse_dynamics(q[0], q[0], q[0])
for _ in range(4):
    threading.Thread(target=busy, daemon=True).start()
print("done")
"""


def test_threads_that_compute_while_it_ends() -> None:
    for _ in range(3):
        assert run(BUSY, seconds=60) == "done\n"


HALF = """
import threading
import numpy as np, loadpath as lp
from loadpath.engine import {module} as module
original, reached = module.{step}, threading.Event()
def reaching(*arguments):
    reached.set()
    return original(*arguments)
module.{step} = reaching
robot = lp.catalog.random_chain(6, 2)
still = np.zeros(robot.n)
for _ in range(3):
    work = lambda: robot.forward_dynamics_derivatives(robot.neutral(), still, still)
    threading.Thread(target=work, daemon=True).start()
reached.wait()
print("done")
"""


@pytest.mark.parametrize(
    ("module", "step"),
    [("kernels", "_traced"), ("kernels", "llvm_text"), ("jit", "compile_quickly"), ("jit", "compile_object")],
)
def test_a_kernel_half_compiled_by_threads_that_nobody_waits_for(module: str, step: str) -> None:
    """While it is traced, written as LLVM text, and compiled: it ends soon, and without a crash."""
    started = time.monotonic()
    assert run(HALF.format(module=module, step=step), seconds=120) == "done\n"
    assert time.monotonic() - started < 60


WAITED_FOR = """
import threading
import numpy as np, loadpath as lp
robot = lp.catalog.planar(2, length=0.37)
found = []
def late():
    found.append(robot.gravity_forces([0.0, 0.0]))
    print("computed", np.allclose(found[0], [9.81 * 0.74, 9.81 * 0.185]))
threading.Thread(target=late).start()
"""


def test_threads_that_are_waited_for_compile_after_the_end_of_the_script() -> None:
    assert run(WAITED_FOR) == "computed True\n"


LAST_WORDS = """
import atexit
import numpy as np, loadpath as lp
used = lp.catalog.planar(1, mass=2.0)
used.gravity_forces([0.0])
class Last:
    def __init__(self, robot):
        self.call = robot.gravity_forces                                # bound: the code must outlive its modules
    def __del__(self):
        print("deleted", float(self.call([0.0])[0].round(6)))
keep = Last(used)
atexit.register(lambda: print("exit", float(lp.catalog.planar(1, mass=3.0).gravity_forces([0.0])[0].round(6))))
"""


def test_calls_from_atexit_and_from_a_destructor() -> None:
    """A first use at the very end is compiled, a bound function still works when modules are taken down."""
    assert run(LAST_WORDS).splitlines() == ["exit 14.715", "deleted 9.81"]


IN_A_CYCLE = """
import numpy as np, loadpath as lp
from concurrent.futures import ThreadPoolExecutor
class Node: pass
for k in range(30):
    node = Node()
    node.robot = lp.catalog.planar(1, length=1 + 0.01 * (k % 5))
    node.call, node.own = node.robot.gravity_forces, node              # freed by the collector, or never
    node.call([0.1])
pool = ThreadPoolExecutor(4)
futures = [pool.submit(node.call, np.full((1000, 1), 0.1)) for _ in range(50)]
raise SystemExit(3)
"""


def test_leaving_with_a_status_while_a_pool_works() -> None:
    assert run(IN_A_CYCLE, code=3) == ""


TERMINATED = """
import sys, threading
import numpy as np, loadpath as lp
robot = lp.catalog.random_chain(7, 3)
still = np.zeros(robot.n)
print("compiling", flush=True)
robot.forward_dynamics_derivatives(robot.neutral(), still, still)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_process_that_is_terminated_leaves_no_half_of_a_file(tmp_path) -> None:
    environment = {**os.environ, "LOADPATH_CACHE_DIR": str(tmp_path / "cache")}
    for after in (0.2, 0.6, 1.2):
        child = subprocess.Popen([sys.executable, "-c", TERMINATED], env=environment, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
        child.communicate()
    kept = list((tmp_path / "cache").glob("*.o")) if (tmp_path / "cache").exists() else []
    script = "import loadpath as lp; print(lp.catalog.planar(1).gravity_forces([0.0])[0].round(6))"
    assert run(script, cache=str(tmp_path / "cache")) == "4.905\n"
    assert all(path.stat().st_size > 100 for path in kept)
