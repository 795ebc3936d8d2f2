"""Frequency response against a direct solution with all coordinates, and against what it must be at its ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from random_arms import random_arm
from test_respond import two_links

import loadpath as lp
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.response.damping import joint_damping
from loadpath.structure.response.frequency_response import FrequencyResponse, _directions, _spaced
from loadpath.structure.vibration.model import vibration_model

POSE = [0.3, -0.7]
SPACE = [0.3, -0.4, 0.7]


def test_against_a_direct_solution() -> None:
    """K + i w D - w^2 M with all coordinates of a model of higher order."""
    arm = random_arm(2)
    springs = {name: lp.JointCompliance(drive=given.drive, damping=2.0) for name, given in arm.joint_compliances}
    arm = arm.with_beams(joint_compliance=springs)
    damping = lp.Rayleigh(alpha=0.4, beta=1e-4)
    hertz = np.array([0.0, 3.0, 8.0, 20.0, 30.0])
    found = arm.frequency_response(SPACE, "link2", "payload", hertz, damping=damping, loaded=False, modes=30)
    model = vibration_model(arm, EFFECTS, 7)
    at = model.at(np.array([SPACE]))
    M, _ = at.matrices()
    moved, turned = at.frame_motions(np.eye(model.size)[None])
    shapes = {
        link: np.concatenate([moved[0, :, k].T, turned[0, :, k].T])
        for k, link in enumerate(arm.link_names)
        if link in ("link2", "payload")
    }
    D = 0.4 * M[0] + 1e-4 * np.eye(model.size) + joint_damping(model)
    for f, got in zip(hertz, found.response, strict=True):
        w = 2 * math.pi * f
        direct = shapes["payload"] @ np.linalg.solve(np.eye(model.size) + 1j * w * D - w**2 * M[0], shapes["link2"].T)
        np.testing.assert_allclose(got, direct, atol=5e-4 * np.abs(direct).max())
    np.testing.assert_allclose(found.static, found.response[0].real, rtol=1e-9, atol=1e-15)


def test_static_limit_is_the_compliance() -> None:
    arm = two_links()
    h = arm.frequency_response(POSE, "payload", frequencies=[0.0, 1e-3], loaded=False)
    C = arm.compliance(POSE, "payload")
    np.testing.assert_allclose(h.static, C, atol=1e-9 * np.abs(C).max())
    np.testing.assert_allclose(h.response[1].real, C, atol=1e-6 * np.abs(C).max())
    one = arm.frequency_response(POSE, ("payload", "z"), ("payload", (1.0, 0, 0)), [0.0], loaded=False)
    assert one.static == pytest.approx(C[0, 2], rel=1e-9)
    torque = arm.frequency_response(POSE, ("payload", "ry"), ("payload", "z"), [0.0], loaded=False)
    assert torque.static == pytest.approx(C[2, 4], rel=1e-9)


def test_peaks_at_natural_frequencies() -> None:
    arm = two_links()
    for loaded in (True, False):
        natural = arm.natural_frequencies(POSE, 3, loaded=loaded).frequencies
        h = arm.frequency_response(POSE, ("payload", "z"), damping=1e-3, loaded=loaded)
        np.testing.assert_allclose(h.natural[:3], natural, rtol=1e-4)
        assert min(abs(h.peaks[0].frequency / natural - 1)) < 1e-3
        np.testing.assert_allclose(np.abs(h.accelerance), h.magnitude * (2 * np.pi * h.frequencies) ** 2)
    assert "largest at" in str(h)
    assert h.plot() is not None


def test_accelerations_as_slow_ones_and_as_a_motion() -> None:
    arm = two_links()
    still = np.zeros(2)
    base = arm.frequency_response(POSE, "base", "payload", [0.0], loaded=False)
    joint = arm.frequency_response(POSE, "joint2", "payload", [0.0], loaded=False)
    rest = arm.deflection(POSE)
    for k in range(6):
        moved = arm.deflection(POSE, base_acceleration=np.eye(6)[k]).tip
        np.testing.assert_allclose(base.static[:3, k], moved.displacement - rest.tip.displacement, atol=1e-12)
        np.testing.assert_allclose(base.static[3:, k], moved.rotation - rest.tip.rotation, atol=1e-12)
    moved = arm.deflection(POSE, still, [0, 1.0]).tip
    np.testing.assert_allclose(joint.static[:3], moved.displacement - rest.tip.displacement, atol=1e-12)
    # A joint that shakes for long, damped: the response is that of its frequency.
    hertz, amount = 5.0, 1e-4
    t = np.linspace(0, 2, 1001)[:, None]
    w = 2 * math.pi * hertz
    q = np.array(POSE) + amount * np.array([0, 1.0]) * np.sin(w * t)
    qd, qdd = amount * w * np.array([0, 1.0]) * np.cos(w * t), -amount * w**2 * np.array([0, 1.0]) * np.sin(w * t)
    r = arm.respond(lp.Motion(t[:, 0], q, qd, qdd), damping=0.3, loaded=False, after=0, start="quasi-static")
    h = arm.frequency_response(POSE, "joint2", ("payload", "z"), [hertz], damping=0.3, loaded=False)
    late = (r.times >= 1.6 - 1e-9) & (r.times < 2.0 - 1e-9)  # two periods
    course = r.displacement["tip"][late, 2] - arm.small_deflection(q[0], still, still)[0][-1, 2]
    phase = np.exp(1j * w * r.times[late])
    # -amount w^2 is the acceleration's amplitude, on the imaginary axis: what the course has of e^{i w t}.
    amplitude = 2 * np.mean(course * np.conj(phase))
    gravity = np.diff([arm.deflection([POSE[0], POSE[1] + d]).tip.displacement[2] for d in (-1e-4, 1e-4)])[0]
    expected = -1j * (-amount * w**2 * h.response[0] + amount * gravity / 2e-4)
    assert abs(amplitude - expected) < 0.02 * abs(expected)


def test_bad_input() -> None:
    arm: Any = two_links()
    for options, words in (
        ({"from_": "elbow"}, "no link or joint 'elbow'"),
        ({"from_": ("payload", "w")}, "direction of 'payload' is 'w'"),
        ({"from_": ("joint1", "x")}, "leave out the direction"),
        ({"from_": ("payload", (0, 0, 0))}, "direction of 'payload'"),
        ({"frequencies": [-1.0]}, "in Hz, finite and not negative"),
        ({"damping": 1.5}, "damping is 1.5"),
    ):
        with pytest.raises(ValueError, match=words):
            arm.frequency_response(POSE, **options)
    with pytest.raises(ValueError, match="one pose"):
        arm.frequency_response([POSE, POSE])
    with pytest.raises(ValueError, match="one direction on each side"):
        _ = arm.frequency_response(POSE, frequencies=[1.0]).peaks


def test_rates_peaks_and_words_of_two_oscillators() -> None:
    """1 / (k - m w^2 + i c w) of two of them, added: what is read off the response is what they are."""
    f = np.linspace(0.5, 60.0, 24_000)
    w = 2 * np.pi * f
    oscillators = [(10.0, 0.01, 2.0), (40.0, 0.03, 0.3)]  # Hz, ratio, kg
    parts = [1 / (m * ((2 * np.pi * g) ** 2 - w**2 + 2j * z * 2 * np.pi * g * w)) for g, z, m in oscillators]
    static = sum(1 / (m * (2 * np.pi * g) ** 2) for g, _, m in oscillators)
    natural, ratios = np.array([10.0, 40.0]), np.array([0.01, 0.03])
    found = FrequencyResponse(f, sum(parts), np.asarray(static), natural, ratios, "tip by tip")
    np.testing.assert_allclose(found.mobility, 1j * w * sum(parts), rtol=1e-14)
    np.testing.assert_allclose(found.accelerance, -(w**2) * sum(parts), rtol=1e-14)
    assert found.phase[0] == pytest.approx(-0.001, abs=5e-4) and found.phase[-1] < -3.0
    first, second = found.peaks
    for peak, (g, z, m) in zip((first, second), oscillators, strict=True):
        assert peak.frequency == pytest.approx(g * math.sqrt(1 - 2 * z * z), rel=1e-3)
        assert peak.magnitude == pytest.approx(1 / (2 * z * m * (2 * math.pi * g) ** 2), rel=0.05)
    largest = f"largest at {first.frequency:.4g} Hz, {first.magnitude / static:.3g} times the static one"
    assert str(found) == f"<tip by tip: 24000 frequencies from 0.5 to 60 Hz, {largest}>"
    both = FrequencyResponse(f[:2], np.ones((2, 6, 6)), np.eye(6), natural, ratios, "all by all")
    assert str(both) == "<all by all: 2 frequencies from 0.5 to 0.5025 Hz>"
    with pytest.raises(ValueError, match="peaks is of a response with one direction on each side"):
        _ = both.peaks


def test_frequencies_that_are_looked_at() -> None:
    """From a tenth of the lowest to a little beyond the sixth mode, evenly by their ratio, and the modes themselves."""
    modes = np.array([2.0, 5.0, 9.0, 14.0, 20.0, 30.0, 44.0])
    for natural, last in ((modes, 30.0), (modes[:2], 5.0)):
        found = _spaced(natural)
        assert found[0] == pytest.approx(0.2) and found[-1] == pytest.approx(1.5 * last)
        assert len(found) == 600 + (natural <= 1.5 * last).sum()
        assert set(natural[natural <= 1.5 * last]) <= set(found)
        even = np.setdiff1d(found, natural)
        np.testing.assert_allclose(even[1:] / even[:-1], (found[-1] / found[0]) ** (1 / (600 - 1)), rtol=1e-9)


def test_directions_are_unit_vectors() -> None:
    for given, row in (("y", [0, 1, 0, 0, 0, 0]), ("rx", [0, 0, 0, 1, 0, 0]), ((0, 3, 4), [0, 0.6, 0.8, 0, 0, 0]),
                       ((0, 0, 3, 0, -4, 0), [0, 0, 0.6, 0, -0.8, 0])):
        rows, names = _directions(given, "tip")
        np.testing.assert_allclose(rows, [row], atol=1e-15)
        assert len(names) == 1
    rows, names = _directions(None, "tip")
    assert names == ("x", "y", "z", "rx", "ry", "rz") and (rows == np.eye(6)).all()
    for wrong in ("w", (0, 0, 0), (1, 2), (1, 2, np.nan)):
        with pytest.raises(ValueError, match="direction of 'tip' is"):
            _directions(wrong, "tip")
