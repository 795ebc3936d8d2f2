"""Gears against their catalogues' worked examples, hand calculation, and themselves in other pieces."""

from __future__ import annotations

import math

import numpy as np
import pytest
from part_blocks import RPM, SLIDING, TURNING, WELD, block, examined, pieces

import loadpath as lp
from loadpath.parts.part import DRIVE, GEAR

# After the selection example of Harmonic Drive's CSF and CSG catalogue (a CSF-40-120): output torque N m, time s,
# output speed rpm. Its page was not at hand: numbers are as quoted, results are held against hand calculation. What
# was read in catalogues is in test_catalogue_examples.py.
TORQUES, TIMES, SPEEDS = np.array([400, 320, 200, 0]), np.array([0.3, 3, 0.4, 0.2]), np.array([7, 14, 7, 0])
EXAMPLE = block(weight=TIMES / TIMES.sum(), speed=SPEEDS * RPM, gear=TORQUES, drive=1.1 * TORQUES)
CSF = {"ratio": 120, "rated_torque": 294, "rated_speed": 2000 * RPM, "rated_life": 7000, "average_torque": 451,
       "peak_torque": 617, "momentary_torque": 1180, "average_input_speed": 3600 * RPM, "max_input_speed": 5600 * RPM
       }
CSF_EMERGENCY = {"emergency_torque": 500, "emergency_speed": 14 * RPM, "emergency_time": 0.15, "emergency_count": 1000}


def random_duty(seed=0, count=500):
    rng = np.random.default_rng(seed)
    return block(weight=rng.dirichlet(np.ones(count)), speed=rng.normal(size=count), gear=50 * rng.normal(size=count))


def test_selection_example_of_the_csf_catalogue():
    """Quoted results: T_av 319 N m, 12 rpm, 1440 rpm at the input, N = 1190 peaks, L10 = 7610 h."""
    found = examined(lp.StrainWaveGear(**CSF, **CSF_EMERGENCY), EXAMPLE, hours=7000)
    assert math.floor(found["average torque"].demand) == 319  # N m; it is 319.74, cut off
    assert round(found["average input speed"].demand / RPM / 120) == 12  # rpm of the output
    assert found["average input speed"].demand / RPM == pytest.approx(1443.0769, abs=1e-4)  # 120 x 46.9/3.9, not 1440
    assert found["largest input speed"].demand / RPM == pytest.approx(1680)  # 14 x 120
    assert found["repeated peak torque"].demand == 400
    assert found["momentary peak torque"].utilisation == pytest.approx(500 / 1180)
    assert found["number of momentary peaks"].capacity == pytest.approx(1190, abs=0.5)  # 1e4 / (2 x 28 x 0.15)
    assert found["number of momentary peaks"].holds
    # 7000 (294/319)^3 (2000/1440) = 7610 h; without rounding to 319 and 1440:
    assert pytest.approx(7610, abs=1) == 7000 * (294 / 319) ** 3 * (2000 / 1440)
    life = found["life L10"]
    assert life.life_hours == pytest.approx(7000 * (294 / life.demand) ** 3 * 2000 / (120 * 46.9 / 3.9), rel=1e-12)
    assert life.life_hours == pytest.approx(7610, rel=0.01) and life.holds
    assert "L50" in life.note and all(check.checked and check.holds for check in found.values())


def test_life_is_used_up_where_utilisation_is_one():
    gear = lp.StrainWaveGear(**CSF)
    hours = examined(gear, EXAMPLE)["life L10"].life_hours
    assert examined(gear, EXAMPLE, hours=hours)["life L10"].utilisation == pytest.approx(1.0, abs=1e-12)
    # Eight times the life, half the torque: utilisation is of torque.
    assert examined(gear, EXAMPLE, hours=hours / 8)["life L10"].utilisation == pytest.approx(0.5, abs=1e-12)
    unasked = examined(gear, EXAMPLE)["life L10"]
    assert not unasked.checked and unasked.note.startswith("not checked: no hours required")
    in_L50 = lp.StrainWaveGear(**{**CSF, "rated_life": 35000, "rated_life_percent": 50})
    assert examined(in_L50, EXAMPLE)["life L10"].life_hours == pytest.approx(hours)


def test_a_gear_carries_no_rotor_and_says_what_it_took():
    gear = lp.StrainWaveGear(**CSF)
    assert examined(gear, EXAMPLE)["repeated peak torque"].along == GEAR
    unknown = block(weight=TIMES / TIMES.sum(), speed=SPEEDS * RPM, drive=TORQUES)
    check = examined(gear, unknown)["repeated peak torque"]
    assert (check.demand, check.along) == (400, DRIVE)
    assert check.at.sample == 0 and examined(gear, unknown)["average torque"].at.sample == 1


