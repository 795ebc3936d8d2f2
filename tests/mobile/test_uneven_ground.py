"""Rovers on ramps, kerbs and blocks, and on patches of friction: by hand, and against themselves on a slope."""

import math

import numpy as np
import pytest

import loadpath as lp

RUBBER, ICE = lp.WheelFriction(0.8, 0.9), lp.WheelFriction(0.1)
Q = np.array([0.3, 0.2, 0.5])


def car(driven: bool = True, wheels: int = 4, height: float = 0.5, **ground) -> lp.Rover:
    """100 kg, its mass center in the middle of a wheelbase of 2 m and a track of 1 m, 0.2 m towards the front."""
    front = {"fl": (2.0, 0.5), "fr": (2.0, -0.5)} if wheels == 4 else {"f": (2.0, 0.0)}
    each = [lp.FixedWheel(at, 0.2, name=name, driven=driven or at[0] == 0)
            for name, at in {**front, "rl": (0.0, 0.5), "rr": (0.0, -0.5)}.items()]
    base = lp.WheeledBase(mass=100, center_of_mass=(1.2, 0, height), wheels=each, friction=RUBBER,
                          inertia=np.diag([10.0, 30.0, 30.0]))
    return base.carrying(ground=lp.Ground(**ground))


@pytest.mark.parametrize("heading", [0.0, 0.7, 2.5])
@pytest.mark.parametrize("wheels", [3, 4])
def test_a_long_ramp_is_a_slope(heading: float, wheels: int) -> None:
    """The heading against the line of steepest ascent is an angle of the ramp's plane, that of a stance one of the
    ground's: tan = tan(heading) cos(slope).
    """
    slope = 0.25
    ramp = car(wheels=wheels, surface=lp.Ramp(-100.0, slope, 200.0))
    plane = car(wheels=wheels, slope=slope)
    on_plane = math.atan2(math.sin(heading) * math.cos(slope), math.cos(heading))
    c, s = math.cos(heading), math.sin(heading)
    # The base's x axis, turned by its pitch and then by the heading, lies over the direction of the heading.
    steep = math.tan(slope)
    forward = np.array([c, s, steep * c]) / math.hypot(1.0, steep * c)
    up = np.array([math.cos(slope), 0.0, math.sin(slope)])
    left = np.array([0.0, 1.0, 0.0])
    on_plane = math.atan2(forward @ left, forward @ up)
    there, flat = ramp.wheel_loads(heading=heading, position=(3.0, 1.0)), plane.wheel_loads(heading=on_plane)
    np.testing.assert_allclose(there.normal, flat.normal, rtol=1e-9)
    np.testing.assert_allclose(there.longitudinal, flat.longitudinal, atol=1e-7)
    np.testing.assert_allclose(there.lateral, flat.lateral, atol=1e-7)
    np.testing.assert_allclose(there.drive_torque, flat.drive_torque, atol=1e-7)
    np.testing.assert_allclose(there.force, flat.force, atol=1e-7)
    for name in ("margin", "force_angle", "tilt_margin", "energy_margin"):
        one, other = (getattr(r.stability(heading=h, position=(3.0, 1.0)), name)
                      for r, h in ((ramp, heading), (plane, on_plane)))
        np.testing.assert_allclose(one, other, rtol=1e-8)
    np.testing.assert_allclose(ramp.slip(heading=heading, position=(3.0, 1.0)).friction_factor,
                               plane.slip(heading=on_plane).friction_factor, rtol=1e-6)


def test_front_wheels_on_a_kerb_by_hand() -> None:
    step, x_cg, h, m, g, L = 0.3, 1.2, 0.5, 100.0, 9.81, 2.0
    parked = car(surface=lp.Kerb(at=1.5, step=step))
    loads = parked.wheel_loads()
    stance = loads.state.stance
    up = math.asin(step / L)
    assert stance.pitch == pytest.approx(-up, abs=1e-12) and stance.roll == pytest.approx(0, abs=1e-12)
    # In the world all normals are upright: moments about the rear axle.
    front = m * g * (x_cg * math.cos(up) - h * math.sin(up)) / (L * math.cos(up))
    np.testing.assert_allclose(loads.normal.sum(), m * g, rtol=1e-12)
    np.testing.assert_allclose(loads.normal[:2].sum(), front, rtol=1e-9)
    np.testing.assert_allclose(loads.longitudinal, 0.0, atol=1e-8)
    # The distance of the line of gravity from the rear axle, in the base's plane.
    assert parked.stability().zero_moment_point[0] == pytest.approx(x_cg - h * math.tan(up), rel=1e-9)


