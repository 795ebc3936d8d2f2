"""A parked rover: wheel loads, slip, accelerations and simulation give one answer, that of the stated rule."""

import numpy as np
import pytest
from scipy.optimize import minimize

import loadpath as lp

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

CORNERS = [(0.4, 0.3), (0.4, -0.3), (-0.4, 0.3), (-0.4, -0.3)]
NONE = np.zeros(0)


def base_of(kind, compliances=None, friction=None):
    """Bases on wheels of one kind; the mass center is off the middle, so that holding them takes a moment, too."""
    places = {
        "three": [(0.5, 0.0), (-0.3, 0.35), (-0.3, -0.35)],
        "six": [*CORNERS, (0.0, 0.35), (0.0, -0.35)],
    }.get(kind, CORNERS)
    options = [{} if compliances is None else {"grip_compliance": c, "compliance": 1.0 + 0.1 * c}
               for c in np.resize([1.0] if compliances is None else compliances, len(places))]
    make = {
        "feet": lambda p, o: lp.Support(p, **o),
        "omni": lambda p, o: lp.OmniWheel(p, 0.1, direction=np.arctan2(p[1], p[0]) + np.pi / 2, **o),
        "mecanum": lambda p, o: lp.MecanumWheel(p, 0.1, roller_angle=-np.pi / 4 * np.sign(p[0] * p[1]), **o),
        "casters": lambda p, o: lp.CasterWheel(p, 0.05, **o) if p[0] < 0 else lp.FixedWheel(p, 0.1, **o),
    }.get(kind, lambda p, o: lp.FixedWheel(p, 0.1, **o))
    wheels = [make(p, o) for p, o in zip(places, options, strict=True)]
    return lp.WheeledBase(
        mass=20, center_of_mass=(0.05, 0.04, 0.3), inertia=np.eye(3), wheels=wheels,
        friction=friction or lp.WheelFriction(0.5, 0.8),
    )


def parked(base, slope, heading):
    """Wheel loads, slip, the simulation with locked wheels, the accelerations under the drives' torques."""
    rover = base.carrying(ground=lp.Ground(slope=slope))
    loads, slip = rover.wheel_loads([], heading=heading), rover.slip([], heading=heading)
    locked = {name: 0.0 for name, wheel in zip(rover.contact_names, base.wheels, strict=True) if wheel.driven}
    run = rover.simulate(wheel_rates=locked, pose=(0, 0, heading), duration=0.02, sample_rate=100)
    moved = rover.forward_dynamics(NONE, NONE, wheel_torques=loads.drive_torque, heading=heading)
    return rover, loads, slip, run, moved


def stated_rule(rover, loads, slip, heading):
    """Least energy of the grip within the friction circles, by SLSQP: forces (contacts, 2), base axes."""
    wrench = rover.ground_wrench([], heading=heading)
    load = np.array([wrench.force[0], wrench.force[1], wrench.torque[2]])
    rows, of, c = [], [], []
    for k, wheel in enumerate(rover.base.wheels):
        x, y = loads.forward[k]
        for row in wheel.grip():
            d = np.array([row.along * x - row.across * y, row.along * y + row.across * x])
            rows.append([*d, wheel.position[0] * d[1] - wheel.position[1] * d[0]])
            of.append(k)
            c.append(wheel.grip_compliance)
    rows, of, c = np.array(rows), np.array(of), np.array(c)
    scale = np.abs(load).max()

    def room(f):
        return np.array([(slip.available[k] / scale) ** 2 - (f[of == k] ** 2).sum() for k in set(of)])

    found = minimize(
        lambda f: c @ f**2, np.linalg.lstsq(rows.T, load / scale, rcond=None)[0], jac=lambda f: 2 * c * f,
        method="SLSQP",
        constraints=[{"type": "eq", "fun": lambda f: rows.T @ f - load / scale}, {"type": "ineq", "fun": room}],
        options={"ftol": 1e-15, "maxiter": 500},
    )
    forces = np.zeros((len(rover.base.wheels), 2))
    np.add.at(forces, of, scale * found.x[:, None] * rows[:, :2])
    return forces


