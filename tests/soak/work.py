"""The kinds of work of a soak: each does something for a second or so, and asserts that its results are right."""

from __future__ import annotations

import csv
import multiprocessing
import os
import pickle
import random
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import loadpath as lp
from differential.robots import Case, random_coordinates, random_robot, random_speeds
from loadpath.engine import kernels
from references.to_pinocchio import Peer, to_pinocchio

Work = Callable[[np.random.Generator], None]
WORK: dict[str, Work] = {}


def work(function: Work) -> Work:
    WORK[function.__name__] = function
    return function


def some_robot(rng: np.random.Generator, most: int = 3) -> tuple[lp.Robot, Peer, list[tuple[np.ndarray, ...]], float]:
    """A robot that nobody has compiled yet, the same in Pinocchio, a few states, and the size of its loads."""
    while True:
        robot, _, length = random_robot(rng, most=most)
        if 0 < robot.n <= 6:
            break
    peer = to_pinocchio(robot)
    states = [
        (random_coordinates(rng, robot, length), random_speeds(rng, robot, length), random_speeds(rng, robot, length))
        for _ in range(8)
    ]
    force, torque = peer.joint_wrenches(*states[0])
    return robot, peer, states, float(max(np.abs(force).max(), np.abs(torque).max()))


def columns(states: list[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(part) for part in zip(*states, strict=True))


def near(found: Any, expected: Any, size: float, tolerance: float = 1e-9) -> None:
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    worst = np.abs(found - expected).max(initial=0.0)
    assert worst <= tolerance * max(size, np.abs(expected).max(initial=0.0)), (worst, size)


@work
def new_robots(rng: np.random.Generator) -> None:
    """Compiled for the first time, batches and single states, against Pinocchio."""
    robot, peer, states, size = some_robot(rng)
    expected = [peer.inverse_dynamics(*state) for state in states]
    near(robot.inverse_dynamics(*columns(states)), expected, size)
    for state, wanted in zip(states, expected, strict=True):
        near(robot.inverse_dynamics(*state), wanted, size)
    near(robot.link_poses(states[0][0]), peer.link_poses(states[0][0]), 1.0)


@work
def small_robots_one_after_the_other(rng: np.random.Generator) -> None:
    """Ten, none like any before: towards ten thousand in one process."""
    for _ in range(10):
        length = float(rng.uniform(0.1, 10))
        near(lp.catalog.planar(1, length=length).gravity_forces([0.0]), [9.81 * length / 2], 0.0)


@work
def sixteen_threads_at_first_use(rng: np.random.Generator) -> None:
    robot, peer, states, size = some_robot(rng)
    expected = np.array([peer.inverse_dynamics(*state) for state in states])
    wrenches = np.array([peer.joint_wrenches(*state)[1] for state in states])
    start = threading.Barrier(16)

    def first(k: int) -> None:
        start.wait()
        if k % 2:
            near(robot.inverse_dynamics(*columns(states)), expected, size)
        else:
            near(robot.joint_wrenches(*columns(states)).torque, wrenches, size)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(first, range(16)))


@work
def results_kept_and_dropped(rng: np.random.Generator) -> None:
    """Large results in threads, some held, some as parts, some in garbage: none changes while anybody holds it."""
    robot, _, states, _ = some_robot(rng, most=2)
    seeds = rng.integers(1 << 30, size=4)

    def one(seed: int) -> None:
        own = np.random.default_rng(seed)
        held: list[tuple[np.ndarray, bytes]] = []
        for _ in range(40):
            arrays = [np.repeat(array, int(own.integers(1, 2000)), axis=0)[: len(states) * 900]
                      for array in columns(states)[:1]]
            others = [np.broadcast_to(array[:1], (len(arrays[0]), array.shape[1])) for array in columns(states)[1:]]
            result = robot.inverse_dynamics(*arrays, *others)
            part = result[:: int(own.integers(1, 4))]
            held.append((part, part.tobytes()))
            cycle: list[Any] = [result]
            cycle.append(cycle)
            while held and own.random() < 0.5:
                held.pop(int(own.integers(len(held))))
            for part, expected in held:
                assert part.tobytes() == expected
            try:
                robot.inverse_dynamics(arrays[0], others[0][:, :-1], others[1])
            except ValueError:
                pass
            else:
                raise AssertionError("a wrong shape")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(one, seeds))


@work
def forks(rng: np.random.Generator) -> None:
    """Children of a process whose threads compute, one of which compiles."""
    if not hasattr(os, "fork"):
        return
    robot, _, states, size = some_robot(rng, most=2)
    arrays = columns(states)
    expected = robot.inverse_dynamics(*arrays)
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            robot.inverse_dynamics(*arrays)

    def compiling() -> None:
        new_robots(np.random.default_rng(int(rng.integers(1 << 30))))

    threads = [threading.Thread(target=target) for target in (busy, busy, compiling)]
    for thread in threads:
        thread.start()
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                near(robot.inverse_dynamics(*arrays), expected, size)
                small = float(rng.uniform(0.1, 10))
                near(lp.catalog.planar(1, length=small).gravity_forces([0.0]), [9.81 * small / 2], 0.0)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    stop.set()
    for thread in threads:
        thread.join()
    assert codes == [0, 0, 0], codes


