"""Forces at the contacts: in balance with the ground's wrench, by hand, and against quadratic programming."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rovers import motions, random_base, summed
from scipy.optimize import nnls

import loadpath as lp
from loadpath.mobile.normals import share_normals
from loadpath.mobile.support import edges_of
from loadpath.robot.wheels.base import hull

ARM = lp.catalog.two_link()
KINDS = ("fixed", "free", "steered", "caster", "trailing", "omni", "mecanum", "support")


def four(height=0.5, at=(0.0, 0.0), **options):
    wheels = [lp.FixedWheel((x, y), 0.1, name=f"{'front' if x > 0 else 'rear'} {'left' if y > 0 else 'right'}")
              for x in (0.4, -0.4) for y in (0.3, -0.3)]
    return lp.WheeledBase(mass=50, center_of_mass=(*at, height), wheels=wheels, friction=lp.WheelFriction(0.6, 0.8),
                          **options)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), contacts=st.integers(3, 7), split=st.sampled_from(["compliance", "load"]))
def test_contact_forces_are_the_ground_wrench(seed, contacts, split):
    """Sum of forces and moments, on random rovers of all kinds of wheels, moving anyhow, on a slope: to 1e-10."""
    # One compiled function serves all: the wrench goes in by an external force instead of another robot.
    rover = random_base(seed, contacts).carrying(ground=lp.Ground(slope=0.2))
    rng = np.random.default_rng(seed)
    count = 40
    external = {"rover": lp.Wrench(force=rng.normal(size=(count, 3)) * 60, torque=rng.normal(size=(count, 3)) * 40)}
    speed, change = rng.normal(size=(2, count, 3))
    speed[:5], change[:3] = 0.0, 0.0
    options = {"velocity": speed, "acceleration": change, "heading": rng.uniform(-3, 3, count), "external": external}
    loads = rover.wheel_loads(np.zeros((count, 0)), split=split, **options)
    wanted = rover.ground_wrench(np.zeros((count, 0)), **options)
    force, torque = summed(loads)
    np.testing.assert_allclose(force, wanted.force, rtol=1e-10, atol=1e-10 * np.abs(wanted.force).max())
    np.testing.assert_allclose(torque, wanted.torque, rtol=1e-10, atol=1e-10 * np.abs(wanted.torque).max())
    standing = ~loads.tips_over
    assert (loads.normal[standing] >= 0).all()
    assert (loads.normal[~standing].min(axis=-1) < 0).all()
    margin = rover.stability(np.zeros((count, 0)), **options).margin
    np.testing.assert_array_equal(margin < 0, loads.tips_over)
    # Casters give no side force, and free wheels no more than their rolling resistance and spin ask for. From rest,
    # casters without a trail resist whichever way they start.
    casters = np.array([isinstance(wheel, lp.CasterWheel) for wheel in rover.base.wheels])
    trailing = np.array([wheel.trail > 0 for wheel in rover.base.wheels])
    np.testing.assert_allclose(loads.lateral[5:, casters], 0.0, atol=1e-12)
    np.testing.assert_allclose(loads.lateral[:, trailing], 0.0, atol=1e-12)
    used = np.hypot(loads.longitudinal, loads.lateral)[:, casters]
    assert (used <= 0.02 * np.abs(loads.normal[:, casters]) * (1 + 1e-12)).all()
    if split == "compliance":  # a contact in the air has no friction
        assert not loads.lateral[loads.lifted].any() and not loads.longitudinal[loads.lifted].any()


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), contacts=st.integers(4, 12), grid=st.booleans())
def test_lifting_contacts_against_least_squares(seed, contacts, grid):
    """Springs that cannot pull: the least sum c N^2 of all normal forces in balance, none negative (SciPy's NNLS)."""
    rng = np.random.default_rng(seed)
    if grid:  # many in a row
        points = np.array([(i % 3, i // 3) for i in range(contacts)], dtype=float) * (0.5, 0.4)
    else:
        points = rng.normal(size=(contacts, 2))
    compliance = 0.5 + rng.random(contacts)
    corners = points[hull(points)]
    for _ in range(4):
        # A load somewhere inside, near an edge as a rule.
        mix = rng.dirichlet(np.full(len(corners), 0.3))
        x, y = mix @ corners
        load = 100 * np.array([1.0, y, -x])
        edges = edges_of(points)
        tips = np.asarray(edges.moments(load).min() < 0)
        if tips:
            continue  # by rounding, on the edge itself
        got = share_normals(points, compliance, load, tips)
        if contacts <= 8:  # places that may differ from row to row go another way, to the same end
            twice = (np.stack([points, points]), compliance, np.stack([load, load]), np.array([False, False]))
            rows = share_normals(*twice)
            np.testing.assert_allclose(rows, np.stack([got, got]), atol=1e-8)
        balance = np.vstack([np.ones(contacts), points[:, 1], -points[:, 0]])
        heavy = 1e5
        matrix = np.vstack([np.diag(np.sqrt(compliance)), heavy * balance])
        best, _ = nnls(matrix, np.concatenate([np.zeros(contacts), heavy * load]), maxiter=10000)
        np.testing.assert_allclose(got, best, atol=1e-4)
        np.testing.assert_allclose(balance @ got, load, atol=1e-9)
        assert compliance @ got**2 <= compliance @ best**2 * (1 + 1e-7)


def test_rest_by_hand():
    """Four wheels at rest: the weight, shared by lever arms; a quarter each where the mass center is in the middle."""
    loads = four(at=(0.1, 0.06)).carrying().wheel_loads([])
    weight = 50 * 9.81
    assert loads.normal.sum() == pytest.approx(weight, rel=1e-12)
    front, left = 0.5 + 0.1 / 0.8, 0.5 + 0.06 / 0.6
    # Equal springs: each lever arm by itself, N = W/4 (1 + ..x + ..y).
    shares = [0.25 + sx * (front - 0.5) / 2 + sy * (left - 0.5) / 2 for sx in (1, -1) for sy in (1, -1)]
    np.testing.assert_allclose(loads.normal, weight * np.array(shares), rtol=1e-12)
    np.testing.assert_allclose(four().carrying().wheel_loads([]).normal, weight / 4, rtol=1e-12)


@pytest.mark.parametrize("heading", [0.0, np.pi / 2, np.pi, 0.7])
def test_four_wheels_on_a_slope_by_hand(heading):
    """The weight moves downhill by h tan(slope); all wheels hold against rolling down, each a quarter."""
    slope, h, weight = 0.25, 0.5, 50 * 9.81
    rover = four(h).carrying(ground=lp.Ground(slope=slope))
    loads = rover.wheel_loads([], heading=heading)
    down = -h * np.tan(slope) * np.array([np.cos(heading), -np.sin(heading)])
    x, y = np.array([w.position for w in rover.base.wheels]).T
    normal = weight * np.cos(slope) / 4 * (1 + x * down[0] / 0.4**2 + y * down[1] / 0.3**2)
    np.testing.assert_allclose(loads.normal, normal, rtol=1e-12)
    np.testing.assert_allclose(loads.force[:, :2].sum(axis=0), weight * np.sin(slope) * np.array(
        [np.cos(heading), -np.sin(heading)]), atol=1e-10)
    np.testing.assert_allclose(loads.longitudinal, weight * np.sin(slope) * np.cos(heading) / 4, atol=1e-10)
    point = rover.stability([], heading=heading).zero_moment_point
    np.testing.assert_allclose(point, down, atol=1e-12)
    # Slips beyond mu = tan(slope), whatever the heading.
    used = rover.slip([], heading=heading)
    assert used.ratio.min() <= np.tan(slope) / 0.8 * (1 + 1e-12) and not used.slips.all()
    assert rover.on(lp.Ground(slope=slope, friction=lp.WheelFriction(0.2))).slip([], heading=heading).slips.any()


def test_three_wheels_of_the_thesis():
    """N1 = -N_y/s, N2,3 = (F_z + N_y/s +- N_x/d)/2 (errata 6.9)."""
    rover = lp.catalog.lau_rover()
    q, qd, qdd, speed, change = motions(rover, 50, 3)
    speed, change, qdd = speed[:, [0, 2]] * 0.3, change[:, [0, 2]] * 0.3, 15 * qdd
    wrench = rover.ground_wrench(q, qd, qdd, velocity=speed, acceleration=change)
    (nx, ny, _), fz = wrench.torque.T, wrench.force[:, 2]
    normal = [-ny / 0.6, (fz + ny / 0.6 + nx / 0.3) / 2, (fz + ny / 0.6 - nx / 0.3) / 2]
    got = rover.wheel_loads(q, qd, qdd, velocity=speed, acceleration=change)
    np.testing.assert_allclose(got.normal, np.transpose(normal), rtol=1e-10, atol=1e-10)
    assert 0 < got.tips_over.sum() < 50  # both kinds are there
    # Rolling resistance of the free wheels: columns of G in errata 6.9. The caster's angle is atan2(s w, v).
    v, w = speed.T
    theta, mu = np.arctan2(0.6 * w, v), 0.01
    pressed = np.maximum(got.normal, 0)
    sense2, sense3 = np.sign(v - 0.3 * w), np.sign(v + 0.3 * w)
    x = -mu * (pressed[:, 1] * sense2 + pressed[:, 2] * sense3 + pressed[:, 0] * np.cos(theta))
    z = mu * 0.3 * (pressed[:, 1] * sense2 - pressed[:, 2] * sense3)
    z -= mu * pressed[:, 0] * 0.6 * np.sin(theta)
    np.testing.assert_allclose(wrench.force[:, 0] - got.unsupplied[:, 0], x, atol=1e-10)
    np.testing.assert_allclose(wrench.torque[:, 2] - got.unsupplied[:, 2], z, atol=1e-10)
    assert np.abs(got.unsupplied[:, 1]).max() < 1e-10  # the fixed wheels hold sideways


def test_free_wheels_hold_by_rolling_resistance_until_they_roll():
    """Pushed along x: wheels 2 and 3 hold all they can. They would turn the base, one being lighter: against that the
    caster, which rolls any way, holds across as well (s f_y = d (f_2 - f_3)), so that less of it is left along x.
    """
    rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.6, rolling=0.05))
    normal = rover.wheel_loads([0, 0, 0.5]).normal
    across = 0.3 * (normal[1] - normal[2]) / 0.6
    limit = 0.05 * (normal[1] + normal[2] + np.sqrt(normal[0] ** 2 - across**2))
    for part, holds in ((0.2, True), (0.9999, True), (1.01, False)):
        loads = rover.wheel_loads([0, 0, 0.5], external={"rover": lp.Wrench(force=(part * limit, 0, 0))})
        assert (np.abs(loads.unsupplied).max() < 1e-9) == holds
        assert (np.abs(loads.longitudinal) <= 0.05 * normal * (1 + 1e-9)).all()
        assert np.hypot(loads.longitudinal[0], loads.lateral[0]) <= 0.05 * normal[0] * (1 + 1e-9)
        if holds:
            assert loads.longitudinal.sum() == pytest.approx(-part * limit, rel=1e-9)
    # With brakes on, free wheels have nothing to hold.
    braked = lp.catalog.lau_rover(friction=lp.WheelFriction(0.6, rolling=0.05), driven=True)
    assert braked.wheel_loads([0, 0, 0.5], external={"rover": lp.Wrench(force=(3, 0, 0))}).longitudinal[0] == 0.0


@pytest.mark.parametrize(("rolling", "driven"), [(0.0, 4), (0.03, 4), (0.03, 3)])
def test_drive_torques_do_the_work(rolling, driven):
    """Power of the drives is the power of the ground's forces, plus spin and rolling resistance."""
    places = [(x, y) for x in (0.3, -0.3) for y in (0.25, -0.25)]
    wheels = [lp.MecanumWheel((x, y), 0.1, roller_angle=np.pi / 4 * (-1 if x * y > 0 else 1), spin_inertia=0.02,
                              driven=k < driven) for k, (x, y) in enumerate(places)]
    base = lp.WheeledBase(mass=40, center_of_mass=(0.02, 0.01, 0.2), inertia=np.diag([1.0, 1.0, 1.5]), wheels=wheels,
                          friction=lp.WheelFriction(0.6, rolling=rolling))
    rover = base.carrying()
    speed, change = np.array([0.5, -0.3, 0.8]), np.array([0.4, 0.6, -0.5])
    loads = rover.wheel_loads([], velocity=speed, acceleration=change)
    assert np.abs(loads.unsupplied).max() < 1e-9
    rates = rover.wheel_motion(speed).rate
    # dT/dt of the base as a rigid body, and of the spinning wheels.
    wrench = rover.ground_wrench([], velocity=speed, acceleration=change)
    body = wrench.force[:2] @ speed[:2] + wrench.torque[2] * speed[2]
    spin = 0.02 * rates @ rover.wheel_motion(change).rate
    # Losses: wheels and rollers roll against their resistance.
    points, angles = np.array(places), np.array([wheel.roller_angle for wheel in wheels])
    at = np.stack([speed[0] - speed[2] * points[:, 1], speed[1] + speed[2] * points[:, 0]], axis=-1)
    roller = (at[:, 0] - 0.1 * rates) * -np.sin(angles) + at[:, 1] * np.cos(angles)
    lost = rolling * loads.normal @ (np.abs(0.1 * rates) + np.abs(roller))
    assert loads.drive_torque @ rates == pytest.approx(body + spin + lost, rel=1e-10)


def test_a_lifted_wheel_and_a_tipped_rover():
    arm = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1)
    base = four(0.3)
    light = base.carrying(arm, at=(0.2, 0.2, 0.4))
    assert not light.wheel_loads([0, 0]).tips_over
    pushed = base.carrying()
    down = [0.0, 350.0, 400.0, 5000.0]  # on the front left corner, 0.1 m inside the wheels each way
    torque = [np.cross((0.38, 0.28, 0.0), (0, 0, -f)) for f in down]
    wrench = {"rover": lp.Wrench(force=[(0, 0, -f) for f in down], torque=torque)}
    loads = pushed.wheel_loads(np.zeros((4, 0)), external=wrench)
    assert not loads.tips_over.any()
    assert loads.lifted.any(axis=-1).tolist()[0] is False and loads.lifted[3, 3]
    out = {"rover": lp.Wrench(torque=(400.0, 0.0, 0.0))}
    tipped = pushed.wheel_loads([], external=out)
    assert tipped.tips_over and tipped.normal.min() < 0 and np.isfinite(tipped.normal).all()
    assert tipped.normal.sum() == pytest.approx(50 * 9.81)
    thrown = pushed.stability([], external={"rover": lp.Wrench(force=(0, 0, 1000.0))})
    assert thrown.tips_over and thrown.margin == -np.inf


def test_blocks_are_the_same_as_one_state(monkeypatch):
    rover = random_base(8, 5, kinds=KINDS).carrying(ARM, at=(0, 0, 0.4))
    q, qd, qdd, speed, change = motions(rover, 60, 5)
    from loadpath.mobile import state as module

    whole = rover.wheel_loads(q, qd, qdd, velocity=speed, acceleration=change)
    monkeypatch.setattr(module, "_BLOCK", 7)
    parts = rover.wheel_loads(q, qd, qdd, velocity=speed, acceleration=change)
    for name in ("normal", "longitudinal", "lateral", "drive_torque", "unsupplied", "tips_over"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12, atol=1e-10)
    one = rover.wheel_loads(q[9], qd[9], qdd[9], velocity=speed[9], acceleration=change[9])
    np.testing.assert_allclose(one.force, whole.force[9], rtol=1e-10, atol=1e-9)


def test_empty_batches_and_single_precision():
    rover = lp.catalog.lau_rover(driven=True)
    none = rover.wheel_loads(np.zeros((0, 3)), velocity=np.zeros((0, 2)), acceleration=(1.0, 0.0))
    assert none.normal.shape == (0, 3) and none.unsupplied.shape == (0, 3)
    assert rover.stability(np.zeros((0, 3))).margin.shape == (0,)
    q = np.array([0.1, 0.2, 0.5])
    single, double = (rover.wheel_loads(q.astype(kind), velocity=(0.3, 0.1)) for kind in (np.float32, np.float64))
    np.testing.assert_allclose(single.force, double.force, atol=1e-4)
    moving = np.array([(0.3, 0.1), (np.nan, 0.1), (0.0, 0.0)])
    rows = rover.wheel_loads(q, velocity=moving)
    assert np.isnan(rows.normal[1]).all() and np.isfinite(rows.force[[0, 2]]).all()
    assert rows.tips_over.tolist() == rows.unknown.tolist() == [False, True, False]


@pytest.mark.filterwarnings("ignore:.*no mass, though")
def test_a_motion_or_a_simulation_stands_for_states():
    rover = lp.catalog.lau_rover(driven=True)
    swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1, 0.2, 0.7]], [0, 0.5], rate=20)
    arrays = swing.q, swing.qd, swing.qdd
    np.testing.assert_array_equal(rover.wheel_loads(swing).normal, rover.wheel_loads(*arrays).normal)
    np.testing.assert_array_equal(rover.stability(swing).force_angle, rover.stability(*arrays).force_angle)
    np.testing.assert_array_equal(rover.slip(swing).ratio, rover.slip(*arrays).ratio)
    np.testing.assert_array_equal(rover.largest_payload(swing, link="rod"), rover.largest_payload(*arrays, link="rod"))
    sideways = {"joints": [1, 0, 0]}
    np.testing.assert_array_equal(
        rover.largest_acceleration(swing, **sideways), rover.largest_acceleration(*arrays, **sideways)
    )
    rolled = rover.roll(swing)
    loads = rover.wheel_loads(rolled)  # with the motion of its base
    np.testing.assert_allclose(loads.normal, rolled.normal, atol=1e-9)
    # On a base that has the arm's names already, its joints have a prefix; the motion is the arm's all the same.
    named = rover.base.carrying(lp.catalog.lau_arm(), at=(0.2, 0, 0.3), prefix="left_")
    np.testing.assert_allclose(named.wheel_loads(swing).normal, rover.wheel_loads(swing).normal, atol=1e-9)


