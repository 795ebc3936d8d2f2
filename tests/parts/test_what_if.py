"""What if: slopes and largest payload and speed, by hand and against other evaluations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from plain_parts import Coupling, Pin

import loadpath as lp

G = 9.81
LEVEL = ([0.0], [0.0], [0.0])


def rod() -> lp.Robot:
    """1 m, 1 kg, level, with a coupling of 50 N m."""
    return lp.catalog.planar(1).with_parts({"joint1": [Coupling(50.0)]})


def test_slopes_of_a_level_rod_by_hand() -> None:
    found = rod().verdict([[0.0]], [[1.0]], [[2.0]])
    slopes = found.sensitivity()
    torque = slopes["joint1", "torque"]
    # (g (1/2 + m) + (1/3 + m) 2) / 50, and at another speed s: (g/2 + 2/3 s^2) / 50
    assert torque.payload == pytest.approx((G + 2) / 50, rel=1e-9)
    assert torque.speed == pytest.approx(2 * (2 / 3) / 50, rel=1e-9)
    assert slopes.speed_step == 1e-3 and slopes.mass_step == pytest.approx(1e-3)
    assert math.isnan(found.sensitivity(payload=False)["joint1", "torque"].payload)
    assert "per kg" in str(slopes) and len(slopes.to_dataframe()) == len(found)


@pytest.mark.slow
def test_slopes_are_those_of_verdicts_apart() -> None:
    arm = lp.catalog.panda().with_payload(2.0, (0, 0, 0.1)).with_parts({"panda_joint2": Pin(1e3)})
    motion = lp.Motion.swing(arm, 41)
    row = arm.verdict(motion).sensitivity()["panda_joint2", "force"]
    more = [lp.catalog.panda().with_payload(m, (0, 0, 0.1)).with_parts({"panda_joint2": Pin(1e3)})
            .verdict(motion)["panda_joint2", "force"].utilisation for m in (2.0, 2.001)]
    assert row.payload == pytest.approx((more[1] - more[0]) / 0.001, rel=1e-4)
    fast = [arm.verdict(motion.scaled(speed=s))["panda_joint2", "force"].utilisation for s in (0.9999, 1.0001)]
    assert row.speed == pytest.approx((fast[1] - fast[0]) / 0.0002, rel=1e-4)


def test_largest_payload_of_a_level_rod_by_hand() -> None:
    most = rod().largest("payload", LEVEL)
    assert most.value == pytest.approx(50 / G - 0.5, rel=1e-8)
    assert most.limiting.check == "torque" and most.limiting.utilisation == pytest.approx(1.0, abs=1e-8)
    assert most.verdict.robot.link("payload").inertia.mass == most.value and not most.exceeded
    assert sum(most.limiting.causes.values()) == pytest.approx(50.0)
    assert float(most) == most.value and "limited by torque of coupling" in str(most)


def test_largest_payload_is_that_of_max_payload() -> None:
    arm = lp.catalog.panda()
    motion = lp.Motion.swing(arm, 101)
    assert arm.largest("payload", motion).value == pytest.approx(arm.max_payload(motion).mass, rel=1e-7)


def test_largest_payload_in_addition_to_one() -> None:
    carrying = rod().with_payload(1.0)
    assert carrying.largest("payload", LEVEL).value == pytest.approx(50 / G - 1.5, rel=1e-8)


def test_largest_speed_by_hand() -> None:
    most = rod().largest("speed", ([[0.0]], [[1.0]], [[2.0]]))
    assert most.value == pytest.approx(math.sqrt((50 - G / 2) * 1.5), rel=1e-8)
    limited = lp.catalog.panda()
    motion = lp.Motion.swing(limited, 101)
    speed = limited.largest("speed", motion)
    assert speed.value == pytest.approx(1 / limited.verdict(motion).worst.utilisation, rel=1e-6)


def test_the_first_of_several_crossings_counts() -> None:
    """A counterweight: at rest it holds, faster it does not, and no payload that is too large is found."""
    arm = lp.catalog.planar(1).with_parts({"joint1": [Coupling(5.0)]})
    # g/2 - s^2 c: falls through zero and rises on the other side.
    most = arm.largest("speed", ([[0.0]], [[0.0]], [[-3.0]]))
    assert most.value == pytest.approx(math.sqrt(5 + G / 2), rel=1e-8)
    none = arm.with_payload(1.0).largest("payload", LEVEL)
    assert none.exceeded and none.value == 0.0 and "exceeded without any payload" in str(none)


def test_nothing_that_grows_reaches_nothing() -> None:
    hanging = rod().largest("payload", ([-math.pi / 2], [0.0], [0.0]))
    assert math.isinf(hanging.value) and hanging.limiting is None
    with pytest.raises(ValueError, match="'payload' or 'speed'"):
        rod().largest("mass", LEVEL)
    with pytest.warns(lp.ModelWarning), pytest.raises(ValueError, match="no largest payload is known"):
        rod().largest("payload", ([[np.nan]], [[0.0]], [[0.0]]))


def test_carried_loads_count_at_every_pace_and_at_rest() -> None:
    arm = lp.catalog.planar(1).with_parts({"joint1": [Coupling(50.0)]})
    plain = lp.Motion.through(arm, [[0.0], [0.6], [0.0]], times=[0, 1, 2])
    loaded = plain.with_loads([lp.Carried(2.0, link="tip")])
    heavy = arm.with_payload(2.0, link="tip")
    one, other = arm.verdict(loaded), heavy.verdict(plain)
    assert one["joint1", "torque"].demand == pytest.approx(other["joint1", "torque"].demand, rel=1e-12)
    assert arm.largest("speed", loaded).value == pytest.approx(heavy.largest("speed", plain).value, rel=1e-7)


def test_a_position_at_its_limit_does_not_limit_a_payload() -> None:
    arm = lp.catalog.planar(1).with_limits({"joint1": lp.Limits(-0.5, 1.0, effort=50.0)})
    motion = lp.Motion(np.linspace(0.0, 1.0, 5), np.linspace(-0.5, 1.0, 5)[:, None])  # from limit to limit
    most = arm.largest("payload", motion)
    assert most.verdict["joint1", "position"].utilisation == 1.0
    assert most.limiting is most.verdict["joint1", "effort"]
    assert str(most).startswith(f"payload of {most.value:.6g} kg on 'tip', limited by effort")


def test_a_moving_base_is_faster_with_a_motion_that_carries_a_load() -> None:
    from loadpath.parts.verdict.what_if import again

    arm = lp.catalog.planar(2).with_limits({"joint1": {"effort": 50.0}, "joint2": {"effort": 20.0}})
    motion = lp.Motion.swing(arm, 41).with_loads([lp.Carried(2.0, to=0.5)])
    base = {"base_velocity": np.array([0.1, 0.2, 0, 0, 0, 0.5]), "base_acceleration": np.array([1.0, -2.0, 0, 0, 0, 2])}
    faster = again(arm.verdict(motion, **base), pace=1.3)
    moved = {"base_velocity": 1.3 * base["base_velocity"], "base_acceleration": 1.69 * base["base_acceleration"]}
    given = arm.verdict(motion.scaled(speed=1.3), **moved)
    for one, other in zip(faster.checks, given.checks, strict=True):
        assert one.demand == pytest.approx(other.demand, rel=1e-9), one
