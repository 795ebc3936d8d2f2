"""Suspensions and anti-roll bars as data: laws of force against their definition, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp

STOPS = {"bump_travel": 0.08, "bump_stop_stiffness": 2e5, "rebound_travel": 0.1, "rebound_stop_stiffness": 3e5}
CAR = lp.Suspension(stiffness=2e4, damping=1500.0, preload=4000.0, **STOPS)


def test_force_deflection_stiffness_and_energy_agree_with_each_other() -> None:
    s = np.linspace(-0.2, 0.2, 4001)
    force = CAR.force(s)
    assert_allclose(force, [CAR.force(float(one)) for one in s], rtol=1e-14)  # one state at a time
    assert (np.diff(force) > 0).all()
    assert_allclose(CAR.deflection(force), s, atol=1e-15)
    middle = 0.5 * (s[1:] + s[:-1])
    assert_allclose(CAR.tangent_stiffness(middle), np.diff(force) / np.diff(s), rtol=1e-9)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(s))])
    assert_allclose(CAR.energy(s) - CAR.energy(s[0]), work, atol=1e-9)
    assert CAR.energy(0.0) == 0.0
    assert_allclose(CAR.force(s, 0.5) - force, 750.0)
    assert CAR.force([0.0, 0.1], [[0.1], [0.2]]).shape == (2, 2)


def test_travel_that_is_used() -> None:
    assert_allclose(CAR.travel_used([0.04, 0.08, 0.1, -0.05, -0.2, 0.0]), [0.5, 1.0, 1.25, -0.5, -2.0, 0.0])
    assert np.isnan(CAR.travel_used(np.nan))
    assert np.isnan(CAR.force(np.array([np.nan]))).all()
    none = lp.Suspension(stiffness=1e4, rebound_travel=0.0, rebound_stop_stiffness=1e6)
    assert_allclose(none.travel_used([0.1, -1e-3, 0.0]), [0.0, -np.inf, 0.0])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"stiffness": 0.0}, "stiffness of a suspension is 0.0: expected more than zero"),
        ({"stiffness": 1e4, "damping": -1.0}, "damping of a suspension is -1.0"),
        ({"stiffness": 1e4, "rebound_travel": -0.1, "rebound_stop_stiffness": 1e5}, "it counts downwards"),
        ({"stiffness": 1e4, "bump_travel": 0.1}, "a bump_travel of 0.1 and no bump_stop_stiffness: give both"),
        ({"stiffness": 1e4, "bump_stop_stiffness": 1e5}, "and no bump_travel"),
        ({"stiffness": "20 kN"}, "is '20 kN', a force: expected a stiffness, in N/m"),
    ],
)
def test_suspensions_that_cannot_be(values: dict, message: str) -> None:
    with pytest.raises(lp.ModelError, match=message):
        lp.Suspension(**values)


def test_a_damping_that_is_not_known_is_asked_for() -> None:
    soft = lp.Suspension(stiffness=1e4)
    assert soft.force(0.1, rate=0.0) == 1000.0
    with pytest.raises(lp.ModelError, match="the damping of a suspension is not known"):
        soft.force(0.1, rate=0.1)


def base(**options: object) -> lp.WheeledBase:
    wheels = [lp.FixedWheel((x, y), 0.3, suspension=CAR, stiffness=2e5, name=f"{a}{b}")
              for x, a in ((-1.2, "r"), (1.2, "f")) for y, b in ((0.7, "l"), (-0.7, "r"))]
    return lp.WheeledBase(mass=1600, center_of_mass=(0, 0, 0.5), wheels=wheels, **options)


def test_bases_with_springs_are_data() -> None:
    bar = lp.AntiRollBar("fl", "fr", 1e4)
    car = base(anti_roll_bars=bar)
    assert car.anti_roll_bars == (bar,)
    assert car.on_tyres
    assert not car.on_plain_springs
    assert pickle.loads(pickle.dumps(car)) == car
    assert hash(car) != hash(base())
    with pytest.warns(lp.ModelWarning, match="they share its load by their stiffness alone"):
        assert car.rigid.anti_roll_bars == ()
    for wrong, message in ((lp.AntiRollBar("fl", "nose", 1e4), "holds 'nose'"), ("bar", "expected an lp.AntiRollBar")):
        with pytest.raises(lp.ModelError, match=message):
            base(anti_roll_bars=[wrong])
    with pytest.raises(lp.ModelError, match="and itself"):
        lp.AntiRollBar("fl", "fl", 1e4)
    with pytest.raises(lp.ModelError, match="give one of them"):
        lp.FixedWheel((0, 1), 0.3, suspension=CAR, compliance=2.0)
    with pytest.raises(lp.ModelError, match=r"expected an lp\.Suspension"):
        lp.FixedWheel((0, 1), 0.3, suspension=2e4)
    heavy = lp.Suspension(stiffness=1e4, unsprung_mass=600.0)
    with pytest.raises(lp.ModelError, match="unsprung masses of its wheels are 1800 kg together"):
        lp.WheeledBase(mass=1600, center_of_mass=(0, 0, 0.5),
                       wheels=[lp.FixedWheel(at, 0.3, suspension=heavy) for at in ((0, 1), (0, -1), (1, 0))])


def test_some_wheels_without_springs_are_refused() -> None:
    wheels = [lp.FixedWheel((x, y), 0.3, suspension=CAR if x > 0 else None) for x in (-1, 1) for y in (-1, 1)]
    with pytest.raises(lp.ModelError, match="'wheel3' has a suspension, 'wheel1' has none"):
        lp.WheeledBase(mass=1600, center_of_mass=(0, 0, 0.5), wheels=wheels)


def test_springs_in_a_project_file(tmp_path: Path) -> None:
    spring = 'suspension = { stiffness = "20 N/mm", damping = 1500, preload = "4 kN", bump_travel = "80 mm", ' \
        'bump_stop_stiffness = "200 kN/m", rebound_travel = 0.1, rebound_stop_stiffness = 300000 }'
    wheels = "".join(
        f'[[base.wheels]]\nkind = "fixed wheel"\nposition = [{x}, {y}]\nradius = 0.3\nname = "{a}{b}"\n'
        f'stiffness = "200 kN/m"\n{spring}\n'
        for x, a in ((-1.2, "r"), (1.2, "f")) for y, b in ((0.7, "l"), (-0.7, "r")))
    head = '[base]\nmass = 1600\ncenter_of_mass = [0, 0, 0.5]\n'
    bars = 'anti_roll_bars = [{ left = "fl", right = "fr", stiffness = "10 N/mm" }]\n'
    file = tmp_path / "car.toml"
    file.write_text(head + bars + wheels)
    rover = lp.load_project(file).rover
    assert rover is not None
    assert rover.base == base(anti_roll_bars=lp.AntiRollBar("fl", "fr", 1e4))
    file.write_text(head + bars.replace("stiffness", "stifness") + wheels)
    with pytest.raises(lp.ModelError, match="did you mean 'stiffness'"):
        lp.load_project(file)
