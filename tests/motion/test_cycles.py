"""Motions repeated, followed by others and held: the same samples, and loads that go along."""

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.planar(2)


def there_and_back(arm, rate=40):
    home, away = np.zeros(arm.nq), np.full(arm.nq, 0.4)
    return lp.Motion.through(arm, [home, away, home], times=[1.0, 1.7, 3.1], rate=rate)


def test_repeating_is_following_oneself(arm=ARM):
    motion = there_and_back(arm).with_loads([lp.Carried(2.0, from_=1.2, to=2.0, link=arm.link_names[-1], name="box"),
                                             lp.Carried(1.0, link=arm.link_names[-1], name="tool")])
    many, joined = motion.repeated(4), motion.followed_by(motion, motion, motion)
    assert len(many) == 4 * (len(motion) - 1) + 1 and many.duration == pytest.approx(4 * motion.duration)
    for name in ("t", "q", "qd", "qdd"):
        assert np.allclose(getattr(many, name), getattr(joined, name), atol=1e-13, rtol=0)
    boxes = [load for load in many.loads if load.name == "box"]
    assert [load.from_ for load in boxes] == pytest.approx([1.2 + 2.1 * k for k in range(4)])
    assert [load for load in many.loads if load.name == "tool"] == [motion.loads[1]]  # carried on, not put down
    tau = arm.inverse_dynamics(many).reshape(-1, arm.n)
    once = arm.inverse_dynamics(motion)
    assert np.allclose(tau[1:].reshape(4, -1, arm.n), once[1:], atol=1e-11, rtol=0)


def test_a_motion_with_quaternions_repeats():
    robot = lp.catalog.planar(1).with_inertias({"base": lp.Inertia(1.0, (0, 0, 0), np.eye(3).tolist())}).floating()
    q = np.zeros((21, 8))
    angle = 2 * np.pi * np.linspace(0, 1, 21)  # a whole turn: the quaternion comes back as its opposite
    q[:, 5], q[:, 6] = np.sin(angle / 2), np.cos(angle / 2)
    qd = np.zeros((21, 7))
    qd[:, 5] = 2 * np.pi
    motion = lp.Motion(np.linspace(0, 1, 21), q, qd, np.zeros((21, 7)), robot=robot)
    twice = motion.repeated(2)
    assert twice.duration == 2.0 and np.allclose(twice.at(1.5).qd, motion.at(0.5).qd, atol=1e-9)


def test_a_closed_chain_repeats_and_waits():
    bar = lp.catalog.four_bar()
    turn = lp.Motion.through(bar, [[0.3], [0.9], [0.3]], times=[0, 1, 2], rate=20)
    cycle = turn.dwell(0.5).repeated(2)
    assert cycle.duration == pytest.approx(5.0) and not cycle.problems()
    assert np.allclose(cycle.at([2.25, 3.0]).q, [turn.q[0], turn.at(0.5).q[0]], atol=1e-9)


def test_repeating_what_does_not_close_says_where():
    step = lp.Motion.through(ARM, [[0, 0], [1, 0.5]], times=[0, 1])
    with pytest.raises(ValueError, match="motions cannot be joined: 'joint1' ends at 1 and begins at 0"):
        step.repeated(2)
    for count in (0, -1, 1.5, True, "2"):
        with pytest.raises(ValueError, match="repeated: count is"):
            step.repeated(count)
    assert step.repeated(1) is step


def test_a_dwell_is_rest_under_gravity():
    step = lp.Motion.through(ARM, [[0, 0], [1, 0.5]], acceleration=5.0, profile="trapezoidal")
    assert np.abs(step.qdd[-1]).max() > 1
    waiting = step.dwell(2.0, before=0.5, rate=100)
    assert waiting.t[0] == -0.5 and waiting.duration == pytest.approx(step.duration + 2.5)
    late = waiting.t > step.t[-1] + 1e-5
    assert late.sum() == 200 and not waiting.qd[late].any() and not waiting.qdd[late].any()
    hold = ARM.gravity_forces(step.q[-1])
    assert np.allclose(ARM.inverse_dynamics(waiting)[late], hold, atol=1e-12)
    # The mean square over the whole is that of the parts, by their times.
    whole, part = ARM.peak_loads(waiting).drive.rms, ARM.peak_loads(step).drive.rms
    before = ARM.gravity_forces(step.q[0])
    expected = (0.5 * before**2 + step.duration * part**2 + 2.0 * hold**2) / waiting.duration
    assert np.allclose(whole**2, expected, rtol=2e-3)


