"""External wrenches that acted in a simulation: what takes the simulation for states counts them, or says why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.two_link()
PUSH = lp.Wrench((3.0, 4.0, 50.0), (1.0, 2.0, 3.0))
External = Mapping[str, lp.Wrench] | Callable[..., Mapping[str, lp.Wrench]]


def growing(t: float, q: np.ndarray, qd: np.ndarray) -> dict[str, lp.Wrench]:
    return {"tip": lp.Wrench((3.0, 4.0 * qd[0], 50.0 * t), (1.0, 2.0, q[1]), point=(0.1, t, 0.2))}


@pytest.mark.parametrize("external", [{"tip": PUSH}, growing])
def test_of_a_robot(external: External) -> None:
    run = ARM.simulate([0.1, 0.2], [0.3, 0.0], duration=0.1, external=external)
    np.testing.assert_allclose(ARM.inverse_dynamics(run), run.tau, atol=1e-12)
    np.testing.assert_allclose(ARM.forward_dynamics(run), run.qdd, atol=1e-10)
    pushed = ARM.joint_wrenches(run.q, run.qd, run.qdd, external=run.external)
    assert np.array_equal(ARM.joint_wrenches(run).force, pushed.force)
    peaks = ARM.peak_loads(run)[ARM.joint_names[0], "force_z"].peak
    assert peaks.value == pytest.approx(pushed.force[peaks.sample, 0, 2], abs=1e-12)
    given = ARM.load_breakdown(run.q, run.qd, run.qdd, external=run.external)
    assert np.array_equal(ARM.load_breakdown(run).values, given.values)
    assert np.abs(ARM.inverse_dynamics(run, external={}) - run.tau).max() > 1.0  # left out where that is asked for


def test_none_without_them() -> None:
    assert ARM.simulate([0.1, 0.2], [0.3, 0.0], duration=0.1).external is None
    assert ARM.simulate([0.1, 0.2], [0.3, 0.0], duration=0.1, external={}).external is None


def of_state(t: float, state: Any) -> dict[str, lp.Wrench]:
    pull = lp.Wrench((1.0, 2.0, 3.0), point=(0.1, 0.0, 1.0))
    return {"rod": lp.Wrench((3.0 * state.velocity[0], 4.0, -20.0 * t)), "rover": pull}


@pytest.mark.parametrize("external", [{"rod": lp.Wrench((3.0, 4.0, -20.0), (1.0, 2.0, 3.0))}, of_state])
def test_of_a_rover(external: External) -> None:
    rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.8))
    run = rover.simulate([0, 0, 0.5], [1, 0, 0], duration=0.1, velocity=(0.2, 0.1), external=external)
    np.testing.assert_allclose(rover.wheel_loads(run).normal, run.normal, atol=1e-9)
    np.testing.assert_allclose(rover.stability(run).margin, run.margin, atol=1e-12)
    np.testing.assert_allclose(rover.ground_wrench(run).force[:, 2], run.normal.sum(axis=1), atol=1e-9)
    np.testing.assert_allclose(rover.base_acceleration(run).acceleration, run.acceleration, atol=1e-9)
    np.testing.assert_allclose(rover.forward_dynamics(run).qdd, run.qdd, atol=1e-9)
    np.testing.assert_allclose(rover.robot.inverse_dynamics(run), run.tau, atol=1e-9)
    assert np.abs(rover.wheel_loads(run, external={}).normal - run.normal).max() > 0.5
    assert "external" in rover.report(run).html


def test_bending_under_them() -> None:
    arm = ARM.with_beams({ARM.joints[0].child: lp.Beam(lp.Rod(0.02), lp.STEEL, end=ARM.joint_names[1])})
    run = ARM.simulate([0.1, 0.2], [0.3, 0.0], duration=0.1, external={"tip": PUSH})
    given = arm.deflection(run.q, run.qd, run.qdd, external={"tip": PUSH}).displacement
    assert np.array_equal(arm.deflection(run).displacement, given)
    assert arm.extremes(run).tip.distance == pytest.approx(np.linalg.norm(given[:, -1], axis=-1).max(), rel=1e-12)


def test_refused_where_they_cannot_count() -> None:
    run = ARM.simulate([0.1, 0.2], [0.3, 0.0], duration=0.1, external={"tip": PUSH})
    with pytest.raises(ValueError, match="identify takes no external wrenches, and in the simulation there is one"):
        lp.identify(ARM, run)
    arm = lp.catalog.lau_arm()
    alone = arm.simulate([0, 0, 0.5], [1, 0, 0], duration=0.1, external={"rod": PUSH})
    with pytest.raises(ValueError, match="external wrenches act, in the axes of that robot's own base"):
        lp.catalog.lau_rover().wheel_loads(alone)
    assert lp.catalog.lau_rover().wheel_loads(alone, external={}).normal.shape == (11, 3)
