"""Breakdowns of many states, reduced block by block: the same as of all at once, in bounded memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

import loadpath as lp


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return lp.catalog.puma560()


@pytest.fixture(scope="module")
def states() -> tuple[np.ndarray, ...]:
    return tuple(np.random.default_rng(7).normal(size=(3, 1003, 6)))


@pytest.mark.parametrize("block", [1, 100, 5000])
def test_extremes_are_those_of_all_states(arm: lp.Robot, states: tuple, block: int) -> None:
    states = tuple(part[:300] for part in states) if block == 1 else states
    loads = arm.load_breakdown(*states)
    found = arm.reduce_loads(states, lp.LoadExtremes(), block=block)
    np.testing.assert_array_equal(found.smallest.terms, loads.values.min(axis=0))
    np.testing.assert_array_equal(found.largest.terms, loads.values.max(axis=0))
    np.testing.assert_array_equal(found.largest_at.terms, loads.values.argmax(axis=0))
    np.testing.assert_array_equal(found.smallest_at.terms, loads.values.argmin(axis=0))
    torque = loads.total("joint2").torque[:, 2]
    assert found.largest.total("joint2")[5] == torque.max()
    assert found.smallest_at.total("joint2")[5] == torque.argmin()
    assert found.largest.cause("joint1", "gravity", "link3")[3] == loads.gravity["joint1", "link3"].torque[:, 0].max()
    assert not found.largest.cause("joint6", "gravity", "link1").any()


def test_means_and_mean_squares(arm: lp.Robot, states: tuple) -> None:
    loads = arm.load_breakdown(*states)
    mean, rms = arm.reduce_loads(states, [lp.LoadMean(), lp.LoadRMS()], block=64)
    np.testing.assert_allclose(mean.values, loads.values.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(mean.friction, loads.friction.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(mean.total("joint3").torque, loads.total("joint3").torque.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(rms.terms, np.sqrt((loads.values**2).mean(axis=0)), atol=1e-12)
    force = loads.total("joint3").force
    np.testing.assert_allclose(rms.total("joint3")[:3], np.sqrt((force**2).mean(axis=0)), rtol=1e-12)


def test_histograms(arm: lp.Robot, states: tuple) -> None:
    loads = arm.load_breakdown(*states)
    edges = np.linspace(-50, 50, 21)
    of_total = lp.LoadHistogram("joint2", "torque_z", edges)
    of_cause = lp.LoadHistogram("joint2", "force_x", edges, "coriolis", "joint1", "joint2")
    found = arm.reduce_loads(states, [of_total, of_cause])
    np.testing.assert_array_equal(found[0], np.histogram(loads.total("joint2").torque[:, 2], edges)[0])
    pair = loads.coriolis["joint2", "joint2", "joint1"].force[:, 0]
    np.testing.assert_array_equal(found[1], np.histogram(pair, edges)[0])
    with pytest.raises(ValueError, match="edges"):
        lp.LoadHistogram("joint2", "torque_z", [1, 1])


class Largest:
    """A reducer of one's own: the largest torque on a joint."""

    def __init__(self) -> None:
        self.value, self.state = 0.0, -1

    def add(self, block: lp.LoadBreakdown, first: int) -> None:
        size = np.linalg.norm(block.total("joint2").torque, axis=-1)
        if size.max() > self.value:
            self.value, self.state = float(size.max()), first + int(size.argmax())

    def result(self) -> tuple[float, int]:
        return self.value, self.state


def test_generators_own_reducers_and_options(arm: lp.Robot, states: tuple) -> None:
    rng = np.random.default_rng(1)
    push = lp.Wrench(rng.normal(size=(1003, 3)) * 30)
    moving = rng.normal(size=6)
    loads = arm.load_breakdown(*states, external={"link6": push}, base_acceleration=moving)
    size = np.linalg.norm(loads.total("joint2").torque, axis=-1)
    expected = (size.max(), size.argmax())
    options = {"external": {"link6": push}, "base_acceleration": moving}
    assert arm.reduce_loads(states, Largest(), block=97, **options) == expected

    def blocks() -> Iterator[dict]:
        for start in range(0, 1003, 250):
            rows = slice(start, start + 250)
            part = dict(zip(("q", "qd", "qdd"), (array[rows] for array in states), strict=True))
            yield {**part, "external": {"link6": lp.Wrench(push.force[rows])}}

    assert arm.reduce_loads(blocks(), Largest(), block=97, base_acceleration=moving) == expected
    plain = arm.reduce_loads((tuple(array[k : k + 100] for array in states) for k in range(0, 1003, 100)), Largest())
    assert plain == arm.reduce_loads(states, Largest())