@pytest.mark.parametrize("gear", [
    lp.StrainWaveGear(**CSF, **CSF_EMERGENCY, stiffness=1e4, torsion_limit=1e-2),
    lp.CycloidalGear(ratio=81, rated_torque=784, rated_speed=15 * RPM, rated_life=6000, acceleration_torque=1960,
                     max_output_speed=70 * RPM, allowable_moment=2000),
    lp.PlanetaryGear(ratio=10, nominal_torque=331, acceleration_torque=648, nominal_input_speed=2500 * RPM,
                     max_input_speed=5000 * RPM, rated_life=20000),
])
def test_blocks_and_order_do_not_matter(gear):
    whole = random_duty()
    at_once = examined(gear, whole, hours=100)
    cut = examined(gear, *pieces(whole, (1, 7, 300)), hours=100)
    assert at_once.keys() == cut.keys()
    for name, check in at_once.items():
        other = cut[name]
        assert other.demand == pytest.approx(check.demand, rel=1e-12, nan_ok=True)
        assert other.utilisation == pytest.approx(check.utilisation, rel=1e-12, nan_ok=True)
        assert (other.at, other.life_hours is None) == (check.at, check.life_hours is None)


def test_means_by_hand():
    whole = random_duty(3)
    cycloid = examined(lp.CycloidalGear(ratio=1, rated_torque=30, rated_speed=2.0, rated_life=6000), whole)
    n, T, w = np.abs(whole.speed), np.abs(whole.gear), whole.weight
    mean = (np.average(T ** (10 / 3), weights=n * w)) ** 0.3
    assert cycloid["life"].demand == pytest.approx(mean, rel=1e-12)
    hours = 6000 * (2.0 / (n @ w)) * (30 / mean) ** (10 / 3)
    assert cycloid["life"].life_hours == pytest.approx(hours, rel=1e-12)
    cubic = examined(lp.PlanetaryGear(ratio=-7, nominal_torque=9, nominal_input_speed=3), whole)
    assert cubic["mean torque"].demand == pytest.approx(np.average(T**3, weights=n * w) ** (1 / 3), rel=1e-12)
    assert cubic["average input speed"].demand == pytest.approx(7 * (n @ w), rel=1e-12)


def test_revolutions_of_a_life_do_not_depend_on_pauses():
    # Nabtesco counts hours of motion and adds pauses afterwards; here hours are those of the duty, pauses included.
    gear = lp.CycloidalGear(ratio=81, rated_torque=784, rated_speed=15 * RPM, rated_life=6000)
    moving = block(weight=[0.25, 0.5, 0.25], speed=np.array([10, 20, 10]) * RPM, gear=[600, 250, -400])
    paused = block(weight=[0.125, 0.25, 0.125, 0.5], speed=np.array([10, 20, 10, 0]) * RPM, gear=[600, 250, -400, 900])
    mean = ((10 * 600 ** (10 / 3) + 40 * 250 ** (10 / 3) + 10 * 400 ** (10 / 3)) / 60) ** 0.3
    hours = 6000 * (15 / 15) * (784 / mean) ** (10 / 3)
    assert examined(gear, moving)["life"].life_hours == pytest.approx(hours, rel=1e-12)
    assert examined(gear, paused)["life"].life_hours == pytest.approx(2 * hours, rel=1e-12)


def test_a_gear_that_only_holds():
    still = examined(lp.StrainWaveGear(**CSF), block(weight=[0.5, 0.5], gear=[300, -100]), hours=7000)
    assert still["average torque"].demand == pytest.approx(((300**3 + 100**3) / 2) ** (1 / 3))
    assert "stands still" in still["average torque"].note and still["average torque"].at.sample == 0
    assert math.isinf(still["life L10"].life_hours) and still["life L10"].utilisation == 0


def test_what_is_not_given_is_not_checked_and_named():
    found = examined(lp.StrainWaveGear(ratio=100), EXAMPLE, hours=1000)
    notes = {name: check.note for name, check in found.items()}
    assert notes == {
        "average torque": "not checked: no average_torque given",
        "repeated peak torque": "not checked: no peak_torque given",
        "momentary peak torque":
            "not given: what an emergency brings: no emergency_torque of the gear, and no exceptional case",
        "average input speed": "not checked: no average_input_speed given",
        "largest input speed": "not checked: no max_input_speed given",
        "life L10": "not checked: no rated_torque, rated_speed, rated_life given",
    }
    assert not any(check.checked or check.holds for check in found.values())
    passive = examined(lp.StrainWaveGear(**CSF), block(weight=[0.5, 0.5]), hours=10)
    assert all("has no drive" in check.note or "emergency" in check.note for check in passive.values())
    assert not any(check.checked for check in passive.values())
    nothing = examined(lp.CycloidalGear(ratio=3, rated_torque=3, allowable_moment=5))
    assert not any(check.checked for check in nothing.values())


