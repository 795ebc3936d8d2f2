"""Quickly compiled code and the optimised one that takes over: the same bits, in threads, forks and at the end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import casadi
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from programs import mixed, program, random_program, ufunc

import loadpath as lp
from loadpath.engine import better, jit, kernels
from loadpath.engine.llvm import emit as emit_module
from loadpath.engine.pool import pool

FAR = np.array([0.0, -0.0, np.pi / 2, 1e-300, 1e3, 1e6, 1.64e6, 1e9, 1e300])


def batch(made: kernels.Program, rng: np.random.Generator) -> list[np.ndarray]:
    arrays = [rng.normal(size=(77, *o.shape)) for o in made.inputs]
    for array in arrays:
        array[:9] = (FAR * np.ones((*array.shape[1:], 9))).T.reshape(9, *array.shape[1:]) if array.ndim > 1 else FAR
    return arrays


@pytest.mark.parametrize("make", [mixed, lambda: random_program(3, 260), lambda: random_program(5, 700)])
def test_bits_do_not_depend_on_how_hard_llvm_tries(
    make: Callable[[], kernels.Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quick, function by function, and all in one; in one module and in several."""
    made = make()
    arrays = batch(made, np.random.default_rng(1))
    found = []
    for inlined, together in ((0, 1000), (10**6, 1000), (0, 1)):
        monkeypatch.setattr(emit_module, "INLINED", inlined)
        monkeypatch.setattr(emit_module, "STAGES_TOGETHER", together)
        monkeypatch.setattr(emit_module, "CHUNK_LENGTH", 80 if together == 1 else 200)
        for compiler in (jit.compile_quickly, jit.compile_object):
            for dtype in (np.float64, np.float32):
                with np.errstate(all="ignore"):
                    results = ufunc(made, compiler=compiler)(*(array.astype(dtype) for array in arrays))
                found.append((dtype, results if isinstance(results, tuple) else (results,)))
    for dtype, results in found:
        expected = next(first for kind, first in found if kind is dtype)
        for one, other in zip(results, expected, strict=True):
            assert_array_equal(one, other)


def test_llvm_calls_nothing_of_its_own() -> None:
    """Many zeros one after the other: LLVM would call memset, which the linker of older versions does not find."""
    zeros = program("zeros", {"x": (2,)}, {"y": (64,)}, lambda x: [casadi.vertcat(x[0] * x[1], casadi.SX(63, 1))])
    (text,) = kernels.llvm_text(zeros)
    code = jit.compile_object(text)
    assert jit.INLINED in text and b"memset" not in code and b"memcpy" not in code


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Nothing is optimised before this is set, and nothing comes from the disk."""
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    monkeypatch.setattr(kernels, "_kept", type(kernels._kept)())
    go = threading.Event()
    original = jit.compile_object

    def waiting(text: str) -> bytes:
        assert go.wait(60)
        return original(text)

    assert better.settle() and pool() is not None
    monkeypatch.setattr(jit, "compile_object", waiting)
    return go


def test_the_optimised_code_takes_over_with_the_same_bits(slow: threading.Event) -> None:
    robot = lp.catalog.random_dh_arm(4, 11)
    arrays = np.random.default_rng(0).normal(size=(3, 1000, 4))
    methods = [robot.inverse_dynamics, robot.mass_matrix, robot.joint_wrenches]
    used = [arrays, arrays[:1], arrays]

    def results() -> list[np.ndarray]:
        found = [method(*given) for method, given in zip(methods, used, strict=True)]
        singles = [method(*(a[3] for a in given)) for method, given in zip(methods, used, strict=True)]
        return [*found[:2], found[2].force, found[2].torque, *singles[:2], singles[2].force]

    quick = results()
    assert not better._optimizer.idle.is_set()
    stop, wrong = threading.Event(), []

    def busy() -> None:
        while not stop.is_set():
            wrong.extend(k for k, (a, b) in enumerate(zip(results(), quick, strict=True)) if not np.array_equal(a, b))

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    slow.set()
    assert better.settle(120)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    for one, other in zip(results(), quick, strict=True):
        assert_array_equal(one, other)


def test_what_cannot_be_optimised_stays(slow: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str) -> bytes:
        raise MemoryError

    monkeypatch.setattr(jit, "compile_object", fail)
    slow.set()
    robot = lp.catalog.random_dh_arm(5, 12)
    arrays = np.random.default_rng(0).normal(size=(3, 20, 5))
    found = robot.inverse_dynamics(*arrays)
    assert better.settle()
    assert_array_equal(robot.inverse_dynamics(*arrays), found)


def test_only_so_many_wait(slow: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(better, "MOST_WAITING", 2)
    made = [lp.catalog.random_dh_arm(4, seed) for seed in range(40, 45)]
    state = np.ones((3, 4))
    before = [robot.inverse_dynamics(*state) for robot in made]
    assert len(better._optimizer.waiting) <= 2
    slow.set()
    assert better.settle(120)
    for robot, expected in zip(made, before, strict=True):
        assert_array_equal(robot.inverse_dynamics(*state), expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_the_child_of_a_fork_optimises_what_its_parent_had_not(
    slow: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(better, "IN_CHILD", 0.0)
    robot = lp.catalog.random_dh_arm(4, 13)
    state = np.random.default_rng(0).normal(size=(3, 50, 4))
    expected = robot.inverse_dynamics(*state)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            there = np.array_equal(robot.inverse_dynamics(*state), expected)
            slow.set()
            there = there and better.settle(120) and better._optimizer.waiting == []
            code = int(not (there and np.array_equal(robot.inverse_dynamics(*state), expected)))
        finally:
            os._exit(code)
    slow.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert better.settle(120)


TWICE = """
import sys, time
import numpy as np, loadpath as lp
from loadpath.engine import better, jit
better.AT_EXIT = 60.0
compiled = []
for name in ("compile_object", "compile_quickly"):
    def counted(text, name=name, original=getattr(jit, name)):
        compiled.append(name)
        return original(text)
    setattr(jit, name, counted)
robot = lp.catalog.random_dh_arm(4, 21)
print(robot.inverse_dynamics(*np.ones((3, 4))).tobytes().hex(), "compile_quickly" in compiled)
"""


def test_the_second_process_finds_the_optimised_code_on_the_disk(tmp_path: Path) -> None:
    environment = {**os.environ, "LOADPATH_CACHE_DIR": str(tmp_path)}
    answers = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, check=False,
                              env=environment)
        assert (done.returncode, done.stderr) == (0, "")
        answers.append(done.stdout.split())
    assert answers[0][0] == answers[1][0]
    assert [answer[1] for answer in answers] == ["True", "False"]