def test_front_wheels_that_roll_freely_on_a_ramp_by_hand() -> None:
    """Rear wheels on the level with brakes, front wheel free on a ramp: its normal force pushes the car back."""
    slope, L, x_cg, h, m, g = 0.3, 2.0, 1.2, 0.5, 100.0, 9.81
    parked = car(driven=False, wheels=3, surface=lp.Ramp(at=1.0, slope=slope))
    loads = parked.wheel_loads()
    up = -float(loads.state.stance.pitch)
    assert L * math.sin(up) == pytest.approx((L * math.cos(up) - 1.0) * math.tan(slope), abs=1e-9)
    # World axes, about the rear contacts: front contact at (L cos, L sin), force N (-sin, cos) of the ramp.
    N = m * g * (x_cg * math.cos(up) - h * math.sin(up)) / (
        L * math.cos(up) * math.cos(slope) + L * math.sin(up) * math.sin(slope))
    assert loads.normal[0] == pytest.approx(N, rel=1e-9)
    assert loads.normal[1:].sum() == pytest.approx(m * g - N * math.cos(slope), rel=1e-9)
    assert loads.longitudinal[0] == pytest.approx(0.0, abs=1e-9)
    assert loads.longitudinal[1:].sum() == pytest.approx(N * math.sin(slope), rel=1e-9)
    wrench = parked.ground_wrench()
    np.testing.assert_allclose(loads.force.sum(axis=0), wrench.force, atol=1e-7)
    points = np.column_stack([loads.points, np.zeros(3)])
    np.testing.assert_allclose(np.cross(points, loads.force).sum(axis=0), wrench.torque, atol=1e-7)


def test_a_table_on_a_block_stands_on_three_legs() -> None:
    """A block under one leg: the table rocks on the diagonal of that leg, and rests on the leg to whose side its mass
    center is; by moments about the diagonal.
    """
    legs = [lp.Support((x, y), name=n) for (x, y), n in zip([(1, 1), (-1, 1), (-1, -1), (1, -1)], "abcd", strict=True)]

    def table(x: float, y: float) -> lp.Rover:
        return lp.WheeledBase(mass=10, center_of_mass=(x, y, 0.0), wheels=legs, friction=RUBBER).carrying()

    d = 1e-6  # small, so that angles do not matter
    near, far = table(0.2, -0.2), table(-0.2, 0.2)
    right, left = near.wheel_loads(heights={"a": d}), far.wheel_loads(heights={"a": d})
    assert right.state.stance.touching.tolist() == [True, False, True, True]
    assert left.state.stance.touching.tolist() == [True, True, True, False]
    assert right.state.stance.gaps[1] == pytest.approx(d, rel=1e-6)
    # About the diagonal a-c, the leg has a lever of sqrt 2, the weight 0.2 of it.
    np.testing.assert_allclose(right.normal / 98.1, [0.4, 0.0, 0.4, 0.2], atol=1e-6)
    np.testing.assert_allclose(left.normal / 98.1, [0.4, 0.2, 0.4, 0.0], atol=1e-6)
    assert right.lifted.tolist() == [False, True, False, False]
    np.testing.assert_allclose(near.wheel_loads(heights={}).normal, near.wheel_loads().normal, rtol=1e-12)
    jacked = near.wheel_loads(heights=np.full(4, 0.1))
    assert jacked.state.stance.heave == pytest.approx(0.1)
    np.testing.assert_allclose(jacked.normal, near.wheel_loads().normal, rtol=1e-9)


def test_uneven_ground_that_heaves_is_heavier() -> None:
    kerb = lp.Kerb(at=1.5, step=0.3)
    lift = car(surface=kerb, motion=lp.GroundMotion(heave=lambda t: t * t))
    np.testing.assert_allclose(lift.wheel_loads(time=0.0).normal, car(surface=kerb, gravity=11.81).wheel_loads().normal,
                               rtol=1e-7)