def test_torsion_in_pieces():
    # Harmonic Drive CSF-25-100, as quoted: 2.9 N m twist 9.4e-5 rad, 39 N m 9.5e-4 rad.
    gear = lp.StrainWaveGear(ratio=100, stiffness=(3.1e4, 5.0e4, 5.7e4), stiffness_torques=(14, 48))
    assert f"{gear.torsion(2.9):.1e}" == "9.4e-05" and f"{gear.torsion(39):.1e}" == "9.5e-04"
    by_hand = 14 / 3.1e4 + 34 / 5.0e4 + (100 - 48) / 5.7e4
    np.testing.assert_allclose(gear.torsion([[100.0, -100.0]]), [[by_hand, -by_hand]], rtol=1e-14)
    loose = lp.StrainWaveGear(ratio=100, stiffness=1e4, hysteresis=2e-4, torsion_limit=1e-2)
    assert loose.torsion(-10) == pytest.approx(-1.1e-3) and loose.torsion(0) == 0
    assert examined(loose, EXAMPLE)["torsion"].utilisation == pytest.approx((400 / 1e4 + 1e-4) / 1e-2)
    unasked = examined(gear, EXAMPLE)["torsion"]
    assert not unasked.checked and "arc minutes" in unasked.note and "no torsion_limit" in unasked.note
    limited = examined(lp.StrainWaveGear(ratio=100, torsion_limit=1e-3), EXAMPLE)
    assert limited["torsion"].note == "not checked: no stiffness given"


def test_moment_about_the_main_bearing():
    # 1000 N across at the joint's origin, 0.1 m from the bearing's centre, and a moment of 50 N m about y.
    loads = block(weight=[1.0], gear=1.0, force=(1000, 0, -300), torque=(0, 50, 7))
    found = examined(lp.CycloidalGear(ratio=81, allowable_moment=400, axial_force=600, bearing_offset=-0.1), loads)
    check = found["tilting moment"]
    # Moment about the centre: r x F with r from there to the origin, +0.1 z: (0, 0.1 * 1000, 0).
    assert check.demand == pytest.approx(150) and check.utilisation == pytest.approx(150 / 400)
    assert np.dot(check.along, (1000, 0, -300, 0, 50, 7)) == pytest.approx(150)
    assert found["axial force"].utilisation == pytest.approx(0.5)
    assert np.dot(found["axial force"].along, (1000, 0, -300, 0, 50, 7)) == pytest.approx(300)
    diagram = lp.CycloidalGear(ratio=81, allowable_moment=[(0, 400), (600, 200)])
    assert examined(diagram, loads)["tilting moment"].capacity == pytest.approx(300)
    beyond = block(weight=[1.0], gear=1.0, force=(0, 0, 700), torque=(1, 0, 0))
    assert math.isinf(examined(diagram, beyond)["tilting moment"].utilisation)
    planet = lp.PlanetaryGear(ratio=5, radial_force=2000)
    found = examined(planet, loads)
    assert found["radial force"].utilisation == pytest.approx(0.5)
    assert np.dot(found["radial force"].along, (1000, 0, -300, 0, 50, 7)) == pytest.approx(1000)
    assert found["tilting moment"].note == "not checked: no allowable_moment given"


@pytest.mark.parametrize("moment", [None, 400.0])
@pytest.mark.parametrize("axial", [None, 600.0])
@pytest.mark.parametrize("radial", [None, 2000.0])
def test_a_flange_is_checked_for_what_its_catalogue_limits(moment, axial, radial):
    gear = lp.PlanetaryGear(ratio=5, allowable_moment=moment, axial_force=axial, radial_force=radial)
    found = examined(gear, block(weight=[1.0], gear=1.0, force=(-800, 600, 300), torque=(60, 80, 7)))
    limits = {"tilting moment": (moment, 100), "axial force": (axial, 300), "radial force": (radial, 1000)}
    for name, (limit, demand) in limits.items():
        if limit is not None:
            assert found[name].utilisation == pytest.approx(demand / limit)
        elif name == "tilting moment" and (axial or radial):
            assert not found[name].checked
        else:
            assert name not in found


