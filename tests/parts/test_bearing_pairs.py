"""Pairs of bearings against the worked examples of catalogues, statics and hand calculation."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from loadpath.errors import ModelError
from loadpath.parts.bearings.pair import BearingPair, angular_contact, deep_groove, tapered
from parts.joint_loads_by_hand import causes_sum, examined, loads, place, split

RPM = 2 * math.pi / 60
BALLS = BearingPair(spacing=(-0.02, 0.06), C=29.1e3, C0=17.9e3, kind="deep groove", f0=14.0)


def one_bearing(radial, axial, rpm, **numbers):
    """A pair of which bearing a carries the radial and the axial force alone: the force is in its plane."""
    pair = BearingPair(spacing=(0.0, 1.0), kind="deep groove", **numbers)
    return examined(pair, loads([radial, 0, axial], [0, 0, 0], speed=rpm * RPM), hours=1000.0)


def test_skf_example_1_bearing_6309():
    """SKF, General Catalogue (Russian edition, 2006), p. 78, example 1: C = 55.3 kN, Fr = 10 kN, 3000 r/min: 169
    million revolutions, 940 h.
    """
    check = one_bearing(10e3, 0.0, 3000, C=55.3e3, C0=31.5e3)["life L10 of a"]
    assert check.demand == pytest.approx(10e3, rel=1e-14)
    assert round(check.life_hours * 60 * 3000 / 1e6) == 169
    assert round(check.life_hours, -1) == 940


def test_ntn_examples_1_and_2_bearing_6208():
    """NTN, Ball and roller bearings (CAT 2202/E), A-26: 6208 at 650 r/min, Fr = 3.2 kN: about 19,000 h; with
    Fa = 1.8 kN e = 0.29, Y = 1.48, Pr = 4.46 kN, about 7,000 h. Its table is by Fa / C0, without f0.
    """
    assert round(one_bearing(3.2e3, 0.0, 650, C=29.1e3, C0=17.8e3)["life L10 of a"].life_hours, -3) == 19000
    e, Y = deep_groove(17.8e3, None).at(np.asarray(1.8e3))
    assert round(float(e), 2) == 0.29 and float(Y) == pytest.approx(1.48, abs=0.01)  # its rows are rounded: 0.084, 0.11
    for factors in (None, (0.29, 0.56, 1.48)):
        check = one_bearing(3.2e3, 1.8e3, 650, C=29.1e3, C0=17.8e3, factors=factors)["life L10 of a"]
        assert check.demand / 1e3 == pytest.approx(4.46, abs=0.005 if factors else 0.015)
        assert round(check.life_hours, -3) == 7000


def test_nsk_examples_1_and_3_bearing_6208():
    """NSK, Rolling bearings (E1102e), 5.7, A 34, examples 1 and 3: 6208 at 900 min-1, Fr = 2500 N: fh = 0.333 x 29100
    / 2500 = 3.88; with Fa = 1000 N f0 Fa / C0r = 14.0 x 1000 / 17900 = 0.782, e = 0.26, Y = 1.67, P = 3070 N, fh =
    3.16, 15,800 h.
    """
    alone = one_bearing(2500.0, 0.0, 900, C=29.1e3, C0=17.9e3, f0=14.0)["life L10 of a"]
    assert (alone.life_hours / 500) ** (1 / 3) == pytest.approx(3.88, abs=0.005)
    e, Y = deep_groove(17.9e3, 14.0).at(np.asarray(1000.0))
    assert math.floor(100 * float(e)) / 100 == 0.26 and round(float(Y), 2) == 1.67
    both = one_bearing(2500.0, 1000.0, 900, C=29.1e3, C0=17.9e3, f0=14.0)["life L10 of a"]
    assert round(both.demand, -1) == 3070
    assert (both.life_hours / 500) ** (1 / 3) == pytest.approx(3.16, abs=0.005)
    assert round(both.life_hours, -2) == pytest.approx(15800, abs=100)


def test_ntn_example_4_pair_of_tapered_bearings():
    """NTN, CAT 2202/E, A-26 and A-27: 4T-32206 (Cr = 54.5 kN) and 4T-32205 (42.0 kN), 2000 r/min, gear force
    Kr = 10.16 kN 70 mm from the first and 100 mm from the second: Fr1 = 5.98, Fr2 = 4.18, 0.5 Fr1 / Y1 = 1.87,
    Pr1 = 5.98, Pr2 = 4.66 kN; 13,200 h and 12,700 h; with a2 = 1.4 18,480, 17,780 and both 9,780 h.
    (Y is 1.60; "1.67" in the line of Pr2 is a misprint: with it Pr2 would be 4.79.)
    """
    numbers = {"spacing": (-0.07, 0.1), "C": (54.5e3, 42.0e3), "kind": "tapered", "Y": 1.6}
    block = loads([10.16e3, 0, 0], [0, 0, 0], speed=2000 * RPM)
    checks = examined(BearingPair(**numbers), block, hours=1000.0)
    first, second = checks["life L10 of a"], checks["life L10 of b"]
    assert round(first.demand / 1e3, 2) == 5.98
    assert round(second.demand / 1e3, 2) == 4.66
    assert round(first.life_hours, -2) == 13200
    assert round(second.life_hours, -2) == 12700
    examiner = BearingPair(**numbers, life_factor=1.4).examiner(place())
    examiner.add(block)
    assert [round(life.hours, -2) for life in examiner.lives] == [18500, 17800]  # printed 18,480 and 17,780
    assert examiner.hours == pytest.approx(9780, rel=2e-3)
    assert "both together last" in examiner.checks(None)[0].note


def test_tapered_factors_are_those_of_iso_281_and_of_catalogues():
    """32206: e = 0.37, Y = 1.60, Y0 = 0.88 in catalogues."""
    factors = tapered(math.atan(0.4 / 1.6))
    assert float(factors.Y) == pytest.approx(1.6)
    assert round(float(factors.e), 3) == 0.375 and round(factors.Y0, 2) == 0.88


@pytest.mark.parametrize(("degrees", "e", "X", "Y", "Y0"), [
    (25, 0.68, 0.41, 0.87, 0.38), (30, 0.80, 0.39, 0.76, 0.33), (40, 1.14, 0.35, 0.57, 0.26),
])
def test_angular_contact_factors_of_catalogues(degrees, e, X, Y, Y0):
    """SKF 7206 BE (40 degrees): e = 1.14, X = 0.35, Y2 = 0.57, Y0 = 0.26; NSK: the others."""
    found = angular_contact(math.radians(degrees), 10e3, None, "")
    assert (float(found.e), found.X, float(found.Y), found.X0, found.Y0) == pytest.approx((e, X, Y, 0.5, Y0))


def reactions(pair, force, torque, axis):
    """Radial forces at a and b from six equations of statics, solved as they are."""
    a, b = (at * axis for at in pair.spacing)

    def cross(r):
        return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])

    axial = force @ axis
    rows = np.block([[np.eye(3), np.eye(3)], [cross(a), cross(b)],
                     [axis[None], np.zeros((1, 3))], [np.zeros((1, 3)), axis[None]]])
    right = np.concatenate([force - axial * axis, torque - (torque @ axis) * axis, [0.0, 0.0]])
    found, _residual, *_ = np.linalg.lstsq(rows, right, rcond=None)
    assert np.allclose(rows @ found, right)
    return found[:3], found[3:]


@pytest.mark.parametrize("kind", ["deep groove", "angular contact", "tapered"])
def test_loads_against_statics_in_any_direction(kind):
    rng = np.random.default_rng(11)
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    angle = {} if kind == "deep groove" else {"contact_angle": math.radians(25.0)}
    pair = BearingPair(spacing=(-0.03, 0.05), C=20e3, C0=(15e3, 18e3), kind=kind, load_factor=1.3, **angle)
    single = pair.bearings[0]
    for _ in range(20):
        force, torque = rng.normal(size=3) * 900, rng.normal(size=3) * 30
        block = loads(force, torque, speed=2.0, axis=axis)
        checks = examined(pair, block, hours=1000.0, where=place(axis=axis))
        radial = [float(np.linalg.norm(each)) for each in reactions(pair, force, torque, axis)]
        axial = float(force @ axis)
        if kind == "deep groove":
            pushes = [abs(axial), 0.0]
        else:  # back-to-back, the child is the shaft: b pushes it along the axis, a against it
            own = [single.induced * each for each in radial]
            low = [max(own[0], own[1] - axial), max(own[1], own[0] + axial)]
            assert low[1] - low[0] == pytest.approx(axial, rel=1e-9, abs=1e-9)
            pushes = low
        for k, letter in enumerate("ab"):
            factors = pair.bearings[k].factors
            e, Y = (float(each) for each in factors.at(np.asarray(pushes[k])))
            P = factors.X * radial[k] + Y * pushes[k] if pushes[k] > e * radial[k] else radial[k]
            P0 = max(radial[k], factors.X0 * radial[k] + factors.Y0 * pushes[k])
            assert checks[f"life L10 of {letter}"].demand == pytest.approx(1.3 * P, rel=1e-12)
            assert checks[f"static safety of {letter}"].demand == pytest.approx(P0, rel=1e-12)
        for check in checks.values():
            assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-12)


def test_sense_of_the_axial_force():
    """A hanging shaft, back-to-back, its inner rings the child's, z up: its weight is held from below by the bearing
    whose outer ring pushes up, which is the upper one. Face-to-face, or with a turning housing, it is the lower one.
    """
    numbers = {"spacing": (0.0, 0.1), "C": 20e3, "C0": 15e3, "kind": "angular contact"}
    numbers["contact_angle"] = math.radians(40)
    held_up = loads([0, 0, 1000.0], [0, 0, 0], speed=1.0)
    for arrangement, shaft, upper in [("back-to-back", "child", True), ("face-to-face", "child", False),
                                      ("back-to-back", "parent", False), ("face-to-face", "parent", True)]:
        checks = examined(BearingPair(**numbers, arrangement=arrangement, shaft=shaft), held_up)
        carried = {letter: checks[f"static safety of {letter}"].demand for letter in "ab"}
        assert carried == {"a": 0.0 if upper else 260.0, "b": 260.0 if upper else 0.0}  # Y0 = 0.26
        swapped = dict(numbers, spacing=(0.1, 0.0))
        turned = examined(BearingPair(**swapped, arrangement=arrangement, shaft=shaft), held_up)
        assert turned["static safety of a"].demand == carried["b"]


def test_contact_angle_of_fifteen_degrees_settles_its_own_axial_load():
    pair = BearingPair(spacing=(0.0, 0.1), C=20e3, C0=15e3, f0=14.0, kind="angular contact",
                       contact_angle=math.radians(15))
    single = pair.bearings[0]
    radial = np.linspace(10.0, 8000.0, 50)
    axial = single.pressing(radial)
    assert axial == pytest.approx(0.5 * radial / single.factors.at(axial)[1], rel=1e-7)
    block = loads([2000.0, 0, 300.0], [0, 30.0, 0], speed=1.0)
    for check in examined(pair, block, hours=10.0).values():
        assert causes_sum(check, [block]) == pytest.approx(check.demand, rel=1e-12)


def test_blocks_do_not_matter():
    rng = np.random.default_rng(5)
    pair = BearingPair(spacing=(-0.03, 0.05), C=20e3, C0=15e3, kind="angular contact", contact_angle=math.radians(40))
    block = loads(rng.normal(size=(50, 3)) * 900, rng.normal(size=(50, 3)) * 30, speed=rng.normal(size=50))
    whole, parts = examined(pair, block, hours=1e3), examined(pair, *split(block, 17), hours=1e3)
    for name, check in whole.items():
        assert (parts[name].demand, parts[name].at) == (pytest.approx(check.demand, rel=1e-12), check.at)


def test_much_axial_load_is_noted():
    check = one_bearing(100.0, 12e3, 100, C=29.1e3, C0=17.9e3)["static safety of a"]
    assert check.note.endswith("its axial load is 0.67 C0; catalogues warn of more than 0.5 C0")


def test_light_load_is_noted():
    note = "never loaded by more than 0.01 C, the least that catalogues ask for: preload it"
    assert one_bearing(280.0, 0.0, 100, C=29.1e3, C0=17.9e3)["life L10 of a"].note.endswith(note)
    assert note not in one_bearing(300.0, 0.0, 100, C=29.1e3, C0=17.9e3)["life L10 of a"].note


def test_numbers_of_files_and_arrays_are_plain_numbers():
    pair = BearingPair(spacing=[0, 0.1], C=[20e3, 21e3], C0=np.array([15e3, 16e3]), kind="angular contact",
                       contact_angle=np.radians(40))
    assert (pair.spacing, pair.C, pair.C0) == ((0.0, 0.1), (20e3, 21e3), (15e3, 16e3))
    assert hash(pair) == hash(dataclasses.replace(pair)) and type(pair.contact_angle) is float


def test_locating_bearing():
    checks = examined(BearingPair(spacing=(-0.1, 0.1), C=29e3, C0=18e3, kind="deep groove", locating="b"),
                      loads([0, 0, -1000.0], [0, 0, 0], speed=1.0))
    assert checks["static safety of a"].demand == 0.0
    assert checks["static safety of b"].demand == pytest.approx(500.0)
    assert checks["life L10 of a"].life_hours == math.inf


@pytest.mark.parametrize(("numbers", "said"), [
    ({"spacing": (0.1, 0.1)}, "expected two places"),
    ({"spacing": 0.1}, "expected 2 numbers"),
    ({"kind": "ball"}, "kind of bearing pair 'x' is 'ball': expected 'deep groove' or 'angular contact' or 'tapered'"),
    ({"C": (1e3, 2e3, 3e3)}, "C of bearing pair 'x' has 3 numbers"),
    ({"C": (1e3, -2e3)}, "C of bearing pair 'x' is -2000.0: expected more than zero"),
    ({"contact_angle": 0.5}, "contact_angle of bearing pair 'x' is given, but deep groove bearings have none"),
    ({"kind": "angular contact"}, "contact_angle of bearing pair 'x' (a) is missing"),
    ({"kind": "angular contact", "contact_angle": 40}, "np.radians(40)"),
    ({"kind": "angular contact", "contact_angle": 0.3}, "expected 15, or from 20 to 45"),
    ({"kind": "tapered", "contact_angle": 0.3, "Y": 1.6}, "one follows from the other"),
    ({"arrangement": "tandem"}, "expected 'back-to-back' or 'face-to-face'"),
    ({"static_factors": (0.5, 0.26)}, "without factors=(e, X, Y)"),
])
def test_wrong_numbers_are_refused(numbers, said):
    with pytest.raises(ModelError) as error:
        BearingPair(**({"spacing": (0.0, 0.1), "C": 20e3, "C0": 15e3, "kind": "deep groove", "name": "x"} | numbers))
    assert said in str(error.value)


def test_catalogue_factors_replace_those_of_the_standard():
    pair = BearingPair(spacing=(0.0, 1.0), C=20e3, C0=15e3, kind="angular contact", factors=(1.14, 0.35, 0.57),
                       static_factors=(0.5, 0.26), induced=1.14)
    checks = examined(pair, loads([1000.0, 0, 0], [0, 0, 0], speed=1.0))
    assert checks["life L10 of b"].demand == pytest.approx(0.57 * 1140.0)  # pressed by the other
    assert checks["static safety of b"].demand == pytest.approx(0.26 * 1140.0)