def test_patches_are_frictions_of_the_wheels_that_stand_on_them() -> None:
    """Left wheels on ice: as a car whose left wheels have that friction."""
    ice = lp.Patch(((-5.0, 0.2), (5.0, 3.0)), ICE)
    split = car(patches=(ice,))
    wheels = [lp.FixedWheel(w.position, 0.2, name=w.name, friction=ICE if w.position[1] > 0 else None)
              for w in split.base.wheels]
    own = lp.WheeledBase(mass=100, center_of_mass=(1.2, 0, 0.5), wheels=wheels, friction=RUBBER,
                         inertia=np.diag([10.0, 30.0, 30.0])).carrying()
    braking = {"velocity": (3.0, 0.0), "acceleration": (-3.0, 0.0)}
    there, alike = split.slip(**braking), own.slip(**braking)
    np.testing.assert_allclose(there.used, alike.used, rtol=1e-12)
    np.testing.assert_allclose(there.available, alike.available, rtol=1e-12)
    np.testing.assert_allclose(there.loads.longitudinal, alike.loads.longitudinal, rtol=1e-12)
    assert float(there.friction_factor) == pytest.approx(float(alike.friction_factor), rel=1e-9)
    turned = split.slip(**braking, heading=math.pi)  # now the right wheels are on it
    np.testing.assert_allclose(turned.available[[1, 0, 3, 2]], there.available, rtol=1e-12)
    aside = split.slip(**braking, position=np.array([[0.0, 0.0], [0.0, -4.0], [9.0, 0.0]]))
    np.testing.assert_allclose(aside.available[1:], np.broadcast_to(car().slip(**braking).available, (2, 4)))
    np.testing.assert_allclose(aside.available[0], there.available)


def test_patches_on_a_ramp() -> None:
    ramp, ice = lp.Ramp(-100.0, 0.2, 200.0), lp.Patch(((-5.0, 0.2), (5.0, 3.0)), ICE)
    icy = car(surface=ramp, patches=(ice,)).slip()
    np.testing.assert_allclose(icy.available / icy.loads.normal, [0.1, 0.9, 0.1, 0.9])
    assert not icy.slips.any()  # the others hold


def test_many_states_and_rows_without_numbers() -> None:
    x, y = np.linspace(-3, 3, 31), np.linspace(-3, 3, 31)
    hills = lp.HeightMap(x, y, 0.1 * np.sin(2 * x[:, None]) * np.cos(1.5 * y), "cubic")
    rover = lp.catalog.lau_rover(driven=True, friction=RUBBER).on(lp.Ground(surface=hills))
    rng = np.random.default_rng(4)
    position, heading = rng.uniform(-1, 1, (3000, 2)), rng.uniform(-3, 3, 3000)
    position[7] = np.nan
    with pytest.warns(lp.ModelWarning):
        loads = rover.wheel_loads(Q, position=position, heading=heading)
    assert loads.unknown.tolist() == [k == 7 for k in range(3000)]
    wrench = rover.ground_wrench(Q, position=position, heading=heading)
    np.testing.assert_allclose(loads.force.sum(axis=-2), wrench.force, atol=1e-7)
    one = rover.wheel_loads(Q, position=position[5], heading=heading[5])
    np.testing.assert_allclose(loads.normal[5], one.normal, rtol=1e-9)
    # Where the contacts are is on the ground.
    stance = loads.state.stance
    points = np.concatenate([loads.points, np.zeros((3, 1))], axis=-1)
    at = stance.origin[:, None] + np.einsum("sij,kj->ski", stance.rotation, points)
    some = np.delete(at, 7, axis=0)
    np.testing.assert_allclose(some[..., 2], hills.height(some[..., 0], some[..., 1]), atol=1e-9)


