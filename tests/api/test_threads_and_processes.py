"""Many threads at once, other processes, Dask."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import cloudpickle
import dask
import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import loadpath as lp
from loadpath.engine import kernels
from loadpath.engine.program import Program


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return lp.catalog.random_chain(3, 61, ["revolute", "spherical", "prismatic"], general=True)


def states(arm: lp.Robot, *batch: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(*batch, arm.nq)), rng.normal(size=(*batch, arm.n)), rng.normal(size=(*batch, arm.n))


# Threads


def test_first_calls_of_many_threads_compile_once_and_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    compilations = []
    original = kernels.llvm_text

    def counted(program: Program) -> str:
        compilations.append(program.name)
        return original(program)

    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    monkeypatch.setattr(kernels, "llvm_text", counted)
    robot = lp.catalog.planar(2, length=0.77)
    start = threading.Barrier(8)

    def first_call(k: int) -> np.ndarray:
        start.wait()
        return robot.gravity_forces(np.full(2, 0.1 * k))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(first_call, range(8)))
    assert compilations == ["gravity_forces"]
    assert_array_equal(found, [robot.gravity_forces(np.full(2, 0.1 * k)) for k in range(8)])


def test_first_calls_of_different_functions_and_robots_at_once() -> None:
    robots = [lp.catalog.planar(2, length=0.5 + 0.01 * k) for k in range(3)]
    start = threading.Barrier(6)

    def call(k: int) -> np.ndarray:
        robot = robots[k % 3]
        start.wait()
        return robot.gravity_forces([0.1, 0.2]) if k < 3 else robot.link_poses([0.1, 0.2])[-1, :3, 3]

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(call, range(6)))
    for k, robot in enumerate(robots):
        assert_array_equal(found[k], robot.gravity_forces([0.1, 0.2]))
        assert_array_equal(found[3 + k], robot.link_poses([0.1, 0.2])[-1, :3, 3])


def test_threads_do_not_disturb_each_other(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 8, 5000)
    expected = [arm.inverse_dynamics(q[k], qd[k], qdd[k]) for k in range(8)]
    single = arm.inverse_dynamics(q[0, 0], qd[0, 0], qdd[0, 0])

    def work(k: int) -> bool:
        batches = all(np.array_equal(arm.inverse_dynamics(q[k], qd[k], qdd[k]), expected[k]) for _ in range(5))
        singles = all(np.array_equal(arm.inverse_dynamics(q[0, 0], qd[0, 0], qdd[0, 0]), single) for _ in range(500))
        return batches and singles

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def run(script: str, *, seconds: float = 300.0) -> str:
    """What a script prints in a process of its own, which may crash or hang, without a disk cache."""
    environment = {**os.environ, "LOADPATH_CACHE_DIR": "off", "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=seconds
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


BATCHES = """
import threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np, loadpath as lp
q = np.random.default_rng(0).normal(size=(2000, 7))
for k in range(8):
    robot = lp.catalog.panda().with_payload(1 + k)
    start = threading.Barrier(16)
    def work(_):
        start.wait()
        return [robot.inverse_dynamics(q, q, q) for _ in range(5)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(work, range(16)))
    assert all(np.array_equal(tau, robot.inverse_dynamics(q, q, q)) for one in found for tau in one)
print("done")
"""


def test_first_calls_with_batches_of_many_threads() -> None:
    """Batches are computed without Python's lock, so that one thread computes while another binds."""
    assert run(BATCHES) == "done\n"


MANY = """
import threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np, loadpath as lp
names = ["inverse_dynamics", "forward_dynamics", "bias_forces", "gravity_forces", "mass_matrix", "coriolis_matrix",
         "link_poses", "kinetic_energy", "potential_energy", "joint_wrenches", "momentum", "center_of_mass"]
rng = np.random.default_rng(0)
def call(robot, name, states):
    method = getattr(robot, name)
    return method(*states[: len(method.quantity.argument_names)])
def flat(result):
    parts = [result.force, result.torque] if hasattr(result, "force") else result if type(result) is tuple else [result]
    return np.concatenate([np.ravel(part) for part in parts])
for k in range(3):
    robot, twin = (lp.catalog.planar(2, length=0.5 + 0.1 * k, mass=2.0) for _ in range(2))
    states = rng.normal(size=(3, 600, 2))
    start = threading.Barrier(24)
    def work(j):
        start.wait()
        return [flat(call(robot, names[(j + i) % len(names)], states)) for i in range(len(names))]
    with ThreadPoolExecutor(24) as pool:
        found = list(pool.map(work, range(24)))
    expected = {name: flat(call(twin, name, states)) for name in names}
    for j, results in enumerate(found):
        for i, result in enumerate(results):
            assert np.array_equal(result, expected[names[(j + i) % len(names)]])
print("done")
"""


def test_first_calls_of_many_functions_in_many_threads() -> None:
    assert run(MANY) == "done\n"


def test_threads_that_ask_for_a_function_together_get_the_same_one() -> None:
    for _ in range(50):
        robot = lp.catalog.planar(2)
        start = threading.Barrier(8)

        def get(k: int, robot: lp.Robot = robot, start: threading.Barrier = start) -> int:
            start.wait()
            return id(robot.gravity_forces)

        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(get, range(8)))) == 1


