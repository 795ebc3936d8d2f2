"""Motions shaped against vibration, and the response spectrum that `bandwidth_check` looks at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from test_respond import BENDING, LENGTH, MASS, OMEGA, one_mode, two_links

import loadpath as lp
from loadpath.motion.layout import numbered
from loadpath.structure.response.shapers import impulses, left_over
from loadpath.structure.response.spectrum import response_spectrum
from loadpath.structure.response.track import track_of

HERTZ = OMEGA / (2 * math.pi)


def quick(arm: Any, profile: Any = "trapezoidal") -> lp.Motion:
    return lp.Motion.through(arm, [[0.0], [1.2]], times=[0, 0.5], profile=profile)


@pytest.mark.parametrize(("name", "periods"), [("zv", 0.5), ("zvd", 1.0), ("zvdd", 1.5)])
@pytest.mark.parametrize("ratio", [0.0, 0.04])
def test_shapers_leave_nothing(name: Any, periods: float, ratio: float) -> None:
    """On the exact frequency, for a motion with jumps: a millionth of the vibration is left at most."""
    arm = one_mode()
    motion = quick(arm)
    options: Any = {"damping": ratio, "loaded": False, "modes": 1, "effects": BENDING}
    shaped = arm.shaped(motion, name, frequency=HERTZ, damping=ratio)
    before, after = arm.respond(motion, **options).residual, arm.respond(shaped, **options).residual
    assert after < 1e-6 * before
    damped = HERTZ * math.sqrt(1 - ratio**2)
    assert shaped.longer == pytest.approx(periods / damped, rel=1e-9)
    np.testing.assert_allclose(shaped.q[[0, -1]], motion.q[[0, -1]], atol=1e-12)
    np.testing.assert_allclose(shaped.qd[[0, -1]], 0.0, atol=1e-9)
    assert shaped.problems(accelerations=False) == []
    assert np.abs(shaped.qdd).max() <= np.abs(motion.qdd).max() * (1 + 1e-9)


def standing(motion: lp.Motion, times: np.ndarray) -> np.ndarray:
    """(times, 3): position, speed, acceleration of one joint, that stands before and after its motion."""
    found = np.zeros((len(times), 3))
    found[:, 0] = np.where(times < motion.t[-1], motion.q[0, 0], motion.q[-1, 0])
    moving = (times > motion.t[0]) & (times < motion.t[-1])
    if moving.any():
        there = motion.at(times[moving])
        found[moving] = np.column_stack([there.q[:, 0], there.qd[:, 0], there.qdd[:, 0]])
    return found


@pytest.mark.parametrize("name", ["zv", "zvd", "zvdd", "ei", "smooth"])
def test_shaped_motions_are_sums_of_the_motion_at_earlier_times(name: Any) -> None:
    """Of impulses the weighted sum; "smooth" is the mean over the last period, by the rule of Gauss."""
    arm, frequency, ratio = one_mode(), 7.0, 0.1
    motion = quick(arm, "quintic")
    motion = lp.Motion(motion.t + 2.0, motion.q + 0.3, motion.qd, motion.qdd)  # neither begins at zero
    found = arm.shaped(motion, name, frequency=frequency, damping=ratio)
    period = 1 / (frequency * math.sqrt(1 - ratio**2))
    times = np.linspace(2.0, 2.5 + (found.longer if name != "smooth" else period), 90)[1:-1]
    if name == "smooth":
        places, weights = np.polynomial.legendre.leggauss(200)
        delays, sizes = 0.5 * period * (1 + places), 0.5 * weights
    else:
        sizes, delays = impulses(name, frequency, ratio)
    expected = sum(size * standing(motion, times - delay) for size, delay in zip(sizes, delays, strict=True))
    shaped = found.at(times)
    assert found.t[0] == 2.0 and found.longer == pytest.approx(max(delays) if name != "smooth" else period)
    np.testing.assert_allclose(shaped.q[:, 0], expected[:, 0], atol=1e-5)
    np.testing.assert_allclose(shaped.qd[:, 0], expected[:, 1], atol=3e-3)
    np.testing.assert_allclose(shaped.qdd[:, 0], expected[:, 2], atol=0.2)  # of 27 rad/s^2


def test_shaped_by_the_arm_itself() -> None:
    """The mode is found in the response; the arm's own loads stiffen it, which the shaper takes into account."""
    arm = one_mode()
    shaped = arm.shaped(quick(arm), damping=0.02)
    assert shaped.residual_after < 2e-4 * shaped.residual_before
    assert shaped.frequency == pytest.approx(HERTZ, rel=1e-3)
    assert shaped.ratio == pytest.approx(0.02, rel=1e-6)
    assert "shaped by 'zv'" in repr(shaped) and "in place of" in repr(shaped)
    assert type(shaped.at([0.1])) is lp.Motion
    smooth = arm.shaped(quick(arm), "smooth", damping=0.0)
    assert smooth.residual_after < 1e-3 * smooth.residual_before
    assert smooth.problems() == []
    np.testing.assert_allclose(smooth.q[-1], [1.2], atol=1e-12)
    two = two_links()
    moved = lp.Motion.through(two, [[0, 0.3], [0.6, -0.8]], times=[0, 0.4], profile="trapezoidal")
    for name, share in (("zv", 0.4), ("zvd", 0.2)):  # its frequency changes on the way
        calm = two.shaped(moved, name)  # type: ignore[arg-type]
        assert calm.residual_after < share * calm.residual_before


