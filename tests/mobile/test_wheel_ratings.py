"""Ratings of wheels against rovers whose loads are known by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import loadpath as lp
from loadpath.mobile.ground_checks import wheel_checks

RATING = lp.WheelRating(load=150.0, dynamic_load=120.0, speed=2.0, torque=5.0, side_force=60.0)


def rover():
    """40 kg in the middle of four wheels, 0.3 m above the ground, and no robot."""
    wheels = [lp.FixedWheel((x, y), 0.1, name=f"{'rear' if x < 0 else 'front'}_{'right' if y < 0 else 'left'}")
              for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    return lp.WheeledBase(mass=40, center_of_mass=(0, 0, 0.3), wheels=wheels).carrying()


def checks(found, wheel):
    return {check.check: check for name, check in found if name == wheel}


def test_standing_and_braking_by_hand():
    """At rest 98.1 N at each wheel; braking by 3 m/s^2 moves 40 x 3 x 0.3 / 1 = 36 N to the front axle, 18 N each."""
    found = wheel_checks(rover(), {"front_left": RATING, "rear_left": RATING}, velocity=[[0, 0], [1.5, 0], [1.0, 0]],
                         acceleration=[[0, 0], [0, 0], [-3.0, 0]])
    front, rear = checks(found, "front_left"), checks(found, "rear_left")
    assert front["load"].demand == pytest.approx(98.1 + 18.0)
    assert front["load"].at.sample == 2 and front["load"].utilisation == pytest.approx(116.1 / 150)
    assert rear["load"].demand == pytest.approx(98.1)
    assert front["load while rolling"].utilisation == pytest.approx(116.1 / 120)
    assert front["speed"].demand == pytest.approx(1.5) and front["speed"].at.sample == 1
    assert sum(checks(wheel_checks(rover(), {name: RATING}, velocity=[[1.0, 0]], acceleration=[[-3.0, 0]]), name)
               ["torque"].demand for name in rover().contact_names) == pytest.approx(40 * 3 * 0.1)


def test_turning_speed_of_each_wheel():
    """Turning left at 1 rad/s while driving 1 m/s: the right wheels at 1.3 m/s, the left ones at 0.7 m/s."""
    found = wheel_checks(rover(), dict.fromkeys(rover().contact_names, RATING), velocity=[[1.0, 1.0]])
    assert checks(found, "front_right")["speed"].demand == pytest.approx(1.3)
    assert checks(found, "front_left")["speed"].demand == pytest.approx(0.7)
    assert tuple(dict.fromkeys(name for name, _ in found)) == rover().contact_names


def test_a_rover_that_stands_does_not_roll():
    check = checks(wheel_checks(rover(), {"front_left": RATING}), "front_left")["load while rolling"]
    assert (check.demand, check.holds, check.note) == (0.0, True, "does not roll")


def test_missing_ratings_are_not_checked():
    found = checks(wheel_checks(rover(), {"front_left": lp.WheelRating(load=100)}, velocity=[[1.0, 0]]), "front_left")
    assert found["load while rolling"].note == "not checked: no dynamic_load given"
    assert found["speed"].note == "not checked: no speed given" and found["load"].holds
    assert "torque" not in found


def test_a_robot_on_the_rover_and_a_spectrum():
    lau = lp.catalog.lau_rover(driven=True)
    near, far = ([[0, 0, 0.5]] * 2, [[0, 0, 0.5], [0.3, 0.4, 0.2]])
    motions = tuple(SimpleNamespace(q=np.array(q, dtype=float), qd=np.zeros((2, 3)), qdd=np.zeros((2, 3)),
                                    t=np.array([0.0, 1.0])) for q in (near, far))
    spectrum = SimpleNamespace(motions=motions, shares=(0.5, 0.5))
    found = checks(wheel_checks(lau, {"wheel1": RATING}, spectrum), "wheel1")
    loads = [lau.wheel_loads(motion).normal[:, 0] for motion in motions]
    assert found["load"].demand == pytest.approx(max(part.max() for part in loads))
    assert (found["load"].at.motion, found["load"].at.sample) == (1, int(loads[1].argmax()))


def test_tipping_over_is_said():
    found = wheel_checks(rover(), {"front_left": RATING}, velocity=[[1.0, 0]], acceleration=[[-30.0, 0]])
    assert checks(found, "front_left")["load"].note == "the rover tips over in this motion"


def test_states_that_are_not_numbers_are_left_out():
    with pytest.warns(lp.ModelWarning, match="NaN"):
        found = wheel_checks(rover(), {"front_left": RATING}, velocity=[[np.nan, 0], [0.0, 0]])
    assert checks(found, "front_left")["load"].demand == pytest.approx(98.1)


def test_wrong_input():
    with pytest.raises(lp.ModelError, match=r"a rating is given for 'wheel9'.*its contacts are rear_right"):
        wheel_checks(rover(), {"wheel9": RATING})
    with pytest.raises(lp.ModelError, match=r"expected an lp\.WheelRating"):
        wheel_checks(rover(), {"front_left": 100.0})
    with pytest.raises(lp.ModelError, match="speed of the rating of a wheel is -1"):
        lp.WheelRating(speed=-1)
    with pytest.warns(lp.ModelWarning, match="are they swapped"):
        lp.WheelRating(load=100, dynamic_load=120)
