"""Results from memory that is used again: nothing that a user can notice but the time."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.llvm.pool import BLOCKS, LEAST, NAME
from loadpath.engine.pool import Pool, bound, pool

N = 4096
ROBOT = lp.catalog.planar(2)


def store() -> Pool:
    made = pool()
    assert made is not None
    return made


def states(number: int = N, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(3, number, 2))


def torques(arrays: np.ndarray) -> np.ndarray:
    """The same numbers from memory of NumPy's own."""
    out = np.empty(arrays.shape[1:])
    ROBOT.inverse_dynamics(*arrays, out=out)
    return out


def handler(array: np.ndarray) -> str:
    from numpy._core.multiarray import get_handler_name

    return str(get_handler_name(array))


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def large(number: int = 4 * N, seed: int = 0) -> np.ndarray:
    result: np.ndarray = ROBOT.inverse_dynamics(*states(number, seed))
    assert result.nbytes >= LEAST
    return result


def test_results_are_ordinary_arrays_with_the_same_numbers() -> None:
    arrays = states(4 * N)
    found = ROBOT.inverse_dynamics(*arrays)
    assert handler(found) == NAME
    assert type(found) is np.ndarray and found.base is None
    assert found.flags.owndata and found.flags.writeable and found.flags.c_contiguous and address(found) % 64 == 0
    np.testing.assert_array_equal(found, torques(arrays))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)), found)
    kept = found.copy()
    for rows in (10 * N, N, 3, 6 * N):  # its size may be changed, as that of any array
        found.resize((rows, 2), refcheck=False)
        same = min(rows, len(kept))
        np.testing.assert_array_equal(found[:same], kept[:same])
        assert not found[same:].any()
        kept = found.copy()


def test_other_arrays_of_the_user_are_not_touched() -> None:
    large()
    assert handler(np.empty(LEAST)) == "default_allocator"
    with pytest.raises(ValueError):
        ROBOT.inverse_dynamics(np.zeros((N, 2)), np.zeros((N, 3)), np.zeros((N, 2)))
    assert handler(np.empty(LEAST)) == "default_allocator"
    assert handler(large() + 1.0) == "default_allocator"


def test_what_is_let_go_is_used_again_and_what_is_held_is_not() -> None:
    store().release()
    first = large()
    where = address(first)
    part = first[5:, :1]
    expected = part.copy()
    del first  # but for a part of it
    others = [large(seed=k) for k in range(4)]
    assert where not in map(address, others)
    np.testing.assert_array_equal(part, expected)
    del part
    assert store().kept > 0
    assert address(large(seed=9)) == where


def test_what_is_kept_stays_within_its_bound() -> None:
    store().release()
    results = [large(seed=k) for k in range(BLOCKS + 8)]
    size = results[0].nbytes
    del results
    assert store().kept == BLOCKS * size
    store().release()
    assert store().kept == 0
    lots = bound() // 2 // 16 + 1000  # of which only one is within the bound
    results = [ROBOT.inverse_dynamics(*np.broadcast_to(0.0, (3, lots, 2))) for _ in range(2)]
    del results
    assert 0 < store().kept <= bound()
    store().release()


def test_what_lies_unused_goes_when_others_come() -> None:
    store().release()
    large(8 * N)
    seconds = store().seconds.value
    assert seconds > 0
    large(4 * N)
    assert store().kept == 12 * N * 16
    try:
        store().seconds.value = -1  # as if all of it were older
        large(2 * N)
    finally:
        store().seconds.value = seconds
    assert store().kept == 2 * N * 16


def test_memory_of_another_size_is_not_wasted() -> None:
    store().release()
    held = address(large(8 * N))
    small = large(4 * N)
    assert address(small) != held  # half of it would lie idle
    assert address(large(7 * N)) == held


def test_batches_by_broadcasting_and_one_state() -> None:
    q, qd, qdd = states(200)
    found = ROBOT.inverse_dynamics(q[:, None], qd[None], qdd[None])
    assert found.shape == (200, 200, 2) and handler(found) == NAME
    np.testing.assert_array_equal(found[3], torques(np.stack([np.broadcast_to(q[3], qd.shape), qd, qdd])))
    assert handler(ROBOT.inverse_dynamics(q[0], qd[0], qdd[0])) == "default_allocator"


def test_float32_and_wrapped_results() -> None:
    arrays = states(4 * N).astype(np.float32)
    found = ROBOT.inverse_dynamics(*arrays)
    assert found.dtype == np.float32 and handler(found) == NAME
    wrenches = ROBOT.joint_wrenches(*states(4 * N))
    assert handler(wrenches.force) == handler(wrenches.torque) == NAME


def test_tracemalloc_sees_it_come_and_go() -> None:
    arrays = states(8 * N)
    large(8 * N)  # kept from now on
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        found = ROBOT.inverse_dynamics(*arrays)
        assert tracemalloc.get_traced_memory()[0] - before >= found.nbytes
        del found
        assert tracemalloc.get_traced_memory()[0] - before < 10_000
    finally:
        tracemalloc.stop()