def test_what_is_bound_once_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that was late with its first call changes nothing: what is bound may be running."""
    robot = lp.catalog.planar(2)
    method = robot.gravity_forces
    late = method.func
    assert_array_equal(method([0.1, 0.2]), method.ufunc([0.1, 0.2]))
    bound, definition = method.func, method._definition
    assert bound is not late
    assert_array_equal(late([0.1, 0.2]), method.ufunc([0.1, 0.2]))
    assert method.func is bound
    assert method._definition is definition


# Ctrl-C

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


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("module", "step", "after"),
    [("kernels", "_traced", 0.3), ("kernels", "llvm_text", 0.2), ("jit", "compile_object", 0.5)],
)
def test_ctrl_c_is_answered_while_something_is_compiled(module: str, step: str, after: float) -> None:
    """While it is traced, written as LLVM text, and compiled; what follows works."""
    assert run(INTERRUPTED.format(module=module, step=step, after=after)) == "interrupted\nusable\n"


LEAVING = """
import os, signal, threading, time
import numpy as np, loadpath as lp
from loadpath.engine import jit
robot = lp.catalog.random_chain(9, 1)
original = jit.compile_object
def compiling(text):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    return original(text)
jit.compile_object = compiling
try:
    robot.forward_dynamics_derivatives(robot.neutral(), np.zeros(robot.n), np.zeros(robot.n))
except KeyboardInterrupt:
    print("leaving")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_process_ends_well_while_something_is_compiled() -> None:
    assert run(LEAVING) == "leaving\n"


# Processes

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
    [("kernels", "_traced"), ("kernels", "llvm_text"), ("jit", "compile_object"), ("kernels", "_keep")],
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


# Dask


@pytest.fixture(params=["threads", "synchronous"])
def scheduler(request: pytest.FixtureRequest) -> str:
    return request.param


def test_dask_arrays_stay_lazy_and_give_the_same(arm: lp.Robot, scheduler: str) -> None:
    state = states(arm, 100)
    lazy = [da.from_array(x, chunks=(30, -1)) for x in state]
    found = arm.inverse_dynamics(*lazy)
    assert isinstance(found, da.Array)
    assert found.shape == (100, arm.n)
    assert found.dtype == np.float64
    with dask.config.set(scheduler=scheduler):
        assert_array_equal(found.compute(), arm.inverse_dynamics(*state))


def test_every_kind_of_result_on_dask(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 50)
    lazy_q, lazy_qd, lazy_qdd = (da.from_array(x, chunks=(20, -1)) for x in (q, qd, qdd))
    for found, expected in (
        (arm.link_poses(lazy_q), arm.link_poses(q)),
        (arm.jacobian(lazy_q, "link2"), arm.jacobian(q, "link2")),
        (arm.kinetic_energy(lazy_q, lazy_qd), arm.kinetic_energy(q, qd)),
        (arm.inverse_dynamics(lazy_q, qd[0], lazy_qdd), arm.inverse_dynamics(q, qd[0], qdd)),
        (
            arm.inverse_dynamics(lazy_q, lazy_qd, lazy_qdd, external={"link3": lp.Wrench((1, 2, 3))}),
            arm.inverse_dynamics(q, qd, qdd, external={"link3": lp.Wrench((1, 2, 3))}),
        ),
    ):
        assert isinstance(found, da.Array)
        assert found.shape == expected.shape
        assert_array_equal(found.compute(), expected)
    wrenches = arm.joint_wrenches(lazy_q, lazy_qd, lazy_qdd)
    assert isinstance(wrenches.force, da.Array)
    one = wrenches["joint2"]
    assert isinstance(one.torque, da.Array)
    assert_array_equal(one.torque.compute(), arm.joint_wrenches(q, qd, qdd)["joint2"].torque)


def test_dask_arrays_chunked_across_the_state_are_rechunked(arm: lp.Robot) -> None:
    state = states(arm, 10)
    found = arm.inverse_dynamics(*(da.from_array(x, chunks=(4, 2)) for x in state))
    assert_array_equal(found.compute(), arm.inverse_dynamics(*state))


def test_float32_on_dask(arm: lp.Robot) -> None:
    state = [x.astype(np.float32) for x in states(arm, 10)]
    found = arm.inverse_dynamics(*(da.from_array(x, chunks=(5, -1)) for x in state))
    assert found.dtype == np.float32
    assert found.compute().dtype == np.float32


def test_dask_graphs_travel(arm: lp.Robot) -> None:
    """As a distributed scheduler sends them: by cloudpickle, to be computed elsewhere."""
    state = states(arm, 20)
    lazy = arm.inverse_dynamics(*(da.from_array(x, chunks=(10, -1)) for x in state))
    arrived = cloudpickle.loads(cloudpickle.dumps(lazy))
    assert_array_equal(arrived.compute(scheduler="synchronous"), arm.inverse_dynamics(*state))


def test_wrong_dask_arrays_are_refused_before_computing(arm: lp.Robot) -> None:
    q, qd, qdd = (da.from_array(x, chunks=(5, -1)) for x in states(arm, 10))
    with pytest.raises(ValueError, match=r"inverse_dynamics: 'qd' has the shape \(10, 3\)"):
        arm.inverse_dynamics(q, qd[:, :3], qdd)
    with pytest.raises(ValueError, match="inverse_dynamics: 'q' has the dtype complex128"):
        arm.inverse_dynamics(q.astype(complex), qd, qdd)
    with pytest.raises(TypeError, match="inverse_dynamics of Dask arrays takes no out"):
        arm.inverse_dynamics(q, qd, qdd, out=np.zeros((10, arm.n)))
