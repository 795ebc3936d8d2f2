"""Tests of the standards against hand calculation and brute force: moments, formulas, equilibria step by step."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import loadpath as lp

G = 9.81


def cart(height=0.5, mass=50.0, friction=0.7, half=(0.4, 0.3), wheel=lp.FixedWheel, **data):
    wheels = [wheel((x, y), *(() if wheel is lp.Support else (0.1,)), **data)
              for x in (-half[0], half[0]) for y in (-half[1], half[1])]
    grip = None if friction is None else lp.WheelFriction(friction)
    return lp.WheeledBase(mass=mass, center_of_mass=(0, 0, height), wheels=wheels, friction=grip).carrying()


# The largest slope, speed, payload, acceleration


def test_largest_slope_by_hand_and_by_slopes():
    rover = lp.catalog.lau_rover(driven=True)
    headings = np.linspace(0, 2 * np.pi, 7)[:-1]
    q = np.array([0.3, 0.2, 0.5])
    tips = rover.largest_slope(q, heading=headings, slipping=False)
    for k in (0, 3):
        for more, over in ((-1e-7, False), (1e-7, True)):
            ramp = rover.on(lp.Ground(slope=float(tips.value[k]) + more))
            standing = ramp.stability(q, heading=headings[k])
            assert bool(standing.tips_over) == over
            assert set(tips.where[k].split(" to ")) == set(standing.edge)
    both = rover.largest_slope(q, heading=headings[:3])
    slides = both.limit == "slipping"
    assert slides.any() and (both.value <= tips.value[:3] + 1e-12).all()
    k = int(np.flatnonzero(slides)[0])
    for share, slips in ((1 - 1e-5, False), (1 + 1e-5, True)):
        ramp = rover.on(lp.Ground(slope=share * float(both.value[k])))
        assert bool(ramp.slip(q, heading=headings[k]).slips.any()) == slips


def test_a_box_slides_at_its_friction_and_free_wheels_roll_away():
    box = cart(wheel=lp.Support, friction=0.3)
    around = box.largest_slope()
    np.testing.assert_allclose(around.value, math.atan(0.3), rtol=1e-6)
    assert set(around.limit) == {"slipping"} and around.value.shape == (72,)
    free = cart(driven=False).largest_slope(heading=[0.0, np.pi / 2])
    assert free.limit.tolist() == ["rolling away", "tipping"] and free.value[0] < 1e-6
    assert cart(friction=None).largest_slope(heading=0.0).slipping is False
    low = cart(height=0.001, friction=None).largest_slope(heading=0.0)
    assert low.value < np.pi / 2 and low.limit == "tipping"


def test_maps_of_poses_and_headings():
    rover = lp.catalog.lau_rover()
    q = np.random.default_rng(0).uniform(-0.5, 0.5, (5, 3))
    many = rover.largest_slope(q, slipping=False)
    assert many.value.shape == (5, 72) and many.plot().data[0].type == "heatmap"
    one = rover.largest_slope(q[2], heading=many.axis[10], slipping=False)
    assert many.value[2, 10] == pytest.approx(float(one.value), rel=1e-12)
    worst = many.worst
    assert worst.value == many.value.min() and worst.along == many.axis[worst.at[1]]
    assert "tipping" in many._repr_html_() and json.dumps(many.as_dict())
    with pytest.warns(lp.ModelWarning):
        lost = rover.largest_slope([[np.nan, 0, 0.5], [0, 0, 0.5]], heading=0.1, slipping=False)
    assert np.isnan(lost.value[0]) and lost.limit[0] == "" and np.isfinite(lost.value[1])


def test_a_hundred_thousand_slopes():
    rover = lp.catalog.lau_rover()
    q = np.random.default_rng(0).uniform(-0.5, 0.5, (100_000, 3))
    many = rover.largest_slope(q, heading=0.7, slipping=False)
    few = rover.largest_slope(q[:20], heading=0.7, slipping=False)
    np.testing.assert_allclose(many.value[:20], few.value, rtol=1e-10)


def test_largest_speed_by_hand():
    rover = cart(height=0.5, friction=None)
    radii = np.array([1.0, -3.0, 10.0, np.inf])
    curve = rover.largest_speed(radius=radii)
    np.testing.assert_allclose(curve.value[:3] ** 2, G * np.abs(radii[:3]) * 0.6 / (2 * 0.5), rtol=1e-9)
    assert np.isinf(curve.value[3]) and curve.limit[3] == "nothing"
    # A turntable of feet without a lever in its curve slides at v^2 = mu g r.
    grip = cart(height=0.01, wheel=lp.Support, friction=0.4).largest_speed(radius=[50.0, 80.0])
    assert grip.limit.tolist() == ["slipping", "slipping"]
    np.testing.assert_allclose(grip.value**2, 0.4 * G * np.array([50.0, 80.0]), rtol=1e-3)
    moving = lp.catalog.lau_rover()
    q, qd = [0.1, 0.2, 0.5], [0.5, 0.4, 0.1]
    tips = moving.largest_speed(q, qd, radius=1.5, slipping=False)
    v = float(tips.value)
    assert abs(moving.stability(q, qd, velocity=(v, v / 1.5)).margin) < 1e-8
    with pytest.raises(ValueError, match="a radius is 0"):
        rover.largest_speed(radius=0.0)
    with pytest.raises(ValueError, match="velocity is what is sought"):
        rover.largest_speed(radius=1.0, velocity=(1.0, 0.0))


def test_payload_and_acceleration_with_their_limits():
    rover = cart(height=0.5, friction=0.9, wheel=lp.Support)
    ways = np.linspace(0, 2 * np.pi, 9)[:-1]
    most = rover.largest_acceleration(direction=(np.cos(ways), np.sin(ways), 0.0), limits=True)
    assert most.axis_name == "direction" and most.plot().data[0].type == "scatterpolar"
    np.testing.assert_allclose(most.value[[0, 2]], [0.4 * G / 0.5, 0.3 * G / 0.5], rtol=1e-9)
    slides = cart(height=0.1, friction=0.5, wheel=lp.Support).largest_acceleration(direction=(1.0, 0.0), limits=True)
    assert slides.limit == "slipping" and slides.value == pytest.approx(0.5 * G, rel=1e-6)
    arm = lp.catalog.lau_rover(driven=True)
    exact = arm.largest_payload([0, 0, 1.0], link="rod")
    both = arm.largest_payload([0, 0, 1.0], link="rod", limits=True)
    assert both.limit == "tipping" and float(both.value) == pytest.approx(float(exact), rel=1e-12)


# The tests


def test_tilt_table_against_slopes_by_hand():
    truck = cart(height=0.6, mass=2000.0, half=(0.9, 0.5))
    test = truck.standards.tilt_table(load=0.0)
    assert [row.test[0] for row in test] == ["1", "2", "3", "4"]
    for row, lever in zip(test, (0.9, 0.9, 0.5, 0.5), strict=True):
        assert row.limit == pytest.approx(lever / 0.6, rel=1e-9)
    assert test.passes and test.worst.test.startswith("4")
    own = truck.standards.tilt_table(load=0.0, tests=[lp.TiltTest("steep", "backward", 2.0, laden=False, raised=False)])
    assert not own.passes and own["steep"].utilisation == pytest.approx(2.0 * 0.6 / 0.9)
    with pytest.raises(ValueError, match="expected 'forward'"):
        lp.TiltTest("x", "up", 0.1, laden=True, raised=True)


def test_tilt_table_with_a_load_on_an_arm():
    truck = lp.WheeledBase(mass=2800, center_of_mass=(0.55, 0, 0.6), wheels=[
        lp.FixedWheel((x, y), 0.3) for x, y in ((1.4, 0.45), (1.4, -0.45), (0, 0.4), (0, -0.4))])
    lift = truck.carrying(lp.catalog.planar(1, length=1.0, mass=100.0), at=(1.6, 0, 1.0))
    row = lift.standards.tilt_table([0.5], load=1200.0, link="tip").rows[0]
    x = np.array([0.55, 1.6 + 0.5 * math.cos(0.5), 1.6 + math.cos(0.5)])
    z = np.array([0.6, 1.0 + 0.5 * math.sin(0.5), 1.0 + math.sin(0.5)])
    mass = np.array([2800, 100.0, 1200])
    by_hand = float(mass @ (1.4 - x) / (mass @ z))
    assert row.limit == pytest.approx(by_hand, rel=1e-9)
    assert row.demand == 0.04


def roll_equilibrium(y, k, height, weight, sway):
    """Threshold by brute force: for each lean the springs sink until they carry the weight; the largest a / g."""

    def threshold(lean):
        def carried(sink):
            return (k * np.maximum(sink + y * lean, 0.0)).sum() - weight

        sink = brentq(carried, -10.0, 10.0, xtol=1e-14)
        moment = (k * np.maximum(sink + y * lean, 0.0) * y).sum()
        return (moment / weight - height * lean) / (height + weight * sway)

    best = minimize_scalar(lambda lean: -threshold(lean), bounds=(0.0, 0.5), method="bounded", options={"xatol": 1e-12})
    return -best.fun


def test_rollover_threshold_against_formula_and_brute_force():
    def truck(front, rear, half=(1.0, 1.0), **more):
        axles = (0.0, rear, half[0]), (4.0, front, half[1])
        wheels = [lp.FixedWheel((x, y), 0.5, stiffness=k, **more) for x, k, t in axles for y in (-t, t)]
        return lp.WheeledBase(mass=9000, center_of_mass=(2, 0, 1.5), wheels=wheels).carrying()

    W = 9000 * G
    one = truck(8e5, 8e5).standards.rollover_threshold()
    K = 4 * 8e5
    assert one["rolls over to the left"].limit == pytest.approx((1 - W * 1.5 / K) / 1.5, rel=1e-8)
    assert one["rolls over to the right"].limit == pytest.approx(one["rolls over to the left"].limit, rel=1e-9)
    swaying = truck(8e5, 8e5, grip_stiffness=3e5).standards.rollover_threshold().rows[0]
    assert swaying.limit == pytest.approx((1 - W * 1.5 / K) / (1.5 + W / (4 * 3e5)), rel=1e-8)
    assert truck(8e5, 8e5).standards.rollover_threshold(lateral_stiffness=1.2e6).rows[0].limit == swaying.limit
    # Axles of the same track but other springs are one axle; by brute force of the lean.
    y = np.array([-1.0, 1.0, -1.0, 1.0])
    for k in (8e5, 2.5e5):
        brute = roll_equilibrium(y, np.full(4, k), 1.5, W, 0.0)
        assert truck(k, k).standards.rollover_threshold().rows[0].limit == pytest.approx(brute, rel=1e-6)
    assert not truck(2.5e5, 2.5e5).standards.rollover_threshold(minimum=0.6).passes
    rigid = cart(height=0.5, half=(0.4, 0.3)).standards.rollover_threshold()
    assert rigid.rows[0].limit == pytest.approx(0.6) and rigid.rows[0].numbers["rigid"] == pytest.approx(0.6)
    with pytest.raises(ValueError, match="on level ground"):
        cart().on(lp.Ground(slope=0.1)).standards.rollover_threshold()


def test_suspensions_and_anti_roll_bars_make_roll_stiffness():
    """Tyre and suspension in series, a bar beside the suspensions, which counts twice in roll."""
    def truck(*bars):
        spring = lp.Suspension(stiffness=6e5, preload=9000 * G / 4)
        wheels = [lp.FixedWheel((x, y), 0.5, stiffness=12e5, suspension=spring, name=f"{x:g}{'lr'[y < 0]}")
                  for x in (0.0, 4.0) for y in (-1.0, 1.0)]
        return lp.WheeledBase(mass=9000, center_of_mass=(2, 0, 1.5), wheels=wheels, anti_roll_bars=bars).carrying()

    W = 9000 * G
    for bar, side in ((0.0, 6e5), (4e5, 6e5 + 2 * 4e5)):  # a bar adds twice its stiffness in roll
        K = 4 / (1 / side + 1 / 12e5)
        bars = [lp.AntiRollBar(f"{x}l", f"{x}r", bar) for x in (0, 4)] if bar else []
        found = truck(*bars).standards.rollover_threshold().rows[0]
        assert found.limit == pytest.approx((1 - W * 1.5 / K) / 1.5, rel=1e-6)


def test_axles_of_different_tracks_lift_one_after_the_other():
    """Pitch is free: by brute force over lean, with sink and pitch from balance."""
    from scipy.optimize import root

    axles = (0.0, 6e5, 0.7), (4.0, 9e5, 1.1)
    wheels = [lp.FixedWheel((x, y), 0.5, stiffness=k) for x, k, t in axles for y in (-t, t)]
    truck = lp.WheeledBase(mass=9000, center_of_mass=(1.6, 0, 1.5), wheels=wheels).carrying()
    W, at = 9000 * G, np.array([w.position for w in wheels])
    k = np.array([w.stiffness for w in wheels])

    def threshold(lean):
        def balance(u):
            N = k * np.maximum(u[0] + at[:, 1] * lean + (at[:, 0] - 1.6) * u[1], 0.0)
            return [(N.sum() - W) / W, (N * (at[:, 0] - 1.6)).sum() / W]

        solved = root(balance, [W / k.sum(), 0.0], tol=1e-13)
        N = k * np.maximum(solved.x[0] + at[:, 1] * lean + (at[:, 0] - 1.6) * solved.x[1], 0.0)
        return (N * at[:, 1]).sum() / W / 1.5 - lean if solved.success else -1.0

    brute = max(threshold(lean) for lean in np.linspace(0.0, 0.12, 2001))
    assert truck.standards.rollover_threshold().rows[0].limit == pytest.approx(brute, rel=1e-4)


def test_crane_by_hand_moments():
    feet = [lp.Support((x, y)) for x in (-2.0, 2.0) for y in (-1.5, 1.5)]
    crane = lp.WheeledBase(mass=8000, center_of_mass=(-0.4, 0, 1), wheels=feet).carrying(
        lp.catalog.planar(1, length=6.0, mass=300.0), at=(0, 0, 2))
    poses = np.array([[0.0], [0.6], [1.2]])
    test = crane.standards.crane_stability(poses, load=3000.0, link="tip", unloaded=[1.5])
    tipping = (8000 * 2.4 - 300 * 1.0) / 4.0
    forward = test["forward"]
    assert forward.numbers["tipping load (kg)"] == pytest.approx(tipping, rel=1e-9)
    assert forward.limit == pytest.approx(0.85 * tipping) and forward.passes and forward.numbers["state"] == 0
    x = (8000 * -0.4 + 300 * 3 * math.cos(1.5)) / 8300
    assert test["backward"].limit == pytest.approx((2 + x) / 4, rel=1e-9) and test["backward"].passes
    crawler = crane.standards.crane_stability(poses, load=4200.0, link="tip", mounting="crawlers")
    assert crawler["forward"].limit == pytest.approx(0.75 * tipping) and not crawler.passes
    own = crane.standards.crane_stability(poses, load=4200.0, link="tip", rated_share=0.95, lighter_side=0.5)
    assert own["forward"].passes and not own["backward"].passes
    with pytest.raises(ValueError, match="mounting is 'rails'"):
        crane.standards.crane_stability([0.0], load=1.0, link="tip", mounting="rails")
    with pytest.raises(ValueError, match=r"expected a share from 0 to 1; 85 % is 0\.85"):
        crane.standards.crane_stability([0.0], load=1.0, link="tip", rated_share=85)


def test_outrigger_pressure_by_hand():
    crane = cart(mass=4000.0, height=1.0, wheel=lp.Support)
    N = 1000.0 * G
    assert crane.standards.outrigger_pressure(pad=0.09, allowed=1e5)["wheel1"].demand == pytest.approx(N / 0.09)
    assert crane.standards.outrigger_pressure(pad=0.09, plate=0.5, allowed=1e5).rows[0].demand == pytest.approx(N / 0.5)
    spread = crane.standards.outrigger_pressure(pad=0.09, plate=0.5, spread=0.1, allowed=1e5)
    assert spread.rows[0].demand == pytest.approx(N / 0.25)
    areas = dict.fromkeys(crane.contact_names, 0.2) | {"wheel2": 0.05}
    each = crane.standards.outrigger_pressure(pad=areas, allowed=1e5)
    assert [row.passes for row in each] == [True, False, True, True]
    with pytest.raises(ValueError, match="no contact 'foot'"):
        crane.standards.outrigger_pressure(pad={"foot": 1.0}, allowed=1e5)
    with pytest.raises(ValueError, match="allowed is 0"):
        crane.standards.outrigger_pressure(pad=1.0, allowed=0.0)


def test_braking_by_hand():
    high = cart(height=0.8).standards.braking(speed=2.0, deceleration=4.0, distance=0.5)
    assert high["tips over"].limit == pytest.approx(G * 0.4 / 0.8) and math.isinf(high["slips"].limit)
    assert high["stopping distance"].demand == 0.5 and high.passes
    low = cart(height=0.2, friction=0.5).standards.braking(speed=2.0, deceleration=5.0)
    assert low["slips"].limit == pytest.approx(0.5 * G, rel=1e-6) and not low.passes
    blind = cart(friction=None).standards.braking(speed=2.0, deceleration=5.0)
    assert math.isnan(blind["slips"].utilisation) and not blind["slips"].passes
    assert "no friction" in blind["slips"].assumption
    with pytest.raises(ValueError, match="speed is 0: expected more than 0 m/s"):
        cart().standards.braking(speed=0.0, deceleration=1.0)
    back = lp.WheeledBase(mass=50, center_of_mass=(0.2, 0, 0.8), wheels=cart().base.wheels).carrying()
    assert back.standards.braking(speed=1.0, deceleration=1.0, backward=True)["tips over"].limit == pytest.approx(
        G * 0.6 / 0.8)


def test_cornering_and_parking_by_hand():
    curve = cart(height=0.5, friction=None).standards.cornering(speed=2.0, radius=3.0)
    assert curve["tips over"].limit == pytest.approx(math.sqrt(G * 3.0 * 0.6 / (2 * 0.5)), rel=1e-9)
    park = cart(height=0.5, wheel=lp.Support, friction=0.5).standards.parking_slope(slope=0.2)
    assert park["tips over"].limit == pytest.approx(math.atan(0.3 / 0.5)) and park.passes
    assert park["slips"].limit == pytest.approx(math.atan(0.5), rel=1e-6)
    with pytest.raises(ValueError, match=r"12 degrees are 0\.2094 rad"):
        cart().standards.parking_slope(slope=12)


def test_emergency_stop_on_a_slope_by_hand():
    rover = cart(height=0.8, mass=50.0)
    s, a = 0.15, 1.5
    down = rover.standards.emergency_stop(speed=1.0, deceleration=a, slope=s, heading=np.pi, stops_dead=True)
    assert down["tips over"].limit == pytest.approx(G * (math.cos(s) * 0.4 - math.sin(s) * 0.8) / 0.8, rel=1e-9)
    assert down["slips"].limit == pytest.approx(G * (0.7 * math.cos(s) - math.sin(s)), rel=1e-5) or math.isinf(
        down["slips"].limit)
    lever, now = math.hypot(0.4, 0.8), math.cos(s) * 0.8 + math.sin(s) * 0.4
    assert down["falls if it stops dead"].limit == pytest.approx(50 * G * (lever - now), rel=1e-9)
    assert down["falls if it stops dead"].demand == pytest.approx(25.0)
    around = rover.standards.emergency_stop(speed=1.0, deceleration=a, slope=s)
    assert around["tips over"].limit <= down["tips over"].limit + 1e-9


def test_emergency_stop_with_the_arm_in_motion():
    rover = lp.catalog.lau_rover(driven=True)
    q, qd = np.array([0.2, 0.1, 0.5]), np.array([0.6, 0.3, 0.2])
    test = rover.standards.emergency_stop(q, qd, speed=0.5, deceleration=1.0)
    factor = test["tips over"].limit / 1.0
    assert 1 < factor < 100
    stop = rover.stability(q, qd, -qd * (1.0 / 0.5) * factor, velocity=(0.5, 0.0), acceleration=(-factor, 0.0))
    assert abs(stop.margin) < 1e-9
    with pytest.raises(ValueError, match="arm_deceleration="):
        rover.standards.emergency_stop(q, qd, speed=0.0, deceleration=1.0)


def test_kerb_by_hand():
    wheels = [lp.FixedWheel((x, y), 0.1, driven=x < 0) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    inertia = np.diag([2.0, 3.0, 4.0])
    rover = lp.WheeledBase(mass=50, center_of_mass=(0.1, 0, 0.5), inertia=inertia, wheels=wheels,
                           friction=lp.WheelFriction(0.8)).carrying()
    test = rover.standards.kerb(height=0.03, speed=1.0)
    front = 50 * G * 0.5 / 0.8
    assert test["climbs"].demand == pytest.approx(front * math.sqrt(2 * 0.1 * 0.03 - 0.03**2) / (0.1 - 0.03))
    assert test["climbs"].limit == pytest.approx(0.8 * (50 * G - front)) and not test["climbs"].passes
    assert test["climbs"].numbers["work to lift it (J)"] == pytest.approx(front * 0.03)
    assert test["tips with the end on the kerb"].limit == pytest.approx(math.atan(0.5 / 0.5))
    assert test["tips with the end dropped"].limit == pytest.approx(math.atan(0.3 / 0.5))
    assert test["tips with the end dropped"].demand == pytest.approx(math.asin(0.03 / 0.8))
    about = 3.0 + 50 * (0.3**2 + 0.5**2)
    work = 50 * G * (math.hypot(0.3, 0.5) - 0.5)
    assert test["trips"].limit == pytest.approx(math.sqrt(2 * about * work) / (50 * 0.5), rel=1e-9)
    assert rover.standards.kerb(height=0.2)["climbs"].demand == math.inf
    pushed = rover.standards.kerb(height=0.03, force=1e4)
    assert pushed["climbs"].passes
    rear = rover.standards.kerb(height=0.03, backward=True)
    assert rear["tips with the end on the kerb"].limit == pytest.approx(math.atan(0.3 / 0.5))


def test_results_as_text_html_and_data():
    test = cart().standards.braking(speed=1.0, deceleration=2.0)
    assert "braking" in str(test) and "<table" in test._repr_html_() and "passes" in repr(test)
    data = test.as_dict()
    assert json.dumps(data) and data["rows"][0]["clause"] and data["passes"] is True
    with pytest.raises(KeyError, match="tips over"):
        test["tips"]
    assert "kerb" in repr(cart().standards)


def test_rows_of_a_verdict_and_of_the_command_line():
    from typer.testing import CliRunner

    from loadpath.cli.app import app

    rover = lp.catalog.lau_rover(driven=True)
    q = np.array([0.0, 0.0, 0.5])
    tests = [rover.standards.braking(q, speed=1.0, deceleration=50.0), rover.standards.rollover_threshold(q)]
    found = rover.verdict((q, 0 * q, 0 * q), standards=tests)
    rows = {row.check: row for row in found}
    assert rows["braking: tips over"].utilisation == tests[0]["tips over"].utilisation > 1
    assert rows["rollover threshold: rolls over to the left"].holds and not found.holds
    with pytest.raises(ValueError, match="among the standards"):
        rover.verdict((q, 0 * q, 0 * q), standards=["braking"])
    run = CliRunner().invoke(app, ["rover", "lau_rover", "--q", "0,0,0.5", "--json", "--standards",
                                   "braking speed=1 deceleration=50; rollover_threshold minimum=0.2"])
    data = json.loads(run.output)
    assert [test["title"] for test in data["standards"]] == ["braking", "rollover threshold"]
    assert data["standards"][0]["rows"][0]["passes"] is False and data["standards"][1]["passes"] is True
    for text, says in (("flying speed=1", "no test 'flying'"), ("braking speed", "has no 'speed'"),
                       ("braking speed=1", "deceleration"), (";", "no test is named"),
                       ("braking speed=-1 deceleration=1", "speed is -1")):
        wrong = CliRunner().invoke(app, ["rover", "lau_rover", "--q", "0,0,0.5", "--standards", text])
        assert wrong.exit_code == 2 and says in " ".join(wrong.output.split())


def test_ground_that_is_no_plane_at_rest_is_refused():
    uneven = cart().on(lp.Ground(surface=lp.Kerb(at=1.0, step=0.1)))
    moving = cart().on(lp.Ground(motion=lp.GroundMotion(heave=lp.Sinusoid(0.1, 1.0))))
    for rover, word in ((uneven, "surface"), (moving, "motion")):
        for call in (lambda r: r.largest_slope(heading=0.0), lambda r: r.largest_speed(radius=1.0),
                     lambda r: r.standards.rollover_threshold(),
                     lambda r: r.standards.braking(speed=1.0, deceleration=1.0)):
            with pytest.raises((ValueError, lp.ModelError), match=word):
                call(rover)
    with pytest.raises(ValueError, match="ground_state says how the ground moves"):
        cart().largest_slope(heading=0.0, ground_state=lp.GroundState(acceleration=(1.0, 0, 0)))