def test_threads_do_not_get_each_others_results() -> None:
    wrong: list[str] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        held: list[tuple[np.ndarray, np.ndarray]] = []
        for _ in range(30):
            arrays = states(int(rng.integers(N, 8 * N)), int(rng.integers(1 << 30)))
            held.append((ROBOT.inverse_dynamics(*arrays), torques(arrays)))
            if rng.random() < 0.6:
                held.pop(int(rng.integers(len(held))))
            wrong.extend("differs" for found, expected in held if not np.array_equal(found, expected))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_forks_have_a_store_of_their_own() -> None:
    arrays = states(4 * N)
    expected = torques(arrays)
    held = ROBOT.inverse_dynamics(*arrays)
    large(seed=1)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            fresh = [ROBOT.inverse_dynamics(*arrays) for _ in range(5)]
            held[:] = 0.0
            code = int(not all(np.array_equal(found, expected) for found in fresh))
        finally:
            os._exit(code)
    fresh = [large(seed=k) for k in range(3)]
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    np.testing.assert_array_equal(held, expected)
    assert len({address(array) for array in [held, *fresh]}) == 4


EXIT = """
import builtins, sys, threading, atexit
import numpy as np, loadpath as lp
robot = lp.catalog.planar(2)
make = lambda: robot.inverse_dynamics(*np.ones((3, 20000, 2)))
class Cycle:
    def __init__(self): self.me, self.array = self, make()
builtins.kept_to_the_very_end = make()
sys.modules["numpy"].also = make()
sys.modules["ctypes"].also = [make(), Cycle()]
mine, cycle = make(), Cycle()
np.ndarray.__doc__
atexit.register(lambda: [make() for _ in range(3)])
threading.Thread(target=lambda: [make() for _ in range(10**6)], daemon=True).start()
for _ in range(20):
    mine = make()
"""

LIMIT = """
import resource
from pathlib import Path
import numpy as np, loadpath as lp
from loadpath.engine.pool import pool
robot = lp.catalog.planar(2)
arrays = np.zeros((3, 1 << 19, 2))  # results of 8 MB
results = [robot.inverse_dynamics(*arrays) for _ in range(12)]
del results
kept = pool().kept
assert kept >= 90e6, kept
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (16 << 20), resource.RLIM_INFINITY))
whole = robot.inverse_dynamics(*np.broadcast_to(arrays[:, :1], (3, 3 << 20, 2)))  # 50 MB: only with what is kept
assert whole.nbytes > 50e6 and pool().kept == 0
try:
    robot.inverse_dynamics(*np.broadcast_to(arrays[:, :1], (3, 1 << 30, 2)))
except MemoryError:
    print("refused")
"""


@pytest.mark.parametrize(("script", "answer"), [(EXIT, ""), pytest.param(
    LIMIT, "refused\n", marks=pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a limit"))])
def test_to_the_end_of_a_process_and_of_its_memory(script: str, answer: str) -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, answer, "")


def test_garbage_gives_its_memory_back() -> None:
    store().release()
    cycle: list[object] = [large()]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert store().kept >= 4 * N * 16


class Derived(np.ndarray):
    """An array of a class of the user's."""


def _by_buffers(found: np.ndarray) -> np.ndarray:
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(found, protocol=5, buffer_callback=buffers.append)
    del found
    loaded: np.ndarray = pickle.loads(data, buffers=buffers)
    return loaded


def _resized(found: np.ndarray) -> np.ndarray:
    found.resize((2 * len(found), 2), refcheck=False)
    return found[: len(found) // 2]


def _read_only(found: np.ndarray) -> np.ndarray:
    found.setflags(write=False)
    return found


KEPT_IN_OTHER_WAYS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "of a class": lambda found: found.view(Derived)[:],
    "from a buffer": lambda found: np.frombuffer(found, dtype=float).reshape(-1, 2),
    "from memory": lambda found: np.asarray(memoryview(found)),
    "from ctypes": lambda found: np.ctypeslib.as_array(np.ctypeslib.as_ctypes(found)),
    "by buffers": _by_buffers,
    "resized": _resized,
    "read only": _read_only,
    "turned": lambda found: found[::-1].T[:, ::-1].T,
}


@pytest.mark.parametrize("way", KEPT_IN_OTHER_WAYS)
def test_however_a_result_is_held_it_stays(way: str) -> None:
    arrays = states(4 * N, seed=3)
    held = KEPT_IN_OTHER_WAYS[way](ROBOT.inverse_dynamics(*arrays))  # of which there is no other reference
    others = [large(seed=k) for k in range(3)]
    del others[1]
    others.append(large(seed=9))
    np.testing.assert_array_equal(held, torques(arrays))