def test_a_gear_on_a_slide_through_a_pinion():
    pinion = lp.PlanetaryGear(ratio=10, nominal_torque=100, output_ratio=1 / 0.05)
    found = examined(pinion, block(weight=[1.0], speed=0.5, gear=1000.0), place=SLIDING)
    assert found["mean torque"].demand == pytest.approx(1000 * 0.05)
    fast = lp.PlanetaryGear(ratio=10, max_input_speed=200, output_ratio=1 / 0.05)
    assert examined(fast, block(weight=[1.0], speed=0.5, gear=1.0), place=SLIDING)[
        "largest input speed"].demand == pytest.approx(10 * 0.5 / 0.05)
    assert pinion.drive_ratio == pytest.approx(200)
    with pytest.raises(lp.ModelError, match=r"planetary gear sits at joint 'slide', which slides: give output_ratio"):
        lp.PlanetaryGear(ratio=10).examiner(SLIDING)
    with pytest.raises(lp.ModelError, match="'weld', which does not move"):
        lp.StrainWaveGear(ratio=10).examiner(WELD)


def test_an_output_bearing_is_examined_with_the_gear():
    inner = lp.PlanetaryGear(ratio=1, radial_force=500, name="stands for a bearing")
    gear = lp.StrainWaveGear(**CSF, output_bearing=inner)
    found = examined(gear, block(weight=[1.0], gear=10.0, force=(100, 0, 0)))
    assert found["output bearing: radial force"].utilisation == pytest.approx(0.2)
    assert gear.examiner(TURNING).bearing is not None


@pytest.mark.parametrize(("made", "message"), [
    (lambda: lp.StrainWaveGear(ratio=0), "ratio of strain wave gear is 0"),
    (lambda: lp.StrainWaveGear(ratio=100, rated_torque=-3, name="CSF-25"),
     "rated_torque of strain wave gear 'CSF-25' is -3.0: expected more than zero"),
    (lambda: lp.StrainWaveGear(ratio="100"), "ratio of strain wave gear is '100': expected a number"),
    (lambda: lp.StrainWaveGear(ratio=100, peak_torque=float("nan")), "peak_torque of strain wave gear is nan"),
    (lambda: lp.StrainWaveGear(ratio=100, rated_life_percent=20), "expected 10, where rated_life is L10, or 50"),
    (lambda: lp.StrainWaveGear(ratio=100, stiffness=(1e4, 2e4)), "has 2 stiffnesses and 0 stiffness_torques"),
    (lambda: lp.StrainWaveGear(ratio=100, stiffness_torques=(1,)), "stiffness_torques and no stiffness"),
    (lambda: lp.StrainWaveGear(ratio=100, stiffness=(1, 2, 3), stiffness_torques=(5, 4)), "expected rising torques"),
    (lambda: lp.StrainWaveGear(ratio=100, hysteresis=-1e-4), "hysteresis of strain wave gear is -0.0001"),
    (lambda: lp.StrainWaveGear(ratio=100, output_bearing="ball"), "output_bearing of strain wave gear is 'ball'"),
    (lambda: lp.StrainWaveGear(ratio=100, name=3), "name of a strain wave gear is 3"),
    (lambda: lp.CycloidalGear(ratio=81, allowable_moment=[(0, 1)]), "has 1 points: expected two or more pairs"),
    (lambda: lp.CycloidalGear(ratio=81, allowable_moment=[(0, 1), (0, 2)]), "goes from 0 to 0: expected pairs"),
    (lambda: lp.CycloidalGear(ratio=81, allowable_moment=[(0, 1), (2, -2)]), r"the point \(2, -2\)"),
    (lambda: lp.PlanetaryGear(ratio=5, cycles_factor=None), "cycles_factor is missing"),
    (lambda: lp.StrainWaveGear(ratio=100).torsion(3), "strain wave gear has no stiffness"),
])
def test_bad_numbers_are_named(made, message):
    with pytest.raises(lp.ModelError, match=message):
        made()


def test_speeds_in_rpm_are_asked_about():
    with pytest.warns(lp.ModelWarning, match=r"rated_speed of strain wave gear is 2000 rad/s, 19099 rpm: if 2000 rpm"):
        lp.StrainWaveGear(ratio=100, rated_speed=2000)
    with pytest.warns(lp.ModelWarning, match="rated_speed of cycloidal gear is 15 rad/s, 143 rpm"):
        lp.CycloidalGear(ratio=81, rated_speed=15)


def test_the_mean_of_a_gear_that_stands_is_over_the_time_that_is_known():
    """Of four samples two are not numbers and left out: weights sum to one half, and the mean is that of the others."""
    gear = lp.StrainWaveGear(ratio=100, average_torque=50.0)
    half = examined(gear, block(weight=[0.25, 0.25], speed=0.0, drive=[10.0, 20.0]))["average torque"]
    assert half.demand == pytest.approx(((10.0**3 + 20.0**3) / 2) ** (1 / 3), rel=1e-12)