def test_robustness_of_shapers() -> None:
    """Singer and Seering 1990: for 5 % of vibration, ZV forgives 6 % of frequency all in all, ZVD 28 %; EI more."""
    widths = {}
    for name in ("zv", "zvd", "zvdd", "ei"):
        found = impulses(name, 1.0, 0.0)  # type: ignore[arg-type]
        assert found.sizes.sum() == pytest.approx(1.0)
        f = np.linspace(0.5, 1.5, 20001)
        left = np.array([left_over(found, each, 0.0) for each in f])
        widths[name] = float((f[left <= 0.05 + 1e-9]).max() - (f[left <= 0.05 + 1e-9]).min())
    assert widths["zv"] == pytest.approx(0.0637, abs=1e-3)
    assert widths["zvd"] == pytest.approx(0.286, abs=2e-3)
    assert widths["ei"] == pytest.approx(0.399, abs=2e-3)
    assert widths["zvdd"] > widths["ei"]


def test_motions_that_cannot_be_shaped() -> None:
    arm = one_mode()
    with pytest.raises(ValueError, match="does not end at rest: joint 'turn'"):
        arm.shaped(quick(arm).between(0.0, 0.2))
    with pytest.raises(ValueError, match="shaper is 'zvx'"):
        arm.shaped(quick(arm), "zvx")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="frequency is -1"):
        arm.shaped(quick(arm), frequency=-1.0)
    with pytest.raises(ValueError, match="damping is 1"):
        arm.shaped(quick(arm), damping=1.5)


def test_response_spectrum() -> None:
    """Quintic of 2 s at 5 Hz: 1.154 of the quasi-static deflection; a trapezoid: 3, and 3 after it, or 2 and 0."""
    robot = lp.catalog.planar(1)
    found = {}
    for profile in ("quintic", "trapezoidal"):
        motion = lp.Motion.through(robot, [[0.0], [1.0]], times=[0, 2.0], profile=profile)  # type: ignore[arg-type]
        track = track_of(numbered(1), motion.t, motion.q, motion.qd, motion.qdd)
        for hertz in (5.0, 6.0):
            peak, residual = response_spectrum(track, hertz)
            found[profile, hertz] = float(peak[0]), float(residual[0])
    assert found["quintic", 5.0] == pytest.approx((1.1543, 0.0316), abs=1e-3)
    assert found["trapezoidal", 5.0] == pytest.approx((3.0, 3.0), abs=1e-6)
    assert found["trapezoidal", 6.0] == pytest.approx((2.0, 0.0), abs=1e-4)