def test_what_is_wrong_is_named() -> None:
    kerb = car(surface=lp.Kerb(at=1.5, step=0.3))
    for call, words in (
        (lambda: kerb.wheel_loads(velocity=(1.0, 0.0)), "velocity is given on ground that is uneven"),
        (lambda: kerb.joint_wrenches([], [], []), "joint_wrenches does not know ground with a surface"),
        (kerb.wheel_load_breakdown, "does not know ground with a surface"),
        (lambda: car().wheel_loads(heights={"x": 0.1}), "heights names 'x'"),
        (lambda: car().wheel_loads(heights=[0.1]), "expected (..., 4)"),
        (kerb.forward_dynamics, "does not know ground with a surface"),
    ):
        with pytest.raises(ValueError) as problem:
            call()
        assert words in str(problem.value)


def sprung(ground=None):
    """Four suspensions with preload, stops and a bar on tyres."""
    strut = lp.Suspension(stiffness=20e3, damping=1500, preload=600, bump_travel=0.05, bump_stop_stiffness=200e3,
                          rebound_travel=0.05, rebound_stop_stiffness=200e3, unsprung_mass=10)
    wheels = [lp.FixedWheel((x, y), 0.2, stiffness=1e5, damping=100.0, suspension=strut, name=f"{a}{b}")
              for x, a in ((1.0, "f"), (0.0, "r")) for y, b in ((0.5, "l"), (-0.5, "r"))]
    return lp.WheeledBase(mass=300, center_of_mass=(0.45, 0.05, 0.5), inertia=np.diag([30.0, 60, 70]), wheels=wheels,
                          anti_roll_bars=[lp.AntiRollBar("fl", "fr", 8e3)],
                          friction=lp.WheelFriction(0.8)).carrying(ground=ground)


def test_springs_on_a_ramp_are_those_on_a_slope():
    ramp, slope = sprung(lp.Ground(surface=lp.Ramp(at=-50.0, slope=0.2))), sprung(lp.Ground(slope=0.2))
    for heading in (0.0, 0.5 * np.pi, np.pi):
        one, other = ramp.wheel_loads(heading=heading), slope.wheel_loads(heading=heading)
        assert np.allclose(one.normal, other.normal, rtol=0, atol=1e-3)
        assert abs(ramp.stability(heading=heading).margin - slope.stability(heading=heading).margin) < 1e-6
        assert np.allclose(one.force.sum(axis=-2), ramp.ground_wrench(heading=heading).force, atol=1e-6)


def test_springs_under_a_low_kerb_sink_in_as_on_a_block():
    low = sprung(lp.Ground(surface=lp.Kerb(at=0.5, step=1e-3, across=(0.0, 5.0))))
    block = sprung().wheel_loads(heights={"fl": 1e-3})
    assert np.allclose(low.wheel_loads().normal, block.normal, rtol=0, atol=1.0)  # the mass center moves with the base
    assert np.abs(block.normal - sprung().wheel_loads().normal).max() > 5.0


def test_springs_on_a_kerb_carry_what_they_carry_in_time():
    rover = sprung(lp.Ground(surface=lp.Kerb(at=0.5, step=0.03)))
    there = {"position": [[-0.1, 0.0], [np.nan, 0.0]], "heading": 0.1}
    with pytest.warns(lp.ModelWarning, match="not a number"):
        loads = rover.wheel_loads(**there)
    run = rover.simulate(pose=(-0.1, 0.0, 0.1), duration=0.01, wheel_rates=dict.fromkeys(rover.contact_names, 0.0))
    assert np.allclose(loads.normal[0], run.normal[0], rtol=0.03)  # of first order in the posture
    assert np.isnan(loads.normal[1]).all()
    posture = rover.posture(position=(-0.1, 0.0), heading=0.1)
    assert abs(loads.state.stance.pitch[0] + posture.pitch - run.pitch[0]) < 2e-3


def test_no_states_on_patches():
    icy = sprung(lp.Ground(patches=[lp.Patch(((-5, 0.2), (5, 3)), ICE)]))
    none = {"velocity": np.zeros((0, 2)), "position": np.zeros((0, 2))}
    assert icy.wheel_loads(**none).normal.shape == icy.slip(**none).used.shape == (0, 4)
    rigid = car(patches=[lp.Patch(((-5, 0.2), (5, 3)), ICE)])
    assert rigid.wheel_loads(**none).normal.shape == rigid.slip(**none).used.shape == (0, 4)
    assert rigid.wheel_load_breakdown(**none).normal.shape[::2] == (0, 4)
