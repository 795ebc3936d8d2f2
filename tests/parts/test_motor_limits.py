"""Motors against their curves, supply and inertia; brakes against gravity and emergency stops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from part_blocks import SLIDING, WELD, block, examined, motor_side, pieces
from scipy.integrate import solve_ivp

import loadpath as lp
from loadpath.parts.part import DRIVE, HOLDING

# A positioning cycle: accelerate, run, decelerate, rest. RMS by hand, as in every maker's guide:
# sqrt((T1^2 t1 + T2^2 t2 + T3^2 t3 + T4^2 t4) / (t1 + t2 + t3 + t4)).
CYCLE = block(weight=np.array([0.2, 0.5, 0.2, 0.6]) / 1.5, motor=motor_side([2.4, 0.6, -1.8, 0.0], [100, 200, 100, 0]))
RMS = math.sqrt((2.4**2 * 0.2 + 0.6**2 * 0.5 + 1.8**2 * 0.2) / 1.5)


def test_rms_and_peak_by_hand():
    found = examined(lp.Motor(continuous_torque=1.5, peak_torque=4.0, max_speed=400, voltage=48), CYCLE)
    assert found["RMS torque"].demand == pytest.approx(RMS)
    assert found["RMS torque"].utilisation == pytest.approx(RMS / 1.5)
    assert found["peak torque"].utilisation == pytest.approx(0.6) and found["peak torque"].at.sample == 0
    assert found["largest speed"].utilisation == pytest.approx(0.5) and found["RMS torque"].along == DRIVE
    assert found["voltage"].note.startswith("not checked: no resistance")


def test_curves_are_read_at_the_speed_of_each_sample():
    motor = lp.Motor(continuous_curve=[(0, 1.5), (100, 1.5), (300, 0.5)],
                     intermittent_curve=[(0, 5), (150, 5), (250, 0.7)], name="M")
    found = examined(motor, CYCLE)
    effective = math.sqrt((100**2 * 0.4 + 200**2 * 0.5) / 1.5)
    limit = 1.5 - (effective - 100) / 200
    assert found["RMS torque"].capacity == pytest.approx(limit)
    assert f"{effective:.4g} rad/s" in found["RMS torque"].note
    # 2.4 of 5 at 100 rad/s, but 0.6 of 2.85 at 200 rad/s: 0.48 decides; with 1.6 at 200 rad/s that decides.
    assert found["peak torque"].utilisation == pytest.approx(2.4 / 5)
    harder = block(weight=np.full(4, 0.25), motor=motor_side([2.4, 1.6, -1.8, 0.0], [100, -200, 100, 0]))
    check = examined(motor, harder)["peak torque"]
    assert (check.demand, check.at.sample) == (1.6, 1) and check.capacity == pytest.approx(2.85)
    beyond = examined(motor, block(weight=[1.0], motor=motor_side([0.1], 260.0)))
    assert math.isinf(beyond["peak torque"].utilisation) and "beyond" in beyond["peak torque"].note
    assert "voltage" not in found  # the curve has it in it
    both = lp.Motor(peak_torque=2.0, intermittent_curve=[(0, 5), (300, 5)])
    assert examined(both, CYCLE)["peak torque"].utilisation == pytest.approx(1.2)


def test_a_spectrum_is_one_rms_and_a_harder_motion_is_named():
    soft = block(weight=[0.9], motor=motor_side([0.1]))
    hard = block(weight=[0.1], motor=motor_side([3.0]), motion=1)
    check = examined(lp.Motor(continuous_torque=2), soft, hard)["RMS torque"]
    assert check.demand == pytest.approx(math.sqrt(0.9 * 0.01 + 0.1 * 9)) and "by itself has 3 N m" in check.note


def test_voltage_and_current():
    t = np.linspace(0, 1, 201)
    torque, speed = 2 * np.sin(5 * t), 300 * np.cos(2 * t)
    loads = block(t=t, motor=motor_side(torque, speed))
    motor = lp.Motor(peak_torque=3, torque_constant=0.1, voltage=48, resistance=0.5, inductance=1e-3, peak_current=25)
    found = examined(motor, loads)
    i = torque / 0.1
    slope = np.append(0.0, np.diff(i) / np.diff(t))
    assert found["voltage"].demand == pytest.approx(np.abs(0.1 * speed + 0.5 * i + 1e-3 * slope).max())
    assert examined(motor, *pieces(loads, (1, 50)))["voltage"].demand == pytest.approx(found["voltage"].demand)
    assert found["peak current"].demand == pytest.approx(np.abs(i).max())
    synchronous = lp.Motor(torque_constant=0.3, phases=3, pole_pairs=4, voltage=48, resistance=0.5, inductance=1e-3)
    i = torque / 0.3
    phase = np.hypot(0.1 * speed + 0.5 * i, 4 * speed * 1e-3 * i)  # k_e = k_t / 3
    assert examined(synchronous, loads)["voltage"].demand == pytest.approx(phase.max())
    hot = lp.ThermalModel(1, 100, ambient=25, limit=125)
    warm = lp.Motor(torque_constant=0.1, voltage=48, resistance=0.5, thermal=hot)
    check = examined(warm, loads)["voltage"]
    assert check.demand == pytest.approx(np.abs(0.1 * speed + 0.5 * 1.39 * torque / 0.1).max())
    assert "125 degrees" in check.note
    measured = block(t=t, motor=motor_side(torque, speed, current=7.0))
    assert examined(lp.Motor(peak_current=10), measured)["peak current"].utilisation == pytest.approx(0.7)
    assert examined(lp.Motor(peak_current=10), loads)["peak current"].note == "not checked: no torque_constant given"
    assert "no voltage given" in examined(lp.Motor(), loads)["voltage"].note


def test_overload_lasts_from_its_first_sample_to_the_first_after_it():
    t = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9.0])
    torque = np.array([0, 3, 3, 0, 0, -3, 3, 3, 3, 3.0])
    loads = block(t=t, motor=motor_side(torque))
    motor = lp.Motor(continuous_torque=2, overload_time=5)
    assert examined(motor, loads)["overload time"].demand == 4.0  # from 5 to the end
    for cuts in ((1,), (2, 3), (5, 6, 7), tuple(range(1, 10))):
        assert examined(motor, *pieces(loads, cuts))["overload time"].demand == 4.0
    assert examined(motor, pieces(loads, (4,))[0])["overload time"].demand == 2.0  # from 1 to 3
    second = block(t=t[:2], motor=motor_side([3, 0]), motion=1)
    assert examined(motor, loads, second)["overload time"].demand == 4.0  # motions do not go on into each other
    unlimited = examined(lp.Motor(overload_time=3), loads)["overload time"]
    assert unlimited.note == "not checked: no continuous_torque or continuous_curve given"


def test_inertia_ratio():
    loads = block(weight=[0.5, 0.5], speed=[0.0, 2.0], inertia=[3.0, 4.0], motor=motor_side([1, 1], [0.0, -200.0]))
    motor = lp.Motor(rotor_inertia=1e-4, max_inertia_ratio=5)
    check = examined(motor, loads)["inertia ratio"]
    assert check.demand == pytest.approx((4.0 / 100**2 - 1e-4) / 1e-4) and check.at.sample == 1
    assert "no rotor_inertia" in examined(lp.Motor(max_inertia_ratio=5), loads)["inertia ratio"].note


def test_a_joint_without_a_drive_train():
    found = examined(lp.Motor(continuous_torque=1, thermal=lp.ThermalModel(1, 2, ambient=20, limit=120)),
                     block(weight=[1.0], drive=3.0))
    assert list(found) == ["RMS torque", "peak torque", "largest speed", "winding temperature"]
    assert {check.note for check in found.values()} == {
        "not checked: no drive train on joint 'joint1': robot.with_drives or a gear there gives it one"}


def test_linear_motors_count_in_newtons():
    found = examined(lp.Motor(continuous_torque=100, max_speed=2, linear=True), CYCLE, place=SLIDING)
    assert (found["RMS torque"].unit, found["largest speed"].unit) == ("N", "m/s")


def stopped(speed, holding, inertia, torque, delay):
    """Energy and way of a stop by integration: coasting, then braking until it stands."""

    def coast(_, x):
        return [x[1], -holding / inertia, 0.0, abs(x[1])]

    def brake(_, x):
        push = (-holding - torque * forward) / inertia
        return [x[1], push, torque * abs(x[1]), abs(x[1])]

    def stands(_, x):
        return x[1]

    stands.terminal = True
    x = np.array([0.0, speed, 0.0, 0.0])
    if delay:
        x = solve_ivp(coast, (0, delay), x, rtol=1e-9, atol=1e-12, max_step=delay / 400).y[:, -1]
    forward = np.sign(x[1])
    x = solve_ivp(brake, (0, 10), x, events=stands, rtol=1e-9, atol=1e-12, max_step=0.05).y[:, -1]
    return x[2], x[3]


@pytest.mark.parametrize(("speed", "holding", "delay"), [
    (2.0, 0.0, 0.0), (2.0, -5.0, 0.0), (2.0, 5.0, 0.1), (-2.0, 5.0, 0.05), (0.4, 9.0, 0.3),
])
def test_a_stop_is_that_of_an_integration(speed, holding, delay):
    inertia, torque = 3.0, 12.0
    energy, way = stopped(speed, holding, inertia, torque, delay)
    brake = lp.Brake(holding_torque=torque, energy_per_stop=100, on="joint", response_time=delay)
    found = examined(brake, block(weight=[1.0], speed=speed, holding=holding, inertia=inertia))
    assert found["energy of a stop"].demand == pytest.approx(energy, rel=1e-5)
    assert f"{math.degrees(way):.3g} degrees" in found["energy of a stop"].note
    # Energy: what the brake takes is what was moving and what gravity gave on the way (up and down).
    if delay == 0:
        assert energy == pytest.approx(0.5 * inertia * speed**2 - holding * np.sign(speed) * way, rel=1e-5)


def test_holding_torque_on_the_motor():
    motor = motor_side([0.0, 0.0], [0.0, 150.0])
    loads = block(weight=[0.5, 0.5], speed=[0.0, 1.5], holding=[-80.0, 60.0], inertia=2.0, motor=motor)
    brake = lp.Brake(holding_torque=1.0, energy_per_stop=10, total_energy=5e4, stops=1000, response_time=0.02)
    for blocks in ((loads,), pieces(loads, (1,))):
        found = examined(brake, *blocks)
        assert found["holding torque"].demand == pytest.approx(0.8)  # 80 N m through a ratio of 100
        assert found["holding torque"].along == HOLDING and found["holding torque"].at.sample == 0
        grips = 1.5 - 60 / 2 * 0.02
        assert found["energy of a stop"].demand == pytest.approx(
            max(0.5 * 2 * grips**2 * 100 / (100 + 60), 0.5 * 2 * (80 / 2 * 0.02) ** 2 * 100 / (100 - 80)))
        assert found["energy of all stops"].utilisation == pytest.approx(found["energy of a stop"].demand * 1000 / 5e4)
    given = lp.Brake(holding_torque=1.0, ratio=160)
    assert examined(given, block(weight=[1.0], holding=80.0))["holding torque"].utilisation == pytest.approx(0.5)
    unknown = examined(lp.Brake(holding_torque=1.0), block(weight=[1.0], holding=80.0, inertia=1.0))
    assert "no ratio known" in unknown["holding torque"].note and "no ratio known" in unknown["energy of a stop"].note


def test_a_brake_that_does_not_hold_never_stops():
    brake = lp.Brake(holding_torque=10, energy_per_stop=100, on="joint", response_time=0)
    for speed, holding in ((1.0, -12.0), (0.0, 12.0)):
        check = examined(brake, block(weight=[1.0], speed=speed, holding=holding, inertia=2.0))["energy of a stop"]
        assert math.isinf(check.utilisation) and check.note.startswith("never stops: gravity drives it on with 12 N m")
    rising = examined(brake, block(weight=[1.0], speed=1.0, holding=12.0, inertia=2.0))
    assert rising["energy of a stop"].demand == pytest.approx(0.5 * 2 * 10 / 22) and not rising["holding torque"].holds


def test_what_a_brake_lacks():
    still = block(weight=[1.0], holding=3.0)
    found = examined(lp.Brake(holding_torque=5, energy_per_stop=3, on="joint", stops=10, response_time=0), still)
    assert (
        found["energy of a stop"].note == "not checked: the joint's inertia is not known (nor is that of closed chains)"
    )
    assert found["energy of all stops"].note == "not checked: no total_energy given"
    moving = block(weight=[1.0], holding=3.0, inertia=1.0, speed=1.0)
    bare = examined(lp.Brake(on="joint"), moving)
    assert bare["holding torque"].note == "not checked: no holding_torque given"
    assert bare["energy of a stop"].note == "not checked: no holding_torque or braking_torque given"
    assert "has no drive" in examined(lp.Brake(on="joint"), block(weight=[1.0]))["holding torque"].note
    slow = examined(lp.Brake(holding_torque=5, energy_per_stop=3, total_energy=9, stops=2, on="joint"), moving)
    assert slow["energy of a stop"].note.startswith("not checked: no response_time given")
    assert slow["energy of all stops"].note.startswith("not checked: no response_time given")
    slide = lp.Brake(holding_torque=50, energy_per_stop=9, on="joint", response_time=0)
    found = examined(slide, moving, place=SLIDING)
    assert found["holding torque"].unit == "N" and "mm" in found["energy of a stop"].note
    with pytest.raises(lp.ModelError, match="'weld', which does not move"):
        slide.examiner(WELD)


@pytest.mark.parametrize(("made", "message"), [
    (lambda: lp.Motor(continuous_torque=-1, name="M1"), "continuous_torque of motor 'M1' is -1.0"),
    (lambda: lp.Motor(continuous_curve=[(0, 1), (5, "x")]), "a point of the continuous_curve of motor is 'x'"),
    (lambda: lp.Motor(continuous_curve=[(5, 1), (0, 1)]), "goes from 5 to 0: expected pairs"),
    (lambda: lp.Motor(intermittent_curve=3), r"intermittent_curve of motor is 3: expected pairs \(speed rad/s"),
    (lambda: lp.Motor(phases=0), "phases of motor is 0: expected a whole number"),
    (lambda: lp.Motor(phases=None), "phases of motor is None: expected a whole number"),
    (lambda: lp.Motor(thermal={"resistance": 3}), "expected resistance, time_constant, ambient and limit"),
    (lambda: lp.Motor(thermal=3), r"thermal of motor is 3: expected lp.ThermalModel"),
    (lambda: lp.Brake(on="shaft"), "on of brake is 'shaft': expected 'motor' or 'joint'"),
    (lambda: lp.Brake(on="joint", ratio=3), "sits on the joint and has the ratio 3"),
    (lambda: lp.Brake(holding_torque=0), "holding_torque of brake is 0.0: expected more than zero"),
    (lambda: lp.Brake(response_time=-1), "response_time of brake is -1.0: expected zero or more"),
])
def test_bad_numbers_are_named(made, message):
    with pytest.raises(lp.ModelError, match=message):
        made()
