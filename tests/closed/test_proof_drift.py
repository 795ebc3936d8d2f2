"""Long simulations stay on the manifold (1e-10 m) and keep their energy (1e-7), both measured by the reference."""

from __future__ import annotations

import numpy as np
import pytest

from closed.cases import catalog, reference
from closed.references.closing import open_by


def drifts(robot, run):
    """How far loops came apart (m), and by which part the energy changed."""
    model = reference(robot)
    gap = max(abs(open_by(model, q)).max() for q in run.q)
    energies = np.array([sum(model.energy(q, qd)) for q, qd in zip(run.q, run.qd, strict=True)])
    kinetic = max(model.energy(q, qd)[0] for q, qd in zip(run.q, run.qd, strict=True))
    return gap, np.ptp(energies) / kinetic


@pytest.mark.slow
def test_four_bar_through_a_hundred_turns():
    """Free, pushed once."""
    robot = catalog("four_bar")
    speed = robot.complete(robot.home, {"crank_joint": 8.0})[0]
    run = robot.simulate(robot.home, speed, duration=100.0, sample_rate=10.0, rtol=1e-10)
    gap, change = drifts(robot, run)
    assert abs(run.q[-1, 0] - run.q[0, 0]) / (2 * np.pi) > 100
    assert gap < 1e-10
    assert change < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("name", ["slider_crank", "five_bar", "delta", "parallelogram_palletizer"])
def test_others_fall_and_swing(name):
    """Let go at home, the linkages swing; stopped before the arms fold."""
    robot = catalog(name)
    run = robot.simulate(robot.home, np.zeros(robot.n), duration=0.3, sample_rate=100.0, rtol=1e-10)
    gap, change = drifts(robot, run)
    assert gap < 1e-10
    assert change < 1e-7
