"""Other processes: spawn, forkserver and fork, pickles, and forks while something is compiled."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scripts import mixed_arm, run, states

import loadpath as lp
from loadpath.engine.better import settle

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return mixed_arm()


FORKED = """
import os, sys, threading, time
import numpy as np, loadpath as lp
from loadpath.engine import kernels, {module} as module
original, reached = module.{step}, threading.Event()
def reaching(*arguments):
    reached.set()
    return original(*arguments)
module.{step} = reaching
long = lp.catalog.random_chain(5, 2)
q, still = long.neutral(), np.zeros(long.n)
thread = threading.Thread(target=lambda: long.forward_dynamics_derivatives(q, still, still))
thread.start()
reached.wait()
time.sleep(0.1)
child = os.fork()
if child == 0:
    arm = lp.catalog.planar(2, length=0.3)
    good = np.allclose(arm.gravity_forces([0.0, 0.0]), [9.81 * 0.6, 9.81 * 0.15])   # compiled in the child
    good = good and long.forward_dynamics_derivatives(q, still, still).q.shape == (5, 5)  # what the parent was at
    os._exit(0 if good else 1)
started = time.monotonic()
while True:
    done, status = os.waitpid(child, os.WNOHANG)
    if done or time.monotonic() - started > 120:
        break
    time.sleep(0.05)
if not done:
    os.kill(child, 9)
    os.waitpid(child, 0)
print("hangs" if not done else os.waitstatus_to_exitcode(status))
thread.join()
assert np.isfinite(long.forward_dynamics_derivatives(q, still, still).q).all()
assert np.isfinite(long.gravity_forces(q)).all()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize(
    ("module", "step"),
    [("kernels", "_traced"), ("kernels", "llvm_text"), ("jit", "compile_quickly"), ("jit", "compile_object"),
     ("kernels", "_keep")],
)
def test_a_fork_while_another_thread_compiles(module: str, step: str) -> None:
    assert run(FORKED.format(module=module, step=step)) == "0\n"


def _tau(task: tuple) -> np.ndarray:
    function, state = task
    return function(*state)


@pytest.mark.parametrize("method", ["spawn", "forkserver"] if sys.platform == "linux" else ["spawn"])
def test_functions_go_to_other_processes(arm: lp.Robot, method: str) -> None:
    state = states(arm, 9)
    with multiprocessing.get_context(method).Pool(1) as pool:
        (found,) = pool.map(_tau, [(arm.inverse_dynamics, state)])
    assert_array_equal(found, arm.inverse_dynamics(*state))


def test_a_fresh_process_takes_the_code_from_the_disk(arm: lp.Robot) -> None:
    """In another interpreter, from a pickle, without tracing again."""
    state = states(arm, 5)
    arm.inverse_dynamics(*state)
    assert settle()  # the optimised code is what is kept
    script = (
        "import pickle, sys; function, state = pickle.load(sys.stdin.buffer); result = function(*state);"
        "assert 'loadpath.engine.trace' not in sys.modules; sys.stdout.buffer.write(pickle.dumps(result))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps((arm.inverse_dynamics, state)),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert_array_equal(pickle.loads(done.stdout), arm.inverse_dynamics(*state))


def _asked(task: tuple[Any, tuple[Any, ...]]) -> list[np.ndarray]:
    """Something of each kind of robot, computed where the robot has arrived."""
    robot, state = task
    if isinstance(robot, lp.Rover):
        loads = robot.wheel_loads(*state)
        return [loads.normal, robot.stability(*state).margin]
    if isinstance(robot, lp.FlexibleRobot):
        return [robot.deflection(*state).displacement, robot.stress(*state).von_mises]
    return [robot.inverse_dynamics(*state), robot.joint_wrenches(*state).torque]


def _travellers() -> list[tuple[Any, tuple[Any, ...]]]:
    tube = lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end="tip_joint")
    arm, rover = lp.catalog.planar(2), lp.catalog.lau_rover()
    still = np.zeros((5, 2))
    q = np.linspace(-1, 1, 10).reshape(5, 2)
    return [
        (arm, (q, q, q)),
        (arm.with_payload(2.0), (q, still, still)),
        (arm.with_beams({"link2": tube}), (q, q, q)),
        (rover, (np.array([0.1, 0.2, 0.5]),)),
        (
            lp.catalog.random_chain(2, 5, ["spherical", "revolute"], general=True),
            (np.full((3, 5), 0.5), *np.ones((2, 3, 4))),
        ),
    ]


@pytest.mark.parametrize("method", ["spawn", "fork"] if hasattr(os, "fork") else ["spawn"])
def test_robots_of_every_kind_go_to_a_pool(method: str) -> None:
    """Pickled, compiled or read from the disk there, and the same numbers to the last digit."""
    tasks = _travellers()
    expected = [_asked(task) for task in tasks]
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(_asked, tasks, chunksize=1)
    for ours, theirs in zip(expected, found, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert_array_equal(one, other)


BUSY_FORK = """
import os, threading, warnings
import numpy as np, loadpath as lp
warnings.simplefilter("ignore")                                         # Python's own, about threads and forks
arm = lp.catalog.planar(2)
q = np.random.default_rng(0).normal(size=(2000, 2))
expected = arm.inverse_dynamics(q, q, q)
stop = threading.Event()
def busy():
    while not stop.is_set():
        arm.inverse_dynamics(q, q, q)
threads = [threading.Thread(target=busy, daemon=True) for _ in range(4)]
for thread in threads: thread.start()
children = []
for k in range(8):
    child = os.fork()
    if child == 0:
        good = np.array_equal(arm.inverse_dynamics(q, q, q), expected)
        other = lp.catalog.planar(2, length=0.5 + 0.01 * k)                 # compiled in the child
        good = good and np.allclose(other.gravity_forces([0, 0])[1], 9.81 * (0.5 + 0.01 * k) / 2)
        os._exit(0 if good else 1)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
stop.set()
for thread in threads: thread.join()
print(codes)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_forks_of_a_process_with_busy_threads() -> None:
    assert run(BUSY_FORK, seconds=120) == f"{[0] * 8}\n"
