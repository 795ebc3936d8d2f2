"""Damping of one spring and one inertia, by hand: ratios, decay in time, and the size and phase that a plot shows."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

STIFFNESS, INERTIA = 500.0, 0.8
OMEGA = np.sqrt(STIFFNESS / INERTIA)
ALPHA, BETA = 1.5, 4e-3
RATIO = ALPHA / (2 * OMEGA) + BETA * OMEGA / 2


def flywheel() -> lp.FlexibleRobot:
    """A disc about a vertical axis, whose drive is a spring."""
    links = (lp.Link("base"), lp.Link("disc", lp.Inertia(2.0, (0, 0, 0), np.diag([0.5, 0.5, INERTIA]))))
    robot = lp.Robot("flywheel", links, (lp.Joint("turn", "base", "disc", lp.Revolute(), rotor_inertia=0.1),))
    return robot.with_beams(joint_compliance={"turn": lp.JointCompliance(drive=STIFFNESS)})


def test_rayleigh_damping_of_one_mode_has_the_ratio_by_hand() -> None:
    damping = lp.Rayleigh(ALPHA, BETA)
    hertz = np.array([1.0, OMEGA / (2 * np.pi), 10.0])
    found = flywheel().frequency_response([0.0], ("disc", "rz"), ("disc", "rz"), hertz, damping=damping)
    assert found.ratios == pytest.approx([RATIO], rel=1e-9)
    omega = 2 * np.pi * hertz
    by_hand = 1 / (STIFFNESS - INERTIA * omega**2 + 1j * omega * (ALPHA * INERTIA + BETA * STIFFNESS))
    assert found.response == pytest.approx(by_hand, rel=1e-9)
    assert found.mobility == pytest.approx(1j * omega * by_hand, rel=1e-9)
    assert found.accelerance == pytest.approx(-(omega**2) * by_hand, rel=1e-9)


def test_rayleigh_damping_in_a_simulation_decays_as_by_hand() -> None:
    """The elastic coordinate is the square root of twice the energy of the spring: it starts with 0.01 rad."""
    begin = 0.01 * np.sqrt(STIFFNESS)
    run = flywheel().simulate([0.0], [0.0], duration=0.5, prescribed={"turn": 0.0}, damping=lp.Rayleigh(ALPHA, BETA),
                              elastic=[begin])
    fast = OMEGA * np.sqrt(1 - RATIO**2)
    swing = np.cos(fast * run.times) + RATIO * OMEGA / fast * np.sin(fast * run.times)
    assert run.elastic[:, 0] == pytest.approx(begin * np.exp(-RATIO * OMEGA * run.times) * swing, abs=1e-6 * begin)


def test_the_plot_shows_size_above_and_phase_below() -> None:
    found = flywheel().frequency_response([0.0], ("disc", "rz"), ("disc", "rz"), np.geomspace(1, 20, 30))
    figure = found.plot()
    size, phase = figure.data
    assert (size.yaxis, phase.yaxis) == ("y", "y2")
    assert np.asarray(size.y, dtype=float) == pytest.approx(np.abs(found.response))
    assert np.asarray(phase.y, dtype=float) == pytest.approx(np.degrees(np.angle(found.response)))
    above, below = figure.layout.yaxis, figure.layout.yaxis2
    assert (above.type, above.title.text, below.type, below.title.text) == ("log", "size", None, "phase (°)")
    assert (figure.layout.xaxis.title.text, figure.layout.xaxis2.title.text) == (None, "frequency (Hz)")