@pytest.mark.parametrize(
    ("kind", "compliances"),
    [(kind, None) for kind in ("three", "four", "six", "feet", "omni", "mecanum", "casters")]
    + [(kind, [1.0, 3.0, 0.5]) for kind in ("four", "feet", "mecanum")],
)
def test_one_answer_from_everything(kind, compliances):
    friction = {"casters": lp.WheelFriction(2.0), "omni": lp.WheelFriction(0.9)}.get(kind)
    base = base_of(kind, compliances, friction)
    for heading in (np.pi / 2, 0.7, -2.0):
        rover, loads, slip, run, moved = parked(base, 0.3, heading)
        assert not slip.slips.any() and not run.sliding.any() and not run.events
        assert abs(run.pose[-1, :2]).max() < 1e-12 and abs(loads.unsupplied).max() < 1e-9
        np.testing.assert_allclose(loads.force[:, :2], stated_rule(rover, loads, slip, heading), atol=2e-3)
        for part in ("normal", "longitudinal", "lateral"):
            np.testing.assert_allclose(getattr(run, part)[0], getattr(loads, part), atol=1e-7)
            np.testing.assert_allclose(getattr(moved, part), getattr(loads, part), atol=1e-7)
        assert abs(moved.acceleration).max() < 1e-9
        assert (slip.ratio <= 1 + 1e-12).all() and slip.friction_factor <= slip.ratio.max() + 1e-9


@pytest.mark.parametrize("kind", ["four", "feet", "mecanum"])
def test_it_slips_where_no_share_holds_and_says_how_much_friction_that_takes(kind):
    """The factor on all friction coefficients that is needed: a little less of it and the base slides, in both."""
    _, _, slip, _, _ = parked(base_of(kind), 0.3, np.pi / 2)
    factor = float(slip.friction_factor)
    for part, holds in ((1.002, True), (0.998, False)):
        friction = lp.WheelFriction(0.8 * factor * part)
        _, loads, slip, run, _ = parked(base_of(kind, friction=friction), 0.3, np.pi / 2)
        assert slip.slips.any() != holds and bool(run.sliding[-1].any()) != holds
        assert (float(slip.friction_factor) <= 1) == holds and slip.friction_factor == pytest.approx(1 / part, rel=1e-6)
        assert abs(loads.unsupplied).max() < 1e-9


def test_the_parked_rover_of_four_wheels_stands():
    """Shared by equal compliances alone, a wheel would be asked for 1.37 times its friction; others have some left."""
    wheels = [lp.FixedWheel(p, 0.1) for p in CORNERS]
    base = lp.WheeledBase(mass=20, center_of_mass=(0.1, 0.0, 0.35), inertia=np.eye(3), wheels=wheels,
                          friction=lp.WheelFriction(0.4, 0.4))
    rover, loads, slip, run, _ = parked(base, 0.3, np.pi / 2)
    unlimited = lp.WheeledBase(mass=20, center_of_mass=(0.1, 0.0, 0.35), inertia=np.eye(3), wheels=wheels)
    asked = unlimited.carrying(ground=rover.ground).wheel_loads([], heading=np.pi / 2)
    ratio = np.hypot(asked.longitudinal, asked.lateral) / (0.4 * asked.normal)
    assert ratio.max() > 1.2 and not slip.slips.any() and not run.events
    np.testing.assert_allclose(run.lateral[0], loads.lateral, atol=1e-7)
    assert slip.ratio.max() == pytest.approx(1.0, abs=1e-9)  # the light wheels give all they have


def test_wheels_held_by_rolling_resistance_leave_it_to_those_that_grip():
    """Casters at rest could hold 0.02 N each; as long as locked wheels can, they hold next to nothing."""
    base = base_of("casters", friction=lp.WheelFriction(2.0, rolling=0.02))
    _, loads, _, run, _ = parked(base, 0.3, 0.7)
    assert 0.02 * loads.normal[2:].min() > 0.1
    for part in ("longitudinal", "lateral"):
        np.testing.assert_allclose(getattr(loads, part)[2:], 0.0, atol=1e-12)
        np.testing.assert_allclose(getattr(run, part)[0], getattr(loads, part), atol=1e-3)


