"""Many threads at once, at their first use of a robot and later."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scripts import mixed_arm, run, states

import loadpath as lp
from loadpath.engine import kernels
from loadpath.engine.program import Program


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return mixed_arm()


def test_first_calls_of_many_threads_compile_once_and_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    compilations = []
    original = kernels.llvm_text

    def counted(program: Program) -> list[str]:
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


NESTED = """
import threading, time
import loadpath as lp
from loadpath.engine import kernels
from loadpath.engine.program import Operand
from loadpath.engine.trace import trace
from loadpath.scalars import array

arm = lp.catalog.two_link()

def alone(x):
    return array([x[0] * arm.gravity_forces([0.1, 0.2])[0]])

def beside_another_thread(x):
    other = threading.Thread(target=arm.bias_forces, args=([0.1, 0.2], [0.3, 0.4]))
    other.start()
    while not kernels._making:
        time.sleep(0.001)
    return array([x[0] * arm.bias_forces([0.1, 0.2], [0.3, 0.4])[0]])

for formulation in alone, beside_another_thread:
    tape = trace(formulation, "f", [Operand("x", (1,))], [Operand("y", (1,))]).tape
    print(tape.run([1.0], {"mul": lambda a, b: a * b})[0])
print(arm.gravity_forces([0.1, 0.2])[0], arm.bias_forces([0.1, 0.2], [0.3, 0.4])[0])
"""


def test_a_formulation_that_is_being_traced_may_call_what_another_thread_compiles() -> None:
    """The main thread has its compiling done by another, too."""
    *traced, called = run(NESTED, seconds=60).split("\n", 2)
    assert traced == called.split()


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


SIXTEEN = """
import threading
from concurrent.futures import ThreadPoolExecutor
start = threading.Barrier(16)
def first_use(k):
    start.wait()
    import numpy as np
    import loadpath as lp                                               # sixteen at once, too
    tube = lp.Beam(lp.Tube(0.02, 0.002), lp.STEEL, end="tip_joint")
    if k % 4 == 0:
        return lp.catalog.planar(2).inverse_dynamics([0.1, 0.2], [1, 2], [3, 4]).tolist()
    if k % 4 == 1:
        return lp.catalog.planar(1).with_beams({"link1": tube}).deflection([0.3]).displacement.tolist()
    if k % 4 == 2:
        return lp.catalog.lau_rover().wheel_loads([0, 0, 0.5]).normal.tolist()
    return lp.catalog.planar(2).simulate([0.3, 0], [0, 0], duration=0.05).q.tolist()
with ThreadPoolExecutor(16) as pool:
    found = list(pool.map(first_use, range(16)))
for k in range(4):
    assert all(found[j] == found[k] for j in range(k, 16, 4))
import loadpath as lp
assert found[0] == lp.catalog.planar(2).inverse_dynamics([0.1, 0.2], [1, 2], [3, 4]).tolist()
print("done")
"""


def test_sixteen_threads_import_and_use_everything_for_the_first_time() -> None:
    assert run(SIXTEEN) == "done\n"


FAILING = """
import threading, warnings
from concurrent.futures import ThreadPoolExecutor
import numpy as np, loadpath as lp
warnings.simplefilter("ignore")
free = lp.Robot("r", (lp.Link("a"), lp.Link("b")), (lp.Joint("j", "a", "b", lp.Revolute()),))
start = threading.Barrier(16)
def call(_):
    start.wait()
    try:
        free.forward_dynamics([0.0], [0.0], [1.0])
    except lp.ModelError as problem:
        return str(problem)
with ThreadPoolExecutor(16) as pool:
    found = set(pool.map(call, range(16)))
assert len(found) == 1 and None not in found, found
print("done")
"""


def test_a_first_use_that_fails_fails_in_every_thread() -> None:
    """Nobody waits for ever for the one that was to compile it."""
    assert run(FAILING, seconds=60) == "done\n"