def test_steering_by_names_is_that_by_columns():
    wheels = [lp.SteeredWheel((0.5, 0.0), 0.1, name="front"), lp.CasterWheel((-0.3, 0.3), 0.1, trail=0.05, name="left"),
              lp.FixedWheel((-0.3, -0.3), 0.1, name="right")]
    rover = lp.WheeledBase(mass=30, center_of_mass=(0, 0, 0.3), wheels=wheels).carrying()
    by_name = rover.wheel_loads([], velocity=(1.0, 0.2), steering={"left": [0.1, 0.2], "front": 0.3})
    by_column = rover.wheel_loads([], velocity=(1.0, 0.2), steering=[[0.3, 0.1], [0.3, 0.2]])
    for part in ("normal", "longitudinal", "lateral", "points"):
        np.testing.assert_array_equal(getattr(by_name, part), getattr(by_column, part))
    assert rover.rotation_axis({"front": 0.0}).mobility == rover.rotation_axis([0.0, 0.0]).mobility


def test_peak_loads_have_rows_of_wheels_and_of_the_margin():
    rover = lp.catalog.lau_rover(driven=True)
    swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1, 0, 0.5]], [0, 0.5], rate=50)
    peaks = rover.peak_loads(swing, velocity=(0.5, 0.0))
    loads, slip = rover.wheel_loads(swing, velocity=(0.5, 0.0)), rover.slip(swing, velocity=(0.5, 0.0))
    margin = rover.stability(swing, velocity=(0.5, 0.0)).margin
    for k, name in enumerate(rover.contact_names):
        found = peaks[name, "normal"]
        assert (found.maximum, found.minimum) == (loads.normal[:, k].max(), loads.normal[:, k].min())
        assert found.highest.time == swing.t[loads.normal[:, k].argmax()]
        assert peaks[name, "friction_used"].maximum == slip.ratio[:, k].max()
    least = peaks["rover", "margin"].lowest
    assert least.value == margin.min() and least.sample == margin.argmin()
    assert "Wheels and feet" in peaks.to_table() and "friction_used" in set(peaks.to_dataframe()["quantity"])
    with pytest.raises(ValueError, match="wheel_load_breakdown has its causes"):
        peaks["wheel1", "normal"].highest.top()
    with pytest.raises(ValueError, match="no contact 'theta1'; there are wheel1"):
        peaks["theta1", "normal"]
    with pytest.raises(ValueError, match="no quantity 'normal'"):
        lp.catalog.planar(1).peak_loads(([0.0], [0.0], [0.0]))["joint1", "normal"]


