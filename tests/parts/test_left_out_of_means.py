"""What must not be left out: the mass of carried loads in the inertia of a stop, and the time of states that are not
numbers in the means.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from part_blocks import RPM, block, examined, motor_side

import loadpath as lp

BOX = {"center_of_mass": (0.1, 0.02, 0.1), "inertia": np.diag([0.1, 0.2, 0.25])}


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    bearing = lp.CrossedRollerBearing(C=29e3, C0=50e3, dp=0.11)
    brake = lp.Brake(holding_torque=3, energy_per_stop=100, response_time=0.02)
    motor = lp.Motor(continuous_torque=1, peak_torque=3, max_speed=500, rotor_inertia=3e-5, max_inertia_ratio=1000)
    driven = lp.catalog.planar(2).with_drives({"joint1": lp.Drive(ratio=101, rotor_inertia=3e-5)})
    return driven.with_parts({"joint1": [bearing, brake, motor]})


def test_a_carried_load_is_stopped_and_accelerated_as_a_payload_is(arm: lp.Robot) -> None:
    motion = lp.Motion.swing(arm, 41)
    carried = arm.verdict(motion.with_loads([lp.Carried(5.0, **BOX)]))
    held = arm.with_payload(5.0, **BOX).verdict(motion)
    for check in ("energy of a stop", "inertia ratio", "holding torque", "RMS torque"):
        assert carried["joint1", check].demand == pytest.approx(held["joint1", check].demand, rel=1e-12)
    assert carried["joint1", "energy of a stop"].demand > 2 * arm.verdict(motion)["joint1", "energy of a stop"].demand


def test_a_load_that_was_put_down_is_no_longer_stopped(arm: lp.Robot) -> None:
    motion = lp.Motion.swing(arm, 41)
    early = lp.Carried(5.0, to=float(motion.t[1]), **BOX)
    found = arm.verdict(motion.with_loads([early]))["joint1", "energy of a stop"]
    assert found.demand == pytest.approx(arm.verdict(motion)["joint1", "energy of a stop"].demand)


def test_states_that_are_not_numbers_do_not_lengthen_a_life(arm: lp.Robot) -> None:
    motion = lp.Motion.swing(arm, 401)
    known = arm.verdict(motion.q, motion.qd, motion.qdd, hours=1000)["joint1", "life L10"]
    q = np.array(motion.q)
    q[::2] = np.nan
    with pytest.warns(UserWarning, match="201 of 401"):
        half = arm.verdict(q, motion.qd, motion.qdd, hours=1000)
    assert half["joint1", "life L10"].life_hours == pytest.approx(known.life_hours, rel=1e-2)
    assert not half.holds


GEAR = {"rated_torque": 294, "rated_speed": 20, "rated_life": 7000}


@pytest.mark.parametrize(
    "part",
    [
        lp.StrainWaveGear(ratio=120, average_torque=451, average_input_speed=3600 * RPM, **GEAR),
        lp.CycloidalGear(ratio=81, **GEAR),
        lp.PlanetaryGear(ratio=10, nominal_torque=331, nominal_input_speed=300, rated_life=2e4),
        lp.CrossedRollerBearing(C=29e3, C0=50e3, dp=0.11),
        lp.BearingPair(spacing=(-0.02, 0.06), C=29.1e3, C0=17.9e3, kind="deep groove", f0=14.0),
        lp.Motor(continuous_torque=1, peak_torque=3, max_speed=500, continuous_curve=[(0, 2.0), (400, 1.0)]),
    ],
    ids=lambda part: part.kind,
)
@pytest.mark.parametrize("stands", [False, True])
def test_means_do_not_depend_on_the_share_of_time_that_was_seen(part: lp.Part, stands: bool) -> None:
    """Where a third of the time was seen, all weights are a third: the same loads have the same means and lives."""
    rng = np.random.default_rng(2)
    weight, speed = rng.dirichlet(np.ones(50)), 0.0 if stands else rng.normal(size=50)
    whole = block(weight=weight, speed=speed, gear=50 * rng.normal(size=50), force=900 * rng.normal(size=(50, 3)),
                  torque=30 * rng.normal(size=(50, 3)), motor=motor_side(rng.normal(size=50), 90 * speed))
    known, third = (examined(part, loads, hours=1000) for loads in (whole, replace(whole, weight=weight / 3)))
    assert any(check.checked for check in known.values())
    for name, check in known.items():
        np.testing.assert_allclose(third[name].demand, check.demand, rtol=1e-12, err_msg=name)
        np.testing.assert_allclose(third[name].utilisation, check.utilisation, rtol=1e-12, err_msg=name)
        if check.life_hours is not None:
            np.testing.assert_allclose(third[name].life_hours, check.life_hours, rtol=1e-12, err_msg=name)


def test_causes_of_all_rows_come_from_one_breakdown(arm: lp.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    from loadpath.parts.verdict import basis

    calls = []
    compute = basis.load_breakdown
    monkeypatch.setattr(basis, "load_breakdown", lambda *a, **k: calls.append(len(a[1])) or compute(*a, **k))
    found = arm.verdict(lp.Motion.swing(arm, 41).with_loads([lp.Carried(5.0, from_=0.2)]), hours=1000)
    rows = [row for row in found.checks if row.along is not None]
    assert len({row.at for row in rows}) > 3
    for row in rows:
        assert row.unit not in ("N", "N m") or sum(row.causes.values()) == pytest.approx(row.demand, rel=1e-9)
    assert len(calls) == 2  # moving, and at rest for the brake
    assert found["joint1", "static safety"].top(1)[0].cause == "carried load"


def test_a_check_that_is_not_there_is_named(arm: lp.Robot) -> None:
    found = arm.verdict(lp.Motion.swing(arm, 11))
    with pytest.raises(ValueError, match="'joint1' has no check 'lif' of brake; there are 'life L10' of crossed"):
        found["joint1", "brake", "lif"]


def test_a_joint_that_rounding_moves_stands_still() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": lp.CrossedRollerBearing(C=29e3, C0=50e3, dp=0.11)})
    idle = lp.Motion(0.1 * np.arange(9), np.tile([0.2, 0.1], (9, 1)))
    assert 0 < np.abs(idle.qd).max() < 1e-12  # derivatives of a constant
    row = arm.verdict(idle, hours=1000)["joint1", "life L10"]
    assert row.utilisation == 0.0 and row.life_hours == np.inf and row.note.startswith("does not turn")
