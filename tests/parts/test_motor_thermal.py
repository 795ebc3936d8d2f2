"""Temperature of a winding: a published calculator's digits, a general integrator, repetition by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from part_blocks import block, examined, motor_side, pieces
from scipy.integrate import solve_ivp

import loadpath as lp

# A. M. Johnson (Carnegie Mellon University), "Motor Thermal Calculator", a maxon motor: 24 N m after a gear of 80.
RESISTANCE, CONSTANT, GEAR = 0.836, 26.1e-3, 80
MAXON = lp.ThermalModel(resistance=(0.74, 8.96), time_constant=(4.12, 968), ambient=25, limit=155)
CURRENT = 24 / GEAR / CONSTANT
CONSTANT_LOSS = lp.ThermalModel(resistance=2.0, time_constant=600, ambient=20, limit=120, copper_coefficient=0)


def euler(step, duration):
    """The calculator's own integration: temperature of the winding after each step."""
    (r1, r2), (t1, t2) = MAXON.resistance, MAXON.time_constant
    c1, c2 = t1 / r1, t2 / r2
    winding = housing = 25.0
    found = []
    for _ in range(round(duration / step)):
        loss = RESISTANCE * CURRENT**2 * (1 + 0.0039 * (winding - 25))
        flow = (winding - housing) / r1
        winding, housing = winding + step * (loss - flow) / c1, housing + step * (flow - (housing - 25) / r2) / c2
        found.append(winding)
    return np.array(found)


def test_published_calculator():
    assert f"{CURRENT:.3f}" == "11.494"  # A, printed
    theirs = euler(0.25, 30)
    assert f"{theirs[-1]:.3f}" == "183.180"  # degrees after 30 s, printed
    assert 0.25 * (1 + np.argmax(theirs > 130)) == 10.75 and 0.25 * (1 + np.argmax(theirs > 155)) == 18.25  # printed
    t = np.linspace(0, 30, 121)
    ours = MAXON.temperatures(t, RESISTANCE * CURRENT**2, repeated=False)
    assert abs(ours[-1] - 183.18) < 0.015  # what their step of 0.25 s costs
    fine = euler(0.001, 30)
    assert abs(ours[-1] - fine[-1]) < 1e-4
    # Steps of any length give the same: nothing is lost by them.
    assert MAXON.temperatures([0, 30], RESISTANCE * CURRENT**2, repeated=False)[-1] == pytest.approx(ours[-1], abs=1e-9)


@pytest.mark.parametrize("coefficient", [0.0, 0.0039])
def test_against_a_general_integrator(coefficient):
    model = lp.ThermalModel((0.5, 1.5), (20, 700), ambient=30, limit=140, copper_coefficient=coefficient, reference=20)
    rng = np.random.default_rng(1)
    t = np.cumsum(rng.uniform(0.1, 30, 60))
    loss = rng.uniform(0, 80, 60)
    r1, r2, c1, c2 = 0.5, 1.5, 20 / 0.5, 700 / 1.5
    x = np.zeros(2)
    for k in range(59):
        mean = 0.5 * (loss[k] + loss[k + 1])

        def rates(_, x, mean=mean):
            power = mean * (1 + coefficient * (30 + x[0] - 20))
            return [(power - (x[0] - x[1]) / r1) / c1, ((x[0] - x[1]) / r1 - x[1] / r2) / c2]

        x = solve_ivp(rates, (t[k], t[k + 1]), x, rtol=1e-10, atol=1e-12).y[:, -1]
        assert model.temperatures(t[: k + 2], loss[: k + 2], repeated=False)[-1] == pytest.approx(30 + x[0], abs=1e-6)


def test_repeated_is_what_many_repetitions_come_to():
    t = np.linspace(0, 60, 31)
    loss = 40 * np.sin(np.pi * t / 60) ** 2
    model = lp.ThermalModel((0.5, 1.5), (20, 300), ambient=30, limit=140)
    many = 200
    times = np.concatenate([t + 60 * k for k in range(many)])
    long = model.temperatures(times, np.tile(loss, many), repeated=False)[-31:]
    np.testing.assert_allclose(model.temperatures(t, loss), long, atol=1e-6)
    # Heat that comes in goes out: mean rises are those of the mean loss, with the resistances in between.
    plain = lp.ThermalModel((0.5, 1.5), (20, 300), ambient=30, limit=140, copper_coefficient=0)
    fine = np.linspace(0, 60, 6001)
    rise = plain.temperatures(fine, 40 * np.sin(np.pi * fine / 60) ** 2) - 30
    assert np.trapezoid(rise, fine) / 60 == pytest.approx(20 * 2.0, rel=1e-6)


def test_one_body_by_hand():
    rise = 30 * 2.0
    assert CONSTANT_LOSS.temperatures([0, 600, 1200], 30, repeated=False).tolist() == pytest.approx(
        [20, 20 + rise * (1 - math.exp(-1)), 20 + rise * (1 - math.exp(-2))])
    # 300 s with 50 W, 300 s without, repeated: the hottest is R P (1 - e^-h)/(1 - e^-2h), h = 300/600.
    t, loss = [0, 300, 300, 600], [50, 50, 0, 0]
    hot = 20 + 100 * (1 - math.exp(-0.5)) / (1 - math.exp(-1))
    found = CONSTANT_LOSS.temperatures(t, loss)
    assert found.max() == pytest.approx(hot) and found[0] == pytest.approx(found[-1])
    assert CONSTANT_LOSS.steady([0, 30]).tolist() == [20, 80]
    assert CONSTANT_LOSS.permitted_loss == 50


