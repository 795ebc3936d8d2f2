"""Worked examples and tables of makers' catalogues, to their printed digits. Each was read in the document it cites;
what could not be read is in the other files of this folder, as hand calculation.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from part_blocks import RPM, block, motor_side
from part_blocks import examined as examined_by_name

import loadpath as lp
from loadpath.parts.bearings import pair
from loadpath.parts.bearings.life import A1, RELIABILITIES
from parts.joint_loads_by_hand import examined, loads, place

# Bearings


def test_skf_example_5_a_roller_bearing_in_four_intervals():
    """SKF, General Catalogue (Russian edition, 2006), pp. 80 and 81, example 5: C = 540 kN, C0 = 815 kN; P, share of
    time and speed of each interval, and L10h = 9,136, 7,295, 30,030 and 232,040 h; s0 = 815/500 = 1.63. Loads are
    radial: a ring's formulas are then those of any roller bearing.
    """
    ring = lp.CrossedRollerBearing(C=540e3, C0=815e3, dp=0.165)
    radial, share, speed = np.array([200e3, 125e3, 75e3, 50e3]), [0.05, 0.40, 0.45, 0.10], [50, 300, 400, 200]
    printed = [9136, 7295, 30030, 232040]
    for force, rpm, hours in zip(radial, speed, printed, strict=True):
        life = examined(ring, loads([force, 0, 0], [0, 0, 0], speed=rpm * RPM))["life L10"].life_hours
        assert life == pytest.approx(hours, rel=2e-4)  # they have four digits or five
    duty = loads(radial[:, None] * [1.0, 0, 0], np.zeros(3), speed=np.array(speed) * RPM, weight=share)
    together = 1 / sum(part / hours for part, hours in zip(share, printed, strict=True))  # SKF p. 70, with a_SKF = 1
    assert examined(ring, duty)["life L10"].life_hours == pytest.approx(together, rel=2e-4)
    assert "C0/P0 = 1.63" in examined(ring, loads([500e3, 0, 0], [0, 0, 0]))["static safety"].note


def test_nsk_example_5_tapered_bearings_with_an_axial_force():
    """NSK, Rolling bearings (E1102e), 5.7, A 34 to A 36, example 5: HR30305DJ (38 kN, Y 0.73, e 0.83) and HR30206J
    (43 kN, Y 1.60, e 0.38) back-to-back at 600 r/min, 5500 N 59.9 mm from the first and 23.9 mm from the second load
    center, 2000 N along the axis onto the first, induced 0.6 Fr/Y: Fr = 1,569 and 3,931 N, Fa1 = 3,474 N, P = 3,164
    and 3,931 N, fh = 5.04 and 4.59, 109,750 and 80,400 h. (They round fn to 0.42.)
    """
    pair = lp.BearingPair(spacing=(0.0599, -0.0239), C=(38e3, 43e3), kind="tapered", Y=(0.73, 1.6),
                          induced=(0.6 / 0.73, 0.6 / 1.6))
    checks = examined(pair, loads([5500.0, 0, 2000.0], [0, 0, 0], speed=600 * RPM), hours=1000.0)
    first, second = checks["life L10 of a"], checks["life L10 of b"]
    assert (round(first.demand), round(second.demand)) == (3164, 3931)
    for life, fh, hours in ((first.life_hours, 5.04, 109750), (second.life_hours, 4.59, 80400)):
        assert (life / 500) ** 0.3 == pytest.approx(fh, abs=0.01) and life == pytest.approx(hours, rel=5e-3)
    # The constants e of that table, from Y alone: 1.5 tan(alpha) with Y = 0.4 cot(alpha).
    assert [float(each.factors.e) for each in pair.bearings] == pytest.approx([0.83, 0.38], abs=0.01)
    pushed_back = examined(pair, loads([5500.0, 0, -2000.0], [0, 0, 0], speed=600 * RPM))["life L10 of b"]
    assert pushed_back.demand == pytest.approx(0.4 * 3930.9 + 1.6 * (2000 + 0.6 / 0.73 * 1568.6), rel=1e-4)


def test_static_tilting_moments_of_an_actuators_bearing():
    """Harmonic Drive SE, CHA series (1018854, 8/2018), table 55.1, four-point bearings of sizes 14, 17 and 20: the
    static tilting moment with the safety 1.8 is 155, 276 and 603 N m. (Of size 25, the first with crossed rollers,
    1050 N m are printed beside d_p = 0.088 m and C0 = 45 kN, which with the safety 1.5 make 1320; 1050 belongs to the
    d_p of size 20.)
    """
    for dp, C0, printed in ((0.049, 11400, 155), (0.058, 17100, 276), (0.070, 31000, 603)):
        ring = lp.SlewingBearing(C=8500, C0=C0, dp=dp, rolling="balls", static_safety=1.8)
        check = examined(ring, loads([0, 0, 0], [1.0, 0, 0]))["static safety"]
        assert round(1.0 / check.utilisation) == printed


def test_angular_contact_factors_of_koyo():
    """Koyo, Ball & roller bearings, angular contact ball bearings, B 20: Fa/C0r, e and Y of 15 degrees, X, Y, e of 30
    and 40 degrees, and Y0 of all three.
    """
    fifteen = pair.angular_contact(math.radians(15), 1.0, None, "")
    assert fifteen.loads / fifteen.per_newton == pytest.approx(
        [0.015, 0.029, 0.058, 0.087, 0.12, 0.17, 0.29, 0.44, 0.58], abs=0.006)
    e, Y = fifteen.e, fifteen.Y
    assert e == pytest.approx([0.38, 0.40, 0.43, 0.46, 0.47, 0.50, 0.55, 0.56, 0.56])
    assert pytest.approx([1.47, 1.40, 1.30, 1.23, 1.19, 1.12, 1.02, 1.00, 1.00]) == Y
    assert (fifteen.X, fifteen.X0, fifteen.Y0) == (0.44, 0.5, 0.46)
    for degrees, e, X, Y, Y0 in ((30, 0.80, 0.39, 0.76, 0.33), (40, 1.14, 0.35, 0.57, 0.26)):
        found = pair.angular_contact(math.radians(degrees), None, None, "")
        assert (float(found.e), found.X, float(found.Y), found.X0, found.Y0) == pytest.approx((e, X, Y, 0.5, Y0))


@pytest.mark.parametrize(("e", "X", "Y"), [
    (pair.DEEP_GROOVE_E, 0.56, pair.DEEP_GROOVE_Y),
    (pair.FIFTEEN_E, 0.44, pair.FIFTEEN_Y),
    (pair.ANGULAR_E, pair.ANGULAR_X, pair.ANGULAR_Y),
])
def test_rows_of_the_standards_tables_do_not_jump(e, X, Y):
    """P = Fr and P = X Fr + Y Fa meet at Fa = e Fr: X + Y e = 1 to the rounding of the tables (e and Y to 0.005)."""
    assert np.all(np.abs(X + Y * e - 1.0) <= 0.005 * (e + Y + 1.0))
    assert np.all(np.diff(e) >= 0) and np.all(np.diff(Y) <= 0)


def test_every_reliability_factor_follows_from_its_distribution():
    """A Weibull distribution of slope 1.5 (ISO/TR 1281-2, 4.2.1, as the manual of MESYS has it) whose least life is 5 %
    of L10: all rows of the table round to it.
    """
    derived = 0.05 + 0.95 * (np.log(1 / RELIABILITIES) / math.log(1 / 0.9)) ** (1 / 1.5)
    digits = np.where(RELIABILITIES < 0.9985, 2, 3)
    assert [round(a, n) for a, n in zip(derived, digits, strict=True)] == A1.tolist()


# Strain wave gears


def test_torsion_of_hfuc_32_100():
    """Harmonic Drive SE, CSD-2A (1019659, 11/2014), p. 23, and CHA (1018854, 12/2015), p. 68: T = 60 N m with T1 = 29,
    T2 = 108 N m and K = 6.7e4, 1.1e5, 1.2e5 N m/rad: 7.15e-4 rad, 2.5 arc min.
    """
    gear = lp.StrainWaveGear(ratio=100, stiffness=(6.7e4, 1.1e5, 1.2e5), stiffness_torques=(29, 108))
    assert f"{gear.torsion(60):.2e}" == "7.15e-04"
    assert round(math.degrees(gear.torsion(60)) * 60, 1) == 2.5


def test_torsion_of_the_csf_catalogue_ratio_30():
    """Harmonic Drive LLC, CSF and CSG, table 41 (ratio 30), sizes 14 to 32: T1, K1, phi1 and T2, K2, phi2."""
    rows = [(2.0, 0.19, "10.5", 6.9, 0.24, 31), (3.9, 0.34, "11.5", 12, 0.44, 30), (7.0, 0.57, "12.3", 25, 0.71, 38),
            (14, 1.0, "14.0", 48, 1.3, 40), (29, 2.4, "12.1", 108, 3.0, 38)]
    for T1, K1, phi1, T2, K2, phi2 in rows:
        gear = lp.StrainWaveGear(ratio=30, stiffness=(K1 * 1e4, K2 * 1e4, 9e9), stiffness_torques=(T1, T2))
        assert f"{1e4 * gear.torsion(T1):.1f}" == phi1 and round(1e4 * gear.torsion(T2)) == phi2


def test_average_torque_of_a_selection_example():
    """HONPINE, "How to select harmonic reduction gear": 150, 82 and 130 N m at 10, 20 and 10 r/min for 0.2, 3 and
    0.3 s, then 0.2 s of rest: T_av = 89 N m, of 140 permitted; at the input 2000 r/min at most, ratio 100.
    """
    times, gear = np.array([0.2, 3, 0.3, 0.2]), lp.StrainWaveGear(ratio=100, average_torque=140, max_input_speed=220)
    duty = block(weight=times / times.sum(), speed=np.array([10, 20, 10, 0]) * RPM, gear=[150, 82, 130, 0])
    found = examined_by_name(gear, duty)
    assert round(found["average torque"].demand) == 89 and found["average torque"].holds
    assert found["largest input speed"].demand / RPM == pytest.approx(2000)


# Motors


@pytest.mark.parametrize(("torques", "printed"), [((95, 5, -85, 0), "35"), ((103.8, 5, -93.8, 0), "38.8")])
def test_effective_torque_of_an_actuator_selection(torques, printed):
    """Harmonic Drive SE, CHA series (1018854): 12/2015, p. 67, and 8/2018, p. 72. Accelerate, run at 40 r/min and
    decelerate in 0.1 s each, of 1.3 s: T_rms = 35 and 38.8 N m, mean speed 6 r/min.
    """
    times, speed = np.array([0.1, 0.1, 0.1, 1.0]), np.array([20, 40, 20, 0]) * RPM
    motor = lp.Motor(continuous_torque=60, peak_torque=127, max_speed=112 * RPM)
    found = examined_by_name(motor, block(weight=times / 1.3, motor=motor_side(torques, speed)))
    assert f"{found['RMS torque'].demand:.{len(printed.partition('.')[2])}f}" == printed
    assert found["peak torque"].demand == torques[0] and found["largest speed"].demand / RPM == pytest.approx(40)
    gear = lp.StrainWaveGear(ratio=50, average_input_speed=3500 * RPM)
    mean = examined_by_name(gear, block(weight=times / 1.3, speed=speed, gear=torques))["average input speed"].demand
    assert round(mean / 50 / RPM) == 6


def table_on_a_screw(mass, screw, coupling, rotor, lead):
    """A table with the friction 0.2 on a ball screw of efficiency 0.9, and what its motor gives at 15 m/min."""
    slide = lp.Robot("x", (lp.Link("bed"), lp.Link("table", lp.Inertia(mass))),
                     (lp.Joint("x", "bed", "table", lp.Prismatic((1, 0, 0))),), gravity=(0, 0, -9.8))
    friction = lp.Friction(coulomb=0.2 * mass * 9.8)
    train = lp.Drive(lead=lead, rotor_inertia=rotor + screw + coupling, efficiency=0.9, friction=friction)
    return slide.with_drives({"x": train}), 2 * math.pi / lead


@pytest.mark.parametrize(("mass", "screw", "coupling", "gear", "torque", "rpm", "inertia"), [
    (500.0, (1.4, 0.04), 1 * 0.06**2 / 8, 1, 1.73, 1500, "44.9"),
    (250.0, (1.0, 0.02), 0.40e-4, 2, 0.43, 3000, "2.29"),
])
def test_ball_screw_tables_of_yaskawa(mass, screw, coupling, gear, torque, rpm, inertia):
    """Yaskawa, Sigma-II SGMVH user's manual, 11.1.1 (p. 11-2): 500 kg at 15 m/min, lead 10 mm, screw 1.4 m x 40 mm,
    coupling 1 kg x 60 mm: T_L = 1.73 N m, 1500 r/min, J_L = 44.9e-4 kg m^2. Sigma-V-MD (p. 2-5): 250 kg, screw 1.0 m x
    20 mm by a gear 1/2, coupling and gear 0.40e-4: T_L = 0.43 N m, 3000 r/min, J_L = 2.29e-4 kg m^2, 135 W.
    """
    length, diameter = screw
    screw_inertia = math.pi / 32 * 7.87e3 * length * diameter**4 / gear**2
    rotor, lead = 1e-4, 0.01 / gear
    arm, ratio = table_on_a_screw(mass, screw_inertia, coupling, rotor, lead)
    running = arm.motor_loads([[0.0]], [[15 / 60]], [[0.0]])
    assert round(float(running.torque[0, 0]), 2) == torque
    assert float(running.speed[0, 0]) / RPM == pytest.approx(rpm)
    whole = mass + (rotor + screw_inertia + coupling) * ratio**2
    driven = block(weight=[1.0], speed=0.25, inertia=whole, motor=motor_side([torque], ratio * 0.25))
    sliding = place("x", [1, 0, 0], turns=False)
    motor = lp.Motor(rotor_inertia=rotor, max_inertia_ratio=90)
    check = examined_by_name(motor, driven, place=sliding)["inertia ratio"]
    assert f"{1e4 * rotor * check.demand:.{len(inertia.partition('.')[2])}f}" == inertia
    if gear == 2:
        assert float(running.power[0, 0]) == pytest.approx(135, rel=0.01)  # they: 0.43 x 314 rad/s