def test_a_motion_and_progress(arm: lp.Robot) -> None:
    t = np.linspace(0, 1, 400)
    motion = lp.Motion(t, np.sin(np.outer(t, np.arange(1, 7))))
    shares: list[float] = []
    found = arm.reduce_loads(motion, lp.LoadExtremes(), block=50, progress=shares.append)
    assert len(shares) == 8 and shares[-1] == 1.0
    torque = arm.load_breakdown(motion).total("joint2").torque[:, 2]
    np.testing.assert_allclose(found.largest.total("joint2")[5], torque.max(), rtol=1e-12)


def test_means_over_a_motion_go_by_time(arm: lp.Robot) -> None:
    """Samples may lie close together where little time passes: the mean is that over the time, as of `peak_loads`."""
    swing = lp.Motion.swing(arm, duration=2.0)
    uneven = swing.at(2.0 * np.linspace(0, 1, 700) ** 3)
    mean, rms = arm.reduce_loads(uneven, [lp.LoadMean(), lp.LoadRMS()], block=100)
    loads = arm.load_breakdown(uneven)
    np.testing.assert_allclose(mean.values, np.trapezoid(loads.values, uneven.t, axis=0) / 2, rtol=1e-9, atol=1e-12)
    peaks = arm.peak_loads(uneven)["joint2", "torque_z"]
    np.testing.assert_allclose(mean.total("joint2").torque[2], peaks.mean, rtol=1e-12)
    np.testing.assert_allclose(rms.total("joint2")[5], peaks.rms, rtol=1e-12)
    states_alone = arm.reduce_loads((uneven.q, uneven.qd, uneven.qdd), lp.LoadMean())
    np.testing.assert_allclose(states_alone.values, loads.values.mean(axis=0), rtol=1e-9, atol=1e-12)


def test_nan_states_are_left_out_of_the_extremes(arm: lp.Robot, states: tuple) -> None:
    q = states[0][:20].copy()
    q[:10] = np.nan
    found = arm.reduce_loads((q, states[1][:20], states[2][:20]), lp.LoadExtremes(), block=5)
    loads = arm.load_breakdown(q[10:], states[1][10:20], states[2][10:20])
    np.testing.assert_array_equal(found.largest.terms, loads.values.max(axis=0))
    varies = loads.values.any(axis=0)  # others are zero whatever q is
    assert (found.largest_at.terms[varies] >= 10).all()


def test_memory_does_not_grow_with_the_states(arm: lp.Robot) -> None:
    def blocks(count: int) -> Iterator[tuple[np.ndarray, ...]]:
        rng = np.random.default_rng(0)
        for _ in range(count):
            yield tuple(rng.normal(size=(3, 200, 6)))

    arm.reduce_loads(blocks(1), lp.LoadExtremes())
    peaks = []
    for count in (3, 60):
        tracemalloc.start()
        arm.reduce_loads(blocks(count), lp.LoadExtremes())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize(
    ("states", "options", "message"),
    [
        ((np.zeros(6), np.zeros(6), np.zeros(6)), {}, "states come in rows"),
        ((np.zeros((3, 6)), np.zeros((4, 6)), np.zeros(6)), {}, "states come in rows"),
        ((np.zeros((3, 6)), np.zeros(6), np.zeros(6)), {"block": 0}, "block is 0"),
        (iter(()), {}, "there were no states"),
    ],
)
def test_wrong_calls_of_reductions(arm: lp.Robot, states: object, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        arm.reduce_loads(states, lp.LoadExtremes(), **options)


def test_what_is_no_reducer_and_what_are_no_states(arm: lp.Robot) -> None:
    rows = np.zeros((5, 6))
    for wrong in (lp.LoadMean, None, [lp.LoadMean(), lp.LoadRMS]):
        with pytest.raises(ValueError, match=r"is no reducer: expected an object with add\(block, first\) and result"):
            arm.reduce_loads((rows, rows, rows), wrong)
    with pytest.raises(ValueError, match=r"three arrays \(q, qd, qdd\), a motion, or blocks .* there are 2"):
        arm.reduce_loads(iter([(rows, rows)]), lp.LoadMean())
    with pytest.raises(ValueError, match="a block of states has no 'qdd'; it has 'q', 'qd'"):
        arm.reduce_loads(iter([{"q": rows, "qd": rows}]), lp.LoadMean())
    with pytest.raises(ValueError, match=r"block is 2\.5"):
        arm.reduce_loads((rows, rows, rows), lp.LoadMean(), block=2.5)