def test_runaway_is_said():
    # Copper loss of 20 W at 25 degrees grows by 0.078 W/K; 1/9.7 = 0.103 W/K leave. 30 W grow faster than that.
    assert MAXON.steady(20) == pytest.approx(25 + 20 * 9.7 / (1 - 20 * 0.0039 * 9.7))
    assert math.isinf(MAXON.steady(30))
    t = np.linspace(0, 100, 11)
    assert np.isinf(MAXON.temperatures(t, 30.0)).all() and np.isfinite(MAXON.temperatures(t, 20.0)).all()
    motor = lp.Motor(torque_constant=1.0, resistance=30.0, thermal=MAXON)
    check = examined(motor, block(t=t, motor=motor_side(np.ones(11))))["winding temperature"]
    assert math.isinf(check.utilisation) and check.note.startswith("never settles")


def test_a_motor_over_blocks_and_motions():
    rng = np.random.default_rng(2)
    motor = lp.Motor(torque_constant=CONSTANT, resistance=RESISTANCE, thermal=MAXON)
    t = np.cumsum(rng.uniform(0.01, 0.2, 400))
    torque = 0.05 * rng.normal(size=400)
    whole = block(t=t, motor=motor_side(torque), weight=np.full(400, 1 / 800))
    again = block(t=t, motor=motor_side(1.2 * torque), motion=1, weight=np.full(400, 1 / 800))
    one = examined(motor, whole)["winding temperature"]
    loss = RESISTANCE * (torque / CONSTANT) ** 2
    there = MAXON.temperatures(t, loss)
    assert one.demand == pytest.approx(there.max(), rel=1e-12)
    assert (one.at.sample, one.at.time) == (int(np.argmax(there)), t[np.argmax(there)])
    assert one.utilisation == pytest.approx((one.demand - 25) / 130)
    cut = examined(motor, *pieces(whole, (1, 2, 250)))["winding temperature"]
    assert cut.demand == pytest.approx(one.demand, rel=1e-12) and cut.at == one.at
    both = examined(motor, *pieces(whole, (100,)), *pieces(again, (9, 10)))["winding temperature"]
    assert both.demand == pytest.approx(MAXON.temperatures(t, 1.44 * loss).max(), rel=1e-12)
    assert both.at.motion == 1 and "by itself" in both.note
    first = MAXON.temperatures(t, 1.44 * loss, repeated=False).max()
    assert f"{first:.1f} degrees the first time" in both.note


def test_losses_from_the_continuous_torque():
    # Held for good, the continuous torque brings the winding to its limit, by definition.
    for model in (MAXON, CONSTANT_LOSS):
        motor = lp.Motor(continuous_torque=2.0, thermal=model)
        check = examined(motor, block(t=[0, 10, 3000], motor=motor_side(np.full(3, 2.0))))["winding temperature"]
        assert check.utilisation == pytest.approx(1.0, rel=1e-9) and "from the continuous torque" in check.note
    one = examined(motor, block(t=[5.0], motor=motor_side([1.0])))["winding temperature"]
    assert one.utilisation == pytest.approx(0.25)


def test_a_table_of_a_file_is_a_model():
    table = {"resistance": [0.74, 8.96], "time_constant": [4.12, 968], "ambient": 25, "limit": 155}
    assert lp.Motor(thermal=table) == lp.Motor(thermal=MAXON)


def test_what_is_missing_is_said():
    untimed = block(t=[np.nan, np.nan], motor=motor_side([1.0, 2.0]))
    motor = lp.Motor(continuous_torque=2.0, thermal=MAXON, overload_time=1.0)
    found = examined(motor, untimed)
    assert found["winding temperature"].note == "not checked: the states have no times"
    assert found["overload time"].note == "not checked: the states have no times"
    bare = examined(lp.Motor(thermal=MAXON), block(t=[0, 1], motor=motor_side([1.0, 2.0])))
    assert "no resistance and torque_constant given" in bare["winding temperature"].note
    with pytest.raises(ValueError, match="rising times"):
        MAXON.temperatures([1, 0], [1, 1])


@pytest.mark.parametrize(("numbers", "message"), [
    ({"resistance": -1, "time_constant": 2}, "resistance of a ThermalModel is -1.0: expected more than zero"),
    ({"resistance": (1, 2), "time_constant": 2}, "expected one number each"),
    ({"resistance": (1, 2, 3), "time_constant": 2}, "has 3 numbers: expected one, or two"),
    ({"resistance": 1, "time_constant": 2, "limit": 20}, "limit 20 and the ambient 25 degrees"),
    ({"resistance": 1, "time_constant": 2, "copper_coefficient": -1}, "copper_coefficient of a ThermalModel is -1.0"),
    ({"resistance": 1, "time_constant": 2, "ambient": -273}, "copper has no resistance there"),
    ({"resistance": 1, "time_constant": 2, "reference": "cold"}, "reference of a ThermalModel is 'cold'"),
])
def test_bad_thermal_models(numbers, message):
    with pytest.raises(lp.ModelError, match=message):
        lp.ThermalModel(**{"ambient": 25, "limit": 155, **numbers})
