"""A fit that explains nothing says so, by joint, and asks for what may be wrong; noisy forces alone are no fault."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.ur5()
N = ARM.n
TRUE = ARM.with_inertias(
    {"link6": ARM.link("link6").inertia + lp.Inertia(2.0, (0, 0.02, 0.1), np.diag([0.02, 0.02, 0.01]).tolist())}
)
T = np.linspace(0, 20, 2000)


def _series() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    q, qd, qdd = np.zeros((3, len(T), N))
    for k in range(1, 6):
        w, (a, b) = 2 * np.pi * k / 20, rng.normal(0, 0.5 / np.sqrt(k), (2, N))
        s, c = np.sin(w * T)[:, None], np.cos(w * T)[:, None]
        q, qd, qdd = q + a * s + b * c, qd + w * (a * c - b * s), qdd - w * w * (a * s + b * c)
    return q, qd, qdd


Q, QD, QDD = _series()
TAU = TRUE.inverse_dynamics(Q, QD, QDD)
SIZE = np.sqrt((TAU**2).mean(axis=0))


def noisy(level: Any = 0.02, seed: int = 0) -> np.ndarray:
    return TAU + np.random.default_rng(seed).normal(0, 1, TAU.shape) * SIZE * level


def asked(*data: Any, robot: lp.Robot = ARM, **options: Any) -> tuple[lp.Identification, list[str]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = lp.identify(robot, *data, **options)
    return result, [str(w.message) for w in found]


SHUFFLED = np.random.default_rng(2).permutation(len(T))


@pytest.mark.parametrize(
    "data",
    [
        (Q, QD, QDD, noisy()),
        (Q, QD, QDD, noisy(1.0)),
        (Q, QD, QDD, noisy(3.0)),
        (Q, QD, QDD, TAU + np.random.default_rng(1).normal(0, 1.0, TAU.shape)),  # the wrist hardly loads its drive
        tuple(part[SHUFFLED] for part in (Q, QD, QDD, noisy(1.0))),  # states in no order
        (Q, QD, QDD, TAU),
    ],
)
def test_good_measurements_are_not_asked_about(data: Any) -> None:
    found, said = asked(*data)
    assert said == []
    off = np.abs(found.values - found.base.of(TRUE)) / np.maximum(found.standard_deviations, 1e-12)
    assert off.max() < 5 or np.array_equal(data[3], TAU)


def flipped(joint: int) -> np.ndarray:
    return noisy() * np.where(np.arange(N) == joint, -1.0, 1.0)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ((np.degrees(Q), QD, QDD, noisy()), "q in degrees would leave"),
        ((np.degrees(Q), np.degrees(QD), np.degrees(QDD), noisy()), "q, qd and qdd in degrees would leave"),
        ((Q, QD, QDD, noisy()[:, ::-1]), "columns of tau in the order wrist_3_joint, wrist_2_joint, wrist_1_joint"),
        ((Q, QD, QDD, noisy()[:, [0, 1, 2, 3, 5, 4]]), "wrist_1_joint, wrist_3_joint, wrist_2_joint would leave"),
        ((Q, QD, QDD, flipped(2)), "tau of 'elbow_joint' with the opposite sign would leave"),
        (tuple(part[SHUFFLED] for part in (Q, QD, QDD, noisy()[:, ::-1])), "columns of tau in the order wrist_3_joint"),
        ((Q, QD, QDD, np.roll(noisy(), 20, axis=0)), "tau of 20 rows later would leave"),
        ((Q, QD, QDD, np.roll(noisy(), -30, axis=0)), "tau of 30 rows earlier would leave"),
    ],
)
def test_another_reading_that_explains_more_is_asked_for(data: Any, words: str) -> None:
    found, said = asked(*data)
    assert len(said) == 1
    assert said[0].startswith("identify: the fit explains only")
    assert words in said[0]
    assert np.array_equal(found.data.q, data[0])  # nothing is changed
    assert np.array_equal(np.asarray(found.data.tau), data[3])


def test_the_shares_are_on_the_result_and_in_its_table() -> None:
    good, _ = asked(Q, QD, QDD, noisy())
    bad, _ = asked(np.degrees(Q), QD, QDD, noisy())
    assert good.explained == pytest.approx(1 - (0.02 * SIZE / noisy().std(axis=0)) ** 2, abs=2e-4)
    assert bad.explained[1:].max() < 0.2
    assert bad.explained == pytest.approx(1 - (bad.residual / noisy().std(axis=0)) ** 2)
    assert "explained" in str(good)
    assert "99.96%" in str(good)


def test_noisy_accelerations_are_reported() -> None:
    q = Q + np.random.default_rng(5).normal(0, 2e-4, Q.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion, smoothed = lp.Motion(T, q, smooth=False), lp.Motion(T, q)
    good, _ = asked(smoothed, noisy())
    assert good.explained.min() > 0.95  # positions are smoothed before they are differentiated
    _, said = asked(motion, noisy())
    assert any("the accelerations (qdd) are noisy" in text and "takes them as exact" in text for text in said)
    assert any("the fit explains only" in text for text in said)


def test_a_fit_that_explains_nothing_says_so_without_a_better_reading() -> None:
    other = np.roll(noisy(), len(T) // 3, axis=0)  # of another time
    _, said = asked(Q, QD, QDD, other)
    assert any("the fit explains only" in text and "radians" in text for text in said)


def test_forces_in_newton_millimetres_are_asked_about() -> None:
    arm = lp.catalog.planar(2)
    t = np.linspace(0, 10, 200)[:, None] * (1.0, 1.7)
    state = np.sin(t), np.cos(t) * (1.0, 1.7), -np.sin(t) * (1.0, 1.7**2)
    with pytest.warns(lp.ModelWarning, match=r"the forces are 1e\+03 times as large .* N mm\?"):
        lp.identify(arm, *state, 1000 * arm.inverse_dynamics(*state))


def test_rows_that_are_not_numbers_are_refused() -> None:
    tau = noisy()
    tau[7, 2] = np.nan
    with pytest.raises(ValueError, match="'tau' is nan in row 7 at joint 'elbow_joint'"):
        lp.identify(ARM, Q, QD, QDD, tau)


def test_a_lag_that_looks_like_friction_is_asked_about() -> None:
    """50 ms between states and forces turn into viscous friction, 14 standard deviations from the true one."""
    arm = lp.catalog.planar(2).with_drives({name: lp.Drive(friction=lp.Friction(viscous=0.8, coulomb=1.5)) for name in
                                            ("joint1", "joint2")})
    q, qd, qdd = Q[:, :2], QD[:, :2], QDD[:, :2]
    tau = arm.inverse_dynamics(q, qd, qdd) + np.random.default_rng(0).normal(0, 0.05, q.shape)
    assert asked(q, qd, qdd, tau, robot=lp.catalog.planar(2), friction=True)[1] == []
    late, said = asked(q, qd, qdd, np.roll(tau, 5, axis=0), robot=lp.catalog.planar(2), friction=True)
    assert any("tau of 5 rows later would leave" in text for text in said), (said, str(late))


def test_noise_at_a_passive_joint_is_no_other_unit() -> None:
    """The given robot has no force there but rounding, and the measured one is 1e12 times as large."""
    arm = lp.catalog.planar(2, mass=2.0)
    passive = arm.with_driven("joint1")
    torque = lambda t, q, qd: [3 * np.sin(3 * t) + 20 * np.cos(q[0]), 0.0]  # noqa: E731
    run = passive.simulate([0.3, 0.2], [0, 0], torque, duration=4)
    tau = arm.inverse_dynamics(run.q, run.qd, run.qdd) + np.random.default_rng(0).normal(0, 0.02, run.q.shape)
    found, said = asked(run.q, run.qd, run.qdd, tau, robot=passive)
    assert said == []
    assert found.explained[0] > 0.999