def test_peaks_where_nothing_presses_a_wheel_are_infinite_and_spectra_have_wheels():
    wheels = [lp.FixedWheel((x, y), 0.1, driven=True) for x in (0.3, -0.3) for y in (0.2, -0.2)]
    cart = lp.WheeledBase(mass=20, center_of_mass=(0, 0, 0.3), wheels=wheels, friction=lp.WheelFriction(0.8)).carrying()
    speeds = np.array([[0.0, 0.0], [1.0, 0.0], [9.9, 0.0]])
    peaks = cart.peak_loads((np.zeros((3, 0)),) * 3, velocity=np.zeros(2), acceleration=speeds)
    assert peaks["rover", "margin"].lowest.sample == 2 and peaks["rover", "margin"].minimum < 0
    lifted = {"rover": lp.Wrench(np.array([[0, 0, 0.0], [0, 0, 400.0]]))}
    falls = cart.peak_loads((np.zeros((2, 0)),) * 3, external=lifted)
    assert falls["rover", "margin"].minimum == -np.inf and falls["rover", "margin"].lowest.sample == 1
    rover = lp.catalog.lau_rover(driven=True)
    swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1, 0, 0.5]], [0, 0.5], rate=50)
    both = rover.peak_loads(lp.DutySpectrum([(swing.scaled(speed=0.5), 0.5), (swing, 0.5)]))
    assert both["wheel2", "normal"].highest.motion and both["wheel2", "normal"].maximum == pytest.approx(
        rover.peak_loads(swing)["wheel2", "normal"].maximum)