def test_bad_rows_stay_alone():
    rover = base_of("four", friction=lp.WheelFriction(0.4)).carrying(ground=lp.Ground(slope=0.3))
    slip = rover.slip(np.zeros((3, 0)), heading=[np.pi / 2, np.nan, 0.3])
    alone = rover.slip(np.zeros((1, 0)), heading=[np.pi / 2])
    assert np.isnan(slip.used[1]).all() and np.isnan(slip.friction_factor[1])
    np.testing.assert_allclose(slip.used[0], alone.used[0], rtol=1e-12)
    assert np.isfinite(slip.used[[0, 2]]).all()


def test_what_is_shared_to_the_limit_does_not_slip():
    # The last wheel rolls freely and holds across, with what its rolling resistance leaves of its friction.
    left, right = [(0.4316, 0.2844), (-0.0043, 0.3476), (-0.3611, 0.289)], [(0.3646, -0.2781), (0.0055, -0.2558)]
    places = [left[0], right[0], left[1], right[1], left[2], (-0.3555, -0.3169)]
    wheels = [lp.SteeredWheel(place, 0.1, driven=k not in (2, 5)) for k, place in enumerate(places)]
    rover = lp.WheeledBase(
        mass=40, center_of_mass=(-0.0033, 0.0467, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
        friction=lp.WheelFriction(0.5, rolling=0.02),
    ).carrying(ground=lp.Ground(slope=0.4))
    used = rover.slip([], heading=np.linspace(1.9, 2.4, 401))
    at_limit = (used.ratio > 1 - 1e-9).sum(axis=-1) >= 2
    assert at_limit.any()
    np.testing.assert_array_equal(used.slips.any(axis=-1), used.friction_factor > 1)


def test_wheels_that_hold_nothing_ask_for_no_friction():
    places = [(0.4, 0.0), (-0.2, 0.35), (-0.2, -0.35)]
    wheels = [lp.OmniWheel(p, 0.1, direction=np.arctan2(p[1], p[0]) + np.pi / 2, driven=False) for p in places]
    rover = lp.WheeledBase(
        mass=20, center_of_mass=(0, 0, 0.2), wheels=wheels, friction=lp.WheelFriction(0.5, rolling=0.02)
    ).carrying(lp.catalog.planar(2, length=0.2), at=(0, 0, 0.3))
    assert rover.slip([0.1, 0.2]).friction_factor == 0
    assert rover.slip(np.zeros((4, 2))).friction_factor.tolist() == [0, 0, 0, 0]


def test_no_states_have_no_friction_factors():
    rover = base_of("four").carrying(lp.catalog.planar(2, length=0.2), at=(0, 0, 0.3))
    assert rover.slip(np.zeros((0, 2))).friction_factor.shape == (0,)


def test_rounding_of_an_acceleration_does_not_say_which_way_wheels_begin_to_roll():
    wheels = [lp.SteeredWheel(p, 0.1, driven=driven) for p, driven in
              (((0.5, 0.02), False), ((-0.26, 0.43), True), ((-0.22, -0.45), False))]
    base = lp.WheeledBase(mass=20, center_of_mass=(0.03, -0.02, 0.3), inertia=np.diag([1.0, 1.0, 2.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.6, 0.8, 0.02))
    rover = base.carrying(ground=lp.Ground(slope=0.1))
    parked = rover.simulate(duration=0.01, pose=(0, 0, 0.7), steering=[0.4, -0.9, 1.2], wheel_rates={"wheel2": 0.0})
    assert np.abs(parked.acceleration).max() < 1e-14 and not parked.sliding.any()
    exact = rover.wheel_loads(heading=0.7, steering=[0.4, -0.9, 1.2])
    for loads in (rover.wheel_loads(parked), rover.wheel_loads(heading=0.7, steering=[0.4, -0.9, 1.2],
                                                               acceleration=[[1e-16, -2e-16, 1e-17]] * 2)):
        assert np.abs(loads.force - exact.force).max() < 1e-12
    # The simulation gives resting wheels a millionth of what grips: the loads are those of the limit, none.
    assert np.abs(parked.longitudinal - exact.longitudinal).max() < 1e-3