def test_dwells_refuse_what_moves():
    moving = lp.Motion.through(ARM, [[0, 0], [1, 0.5]], times=[0, 1]).between(0.2, 0.6)
    with pytest.raises(ValueError, match=r"dwell: joint 'joint1' moves with .* where the motion ends"):
        moving.dwell(1.0)
    with pytest.raises(ValueError, match="where the motion begins"):
        moving.dwell(before=1.0)
    with pytest.raises(ValueError, match="dwell: seconds is -1"):
        moving.dwell(-1.0)
    with pytest.raises(ValueError, match="dwell: give seconds="):
        moving.dwell()


def test_loads_go_along_with_other_motions():
    motion = there_and_back(ARM, rate=100)
    box = lp.Carried(3.0, from_=1.5, to=2.5, name="box")
    carrying = motion.with_loads([box])
    at = ARM.inverse_dynamics
    samples = np.array([1.3, 1.5, 2.0, 2.5, 2.9])
    expected = [False, True, True, False, False]
    assert carrying.loads[0].link == "tip" and carrying.loads[0].at(samples).tolist() == expected
    slow = carrying.scaled(speed=0.5)
    assert (slow.loads[0].from_, slow.loads[0].to) == (2.0, 4.0)
    assert carrying.at(samples).loads == carrying.resampled(50).loads == carrying.loads
    assert np.allclose(at(carrying.at(samples))[~np.array(expected)], at(motion.at(samples))[~np.array(expected)])
    assert carrying.between(2.6, 3.0).loads == () and carrying.between(1.0, 1.6).loads == carrying.loads
    assert all(block.loads == carrying.loads for block in carrying.blocks(50))
    # The later motion's box begins where the earlier one's ends: one box all the way.
    first = motion.with_loads([lp.Carried(1.0, from_=2.0, name="part")])
    second = motion.with_loads([lp.Carried(1.0, to=1.5, name="part")])
    (part,) = first.followed_by(second).loads
    assert (part.from_, part.to) == (2.0, pytest.approx(3.6))
    assert motion.with_loads([]).loads == () == carrying.with_loads([]).loads


def test_files_say_that_loads_stay_behind(tmp_path):
    with pytest.warns(lp.ModelWarning, match="not what it carries .'box'."):
        there_and_back(ARM).with_loads([lp.Carried(3.0, name="box")]).to_csv(tmp_path / "cycle.csv")


def test_what_was_done_to_a_log_stays_known(tmp_path):
    """Notes and smoothing go along; measured channels do not leave the times at which they were measured."""
    arm, t = lp.catalog.planar(1), np.linspace(0, 2, 201)
    noise = np.random.default_rng(0).normal(0, 2e-4, t.shape)
    q = 0.5 - 0.5 * np.cos(np.pi * t) + noise - np.linspace(noise[0], noise[-1], len(t))
    rows = [f"{a:.2f},{b:.9f},{c:.3f}" for a, b, c in zip(t, np.degrees(q), np.sin(t), strict=True)]
    (tmp_path / "log.csv").write_text("\n".join(["t,joint1 [deg],tau.joint1", *rows]))
    with pytest.warns(lp.ModelWarning, match="smoothed"):
        log = lp.Motion.from_csv(tmp_path / "log.csv", arm)
    assert log.smoothing is not None and log.notes and list(log.extra) == ["tau.joint1"]
    for other in (log.scaled(speed=0.5), log.resampled(50.0), log.with_loads([lp.Carried(1.0)])):
        assert other.smoothing is log.smoothing and other.notes == log.notes
    np.testing.assert_allclose(log.resampled(50.0).extra["tau.joint1"].values, np.sin(log.t[::2]), atol=1e-3)
    assert not log.scaled(speed=2.0).extra