def _there(task: tuple[Any, tuple[np.ndarray, ...]]) -> np.ndarray:
    robot, arrays = task
    return robot.inverse_dynamics(*arrays)


@work
def spawned(rng: np.random.Generator) -> None:
    """A robot pickled into an interpreter of its own."""
    robot, peer, states, size = some_robot(rng, most=2)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (found,) = pool.map(_there, [(robot, columns(states))])
    near(found, [peer.inverse_dynamics(*state) for state in states], size)


@work
def simulations(rng: np.random.Generator) -> None:
    """Energy is kept; a rover stops where its friction says."""
    count = int(rng.integers(1, 4))
    arm = lp.catalog.planar(count)
    fall = arm.simulate(rng.uniform(-1, 1, count), np.zeros(count), duration=0.5)
    assert fall.energy_drift < 1e-6
    speed = float(rng.uniform(0.05, 0.2))
    cart = lp.catalog.lau_rover().base.carrying()
    out = cart.simulate(velocity=(speed, 0.0), duration=4.0)
    near(out.pose[-1, 0], speed**2 / (2 * 0.01 * 9.81), 0.0, 1e-4)


@work
def loads(rng: np.random.Generator) -> None:
    """Breakdowns sum to the wrenches; a payload's limit is where it binds."""
    robot, peer, states, size = some_robot(rng, most=2)
    found = robot.load_breakdown(*columns(states), compiled=False)
    expected = np.array([np.concatenate(peer.joint_wrenches(*state), axis=1) for state in states])
    near(found.totals(), expected, size)
    peaks = robot.peak_loads(columns(states))
    near(peaks.components.maximum, expected.max(axis=0), size)


@work
def elastic(rng: np.random.Generator) -> None:
    """The sag of a rod by hand, in threads."""
    radius, length = float(rng.uniform(0.005, 0.02)), float(rng.uniform(0.5, 1.5))
    rod = lp.Rod(radius)
    beam = lp.Beam(rod, lp.STEEL, end="tip_joint")
    arm = lp.catalog.planar(1, length=length).with_beams({"link1": beam}, inertia_from_beams=True)
    sag = -9.81 * 7850 * rod.area * length**4 / (8 * 210e9 * rod.second_moment_y)

    def one(_: int) -> None:
        near(arm.deflection([0.0], effects=["bending"]).tip.displacement[2], sag, 0.0, 1e-9)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(8)))


@work
def rovers(rng: np.random.Generator) -> None:
    rover = lp.catalog.lau_rover(driven=True)
    states = rng.uniform(-1, 1, (50, 3))
    speeds = rng.normal(size=(50, 2)) * 0.2
    found = rover.wheel_loads(states, velocity=speeds)
    near(found.normal.sum(axis=-1), rover.ground_wrench(states, velocity=speeds).force[:, 2], 100.0)
    near(found.tips_over, rover.stability(states, velocity=speeds).margin < 0, 1.0)


@work
def files(rng: np.random.Generator) -> None:
    """Motions, reports and exports written and read again."""
    arm = lp.catalog.planar(2)
    motion = lp.Motion.through(arm, rng.uniform(-2, 2, (2, 2)), [0.0, 1.0], rate=50)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "m.csv"
        motion.to_csv(text)
        with text.open(newline="") as file:
            assert len(list(csv.reader(file))) == len(motion) + 1
        near(lp.Motion.from_csv(text, arm).qdd, motion.qdd, 0.0, 1e-15)
        arm.report(motion).save(Path(folder) / "r.html")
        assert (Path(folder) / "r.html").stat().st_size > 10_000
        assert not list(Path(folder).glob("*.tmp"))
    assert "void" in arm.c_source("inverse_dynamics")
    near(np.array(arm.casadi_function("mass_matrix")([0.1, 0.2])), arm.mass_matrix([0.1, 0.2]), 0.0, 1e-12)
    near(pickle.loads(pickle.dumps(arm)).gravity_forces([0.1, 0.2]), arm.gravity_forces([0.1, 0.2]), 0.0, 0.0)


@work
def forgetting(rng: np.random.Generator) -> None:
    """Nothing in memory any more: the code comes from the disk, or is compiled again."""
    kernels._kept.clear()
    length = 0.5 + 0.1 * int(rng.integers(3))
    near(lp.catalog.planar(2, length=length).gravity_forces([0.0, 0.0]), [9.81 * 2 * length, 9.81 * length / 2], 0.0)


@work
def errors(rng: np.random.Generator) -> None:
    """Wrong calls from many threads: an error each, and nobody hangs."""
    arm = lp.catalog.planar(2, length=float(rng.uniform(0.5, 2)))

    def wrong(k: int) -> bool:
        try:
            arm.inverse_dynamics([0.0] * (k % 5 + 3), [0.0], [0.0])
        except ValueError:
            return True
        return False

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(wrong, range(32)))


@work
def differential(rng: np.random.Generator) -> None:
    """A few comparisons of the differential tests, drawn at random."""
    from differential.command import load_checks
    from differential.register import Seen, run

    checks = load_checks()
    for name in random.Random(int(rng.integers(1 << 30))).sample(sorted(checks), 2):
        seen = Seen()
        number = next(k for k in range(1000) if Case(int(rng.integers(1 << 20)), k).robot.n >= 2)
        run(checks[name], Case(int(rng.integers(1 << 20)), number), seen)
        assert not seen.failures, seen.failures