def test_bandwidth_check_is_not_optimistic() -> None:
    """What it says is what the arm does, without damping."""
    arm = one_mode()
    for profile, T in (("quintic", 4.0), ("trapezoidal", 4.0)):
        motion = lp.Motion.through(arm, [[0.0], [0.2]], times=[0, T], profile=profile)  # type: ignore[arg-type]
        check = arm.bandwidth_check(motion, loaded=False, effects=BENDING)
        r = arm.respond(motion, damping=0.0, loaded=False, modes=1, effects=BENDING)
        quasi_static = np.abs(motion.qdd).max() * LENGTH * MASS / (MASS * OMEGA**2)
        assert check.amplification == pytest.approx(r.peak.displacement / quasi_static, rel=2e-3)
        assert check.residual == pytest.approx(r.residual / quasi_static, rel=1e-3)
        assert check.passed == (profile == "quintic")
        assert ("rigid" in str(check)) == check.passed


def two_ends(*, on_one_arm: bool) -> lp.FlexibleRobot:
    """A rod with two frames at its end; or with two rods that turn there."""
    motion = lp.Fixed() if on_one_arm else lp.Revolute((0, 0, 1))
    body = lp.Inertia(0.5, (0.1, 0, 0), np.diag([0.01, 0.01, 0.01]))
    fork = lp.Robot(
        "fork",
        (lp.Link("base"), lp.Link("rod", lp.Inertia(8.0, (1.0, 0, 0), np.diag([0.1, 0.1, 0.1]))),
         lp.Link("a", body), lp.Link("b", body)),
        (
            lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1))),
            lp.Joint("at_a", "rod", "a", motion, lp.Pose(translation=(1.0, 0.1, 0))),
            lp.Joint("at_b", "rod", "b", motion, lp.Pose(translation=(1.0, -0.1, 0))),
        ),
    )
    return fork.with_beams({"rod": lp.Beam(lp.Rod(0.015), lp.STEEL, end=(1.0, 0, 0))})


@pytest.mark.parametrize("ask", ["respond", "shaped", "extremes"])
def test_the_link_that_is_looked_at_is_named_alike_and_at_the_call(ask: str) -> None:
    arm = two_ends(on_one_arm=False)
    motion = lp.Motion.through(arm, [[0.0] * 3, [0.3] * 3], times=[0, 0.4])
    with pytest.raises(ValueError, match=r"robot 'fork' has several ends, 'a', 'b': name the link, like link='b'"):
        getattr(arm, ask)(motion)
    with pytest.raises(ValueError, match=f"{ask}: link is 'a' and tip is 'b', two names of one thing: give one"):
        getattr(arm, ask)(motion, link="a", tip="b")
    with pytest.raises(ValueError, match="no link 'hand'"):
        getattr(arm, ask)(motion, tip="hand")
    by_link, by_tip = (getattr(arm, ask)(motion, **{name: "b"}) for name in ("link", "tip"))
    if ask == "extremes":
        assert by_link.tip.state == by_tip.tip.state
        assert by_link.tip.displacement.tolist() == by_tip.tip.displacement.tolist()
    else:
        assert by_link.tip == by_tip.tip == "b"


@pytest.mark.parametrize("ask", ["respond", "extremes"])
def test_of_the_frames_of_one_arm_the_same_is_taken_by_all_and_said(ask: str) -> None:
    arm = two_ends(on_one_arm=True)
    motion = lp.Motion.through(arm, [[0.0], [0.3]], times=[0, 0.4])
    with pytest.warns(lp.ModelWarning, match="taken is the link 'rod', where no link is named; .* like 'a', 'b'"):
        getattr(arm, ask)(motion)


def test_arms_with_several_ends_name_the_one_that_counts() -> None:
    arm = two_ends(on_one_arm=True)
    motion = lp.Motion.through(arm, [[0.0], [0.3]], times=[0, 0.4])
    calm = arm.shaped(motion, tip="b")
    assert calm.tip == "b"
    assert calm.residual_after < 0.1 * calm.residual_before
